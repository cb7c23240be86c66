// SPDX-License-Identifier: Apache-2.0
// How late the first activations of a slice of a reduction are (D-017). fidelity_agu PRESET gives npu_agu a slice of a
// convolution of 3 x 3 that begins with its fifth tap, and one of a depthwise command of 7 x 7 that begins after N taps. It
// prints for each the cycles by which its first beat comes after the command's issue, which is all that the model charges.
// Exit code 77: the program was built without RTL.
#include "hw/config/machine_config.hpp"
#include "hw/spec/latency.hpp"
#include "sim/cosim/memory/agu.hpp"
#include "tests/fidelity/preset_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

using namespace vernier;

namespace {

constexpr int64_t kOutRows = 6, kOutColumns = 6;

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

int measure(const std::string& preset) {
  const int lanes = config::preset_config(preset, "preset").datapath.lanes;
  if (!cosim::make_rtl_block(spec::kAguBlock.name, lanes)) return fidelity::kSkipped;
  fmt::print("slice of a convolution {}\n", late_cycles(lanes, slice(spec::MacMode::Conv, lanes, 3, 4)));
  fmt::print("slice of a depthwise command {}\n", late_cycles(lanes, slice(spec::MacMode::Depthwise, lanes, 7, lanes)));
  return EXIT_SUCCESS;
}

}  // namespace

// SystemC's library, which is among what is linked, asks for it.
extern "C" int sc_main(int /*argc*/, char** /*argv*/) { return 0; }

int main(int argc, char** argv) { return fidelity::run_for_preset("fidelity_agu", argc, argv, &measure); }
