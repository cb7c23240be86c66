// SPDX-License-Identifier: Apache-2.0
// The names of broken rules: the table of them, and the rules of every operator that the conformance suite has no test of.
#include "compiler/ir/error_if.hpp"

#include "tests/support/graph_builder.hpp"
#include "tests/unit/compiler_ir/complaint.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

namespace vernier {

using Catch::Matchers::EndsWith;
using ir::ErrorIfOrigin;
using ir::OpKind;
using tests::complaint;
using tests::ElementType;
using tests::GraphBuilder;
using tests::Shape;

namespace {

std::string abs_complaint(ElementType in, ElementType out, const Shape& shape, const Shape& result,
                          const ir::Level& level = ir::kLevel8k) {
  GraphBuilder b;
  return complaint(b.build_unverified({b.op(OpKind::Abs, {b.input("x", in, shape)}, out, result)}), level);
}

}  // namespace

TEST_CASE("each rule has a name of its own, and the suite's 76 are among them") {
  std::set<std::string_view> names, meanings;
  for (const ir::ErrorIfInfo& info : ir::error_if_table()) {
    CHECK(ir::to_string(info.rule) == info.name);
    CHECK(std::all_of(info.name.begin(), info.name.end(), [](char c) { return std::isalnum(c) != 0; }));
    names.insert(info.name);
    meanings.insert(info.meaning);
  }
  CHECK(names.size() == ir::error_if_table().size());
  CHECK(meanings.size() == names.size());
  CHECK(std::ranges::count(ir::error_if_table(), ErrorIfOrigin::Suite, &ir::ErrorIfInfo::origin) == 76);
}

TEST_CASE("the name stands behind the message, which stays one line") {
  const base::UserError error = ir::broken_rule(ir::ErrorIf::MaxSmallerMin, "net.tosa", "max {} is less than\nmin {}", 2, 3);
  CHECK(std::string(error.what()) ==
        std::string(base::UserError("net.tosa", "max 2 is less than\nmin 3").what()) + " [MaxSmallerMin]");
}

TEST_CASE("wrong types: of the operands, else of the result, else of the bias") {
  CHECK(abs_complaint(ElementType::Int32, ElementType::Int32, {2}, {2}) == "");
  CHECK_THAT(abs_complaint(ElementType::Int8, ElementType::Int8, {2}, {2}), EndsWith(" [WrongInputType]"));
  CHECK_THAT(abs_complaint(ElementType::Int8, ElementType::Int32, {2}, {2}), EndsWith(" [WrongInputType]"));
  CHECK_THAT(abs_complaint(ElementType::Int32, ElementType::Int8, {2}, {2}), EndsWith(" [WrongOutputType]"));
  const auto conv = [](ElementType input, ElementType weight, ElementType bias, ElementType result, int64_t weight_zp = 0) {
    GraphBuilder b;
    const auto x = b.input("x", input, {1, 2, 2, 1});
    const auto w = b.constant(base::Tensor(weight, {1, 1, 1, 1})), c = b.constant(base::Tensor(bias, {1}));
    const auto x_zp = b.scalar(input, 0), w_zp = b.scalar(weight, weight_zp);
    const ir::ConvAttributes attributes{{0, 0, 0, 0}, {1, 1}, {1, 1}, result};
    return complaint(b.build_unverified({b.op(OpKind::Conv2d, {x, w, c, x_zp, w_zp}, result, {1, 2, 2, 1}, attributes)}));
  };
  using enum ElementType;
  CHECK(conv(Int8, Int8, Int32, Int32, 5) == "");
  CHECK(conv(Int8, Int4, Int32, Int32) == "");
  CHECK(conv(Int16, Int8, Int48, Int48, 5) == "");
  CHECK_THAT(conv(Int8, Int16, Int32, Int32), EndsWith(" [WrongInputType]"));
  CHECK_THAT(conv(Int16, Int4, Int48, Int48), EndsWith(" [WrongInputType]"));
  CHECK_THAT(conv(Int8, Int8, Int48, Int32), EndsWith(" [WrongBiasType]"));
  CHECK_THAT(conv(Int16, Int8, Int32, Int48), EndsWith(" [WrongBiasType]"));
  CHECK_THAT(conv(Int8, Int8, Int32, Int48), EndsWith(" [WrongOutputType]"));
  CHECK_THAT(conv(Int8, Int4, Int32, Int32, 1),
             EndsWith(": weight_zp is 1, for int4 it has to be 0 [WeightZeroPointNotZero]"));
}

TEST_CASE("lists of operands and results, and what has to have rank 1") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int32, {2});
  const auto one = [&b](ir::TensorId y) {
    const std::string text = complaint(b.build_unverified({y}));
    b.graph().operators.clear();
    return text;
  };
  CHECK_THAT(one(b.op(OpKind::Add, {x}, ElementType::Int32, {2})), EndsWith(" [WrongInputList]"));
  CHECK_THAT(one(b.op(OpKind::Add, {x, x, x}, ElementType::Int32, {2})), EndsWith(" [WrongInputList]"));
  const auto sum = b.op(OpKind::Add, {x, x}, ElementType::Int32, {2});
  const auto second = b.op(OpKind::Abs, {x}, ElementType::Int32, {2});
  b.graph().operators[0].outputs.push_back(second);
  b.graph().operators.pop_back();
  CHECK_THAT(one(sum), EndsWith(" [WrongOutputList]"));
  for (const Shape& shape : {Shape{}, Shape{1, 1}}) {
    const auto shift = b.constant(base::Tensor(ElementType::Int8, shape));
    CHECK_THAT(one(b.op(OpKind::Mul, {x, x, shift}, ElementType::Int32, {2})),
               EndsWith("needed is 1 [InputRank1WrongRank]"));
  }
}

TEST_CASE("levels of tensors and lists") {
  const Shape deep{1, 1, 1, 1, 1, 1, 1};
  CHECK_THAT(abs_complaint(ElementType::Int32, ElementType::Int32, deep, deep),
             EndsWith(" has rank 7, level 8K allows 0 to 6 [WrongRank]"));
  CHECK_THAT(abs_complaint(ElementType::Int32, ElementType::Int32, deep, deep, ir::kLevelNone),
             EndsWith(" has rank 7, the NPU takes ranks up to 6"));  // no rule of TOSA
  CHECK_THAT(abs_complaint(ElementType::Int32, ElementType::Int32, {1 << 29}, {1 << 29}),
             EndsWith(" level 8K allows less than 2^31 bytes [MaxTensorSizeExceeded]"));
  CHECK(abs_complaint(ElementType::Int32, ElementType::Int32, {1 << 29}, {1 << 29}, ir::kLevelNone) == "");
  // An ERROR_IF of the operator goes before a level check of its result.
  CHECK_THAT(abs_complaint(ElementType::Int32, ElementType::Int32, {2}, {1 << 29}), EndsWith(" [DimensionMismatch]"));
  const auto concat = [](size_t count, const ir::Level& level, const Shape& result) {
    GraphBuilder b;
    const std::vector<ir::TensorId> operands(count, b.input("x", ElementType::Int8, {1}));
    return complaint(b.build_unverified({b.op(OpKind::Concat, operands, ElementType::Int8, result, ir::AxisAttributes{0})}),
                     level);
  };
  CHECK(concat(256, ir::kLevelNone, {256}) == "");
  CHECK_THAT(concat(257, ir::kLevelNone, {257}), EndsWith(" is 257, allowed are 1 to 256 [MaxTensorListExceeded]"));
  CHECK_THAT(concat(65, ir::kLevel8k, {64}), EndsWith(" [ConcatShapeSumMismatch]"));
}

TEST_CASE("a result with an impossible dimension is its operator's mistake, where that breaks a rule") {
  const auto conv = [](int64_t stride, const Shape& result) {
    GraphBuilder b;
    const auto x = b.input("x", ElementType::Int8, {1, 8, 8, 1});
    const auto w = b.constant(base::Tensor(ElementType::Int8, {1, 1, 1, 1}));
    const auto bias = b.constant(base::Tensor(ElementType::Int32, {1}));
    const auto zp = b.scalar(ElementType::Int8, 0);
    const ir::ConvAttributes attributes{{0, 0, 0, 0}, {stride, stride}, {1, 1}, ElementType::Int32};
    return complaint(
        b.build_unverified({b.op(OpKind::Conv2d, {x, w, bias, zp, zp}, ElementType::Int32, result, attributes)}));
  };
  CHECK_THAT(conv(-3, {1, -1, -1, 1}), EndsWith(": stride is -3, allowed are 1 to 8192 [StrideSmallerOne]"));
  CHECK_THAT(conv(1, {1, -1, 8, 1}), EndsWith(" the operands give [1, 8, 8, 1] [ConvOutputShapeMismatch]"));
  // TRANSPOSE_CONV2D whose pads take everything away: no rule of its own is broken.
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {1, 1, 1, 1});
  const auto w = b.constant(base::Tensor(ElementType::Int8, {1, 2, 2, 1}));
  const auto bias = b.constant(base::Tensor(ElementType::Int32, {1}));
  const auto zp = b.scalar(ElementType::Int8, 0);
  const ir::TransposeConvAttributes attributes{{-1, -1, 0, 0}, {1, 1}, ElementType::Int32};
  CHECK_THAT(complaint(b.build_unverified(
                 {b.op(OpKind::TransposeConv2d, {x, w, bias, zp, zp}, ElementType::Int32, {1, 0, 2, 1}, attributes)})),
             EndsWith(" has a dimension of 0, allowed are 1 to 2147483647"));
}

}  // namespace vernier
