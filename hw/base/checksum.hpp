// SPDX-License-Identifier: Apache-2.0
// CRC-32 (zlib's polynomial) for packages and tensors, SHA-256 (FIPS 180-4) to name a file in a report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace vernier::base {

/// CRC-32 as zlib computes it; pass the result of one piece as `seed` of the next.
uint32_t crc32(std::span<const std::byte> bytes, uint32_t seed = 0);
/// 64 hexadecimal digits.
std::string sha256_hex(std::span<const std::byte> bytes);

}  // namespace vernier::base
