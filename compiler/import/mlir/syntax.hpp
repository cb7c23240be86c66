// SPDX-License-Identifier: Apache-2.0
// What MLIR text says, before any of it is understood: operations with their operands, attributes and regions. Views point
// into the text. Internal to compiler/import/mlir.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vernier::import::mlir {

/// The element of a tensor. Integers are signless: "i8", "si8" and "ui8" are one type here, because TOSA says with an
/// operator's attributes what is unsigned.
enum class Element : uint8_t {
  Bool,
  Int4,
  Int8,
  Int16,
  Int32,
  Int48,
  Int64,
  Index,
  Float32,
  Float16,
  BFloat16,
  Float8E4M3,
  Float8E5M2
};

struct Type {
  enum class Kind : uint8_t { Tensor, Shape, Scalar, Other };
  Kind kind = Kind::Other;
  Element element = Element::Int8;
  std::vector<int64_t> dims;  // of a tensor, -1 where open; of !tosa.shape<N>: N
  bool is_unranked = false;
  bool operator==(const Type&) const = default;
};

/// dense<BODY> : TYPE or dense_resource<NAME> : TYPE.
struct Dense {
  std::string_view body;
  bool is_resource = false;
  Type type;
};

struct NamedAttribute;
using Dictionary = std::vector<NamedAttribute>;

struct Attribute {
  enum class Kind : uint8_t { Integer, Boolean, String, Word, Symbol, Integers, Dense, Type, Map, Array, Other };
  Kind kind = Kind::Other;
  size_t position = 0;
  int64_t integer = 0;            // Integer; Boolean: 0 or 1
  std::string text;               // String, Symbol; Word: also the one of #tosa.rounding_mode<WORD>
  std::vector<int64_t> integers;  // array<i64: ...>
  Dense dense;
  Type type;
  Dictionary entries;            // Map
  std::vector<Attribute> items;  // Array
};

struct NamedAttribute {
  std::string name;
  Attribute value;
};

/// %NAME#NUMBER, where it is read.
struct Use {
  std::string_view name;
  int64_t number = 0;
  size_t position = 0;
};

struct Argument {
  std::string_view name;
  size_t position = 0;
  Type type;
  Dictionary attributes;
};

/// A name of results: %NAME, or %NAME:COUNT, whose results are %NAME#0 and so on.
struct ResultName {
  std::string_view name;
  int64_t count = 1;
};

struct Operation;
struct Region {
  std::vector<Argument> arguments;
  std::vector<Operation> operations;
};

struct Operation {
  std::string name;  // "tosa.conv2d"
  size_t position = 0;
  std::vector<ResultName> results;  // %NAME:COUNT, ... =
  std::vector<Use> operands;
  Dictionary attributes;  // properties too
  std::vector<Region> regions;
  std::vector<Type> operand_types, result_types;
  size_t location = 0;                          // where loc(...) begins in the text; 0: none
  std::vector<Dictionary> result_attributes{};  // of a func.func
};

/// The whole text.
struct Module {
  Dictionary attributes;
  std::vector<Operation> operations;                                  // functions and variables
  std::vector<std::pair<std::string_view, size_t>> location_aliases;  // "loc3", where its loc(...) begins
  std::vector<std::pair<std::string, std::string_view>> resources;    // name, hexadecimal digits with "0x"
};

const Attribute* find(const Dictionary& dictionary, std::string_view name);

}  // namespace vernier::import::mlir
