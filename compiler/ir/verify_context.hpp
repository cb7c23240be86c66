// SPDX-License-Identifier: Apache-2.0
// What the check of one operator needs, and the checks by operator family. Internal to compiler/ir.
#pragma once

#include "compiler/ir/error_if.hpp"
#include "compiler/ir/graph.hpp"
#include "hw/base/error.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace vernier::ir {

/// All elements, as a list.
std::vector<int64_t> values_of(const base::Tensor& tensor);

/// The values that an attribute or operand may take, and what is broken by one below and above.
struct Allowed {
  int64_t least, most;
  ErrorIf below, above;
};

/// What is broken by a window that does not fit a whole number of times, and by a result of another size.
struct WindowRules {
  ErrorIf non_integer, mismatch;
};
inline constexpr WindowRules kConvWindow{ErrorIf::ConvOutputShapeNonInteger, ErrorIf::ConvOutputShapeMismatch};
inline constexpr WindowRules kPoolWindow{ErrorIf::PoolingOutputShapeNonInteger, ErrorIf::PoolingOutputShapeMismatch};

/// One operator whose operand count, ranks, types and attribute alternative have been checked already.
struct VerifyContext {
  const Graph& graph;
  const Operator& op;
  const std::string& file;
  const Level& level;
  base::Shape* given = nullptr;  // not null while shapes are completed: takes the result's shape, which is then not compared
  const std::vector<const base::Tensor*>* values = nullptr;  // while running: those of all operands
  const Graph* main = nullptr;                               // where `graph` is one of its regions

  [[nodiscard]] const TensorInfo& input(size_t i) const { return graph.tensor(op.inputs.at(i)); }
  /// The graph that has the regions.
  [[nodiscard]] const Graph& main_graph() const { return main == nullptr ? graph : *main; }
  [[nodiscard]] const TensorInfo& output() const { return graph.tensor(op.outputs.at(0)); }
  /// The operand's value; null before it is computed.
  [[nodiscard]] const base::Tensor* value(size_t operand) const {
    return values == nullptr ? input(operand).constant.get() : values->at(operand);
  }
  /// Element `i` of an operand whose value is known.
  [[nodiscard]] int64_t constant_value(size_t operand, int64_t i = 0) const { return value(operand)->at(i); }
  /// All elements of a constant operand.
  [[nodiscard]] std::vector<int64_t> constant_values(size_t operand) const;

  /// Throws the UserError of a broken rule: operator, result, location, what was found and what is allowed, the rule.
  template <typename... Args>
  [[noreturn]] void fail(ErrorIf rule, fmt::format_string<Args...> format, Args&&... args) const {
    throw_error(rule, fmt::format(format, std::forward<Args>(args)...));
  }
  /// fail() unless `found` is allowed. Level checks come after every ERROR_IF, so these are two steps where `above` is one.
  void check_range(std::string_view what, int64_t found, const Allowed& allowed) const;
  void check_least(std::string_view what, const std::vector<int64_t>& found, const Allowed& allowed) const;
  void check_most(std::string_view what, const std::vector<int64_t>& found, const Allowed& allowed) const;
  /// fail() unless there are `count` values.
  void check_count(std::string_view what, const std::vector<int64_t>& found, size_t count, ErrorIf rule) const;
  /// fail() unless the operand has exactly one dimension of that length.
  void check_length(std::string_view what, size_t operand, int64_t length) const;
  /// Compares the declared shape of the result with the shape that the operands give; or puts that into `given`.
  void check_output_shape(const base::Shape& expected, ErrorIf rule = ErrorIf::DimensionMismatch,
                          ErrorIf rank_rule = ErrorIf::RankMismatch) const;
  /// fail() unless `axis` is one of the first operand's.
  void check_axis(int64_t axis) const;
  /// A zero point operand: one element, and 0 unless `type` is int8; one that is computed is judged while running.
  void check_zero_point(std::string_view what, size_t operand, base::ElementType type, ErrorIf rule) const;
  /// Output size of a window along one axis: (size - 1 + pads - (kernel - 1) * dilation) / stride + 1, which has to be
  /// exact.
  [[nodiscard]] int64_t window_output(std::string_view axis, int64_t size, int64_t pad_before, int64_t pad_after,
                                      int64_t kernel, int64_t dilation, int64_t stride, const WindowRules& rules) const;

 private:
  [[noreturn]] void throw_error(ErrorIf rule, const std::string& message) const;
};

// The parts of ir::verify; complete_shapes() needs them one after the other.
/// Rank, dimensions, size, and that a constant has the declared type and shape.
void verify_tensor(const TensorInfo& tensor, const std::string& file, const Level& level);
/// Each has a name of its own, a type of tensors and a fixed shape, which its first value has too.
void verify_variables(const Graph& main, const std::string& file, const Level& level);
/// Operand and result numbers exist, one producer for each tensor, producers before readers; `what` is "graph" or "region".
void verify_structure(const Graph& graph, const std::string& file, std::string_view what = "graph");
/// The operator's row in the table; UserError when it is not supported.
const struct OpInfo& supported_op_info(const Operator& op, const std::string& file);
/// Numbers of operands and results, ranks, constant operands, types: what the check of an operator relies on.
void verify_form(const VerifyContext& context, const OpInfo& info);

void check_conv2d(const VerifyContext& context);
void check_conv3d(const VerifyContext& context);
void check_depthwise_conv2d(const VerifyContext& context);
void check_transpose_conv2d(const VerifyContext& context);
void check_matmul(const VerifyContext& context);
void check_avg_pool2d(const VerifyContext& context);
void check_max_pool2d(const VerifyContext& context);
void check_binary(const VerifyContext& context);
void check_mul(const VerifyContext& context);
void check_unary(const VerifyContext& context);
void check_clamp(const VerifyContext& context);
void check_negate(const VerifyContext& context);
void check_table(const VerifyContext& context);
void check_select(const VerifyContext& context);
void check_argmax(const VerifyContext& context);
void check_reduce(const VerifyContext& context);
void check_rescale(const VerifyContext& context);
void check_reshape(const VerifyContext& context);
void check_slice(const VerifyContext& context);
void check_concat(const VerifyContext& context);
void check_pad(const VerifyContext& context);
void check_reverse(const VerifyContext& context);
void check_tile(const VerifyContext& context);
void check_transpose(const VerifyContext& context);
void check_gather(const VerifyContext& context);
void check_scatter(const VerifyContext& context);
void check_resize(const VerifyContext& context);
void check_cond_if(const VerifyContext& context);
void check_while_loop(const VerifyContext& context);
void check_variable_read(const VerifyContext& context);
void check_variable_write(const VerifyContext& context);

}  // namespace vernier::ir
