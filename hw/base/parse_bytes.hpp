// SPDX-License-Identifier: Apache-2.0
// Sizes as people write them.
#pragma once

#include <cstdint>
#include <string>

namespace vernier::base {

/// A size in bytes: 65536, 0x10000, 64e3, 64KB (1000 each), 64KiB (1024 each), also MB, MiB, GB, GiB; a fraction where that
/// is a whole number of bytes: 1.5KiB. UserError, of `subject`, for other text.
int64_t parse_bytes(const std::string& subject, const std::string& text);

}  // namespace vernier::base
