// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/op_table.hpp"
#include "compiler/ir/replaced_constants.hpp"
#include "compiler/ir/tensor_size.hpp"
#include "compiler/ir/verify_context.hpp"

#include <algorithm>
#include <limits>

namespace vernier::ir {

namespace {

using base::Shape;

constexpr int64_t kOpen = -1;
constexpr int64_t kMaxReshapedDimension = std::numeric_limits<int32_t>::max();  // what a TOSA file can say

bool is_open(const Shape& shape) { return std::find(shape.begin(), shape.end(), kOpen) != shape.end(); }
bool has_open_batch(const Shape& shape) { return !shape.empty() && shape.front() == kOpen; }

class ShapeCompleter {
 public:
  ShapeCompleter(Graph& graph, const std::string& file, const Level& level, const OpenShapes& open)
      : graph_(graph), file_(file), level_(level), open_(open) {
    for (const TensorInfo& tensor : graph.tensors) had_open_batch_.push_back(has_open_batch(tensor.shape));
  }

  CompletedShapes run() {
    CompletedShapes completed{complete_inputs(), false};
    if (!has_changes_ && !is_rest_open()) return completed;
    verify_structure(graph_, file_);
    for (const TensorInfo& tensor : graph_.tensors) {
      if (!is_open(tensor.shape)) verify_tensor(tensor, file_, level_);
    }
    for (Operator& op : graph_.operators) {
      if (!is_control_flow(op.kind)) complete(op);  // whose regions say all dimensions
    }
    constants_.finish();
    completed.has_changes = has_changes_;
    return completed;
  }

 private:
  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw base::UserError(file_, format, std::forward<Args>(args)...);
  }
  [[nodiscard]] TensorInfo& tensor(TensorId id) { return graph_.tensors[id]; }
  [[nodiscard]] bool had_open_batch(TensorId id) const {
    const auto i = static_cast<size_t>(id);
    return i < had_open_batch_.size() && had_open_batch_[i];
  }
  /// Follows a message, and says that another batch than 1 was asked for.
  [[nodiscard]] std::string with_batch() const { return batch_ > 1 ? fmt::format(" with --batch {}", batch_) : ""; }

  std::vector<std::string> complete_inputs() {
    std::vector<std::string> completed, names;
    for (const TensorId id : graph_.inputs) names.push_back(tensor(id).name);
    for (const auto& [name, shape] : open_.named) check_input_name("--shape", name, names);
    for (size_t i = 0; i < graph_.inputs.size(); ++i) {
      TensorInfo& input = tensor(graph_.inputs[i]);
      const bool is_batch_open = has_open_batch(input.shape);
      has_changes_ = has_changes_ || is_open(input.shape);
      if (fill_input_shape(input.shape, input.name, i, open_, file_)) completed.push_back(input.name);
      if (is_batch_open) batch_ = input.shape.front();
    }
    if (open_.batch && completed.empty()) refuse_batch();
    return completed;
  }

  /// No graph input leaves its first dimension open: the batch that was asked for has to be the one that is there.
  void refuse_batch() {
    for (const TensorId id : graph_.inputs) {
      const TensorInfo& input = tensor(id);
      if (input.shape.empty() || input.shape.front() == *open_.batch) continue;
      fail("dimension 0 of graph input '{}' is {}; --batch {} is for a dimension that the network leaves open (-1)",
           input.name, input.shape.front(), *open_.batch);
    }
  }

  [[nodiscard]] bool is_rest_open() const {
    return std::any_of(graph_.tensors.begin(), graph_.tensors.end(), [](const TensorInfo& tensor) {
      if (tensor.type != base::ElementType::Shape || !tensor.constant) return is_open(tensor.shape);
      return is_open(values_of(*tensor.constant));
    });
  }

  void complete(Operator& op) {
    const OpInfo& info = supported_op_info(op, file_);
    Shape given;
    const VerifyContext context{graph_, op, file_, level_, &given};
    verify_form(context, info);
    for (const TensorId id : op.inputs) {
      const Shape& shape = tensor(id).shape;
      if (const auto open = std::find(shape.begin(), shape.end(), kOpen); open != shape.end())
        fail("dimension {} of constant '{}' is open (-1), its data needs a fixed shape", open - shape.begin(),
             tensor(id).name);
    }
    if (op.kind == OpKind::Reshape) complete_reshape(op);
    if (op.kind == OpKind::Slice) complete_slice(op);
    if (batch_ > 1) check_batches(op, info);
    info.check(context);
    complete_result(op, given);
  }

  void complete_result(const Operator& op, const Shape& given) {
    TensorInfo& result = tensor(op.outputs[0]);
    if (result.shape.size() != given.size()) {
      fail("tensor '{}' is declared {}, {} gives {}", result.name, base::to_string(result.shape), to_string(op.kind),
           base::to_string(given));
    }
    for (size_t i = 0; i < given.size(); ++i) {
      if (result.shape[i] == kOpen) {
        result.shape[i] = given[i];
        has_changes_ = true;
      }
      if (result.shape[i] != given[i]) {
        fail("dimension {} of tensor '{}' is declared {}, {} gives {}{}", i, result.name, result.shape[i],
             to_string(op.kind), given[i], with_batch());
      }
    }
    verify_tensor(result, file_, level_);
  }

  /// The operand that says the result's shape: what it leaves open follows from the number of elements.
  void complete_reshape(Operator& op) {
    const TensorInfo& input = tensor(op.inputs[0]);
    const TensorInfo& operand = tensor(op.inputs[1]);
    const Shape& declared = tensor(op.outputs[0]).shape;
    Shape shape = values_of(*operand.constant);
    if (std::count(shape.begin(), shape.end(), kOpen) > 1 && declared.size() == shape.size()) {
      for (size_t i = 0; i < shape.size(); ++i) shape[i] = shape[i] == kOpen ? declared[i] : shape[i];
    }
    const auto open = std::find(shape.begin(), shape.end(), kOpen);
    Shape known = shape;
    if (open != shape.end()) known[static_cast<size_t>(open - shape.begin())] = 1;
    for (size_t i = 0; i < known.size(); ++i) {
      if (known[i] >= 1 && known[i] <= kMaxReshapedDimension) continue;
      if (known[i] == kOpen)
        fail("dimension {} of the shape '{}' of RESHAPE is open (-1), and so is another one", i, operand.name);
      fail("dimension {} of the shape '{}' of RESHAPE is {}, allowed are 1 to {}", i, operand.name, known[i],
           kMaxReshapedDimension);
    }
    const int64_t num_elements = base::num_elements(input.shape);
    const int64_t num_known = checked_size_bytes(base::ElementType::Int8, known).value_or(0);
    const bool is_exact = num_known > 0 && (open != shape.end() ? num_elements % num_known == 0 : num_elements == num_known);
    if (!is_exact) refuse_reshape(op, shape);
    if (open != shape.end()) {
      if (batch_ > 1 && had_open_batch(op.inputs[0]) && open != shape.begin() && shape.front() == 1) {
        fail(
            "dimension 0 of the shape '{}' {} of RESHAPE is 1, the batch of its input '{}' is {}: it has to be {} or open "
            "(-1)",
            operand.name, base::to_string(shape), input.name, batch_, batch_);
      }
      *open = num_elements / num_known;
    }
    set_operand(op, 1, shape);
  }

  [[noreturn]] void refuse_reshape(const Operator& op, const Shape& shape) {
    const TensorInfo& input = tensor(op.inputs[0]);
    const size_t at = static_cast<size_t>(std::find(shape.begin(), shape.end(), kOpen) - shape.begin()) %
                      std::max<size_t>(1, shape.size());
    fail("dimension {} of the shape '{}' {} of RESHAPE does not follow: its input '{}' {} has {} elements{}", at,
         tensor(op.inputs[1]).name, base::to_string(shape), input.name, base::to_string(input.shape),
         base::num_elements(input.shape), with_batch());
  }

  /// A size of -1 stands for all elements from the start on.
  void complete_slice(Operator& op) {
    const Shape& in = tensor(op.inputs[0]).shape;
    const Shape start = values_of(*tensor(op.inputs[1]).constant);
    Shape size = values_of(*tensor(op.inputs[2]).constant);
    if (start.size() != in.size() || size.size() != in.size()) return;  // the check says so
    for (size_t i = 0; i < in.size(); ++i) {
      if (size[i] == kOpen && start[i] >= 0 && start[i] < in[i]) size[i] = in[i] - start[i];
    }
    if (batch_ > 1 && had_open_batch(op.inputs[0]) && had_open_batch(op.outputs[0]) && size[0] != in[0]) {
      fail("dimension 0 of the size '{}' {} of SLICE is {}, the batch of its input '{}' is {}: it has to be {} or open (-1)",
           tensor(op.inputs[2]).name, base::to_string(size), size[0], tensor(op.inputs[0]).name, in[0], in[0]);
    }
    set_operand(op, 2, size);
  }

  void set_operand(Operator& op, size_t index, const Shape& values) {
    if (constants_.set(op, index, values)) has_changes_ = true;
  }

  /// Operands that have to share their first dimension: a constant may hold the batch that the network was exported with.
  void check_batches(const Operator& op, const OpInfo& info) {
    const bool broadcasts = info.check == check_binary || info.check == check_mul || info.check == check_select;
    size_t num_data = 0;
    if (op.kind == OpKind::MatMul || op.kind == OpKind::Gather || info.check == check_binary || info.check == check_mul)
      num_data = 2;
    if (op.kind == OpKind::Scatter || op.kind == OpKind::Select) num_data = 3;
    if (op.kind == OpKind::Concat && op.attributes_as<AxisAttributes>().axis != 0) num_data = op.inputs.size();
    int64_t needed = 0;
    for (size_t i = 0; i < num_data; ++i) {
      if (had_open_batch(op.inputs[i])) needed = std::max(needed, tensor(op.inputs[i]).shape.front());
    }
    if (broadcasts && needed == 1) return;  // what was left open is no batch: it goes with any other dimension
    for (size_t i = 0; needed > 0 && i < num_data; ++i) {
      const TensorInfo& operand = tensor(op.inputs[i]);
      if (operand.shape.empty() || operand.shape.front() == needed || (broadcasts && operand.shape.front() == 1)) continue;
      fail("dimension 0 of tensor '{}' is {}, {} needs {}{}", operand.name, operand.shape.front(), to_string(op.kind),
           needed, with_batch());
    }
  }

  Graph& graph_;
  const std::string& file_;
  const Level& level_;
  const OpenShapes& open_;
  ReplacedConstants constants_{graph_};
  std::vector<bool> had_open_batch_;  // by tensor of the file
  int64_t batch_ = 1;
  bool has_changes_ = false;
};

}  // namespace

CompletedShapes complete_shapes(Graph& graph, const std::string& file, const Level& level, const OpenShapes& open) {
  return ShapeCompleter(graph, file, level, open).run();
}

}  // namespace vernier::ir
