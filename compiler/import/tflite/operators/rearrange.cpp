// SPDX-License-Identifier: Apache-2.0
// SPACE_TO_DEPTH, SPACE_TO_BATCH_ND and their opposites, TILE, BROADCAST_TO, REVERSE_V2.
#include "compiler/import/tflite/operators/operators.hpp"

#include <algorithm>
#include <numeric>

namespace vernier::import::lite {

namespace {

using ir::OpKind;
using tflite::BuiltinOperator;

void check_rank(const LiteTensor& tensor, size_t rank) {
  if (tensor.shape.size() != rank)
    refuse("'{}' is {}, expected {} dimensions", tensor.name, base::to_string(tensor.shape), rank);
}

/// Elements as `split` says, then in another order, then as the result has them.
void finish_moved(LiteLowering& lowering, const LiteOperator& op, Id from, const base::Shape& split,
                  const std::vector<int64_t>& order, const base::Shape& shape) {
  const Id moved = lowering.transpose(op, lowering.reshape(op, from, split, "split"), order, "moved");
  lowering.finish(op, lowering.reshape(op, moved, shape, "shaped"));
}

Id padded(LiteLowering& lowering, const LiteOperator& op, const std::vector<int64_t>& padding) {
  const Id from = lowering.value(op, 0);
  if (std::all_of(padding.begin(), padding.end(), [](int64_t one) { return one == 0; })) return from;
  return lowering.pad(op, from, padding, padding_code(lowering.input(op, 0)), "padded");
}

/// Numbers that stand in a constant, each from `least` to 2^31 - 1.
std::vector<int64_t> numbers_of(const LiteLowering& lowering, const LiteOperator& op, size_t index, const char* what,
                                size_t count, int64_t least) {
  std::vector<int64_t> numbers = lowering.elements(op, index, what);
  if (numbers.size() != count ||
      std::any_of(numbers.begin(), numbers.end(), [&](int64_t one) { return one < least || one >= int64_t{1} << 31; }))
    refuse("{} {} are not {} numbers from {} to 2^31 - 1", what, base::to_string(numbers), count, least);
  return numbers;
}

}  // namespace

void lower_blocks(LiteLowering& lowering, const LiteOperator& op) {
  const LiteTensor &input = lowering.input(op, 0), &output = lowering.output(op);
  check_same_scale(input, output);
  check_rank(input, 4);
  const base::Shape& from = input.shape;
  const bool is_to_depth = op.code == BuiltinOperator::SPACE_TO_DEPTH;
  const int64_t block = is_to_depth ? options_of(op, &tflite::Operator::builtin_options_as_SpaceToDepthOptions).block_size()
                                    : options_of(op, &tflite::Operator::builtin_options_as_DepthToSpaceOptions).block_size();
  if (block < 1) refuse("blocks of {}, allowed are 1 and more", block);
  if (is_to_depth) {
    if (from[1] % block != 0 || from[2] % block != 0) refuse("{} in blocks of {}", base::to_string(from), block);
    return finish_moved(lowering, op, lowering.value(op, 0),
                        {from[0], from[1] / block, block, from[2] / block, block, from[3]}, {0, 1, 3, 2, 4, 5},
                        {from[0], from[1] / block, from[2] / block, block * block * from[3]});
  }
  if (from[3] / block % block != 0 || from[3] % block != 0) refuse("{} in blocks of {}", base::to_string(from), block);
  const int64_t depth = from[3] / block / block;
  finish_moved(lowering, op, lowering.value(op, 0), {from[0], from[1], from[2], block, block, depth}, {0, 1, 3, 2, 4, 5},
               {from[0], from[1] * block, from[2] * block, depth});
}

void lower_batch_blocks(LiteLowering& lowering, const LiteOperator& op) {
  const LiteTensor &input = lowering.input(op, 0), &output = lowering.output(op);
  check_same_scale(input, output);
  const size_t sides = lowering.elements(op, 1, "the blocks").size(), rank = input.shape.size();
  if (sides == 0 || rank < sides + 1) refuse("{} blocks for {}", sides, base::to_string(input.shape));
  const std::vector<int64_t> blocks = numbers_of(lowering, op, 1, "the blocks", sides, 1);
  const std::vector<int64_t> border = numbers_of(lowering, op, 2, "the border", 2 * sides, 0);
  const int64_t all = std::accumulate(blocks.begin(), blocks.end(), int64_t{1},
                                      [](int64_t a, int64_t b) { return std::min(a * b, int64_t{1} << 31); });
  base::Shape split, shape;
  std::vector<int64_t> order;
  if (op.code == BuiltinOperator::SPACE_TO_BATCH_ND) {
    std::vector<int64_t> padding(2 * rank, 0);
    std::copy(border.begin(), border.end(), padding.begin() + 2);
    const Id from = padded(lowering, op, padding);
    const base::Shape whole = lowering.shape_of(from);
    split = shape = {whole[0]};
    shape[0] *= all;
    for (size_t i = 0; i < sides; ++i) {
      if (whole[1 + i] % blocks[i] != 0) refuse("{} in blocks of {}", base::to_string(whole), base::to_string(blocks));
      split.insert(split.end(), {whole[1 + i] / blocks[i], blocks[i]});
      shape.push_back(whole[1 + i] / blocks[i]);
      order.push_back(static_cast<int64_t>(2 + 2 * i));
    }
    order.push_back(0);
    for (size_t i = 0; i < sides; ++i) order.push_back(static_cast<int64_t>(1 + 2 * i));
    for (size_t i = 1 + sides; i < rank; ++i) {
      order.push_back(std::ssize(split));
      split.push_back(whole[i]);
      shape.push_back(whole[i]);
    }
    return finish_moved(lowering, op, from, split, order, shape);
  }
  if (input.shape[0] % all != 0) refuse("{} in blocks of {}", base::to_string(input.shape), base::to_string(blocks));
  split = blocks;
  split.push_back(input.shape[0] / all);
  order.push_back(static_cast<int64_t>(sides));
  shape.push_back(input.shape[0] / all);
  std::vector<int64_t> begin(rank, 0);
  base::Shape cut{shape[0]};
  for (size_t i = 0; i < sides; ++i) {
    order.insert(order.end(), {std::ssize(split), static_cast<int64_t>(i)});
    split.push_back(input.shape[1 + i]);
    shape.push_back(input.shape[1 + i] * blocks[i]);
    begin[1 + i] = border[2 * i];
    cut.push_back(shape.back() - border[2 * i] - border[2 * i + 1]);
    if (cut.back() < 1) refuse("a border of {} cuts all of {}", base::to_string(border), base::to_string(shape));
  }
  for (size_t i = 1 + sides; i < rank; ++i) {
    order.push_back(std::ssize(split));
    split.push_back(input.shape[i]);
    shape.push_back(input.shape[i]);
    cut.push_back(input.shape[i]);
  }
  const Id moved = lowering.transpose(op, lowering.reshape(op, lowering.value(op, 0), split, "split"), order, "moved");
  lowering.finish(op, lowering.slice(op, lowering.reshape(op, moved, shape, "shaped"), begin, cut, "cut"));
}

void lower_repeat(LiteLowering& lowering, const LiteOperator& op) {
  const LiteTensor &input = lowering.input(op, 0), &output = lowering.output(op);
  check_same_scale(input, output);
  base::Shape from = input.shape;
  std::vector<int64_t> times;
  if (op.code == BuiltinOperator::TILE) {
    times = numbers_of(lowering, op, 1, "the times", from.size(), 1);
  } else {
    const base::Shape wanted = lowering.elements(op, 1, "the shape");
    if (wanted.size() < from.size()) refuse("{} becomes {}", base::to_string(from), base::to_string(wanted));
    from.insert(from.begin(), wanted.size() - from.size(), 1);
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i] != from[i] && from[i] != 1) refuse("{} becomes {}", base::to_string(from), base::to_string(wanted));
      times.push_back(wanted[i] == from[i] ? 1 : wanted[i]);
    }
  }
  const Id shaped = lowering.reshape(op, lowering.value(op, 0), from, "shaped");
  if (std::all_of(times.begin(), times.end(), [](int64_t one) { return one == 1; })) return lowering.finish(op, shaped);
  base::Shape shape = from;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (times[i] < 1 || times[i] >= int64_t{1} << 31) refuse("{} times {}", base::to_string(times), base::to_string(from));
    shape[i] *= times[i];
  }
  if (shape != output.shape)
    refuse("the result is {}, and '{}' has {}", base::to_string(shape), output.name, base::to_string(output.shape));
  lowering.finish(op, lowering.add(op, OpKind::Tile, {}, {shaped, lowering.graph.add_shape(times)},
                                   lowering.graph.tensor(shaped).type, shape, "repeated"));
}

void lower_reverse(LiteLowering& lowering, const LiteOperator& op) {
  const LiteTensor& input = lowering.input(op, 0);
  check_same_scale(input, lowering.output(op));
  Id result = lowering.value(op, 0);
  for (const int64_t dimension : lowering.elements(op, 1, "the dimensions")) {
    const auto axis = static_cast<int64_t>(dimension_of(dimension, input.shape.size()));
    result = lowering.add(op, OpKind::Reverse, ir::AxisAttributes{axis}, {result}, lowering.graph.tensor(result).type,
                          input.shape, "reversed");
  }
  lowering.finish(op, result);
}

}  // namespace vernier::import::lite
