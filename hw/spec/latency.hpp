// SPDX-License-Identifier: Apache-2.0
// Latencies in cycles of what lies between a command's issue and its last write. None is free; a configuration may raise
// those outside the datapath (external memory), never lower these.
#pragma once

#include <cstdint>

namespace vernier::spec {

/// Address to data at the unit [decision 0018].
inline constexpr int64_t kSramReadLatencyCycles = 2;
/// Operand register, multiply, two adder stages, accumulate [decision 0010; RTL hw/rtl/npu_mac_lane.sv].
inline constexpr int64_t kMacPipelineCycles = 5;
/// Zero point, multiply (2), round and saturate [decision 0010; measured on RTL, tests/cosim/rtl_test.cpp].
inline constexpr int64_t kRescalePipelineCycles = 4;
/// Bank read, interpolate [decision 0010; measured on RTL, tests/cosim/rtl_test.cpp].
inline constexpr int64_t kTablePipelineCycles = 2;
/// Each slot that a program uses in sequence: read, execute, write back [decision 0018; measured on RTL,
/// tests/cosim/vector_test.cpp].
inline constexpr int64_t kVectorSlotCycles = 3;
/// From the command processor's dispatch to the earliest start in the unit [decision 0002].
inline constexpr int64_t kIssueCycles = 16;
/// A command, after its last word has arrived [decision 0018].
inline constexpr int64_t kDecodeCycles = 1;
/// From a command's end to the start of one that waits for its token [decision 0018].
inline constexpr int64_t kTokenCycles = 2;
/// Shadow weight tile to active, when the array had to wait for the load [decision 0002; measured on RTL,
/// tests/cosim/array_test.cpp].
inline constexpr int64_t kTileSwapCycles = 1;
/// A level of the adder/compare tree across N lanes, log2 N of them [decision 0018; measured on RTL,
/// tests/cosim/vector_test.cpp].
inline constexpr int64_t kLaneReductionStepCycles = 1;
/// Iterative divider, one quotient bit a cycle, a lane group at once [decision 0018; RTL hw/rtl/npu_vector_divider.sv].
inline constexpr int64_t kIntDivCycles = 34;
/// Descriptor to first address [decision 0018].
inline constexpr int64_t kDmaSetupCycles = 4;

}  // namespace vernier::spec
