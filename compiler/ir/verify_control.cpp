// SPDX-License-Identifier: Apache-2.0
// COND_IF and WHILE_LOOP against the regions that they run.
#include "compiler/ir/verify_context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace vernier::ir {
namespace {

/// Tensors by their numbers in a graph: operands, results, inputs or outputs of a region.
struct TensorList {
  const Graph& graph;
  std::span<const TensorId> ids;
};

std::string text_of(const TensorList& list) {
  std::string text;
  for (const TensorId id : list.ids) {
    const TensorInfo& tensor = list.graph.tensor(id);
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", base::to_string(tensor.type), base::to_string(tensor.shape));
  }
  return text.empty() ? "none" : text;
}

bool are_equal(const TensorList& a, const TensorList& b) {
  bool is_equal = a.ids.size() == b.ids.size();
  for (size_t i = 0; is_equal && i < a.ids.size(); ++i) {
    const TensorInfo &one = a.graph.tensor(a.ids[i]), &other = b.graph.tensor(b.ids[i]);
    is_equal = one.type == other.type && one.shape == other.shape;
  }
  return is_equal;
}

/// One tensor of one bool.
struct Condition {
  const TensorInfo& tensor;
  std::string_view what;
  ErrorIf type_rule, size_rule;
};

class ControlCheck {
 public:
  explicit ControlCheck(const VerifyContext& context) : c_(context) {}

  void check_cond_if() const {
    if (c_.op.inputs.empty()) c_.fail(ErrorIf::WrongInputList, "it has no condition");
    check_condition({c_.input(0), "the condition", ErrorIf::CondIfCondNotMatchingBool, ErrorIf::CondIfCondShapeNotSizeOne});
    const TensorList operands{c_.graph, std::span(c_.op.inputs).subspan(1)}, results{c_.graph, c_.op.outputs};
    const auto& names = c_.op.attributes_as<CondIfAttributes>();
    const Graph& then_graph = region(names.then_graph);
    check_list("operands", operands, "inputs of then_graph", {then_graph, then_graph.inputs},
               ErrorIf::CondIfInputListThenGraphMismatch);
    check_list("results", results, "outputs of then_graph", {then_graph, then_graph.outputs},
               ErrorIf::CondIfOutputListThenGraphMismatch);
    const Graph& else_graph = region(names.else_graph);
    check_list("operands", operands, "inputs of else_graph", {else_graph, else_graph.inputs},
               ErrorIf::CondIfInputListElseGraphMismatch);
    check_list("results", results, "outputs of else_graph", {else_graph, else_graph.outputs},
               ErrorIf::CondIfOutputListElseGraphMismatch);
    check_lengths(operands, results);
  }

  void check_while_loop() const {
    const TensorList operands{c_.graph, c_.op.inputs}, results{c_.graph, c_.op.outputs};
    check_list("operands", operands, "results", results, ErrorIf::InputListOutputListMismatch);
    const auto& names = c_.op.attributes_as<WhileLoopAttributes>();
    const Graph &cond = region(names.cond_graph), &body = region(names.body_graph);
    check_list("operands", operands, "inputs of cond_graph", {cond, cond.inputs}, ErrorIf::InputListCondGraphMismatch);
    check_list("operands", operands, "inputs of body_graph", {body, body.inputs}, ErrorIf::InputListBodyGraphInputMismatch);
    check_list("operands", operands, "outputs of body_graph", {body, body.outputs},
               ErrorIf::InputListBodyGraphOutputMismatch);
    if (cond.outputs.size() != 1)
      c_.fail(ErrorIf::CondGraphOutputShapeNotSizeOne, "cond_graph has {} outputs, needed is 1", cond.outputs.size());
    check_condition({cond.tensor(cond.outputs.front()), "the output of cond_graph", ErrorIf::CondGraphOutputNotMatchingBool,
                     ErrorIf::CondGraphOutputShapeNotSizeOne});
    check_lengths(operands, results);
  }

 private:
  [[nodiscard]] const Graph& region(const std::string& name) const {
    const Graph* found = find_region(c_.main_graph(), name);
    if (found == nullptr) c_.fail(ErrorIf::WrongAttribute, "region '{}' does not exist", name);
    return *found;
  }

  /// A level check, and so the last one.
  void check_lengths(const TensorList& operands, const TensorList& results) const {
    const int64_t most = c_.level.max_tensor_list_size;
    for (const TensorList& list : {operands, results}) {
      if (std::ssize(list.ids) > most)
        c_.fail(ErrorIf::MaxTensorListExceeded, "a list of {} tensors, allowed are up to {}", list.ids.size(), most);
    }
  }

  void check_condition(const Condition& condition) const {
    const TensorInfo& tensor = condition.tensor;
    if (tensor.type != base::ElementType::Bool)
      c_.fail(condition.type_rule, "{} '{}' is {}, needed is bool", condition.what, tensor.name,
              base::to_string(tensor.type));
    // Shapes of regions are looked at later: a dimension may be anything.
    if (!std::ranges::all_of(tensor.shape, [](int64_t dim) { return dim == 1; }))
      c_.fail(condition.size_rule, "{} '{}' has the shape {}, needed is one element", condition.what, tensor.name,
              base::to_string(tensor.shape));
  }

  void check_list(std::string_view what, const TensorList& found, std::string_view other, const TensorList& needed,
                  ErrorIf rule) const {
    if (are_equal(found, needed)) return;
    c_.fail(rule, "the {} are {}, the {} are {}", what, text_of(found), other, text_of(needed));
  }

  const VerifyContext& c_;
};

}  // namespace

void check_cond_if(const VerifyContext& context) { ControlCheck(context).check_cond_if(); }
void check_while_loop(const VerifyContext& context) { ControlCheck(context).check_while_loop(); }

}  // namespace vernier::ir
