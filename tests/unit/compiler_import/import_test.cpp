// SPDX-License-Identifier: Apache-2.0
// What good files become.
#include "tests/unit/compiler_import/tosa_file_builder.hpp"

#include <catch2/catch.hpp>

namespace vernier {

using tests::TosaFileBuilder;
using tests::two_operators;
using tosa::DType;
using tosa::Op;

TEST_CASE("a file with operators in any order becomes a sorted graph") {
  TosaFileBuilder file = two_operators();
  std::swap(file.block().operators[0], file.block().operators[1]);
  file.tensor("listed, never used", {-1}, DType::FP32);
  const ir::Graph graph = file.import();
  REQUIRE(graph.operators.size() == 2);
  CHECK(graph.operators[0].kind == ir::OpKind::Abs);
  CHECK(graph.operators[1].kind == ir::OpKind::Clz);
  CHECK(graph.tensors.size() == 3);
  CHECK(graph.tensor(graph.inputs.at(0)).name == "x");
  CHECK(graph.tensor(graph.outputs.at(0)).name == "y");
  CHECK(graph.tensor(graph.outputs[0]).shape == base::Shape{2, 3});
}

TEST_CASE("the main region is found by its name") {
  TosaFileBuilder file = two_operators();
  auto other = std::make_unique<tosa::TosaRegionT>();
  other->name = "then_0";
  file.graph.regions.insert(file.graph.regions.begin(), std::move(other));
  CHECK(file.complaint() == "");
}

TEST_CASE("constants are unpacked from their storage, padded or not") {
  const auto constant_of = [](DType type, std::vector<int32_t> shape, std::vector<uint8_t> data) {
    TosaFileBuilder file;
    file.constant("c", std::move(shape), type, std::move(data));
    file.block().outputs = {"c"};
    const ir::Graph graph = file.import();
    std::vector<int64_t> values;
    const base::Tensor& tensor = *graph.tensor(graph.outputs.at(0)).constant;
    for (int64_t i = 0; i < tensor.size(); ++i) values.push_back(tensor.at(i));
    return values;
  };
  using Values = std::vector<int64_t>;
  CHECK(constant_of(DType::INT8, {3}, {1, 0x80, 0xff, 0, 0, 0, 0, 0}) == Values{1, -128, -1});
  CHECK(constant_of(DType::INT16, {1, 2}, {1, 2, 0, 0x80}) == Values{513, -32768});
  CHECK(constant_of(DType::INT32, {}, {4, 3, 2, 0xff}) == Values{-16645372});
  CHECK(constant_of(DType::INT4, {3}, {0x97, 0x0f}) == Values{7, -7, -1});
  CHECK(constant_of(DType::INT48, {2}, {1, 2, 3, 4, 5, 6, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff}) ==
        Values{0x060504030201, -2});
  CHECK(constant_of(DType::BOOL, {3}, {0, 1, 2}) == Values{0, 1, 1});
}

TEST_CASE("shapes are constants of their own, rank 0 included") {
  TosaFileBuilder file;
  file.input("x", {1, 1}, DType::INT8);
  file.shape("s", 0, {});
  file.tensor("y", {}, DType::INT8);
  file.shape("s2", 3, {1, 1, 1});
  file.tensor("z", {1, 1, 1}, DType::INT8);
  file.op(Op::RESHAPE, {"x", "s"}, {"y"});
  file.op(Op::RESHAPE, {"y", "s2"}, {"z"});
  file.block().outputs = {"z"};
  const ir::Graph graph = file.import();
  CHECK(graph.tensor(graph.operators[0].inputs[1]).shape == base::Shape{0});
  const base::Tensor& shape = *graph.tensor(graph.operators[1].inputs[1]).constant;
  CHECK(shape.type() == base::ElementType::Shape);
  CHECK(shape.size() == 3);
  CHECK(shape.at(2) == 1);
}

TEST_CASE("attributes arrive in their operators") {
  TosaFileBuilder file;
  file.input("x", {1, 5, 4, 2}, DType::INT8);
  file.constant("w", {3, 3, 2, 2}, DType::INT8, std::vector<uint8_t>(36, 1));
  file.constant("b", {3}, DType::INT32, std::vector<uint8_t>(12, 0));
  file.constant("zp", {1}, DType::INT8, {5});
  file.constant("m", {3}, DType::INT32, std::vector<uint8_t>(12, 1));
  file.constant("s", {3}, DType::INT8, {30, 31, 32});
  file.constant("zp32", {1}, DType::INT32, std::vector<uint8_t>(4, 0));
  file.tensor("acc", {1, 2, 4, 3}, DType::INT32);
  file.tensor("r", {1, 2, 4, 3}, DType::INT8);
  file.tensor("c", {1, 2, 4, 3}, DType::INT8);
  file.tensor("p", {1, 1, 4, 3}, DType::INT8);
  file.tensor("q", {1, 1, 1, 3}, DType::INT8);
  file.tensor("h", {1, 1, 1, 3}, DType::INT8);
  tosa::Conv2dAttributeT conv;
  conv.pad = {1, 2, 1, 2};
  conv.stride = {3, 1};
  conv.dilation = {2, 3};
  conv.acc_type = DType::INT32;
  file.op(Op::CONV2D, {"x", "w", "b", "zp", "zp"}, {"acc"}).attribute.Set(conv);
  tosa::RescaleAttributeT rescale;
  rescale.scale32 = rescale.per_channel = true;
  rescale.rounding_mode = tosa::RoundingMode::DOUBLE_ROUND;
  file.op(Op::RESCALE, {"acc", "m", "s", "zp32", "zp"}, {"r"}).attribute.Set(rescale);
  tosa::ClampAttributeT clamp;
  clamp.min_val = {0xfe, 0, 0, 0, 0, 0, 0, 0};
  clamp.max_val = {100};
  file.op(Op::CLAMP, {"r"}, {"c"}).attribute.Set(clamp);
  tosa::AvgPool2dAttributeT pool;
  pool.kernel = {2, 1};
  pool.stride = {2, 1};
  pool.pad = {0, 0, 0, 0};
  pool.acc_type = DType::INT32;
  file.op(Op::AVG_POOL2D, {"c", "zp", "zp"}, {"p"}).attribute.Set(pool);
  tosa::ReduceMaxAttributeT reduce;
  reduce.axis = 2;
  file.op(Op::REDUCE_MAX, {"p"}, {"q"}).attribute.Set(reduce);
  tosa::ArithmeticRightShiftAttributeT shift;
  shift.round = true;
  file.op(Op::ARITHMETIC_RIGHT_SHIFT, {"q", "q"}, {"h"}).attribute.Set(shift);
  file.block().operators.back()->location = std::make_unique<tosa::OpLocationT>();
  file.block().operators.back()->location->text = "loc(\"a;b\"(\"f.tflite\":0:0))";
  file.block().outputs = {"h"};
  const ir::Graph graph = file.import();
  REQUIRE(graph.operators.size() == 6);
  CHECK(graph.operators[0].attributes_as<ir::ConvAttributes>() ==
        ir::ConvAttributes{{1, 2, 1, 2}, {3, 1}, {2, 3}, base::ElementType::Int32});
  CHECK(graph.operators[1].attributes_as<ir::RescaleAttributes>() ==
        ir::RescaleAttributes{true, spec::Rounding::Double, true, false, false});
  CHECK(graph.operators[2].attributes_as<ir::ClampAttributes>() == ir::ClampAttributes{-2, 100});
  CHECK(graph.operators[3].attributes_as<ir::PoolAttributes>() ==
        ir::PoolAttributes{{2, 1}, {2, 1}, {0, 0, 0, 0}, base::ElementType::Int32});
  CHECK(graph.operators[4].attributes_as<ir::AxisAttributes>() == ir::AxisAttributes{2});
  CHECK(graph.operators[5].attributes_as<ir::ShiftAttributes>() == ir::ShiftAttributes{true});
  CHECK(graph.operators[5].location == "a;b");
  CHECK(graph.operators[0].location.empty());
}

TEST_CASE("attributes of operators by themselves") {
  using Shape = std::vector<int32_t>;
  const auto attributes_of = [](Op kind, const Shape& in, const Shape& out, DType out_type, auto attribute,
                                const std::vector<std::string>& others = {}) {
    TosaFileBuilder file;
    file.input("x", in, DType::INT8);
    file.input("b", {1, 2}, DType::BOOL);
    file.constant("w", {1, 2, 2, 2}, DType::INT8, std::vector<uint8_t>(8, 1));
    file.constant("w3", {1, 1, 2, 2, 2}, DType::INT8, std::vector<uint8_t>(8, 1));
    file.constant("bias", {1}, DType::INT32, std::vector<uint8_t>(4, 0));
    file.constant("zp", {1}, DType::INT8, {0});
    file.shape("scale", 4, {4, 2, 4, 2});
    file.shape("zero", 2, {0, 0});
    file.tensor("y", out, out_type);
    std::vector<std::string> inputs = others;
    if (inputs.empty() || inputs[0] != "b") inputs.insert(inputs.begin(), "x");
    file.op(kind, inputs, {"y"}).attribute.Set(attribute);
    file.block().outputs = {"y"};
    return file.import().operators.at(0).attributes;
  };
  tosa::TransposeConv2dAttributeT transpose_conv;
  transpose_conv.out_pad = {-1, 0, 1, 2};
  transpose_conv.stride = {3, 2};
  transpose_conv.acc_type = DType::INT32;
  CHECK(attributes_of(Op::TRANSPOSE_CONV2D, {1, 2, 3, 2}, {1, 4, 9, 1}, DType::INT32, transpose_conv,
                      {"w", "bias", "zp", "zp"}) ==
        ir::Attributes{ir::TransposeConvAttributes{{-1, 0, 1, 2}, {3, 2}, base::ElementType::Int32}});
  tosa::Conv3dAttributeT conv;
  conv.pad = {1, 0, 0, 1, 0, 0};
  conv.stride = {1, 1, 2};
  conv.dilation = {3, 1, 1};
  conv.acc_type = DType::INT32;
  CHECK(attributes_of(Op::CONV3D, {1, 1, 2, 4, 2}, {1, 2, 2, 2, 1}, DType::INT32, conv, {"w3", "bias", "zp", "zp"}) ==
        ir::Attributes{ir::ConvAttributes{{1, 0, 0, 1, 0, 0}, {1, 1, 2}, {3, 1, 1}, base::ElementType::Int32}});
  tosa::MaxPool2dAttributeT pool;
  pool.kernel = {2, 3};
  pool.stride = {1, 2};
  pool.pad = {1, 0, 0, 2};
  CHECK(attributes_of(Op::MAX_POOL2D, {1, 2, 3, 2}, {1, 2, 2, 2}, DType::INT8, pool) ==
        ir::Attributes{ir::PoolAttributes{{2, 3}, {1, 2}, {1, 0, 0, 2}, base::ElementType::Int32}});
  tosa::TransposeAttributeT transpose;
  transpose.perms = {1, 0};
  CHECK(attributes_of(Op::TRANSPOSE, {2, 3}, {3, 2}, DType::INT8, transpose) ==
        ir::Attributes{ir::TransposeAttributes{{1, 0}}});
  tosa::ResizeAttributeT resize;
  for (const auto mode : {tosa::ResizeMode::NEAREST, tosa::ResizeMode::BILINEAR}) {
    resize.mode = mode;
    const bool is_bilinear = mode == tosa::ResizeMode::BILINEAR;
    CHECK(attributes_of(Op::RESIZE, {1, 2, 2, 1}, {1, 3, 3, 1}, is_bilinear ? DType::INT32 : DType::INT8, resize,
                        {"scale", "zero", "zero"}) == ir::Attributes{ir::ResizeAttributes{is_bilinear}});
  }
  const auto check_axis = [&](Op kind, auto attribute, const Shape& out, DType type,
                              const std::vector<std::string>& inputs = {}) {
    attribute.axis = 1;
    CHECK(attributes_of(kind, {1, 2}, out, type, attribute, inputs) == ir::Attributes{ir::AxisAttributes{1}});
  };
  check_axis(Op::ARGMAX, tosa::ArgMaxAttributeT{}, {1}, DType::INT32);
  check_axis(Op::REVERSE, tosa::ReverseAttributeT{}, {1, 2}, DType::INT8);
  check_axis(Op::CONCAT, tosa::ConcatAttributeT{}, {1, 4}, DType::INT8, {"x"});
  check_axis(Op::REDUCE_MIN, tosa::ReduceMinAttributeT{}, {1, 1}, DType::INT8);
  check_axis(Op::REDUCE_ALL, tosa::ReduceAllAttributeT{}, {1, 1}, DType::BOOL, {"b"});
  check_axis(Op::REDUCE_ANY, tosa::ReduceAnyAttributeT{}, {1, 1}, DType::BOOL, {"b"});
}

TEST_CASE("a mode of RESIZE that is none") {
  TosaFileBuilder file;
  file.input("x", {1, 2, 2, 1}, DType::INT8);
  file.tensor("y", {1, 2, 2, 1}, DType::INT8);
  tosa::ResizeAttributeT resize;
  resize.mode = static_cast<tosa::ResizeMode>(3);
  file.op(Op::RESIZE, {"x"}, {"y"}).attribute.Set(resize);
  file.block().outputs = {"y"};
  CHECK(file.complaint() == "f: RESIZE has mode number 3, allowed are 1 and 2 [WrongAttribute]");
}

TEST_CASE("a name is taken from the location text and nothing else is") {
  const auto name_of = [](const std::string& text) {
    TosaFileBuilder file = two_operators();
    file.block().operators[0]->location = std::make_unique<tosa::OpLocationT>();
    file.block().operators[0]->location->text = text;
    return file.import().operators[0].location;
  };
  CHECK(name_of(R"(loc("model/relu;model/conv"("net.tflite":0:0)))") == "model/relu;model/conv");
  CHECK(name_of(R"(loc("plain"))") == "plain");
  CHECK(name_of(R"(loc("say \"hi\" \\ \0A."("f":0:0)))") == "say \"hi\" \\ \n.");
  CHECK(name_of("loc(unknown)") == "");
  CHECK(name_of("") == "");
  CHECK(name_of(R"(loc("file.mlir":3:4))") == "");
  CHECK(name_of(R"(loc("unterminated)") == "");
  CHECK(name_of(R"(loc("unterminated\)") == "");
}

TEST_CASE("a flatbuffer at an odd address is read all the same") {
  const std::vector<std::byte> bytes = two_operators().bytes();
  std::vector<std::byte> shifted(bytes.size() + 1);
  std::copy(bytes.begin(), bytes.end(), shifted.begin() + 1);
  CHECK(import::import_graph("f", std::span(shifted).subspan(1), ir::kLevel8k).operators.size() == 2);
}

}  // namespace vernier
