// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/tensor_size.hpp"

namespace vernier::ir {

std::optional<int64_t> checked_size_bytes(base::ElementType type, const base::Shape& shape) {
  int64_t product = base::stored_bytes(type);
  for (const int64_t dim : shape) {
    if (dim < 0 || __builtin_mul_overflow(product, dim, &product)) return std::nullopt;
  }
  return product;
}

}  // namespace vernier::ir
