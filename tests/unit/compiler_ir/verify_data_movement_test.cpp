// SPDX-License-Identifier: Apache-2.0
// ERROR_IFs and LEVEL_CHECKs of the operators that move, choose and resample elements.
#include "tests/support/graph_builder.hpp"
#include "tests/unit/compiler_ir/complaint.hpp"

#include <catch2/catch.hpp>

namespace vernier {

using Catch::Matchers::EndsWith;
using ir::OpKind;
using tests::complaint;
using tests::ElementType;
using tests::GraphBuilder;
using tests::Shape;

namespace {

/// An operator on inputs of those shapes (int8), then shape constants of those values.
std::string on_shapes(OpKind kind, const std::vector<Shape>& inputs, const Shape& result,
                      const ir::Attributes& attributes = {}, const std::vector<std::vector<int64_t>>& constants = {},
                      ElementType type = ElementType::Int8) {
  GraphBuilder b;
  std::vector<ir::TensorId> operands;
  for (const Shape& shape : inputs)
    operands.push_back(b.input(fmt::format("x{}", operands.size()), ElementType::Int8, shape));
  for (const auto& values : constants) operands.push_back(b.shape(values));
  return complaint(b.build_unverified({b.op(kind, operands, type, result, attributes)}));
}

}  // namespace

TEST_CASE("CONCAT") {
  const auto concat = [](const std::vector<Shape>& inputs, int64_t axis, const Shape& result) {
    return on_shapes(OpKind::Concat, inputs, result, ir::AxisAttributes{axis});
  };
  CHECK(concat({{2, 3}}, 0, {2, 3}) == "");
  CHECK(concat({{2, 3}, {2, 1}, {2, 4}}, 1, {2, 8}) == "");
  CHECK_THAT(concat({}, 0, {2}), EndsWith(": it has no operands, needed is 1 or more [ConcatNoInputList]"));
  CHECK_THAT(concat(std::vector<Shape>(65, {1}), 0, {65}),
             EndsWith(": the number of operands is 65, allowed are 1 to 64 [MaxTensorListExceeded]"));
  CHECK(concat(std::vector<Shape>(64, {1}), 0, {64}) == "");
  CHECK_THAT(concat({{2, 3}}, 2, {2, 3}), EndsWith(": axis is 2, allowed are 0 to 1 [AxisLargerRank]"));
  CHECK_THAT(concat({{2, 3}}, -1, {2, 3}), EndsWith(": axis is -1, allowed are 0 to 1 [AxisSmallerZero]"));
  CHECK_THAT(
      concat({{2, 3}, {2, 3}, {3, 1}}, 1, {2, 7}),
      EndsWith(
          ": operand 2 has shape [3, 1], operand 0 [2, 3]: they may differ in dimension 1 only [ConcatInputDimMismatch]"));
  CHECK_THAT(
      concat({{2, 3}, {2}}, 1, {2, 4}),
      EndsWith(
          ": operand 1 has shape [2], operand 0 [2, 3]: they may differ in dimension 1 only [ConcatInputRankMismatch]"));
  CHECK_THAT(concat({{2, 3}, {2, 1}}, 1, {2, 5}),
             EndsWith(": the result is declared [2, 5], the operands give [2, 4] [ConcatShapeSumMismatch]"));
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {2}), y = b.input("y", ElementType::Int16, {2});
  CHECK_THAT(complaint(b.build_unverified({b.op(OpKind::Concat, {x, y}, ElementType::Int8, {4}, ir::AxisAttributes{0})})),
             Catch::Contains(": the types are int8 int16 -> int8, allowed are "));
}

TEST_CASE("PAD") {
  const auto pad = [](const std::vector<int64_t>& padding, const Shape& result, const Shape& value = {1}) {
    GraphBuilder b;
    const auto x = b.input("x", ElementType::Int8, {2, 3});
    const auto amounts = b.shape(padding), constant = b.constant(base::Tensor(ElementType::Int8, value));
    return complaint(b.build_unverified({b.op(OpKind::Pad, {x, amounts, constant}, ElementType::Int8, result)}));
  };
  CHECK(pad({1, 0, 2, 3}, {3, 8}) == "");
  CHECK_THAT(pad({1, 0, 2}, {3, 5}), EndsWith(": padding has 3 values, needed are 4 [OperandLengthMismatch]"));
  CHECK_THAT(pad({1, 0, -2, 3}, {3, 4}), EndsWith(": padding is -2, allowed are 0 to 2147483647 [PadSmallerZero]"));
  CHECK_THAT(pad({1, 0, INT64_MAX, 3}, {3, 4}),
             EndsWith(": padding is 9223372036854775807, allowed are 0 to 2147483647 [PadOutputShapeMismatch]"));
  CHECK_THAT(pad({1, 0, 2, 3}, {3, 8}, {2}), EndsWith(": pad_const has shape [2], needed is [1] [OperandLengthMismatch]"));
  CHECK_THAT(pad({1, 0, 2, 3}, {3, 3}),
             EndsWith(": the result is declared [3, 3], the operands give [3, 8] [PadOutputShapeMismatch]"));
}

TEST_CASE("REVERSE, TILE and TRANSPOSE") {
  const auto reverse = [](int64_t axis, const Shape& result) {
    return on_shapes(OpKind::Reverse, {{2, 3}}, result, ir::AxisAttributes{axis});
  };
  CHECK(reverse(1, {2, 3}) == "");
  CHECK_THAT(reverse(2, {2, 3}), EndsWith(": axis is 2, allowed are 0 to 1 [AxisLargerRank]"));
  CHECK_THAT(reverse(-1, {2, 3}), EndsWith(": axis is -1, allowed are 0 to 1 [AxisSmallerZero]"));
  CHECK_THAT(reverse(0, {3, 2}), EndsWith(": the result is declared [3, 2], the operands give [2, 3] [DimensionMismatch]"));
  const auto tile = [](const std::vector<int64_t>& multiples, const Shape& result) {
    return on_shapes(OpKind::Tile, {{2, 3}}, result, {}, {multiples});
  };
  CHECK(tile({1, 4}, {2, 12}) == "");
  CHECK_THAT(tile({1}, {2, 3}), EndsWith(": multiples has 1 values, needed are 2 [OperandLengthMismatch]"));
  CHECK_THAT(tile({1, 0}, {2, 3}),
             EndsWith(": multiples is 0, allowed are 1 to 2147483647 [TileMultiplesOutputShapeMismatch]"));
  CHECK_THAT(tile({INT64_MAX, 1}, {2, 3}),
             EndsWith(": multiples is 9223372036854775807, allowed are 1 to 2147483647 [TileMultiplesOutputShapeMismatch]"));
  CHECK_THAT(tile({1, 4}, {2, 3}),
             EndsWith(": the result is declared [2, 3], the operands give [2, 12] [TileMultiplesOutputShapeMismatch]"));
  const auto transpose = [](const std::vector<int64_t>& perms, const Shape& result) {
    return on_shapes(OpKind::Transpose, {{2, 3, 4}}, result, ir::TransposeAttributes{perms});
  };
  CHECK(transpose({2, 0, 1}, {4, 2, 3}) == "");
  CHECK_THAT(transpose({1, 0}, {3, 2, 4}), EndsWith(": perms has 2 values, needed are 3 [WrongAttribute]"));
  CHECK_THAT(transpose({0, 1, 3}, {2, 3, 4}), EndsWith(": perms is 3, allowed are 0 to 2 [IndexOutsideBounds]"));
  CHECK_THAT(transpose({0, -1, 2}, {2, 3, 4}), EndsWith(": perms is -1, allowed are 0 to 2 [IndexOutsideBounds]"));
  CHECK_THAT(transpose({0, 1, 1}, {2, 3, 3}), EndsWith(": perms [0, 1, 1] names axis 1 twice [IndexUsedTwice]"));
  CHECK_THAT(
      transpose({2, 0, 1}, {3, 4, 2}),
      EndsWith(": the result is declared [3, 4, 2], the operands give [4, 2, 3] [TransposePermsOutputShapeMismatch]"));
}

TEST_CASE("GATHER and SCATTER") {
  const auto gather = [](const Shape& values, const Shape& indices, const Shape& result) {
    GraphBuilder b;
    const auto x = b.input("x", ElementType::Int8, values), i = b.input("i", ElementType::Int32, indices);
    return complaint(b.build_unverified({b.op(OpKind::Gather, {x, i}, ElementType::Int8, result)}));
  };
  CHECK(gather({2, 3, 4}, {2, 7}, {2, 7, 4}) == "");
  CHECK_THAT(gather({2, 3, 4}, {1, 7}, {2, 7, 4}), EndsWith(": values have 2 batches, indices 1 [InputDimensionMismatch]"));
  CHECK_THAT(gather({2, 3, 4}, {2, 7}, {2, 3, 4}),
             EndsWith(": the result is declared [2, 3, 4], the operands give [2, 7, 4] [DimensionMismatch]"));
  const auto scatter = [](const Shape& indices, const Shape& input, const Shape& result) {
    GraphBuilder b;
    const auto x = b.input("x", ElementType::Int8, {2, 3, 4}), i = b.input("i", ElementType::Int32, indices);
    const auto y = b.input("y", ElementType::Int8, input);
    return complaint(b.build_unverified({b.op(OpKind::Scatter, {x, i, y}, ElementType::Int8, result)}));
  };
  CHECK(scatter({2, 2}, {2, 2, 4}, {2, 3, 4}) == "");
  CHECK_THAT(scatter({1, 2}, {2, 2, 4}, {2, 3, 4}),
             EndsWith(": values_in have 2 batches, indices 1 [InputDimensionMismatch]"));
  CHECK_THAT(scatter({2, 2}, {2, 2, 5}, {2, 3, 4}),
             EndsWith(": input has shape [2, 2, 5], needed is [2, 2, 4] [InputDimensionMismatch]"));
  CHECK_THAT(scatter({2, 2}, {2, 2, 4}, {2, 2, 4}),
             EndsWith(": the result is declared [2, 2, 4], the operands give [2, 3, 4] [DimensionMismatch]"));
}

TEST_CASE("ARGMAX, MAX_POOL2D, SELECT, comparisons") {
  const auto argmax = [](int64_t axis, const Shape& result) {
    return on_shapes(OpKind::ArgMax, {{2, 3}}, result, ir::AxisAttributes{axis}, {}, ElementType::Int32);
  };
  CHECK(argmax(0, {3}) == "");
  CHECK_THAT(argmax(2, {2}), EndsWith(": axis is 2, allowed are 0 to 1 [AxisLargerRank]"));
  CHECK_THAT(argmax(-1, {2}), EndsWith(": axis is -1, allowed are 0 to 1 [AxisSmallerZero]"));
  CHECK_THAT(argmax(0, {1, 3}),
             EndsWith(": the result is declared [1, 3], the operands give [3] [ArgmaxOutputRankMismatch]"));
  const auto pool = [](const ir::PoolAttributes& attributes, const Shape& result) {
    return on_shapes(OpKind::MaxPool2d, {{1, 8, 6, 3}}, result, attributes);
  };
  CHECK(pool({{2, 3}, {2, 1}, {0, 0, 1, 1}, ElementType::Int32}, {1, 4, 6, 3}) == "");
  CHECK_THAT(pool({{0, 3}, {2, 1}, {0, 0, 1, 1}, ElementType::Int32}, {1, 4, 6, 3}),
             EndsWith(": kernel is 0, allowed are 1 to 8192 [KernelSmallerOne]"));
  CHECK_THAT(pool({{2, 3}, {2, 0}, {0, 0, 1, 1}, ElementType::Int32}, {1, 4, 6, 3}),
             EndsWith(": stride is 0, allowed are 1 to 8192 [StrideSmallerOne]"));
  CHECK_THAT(pool({{2, 3}, {2, 1}, {0, 0, 3, 1}, ElementType::Int32}, {1, 4, 6, 3}),
             EndsWith(": pad 3 is not less than the kernel's 3 [PadLargerEqualKernel]"));
  CHECK_THAT(pool({{3, 3}, {2, 1}, {0, 0, 1, 1}, ElementType::Int32}, {1, 4, 6, 3}),
             EndsWith(": the output size along y is no whole number: (8 - 1 + 0 + 0 - (3 - 1) * 1) / 2 + 1 "
                      "[PoolingOutputShapeNonInteger]"));
  const auto select = [](const Shape& condition, const Shape& x, const Shape& y, const Shape& result) {
    GraphBuilder b;
    const auto c = b.input("c", ElementType::Bool, condition), p = b.input("x", ElementType::Int8, x),
               q = b.input("y", ElementType::Int8, y);
    return complaint(b.build_unverified({b.op(OpKind::Select, {c, p, q}, ElementType::Int8, result)}));
  };
  CHECK(select({2, 1, 1}, {1, 3, 1}, {1, 1, 4}, {2, 3, 4}) == "");
  CHECK_THAT(select({2, 1}, {2, 3}, {2, 2}, {2, 3}),
             EndsWith(": operands of shapes [2, 3] and [2, 2] do not broadcast in dimension 1 [BroadcastShapesMismatch]"));
  CHECK_THAT(select({2}, {2, 3}, {2, 3}, {2, 3}),
             EndsWith(": operands of shapes [2] and [2, 3] do not broadcast: the ranks differ [RankMismatch]"));
  CHECK_THAT(select({2, 1}, {2, 3}, {2, 3}, {2, 1}),
             EndsWith(": the result is declared [2, 1], the operands give [2, 3] [DimensionMismatch]"));
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {2});
  CHECK_THAT(complaint(b.build_unverified({b.op(OpKind::Equal, {x, x}, ElementType::Bool, {2})})),
             EndsWith(": the types are int8 int8 -> bool, allowed are int32 int32 -> bool [WrongInputType]"));
  b.graph().operators.clear();
  CHECK_THAT(complaint(b.build_unverified({b.op(OpKind::Cast, {x}, ElementType::Int8, {2})})),
             Catch::Contains(": the types are int8 -> int8, allowed are "));
}

TEST_CASE("RESIZE") {
  struct R {
    std::vector<int64_t> scale{4, 2, 3, 1}, offset{-1, 0}, border{1, 0};
    Shape input{1, 3, 2, 5}, result{1, 6, 4, 5};
    bool is_bilinear = true;
    ElementType in = ElementType::Int8, out = ElementType::Int32;
  };
  const auto with = [](const auto& spoil, const ir::Level& level = ir::kLevel8k) {
    R r;
    spoil(r);
    GraphBuilder b;
    const auto x = b.input("x", r.in, r.input), scale = b.shape(r.scale), offset = b.shape(r.offset),
               border = b.shape(r.border);
    return complaint(b.build_unverified({b.op(OpKind::Resize, {x, scale, offset, border}, r.out, r.result,
                                              ir::ResizeAttributes{r.is_bilinear})}),
                     level);
  };
  CHECK(with([](R&) {}) == "");
  CHECK(with([](R& r) { r.is_bilinear = false, r.out = ElementType::Int8; }) == "");
  CHECK(with([](R& r) { r.in = ElementType::Int16, r.out = ElementType::Int48; }) == "");
  CHECK_THAT(with([](R& r) { r.is_bilinear = false; }),
             EndsWith(": NEAREST_NEIGHBOR int8 gives int8, found is int32 [WrongOutputType]"));
  CHECK_THAT(with([](R& r) { r.out = ElementType::Int8; }),
             EndsWith(": BILINEAR int8 gives int32, found is int8 [WrongOutputType]"));
  CHECK_THAT(with([](R& r) { r.in = r.out = ElementType::Int16; }),
             EndsWith(": BILINEAR int16 gives int48, found is int16 [WrongOutputType]"));
  CHECK_THAT(with([](R& r) { r.scale.pop_back(); }),
             EndsWith(": scale has shape [3], needed is [4] [OperandLengthMismatch]"));
  CHECK_THAT(with([](R& r) { r.offset = {0}; }), EndsWith(": offset has shape [1], needed is [2] [OperandLengthMismatch]"));
  CHECK_THAT(with([](R& r) {
               r.border = {0, 0, 0};
             }),
             EndsWith(": border has shape [3], needed is [2] [OperandLengthMismatch]"));
  CHECK_THAT(with([](R& r) { r.input[1] = 16384; }),
             EndsWith(": the input size along y is 16384, allowed are 1 to 16383 [MaxDimExceeded]"));
  CHECK_THAT(with([](R& r) { r.result[2] = 16384; }),
             EndsWith(": the output size along x is 16384, allowed are 1 to 16383 [MaxDimExceeded]"));
  CHECK_THAT(with([](R& r) { r.scale[0] = 0; }),
             EndsWith(": the scale's numerator along y is 0, allowed are 1 to 2048 [ScaleSmallerEqualZero]"));
  CHECK_THAT(with([](R& r) { r.scale[2] = 2049; }),
             EndsWith(": the scale's numerator along x is 2049, allowed are 1 to 2048 [ScaleNLargerMax]"));
  CHECK_THAT(with([](R& r) { r.scale[1] = 0; }),
             EndsWith(": the scale's denominator along y is 0, allowed are 1 to 63 [ScaleSmallerEqualZero]"));
  CHECK_THAT(with([](R& r) { r.scale[3] = 48; }),
             EndsWith(": the scale's denominator along x is 48, allowed are 1 to 47 [ScaleDLargerMax]"));
  CHECK_THAT(with([](R& r) { r.offset[0] = -5; }),
             EndsWith(": the offset along y is -5, allowed are -4 to 63 [OffsetSmallerMin]"));
  CHECK_THAT(with([](R& r) { r.offset[0] = 64; }),
             EndsWith(": the offset along y is 64, allowed are -4 to 63 [OffsetLargerEqualMax]"));
  CHECK_THAT(with([](R& r) { r.border[1] = 3; }),
             EndsWith(": the border along x is 3, allowed are -48 to 2 [BorderLargerEqualMax]"));
  CHECK_THAT(with([](R& r) { r.border[1] = -49; }),
             EndsWith(": the border along x is -49, allowed are -48 to 2 [BorderSmallerMin]"));
  CHECK_THAT(
      with([](R& r) { r.border[0] = 2; }),
      EndsWith(
          ": the output size along y is no whole number: ((3 - 1) * 4 - -1 + 2) / 2 + 1 [ResizeOutputShapeNonInteger]"));
  CHECK_THAT(with([](R& r) { r.result[0] = 2; }),
             EndsWith(": the result is declared [2, 6, 4, 5], the operands give [1, 6, 4, 5] [BatchMismatch]"));
  CHECK_THAT(with([](R& r) { r.result[3] = 6; }),
             EndsWith(": the result is declared [1, 6, 4, 6], the operands give [1, 6, 4, 5] [ChannelMismatch]"));
  CHECK_THAT(with([](R& r) { r.result[1] = 5; }),
             EndsWith(": the result is declared [1, 5, 4, 5], the operands give [1, 6, 4, 5] [ResizeOutputShapeMismatch]"));
  // 257 times is above MAX_SCALE; 513 / 2, an integer division, is not.
  const auto wide = [](int64_t numerator, int64_t denominator) {
    return [=](R& r) {
      r.input[2] = 1;
      r.result[2] = 1;
      r.scale[2] = numerator;
      r.scale[3] = denominator;
    };
  };
  CHECK_THAT(with(wide(257, 1)), EndsWith(": the scale along x is 257, allowed are 0 to 256 [MaxScaleExceeded]"));
  CHECK(with(wide(257, 1), ir::kLevelNone) == "");
  // An ERROR_IF goes before a level check.
  CHECK_THAT(with([&](R& r) {
               wide(257, 1)(r);
               r.result[1] = 5;
             }),
             EndsWith(" [ResizeOutputShapeMismatch]"));
  CHECK(with(wide(513, 2)) == "");
}

}  // namespace vernier
