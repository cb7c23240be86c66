// SPDX-License-Identifier: Apache-2.0
// The values of dense<...> and dense_resource<...>. Internal to compiler/import/mlir.
#pragma once

#include "compiler/import/mlir/cursor.hpp"
#include "compiler/import/mlir/syntax.hpp"

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace tosa {
enum class DType : uint32_t;
}

namespace vernier::import::mlir {

/// TOSA's number of an element type; Index is SHAPE.
tosa::DType dtype_of(Element element);
/// "tensor<1x8xi8>", for messages.
std::string text_of(const Type& type);

class ConstantReader {
 public:
  /// `resources` are those of the module, whose views stay valid.
  ConstantReader(Source& source, const std::vector<std::pair<std::string, std::string_view>>& resources);

  /// The elements as a TOSA flatbuffer has them: little-endian, int4 two in a byte, int48 in six bytes, index in eight.
  /// Decimal floats of fewer than 32 bits have no meaning, because no operator takes them. UserError, with the place, for
  /// what is no dense value, a wrong number of elements, one that its type does not hold, and more bytes in all than 64
  /// times the text and 64 MiB.
  std::vector<uint8_t> read(const Attribute& attribute);

 private:
  void charge(size_t position, uint64_t bytes);

  Source& source_;
  std::map<std::string_view, std::string_view> resources_;
  uint64_t budget_bytes_;
};

}  // namespace vernier::import::mlir
