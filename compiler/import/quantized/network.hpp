// SPDX-License-Identifier: Apache-2.0
// A float network with quantizers on its edges: what all quantized float formats become before they are lowered. Its
// operators are those of ONNX, by ONNX's names; nothing here knows how a file holds them.
#pragma once

#include "compiler/import/import_result.hpp"
#include "hw/base/tensor.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace vernier::import::quantized {

/// The type of an element. Integers have bits and a sign, floats are float32; truth values are integers of one bit.
struct NumberType {
  bool is_float = true;
  int32_t bits = 32;
  bool is_signed = true;
  bool operator==(const NumberType&) const = default;
};
/// Bits of truth values, which are no numbers: what comparisons give.
inline constexpr int32_t kBoolBits = 1;
/// As in messages: "float32", "uint8".
std::string to_string(const NumberType& type);

/// A value that the file gives. One of the two lists holds the elements, row-major.
struct Constant {
  NumberType type;
  base::Shape shape;
  std::vector<float> floats;
  std::vector<int64_t> integers;
  bool has_few_codes = false;  // from a quantizer that gives 16 at most, whatever the type holds
};

using Attribute = std::variant<int64_t, float, std::string, std::vector<int64_t>, std::vector<float>>;

struct Quantizer;  // value.hpp

/// An operator. Inputs and outputs are names of values; "" is one that is left out.
struct Node {
  std::string name;  // the file's, else its first output: never empty
  std::string kind;  // "Conv"; "DOMAIN.Conv" where the domain is not ONNX's own
  std::vector<std::string> inputs, outputs;
  std::map<std::string, Attribute> attributes;
  std::string source_kind = {};  // the file's operator where this node is a part of one that computes on codes
  std::shared_ptr<const Quantizer> quantizer = nullptr;  // of kind "Encoding", which no file can write
};

/// An input or output of the network. A dimension of -1 is open; outputs have no shape.
struct End {
  std::string name;
  NumberType type;
  base::Shape shape;
  std::string annotation = "";                       // FINN's name of its data type, where the file has one
  std::optional<InputFormat> format = std::nullopt;  // of an input of floats that no node quantizes
};

struct Network {
  int64_t opset = 0;        // of ONNX's own domain
  std::vector<Node> nodes;  // each after those that it reads; every value has one producer
  std::map<std::string, Constant> constants;
  std::vector<End> inputs, outputs;
};

}  // namespace vernier::import::quantized
