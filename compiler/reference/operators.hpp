// SPDX-License-Identifier: Apache-2.0
// The operators of the interpreter, by family. Each gives its one result from operands that ir::verify has passed.
// Internal to compiler/reference.
#pragma once

#include "compiler/ir/graph.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace vernier::reference {

/// One operator with its operands, and where it reports REQUIREs that it finds violated.
class Task {
 public:
  Task(const ir::Graph& graph, const ir::Operator& op, const std::vector<const base::Tensor*>& operands,
       std::vector<std::string>& unpredictable)
      : graph_(graph), op_(op), operands_(operands), unpredictable_(unpredictable) {}

  [[nodiscard]] const ir::Operator& op() const { return op_; }
  [[nodiscard]] const base::Tensor& operand(size_t i) const { return *operands_.at(i); }
  /// The only element of a zero point, shift or the like.
  [[nodiscard]] int32_t scalar(size_t i) const { return static_cast<int32_t>(operand(i).at(0)); }
  [[nodiscard]] const ir::TensorInfo& output() const { return graph_.tensor(op_.outputs.at(0)); }
  [[nodiscard]] base::Tensor make_output() const { return {output().type, output().shape}; }

  /// Notes that the REQUIRE `what` does not hold at element `index` of the result; the first one of an operator counts.
  void require_violated(std::string_view what, int64_t index) {
    if (has_noted_) return;
    has_noted_ = true;
    unpredictable_.push_back(fmt::format("{} '{}' {}: {}", to_string(op_.kind), output().name,
                                         base::to_string(base::coordinates_of(output().shape, index)), what));
  }

 private:
  const ir::Graph& graph_;
  const ir::Operator& op_;
  const std::vector<const base::Tensor*>& operands_;
  std::vector<std::string>& unpredictable_;
  bool has_noted_ = false;
};

base::Tensor conv2d(Task& task);
base::Tensor conv3d(Task& task);
base::Tensor depthwise_conv2d(Task& task);
base::Tensor transpose_conv2d(Task& task);
base::Tensor matmul(Task& task);
base::Tensor avg_pool2d(Task& task);
base::Tensor max_pool2d(Task& task);
base::Tensor argmax(Task& task);
base::Tensor select(Task& task);
base::Tensor resize(Task& task);
base::Tensor elementwise_binary(Task& task);
base::Tensor elementwise_unary(Task& task);
base::Tensor reduce(Task& task);
base::Tensor rescale(Task& task);
base::Tensor table(Task& task);
base::Tensor identity(Task& task);
base::Tensor reshape(Task& task);
base::Tensor slice(Task& task);
base::Tensor concat(Task& task);
base::Tensor pad(Task& task);
base::Tensor reverse(Task& task);
base::Tensor tile(Task& task);
base::Tensor transpose(Task& task);
base::Tensor gather(Task& task);
base::Tensor scatter(Task& task);

}  // namespace vernier::reference
