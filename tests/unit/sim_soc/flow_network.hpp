// SPDX-License-Identifier: Apache-2.0
// A package with control flow whose streams do things that a few lines of C++ do too: they add to an array, count a byte
// down, and set a byte.
#pragma once

#include "hw/base/tensor.hpp"
#include "tests/support/flow_assembler.hpp"
#include "tests/unit/sim_soc/machine_fixture.hpp"

#include <array>
#include <map>
#include <string>
#include <utility>

namespace vernier::soc {

inline constexpr int64_t kFlowBytes = 0x100;
inline constexpr int64_t kFlowInput = 0x2'0000, kFlowOutput = 0x3'0000;  // in external memory
inline constexpr int64_t kFlowCounters = 0x8000;                         // in SRAM
inline constexpr int32_t kNumFlowCounters = 8;

inline base::Address counter(int32_t index) { return support::sram(kFlowCounters + index); }

/// What the streams of a FlowNetwork leave in memory.
struct FlowState {
  explicit FlowState(int first) {
    for (int64_t i = 0; i < kFlowBytes; ++i) data.push_back(static_cast<int8_t>(first + i));
  }
  void add(int value) {
    for (int8_t& one : data) one = static_cast<int8_t>(one + value);
  }
  std::vector<int8_t> data;
  std::array<int8_t, kNumFlowCounters> counters{};
};

inline base::Tensor flow_input(int first) {
  base::Tensor tensor(base::ElementType::Int8, {kFlowBytes});
  for (int64_t i = 0; i < kFlowBytes; ++i) tensor.set(i, static_cast<int8_t>(first + i));
  return tensor;
}

/// One byte of SRAM, minus 1.
inline spec::Command count_down_by_one(base::Address byte) {
  const auto at = static_cast<int64_t>(byte.offset);
  spec::Command command = support::vector_add(at, at, 1, 1);
  std::get<spec::VectorCommand>(command.body).steps[1].op = spec::VectorOp::Sub;
  return command;
}

class FlowNetwork : public support::FlowAssembler {
 public:
  explicit FlowNetwork(const config::MachineConfig& config = v256()) : FlowAssembler(config) {
    commands().input(support::external(kFlowInput), kFlowBytes).output(support::external(kFlowOutput), kFlowBytes);
    load_ = stream([](support::StreamAssembler& s) {
      s.layer("load").add(support::dma_copy(spec::Queue::Dma0, support::external(kFlowInput), support::sram(0), kFlowBytes));
      s.add(support::dma_fill(spec::Queue::Dma1, counter(0), kNumFlowCounters, 0));
    });
    store_ = stream([](support::StreamAssembler& s) {
      s.layer("store").add(
          support::dma_copy(spec::Queue::Dma1, support::sram(0), support::external(kFlowOutput), kFlowBytes));
    });
    most_commands(1'000'000);
  }
  FlowNetwork& load() { return runs(load_); }
  FlowNetwork& store() { return runs(store_); }
  FlowNetwork& add(int value) {
    return runs(made(fmt::format("add {}", value), [value](support::StreamAssembler& s) {
      s.layer("add").add(support::vector_add(0, 0, kFlowBytes, value));
    }));
  }
  FlowNetwork& count_down(int32_t index) {
    return runs(made(fmt::format("down {}", index),
                     [index](support::StreamAssembler& s) { s.layer("count").add(count_down_by_one(counter(index))); }));
  }
  FlowNetwork& set(int32_t index, int value) {
    return runs(made(fmt::format("set {} {}", index, value), [=](support::StreamAssembler& s) {
      s.layer("set").add(support::dma_fill(spec::Queue::Dma0, counter(index), 1, value));
    }));
  }
  FlowNetwork& runs(int32_t stream) {
    run(stream);
    return *this;
  }

  /// A stream that is there once, however often it runs.
  int32_t made(const std::string& name, const std::function<void(support::StreamAssembler&)>& add_commands) {
    if (const auto found = streams_.find(name); found != streams_.end()) return found->second;
    return streams_[name] = stream(add_commands);
  }

 private:
  int32_t load_ = 0, store_ = 0;
  std::map<std::string, int32_t> streams_;
};

inline void check_output(const JobResult& result, const FlowState& expected) {
  require_done(result);
  REQUIRE(result.outputs.size() == 1);
  int64_t num_wrong = 0;
  for (int64_t i = 0; i < kFlowBytes; ++i)
    num_wrong += result.outputs[0].at(i) != expected.data[static_cast<size_t>(i)] ? 1 : 0;
  CHECK(num_wrong == 0);
}

inline JobResult run_flow(Npu& npu, support::FlowAssembler& flow, int first = 5, const JobOptions& options = {}) {
  JobResult result = npu.run(flow.package(), {flow_input(first)}, options);
  if (!result.streams.empty()) check_sums(result);
  return result;
}

}  // namespace vernier::soc
