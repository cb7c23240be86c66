// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/operators/fold.hpp"

#include "compiler/import/tflite/operators/operators.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

namespace vernier::import::lite {

namespace {

using tflite::BuiltinOperator;
using Numbers = std::vector<int64_t>;

bool is_whole(const LiteTensor& tensor) {
  const bool is_type = tensor.type == tflite::TensorType::INT32 || tensor.type == tflite::TensorType::INT64;
  return is_type && tensor.scales.empty();
}

/// A number in the type of the result, which wraps.
int64_t wrapped(int64_t number, const LiteTensor& tensor) {
  return tensor.type == tflite::TensorType::INT64 ? number : static_cast<int32_t>(number);
}

bool has_activation(const LiteOperator& op) {
  const auto has = [](const auto* options) {
    return options != nullptr && options->fused_activation_function() != kNoActivation;
  };
  return has(op.source->builtin_options_as_AddOptions()) || has(op.source->builtin_options_as_SubOptions()) ||
         has(op.source->builtin_options_as_MulOptions());
}

Numbers arithmetic(const Numbers& a, const Numbers& b, BuiltinOperator code) {
  if (a.size() != b.size() && a.size() != 1 && b.size() != 1)
    refuse("{} and {} numbers, expected as many", a.size(), b.size());
  Numbers result;
  for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const auto first = static_cast<uint64_t>(a[a.size() == 1 ? 0 : i]),
               second = static_cast<uint64_t>(b[b.size() == 1 ? 0 : i]);
    result.push_back(static_cast<int64_t>(code == BuiltinOperator::ADD   ? first + second
                                          : code == BuiltinOperator::SUB ? first - second
                                                                         : first * second));
  }
  return result;
}

/// Part of a row; nothing where it is no plain one.
std::optional<Numbers> part_of_row(const LiteLowering& lowering, const LiteOperator& op, const Numbers& row) {
  const Numbers begins = lowering.elements(op, 1, "the begin"), ends = lowering.elements(op, 2, "the end");
  if (begins.size() != 1 || ends.size() != 1) return std::nullopt;
  const int64_t size = std::ssize(row);
  const auto index = [&](int64_t number) { return std::clamp<int64_t>(number < 0 ? number + size : number, 0, size); };
  if (op.code == BuiltinOperator::SLICE) {
    const int64_t begin = index(begins[0]);
    const int64_t end = ends[0] < 0 ? size : begin + std::min(ends[0], size - begin);
    return Numbers(row.begin() + begin, row.begin() + std::max(begin, end));
  }
  const auto& options = options_of(op, &tflite::Operator::builtin_options_as_StridedSliceOptions);
  const Numbers strides = lowering.elements(op, 3, "the strides");
  const bool is_plain =
      strides == Numbers{1} && options.ellipsis_mask() == 0 && options.new_axis_mask() == 0 && !options.offset();
  if (!is_plain) return std::nullopt;
  const int64_t begin = (options.begin_mask() & 1) != 0 ? 0 : index(begins[0]);
  if ((options.shrink_axis_mask() & 1) != 0)
    return begin < size ? std::optional(Numbers{row[static_cast<size_t>(begin)]}) : std::nullopt;
  const int64_t end = (options.end_mask() & 1) != 0 ? size : index(ends[0]);
  return Numbers(row.begin() + begin, row.begin() + std::max(begin, end));
}

std::optional<Numbers> picked(const Numbers& row, const Numbers& indices) {
  Numbers result;
  for (const int64_t at : indices) {
    if (at < 0 || at >= std::ssize(row)) return std::nullopt;
    result.push_back(row[static_cast<size_t>(at)]);
  }
  return result;
}

std::optional<Numbers> numbers_of(const LiteLowering& lowering, const LiteOperator& op) {
  const auto of_input = [&](size_t index) { return lowering.elements(op, index, "a number"); };
  const bool is_row = !op.inputs.empty() && lowering.input(op, 0).shape.size() == 1;
  switch (op.code) {
    case BuiltinOperator::PACK:
    case BuiltinOperator::CONCATENATION: {
      Numbers result;
      for (size_t i = 0; i < op.inputs.size(); ++i) {
        if (lowering.input(op, i).shape.size() > (op.code == BuiltinOperator::PACK ? 0 : 1)) return std::nullopt;
        const Numbers part = of_input(i);
        result.insert(result.end(), part.begin(), part.end());
      }
      return result;
    }
    case BuiltinOperator::ADD:
    case BuiltinOperator::SUB:
    case BuiltinOperator::MUL:
      return has_activation(op) ? std::nullopt : std::optional(arithmetic(of_input(0), of_input(1), op.code));
    case BuiltinOperator::SLICE:
    case BuiltinOperator::STRIDED_SLICE: return is_row ? part_of_row(lowering, op, of_input(0)) : std::nullopt;
    case BuiltinOperator::GATHER: return is_row ? picked(of_input(0), of_input(1)) : std::nullopt;
    case BuiltinOperator::CAST:
    case BuiltinOperator::RESHAPE:
    case BuiltinOperator::SQUEEZE:
    case BuiltinOperator::EXPAND_DIMS: return of_input(0);
    case BuiltinOperator::REDUCE_PROD: {
      if (!is_row) return std::nullopt;
      const Numbers row = of_input(0);
      return Numbers{std::accumulate(row.begin(), row.end(), int64_t{1}, [](int64_t a, int64_t b) {
        return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
      })};
    }
    default: return std::nullopt;
  }
}

}  // namespace

void lower_known(LiteLowering& lowering, const LiteOperator& op) {
  refuse("'{}' of {} is computed, allowed are whole numbers that are known before the network runs",
         lowering.output(op).name, type_in_file(lowering.output(op)));
}

bool fold(LiteLowering& lowering, const LiteOperator& op) {
  if (op.outputs.size() != 1 || op.inputs.empty() || !is_whole(lowering.output(op))) return false;
  const LiteTensor& output = lowering.output(op);
  std::optional<Numbers> numbers;
  if (op.code == BuiltinOperator::SHAPE) {
    numbers = lowering.input(op, 0).shape;
  } else {
    constexpr int64_t kMostNumbers = 1000;  // of a shape; constants of the network's arithmetic stay operators
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const bool is_small = lowering.has_input(op, i) && is_whole(lowering.input(op, i)) &&
                            base::num_elements(lowering.input(op, i).shape) <= kMostNumbers;
      if (!is_small || !lowering.is_known(op, i)) return false;
    }
    numbers = numbers_of(lowering, op);
  }
  if (!numbers || std::ssize(*numbers) != base::num_elements(output.shape)) return false;
  for (int64_t& number : *numbers) number = wrapped(number, output);
  lowering.define_known(op.outputs[0], std::move(*numbers));
  return true;
}

}  // namespace vernier::import::lite
