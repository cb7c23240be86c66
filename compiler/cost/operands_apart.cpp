// SPDX-License-Identifier: Apache-2.0
#include "compiler/cost/operands_apart.hpp"

#include "hw/base/division.hpp"
#include "hw/timing/access_pattern.hpp"

namespace vernier::cost {

spec::MacCommand operands_apart(spec::MacCommand command, const spec::Datapath& datapath) {
  constexpr int64_t kBanks = spec::kNumSramBanks;
  const int64_t word_bytes = datapath.word_bytes();
  const int64_t input = timing::bank_of(command.input.base, word_bytes);
  const auto move = [&](int64_t& address, int64_t banks_behind) {
    address += base::floor_mod(input + banks_behind - timing::bank_of(address, word_bytes), kBanks) * word_bytes;
  };
  move(command.output.base, kBanks / 2);
  move(command.weight_base, kBanks / 4);
  move(command.parameter_base, kBanks / 4);
  if (command.residual) move(command.addend.base, 3 * kBanks / 4);
  return command;
}

}  // namespace vernier::cost
