// SPDX-License-Identifier: Apache-2.0
// COND_IF and WHILE_LOOP against the regions that they run.
#include "compiler/ir/verify_context.hpp"

#include <fmt/format.h>

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
  std::string_view type_error, size_error;  // names of the conformance suite
};

class ControlCheck {
 public:
  explicit ControlCheck(const VerifyContext& context) : c_(context) {}

  void check_cond_if() const {
    if (c_.op.inputs.empty()) c_.fail("it has no condition");
    check_condition({c_.input(0), "the condition", "CondIfCondNotMatchingBool", "CondIfCondShapeNotSizeOne"});
    const TensorList operands{c_.graph, std::span(c_.op.inputs).subspan(1)}, results{c_.graph, c_.op.outputs};
    check_lengths(operands, results);
    const auto& names = c_.op.attributes_as<CondIfAttributes>();
    for (const bool is_then : {true, false}) {
      const Graph& branch = region(is_then ? names.then_graph : names.else_graph);
      const std::string_view which = is_then ? "then_graph" : "else_graph", suite = is_then ? "Then" : "Else";
      check_list("operands", operands, fmt::format("inputs of {}", which), {branch, branch.inputs},
                 fmt::format("CondIfInputList{}GraphMismatch", suite));
      check_list("results", results, fmt::format("outputs of {}", which), {branch, branch.outputs},
                 fmt::format("CondIfOutputList{}GraphMismatch", suite));
    }
  }

  void check_while_loop() const {
    const TensorList operands{c_.graph, c_.op.inputs}, results{c_.graph, c_.op.outputs};
    check_lengths(operands, results);
    check_list("operands", operands, "results", results, "InputListOutputListMismatch");
    const auto& names = c_.op.attributes_as<WhileLoopAttributes>();
    const Graph &cond = region(names.cond_graph), &body = region(names.body_graph);
    check_list("operands", operands, "inputs of cond_graph", {cond, cond.inputs}, "InputListCondGraphMismatch");
    check_list("operands", operands, "inputs of body_graph", {body, body.inputs}, "InputListBodyGraphInputMismatch");
    check_list("operands", operands, "outputs of body_graph", {body, body.outputs}, "InputListBodyGraphOutputMismatch");
    if (cond.outputs.size() != 1)
      c_.fail("cond_graph has {} outputs, needed is 1 [CondGraphOutputShapeNotSizeOne]", cond.outputs.size());
    check_condition({cond.tensor(cond.outputs.front()), "the output of cond_graph", "CondGraphOutputNotMatchingBool",
                     "CondGraphOutputShapeNotSizeOne"});
  }

 private:
  [[nodiscard]] const Graph& region(const std::string& name) const {
    const Graph* found = find_region(c_.main_graph(), name);
    if (found == nullptr) c_.fail("region '{}' does not exist", name);
    return *found;
  }

  void check_lengths(const TensorList& operands, const TensorList& results) const {
    c_.check_range("the number of operands", std::ssize(operands.ids), 0, c_.level.max_tensor_list_size);
    c_.check_range("the number of results", std::ssize(results.ids), 1, c_.level.max_tensor_list_size);
  }

  void check_condition(const Condition& condition) const {
    const TensorInfo& tensor = condition.tensor;
    if (tensor.type != base::ElementType::Bool)
      c_.fail("{} '{}' is {}, needed is bool [{}]", condition.what, tensor.name, base::to_string(tensor.type),
              condition.type_error);
    if (base::num_elements(tensor.shape) != 1)
      c_.fail("{} '{}' {} has {} elements, needed is 1 [{}]", condition.what, tensor.name, base::to_string(tensor.shape),
              base::num_elements(tensor.shape), condition.size_error);
  }

  void check_list(std::string_view what, const TensorList& found, std::string_view other, const TensorList& needed,
                  std::string_view suite_name) const {
    if (are_equal(found, needed)) return;
    c_.fail("the {} are {}, the {} are {} [{}]", what, text_of(found), other, text_of(needed), suite_name);
  }

  const VerifyContext& c_;
};

}  // namespace

void check_cond_if(const VerifyContext& context) { ControlCheck(context).check_cond_if(); }
void check_while_loop(const VerifyContext& context) { ControlCheck(context).check_while_loop(); }

}  // namespace vernier::ir
