// SPDX-License-Identifier: Apache-2.0
// What bad files are told. Messages name the file and are one line.
#include "hw/base/file.hpp"
#include "tests/support/source_tree.hpp"
#include "tests/unit/compiler_import/tosa_file_builder.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <random>
#include <span>

namespace vernier {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using tests::one_operator;
using tests::TosaFileBuilder;
using tests::two_operators;
using tosa::DType;
using tosa::Op;

TEST_CASE("files that are no TOSA flatbuffer") {
  const auto complaint = [](const std::vector<std::byte>& bytes) { return TosaFileBuilder::complaint_of(bytes); };
  const std::vector<std::byte> good = two_operators().bytes();
  CHECK(complaint({}) == "f: the file is empty, expected a TOSA flatbuffer");
  CHECK(complaint(std::vector<std::byte>(5)) == "f: 5 bytes are too few for a TOSA flatbuffer");
  std::vector<std::byte> bad = good;
  bad[4] = std::byte{'S'};
  bad[7] = std::byte{0};
  CHECK(complaint(bad) == "f: not a TOSA flatbuffer: its identifier is 'SOS?', expected 'TOSA'");
  for (size_t size = 8; size < good.size(); ++size) {
    CHECK(complaint({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)}) != "");
  }
  CHECK(complaint({good.begin(), good.end() - 4}) ==
        fmt::format("f: a damaged or truncated TOSA flatbuffer ({} bytes)", good.size() - 4));
}

TEST_CASE("missing files and directories") {
  const auto folder = std::filesystem::temp_directory_path();
  CHECK_THROWS_AS(import::import_file(folder, ir::kLevel8k), base::UserError);
  CHECK_THROWS_AS(import::import_file(folder / "no such file.tosa", ir::kLevel8k), base::UserError);
}

TEST_CASE("files of the steps before a flatbuffer say what is to be done") {
  const auto complaint = [](std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
    return TosaFileBuilder::complaint_of({bytes.begin(), bytes.end()});
  };
  const std::string guide = "(docs/guides/your-own-network.md)";
  CHECK(complaint({"\x1c\0\0\0TFL3 and more", 17}) == "f: a damaged or truncated TensorFlow Lite flatbuffer (17 bytes)");
  CHECK(complaint("ML\xefR\x0dMLIR") ==
        "f: is MLIR bytecode, expected MLIR text: 'tosa-opt IN.mlirbc -o OUT.mlir' makes it " + guide);
  CHECK(complaint("// x\nmodule {}") == "f: the file has no function with a body, needed is one");
  for (const std::string_view text :
       {"#loc = loc(unknown)\n  \"builtin.module\"() ({}) : () -> ()", "\r\nbuiltin.module {}"})
    CHECK(complaint(text) == "f: the file has no function with a body, needed is one");
  CHECK_THAT(complaint({"\x1c\0\0\0TOSA and a module", 21}), !Contains("MLIR"));
  CHECK_THAT(complaint("a text about a module, or\nabout func.func"), !Contains("MLIR"));
  CHECK_THAT(complaint({"PK\x03\x04\nmodule {", 13}), !Contains("MLIR"));  // bytes that no text has
  CHECK(complaint("PK and more text") == "f: not a TOSA flatbuffer: its identifier is 'nd m', expected 'TOSA'");
}

TEST_CASE("ONNX files are known by their content") {
  const auto complaint = [](std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
    return TosaFileBuilder::complaint_of({bytes.begin(), bytes.end()});
  };
  using namespace std::string_view_literals;
  const auto refusal = StartsWith("f: a damaged or truncated ONNX file (");
  // ir_version 8, producer_name "pytorch", producer_version "2", model_version 0, a graph
  CHECK_THAT(complaint("\x08\x08\x12\x07pytorch\x1a\x01"
                       "2\x28\x00\x3a\x90\x01graph"sv),
             refusal);
  CHECK_THAT(complaint("\x08\x0a\x3a\x05graph\x42\x02\x10\x11"sv), refusal);
  CHECK_THAT(complaint("\x42\x02\x10\x11\x08\x0a\x3a\x05graph"sv), refusal);  // fields may stand in any order
  CHECK_THAT(complaint("\x3a\x05graph\x08\x0a"sv), refusal);
  CHECK_THAT(complaint("\x08\x0a\xd2\x01\x01x\x3a\x05graph"sv), refusal);  // field 26 came with version 11 of the format
  // Names, metadata and doc strings hold any words.
  CHECK_THAT(complaint("\x08\x0a\x32\x10\nmodule {\nmodule\x3a\x05graph"sv), refusal);
  CHECK_THAT(complaint("\x08\x0a\x3a\x20\n\x1e\nfunc.func @module.0\nmodule.w"sv), refusal);
  for (const std::string_view other :
       {"\x3a\x05graphs\x08\x08"sv, "\x08\xff\xff\x03\x3a\x05graph"sv, "\x08\x08\x10\x07\x3a\x05graph"sv,
        "\x08\x08\x12\x70\x3a\x05graph"sv, "\x08\x08\x00\x05\x3a\x05graph"sv, "\x08\x80\x80\x80"sv}) {
    CHECK_THAT(complaint(other), !refusal);
  }
}

TEST_CASE("operators that are unknown, not there yet, or of floating point") {
  CHECK(one_operator(static_cast<Op>(0), {2}, DType::INT32).complaint() ==
        "f: operator number 0 is unknown, TOSA 1.0 has 1 to 75");
  CHECK(one_operator(static_cast<Op>(101), {2}, DType::INT32).complaint() ==
        "f: operator number 101 is unknown, TOSA 1.0 has 1 to 75");
  const std::string text = one_operator(Op::CUSTOM, {2}, DType::INT32).complaint();
  CHECK_THAT(text, StartsWith("f: operator CUSTOM is not there yet, supported are "));
  CHECK_THAT(text, Contains("CONV2D"));
  CHECK_THAT(one_operator(Op::SIGMOID, {2}, DType::INT32).complaint(),
             StartsWith("f: operator SIGMOID is floating point; the NPU is integer only (docs/guides/your-own-network.md): "
                        "supported are "));
}

TEST_CASE("floating-point types and types that are none") {
  const std::string rest =
      "; the NPU is integer only (bool, int4, int8, int16, int32, int48): quantize all of the network "
      "(docs/guides/your-own-network.md)";
  for (const DType type : {DType::FP32, DType::FP16, DType::BF16, DType::FP8E4M3, DType::FP8E5M2}) {
    CHECK(
        one_operator(Op::ABS, {2}, type).complaint() ==
        fmt::format("f: tensor 'x', read by ABS, is {} (tensors of floating point: 2){}", tosa::EnumNameDType(type), rest));
  }
  const auto located = [](TosaFileBuilder file, size_t op, const std::string& text) {
    file.block().operators[op]->location = std::make_unique<tosa::OpLocationT>();
    file.block().operators[op]->location->text = text;
    return file;
  };
  TosaFileBuilder file = located(two_operators(), 1, "loc(\"conv1/Relu\"(\"f.tflite\":0:0))");
  file.block().tensors[2]->type = DType::FP32;
  CHECK(file.complaint() == "f: tensor 'y', the result of CLZ at 'conv1/Relu', is FP32" + rest);
  file.block().tensors[0]->type = DType::FP32;
  CHECK(located(file, 0, "loc(\"in\")").complaint() ==
        "f: tensor 'x', read by ABS at 'in', is FP32 (tensors of floating point: 2)" + rest);
  file = two_operators();
  file.constant("c", {1}, DType::FP16, std::vector<uint8_t>(2));
  CHECK(file.complaint() == "f: tensor 'c' is FP16" + rest);
  file.block().operators[0]->inputs = {"x", "c"};
  CHECK(file.complaint() == "f: tensor 'c', read by ABS, is FP16" + rest);
  CHECK_THAT(located(one_operator(Op::SIN, {2}, DType::INT32), 0, "loc(\"wave\")").complaint(),
             StartsWith("f: operator SIN at 'wave' is floating point; the NPU is integer only "));
  for (const uint32_t type : {0U, 10U, 19U, 4000000000U}) {
    const auto line = [type](char tensor) {
      return fmt::format("f: tensor '{}' has element type number {}, allowed are bool, int4, int8, int16, int32 and int48",
                         tensor, type);
    };
    CHECK(one_operator(Op::ABS, {2}, static_cast<DType>(type)).complaint() == line('x') + "\n" + line('y'));
  }
}

TEST_CASE("shapes that are open, too many, too large or empty") {
  // Of the operand 'x' and of the result 'y'.
  const auto both = [](const std::string& line) {
    std::string second = line;
    return line + "\n" + second.replace(line.find("'x'"), 3, "'y'");
  };
  CHECK(
      one_operator(Op::ABS, {2, -1}, DType::INT32).complaint() ==
      "f: dimension 1 of graph input 'x' is open (-1), allowed without --shape is the first one only: --shape x=AxBxC gives "
      "the sizes");
  TosaFileBuilder file = two_operators();
  file.block().tensors[1]->is_unranked = true;
  CHECK(file.complaint() == "f: tensor 't' has no fixed rank; shapes have to be fixed");
  CHECK(one_operator(Op::ABS, {1, 1, 1, 1, 1, 1, 1}, DType::INT32).complaint() ==
        both("f: tensor 'x' has rank 7, level 8K allows 0 to 6 [WrongRank]"));
  CHECK(one_operator(Op::ABS, {1, 1, 1, 1, 1, 1, 1}, DType::INT32).complaint(ir::kLevelNone) ==
        both("f: tensor 'x' has rank 7, the NPU takes ranks up to 6"));
  CHECK(one_operator(Op::ABS, std::vector<int32_t>(40, 1), DType::INT32).complaint(ir::kLevelNone) ==
        both("f: tensor 'x' has rank 40, level none allows 0 to 32 [WrongRank]"));
  CHECK(one_operator(Op::ABS, {1 << 20, 1 << 9}, DType::INT32).complaint() ==
        both("f: the size of tensor 'x' [1048576, 512] overflows, level 8K allows less than 2^31 bytes "
             "[MaxTensorSizeExceeded]"));
  CHECK(one_operator(Op::ABS, {1 << 20, 1 << 9}, DType::INT32).complaint(ir::kLevelNone) == "");
  const int32_t most = std::numeric_limits<int32_t>::max();
  CHECK_THAT(one_operator(Op::ABS, {most, most, most}, DType::INT32).complaint(ir::kLevelNone), Contains("overflows"));
  CHECK(one_operator(Op::ABS, {2, 0}, DType::INT32).complaint() ==
        both("f: tensor 'x' [2, 0] has a dimension of 0, allowed are 1 to 2147483647"));
}

TEST_CASE("tensors that dangle, have two producers or one name") {
  TosaFileBuilder file = two_operators();
  file.block().operators[1]->inputs = {"nowhere"};
  CHECK(file.complaint() == "f: CLZ names tensor 'nowhere', which is not declared [WrongInputList]");
  file = two_operators();
  file.block().operators[0]->outputs = {"nowhere"};
  CHECK(file.complaint() == "f: ABS names tensor 'nowhere', which is not declared [WrongOutputList]");
  file = two_operators();
  file.block().operators.erase(file.block().operators.begin());
  CHECK(file.complaint() ==
        "f: CLZ reads tensor 't', which is neither a graph input nor produced by an operator [WrongInputList]");
  file = two_operators();
  file.block().outputs = {"nowhere"};
  CHECK(file.complaint() == "f: the list of graph outputs names tensor 'nowhere', which is not declared [WrongOutputList]");
  file = two_operators();
  file.block().outputs = {};
  CHECK(file.complaint() == "f: the graph has no outputs, at least one is needed");
  file = two_operators();
  file.block().inputs = {"x", "nowhere"};
  CHECK(file.complaint() == "f: the list of graph inputs names tensor 'nowhere', which is not declared [WrongInputList]");
  file = two_operators();
  file.block().inputs = {"x", "x"};
  CHECK(file.complaint() == "f: tensor 'x' has two producers, allowed is one");
  file = two_operators();
  file.block().operators[1]->outputs = {"t"};
  CHECK(file.complaint() == "f: tensor 't' has two producers, allowed is one");
  file = two_operators();
  file.block().operators[1]->outputs = {"x"};
  CHECK(file.complaint() == "f: tensor 'x' has two producers, allowed is one");
  file = two_operators();
  file.tensor("t", {1}, DType::INT8);
  CHECK(file.complaint() == "f: two tensors are called 't', names are unique");
  file = two_operators();
  file.block().tensors[1]->variable = true;
  CHECK(file.complaint() == "f: tensor 't' is a variable without a name (variable_name)");
}

TEST_CASE("cycles name a tensor on them") {
  TosaFileBuilder file = two_operators();
  file.tensor("u", {2, 3}, DType::INT32);
  file.tensor("v", {2, 3}, DType::INT32);
  file.op(Op::ADD, {"t", "v"}, {"u"});
  file.op(Op::ABS, {"u"}, {"v"});
  file.tensor("behind", {2, 3}, DType::INT32);
  file.op(Op::ABS, {"v"}, {"behind"});
  const std::string text = file.complaint();
  CHECK((text == "f: the graph has a cycle through tensor 'u'" || text == "f: the graph has a cycle through tensor 'v'"));
  file = two_operators();
  file.block().operators[1]->inputs = {"y"};
  CHECK(file.complaint() == "f: the graph has a cycle through tensor 'y'");
}

TEST_CASE("constants whose data is missing, short, outside the file or no constant") {
  TosaFileBuilder file;
  tosa::TosaTensorT& constant = file.constant("c", {3}, DType::INT32, std::vector<uint8_t>(12));
  file.block().outputs = {"c"};
  CHECK(file.complaint() == "");
  constant.data.resize(11);
  CHECK(file.complaint() == "f: constant 'c' has 11 bytes of data, its type and shape need 12");
  constant.data.clear();
  CHECK(file.complaint() == "f: constant 'c' has 0 bytes of data, its type and shape need 12");
  constant.shape = {1 << 30, 1 << 30, 1 << 30};
  CHECK_THAT(file.complaint(), Contains("overflows"));
  constant.shape = {1 << 30, 1};
  CHECK(file.complaint() == "f: constant 'c' has 0 bytes of data, its type and shape need 4294967296");
  constant.offset = 4096;
  constant.size = 12;
  CHECK(file.complaint() == "f: constant 'c' lies outside the flatbuffer (offset 4096, size 12), which is not supported");

  file = TosaFileBuilder();
  file.constant("c", {1}, DType::INT4, {0x08});
  file.block().outputs = {"c"};
  CHECK(file.complaint() == "f: element 0 of the int4 constant 'c' is -8, allowed are -7 to 7");

  file = two_operators();
  file.shape("s", 2, {1}).data.pop_back();
  CHECK(file.complaint() == "f: constant 's' has 7 bytes of data, its type and shape need 16");
  file.block().shapes[0]->rank = 0xffffffffU;
  CHECK_THAT(file.complaint(), Contains("constant 's' has 7 bytes of data"));
  file = two_operators();
  file.shape("s", 1, {1});
  file.block().operators.back()->op = Op::CONST;
  CHECK(file.complaint() == "f: CONST gives 's', which is a shape");
  file = two_operators();
  file.block().operators[1]->op = Op::CONST;
  CHECK(file.complaint() == "f: CONST has 1 operands, needed are none [WrongInputList]");
  file = two_operators();
  file.shape("s", 1, {1});
  file.block().outputs = {"s"};
  CHECK(file.complaint() == "f: graph output 's' is a shape, allowed are tensors");
}

TEST_CASE("attributes that are missing, of another operator or out of their numbers") {
  TosaFileBuilder file = one_operator(Op::CLAMP, {2}, DType::INT8);
  CHECK(file.complaint() == "f: CLAMP carries no attributes [WrongAttribute]");
  tosa::TosaOperatorT& op = *file.block().operators[0];
  op.attribute.Set(tosa::AbsAttributeT());
  CHECK(file.complaint() == "f: CLAMP carries the attributes of operator number 32 [WrongAttribute]");
  tosa::ClampAttributeT clamp;
  op.attribute.Set(clamp);
  CHECK(file.complaint() == "f: min_val of CLAMP has 0 bytes, a value of int8 needs 1 [WrongAttribute]");
  clamp.min_val = {1};
  clamp.max_val = {0};
  op.attribute.Set(clamp);
  CHECK(file.complaint() == "f: CLAMP 'y': max_val 0 is less than min_val 1 [MaxSmallerMin]");

  file = one_operator(Op::RESCALE, {2}, DType::INT8);
  file.block().operators[0]->attribute.Set(tosa::RescaleAttributeT());
  CHECK(file.complaint() == "f: RESCALE has rounding_mode number 0, allowed are 1 to 3 [WrongAttribute]");
}

TEST_CASE("pieces that overlap do not fill the memory") {
  // 2000 constants of 100 kB, all of them the same bytes of a small file.
  flatbuffers::FlatBufferBuilder builder;
  const std::vector<uint8_t> data(100000);
  const auto shared_data = builder.CreateVector(data);
  std::vector<flatbuffers::Offset<tosa::TosaTensor>> tensors;
  std::vector<flatbuffers::Offset<tosa::TosaOperator>> operators;
  for (int i = 0; i < 2000; ++i) {
    const std::string name = std::to_string(i);
    const std::vector<int32_t> shape{static_cast<int32_t>(data.size())};
    const auto name_offset = builder.CreateString(name);
    tensors.push_back(tosa::CreateTosaTensor(builder, name_offset, builder.CreateVector(shape), DType::INT8, shared_data));
    const std::vector<flatbuffers::Offset<flatbuffers::String>> outputs{name_offset};
    operators.push_back(
        tosa::CreateTosaOperator(builder, Op::CONST, tosa::Attribute::NONE, 0, 0, builder.CreateVector(outputs)));
  }
  const auto block = tosa::CreateTosaBasicBlock(builder, 0, builder.CreateVector(operators), builder.CreateVector(tensors));
  const std::vector<flatbuffers::Offset<tosa::TosaBasicBlock>> blocks{block};
  const auto region = tosa::CreateTosaRegion(builder, 0, builder.CreateVector(blocks));
  const std::vector<flatbuffers::Offset<tosa::TosaRegion>> regions{region};
  const auto version = tosa::CreateVersion(builder, 1, 0, 0, false);
  builder.Finish(tosa::CreateTosaGraph(builder, version, builder.CreateVector(regions)), "TOSA");
  const auto* start = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
  CHECK(TosaFileBuilder::complaint_of({start, start + builder.GetSize()}) ==
        "f: pieces of the file overlap: it unpacks to more than 64 times its size");
}

TEST_CASE("tables without their fields") {
  TosaFileBuilder file;
  CHECK(file.complaint() == "f: the graph has no outputs, at least one is needed");
  file.graph.regions[0]->blocks.clear();
  CHECK(file.complaint() == "f: the main region has no block, needed is one");
  file.graph.regions.clear();
  CHECK(file.complaint() == "f: the graph has no region, needed is one");
  file = two_operators();
  file.block().operators[0]->outputs.clear();
  CHECK(file.complaint() == "f: ABS has 0 results, needed is 1 [WrongOutputList]");
  file = two_operators();
  file.block().operators[0]->inputs.clear();
  CHECK(file.complaint() == "f: ABS 't': 0 operands, needed are 1 (input) [WrongInputList]");
  file = two_operators();
  file.block().tensors[0]->name = std::string(5000, 'n');
  CHECK(file.complaint() == "f: a tensor's name has 5000 bytes, allowed are 4096");
}

TEST_CASE("20,000 files with bytes changed are taken or refused, nothing else") {
  const uint64_t seed = 4;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  TosaFileBuilder file = two_operators();
  file.constant("c", {2, 1}, DType::INT32, std::vector<uint8_t>(8, 7));
  file.shape("s", 1, {6});
  file.tensor("z", {2, 3}, DType::INT32);
  file.tensor("w", {6}, DType::INT32);
  file.op(Op::SUB, {"y", "c"}, {"z"});
  file.op(Op::RESHAPE, {"z", "s"}, {"w"});
  file.block().outputs = {"w"};
  const std::vector<std::byte> good = file.bytes();
  REQUIRE(TosaFileBuilder::complaint_of(good) == "");
  int num_refused = 0;
  tests::Recorded rows("tests/unit/compiler_import/recorded_bad_files.txt");
  std::string said;
  for (int i = 0; i < 20000; ++i) {
    std::vector<std::byte> bad = good;
    const auto num_changes = 1 + random() % 4;
    for (uint64_t k = 0; k < num_changes; ++k) bad[random() % bad.size()] = static_cast<std::byte>(random());
    const std::string complaint = TosaFileBuilder::complaint_of(bad);
    num_refused += complaint.empty() ? 0 : 1;
    said += complaint + "\n";
    if (i % 2000 < 1999) continue;
    rows.check(fmt::format("{} bytes", said.size()), said);
    said.clear();
  }
  CHECK(num_refused > 5000);
}

TEST_CASE("what is said of the made networks with bytes changed is as it was") {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(tests::source_path("tests/golden/networks"))) {
    if (entry.is_directory()) files.push_back(entry.path() / "model.tosa");
  }
  std::sort(files.begin(), files.end());
  tests::Recorded rows("tests/unit/compiler_import/recorded_bad_networks.txt");
  std::mt19937_64 random(9);
  for (const std::filesystem::path& file : files) {
    const std::vector<std::byte> good = base::read_file(file);
    if (good.size() > 8000) continue;
    std::string said;
    for (int i = 0; i < 150; ++i) {
      std::vector<std::byte> bad = good;
      // A small number, one more, one less, or any.
      std::byte& changed = bad[random() % bad.size()];
      const auto was = static_cast<uint64_t>(changed);
      changed = static_cast<std::byte>(std::array{random() % 4, was + 1, was - 1, random() % 256}.at(i % 4));
      said += TosaFileBuilder::complaint_of(bad) + "\n";
    }
    rows.check(fmt::format("{}, {} bytes", file.parent_path().filename().string(), said.size()), said);
  }
}

}  // namespace vernier
