// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/rtl/rtl_choice.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "sim/cosim/memory/stream_source.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace vernier::flow {

void check_rtl_choice(const RtlChoice& choice, bool has_wave) {
  if (choice.wave_memories && !has_wave)
    throw base::UserError("--wave-memories", "says what is in a wave, and there is no --wave");
  const auto& names = cosim::kStreamSourceNames;
  if (choice.memory && std::ranges::find(names, *choice.memory) == names.end())
    throw base::UserError("--rtl-memory", "'{}' is not one of {}", base::printable(*choice.memory), fmt::join(names, ", "));
  if (choice.strict_cycles && !choice.folder)
    throw base::UserError("--strict-cycles", "is for --rtl DIR: the cycles of our own RTL are always compared");
  if (choice.strict_cycles && choice.memory == "banked")
    throw base::UserError("--strict-cycles",
                          "cannot go with --rtl-memory banked: edges are compared with ideal and unlimited memories only");
}

}  // namespace vernier::flow
