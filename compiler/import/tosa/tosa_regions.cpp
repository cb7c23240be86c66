// SPDX-License-Identifier: Apache-2.0
// The blocks that COND_IF and WHILE_LOOP run.
#include "compiler/import/tosa/tosa_edges.hpp"
#include "compiler/import/tosa/tosa_reader.hpp"

#include "tosa_generated.h"
#include <algorithm>

namespace vernier::import {
namespace {

/// The names of the regions that an operator runs; none for what is no control flow, or has no attributes.
std::vector<const flatbuffers::String*> regions_of(const tosa::TosaOperator& op) {
  if (const auto* cond_if = op.attribute_as_CondIfAttribute()) return {cond_if->then_graph(), cond_if->else_graph()};
  if (const auto* loop = op.attribute_as_WhileLoopAttribute()) return {loop->cond_graph(), loop->body_graph()};
  return {};
}

bool has_name(const flatbuffers::String* name, std::string_view wanted) {
  return name != nullptr && name->string_view() == wanted;
}

class RegionList {
 public:
  RegionList(const tosa::TosaGraph& graph, const tosa::TosaRegion& main_region) : graph_(graph), main_region_(main_region) {}

  std::vector<NamedBlock> run(const tosa::TosaBasicBlock& main) {
    add_regions_of(main);
    for (size_t i = 0; i < found_.size(); ++i) add_regions_of(*found_[i].block);
    return std::move(found_);
  }

 private:
  void add_regions_of(const tosa::TosaBasicBlock& block) {
    if (block.operators() == nullptr) return;
    for (const tosa::TosaOperator* op : *block.operators()) {
      for (const flatbuffers::String* name : regions_of(*op)) {
        if (name != nullptr) add(name->string_view());
      }
    }
  }

  void add(std::string_view name) {
    if (std::ranges::find(found_, name, &NamedBlock::name) != found_.end()) return;
    if (const tosa::TosaBasicBlock* block = find(name)) found_.push_back({std::string(name), block});
  }

  [[nodiscard]] const tosa::TosaBasicBlock* find(std::string_view name) const {
    for (const tosa::TosaRegion* region : *graph_.regions()) {
      if (has_name(region->name(), name) && region->blocks() != nullptr && region->blocks()->size() > 0)
        return region->blocks()->Get(0);
    }
    for (const tosa::TosaBasicBlock* block : *main_region_.blocks()) {
      if (has_name(block->name(), name)) return block;
    }
    return nullptr;
  }

  const tosa::TosaGraph& graph_;
  const tosa::TosaRegion& main_region_;
  std::vector<NamedBlock> found_;
};

}  // namespace

std::vector<NamedBlock> list_regions(const tosa::TosaGraph& graph, const tosa::TosaRegion& main_region,
                                     const tosa::TosaBasicBlock& main) {
  return RegionList(graph, main_region).run(main);
}

void read_regions(Source& source, const std::vector<NamedBlock>& blocks, VariableList& variables, ir::Graph& main) {
  const FloatEdges none;
  for (const NamedBlock& named : blocks) {
    ir::Region region{named.name, read_block(source, *named.block, none, variables, &main), {}};
    main.regions.push_back(std::move(region));
  }
}

}  // namespace vernier::import
