// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/host/host_program.hpp"

#include "hw/base/error.hpp"
#include "hw/model/host_float.hpp"
#include "sim/flow/host/host_operators.hpp"

#include <utility>

namespace vernier::flow {

namespace {

using package::HostOperator;
using package::HostStep;

std::vector<float> run_clip(const HostStep& step, const HostOperands& operands, const base::Shape& /*shape*/) {
  std::vector<float> numbers = operands[0]->numbers;
  for (float& number : numbers) number = model::clip(number, step.numbers[0], step.numbers[1]);
  return numbers;
}

std::vector<float> run_relu(const HostStep& /*step*/, const HostOperands& operands, const base::Shape& /*shape*/) {
  std::vector<float> numbers = operands[0]->numbers;
  for (float& number : numbers) number = model::relu(number);
  return numbers;
}

std::vector<float> run_reshape(const HostStep& /*step*/, const HostOperands& operands, const base::Shape& /*shape*/) {
  return operands[0]->numbers;
}

std::vector<float> run_constant(const HostStep& step, const HostOperands& /*operands*/, const base::Shape& /*shape*/) {
  return step.numbers;
}

HostFunction function_of(HostOperator kind) {
  if (package::is_binary(kind)) return run_binary;
  switch (kind) {
    case HostOperator::Relu: return run_relu;
    case HostOperator::Clip: return run_clip;
    case HostOperator::Softmax: return run_softmax;
    case HostOperator::Transpose: return run_transpose;
    case HostOperator::Reshape: return run_reshape;
    case HostOperator::Constant: return run_constant;
    case HostOperator::Slice: return run_slice;
    case HostOperator::Pick: return run_pick;
    case HostOperator::Concat: return run_concat;
    case HostOperator::Blend: return run_blend;
    case HostOperator::ReduceSum:
    case HostOperator::ReduceMean:
    case HostOperator::ReduceMax:
    case HostOperator::ReduceMin:
    case HostOperator::ReduceProd: return run_reduction;
    case HostOperator::ArgMax:
    case HostOperator::ArgMin: return run_search;
    case HostOperator::MatMul: return run_matmul;
    case HostOperator::Conv: return run_conv;
    case HostOperator::MaxPool:
    case HostOperator::AveragePool: return run_pool;
    default: return run_function;
  }
}

}  // namespace

std::vector<int64_t> strides_of(const base::Shape& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

std::vector<int64_t> strides_along(const base::Shape& operand, const base::Shape& shape) {
  const std::vector<int64_t> own = strides_of(operand);
  std::vector<int64_t> strides(shape.size(), 0);
  const size_t offset = shape.size() - operand.size();
  for (size_t i = 0; i < operand.size(); ++i) strides[offset + i] = operand[i] == 1 ? 0 : own[i];
  return strides;
}

AlongAxis along_axis(const base::Shape& shape, int64_t axis) {
  const auto middle = shape.begin() + axis;
  return {static_cast<size_t>(base::num_elements({shape.begin(), middle})), static_cast<size_t>(*middle),
          static_cast<size_t>(base::num_elements({middle + 1, shape.end()}))};
}

HostArray run_program(const std::vector<HostStep>& steps, std::vector<HostArray> given) {
  std::vector<base::Shape> shapes;
  for (const HostArray& array : given) shapes.push_back(array.shape);
  const package::HostShapes all = package::shapes_of(steps, shapes);
  VERNIER_CHECK(all.problem.empty(), "{}", all.problem);
  if (steps.empty()) return std::move(given.front());
  const size_t num_given = given.size();
  std::vector<HostArray> values = std::move(given);
  values.resize(num_given + steps.size());
  std::vector<size_t> last_reader(values.size(), 0);
  for (size_t i = 0; i < steps.size(); ++i) {
    for (const size_t operand : package::operands_of(steps[i], num_given + i)) last_reader[operand] = i;
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    const std::vector<size_t> numbers = package::operands_of(steps[i], num_given + i);
    HostOperands operands;
    for (const size_t operand : numbers) operands.push_back(&values[operand]);
    HostArray& result = values[num_given + i];
    result.shape = all.shapes[num_given + i];
    result.numbers = function_of(steps[i].kind)(steps[i], operands, result.shape);
    for (const size_t operand : numbers) {
      if (last_reader[operand] == i) values[operand].numbers = {};
    }
  }
  return std::move(values.back());
}

std::vector<float> run_steps(const std::vector<HostStep>& steps, const base::Shape& shape, std::vector<float> values) {
  return run_program(steps, {{shape, std::move(values)}}).numbers;
}

}  // namespace vernier::flow
