// SPDX-License-Identifier: Apache-2.0
#include "hw/package/host_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace vernier::package {

std::vector<size_t> operands_of(const HostStep& step, size_t num_before) {
  if (step.operands.empty() && step.kind != HostOperator::Constant && num_before > 0) return {num_before - 1};
  return {step.operands.begin(), step.operands.end()};
}

HostShapes shapes_of(const std::vector<HostStep>& steps, const std::vector<base::Shape>& given) {
  HostShapes result{given, ""};
  int64_t elements = 0, work = 0;
  for (const HostStep& step : steps) {
    const auto fail = [&](const std::string& problem) {
      result.problem = fmt::format("operator '{}' ({}): {}", step.name, to_string(step.kind), problem);
      return std::move(result);
    };
    const int64_t num_before = std::ssize(result.shapes);
    for (const int64_t operand : step.operands) {
      if (operand < 0 || operand >= num_before)
        return fail(fmt::format("it reads value {}, before it are {}", operand, num_before));
    }
    std::vector<base::Shape> operands;
    for (const size_t operand : operands_of(step, result.shapes.size())) operands.push_back(result.shapes[operand]);
    if (const std::string problem = problem_of(step, operands); !problem.empty()) return fail(problem);
    base::Shape shape = result_shape(step, operands);
    const int64_t size = checked_size(shape);
    elements += size;
    work += work_of(step, operands);
    if (size == 0 || elements > kMostHostElements || work > kMostHostWork)
      return fail(fmt::format("the result {} takes more memory or time than the host gives", base::to_string(shape)));
    result.shapes.push_back(std::move(shape));
  }
  return result;
}

}  // namespace vernier::package
