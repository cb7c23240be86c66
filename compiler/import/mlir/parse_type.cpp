// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/mlir/parser.hpp"

#include <array>
#include <cstdint>

namespace vernier::import::mlir {

namespace {

struct ElementName {
  std::string_view name;
  Element element;
};
constexpr std::array kElements{ElementName{"i1", Element::Bool},          ElementName{"i4", Element::Int4},
                               ElementName{"i8", Element::Int8},          ElementName{"i16", Element::Int16},
                               ElementName{"i32", Element::Int32},        ElementName{"i48", Element::Int48},
                               ElementName{"i64", Element::Int64},        ElementName{"index", Element::Index},
                               ElementName{"f32", Element::Float32},      ElementName{"f16", Element::Float16},
                               ElementName{"bf16", Element::BFloat16},    ElementName{"f8E4M3FN", Element::Float8E4M3},
                               ElementName{"f8E5M2", Element::Float8E5M2}};

}  // namespace

Type Parser::parse_type() {
  check_depth(++depth_);
  Type type;
  if (cursor_.take("!")) {
    const std::string_view name = cursor_.suffix();
    if (name == "tosa.shape") {
      cursor_.expect("<");
      type.kind = Type::Kind::Shape;
      type.element = Element::Index;
      const auto rank = cursor_.integer();
      if (!rank) cursor_.fail("expected the number of a shape's values, found {}", cursor_.found());
      type.dims = {*rank};
      cursor_.expect(">");
    } else if (name == "quant.uniform") {  // codes of that storage type: their scales say nothing to TOSA's operators
      cursor_.expect("<");
      type = parse_scalar();
      cursor_.skip_balanced();
      while (cursor_.take(",")) cursor_.skip_balanced();
      cursor_.expect(">");
    } else if (const auto alias = type_aliases_.find(name); alias != type_aliases_.end()) {
      const size_t back = cursor_.position();
      cursor_.move_to(alias->second);
      type = parse_type();
      charge_expansion(cursor_.position() - alias->second);
      cursor_.move_to(back);
    } else if (cursor_.take("<")) {
      cursor_.skip_balanced();
      while (cursor_.take(",")) cursor_.skip_balanced();
      cursor_.expect(">");
    }
  } else if (cursor_.take("tensor<")) {
    type = parse_tensor();
  } else {
    type = parse_scalar();
  }
  --depth_;
  return type;
}

Type Parser::parse_tensor() {
  std::vector<int64_t> dims;
  bool is_unranked = false;
  if (cursor_.take("*")) {
    is_unranked = true;
    cursor_.expect("x");
  }
  while (!is_unranked) {
    if (cursor_.take("?")) {
      dims.push_back(-1);
    } else if (const char c = cursor_.peek(); c >= '0' && c <= '9') {
      dims.push_back(cursor_.size());
      if (dims.back() > INT32_MAX) cursor_.fail("a dimension of {}, allowed are sizes up to {}", dims.back(), INT32_MAX);
    } else {
      break;
    }
    cursor_.expect("x");
  }
  Type type = parse_type();
  if (type.kind == Type::Kind::Scalar) type.kind = Type::Kind::Tensor;
  type.dims = std::move(dims);
  type.is_unranked = is_unranked;
  while (cursor_.take(",")) cursor_.skip_balanced();  // an encoding
  cursor_.expect(">");
  return type;
}

Type Parser::parse_scalar() {
  const size_t position = cursor_.position();
  std::string_view name = cursor_.word();
  if (name.empty()) cursor_.fail("expected a type, found {}", cursor_.found());
  const std::string_view given = name;
  if (name.starts_with("si") || name.starts_with("ui")) name.remove_prefix(1);
  for (const ElementName& element : kElements) {
    if (element.name != name) continue;
    Type type;
    type.kind = Type::Kind::Scalar;
    type.element = element.element;
    return type;
  }
  source_.fail(position, "'{}' is no type of a tensor's elements; allowed are i1, i4, i8, i16, i32, i48, index and floats",
               given);
}

std::vector<Type> Parser::parse_types() {
  std::vector<Type> types;
  if (!cursor_.take("(")) return {parse_type()};
  if (cursor_.take(")")) return types;
  do {
    types.push_back(parse_type());
  } while (cursor_.take(","));
  cursor_.expect(")");
  return types;
}

void Parser::parse_function_type(Operation& operation) {
  operation.operand_types = parse_types();
  cursor_.expect("->");
  operation.result_types = parse_types();
}

}  // namespace vernier::import::mlir
