// SPDX-License-Identifier: Apache-2.0
// A MAC command with one wrong bit in its sums or its weights.
#pragma once

#include "hw/spec/machine.hpp"
#include "sim/kernels/kernels.hpp"
#include "sim/mem/memory.hpp"
#include "sim/units/injection.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace vernier::units {

struct FaultyRun {
  std::optional<InjectedFault> injected;
  std::vector<int64_t> sums;  // kernels::SumsProbe::copy, with the fault
};

/// Runs the command with the fault. Where index or bit are not given, takes the first that change what the command leaves
/// behind, writes or kept accumulators: indices ascending, of each the bits from below the sign down. What was taken;
/// nothing when no fault of that kind changes anything, or a given one does not: then the command ran without it. SRAM is
/// left as it was.
FaultyRun run_mac_with_fault(const Injection& injection, const spec::MacCommand& command, const spec::Datapath& datapath,
                             mem::MemoryIf& sram, const kernels::TableMemory& tables, kernels::Accumulators& accumulators,
                             kernels::WriteSet& writes);

}  // namespace vernier::units
