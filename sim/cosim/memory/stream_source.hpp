// SPDX-License-Identifier: Apache-2.0
// Where the streams of a command on RTL come from, and what was found out about their addresses.
#pragma once

#include "sim/cosim/lockstep/lock_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vernier::cosim {

/// Where the streams of commands on RTL come from.
enum class StreamSource : uint8_t {
  Ideal,      // memories of their own that never keep one waiting, in the order of hw/sequence
  Unlimited,  // npu_agu and an SRAM in which any word can be had in any cycle
  Banked,     // npu_agu and the machine's SRAM
};

inline constexpr std::array<std::string_view, 3> kStreamSourceNames{"ideal", "unlimited", "banked"};
/// The one of that name, which is one of these.
constexpr StreamSource stream_source_of(std::string_view name) {
  return static_cast<StreamSource>(std::ranges::find(kStreamSourceNames, name) - kStreamSourceNames.begin());
}

/// What the generators' addresses were against the sequence's.
struct MemoryFindings {
  int64_t beats = 0;
  int64_t mismatches = 0;
  std::vector<std::string> first_mismatches;
  void report(std::string text) {
    ++mismatches;
    if (first_mismatches.size() < kMost) first_mismatches.push_back("npu_agu, " + std::move(text));
  }
  /// As what a lock-step has found; the beats go on being counted.
  [[nodiscard]] LockStepResult take(const std::string& name) {
    LockStepResult taken;
    taken.mismatches = std::exchange(mismatches, 0);
    for (const std::string& text : std::exchange(first_mismatches, {}))
      taken.first_mismatches.push_back(fmt::format("{}, {}", name, text));
    return taken;
  }
  static constexpr size_t kMost = 10;
};

}  // namespace vernier::cosim
