// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/aimet/encodings.hpp"

#include <fmt/format.h>

namespace vernier::import::aimet {

Symmetry symmetry_of(const Encoding& encoding, const Grid& grid) {
  if (!encoding.is_symmetric) return Symmetry::Asymmetric;
  if (grid.offset == 0) return Symmetry::UnsignedSymmetric;
  const bool is_strict = grid.offset == 1 - num_codes(encoding.bits) / 2;
  return is_strict ? Symmetry::StrictSymmetric : Symmetry::Symmetric;
}

int64_t last_code(const Encoding& encoding, const Grid& grid) {
  const bool is_strict = symmetry_of(encoding, grid) == Symmetry::StrictSymmetric;
  return num_codes(encoding.bits) - (is_strict ? 2 : 1);
}

std::optional<std::string> refusal_of(const Encoding& encoding) {
  if (encoding.dtype == DataType::Integer) return std::nullopt;
  return fmt::format("dtype is float ({} bits), which an integer machine does not compute; allowed is int", encoding.bits);
}

}  // namespace vernier::import::aimet
