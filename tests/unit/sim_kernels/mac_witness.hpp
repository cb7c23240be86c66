// SPDX-License-Identifier: Apache-2.0
// What a MAC command means, one output element at a time, from the text of hw/spec/command.hpp; and random commands with
// their weights packed by the rules of that text.
#pragma once

#include "hw/spec/command.hpp"
#include "tests/unit/sim_kernels/memory_image.hpp"
#include "tests/unit/sim_kernels/random.hpp"

#include <cstdint>
#include <vector>

namespace vernier::kernels::tests {

/// A command with the memory that it reads. Weights are kept apart as W(oc, r), too.
struct MacCase {
  spec::MacCommand command;
  spec::Datapath datapath{};
  std::vector<std::byte> sram;
  TableMemory tables;
  std::vector<int64_t> weights;  // [out_channels][whole reduction]

  [[nodiscard]] int64_t whole_reduction() const {
    const int64_t taps = command.kernel_rows * command.kernel_columns;
    return command.mode == spec::MacMode::Depthwise ? taps : taps * command.in_channels;
  }
};

MacCase random_mac_case(Random& random);
/// The slice [begin, end) of `whole`: its weights are packed anew behind everything else.
void take_slice(MacCase& slice, const MacCase& whole, int64_t begin, int64_t end);

/// Adds to accumulators [y][x][oc], in 48 bits.
void witness_accumulate(const MacCase& mac, std::vector<int64_t>& accumulators);
Image witness_epilogue(const MacCase& mac, const std::vector<int64_t>& accumulators);

}  // namespace vernier::kernels::tests
