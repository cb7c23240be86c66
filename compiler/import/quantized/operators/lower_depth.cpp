// SPDX-License-Identifier: Apache-2.0
// DepthToSpace and SpaceToDepth: blocks of pixels to channels and back, as RESHAPE and TRANSPOSE of the image.
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/nodes/windows.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

namespace vernier::import::quantized {

namespace {

/// The image seen with dimensions `from`, permuted, seen as `to`.
void lower_blocks(Lowering& lowering, const Node& node, Value value, const base::Shape& from,
                  const std::vector<int64_t>& perms, const base::Shape& to) {
  GraphBuilder& graph = lowering.graph;
  const ir::TensorId image = lowering.in_order(value, kImageOrder);
  const base::ElementType type = graph.tensor(image).type;
  const auto reshaped = [&](ir::TensorId tensor, const base::Shape& shape, const std::string& name) {
    return graph.add(ir::OpKind::Reshape, {}, {tensor, graph.add_shape(shape)}, {type, shape, name}, node.name);
  };
  const ir::TensorId blocks = reshaped(image, from, node.outputs.at(0) + "_blocks");
  const ir::TensorId moved = graph.add(ir::OpKind::Transpose, ir::TransposeAttributes{perms}, {blocks},
                                       {type, shape_in_order(from, perms), node.outputs[0] + "_moved"}, node.name);
  value.tensor = reshaped(moved, to, node.outputs[0]);
  value.order = kImageOrder;
  value.shape = {to[0], to[3], to[1], to[2]};
  value.layer = node.name;
  lowering.define(node, std::move(value));
}

}  // namespace

int64_t block_of(const Node& node, const base::Shape& shape) {
  const int64_t block = int_of(node, "blocksize", 0);
  if (shape.size() != 4) refuse("an input of shape {}, allowed is rank 4", base::to_string(shape));
  if (block < 1 || block > kMostElements) refuse("attribute blocksize is {}, expected a number from 1", block);
  const int64_t c = shape[1], h = shape[2], w = shape[3];
  const bool is_to_space = node.kind == "DepthToSpace";
  if (is_to_space && (block > c || c % (block * block) != 0))
    refuse("{} channels do not make blocks of {} by {}", c, block, block);
  if (!is_to_space && (h % block != 0 || w % block != 0))
    refuse("an image of {} by {} does not consist of blocks of {} by {}", h, w, block, block);
  const std::string mode = string_of(node, "mode", "DCR");
  if (mode != "DCR" && (mode != "CRD" || !is_to_space))
    refuse("attribute mode is '{}', allowed {}", mode, is_to_space ? "are DCR and CRD" : "is DCR");
  return block;
}

void lower_depth_to_space(Lowering& lowering, const Node& node) {
  const Value value = lowering.moved_codes(node, 0);
  const int64_t block = block_of(node, value.shape);
  const int64_t n = value.shape[0], c = value.shape[1], h = value.shape[2], w = value.shape[3];
  const int64_t rest = c / (block * block);
  const base::Shape to{n, h * block, w * block, rest};
  if (string_of(node, "mode", "DCR") == "DCR")
    return lower_blocks(lowering, node, value, {n, h, w, block, block, rest}, {0, 1, 3, 2, 4, 5}, to);
  lower_blocks(lowering, node, value, {n, h, w, rest, block, block}, {0, 1, 4, 2, 5, 3}, to);
}

void lower_space_to_depth(Lowering& lowering, const Node& node) {
  const Value value = lowering.moved_codes(node, 0);
  const int64_t block = block_of(node, value.shape);
  const int64_t n = value.shape[0], c = value.shape[1], h = value.shape[2], w = value.shape[3];
  lower_blocks(lowering, node, value, {n, h / block, block, w / block, block, c}, {0, 1, 3, 2, 4, 5},
               {n, h / block, w / block, c * block * block});
}

}  // namespace vernier::import::quantized
