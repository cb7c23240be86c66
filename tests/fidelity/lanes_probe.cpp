// SPDX-License-Identifier: Apache-2.0
// How far the rule of rates is from RTL where the array and the vector unit share lanes: fidelity_lanes PRESET runs pairs of
// a command of the array and one of the vector unit that begin in one cycle, and compares the end of the vector command by
// timing::InFlight with its end on npu_core (D-021). It prints the number of pairs and, of the differences in percent of the
// end on RTL, without their sign, the mean and the largest. Exit code 77: the program was built without RTL.
//
// Both see the same two commands with nothing else in the way. RTL has a memory for each stream, so that the phases of the
// model are as long as the datapath needs, and ask for lanes alone. The array is a convolution of 1 x 1 or 3 x 3, one with
// a table, a depthwise one, and one with a residual operand, with and without a table: epilogues of 1 and 4 cycles for a
// row. The vector unit uses the rescale lanes in each cycle, the table lanes in each cycle, or adds two tensors of int8 with
// three rescales and a look-up for each vector. Vector commands are a quarter as long as the array's command, half as long,
// as long and twice as long. Pairs in which the vector command is as fast as alone, by both, are left out. Each pair has a
// line on the standard error.
#include "hw/config/machine_config.hpp"
#include "hw/spec/vector_schedule.hpp"
#include "hw/timing/in_flight.hpp"
#include "hw/timing/unit_timing.hpp"
#include "sim/cosim/lockstep/core_lock_step.hpp"
#include "tests/fidelity/preset_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

using namespace vernier;
using spec::MacCommand;
using spec::VectorCommand;
using spec::VectorOp;
using spec::VectorStep;

namespace {

constexpr uint64_t kSeed = 1;
constexpr std::array kLanes{timing::Resource::RescaleLanes, timing::Resource::TableLanes};
constexpr int64_t kMapRows = 12, kMapColumns = 12;  // 144 rows of results: row tiles of 64, 64 and 16
enum class Epilogue : uint8_t { Rescale, Table, Residual, ResidualTable };

/// `channels` to `out_channels`, `kernel` x `kernel` without padding, dense maps after each other in memory.
cosim::Work array_command(int64_t lanes, spec::MacMode mode, int64_t kernel, int64_t channels, int64_t out_channels,
                          Epilogue epilogue) {
  cosim::Work array(spec::MacCommand{});
  MacCommand& m = array.mac();
  const auto map = [&](spec::FeatureMap& of, int64_t columns, int64_t map_channels) {
    of.pixel_pitch_bytes = map_channels;
    of.row_pitch_bytes = columns * map_channels;
    of.block_pitch_bytes = lanes;
  };
  const auto place = [&](int64_t bytes) {
    const auto at = static_cast<int64_t>(array.bytes.size());
    array.bytes.resize(static_cast<size_t>((at + bytes + lanes - 1) / lanes * lanes));
    return at;
  };
  m.mode = mode;
  m.kernel_rows = m.kernel_columns = kernel;
  m.out_rows = kMapRows;
  m.out_columns = kMapColumns;
  m.in_rows = kMapRows + kernel - 1;
  m.in_columns = kMapColumns + kernel - 1;
  m.in_channels = channels;
  m.out_channels = out_channels;
  m.reduction_end = kernel * kernel * (mode == spec::MacMode::Depthwise ? 1 : channels);
  map(m.input, m.in_columns, channels);
  map(m.output, m.out_columns, out_channels);
  m.input.base = place(m.in_rows * m.input.row_pitch_bytes);
  m.weight_base = place(out_channels * (m.reduction_end + lanes));
  m.parameter_base = place(out_channels * spec::kChannelParameterBytes);
  m.rescale = true;
  m.clamp_min = -128;
  m.clamp_max = 127;
  m.table = epilogue == Epilogue::Table || epilogue == Epilogue::ResidualTable;
  if (epilogue == Epilogue::Residual || epilogue == Epilogue::ResidualTable) {
    m.residual = true;
    m.addend = m.output;
    m.addend.base = place(m.out_rows * m.output.row_pitch_bytes);
    m.own_scale = m.addend_scale = {1 << 30, 11};
    m.sum_scale = {1 << 30, 50};
    m.sum_clamp_min = -128;
    m.sum_clamp_max = 127;
  }
  for (size_t i = 0; i < array.bytes.size(); ++i) array.bytes[i] = static_cast<std::byte>(i * 7 + i / 251);
  for (int64_t channel = 0; channel < out_channels; ++channel) {
    std::byte* parameters = array.bytes.data() + m.parameter_base + channel * spec::kChannelParameterBytes;
    parameters[7] &= std::byte{0x7f};  // multipliers are not negative
    parameters[8] = std::byte{38};
  }
  return array;
}

VectorStep step(VectorOp op, int64_t dst, int64_t a = 0, int64_t stream = 0) {
  VectorStep result;
  result.op = op;
  result.dst = dst;
  result.a = a;
  result.stream = stream;
  return result;
}

VectorStep rescale(int64_t dst, int64_t a) {
  VectorStep result = step(VectorOp::Rescale, dst, a);
  result.b_is_immediate = true;
  result.type = base::ElementType::Int8;
  result.shift = 31;
  result.imm0 = 1 << 30;
  return result;
}

VectorStep look_up(int64_t dst, int64_t a) {
  VectorStep result = step(VectorOp::Table, dst, a);
  result.type = base::ElementType::Int8;
  return result;
}

VectorStep add(int64_t dst, int64_t a, int64_t b) {
  VectorStep result = step(VectorOp::Add, dst, a);
  result.b = b;
  return result;
}

/// Steps over `vectors` vectors of int8: streams 0 and 1 are read, 2 is written.
cosim::Work vector_job(const spec::Datapath& datapath, int64_t vectors, std::vector<VectorStep> steps) {
  cosim::Work job(spec::VectorCommand{});
  job.vector().lanes = vectors * datapath.lanes;
  for (int64_t i = 0; i < 3; ++i) job.vector().streams.push_back({.base = i * job.vector().lanes});
  job.vector().steps = std::move(steps);
  VERNIER_CHECK(spec::schedule(job.vector(), datapath), "a program of {} steps has no schedule", job.vector().steps.size());
  for (int64_t i = 0; i < 3 * job.vector().lanes; ++i) job.bytes.push_back(static_cast<std::byte>(i * 5 + i / 256));
  return job;
}

/// The phase on a datapath that no port keeps waiting: it asks for lanes alone.
timing::Phase on_datapath(const timing::Phase& phase) {
  timing::Phase alone;
  alone.cycles = alone.busy_cycles = alone.datapath_cycles = phase.datapath_cycles;
  // What ports cost here are the first parameters, before all rows.
  alone.lead_cycles = std::clamp<int64_t>(phase.lead_cycles - (phase.cycles - alone.cycles), 0, alone.cycles);
  for (const timing::Resource lanes : kLanes) {
    alone.demand[static_cast<size_t>(lanes)] = phase.demand[static_cast<size_t>(lanes)];
  }
  return alone;
}

/// When the vector command ends by the rule of rates.
int64_t end_by_model(const MacCommand& mac, const VectorCommand& vector, const config::MachineConfig& config) {
  const timing::Profile array = timing::profile(mac, config);
  timing::Capacities capacities;
  capacities.per_cycle.fill(base::Ratio(1));
  timing::InFlight in_flight(capacities);
  const int32_t main = in_flight.start(on_datapath(array.main), timing::Priority::MacMain, 0);
  const int32_t slowed = in_flight.start(on_datapath(timing::profile(vector, config).main), timing::Priority::VectorUnit, 0);
  while (const auto change = in_flight.next_change()) {
    for (const timing::Ended& ended : in_flight.advance(*change)) {
      if (ended.id == slowed) return ended.end;
      if (ended.id == main) in_flight.start(on_datapath(array.drain), timing::Priority::MacDrain, *change);
    }
  }
  VERNIER_CHECK(false, "the vector command does not end");
}

/// When it ends on RTL: it takes as long as alone, and the cycles in which it stands still.
int64_t end_on_rtl(cosim::ClockedBlock& core, const cosim::Work& array, const cosim::Work& job,
                   const config::MachineConfig& config) {
  cosim::CoreLockStep lock_step(core, config.datapath, {.seed = kSeed});
  lock_step.run_sequences({array}, {job});
  const cosim::LockStepResult result = lock_step.result();
  VERNIER_CHECK(result.mismatches == 0, "{}", result.first_text());
  return timing::profile(job.vector(), config).main.datapath_cycles + lock_step.vector_waits();
}

int measure(const std::string& preset) {
  const config::MachineConfig config = config::preset_config(preset, "preset");
  const int lanes = config.datapath.lanes;
  auto block = cosim::make_rtl_block("npu_core", lanes);
  if (!block) return fidelity::kSkipped;
  cosim::ClockedBlock core(std::move(block), *spec::rtl_block_of_unit("core"), lanes);
  using enum spec::MacMode;
  const std::vector<cosim::Work> arrays{array_command(lanes, Conv, 1, 2 * lanes, 2 * lanes, Epilogue::Rescale),
                                        array_command(lanes, Conv, 1, 2 * lanes, 2 * lanes, Epilogue::Table),
                                        array_command(lanes, Conv, 3, lanes, lanes, Epilogue::Rescale),
                                        array_command(lanes, Depthwise, 3, 2 * lanes, 2 * lanes, Epilogue::Rescale),
                                        array_command(lanes, Conv, 1, 2 * lanes, lanes, Epilogue::Residual),
                                        array_command(lanes, Conv, 3, lanes, lanes, Epilogue::ResidualTable)};
  const std::vector<std::vector<VectorStep>> programs{
      {step(VectorOp::Load, 0), rescale(0, 0), step(VectorOp::Store, 0, 0, 2)},
      {step(VectorOp::Load, 0), look_up(0, 0), step(VectorOp::Store, 0, 0, 2)},
      {step(VectorOp::Load, 0), step(VectorOp::Load, 1, 0, 1), rescale(0, 0), rescale(1, 1), add(0, 0, 1), rescale(0, 0),
       look_up(0, 0), step(VectorOp::Store, 0, 0, 2)}};
  double sum = 0, largest = 0;
  int num_pairs = 0;
  for (const cosim::Work& array : arrays) {
    const timing::Profile profile = timing::profile(array.mac(), config);
    const int64_t array_cycles = profile.main.datapath_cycles + profile.drain.datapath_cycles;
    for (const std::vector<VectorStep>& program : programs) {
      const int64_t interval = vector_job(config.datapath, 1, program).vector().interval;
      for (const int64_t quarters : {1, 2, 4, 8}) {
        const cosim::Work job = vector_job(config.datapath, array_cycles * quarters / (4 * interval), program);
        const int64_t model = end_by_model(array.mac(), job.vector(), config);
        const int64_t rtl = end_on_rtl(core, array, job, config);
        const int64_t alone = timing::profile(job.vector(), config).main.datapath_cycles;
        if (model == alone && rtl == alone) continue;
        const double percent = 100.0 * static_cast<double>(std::abs(model - rtl)) / static_cast<double>(rtl);
        fmt::print(stderr, "{}: array {} cycles, vector unit alone {}, model {}, RTL {}: {:+.2f} %\n", preset, array_cycles,
                   alone, model, rtl, model < rtl ? -percent : percent);
        sum += percent;
        largest = std::max(largest, percent);
        ++num_pairs;
      }
    }
  }
  fmt::print("pairs {}\nmean {:.2f}\nlargest {:.2f}\n", num_pairs, sum / num_pairs, largest);
  return EXIT_SUCCESS;
}

}  // namespace

// SystemC's library, which is among what is linked, asks for it.
extern "C" int sc_main(int /*argc*/, char** /*argv*/) { return 0; }

int main(int argc, char** argv) { return fidelity::run_for_preset("fidelity_lanes", argc, argv, &measure); }
