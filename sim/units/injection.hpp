// SPDX-License-Identifier: Apache-2.0
// A fault that is put into a running machine on purpose: one bit, or one token.
#pragma once

#include <cstdint>
#include <optional>

namespace vernier::units {

enum class FaultSite : uint8_t {
  Accumulator,  // a sum, behind the last product and before bias and rescale; INDEX over [row][column][channel]
  Weight,       // a byte of the weights that a command reads, for that command alone; INDEX in its weights
  Sram,         // a byte of SRAM; INDEX is its address
  Command,      // a byte of the command stream; INDEX in the stream
  Token         // the next token that is given does not arrive; INDEX: of those, which
};

/// Of what is not given, a command on the array takes the lowest index and the highest bit below the sign that change what
/// it leaves.
struct Injection {
  FaultSite site = FaultSite::Accumulator;
  int64_t cycle = 0;
  int32_t command_idx =
      -1;  // Accumulator, Weight: the command that is on the array in that cycle; Command: whose byte it is
  std::optional<int64_t> index;  // Sram, Command, Token: given
  std::optional<int> bit;        // Sram, Command: given
};

/// What it was in the end.
struct InjectedFault {
  int64_t index = 0;
  int bit = 0;
  int32_t command_idx = -1;  // the command that was hit: on the array, in the stream, the giver of the token; -1: SRAM was
  bool operator==(const InjectedFault&) const = default;
};

}  // namespace vernier::units
