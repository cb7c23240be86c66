// SPDX-License-Identifier: Apache-2.0
// TOSA flatbuffers in a few lines, good and bad ones.
#pragma once

#include "compiler/import/import.hpp"
#include "hw/base/error.hpp"
#include "tests/support/import_text.hpp"

#include "tosa_generated.h"
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace vernier::tests {

/// The members are there to be spoilt before bytes() or complaint().
struct TosaFileBuilder {
  tosa::TosaGraphT graph;

  TosaFileBuilder() {
    graph.version = std::make_unique<tosa::VersionT>();
    graph.version->_major = 1;
    graph.version->_minor = 0;
    graph.version->_patch = 0;
    graph.version->_draft = false;
    graph.regions.push_back(std::make_unique<tosa::TosaRegionT>());
    graph.regions[0]->name = "main";
    graph.regions[0]->blocks.push_back(std::make_unique<tosa::TosaBasicBlockT>());
    block().name = "main";
  }

  tosa::TosaBasicBlockT& block() { return *graph.regions[0]->blocks[0]; }

  tosa::TosaTensorT& tensor(const std::string& name, std::vector<int32_t> shape, tosa::DType type,
                            std::vector<uint8_t> data = {}) {
    auto result = std::make_unique<tosa::TosaTensorT>();
    result->name = name;
    result->shape = std::move(shape);
    result->type = type;
    result->data = std::move(data);
    block().tensors.push_back(std::move(result));
    return *block().tensors.back();
  }
  tosa::TosaTensorT& input(const std::string& name, std::vector<int32_t> shape, tosa::DType type) {
    block().inputs.push_back(name);
    return tensor(name, std::move(shape), type);
  }
  tosa::TosaOperatorT& op(tosa::Op kind, std::vector<std::string> inputs, std::vector<std::string> outputs) {
    auto result = std::make_unique<tosa::TosaOperatorT>();
    result->op = kind;
    result->inputs = std::move(inputs);
    result->outputs = std::move(outputs);
    block().operators.push_back(std::move(result));
    return *block().operators.back();
  }
  tosa::TosaTensorT& constant(const std::string& name, std::vector<int32_t> shape, tosa::DType type,
                              std::vector<uint8_t> data) {
    op(tosa::Op::CONST, {}, {name});
    return tensor(name, std::move(shape), type, std::move(data));
  }
  tosa::TosaShapeT& shape(const std::string& name, uint32_t rank, const std::vector<uint8_t>& values) {
    op(tosa::Op::CONST_SHAPE, {}, {name});
    auto result = std::make_unique<tosa::TosaShapeT>();
    result->name = name;
    result->rank = rank;
    for (const uint8_t value : values) {
      result->data.push_back(value);
      result->data.insert(result->data.end(), 7, 0);
    }
    block().shapes.push_back(std::move(result));
    return *block().shapes.back();
  }

  [[nodiscard]] std::vector<std::byte> bytes() const {
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(tosa::TosaGraph::Pack(builder, &graph), "TOSA");
    const auto* data = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
    return {data, data + builder.GetSize()};
  }
  [[nodiscard]] import::ImportResult result(const import::Options& options = {}) const {
    static tests::Recorded rows("tests/unit/compiler_import/recorded.txt");
    return tests::recorded(rows, import::import_network("f", bytes(), options));
  }
  [[nodiscard]] ir::Graph import(const ir::Level& level = ir::kLevel8k) const {
    import::ImportResult imported = result({.level = level});
    return import::take_graph(imported);
  }
  /// The UserError of importing it, "" when there is none.
  [[nodiscard]] std::string complaint(const ir::Level& level = ir::kLevel8k) const { return complaint_of(bytes(), level); }
  static std::string complaint_of(const std::vector<std::byte>& bytes, const ir::Level& level = ir::kLevel8k) {
    try {
      import::import_graph("f", bytes, level);
    } catch (const base::UserError& error) {
      return error.what();
    }
    return "";
  }
};

/// x int32[2, 3] -> ABS -> t -> CLZ -> y.
inline TosaFileBuilder two_operators() {
  TosaFileBuilder file;
  file.input("x", {2, 3}, tosa::DType::INT32);
  file.tensor("t", {2, 3}, tosa::DType::INT32);
  file.tensor("y", {2, 3}, tosa::DType::INT32);
  file.op(tosa::Op::ABS, {"x"}, {"t"});
  file.op(tosa::Op::CLZ, {"t"}, {"y"});
  file.block().outputs = {"y"};
  return file;
}

/// One operator with one operand and its result, of any type.
inline TosaFileBuilder one_operator(tosa::Op kind, std::vector<int32_t> shape, tosa::DType type) {
  TosaFileBuilder file;
  file.input("x", shape, type);
  file.tensor("y", std::move(shape), type);
  file.op(kind, {"x"}, {"y"});
  file.block().outputs = {"y"};
  return file;
}

}  // namespace vernier::tests
