// SPDX-License-Identifier: Apache-2.0
// A network of a .tflite file, checked: every index is one of the file, every constant of numbers has the bytes of its
// shape.
#pragma once

#include "hw/base/element_type.hpp"
#include "hw/base/tensor.hpp"

#include "tflite_generated.h"
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vernier::import::lite {

inline constexpr int64_t kMostElements = int64_t{1} << 31;  // of a tensor

struct LiteTensor {
  std::string name;
  tflite::TensorType type = tflite::TensorType::INT8;
  base::Shape shape;
  base::Shape signature{};             // the shape with -1 where the file leaves a size open; empty: it says nothing
  std::vector<float> scales{};         // one, or one for each index of `axis`; empty: not quantized
  std::vector<int64_t> zero_points{};  // as many
  int64_t axis = 0;
  std::span<const std::byte> data;  // of a constant, little-endian
  bool is_constant = false;
  bool is_variable = false;  // keeps its value from one run to the next
  /// UINT8 in the file: codes, zero points and constants are less 128 here, and the type is INT8.
  bool is_unsigned = false;
  std::shared_ptr<const std::vector<std::byte>> own_data = nullptr;  // of an unsigned constant; one for each buffer
};

struct LiteOperator {
  int64_t number = 0;  // in the file
  std::string kind;    // its name in the format
  tflite::BuiltinOperator code = tflite::BuiltinOperator::CUSTOM;
  const tflite::Operator* source = nullptr;
  std::vector<int32_t> inputs, outputs;  // indices of tensors; -1: an input that is left out
  std::vector<int32_t> intermediates{};  // tensors whose scales a kernel uses, and nothing else of them
};

struct LiteNetwork {
  std::vector<LiteTensor> tensors;
  std::vector<LiteOperator> operators;
  std::vector<int32_t> inputs, outputs;
};

/// All subgraphs of a file, the first of which is the network; operators name the others by their index.
using LiteFile = std::vector<LiteNetwork>;

/// The name of a type of the format, "FLOAT32".
std::string to_string(tflite::TensorType type);
/// The integer type of the machine for it; none where it has none.
std::optional<base::ElementType> element_type_of(tflite::TensorType type);

/// The type as the file has it.
std::string type_in_file(const LiteTensor& tensor);

/// The part of a message that says which subgraphs an operator may run: all but the first.
std::string others_of(const LiteFile& file);

struct LiteFileRead {
  LiteFile file;
  std::vector<std::string> mistakes;  // of the file's structure: with any, kinds and types can be looked at, and no more
};
/// `file` names the file in mistakes. UserError for what is no file of the format. The result points into `bytes`.
LiteFileRead read_file(const std::string& file, std::span<const std::byte> bytes);

}  // namespace vernier::import::lite
