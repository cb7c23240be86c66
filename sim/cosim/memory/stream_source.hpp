// SPDX-License-Identifier: Apache-2.0
// Where the streams of a command on RTL come from.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

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

}  // namespace vernier::cosim
