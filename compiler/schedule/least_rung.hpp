// SPDX-License-Identifier: Apache-2.0
// The search for the least size of SRAM that plans fit into.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace vernier::schedule {

/// The least rung of `least_bytes` and more that is enough, `most_bytes` at most; nullopt where neither the first rung nor
/// `most_bytes` is. A rung below one that is too small may be enough, since plans do not grow evenly: the 16 rungs below
/// the one that is found are asked for, too.
std::optional<int64_t> least_rung(int64_t least_bytes, int64_t most_bytes, int64_t step_bytes,
                                  const std::function<bool(int64_t)>& is_enough);

}  // namespace vernier::schedule
