// SPDX-License-Identifier: Apache-2.0
// The frame of a .vnpu file: magic, version, checksum, contents. The checksum is over everything but itself.
#pragma once

#include "hw/package/package.hpp"

#include <array>

namespace vernier::package::detail {

inline constexpr std::array<char, 4> kMagic{'V', 'N', 'P', 'U'};
inline constexpr size_t kVersionOffset = 4;
inline constexpr size_t kChecksumOffset = 8;
inline constexpr size_t kContentsOffset = 12;

uint32_t checksum_of(std::span<const std::byte> bytes);
/// Throws UserError naming `file` unless everything that from_bytes promises holds.
void check_contents(const std::string& file, const Package& package);

}  // namespace vernier::package::detail
