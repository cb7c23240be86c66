// SPDX-License-Identifier: Apache-2.0
// Nodes of the source as steps of the host. Internal to this room.
#pragma once

#include "compiler/import/quantized/lowering.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace vernier::import::quantized {

/// The value of that name in the lowering's host graph: what the host has computed already, a constant, an input, or the
/// numbers of integers. What stands for a function that no quantizer has followed yet is computed of what its node reads.
/// NodeMistake for what cannot be there.
size_t host_value_of(Lowering& lowering, const std::string& name);

/// The numbers of a constant as float32, which integers become too.
std::vector<float> numbers_of_constant(const Value& constant);

/// Adds the steps of one node.
class HostEmitter {
 public:
  HostEmitter(Lowering& source, const Node& of) : lowering(source), node(of) {}

  Lowering& lowering;
  const Node& node;

  [[nodiscard]] size_t operand(size_t index) const;
  [[nodiscard]] const base::Shape& shape(size_t value) const { return lowering.host.shape(value); }
  /// NodeMistake where the step is none on these operands.
  size_t add(package::HostStep step, const std::vector<size_t>& operands) const;
  size_t add(package::HostOperator kind, const std::vector<size_t>& operands, std::vector<int64_t> dimensions = {},
             std::vector<float> numbers = {}) const;
  /// The same where the result has the shape of `value`; NodeMistake where an operand makes it larger.
  size_t add_like(size_t value, package::HostStep step, const std::vector<size_t>& operands) const;
  /// An operator on two values, or on one and a constant that goes along with it.
  size_t binary(package::HostOperator kind, size_t value, float constant) const;
  size_t reshape(size_t value, const base::Shape& to) const;
  size_t constant(base::Shape shape, std::vector<float> numbers) const;
};

/// The values of the node's outputs, in their order.
using EmitOnHost = std::vector<size_t> (*)(const HostEmitter& emitter);

// host_elementwise.cpp
std::vector<size_t> emit_binary(const HostEmitter& emitter);    // Add, Sub, Mul, Div, Pow; Max, Min, Sum, Mean of several
std::vector<size_t> emit_function(const HostEmitter& emitter);  // of one number; Relu, Clip, PRelu, Cast, Identity
std::vector<size_t> emit_softmax(const HostEmitter& emitter);   // Softmax, LogSoftmax
std::vector<size_t> emit_normalization(const HostEmitter& emitter);  // Batch-, Instance-, LayerNormalization
// host_movement.cpp
std::vector<size_t> emit_reshape(const HostEmitter& emitter);  // Reshape, Flatten, Squeeze, Unsqueeze, Transpose
std::vector<size_t> emit_slice(const HostEmitter& emitter);    // Slice, Split
std::vector<size_t> emit_gather(const HostEmitter& emitter);
std::vector<size_t> emit_concat(const HostEmitter& emitter);
std::vector<size_t> emit_pad(const HostEmitter& emitter);
std::vector<size_t> emit_repeat(const HostEmitter& emitter);  // Expand, Tile
std::vector<size_t> emit_depth(const HostEmitter& emitter);   // DepthToSpace, SpaceToDepth
// host_resize.cpp
std::vector<size_t> emit_resize(const HostEmitter& emitter);
// host_sums.cpp
std::vector<size_t> emit_reduction(const HostEmitter& emitter);  // Reduce..., GlobalAveragePool, GlobalMaxPool
std::vector<size_t> emit_search(const HostEmitter& emitter);     // ArgMax, ArgMin
std::vector<size_t> emit_matmul(const HostEmitter& emitter);     // MatMul, Gemm
std::vector<size_t> emit_conv(const HostEmitter& emitter);
std::vector<size_t> emit_pool(const HostEmitter& emitter);  // MaxPool, AveragePool

/// The steps of a node of the network; empty where the host does not have its operator.
std::vector<size_t> emit_node(Lowering& lowering, const Node& node);

}  // namespace vernier::import::quantized
