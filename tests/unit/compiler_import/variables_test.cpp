// SPDX-License-Identifier: Apache-2.0
// Variables of .tosa files: as the official serialiser writes them, as operators of the schema, and what is wrong with them.
#include "compiler/export/export.hpp"
#include "compiler/ir/graph.hpp"
#include "compiler/reference/interpreter.hpp"
#include "tests/unit/compiler_import/tosa_file_builder.hpp"

#include <catch2/catch.hpp>

#include <random>

namespace vernier {
namespace {

using tests::TosaFileBuilder;

/// y = state, then state = x: a delay of one run. state begins with (1, 2, 3, 4).
class DelayFile {
 public:
  TosaFileBuilder file;

  explicit DelayFile(tosa::Op read = tosa::Op::IDENTITY, tosa::Op write = tosa::Op::IDENTITY) {
    variable("Variable_0", "state").data = {1, 2, 3, 4, 0, 0, 0, 0};
    file.input("x", {4}, tosa::DType::INT8);
    file.tensor("y", {4}, tosa::DType::INT8);
    file.op(read, {"Variable_0"}, {"y"}).attribute.Set(tosa::VariableReadAttributeT());
    file.op(write, {"x"}, {"Variable_0"}).attribute.Set(tosa::VariableWriteAttributeT());
    file.block().outputs = {"y"};
  }

  tosa::TosaTensorT& variable(const std::string& tensor, const std::string& name) {
    tosa::TosaTensorT& result = file.tensor(tensor, {4}, tosa::DType::INT8);
    result.variable = true;
    result.variable_name = name;
    return result;
  }
  tosa::TosaTensorT& tensor(size_t number) { return *file.block().tensors[number]; }
  tosa::TosaOperatorT& op(size_t number) { return *file.block().operators[number]; }
  [[nodiscard]] ir::Graph graph() const { return import::import_graph("f", file.bytes(), ir::kLevel8k); }
};

std::string text_of(const ir::Graph& graph) {
  const std::string text = ir::print(graph);
  return text.substr(text.find('\n') + 1);
}

constexpr const char* kDelayText = R"(variable state int8[4] = 0x01020304
tensor x int8[4]
tensor y int8[4]
tensor state/written int8[4]
input x
output y
VARIABLE_READ() -> (y) {variable = state}
VARIABLE_WRITE(x) -> (state/written) {variable = state}
)";

/// A graph is read, written, and read again: the same.
void check_round_trip(const ir::Graph& graph) {
  const std::vector<std::byte> bytes = exporter::to_tosa(graph, "f");
  const ir::Graph again = import::import_graph("f", bytes, ir::kLevel8k);
  CHECK(exporter::to_tosa(again, "f") == bytes);
  CHECK(ir::print(import::import_graph("f", exporter::to_tosa(again, "f"), ir::kLevel8k)) == ir::print(again));
}

}  // namespace

TEST_CASE("IDENTITY from and to a variable is a read and a write") {
  CHECK(text_of(DelayFile().graph()) == kDelayText);
  DelayFile plain;  // without the attributes that say so
  for (size_t i : {0, 1}) plain.op(i).attribute.Set(tosa::IdentityAttributeT());
  CHECK(text_of(plain.graph()) == kDelayText);
}

TEST_CASE("The operators of the schema are taken with the same tensors") {
  DelayFile delay(tosa::Op::VARIABLE_READ, tosa::Op::VARIABLE_WRITE);
  CHECK(text_of(delay.graph()) == kDelayText);
  delay.file.op(tosa::Op::VARIABLE, {}, {"Variable_0"}).attribute.Set(tosa::VariableAttributeT());
  CHECK(text_of(delay.graph()) == kDelayText);
}

TEST_CASE("Reads and writes keep the order of the file") {
  DelayFile delay;
  std::swap(delay.file.block().operators[0], delay.file.block().operators[1]);
  const ir::Graph graph = delay.graph();
  REQUIRE(graph.operators.size() == 2);
  CHECK(graph.operators[0].kind == ir::OpKind::VariableWrite);
  // An operator that stands too early waits for its operand, and what uses the variable behind it waits too.
  DelayFile late;
  late.file.tensor("z", {4}, tosa::DType::INT8);
  late.file.tensor("n", {4}, tosa::DType::INT8);
  late.op(1).inputs = {"n"};
  late.file.op(tosa::Op::IDENTITY, {"Variable_0"}, {"z"});
  late.file.op(tosa::Op::BITWISE_NOT, {"x"}, {"n"});
  late.file.block().outputs = {"y", "z"};
  std::vector<ir::OpKind> kinds;
  for (const ir::Operator& op : late.graph().operators) kinds.push_back(op.kind);
  CHECK(kinds ==
        std::vector{ir::OpKind::VariableRead, ir::OpKind::BitwiseNot, ir::OpKind::VariableWrite, ir::OpKind::VariableRead});
}

TEST_CASE("IDENTITY from one variable to another is both") {
  DelayFile delay;
  delay.variable("Variable_1", "older");
  delay.file.op(tosa::Op::IDENTITY, {"Variable_0"}, {"Variable_1"});
  const ir::Graph graph = delay.graph();
  REQUIRE(graph.operators.size() == 4);
  CHECK(graph.operators[2].kind == ir::OpKind::VariableRead);
  CHECK(graph.operators[3].kind == ir::OpKind::VariableWrite);
  CHECK(graph.operators[3].inputs == graph.operators[2].outputs);
  CHECK(graph.variables[1].initial == nullptr);
  check_round_trip(graph);
}

TEST_CASE("Variables are written back") {
  check_round_trip(DelayFile().graph());
  const ir::Graph again = import::import_graph("f", exporter::to_tosa(DelayFile().graph(), "f"), ir::kLevel8k);
  CHECK(text_of(again) == kDelayText);
  // Types whose bytes in a file are others than in memory; nobody reads or writes them.
  ir::Graph typed = DelayFile().graph();
  for (const base::ElementType type : {base::ElementType::Int4, base::ElementType::Int16, base::ElementType::Int48,
                                       base::ElementType::Bool, base::ElementType::Int32}) {
    base::Tensor value(type, {3});
    value.set(0, 1);
    value.set(2, -1);
    typed.variables.push_back({std::string(base::to_string(type)), type, {3}, std::make_shared<const base::Tensor>(value)});
  }
  check_round_trip(typed);
  const ir::Graph read = import::import_graph("f", exporter::to_tosa(typed, "f"), ir::kLevel8k);
  REQUIRE(read.variables.size() == typed.variables.size());
  for (size_t i = 0; i < typed.variables.size(); ++i) CHECK(*read.variables[i].initial == *typed.variables[i].initial);
  // The result of a write that somebody reads is a tensor of the file.
  ir::Graph told = DelayFile().graph();
  told.outputs.push_back(told.operators[1].outputs[0]);
  CHECK(import::import_graph("f", exporter::to_tosa(told, "f"), ir::kLevel8k).outputs.size() == 2);
}

TEST_CASE("What is wrong with a variable is one line") {
  // Of several lines, one for each operator that the mistake touches, the first.
  const auto complaint = [](const auto& spoil) {
    DelayFile delay;
    spoil(delay);
    const std::string lines = delay.file.complaint();
    return lines.substr(0, lines.find('\n'));
  };
  CHECK(complaint([](DelayFile& f) { f.tensor(0).variable_name = ""; }) ==
        "f: tensor 'Variable_0' is a variable without a name (variable_name)");
  CHECK(complaint([](DelayFile& f) { f.variable("Variable_1", "state"); }) ==
        "f: variable 'state' is declared twice in a block, as tensor 'Variable_0' and as 'Variable_1'");
  CHECK(complaint([](DelayFile& f) { f.tensor(0).type = tosa::DType::FP32; }) ==
        "f: variable 'state' is FP32, which EXT-VARIABLE has with profile PRO-FP; the NPU is integer only");
  CHECK(complaint([](DelayFile& f) { f.tensor(0).shape = {-1}; }) ==
        "f: variable 'state' has the shape [-1], its dimensions have to be fixed");
  CHECK(complaint([](DelayFile& f) {
          f.tensor(0).data = {1, 2};
        }) == "f: constant 'state' has 2 bytes of data, its type and shape need 4");
  CHECK(complaint([](DelayFile& f) {
          f.tensor(0).shape = {2, 2};
        }) == "f: VARIABLE_READ 'y': variable 'state' is int8[2, 2], 'y' is int8[4] [RankMismatch]");
  CHECK(complaint([](DelayFile& f) {
          f.tensor(0).type = tosa::DType::INT16;
          f.tensor(0).data.clear();
        }) == "f: VARIABLE_READ 'y': variable 'state' is int16[4], 'y' is int8[4] [WrongOutputType]");
  CHECK(complaint([](DelayFile& f) { f.tensor(0).variable = false; }) ==
        "f: VARIABLE_READ reads tensor 'Variable_0', which is no variable");
  CHECK(complaint([](DelayFile& f) { f.op(1).outputs = {"y"}; }) ==
        "f: VARIABLE_WRITE gives tensor 'y', which is no variable");
  CHECK(complaint([](DelayFile& f) { f.op(0).inputs = {"nobody"}; }) ==
        "f: VARIABLE_READ reads tensor 'nobody', which is no variable");
  CHECK(complaint([](DelayFile& f) { f.op(0).inputs.clear(); }) ==
        "f: VARIABLE_READ has 0 operands, needed is 1 [WrongInputList]");
  CHECK(complaint([](DelayFile& f) { f.op(0).outputs.push_back("x"); }) ==
        "f: VARIABLE_READ has 2 results, needed is 1 [WrongOutputList]");
  CHECK(
      complaint([](DelayFile& f) { f.file.block().outputs = {"Variable_0"}; }) ==
      "f: the list of graph outputs reads variable 'state' itself, allowed are VARIABLE_READ, VARIABLE_WRITE and IDENTITY");
  CHECK(complaint([](DelayFile& f) {
          f.op(0).op = tosa::Op::BITWISE_NOT;
          f.op(0).attribute.Set(tosa::BitwiseNotAttributeT());
        }) == "f: BITWISE_NOT reads variable 'state' itself, allowed are VARIABLE_READ, VARIABLE_WRITE and IDENTITY");
  CHECK(complaint([](DelayFile& f) { f.file.block().inputs.push_back("Variable_0"); }) ==
        "f: the list of graph inputs gives variable 'state' itself, allowed are VARIABLE_READ, VARIABLE_WRITE and IDENTITY");
  CHECK(complaint([](DelayFile& f) {
          f.file.op(tosa::Op::VARIABLE, {}, {"Variable_0"});
          f.file.op(tosa::Op::VARIABLE, {}, {"Variable_0"});
        }) == "f: VARIABLE declares 'state' twice, names are unique");
  CHECK(complaint([](DelayFile& f) { f.file.op(tosa::Op::VARIABLE, {}, {"y"}); }) ==
        "f: VARIABLE declares tensor 'y', which is no variable");
  CHECK(complaint([](DelayFile& f) { f.file.op(tosa::Op::VARIABLE, {"x"}, {"Variable_0"}); }) ==
        "f: VARIABLE has 1 operands, needed are none [WrongInputList]");
}

TEST_CASE("The blocks of a file agree on a variable") {
  const auto complaint = [](const auto& spoil) {
    DelayFile delay;
    TosaFileBuilder& file = delay.file;
    file.input("go", {1}, tosa::DType::BOOL);
    file.tensor("z", {4}, tosa::DType::INT8);
    tosa::CondIfAttributeT names;
    names.then_graph = names.else_graph = "tell";
    file.op(tosa::Op::COND_IF, {"go"}, {"z"}).attribute.Set(names);
    file.block().outputs.push_back("z");
    DelayFile region;
    region.file.block().inputs.clear();
    region.file.block().operators.pop_back();
    region.file.graph.regions[0]->name = "tell";
    spoil(*region.file.block().tensors[0]);
    file.graph.regions.push_back(std::move(region.file.graph.regions[0]));
    return file.complaint();
  };
  CHECK(complaint([](tosa::TosaTensorT&) {}) == "");
  CHECK(complaint([](tosa::TosaTensorT& tensor) { tensor.data.clear(); }) == "");
  CHECK(complaint([](tosa::TosaTensorT& tensor) { tensor.data[0] = 9; }) ==
        "f: variable 'state' has two first values, one in each of two blocks");
  CHECK(complaint([](tosa::TosaTensorT& tensor) {
          tensor.shape = {1, 4};
        }) == "f: variable 'state' is int8[4] in one block and int8[1, 4] in another");
}

TEST_CASE("2,000 files with variables, a byte or more of which was changed, are refused or run") {
  DelayFile delay;
  delay.file.tensor("n", {4}, tosa::DType::INT8);
  delay.op(1).inputs = {"n"};
  delay.file.op(tosa::Op::BITWISE_NOT, {"x"}, {"n"});
  delay.variable("Variable_1", "other");
  delay.file.op(tosa::Op::IDENTITY, {"Variable_0"}, {"Variable_1"});
  const std::vector<std::byte> good = delay.file.bytes();
  std::mt19937_64 engine(20);
  int64_t num_taken = 0, num_refused = 0;
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::byte> bytes = good;
    for (uint64_t n = engine() % 3 + 1; n > 0; --n) bytes[engine() % bytes.size()] = static_cast<std::byte>(engine());
    INFO("file " << i);
    try {
      const ir::Graph graph = import::import_graph("f", bytes, ir::kLevel8k);
      reference::Variables variables = reference::initial_variables(graph);
      std::vector<base::Tensor> inputs;
      for (const ir::TensorId id : graph.inputs) inputs.emplace_back(graph.tensor(id).type, graph.tensor(id).shape);
      reference::run(graph, inputs, {}, &variables);
      reference::run(graph, inputs, {}, &variables);
      check_round_trip(graph);
      ++num_taken;
    } catch (const base::UserError&) {
      ++num_refused;
    }
  }
  CHECK(num_taken > 50);
  CHECK(num_refused > 1000);
}

}  // namespace vernier
