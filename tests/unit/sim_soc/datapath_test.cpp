// SPDX-License-Identifier: Apache-2.0
// A machine that is built with another datapath: it is asked once for each command, and values follow it, time does not.
#include "tests/unit/sim_soc/machine_fixture.hpp"

#include <utility>

using namespace vernier;
using namespace vernier::soc;
using namespace vernier::support;

namespace {

/// What a datapath was asked for.
struct Calls {
  std::vector<int32_t> mac, vector;
  int resets = 0;
};

/// The kernels, with every result byte changed by `flip`.
class FlippingDatapath : public units::DatapathIf {
 public:
  FlippingDatapath(const config::MachineConfig& config, Calls& calls, std::byte flip)
      : kernels_(config), calls_(calls), flip_(flip) {}
  void reset() override {
    ++calls_.resets;
    kernels_.reset();
  }
  void run_mac(const spec::MacCommand& command, const units::CommandOperands& operands, kernels::WriteSet& writes) override {
    calls_.mac.push_back(operands.command_idx);
    kernels::WriteSet right;
    kernels_.run_mac(command, operands, right);
    flip(right, writes);
  }
  void run_vector(const spec::VectorCommand& command, const units::CommandOperands& operands,
                  kernels::WriteSet& writes) override {
    calls_.vector.push_back(operands.command_idx);
    kernels::WriteSet right;
    kernels_.run_vector(command, operands, right);
    flip(right, writes);
  }

 private:
  void flip(const kernels::WriteSet& right, kernels::WriteSet& writes) const {
    for (const kernels::WriteSet::Run& run : right.runs()) {
      const auto from = right.bytes_of(run);
      const auto to = writes.extend(run.address, run.bytes);
      for (size_t i = 0; i < to.size(); ++i) to[i] = from[i] ^ flip_;
    }
  }
  units::KernelDatapath kernels_;
  Calls& calls_;
  std::byte flip_;
};

/// An array command in two slices, then a vector command on its result.
StreamAssembler three_commands(const config::MachineConfig& config) {
  const int64_t lanes = config.datapath.lanes;
  std::vector<std::byte> weights(static_cast<size_t>(2 * lanes * lanes), std::byte{1});
  spec::MacCommand first = pointwise(config, 1, 4, 0, 1024, 2048, 4096);
  first.in_channels = 2 * lanes;
  first.input.pixel_pitch_bytes = first.input.row_pitch_bytes = 2 * lanes;
  first.last = false;
  spec::MacCommand second = first;
  second.weight_base += lanes * lanes;
  second.reduction_begin = lanes;
  second.reduction_end = 2 * lanes;
  second.first = false;
  second.last = true;
  StreamAssembler stream(config);
  stream.ramp(sram(0), 8 * lanes).data(sram(1024), weights).data(sram(2048), channel_parameters(lanes, -900, 1 << 30, 33));
  stream.add(first, 0, tokens({Queue::MacArray})).add(second, tokens({Queue::MacArray}), tokens({Queue::VectorUnit}));
  stream.add(vector_add(4096, 8192, 4 * lanes, 3), tokens({Queue::MacArray})).end();
  stream.output(sram(4096), 4 * lanes).output(sram(8192), 4 * lanes);
  return stream;
}

}  // namespace

TEST_CASE("Another datapath gives the values of every command, and no cycle differs") {
  const config::MachineConfig config = v256();
  StreamAssembler stream = three_commands(config);
  const JobResult expected = run(stream);
  require_done(expected);

  for (const std::byte flip : {std::byte{0}, std::byte{0x10}}) {
    Calls calls;
    Npu npu(config, std::make_unique<FlippingDatapath>(config, calls, flip));
    const JobResult result = run(npu, stream);
    require_done(result);
    CHECK(calls.mac == std::vector<int32_t>{0, 1});
    CHECK(calls.vector == std::vector<int32_t>{2});
    CHECK(calls.resets >= 1);
    CHECK(result.cycles == expected.cycles);
    for (int64_t i = 0; i < result.outputs[0].size(); ++i) {
      const auto array = static_cast<int8_t>(expected.outputs[0].at(i) ^ std::to_integer<int>(flip));
      REQUIRE(result.outputs[0].at(i) == array);
      // The vector unit reads what the datapath wrote, and its own result is changed, too.
      REQUIRE(result.outputs[1].at(i) == static_cast<int8_t>(static_cast<int8_t>(array + 3) ^ std::to_integer<int>(flip)));
    }
  }
}

TEST_CASE("A job without values asks no datapath") {
  const config::MachineConfig config = v256();
  StreamAssembler stream = three_commands(config);
  Calls calls;
  Npu npu(config, std::make_unique<FlippingDatapath>(config, calls, std::byte{0}));
  JobOptions options;
  options.values = false;
  require_done(run(npu, stream, options));
  CHECK(calls.mac.empty());
  CHECK(calls.vector.empty());
}
