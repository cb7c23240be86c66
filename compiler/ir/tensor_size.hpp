// SPDX-License-Identifier: Apache-2.0
// Sizes of tensors whose shapes come from a file and may be absurd.
#pragma once

#include "hw/base/tensor.hpp"

#include <cstdint>
#include <optional>

namespace vernier::ir {

/// Bytes as stored in a base::Tensor; nothing when a dimension is negative or the product does not fit int64_t.
std::optional<int64_t> checked_size_bytes(base::ElementType type, const base::Shape& shape);

}  // namespace vernier::ir
