// SPDX-License-Identifier: Apache-2.0
// Commands of a simulated machine on a block in C++ and on RTL: what is compared, what is committed, what is seen.
#include "compiler/emit/compile.hpp"
#include "compiler/import/import.hpp"
#include "compiler/reference/interpreter.hpp"
#include "hw/base/file.hpp"
#include "hw/timing/mac_edges.hpp"
#include "sim/cosim/network/rtl_datapath.hpp"
#include "sim/cosim/replay/sampled_command.hpp"
#include "sim/soc/npu.hpp"
#include "tests/cosim/array_model_block.hpp"
#include "tests/cosim/network_runs.hpp"
#include "tests/support/source_tree.hpp"
#include "tests/support/stream_assembler.hpp"

#include <catch2/catch.hpp>

#include <functional>

using namespace vernier;
using namespace vernier::cosim;
using namespace vernier::support;
using Catch::Matchers::Contains;

namespace {

/// Two pointwise commands without a token between them, the second through a table; one in two slices, and another after it;
/// one that waits for that; a vector command on the first one's result.
package::Package hand_made(const config::MachineConfig& config) {
  constexpr int64_t kInput = 0, kWeights = 4096, kParameters = 16384, kTable = 20480, kOutput = 32768, kEach = 4096;
  const uint8_t mac = tokens({Queue::MacArray});
  const auto at = [](int64_t idx) { return kOutput + idx * kEach; };
  StreamAssembler stream(config);
  stream.ramp(sram(kInput), 4096, -100).ramp(sram(kWeights), 4096, 7).ramp(sram(kTable), 256, 3);
  stream.data(sram(kParameters), channel_parameters(2 * kLanes, -900, 1 << 30, 36));
  spec::MacCommand plain = pointwise(config, 6, 5, kInput, kWeights, kParameters, at(0));
  plain.row_tile_rows = 7;
  spec::MacCommand table = pointwise(config, 6, 5, kInput + 3, kWeights + 256, kParameters, at(1));
  table.table = true;
  spec::MacCommand begin = pointwise(config, 6, 5, kInput, kWeights + 512, kParameters, at(2));
  begin.in_channels = 2 * kLanes;
  begin.input.pixel_pitch_bytes = 2 * kLanes;
  begin.input.row_pitch_bytes = 10 * kLanes;
  begin.last = false;
  spec::MacCommand end = begin;
  end.weight_base += kLanes * kLanes;
  end.reduction_begin = kLanes;
  end.reduction_end = 2 * kLanes;
  end.first = false;
  end.last = true;
  const spec::MacCommand after = pointwise(config, 6, 5, kInput, kWeights + 1024, kParameters, at(3));
  const spec::MacCommand waiting = pointwise(config, 6, 5, at(3), kWeights + 2048, kParameters, at(5));
  stream.layer("first").add(table_fill(Queue::Dma0, kTable, 0, base::ElementType::Int8, 256), 0, mac);
  stream.add(plain, tokens({Queue::Dma0}), tokens({Queue::VectorUnit})).layer("second").add(table);
  stream.layer("sliced").add(begin, 0, mac).add(end, mac).layer("after").add(after, 0, mac).add(waiting, mac);
  stream.layer("vector").add(vector_add(at(0), at(4), 30 * kLanes, 3), mac).end();
  for (int64_t i = 0; i < 6; ++i) stream.output(sram(at(i)), 30 * kLanes);
  return stream.package();
}

void check_all_equal(const Ran& ran, const std::vector<base::Tensor>& expected) {
  INFO(network_text(ran.report));
  CHECK(ran.report.is_equal());
  CHECK(ran.report.result.commands_different() == 0);
  CHECK(ran.report.result.model_cycles == ran.report.result.rtl_cycles);
  CHECK(ran.outputs == expected);
}

}  // namespace

TEST_CASE("network: a command with the bytes that it finds has the results and the edges that it has in SRAM") {
  for (const int lanes : {8, 16, 32}) {
    const spec::Datapath datapath{lanes, 4, 2};
    Random random(21);
    const kernels::TableMemory tables = draw_array_tables(random);
    for (int i = 0; i < 60; ++i) {
      for (const Work& drawn : works_of(draw_array_sequence(datapath, random))) {
        // Somewhere in a larger memory, as a network's.
        Work placed = drawn;
        const int64_t offset = 100'003 + i;
        placed.bytes.insert(placed.bytes.begin(), static_cast<size_t>(offset), std::byte{0x55});
        placed.mac().input.base += offset;
        placed.mac().weight_base += offset;
        placed.mac().parameter_base += offset;
        placed.mac().addend.base += offset;
        const Work sample = sample_command(placed.mac(), datapath, placed.bytes);
        CHECK(sample.bytes.size() < placed.bytes.size());
        CHECK(sample.mac().output == placed.mac().output);
        const std::vector<timing::CommandEdges> in_place = timing::mac_edges({&placed.mac(), 1}, datapath);
        const std::vector<timing::CommandEdges> sampled = timing::mac_edges({&sample.mac(), 1}, datapath);
        CHECK(in_place[0].results == sampled[0].results);
        CHECK(in_place[0].next_command == sampled[0].next_command);
        const auto written = [&](const Work& array) {
          kernels::Accumulators accumulators;
          accumulators.is_valid = true;
          const spec::MacCommand& m = array.mac();
          accumulators.values.assign(static_cast<size_t>(m.out_rows * m.out_columns * m.out_channels), 3);
          kernels::WriteSet writes;
          kernels::run_mac(m, datapath, array.bytes, tables, accumulators, writes);
          std::vector<std::byte> bytes;
          for (const kernels::WriteSet::Run& run : writes.runs()) {
            const auto of_run = writes.bytes_of(run);
            bytes.insert(bytes.end(), of_run.begin(), of_run.end());
          }
          return std::pair(bytes, accumulators.values);
        };
        CHECK(written(placed) == written(sample));
      }
    }
  }
}

TEST_CASE("network: a right block matches in value and edge, by itself, in pairs and in slices, and its results go on") {
  const package::Package package = hand_made(v64());
  const Ran ran = run_on(make_array_model(kLanes, ArrayFlaw::None), package, {});
  check_all_equal(ran, kernels_outputs(package, {}));
  const NetworkResult& result = ran.report.result;
  CHECK(ran.report.outcome() == "match");
  CHECK(result.commands == 8);
  CHECK(result.mac_commands == 6);
  CHECK(result.mac_commands_compared == 6);
  CHECK(result.macs == 6 * 30 * kLanes * kLanes);
  CHECK(result.macs_compared == result.macs);
  CHECK(result.pairs == 3);  // plain and table, table and the first slice, the last slice and what comes after it
  // Five commands of 30 rows alone, the pairs once more; the first slice has none.
  CHECK(result.vectors() == 5 * 30 + 60 + 30 + 60);
  for (const NetworkGroup& group : result.groups)
    CHECK((group.without_rtl.empty() || group.name == "DMA" || group.name == "vector unit"));
  CHECK_THAT(network_text(ran.report),
             Contains("every result and every edge that was compared is equal") && Contains("6 of 6 MAC commands"));
}

TEST_CASE("network: a block with a flaw fails in every command that has results") {
  const package::Package package = hand_made(v64());
  const std::vector<base::Tensor> right = kernels_outputs(package, {});
  for (const ArrayFlaw flaw :
       {ArrayFlaw::Zeros, ArrayFlaw::Late, ArrayFlaw::NoResult, ArrayFlaw::WrongMask, ArrayFlaw::ExtraRow}) {
    const Ran ran = run_on(make_array_model(kLanes, flaw), package, {});
    INFO(static_cast<int>(flaw) << network_text(ran.report));
    const NetworkResult& result = ran.report.result;
    CHECK_FALSE(ran.report.is_equal());
    CHECK(ran.report.outcome() == "mismatch");
    CHECK(result.mac_commands_compared == 6);
    CHECK(result.commands_different() >= 5);  // a slice that is not the last has no results
    CHECK(result.mismatches() >= 5);
    REQUIRE_FALSE(result.first_mismatches.empty());
    CHECK_THAT(result.first_text(), Contains("command 1, layer 'first', "));
    CHECK_THAT(network_text(ran.report), !Contains("every result"));
    // What the block wrote is what the next commands find, and the outputs show.
    CHECK((ran.outputs != right) == (flaw != ArrayFlaw::Late && flaw != ArrayFlaw::ExtraRow));
    CHECK((result.cycle_mismatches() > 0) == (flaw != ArrayFlaw::Zeros && flaw != ArrayFlaw::WrongMask));
    if (flaw != ArrayFlaw::Zeros) continue;
    CHECK(ran.outputs[0].at(5) == 0);
    CHECK(ran.outputs[4].at(5) == 3);  // the vector command adds to the zeros
    CHECK_THAT(result.first_text(),
               Contains("command 1, layer 'first', npu_datapath, vector 0, cycle ") && Contains("out_value_o lane ") &&
                   Contains("actual 0: row 0, channel ") && Contains(" taps, ") && Contains("sums of steps ") &&
                   Contains("bias -900, multiplier 1073741824, shift 36; rescale of ") && Contains(": product "));
  }
}

TEST_CASE("network: a block that takes no command is a hang that names the command and its layer") {
  const package::Package package = hand_made(v64());
  CHECK_THROWS_AS(run_on(make_array_model(kLanes, ArrayFlaw::NotReady), package, {}), Hang);
  CHECK_THROWS_WITH(run_on(make_array_model(kLanes, ArrayFlaw::NotReady), package, {}),
                    Contains("command 1, layer 'first' waits for cmd_ready_o"));
  // What the machine did until then is known.
  NetworkReport report;
  ClockedBlock clocked(make_array_model(kLanes, ArrayFlaw::NotReady), *spec::rtl_block_of_unit("datapath"), kLanes);
  soc::Npu npu(package.config, std::make_unique<RtlDatapath>(clocked, package, report.result));
  CHECK_THROWS_AS(npu.run(package, {}), Hang);
  const soc::JobResult job = npu.stopped(package);
  CHECK(std::holds_alternative<soc::Hang>(job.status));
  REQUIRE(job.commands.size() > 2);
  CHECK(job.commands[0].end_cycle > 0);
  CHECK(job.commands[1].start_cycle >= job.commands[0].end_cycle);
  CHECK(job.commands[1].start_cycle == job.cycles);
  CHECK(job.commands[1].end_cycle < 0);
  CHECK(job.commands[2].start_cycle < 0);
}

TEST_CASE("network: compiled networks on blocks that are right and that are not, against the reference") {
  for (const char* network : {"conv_3x3_pad", "fc_200_17", "conv_1x1_c20_oc33", "weights_shared"}) {
    const package::Package package = compiled(network, v64());
    const std::vector<base::Tensor> inputs = random_inputs(package);
    const ir::Graph graph = import::import_graph(package.model_name, package.source, ir::kLevel8k);
    const std::vector<base::Tensor> expected = reference::run(graph, inputs).outputs;
    const Ran right = run_on(make_array_model(kLanes, ArrayFlaw::None), package, inputs);
    INFO(network);
    check_all_equal(right, expected);
    CHECK(right.report.result.macs_compared == right.report.result.macs);
    const Ran zeros = run_on(make_array_model(kLanes, ArrayFlaw::Zeros), package, inputs);
    CHECK(zeros.report.result.commands_different() == zeros.report.result.mac_commands_compared);
    CHECK(zeros.outputs != expected);
    const Ran late = run_on(make_array_model(kLanes, ArrayFlaw::Late), package, inputs);
    CHECK(late.report.result.commands_different() == late.report.result.mac_commands_compared);
    CHECK(late.report.result.cycle_mismatches() >= late.report.result.mac_commands_compared);
    CHECK(late.outputs == expected);
  }
}

TEST_CASE("network: RTL equals the model on commands by hand and on compiled networks") {
  if (rtl_blocks().empty()) {
    WARN("skipped: this program was built without Verilator");
    return;
  }
  const package::Package by_hand = hand_made(v64());
  const Ran ran = run_on(make_rtl_block("npu_datapath", kLanes), by_hand, {});
  check_all_equal(ran, kernels_outputs(by_hand, {}));
  CHECK(ran.report.result.mac_commands_compared == 6);
  CHECK(ran.report.result.pairs == 3);
  for (const char* preset : {"v64", "v256"}) {
    for (const char* network : {"conv_3x3_pad", "fc_200_17", "conv_1x1_c20_oc33", "weights_shared", "small_classifier",
                                "depthwise_separable", "depthwise_5x5", "conv_first_c3"}) {
      const package::Package package = compiled(network, config::preset_config(preset, "test"));
      const std::vector<base::Tensor> inputs = random_inputs(package);
      const ir::Graph graph = import::import_graph(package.model_name, package.source, ir::kLevel8k);
      INFO(preset << ", " << network);
      check_all_equal(run_on(make_rtl_block("npu_datapath", package.config.datapath.lanes), package, inputs),
                      reference::run(graph, inputs).outputs);
    }
  }
}

TEST_CASE("network: without pairs each command runs once, and has its cycles") {
  const package::Package package = hand_made(v64());
  const Ran ran = run_on(make_array_model(kLanes, ArrayFlaw::None), package, {}, {.has_pairs = false});
  const NetworkResult& result = ran.report.result;
  CHECK(result.pairs == 0);
  CHECK(result.vectors() == 5 * 30);
  REQUIRE(result.command_cycles.size() == 6);
  int64_t sum = 0;
  const std::vector<int32_t> array_commands{1, 2, 3, 4, 5, 6};
  for (size_t i = 0; i < 6; ++i) {
    CHECK(result.command_cycles[i].command_idx == array_commands[i]);
    CHECK(result.command_cycles[i].cycles > 30);
    sum += result.command_cycles[i].cycles;  // of command 3 too, a slice without results
  }
  CHECK(result.rtl_cycles == sum);
  CHECK(result.model_cycles == sum);
  CHECK(result.first_command_different == -1);
}

TEST_CASE("network: commands that are not wanted come from the kernels and are not compared") {
  const package::Package package = hand_made(v64());
  const Ran ran =
      run_on(make_array_model(kLanes, ArrayFlaw::Zeros), package, {}, {.has_pairs = false, .only = std::set<int32_t>{3, 4}});
  const NetworkResult& result = ran.report.result;
  CHECK(result.mac_commands_compared == 2);  // both slices
  CHECK(result.commands_different() == 1);
  CHECK(result.first_command_different == 4);
  const std::vector<base::Tensor> right = kernels_outputs(package, {});
  for (size_t i = 0; i < right.size(); ++i) CHECK((ran.outputs[i] == right[i]) == (i != 2));
}

TEST_CASE("network: a run says how far it has come, in cycles of its commands") {
  const package::Package package = hand_made(v64());
  std::vector<RtlProgress> told;
  (void)run_on(make_array_model(kLanes, ArrayFlaw::Zeros), package, {},
               {.progress = [&](const RtlProgress& so_far) { told.push_back(so_far); }});
  REQUIRE(told.size() == 7);
  for (size_t i = 1; i < told.size(); ++i) {
    CHECK(told[i].done_cycles > told[i - 1].done_cycles);
    CHECK(told[i].mismatches >= told[i - 1].mismatches);
    CHECK(told[i].all_cycles == told[0].all_cycles);
  }
  CHECK(told.back().done_cycles == told.back().all_cycles);
  CHECK(told.back().mismatches > 0);
}

TEST_CASE("network: a network without a command that has RTL is no match, and says how much was left out and why") {
  const package::Package package = compiled("softmax_rank_3", v64());
  const Ran ran = run_on(make_array_model(kLanes, ArrayFlaw::None), package, random_inputs(package));
  REQUIRE(ran.report.result.mac_commands == 0);
  REQUIRE(ran.report.result.commands > 1);
  CHECK(ran.report.outcome() == "nothing compared");
  const std::string text = network_text(ran.report), json = network_json(ran.report, "1.2");
  CHECK_THAT(text,
             Contains(fmt::format("nothing was compared in RTL: {} commands were left out\n", ran.report.result.commands)));
  CHECK_THAT(text, Contains("not compared:\n") && Contains(": no RTL of the vector unit\n"));
  CHECK_THAT(text, Contains("their values are the model's, none is from RTL"));
  CHECK_THAT(text, !Contains("100.0 %") && !Contains("compared in RTL: 0 of 0"));
  CHECK_THAT(json, Contains("\"result\": \"nothing compared\"") && Contains("\"commands_compared\": 0") &&
                       Contains("\"coverage_bins_hit\": 0") && Contains("\"coverage_percent\": 0.0"));
  Ran different = ran;
  different.report.end_to_end.elements_different = 1;
  CHECK(different.report.outcome() == "mismatch");
}

TEST_CASE("network: what has no RTL is counted by mapping and mode, with the reason") {
  const package::Package package = compiled("depthwise_multiplier_2", v64());
  const Ran ran = run_on(make_array_model(kLanes, ArrayFlaw::None), package, random_inputs(package));
  int64_t commands = 0;
  for (const NetworkGroup& group : ran.report.result.groups) {
    commands += group.commands;
    if (!group.without_rtl.empty()) CHECK_THAT(group.without_rtl, Contains("no RTL "));
  }
  CHECK(commands == ran.report.result.commands);
  const std::string json = network_json(ran.report, "1.2");
  for (const char* key : {"\"schema\": \"vernier-cosim/1\"", "\"unit\": \"datapath\"",
                          "\"commands_compared\": ", "\"commands_without_rtl\": ", "\"cycle_mismatches\": 0",
                          "\"groups\": [", "\"config\": ", "\"seed\": "})
    CHECK_THAT(json, Contains(key));
}
