// SPDX-License-Identifier: Apache-2.0
// Latencies in cycles of what lies between a command's issue and its last write. None is free; a configuration may raise
// those outside the datapath (external memory), never lower these.
#pragma once

#include <cstdint>

namespace vernier::spec {

inline constexpr int64_t kSramReadLatencyCycles = 2;  // address to data at the unit
inline constexpr int64_t kMacPipelineCycles = 5;      // operand register, multiply, two adder stages, accumulate
inline constexpr int64_t kRescalePipelineCycles = 4;  // zero point, multiply (2), round and saturate
inline constexpr int64_t kTablePipelineCycles = 2;    // bank read, interpolate
inline constexpr int64_t kVectorSlotCycles = 3;       // each slot that a program uses in sequence: read, execute, write back
inline constexpr int64_t kIssueCycles = 16;    // from the command processor's dispatch to the earliest start in the unit
inline constexpr int64_t kDecodeCycles = 1;    // a command, after its last word has arrived
inline constexpr int64_t kTokenCycles = 2;     // from a command's end to the start of one that waits for its token
inline constexpr int64_t kTileSwapCycles = 1;  // shadow weight tile to active, when the array had to wait for the load
inline constexpr int64_t kLaneReductionStepCycles = 1;  // a level of the adder/compare tree across N lanes: log2 N of them
inline constexpr int64_t kIntDivCycles = 34;            // iterative divider, one quotient bit a cycle, a lane group at once
inline constexpr int64_t kDmaSetupCycles = 4;           // descriptor to first address

}  // namespace vernier::spec
