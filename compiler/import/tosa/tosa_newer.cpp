// SPDX-License-Identifier: Apache-2.0
// What TOSA 1.1 has added to the file: operators, element types, block scales and the bits that say what a reader needs.
#include "compiler/import/tosa/tosa_reader.hpp"

#include <fmt/ranges.h>

#include "tosa_generated.h"
#include <set>

namespace vernier::import {

namespace {

using Names = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>;

class NewerParts {
 public:
  void add_operators(const tosa::TosaBasicBlock& block) {
    if (block.operators() == nullptr) return;
    std::set<tosa::Op> found;
    for (const tosa::TosaOperator* op : *block.operators()) {
      const auto number = static_cast<uint32_t>(op->op());
      if (number > ir::kNumOpKinds && number <= static_cast<uint32_t>(tosa::Op::MAX)) found.insert(op->op());
    }
    std::vector<std::string> names;
    for (const tosa::Op op : found) names.emplace_back(tosa::EnumNameOp(op));
    add(names, "operator", "operators");
  }

  void add_tensors(const tosa::TosaBasicBlock& block) {
    if (block.tensors() == nullptr) return;
    const std::set<std::string_view> used = used_names(block);
    std::set<tosa::DType> types;
    std::set<std::string> scales;
    for (const tosa::TosaTensor* tensor : *block.tensors()) {
      if (tensor->name() == nullptr || !used.contains(tensor->name()->string_view())) continue;
      if (tensor->type() > kLastType1p0 && tensor->type() <= tosa::DType::MAX) types.insert(tensor->type());
      if (has_scales(*tensor)) scales.insert(scale_text(*tensor));
    }
    std::vector<std::string> names;
    for (const tosa::DType type : types) names.emplace_back(tosa::EnumNameDType(type));
    add(names, "type", "types");
    add({scales.begin(), scales.end()}, "scale form", "scale forms");
  }

  void add_features(const tosa::TosaGraph& graph) {
    if (graph.compatibility() == nullptr) return;
    std::vector<std::string> names;
    for (uint32_t bit = 0; bit < 64; ++bit) {
      if ((graph.compatibility()->features() >> bit & 1) == 0) continue;
      const bool is_known = bit == static_cast<uint32_t>(tosa::CompatibilityFeature::MXFP);
      names.push_back(is_known ? "MXFP" : fmt::format("bit {}", bit));
    }
    add(names, "compatibility feature", "compatibility features");
  }

  /// "operators DIM, MATMUL_T; type INT64"; "" where there is nothing.
  [[nodiscard]] std::string text() const { return fmt::format("{}", fmt::join(parts_, "; ")); }

 private:
  static constexpr tosa::DType kLastType1p0 = tosa::DType::FP8E5M2;

  void add(const std::vector<std::string>& names, std::string_view one, std::string_view several) {
    if (!names.empty()) parts_.push_back(fmt::format("{} {}", names.size() == 1 ? one : several, fmt::join(names, ", ")));
  }

  static std::set<std::string_view> used_names(const tosa::TosaBasicBlock& block) {
    std::set<std::string_view> used;
    const auto insert = [&used](const Names* names) {
      if (names == nullptr) return;
      for (const auto* name : *names) used.insert(name->string_view());
    };
    insert(block.inputs());
    if (block.operators() == nullptr) return used;
    for (const tosa::TosaOperator* op : *block.operators()) {
      insert(op->inputs());
      insert(op->outputs());
    }
    return used;
  }

  static bool has_scales(const tosa::TosaTensor& tensor) {
    const bool has_data = tensor.scale_data() != nullptr && tensor.scale_data()->size() > 0;
    return tensor.scale_type() != tosa::DType::UNKNOWN || has_data || tensor.block_shape() != tosa::BlockShape::UNKNOWN ||
           tensor.scale_offset() > 1 || tensor.scale_size() > 0;
  }

  /// "FP8UE8M0 in blocks of 32"
  static std::string scale_text(const tosa::TosaTensor& tensor) {
    const bool is_known = tensor.scale_type() <= tosa::DType::MAX;
    const std::string type = is_known ? tosa::EnumNameDType(tensor.scale_type())
                                      : fmt::format("type number {}", static_cast<uint32_t>(tensor.scale_type()));
    return fmt::format("{} in blocks of {}", type, static_cast<uint32_t>(tensor.block_shape()));
  }

  std::vector<std::string> parts_;
};

}  // namespace

std::string newer_parts(const tosa::TosaGraph& graph, const std::vector<const tosa::TosaBasicBlock*>& blocks) {
  NewerParts parts;
  for (const tosa::TosaBasicBlock* block : blocks) {
    parts.add_operators(*block);
    parts.add_tensors(*block);
  }
  parts.add_features(graph);
  return parts.text();
}

}  // namespace vernier::import
