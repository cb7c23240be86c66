// SPDX-License-Identifier: Apache-2.0
// IF and WHILE: their subgraphs become regions of COND_IF and WHILE_LOOP.
#include "compiler/import/tflite/operators/operators.hpp"

namespace vernier::import::lite {

namespace {

/// The operator with all of its results.
void finish_control(LiteLowering& lowering, const LiteOperator& op, ir::OpKind kind, const ir::Attributes& attributes,
                    const std::vector<Id>& operands) {
  std::vector<Id> results;
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    const LiteTensor& tensor = lowering.output(op, i);
    const auto type = element_type_of(tensor.type);
    if (!type) refuse("'{}' is {}, allowed are integers and BOOL", tensor.name, type_in_file(tensor));
    results.push_back(lowering.graph.add_tensor(*type, tensor.shape, tensor.name + "/result"));
  }
  lowering.graph.graph().operators.push_back({kind, attributes, operands, results, lowering.output(op).name});
  for (size_t i = 0; i < results.size(); ++i) lowering.finish(op, results[i], kNoActivation, i);
}

std::vector<Id> values_of(LiteLowering& lowering, const LiteOperator& op) {
  std::vector<Id> values;
  for (size_t i = 0; i < op.inputs.size(); ++i) values.push_back(lowering.value(op, i));
  return values;
}

}  // namespace

void lower_if(LiteLowering& lowering, const LiteOperator& op) {
  const auto& options = options_of(op, &tflite::Operator::builtin_options_as_IfOptions);
  const std::vector<Id> operands = values_of(lowering, op);
  const ir::CondIfAttributes attributes{lowering.region(options.then_subgraph_index()),
                                        lowering.region(options.else_subgraph_index())};
  finish_control(lowering, op, ir::OpKind::CondIf, attributes, operands);
}

void lower_while(LiteLowering& lowering, const LiteOperator& op) {
  const auto& options = options_of(op, &tflite::Operator::builtin_options_as_WhileOptions);
  const std::vector<Id> operands = values_of(lowering, op);
  const ir::WhileLoopAttributes attributes{lowering.region(options.cond_subgraph_index()),
                                           lowering.region(options.body_subgraph_index())};
  finish_control(lowering, op, ir::OpKind::WhileLoop, attributes, operands);
}

}  // namespace vernier::import::lite
