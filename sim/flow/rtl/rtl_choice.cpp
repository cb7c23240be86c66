// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/rtl/rtl_choice.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "sim/cosim/memory/stream_source.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace vernier::flow {

namespace {

constexpr std::array<std::string_view, 2> kScopes{"command", "core"};

void check_scope(const RtlChoice& choice, bool has_wave) {
  if (!choice.scope) return;
  if (std::ranges::find(kScopes, *choice.scope) == kScopes.end())
    throw base::UserError("--rtl-scope", "'{}' is not one of {}", base::printable(*choice.scope), fmt::join(kScopes, ", "));
  if (!has_core_scope(choice)) return;
  const auto refuse = [](const char* option, const char* why) {
    throw base::UserError(option, "cannot go with --rtl-scope core{}; allowed with scope 'command'", why);
  };
  if (choice.memory) refuse("--rtl-memory", ", which has its own SRAM");
  if (choice.folder) refuse("--rtl", ", which runs on this program's RTL");
  if (choice.wave_memories || has_wave) refuse("--wave", ", whose signals are not drawn");
}

}  // namespace

void check_rtl_choice(const RtlChoice& choice, bool has_wave) {
  check_scope(choice, has_wave);
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
