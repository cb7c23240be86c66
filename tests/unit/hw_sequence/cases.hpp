// SPDX-License-Identifier: Apache-2.0
// Random commands that the machine takes: package::check() decides.
#pragma once

#include "hw/package/command_codec.hpp"
#include "tests/unit/sim_kernels/mac_witness.hpp"

#include <algorithm>

namespace vernier::sequence {

using kernels::tests::MacCase;
using kernels::tests::Random;

inline bool is_legal(const MacCase& mac) {
  const spec::Command command{{spec::Queue::MacArray, 0, 0}, mac.command};
  return package::check(command, mac.datapath).fault == spec::FaultCode::None;
}

/// With row tiles of any length, tables of int8, and now and then the narrow port of v256-sram48.
inline MacCase legal_case(Random& random) {
  while (true) {
    MacCase mac = kernels::tests::random_mac_case(random);
    if (mac.datapath.lanes == 16 && random.chance(50)) mac.datapath = spec::find_preset("v256-sram48")->datapath;
    if (random.chance(60)) mac.command.row_tile_rows = random.range(1, spec::kAccumulatorRows);
    for (kernels::TableSlot& slot : mac.tables) slot.type = base::ElementType::Int8;
    if (is_legal(mac)) return mac;
  }
}

/// The command in slices of a few steps each, or the command alone where the accumulators of a slice would not fit.
inline std::vector<MacCase> slices_of(const MacCase& whole, Random& random) {
  std::vector<MacCase> slices;
  const int64_t reduction = whole.whole_reduction();
  for (int64_t begin = 0, end = 0; begin < reduction; begin = end) {
    end = std::min(begin + random.range(1, 3) * whole.datapath.lanes, reduction);
    MacCase& slice = slices.emplace_back();
    kernels::tests::take_slice(slice, whole, begin, end);
    if (!is_legal(slice)) return {whole};
  }
  return slices;
}

}  // namespace vernier::sequence
