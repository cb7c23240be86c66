// SPDX-License-Identifier: Apache-2.0
// What npu_agu, and the SRAM of the test bench behind it, take more than the model says: fidelity_agu PRESET prints cycles.
//   slice of a convolution, of a depthwise command   npu_agu gets a slice of 3 x 3 taps that begins with the fifth, and one
//   of
//     7 x 7 that begins after N taps: the cycles by which its first beat comes after the command's issue, which is all that
//     the model charges (D-017)
//   last parameters   a fully connected command of one channel tile, with banks and ports: its cycles less the model's
//   (D-011) first words       the same of eight channel tiles, whose length the read port sets, less those of one (D-008)
// Exit code 77: the program was built without RTL.
#include "hw/config/machine_config.hpp"
#include "hw/spec/latency.hpp"
#include "hw/timing/unit_timing.hpp"
#include "tests/cosim/agu_bench.hpp"
#include "tests/cosim/array_commands.hpp"
#include "tests/fidelity/preset_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

using namespace vernier;

namespace {

constexpr int64_t kOutRows = 6, kOutColumns = 6;
constexpr int64_t kSteps = 8;  // of a fully connected command; its length does not matter (array_memory_test.cpp)

/// N channels from a dense map, no padding; the reduction is that of the taps from `first_tap` on.
spec::MacCommand slice(spec::MacMode mode, int64_t lanes, int64_t kernel, int64_t first_tap) {
  const int64_t elements_of_tap = mode == spec::MacMode::Conv ? lanes : 1;
  spec::MacCommand m;
  m.mode = mode;
  m.first = false;
  m.in_rows = kOutRows + kernel - 1;
  m.in_columns = kOutColumns + kernel - 1;
  m.in_channels = m.out_channels = lanes;
  m.kernel_rows = m.kernel_columns = kernel;
  m.reduction_begin = first_tap * elements_of_tap;
  m.reduction_end = kernel * kernel * elements_of_tap;
  m.out_rows = kOutRows;
  m.out_columns = kOutColumns;
  m.row_tile_rows = kOutRows * kOutColumns;
  m.input.pixel_pitch_bytes = m.input.block_pitch_bytes = m.output.pixel_pitch_bytes = m.output.block_pitch_bytes = lanes;
  m.input.row_pitch_bytes = m.in_columns * lanes;
  m.output.row_pitch_bytes = kOutColumns * lanes;
  return m;
}

int64_t late_cycles(int lanes, const spec::MacCommand& command) {
  cosim::Agu generators(lanes);
  generators.give(command);
  const int64_t given = generators.cycles();
  while (!generators.has_beat("act") && generators.cycles() - given < cosim::Agu::kHangCycles) generators.cycle();
  return std::max<int64_t>(generators.cycles() - given - spec::kIssueCycles, 0);
}

/// How many cycles more than the model's a fully connected command takes, alone, with banks and ports.
int64_t more_cycles(cosim::ArrayBench& bench, const config::MachineConfig& config, int64_t channel_tiles) {
  cosim::ArrayCommand command = cosim::fully_connected(config.datapath, kSteps, channel_tiles);
  const timing::Profile model = timing::profile(command.command, config);
  const int64_t cycles = bench.run(std::move(command));
  VERNIER_CHECK(bench.mismatch().empty(), "{}", bench.mismatch());
  return cycles - model.main.cycles - model.drain.cycles;
}

int measure(const std::string& preset) {
  const config::MachineConfig config = config::preset_config(preset, "preset");
  const int lanes = config.datapath.lanes;
  if (!cosim::make_rtl_block(spec::kAguBlock.name, lanes)) return fidelity::kSkipped;
  cosim::ArrayBench bench(lanes, true);
  const int64_t parameters = more_cycles(bench, config, 1);
  fmt::print("slice of a convolution {}\n", late_cycles(lanes, slice(spec::MacMode::Conv, lanes, 3, 4)));
  fmt::print("slice of a depthwise command {}\n", late_cycles(lanes, slice(spec::MacMode::Depthwise, lanes, 7, lanes)));
  fmt::print("last parameters {}\n", parameters);
  fmt::print("first words {}\n", more_cycles(bench, config, 8) - parameters);
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) { return fidelity::run_for_preset("fidelity_agu", argc, argv, &measure); }
