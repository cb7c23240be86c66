// SPDX-License-Identifier: Apache-2.0
// Dumped sums, with the bias, are what the reference's convolutions give, however the layer is cut into commands.
#include "sim/flow/look/accumulator_dump.hpp"

#include "compiler/reference/interpreter.hpp"
#include "hw/base/indexed_vector.hpp"
#include "hw/package/stream_commands.hpp"
#include "sim/flow/model/ends.hpp"
#include "sim/flow/model/inputs.hpp"
#include "sim/flow/model/model.hpp"
#include "tests/support/graph_builder.hpp"
#include "tests/support/source_tree.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <variant>

namespace vernier::flow {
namespace {

/// The index in the package of the first tensor with sums that an operator's result becomes, through operators with one
/// consumer each; -1 where there is none.
int32_t where_it_goes(const package::Package& package, const ir::Graph& graph, ir::TensorId id) {
  const base::IndexedVector<ir::TensorId, std::vector<ir::OpId>> consumers = graph.consumers();
  for (;;) {
    for (size_t i = 0; i < package.tensors.size(); ++i) {
      const auto idx = static_cast<int32_t>(i);
      if (package.tensors[i].name == graph.tensor(id).name && is_dumped(package, idx))
        return has_sums(package, idx) ? idx : -1;
    }
    const std::vector<ir::OpId>& readers = consumers.at(id);
    if (readers.size() != 1) return -1;
    id = graph.operators.at(readers.front()).outputs.at(0);
  }
}

/// Sums of every convolution of the network on that machine; how many convolutions, how many commands they took.
struct Compared {
  int64_t convolutions = 0, commands = 0;
};
Compared compare(const Model& model, const MachineOptions& options) {
  const ir::Graph& graph = *model.graph;
  const package::Package package = package_of(model, options);
  const std::vector<base::Tensor> inputs = make_inputs(ends_of(package).inputs, {}, 5);
  std::map<ir::TensorId, base::Tensor> values;
  (void)reference::run(graph, inputs, [&](ir::TensorId id, const base::Tensor& value) { values[id] = value; });
  Compared compared;
  for (const ir::Operator& op : graph.operators) {
    const bool is_convolution =
        op.kind == ir::OpKind::Conv2d || op.kind == ir::OpKind::DepthwiseConv2d || op.kind == ir::OpKind::TransposeConv2d;
    if (!is_convolution) continue;
    const base::Tensor& result = values.at(op.outputs.at(0));
    const base::Tensor& bias = *graph.tensor(op.inputs.at(2)).constant;
    const int32_t tensor_idx = where_it_goes(package, graph, op.outputs.at(0));
    INFO(model.file << " " << op.location << " " << graph.tensor(op.outputs.at(0)).name);
    REQUIRE(tensor_idx >= 0);
    const AccumulatorDump dump = dump_tensor_sums(package, inputs, tensor_idx);
    REQUIRE(dump.job.is_done());
    CHECK(dump.sums->unwritten_elems == 0);
    REQUIRE(dump.sums->values.size() == result.size());
    const int64_t channels = result.shape().back();
    for (int64_t i = 0; i < result.size(); ++i) {
      const int64_t of_channel = bias.at(bias.size() == 1 ? 0 : i % channels);
      if (dump.sums->values.at(i) + of_channel != result.at(i)) {
        INFO("element " << i);
        CHECK(dump.sums->values.at(i) + of_channel == result.at(i));
        return compared;
      }
    }
    ++compared.convolutions;
    compared.commands += dump.sums->last_command_idx - dump.sums->first_command_idx + 1;
  }
  return compared;
}

Compared compare(const std::string& file, const MachineOptions& options) {
  return compare(load_model(tests::source_path(file).string(), options), options);
}

TEST_CASE("sums of a tensor are its convolution's less the bias") {
  for (const char* memory : {"sram", "external"}) {
    MachineOptions options;
    options.memory = memory;
    if (options.memory == "external") options.sram_bytes = 16384;
    for (const char* network :
         {"tests/e2e/demo/demo.tosa", "tests/golden/networks/depthwise_separable/model.tosa",
          "tests/golden/networks/conv_1x1_c20_oc33/model.tosa", "tests/golden/networks/conv_deep/model.tosa"}) {
      CHECK(compare(network, options).convolutions > 0);
    }
  }
}

TEST_CASE("a layer in several commands, and sums that slices of a reduction add up") {
  MachineOptions options;
  options.memory = "external";
  options.config = "v64";
  options.sram_bytes = 2048;
  const Compared in_parts = compare("tests/golden/networks/conv_3x3_pad/model.tosa", options);
  CHECK(in_parts.convolutions > 0);
  CHECK(in_parts.commands > in_parts.convolutions);
  CHECK(compare("tests/golden/networks/conv_deep/model.tosa", options).convolutions > 0);

  const Model model = load_model(tests::source_path("tests/golden/networks/conv_deep/model.tosa").string(), options);
  const package::Package package = package_of(model, options);
  const std::vector<base::Tensor> inputs = make_inputs(ends_of(package).inputs, {}, 5);
  const std::vector<package::StreamCommand> commands = package::stream_commands(package);
  std::set<bool> ends;
  for (size_t i = 0; i < commands.size(); ++i) {
    const auto* mac = std::get_if<spec::MacCommand>(&commands[i].command.body);
    if (mac == nullptr) continue;
    const AccumulatorDump dump = dump_command_sums(package, inputs, static_cast<int32_t>(i));
    REQUIRE(dump.sums);
    CHECK(dump.sums->values.shape() == base::Shape{mac->out_rows, mac->out_columns, mac->out_channels});
    CHECK(dump.sums->note.empty() == mac->last);
    ends.insert(mac->last);
  }
  CHECK(ends == std::set<bool>{false, true});
}

TEST_CASE("sums of commands whose elements of the tensor lie between each other's") {
  tests::GraphBuilder b;
  const auto x = b.input("x", base::ElementType::Int8, {1, 5, 4, 12});
  const auto w = b.constant(tests::random_tensor(base::ElementType::Int8, {10, 3, 3, 12}, 1));
  const auto bias = b.constant(tests::random_tensor(base::ElementType::Int32, {10}, 2, -1000, 1000));
  const auto zero = b.scalar(base::ElementType::Int8, 0);
  const auto sums = b.op(ir::OpKind::TransposeConv2d, {x, w, bias, zero, zero}, base::ElementType::Int32, {1, 11, 9, 10},
                         ir::TransposeConvAttributes{{0, 0, 0, 0}, {2, 2}, base::ElementType::Int32});
  Model model;
  model.file = "transposed";
  model.graph = b.build({b.rescale(sums, base::ElementType::Int8, {.multipliers = {1 << 30}, .shifts = {38}})});
  for (const char* config : {"v64", "v256"}) {
    MachineOptions options;
    options.config = config;
    // Each of the four phases of a stride of two by two has every second row and column.
    CHECK(compare(model, options).commands >= 4);
  }
}

TEST_CASE("the command on the array at a cycle") {
  soc::JobResult job;
  job.cycles = 100;
  const auto add = [&](units::Work work, int64_t start, int64_t main_end, int64_t end) {
    units::CommandRecord& record = job.commands.emplace_back();
    record.work = work;
    record.start_cycle = start;
    record.end_cycle = end;
    record.main.end_cycle = main_end;
  };
  add(units::Work::Array, 10, 40, 60);
  add(units::Work::Vector, 5, 90, 90);
  add(units::Work::Array, 40, 70, 80);
  CHECK(command_on_array(job, 9) == -1);
  CHECK(command_on_array(job, 10) == 0);
  CHECK(command_on_array(job, 39) == 0);
  CHECK(command_on_array(job, 40) == 2);  // the first one drains, the other one grows
  CHECK(command_on_array(job, 79) == 2);
  CHECK(command_on_array(job, 80) == -1);
}

}  // namespace
}  // namespace vernier::flow
