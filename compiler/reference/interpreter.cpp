// SPDX-License-Identifier: Apache-2.0
#include "compiler/reference/interpreter.hpp"

#include "compiler/reference/operators.hpp"
#include "hw/base/error.hpp"
#include "hw/base/indexed_vector.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace vernier::reference {

namespace {

base::Tensor dispatch(Task& task) {
  switch (task.op().kind) {
    case ir::OpKind::Conv2d: return conv2d(task);
    case ir::OpKind::Conv3d: return conv3d(task);
    case ir::OpKind::DepthwiseConv2d: return depthwise_conv2d(task);
    case ir::OpKind::TransposeConv2d: return transpose_conv2d(task);
    case ir::OpKind::MatMul: return matmul(task);
    case ir::OpKind::AvgPool2d: return avg_pool2d(task);
    case ir::OpKind::MaxPool2d: return max_pool2d(task);
    case ir::OpKind::ArgMax: return argmax(task);
    case ir::OpKind::Select: return select(task);
    case ir::OpKind::Resize: return resize(task);
    case ir::OpKind::Add:
    case ir::OpKind::Sub:
    case ir::OpKind::Mul:
    case ir::OpKind::IntDiv:
    case ir::OpKind::Equal:
    case ir::OpKind::Greater:
    case ir::OpKind::GreaterEqual:
    case ir::OpKind::LogicalAnd:
    case ir::OpKind::LogicalOr:
    case ir::OpKind::LogicalXor:
    case ir::OpKind::Maximum:
    case ir::OpKind::Minimum:
    case ir::OpKind::BitwiseAnd:
    case ir::OpKind::BitwiseOr:
    case ir::OpKind::BitwiseXor:
    case ir::OpKind::ArithmeticRightShift:
    case ir::OpKind::LogicalLeftShift:
    case ir::OpKind::LogicalRightShift: return elementwise_binary(task);
    case ir::OpKind::Abs:
    case ir::OpKind::Clz:
    case ir::OpKind::BitwiseNot:
    case ir::OpKind::LogicalNot:
    case ir::OpKind::Cast:
    case ir::OpKind::Clamp:
    case ir::OpKind::Negate: return elementwise_unary(task);
    case ir::OpKind::ReduceAll:
    case ir::OpKind::ReduceAny:
    case ir::OpKind::ReduceMax:
    case ir::OpKind::ReduceMin:
    case ir::OpKind::ReduceSum: return reduce(task);
    case ir::OpKind::Rescale: return rescale(task);
    case ir::OpKind::Table: return table(task);
    case ir::OpKind::Identity: return identity(task);
    case ir::OpKind::Reshape: return reshape(task);
    case ir::OpKind::Slice: return slice(task);
    case ir::OpKind::Concat: return concat(task);
    case ir::OpKind::Pad: return pad(task);
    case ir::OpKind::Reverse: return reverse(task);
    case ir::OpKind::Tile: return tile(task);
    case ir::OpKind::Transpose: return transpose(task);
    case ir::OpKind::Gather: return gather(task);
    case ir::OpKind::Scatter: return scatter(task);
    default: break;
  }
  VERNIER_CHECK(false, "operator {} passed ir::verify, the interpreter does not know it", to_string(task.op().kind));
  return {};
}

/// What all graphs of a run have in common.
struct Shared {
  const ir::Graph& main;
  Variables& variables;
  std::vector<std::string> unpredictable{};
  int64_t num_in_regions = 0;  // operators that ran there

  void count_in_regions() {
    if (++num_in_regions > kMostOperatorsInRegions)
      throw EndlessLoop(fmt::format("a loop goes on after {} operators in regions, the limit", kMostOperatorsInRegions));
  }
};

/// The values of one run of a graph, each kept from its producer to its last reader; `depth` operators COND_IF and
/// WHILE_LOOP are around it.
class Run {
 public:
  Run(const ir::Graph& graph, const std::vector<base::Tensor>& inputs, Shared& shared, int64_t depth)
      : graph_(graph),
        shared_(shared),
        depth_(depth),
        consumers_(graph.consumers()),
        computed_(graph.tensors.size()),
        values_(graph.tensors.size()) {
    VERNIER_CHECK(inputs.size() == graph.inputs.size(), "{} inputs, the graph has {}", inputs.size(), graph.inputs.size());
    for (size_t i = 0; i < graph.tensors.size(); ++i) values_[i] = graph.tensors[i].constant.get();
    for (size_t i = 0; i < inputs.size(); ++i) {
      const ir::TensorInfo& info = graph.tensor(graph.inputs[i]);
      VERNIER_CHECK(inputs[i].type() == info.type && inputs[i].shape() == info.shape, "input '{}' is {}{}, needed is {}{}",
                    info.name, base::to_string(inputs[i].type()), base::to_string(inputs[i].shape()),
                    base::to_string(info.type), base::to_string(info.shape));
      values_[graph.inputs[i]] = &inputs[i];
    }
    is_kept_.resize(graph.tensors.size());
    for (const ir::TensorId id : graph.outputs) is_kept_[static_cast<size_t>(id)] = true;
  }

  std::vector<base::Tensor> execute(const Observer& observer) {
    for (size_t i = 0; i < graph_.operators.size(); ++i) {
      const ir::Operator& op = graph_.operators[i];
      std::vector<const base::Tensor*> operands;
      for (const ir::TensorId input : op.inputs) operands.push_back(values_[input]);
      std::vector<base::Tensor> results = results_of(op, operands);
      for (size_t r = 0; r < results.size(); ++r) {
        const auto id = static_cast<size_t>(op.outputs[r]);
        computed_[id] = std::move(results[r]);
        values_[id] = &*computed_[id];
        if (observer) observer(op.outputs[r], *computed_[id]);
      }
      for (const ir::TensorId input : op.inputs) release_after(static_cast<ir::OpId>(i), input);
      for (const ir::TensorId output : op.outputs) release_after(static_cast<ir::OpId>(i), output);
    }
    std::vector<base::Tensor> outputs;
    for (const ir::TensorId id : graph_.outputs) outputs.push_back(*values_[id]);
    return outputs;
  }

 private:
  std::vector<base::Tensor> results_of(const ir::Operator& op, const std::vector<const base::Tensor*>& operands) {
    if (depth_ > 0) shared_.count_in_regions();
    if (op.kind == ir::OpKind::CondIf) return cond_if(op, operands);
    if (op.kind == ir::OpKind::WhileLoop) return while_loop(op, operands);
    if (op.kind == ir::OpKind::VariableRead) return {variable(op)};
    if (op.kind == ir::OpKind::VariableWrite) return {variable(op) = *operands[0]};
    const auto is_known = [&](ir::TensorId tensor) { return graph_.is_constant(tensor); };
    if (ir::find_computed_parameter(op, is_known)) ir::verify_values(graph_, op, operands);
    Task task(graph_, op, operands, shared_.unpredictable);
    std::vector<base::Tensor> results;
    results.push_back(dispatch(task));
    return results;
  }

  base::Tensor& variable(const ir::Operator& op) {
    const std::optional<size_t> index = ir::variable_of(shared_.main, op);
    VERNIER_CHECK(index, "the variable of a {} passed ir::verify", to_string(op.kind));
    return shared_.variables[*index];
  }

  std::vector<base::Tensor> run_region(const std::string& name, const std::vector<base::Tensor>& values) {
    return Run(ir::region_to_run(shared_.main, name, depth_ + 1), values, shared_, depth_ + 1).execute({});
  }

  std::vector<base::Tensor> cond_if(const ir::Operator& op, const std::vector<const base::Tensor*>& operands) {
    const auto& names = op.attributes_as<ir::CondIfAttributes>();
    std::vector<base::Tensor> values;
    for (size_t i = 1; i < operands.size(); ++i) values.push_back(*operands[i]);
    return run_region(operands[0]->at(0) != 0 ? names.then_graph : names.else_graph, values);
  }

  std::vector<base::Tensor> while_loop(const ir::Operator& op, const std::vector<const base::Tensor*>& operands) {
    const auto& names = op.attributes_as<ir::WhileLoopAttributes>();
    std::vector<base::Tensor> values;
    for (const base::Tensor* operand : operands) values.push_back(*operand);
    while (run_region(names.cond_graph, values)[0].at(0) != 0) {
      shared_.count_in_regions();  // regions may have no operators
      values = run_region(names.body_graph, values);
    }
    return values;
  }

  /// Frees the tensor where no operator behind `op` reads it.
  void release_after(ir::OpId op, ir::TensorId tensor) {
    const auto id = static_cast<size_t>(tensor);
    if (is_kept_[id] || (!consumers_[id].empty() && consumers_[id].back() > op)) return;
    computed_[id].reset();
  }

  const ir::Graph& graph_;
  Shared& shared_;
  int64_t depth_;
  base::IndexedVector<ir::TensorId, std::vector<ir::OpId>> consumers_;
  std::vector<std::optional<base::Tensor>> computed_;
  base::IndexedVector<ir::TensorId, const base::Tensor*> values_;
  std::vector<bool> is_kept_;
};

}  // namespace

Variables initial_variables(const ir::Graph& graph) {
  Variables values;
  for (const ir::Variable& variable : graph.variables)
    values.push_back(variable.initial ? *variable.initial : base::Tensor(variable.type, variable.shape));
  return values;
}

Result run(const ir::Graph& graph, const std::vector<base::Tensor>& inputs, const Observer& observer, Variables* variables) {
  Variables own;
  if (variables == nullptr) own = initial_variables(graph);
  Shared shared{graph, variables == nullptr ? own : *variables};
  VERNIER_CHECK(shared.variables.size() == graph.variables.size(), "{} values of variables, the graph has {}",
                shared.variables.size(), graph.variables.size());
  std::vector<base::Tensor> outputs = Run(graph, inputs, shared, 0).execute(observer);
  return {std::move(outputs), std::move(shared.unpredictable)};
}

std::vector<base::Tensor> evaluate(const ir::Graph& graph, const ir::Operator& op,
                                   const std::vector<const base::Tensor*>& operands) {
  std::vector<std::string> unpredictable;
  Task task(graph, op, operands, unpredictable);
  std::vector<base::Tensor> results;
  results.push_back(dispatch(task));
  return results;
}

}  // namespace vernier::reference
