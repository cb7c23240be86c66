// SPDX-License-Identifier: Apache-2.0
// Sums along axes and products of matrices: added up in float64, then rounded to float32 once; and what is the greatest or
// least along axes.
#include "sim/flow/host/host_operators.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vernier::flow {

using package::HostOperator;

std::vector<float> run_blend(const package::HostStep& step, const HostOperands& operands, const base::Shape& shape) {
  const std::vector<int64_t>& d = step.dimensions;
  const AlongAxis from = along_axis(operands[0]->shape, d[0]), to = along_axis(shape, d[0]);
  const auto taps = static_cast<size_t>(d[1]);
  std::vector<float> result(to.outer * to.size * to.inner);
  for (size_t o = 0; o < to.outer; ++o) {
    for (size_t a = 0; a < to.size; ++a) {
      for (size_t i = 0; i < to.inner; ++i) {
        double sum = 0;
        for (size_t tap = 0; tap < taps; ++tap) {
          const auto at = static_cast<size_t>(d[2 + a * taps + tap]);
          sum += double{step.numbers[a * taps + tap]} * double{operands[0]->numbers[(o * from.size + at) * from.inner + i]};
        }
        result[(o * to.size + a) * to.inner + i] = static_cast<float>(sum);
      }
    }
  }
  return result;
}

std::vector<float> run_reduction(const package::HostStep& step, const HostOperands& operands, const base::Shape& shape) {
  const HostArray& value = *operands[0];
  const HostOperator kind = step.kind;
  const bool is_max = kind == HostOperator::ReduceMax, is_min = kind == HostOperator::ReduceMin;
  const double start = is_max   ? -std::numeric_limits<double>::infinity()
                       : is_min ? std::numeric_limits<double>::infinity()
                                : (kind == HostOperator::ReduceProd ? 1 : 0);
  std::vector<double> sums(static_cast<size_t>(base::num_elements(shape)), start);
  // The result's place does not move along dimensions that it has once.
  for_each_place(value.shape, strides_along(shape, value.shape), [&](size_t i, size_t place) {
    double& sum = sums[place];
    const double number = value.numbers[i];
    if (std::isnan(sum)) return;
    if (is_max || is_min) {
      if (std::isnan(number) || (is_max ? number > sum : number < sum)) sum = number;
    } else if (kind == HostOperator::ReduceProd) {
      sum *= number;
    } else {
      sum += number;
    }
  });
  const double count =
      kind == HostOperator::ReduceMean ? static_cast<double>(value.numbers.size()) / static_cast<double>(sums.size()) : 1;
  std::vector<float> result;
  result.reserve(sums.size());
  for (const double sum : sums) result.push_back(static_cast<float>(sum / count));
  return result;
}

std::vector<float> run_search(const package::HostStep& step, const HostOperands& operands, const base::Shape& /*shape*/) {
  const HostArray& value = *operands[0];
  const AlongAxis along = along_axis(value.shape, step.dimensions[0]);
  const bool is_max = step.kind == HostOperator::ArgMax, takes_last = step.dimensions[1] != 0;
  std::vector<float> result(along.outer * along.inner);
  for (size_t o = 0; o < along.outer; ++o) {
    for (size_t i = 0; i < along.inner; ++i) {
      const auto at = [&](size_t a) { return value.numbers[(o * along.size + a) * along.inner + i]; };
      size_t best = 0;
      for (size_t a = 1; a < along.size; ++a) {
        const bool is_better = is_max ? at(a) > at(best) : at(a) < at(best);
        if (is_better || (takes_last && at(a) == at(best))) best = a;
      }
      result[o * along.inner + i] = static_cast<float>(best);
    }
  }
  return result;
}

namespace {

/// One product of matrices: result[row][column] of `columns`.
struct MatrixProduct {
  const float *a, *b;
  size_t rows, inner, columns;
};

void multiply(const MatrixProduct& product, float* result) {
  std::vector<double> sums(product.columns);
  for (size_t row = 0; row < product.rows; ++row) {
    std::fill(sums.begin(), sums.end(), 0);
    for (size_t k = 0; k < product.inner; ++k) {
      const double factor = product.a[row * product.inner + k];
      const float* other = product.b + k * product.columns;
      for (size_t column = 0; column < product.columns; ++column) sums[column] += factor * double{other[column]};
    }
    for (size_t column = 0; column < product.columns; ++column)
      result[row * product.columns + column] = static_cast<float>(sums[column]);
  }
}

}  // namespace

std::vector<float> run_matmul(const package::HostStep& /*step*/, const HostOperands& operands, const base::Shape& shape) {
  const HostArray &a = *operands[0], &b = *operands[1];
  const size_t rank = shape.size();
  MatrixProduct product{nullptr, nullptr, static_cast<size_t>(shape[rank - 2]), static_cast<size_t>(a.shape.back()),
                        static_cast<size_t>(shape[rank - 1])};
  const auto batch_of = [](const base::Shape& from) { return base::Shape(from.begin(), from.end() - 2); };
  const base::Shape batch = batch_of(shape);
  std::vector<size_t> first(static_cast<size_t>(base::num_elements(batch)));
  for_each_place(batch, strides_along(batch_of(a.shape), batch), [&](size_t i, size_t place) { first[i] = place; });
  std::vector<float> result(static_cast<size_t>(base::num_elements(shape)));
  for_each_place(batch, strides_along(batch_of(b.shape), batch), [&](size_t i, size_t place) {
    product.a = a.numbers.data() + first[i] * product.rows * product.inner;
    product.b = b.numbers.data() + place * product.inner * product.columns;
    multiply(product, result.data() + i * product.rows * product.columns);
  });
  return result;
}

}  // namespace vernier::flow
