// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/sim_report/sample_report.hpp"

namespace vernier::report {
namespace {

Layer first_layer() {
  Layer layer;
  layer.layer_idx = 0;
  layer.name = "net/stem/conv_1/Relu;net/stem/norm_1/add";
  layer.source_name = "stem, \"the first\"";
  layer.operators = {"CONV2D", "RESCALE", "CLAMP"};
  layer.main_operator = {"CONV2D", {3, 5}, {2, 4}, 29};
  layer.first_cycle = 37;
  layer.last_cycle = 41'003;
  layer.attributed_cycles = 40'009;
  layer.attributed_cycles_by = {{"array", 38'011}, {"weight_load", 1'987}, {"bank_conflict", 11}};
  layer.in_flight_cycles = 40'927;
  layer.working_cycles = 39'019;
  layer.macs = 5'400'001;
  layer.traffic = {700'001, 80'021, 90'031, 17};
  layer.spent_cycles = {{"array", 38'033}, {"weight_load", 2'011}};
  layer.bound_by = "compute";
  layer.bound_detail = "53 of 61 taps";
  return layer;
}

Layer second_layer() {
  Layer layer;
  layer.layer_idx = 1;
  layer.name = "net/block/depthwise_1/Relu";
  layer.source_name = "depthwise";
  layer.operators = {"RESHAPE", "DEPTHWISE_CONV2D", "RESCALE", "CLAMP"};
  layer.main_operator = {"DEPTHWISE_CONV2D", {7, 7}, {6, 6}, 1'031};
  layer.first_cycle = 41'011;
  layer.last_cycle = 61'027;
  layer.attributed_cycles = 20'101;
  layer.attributed_cycles_by = {{"dma_external", 15'013}, {"external_memory", 5'088}};
  layer.in_flight_cycles = 21'001;
  layer.working_cycles = 19'501;
  layer.macs = 1'234'577;
  layer.traffic = {200'003, 60'077, 500'083, 40'087};
  layer.spent_cycles = {{"vector_unit", 67}};
  layer.bound_by = "external";
  layer.bound_detail = "71 % of the bandwidth is used";
  return layer;
}

Layer third_layer() {
  Layer layer;
  layer.layer_idx = 2;
  layer.name = "net/block/up_1/Relu";
  layer.source_name = "up";
  layer.operators = {"TRANSPOSE_CONV2D", "RESCALE"};
  layer.main_operator = {"TRANSPOSE_CONV2D", {2, 2}, {8, 8}, 257};
  layer.first_cycle = 61'031;
  layer.last_cycle = 88'001;
  layer.attributed_cycles = 26'903;
  layer.attributed_cycles_by = {{"array", 20'011}, {"port_contention", 6'892}};
  layer.in_flight_cycles = 26'951;
  layer.working_cycles = 26'947;
  layer.macs = 3'210'989;
  layer.traffic = {1'300'009, 310'019, 1'009, 110'023};
  layer.spent_cycles = {{"sharing", 73}};
  layer.bound_by = "sram";
  layer.bound_detail = "79 words of 83";
  return layer;
}

/// Without MACs, in UTF-8, with a character that no terminal must obey.
Layer last_layer() {
  Layer layer;
  layer.layer_idx = 3;
  layer.name = "sch\xc3\xa4tzung\x1b[31m";
  layer.source_name = "estimate";
  layer.operators = {"RESCALE", "REDUCE_MAX", "SUB", "TABLE", "RESCALE"};
  layer.main_operator = {"REDUCE_MAX", {}, {}, 0};
  layer.first_cycle = 88'003;
  layer.last_cycle = 89'989;
  layer.attributed_cycles = 2'990;
  layer.attributed_cycles_by = {{"nothing_at_work", 1'997}, {"vector_unit", 993}};
  layer.in_flight_cycles = 1'979;
  layer.working_cycles = 1'973;
  layer.traffic = {4'001, 5'003, 0, 6'007};
  layer.bound_by = "control";
  return layer;
}

std::vector<Command> commands() {
  Command load{0, "dma", "dma0", 31, 1'049, 1'013, {{"external_memory", 5}}, {{"command_issue", 16}}, {4, 0, 90'031, 0}, 13};
  Command mac{0, "mac_array", "mac", 1'051, 41'003, 39'950, {{"pipeline_fill", 2}}, {}, {699'997, 80'021, 0, 17}, 37};
  Command depthwise{1, "mac_array", "mac", 41'011, 61'027, 20'000, {}, {}, {200'003, 60'077, 500'083, 40'087}, 1'051};
  Command up{2, "mac_array", "mac", 61'031, 88'001, 26'970, {}, {}, {1'300'009, 310'019, 1'009, 110'023}, 41'023};
  Command last{3, "vector_unit", "vec", 88'003, 89'989, 1'986, {}, {{"dma", 3}}, {4'001, 5'003, 0, 6'007}, 61'043};
  Command end{3, "command_processor", "", 90'003, 90'003, 0, {}, {}, {}, 89'999};
  return {load, mac, depthwise, up, last, end};
}

std::vector<Unit> units() {
  return {{"mac_array", 71'993, {{"weight_load", 1'999}, {"dma", 15'101}, {"pipeline_fill", 907}}, 3},
          {"vector_unit", 13'001, {{"waiting_for_token", 47'017}}, 29'985},
          {"table_unit", 0, {}, 90'003}};
}

std::vector<QueueFill> queues() {
  return {{"dma0", 8, 6, 0, 0}, {"dma1", 8, 0, 0, 0}, {"mac", 8, 8, 4'021, 3'989}, {"vec", 8, 8, 71, 71}};
}

std::vector<SramBlock> sram_blocks() {
  return {{"layer_19", false, 101, 150'112, 31, 41'003}, {"weights of \"layer_19\"", true, 150'112, 250'007, 0, 90'003}};
}

}  // namespace

Report sample_report() {
  Report report;
  report.tool_version = "0.1.0+g0123456789ab";
  report.backend = "sim";
  report.model_file = "models/net.tosa";
  report.model_sha256 = std::string(64, 'c');
  report.model_name = "net.tosa";
  report.config = config::preset_config("v256", "test");
  report.config.name = "mine";
  report.config.clock_hz = 800'000'000;
  report.config.sram_bytes = 262'144;
  report.config.external = {{53, 2}, 113, 64, false};
  report.config.memory_mode = spec::MemoryMode::External;
  report.outputs = {{"scores", "scores.npy", {1, 1'009}, "int8"}};
  report.check = {"match", 2'027, 2, 0, 5, {}, {{"layer_19", "fused into CONV2D layer_23"}, {"layer_43", "constant"}}};
  report.cycles = 90'003;
  report.weight_bytes = 123'457;
  report.commands = 6;
  report.sram_peak_bytes = 250'007;
  report.sram_written_peak_bytes = 249'989;
  report.planned_sram_bytes = 253'952;
  report.sram_peak = {150'011, 99'013, 719};
  report.image_bytes = 131'071;
  report.external_footprint_bytes = 345'689;
  report.least_external_bytes_per_cycle = base::Ratio(325, 32);
  report.traffic = {2'204'014, 455'120, 591'123, 156'134};
  report.units = units();
  report.queues = queues();
  report.sram_blocks = sram_blocks();
  report.layers = {first_layer(), second_layer(), third_layer(), last_layer()};
  report.command_list = commands();
  report.host_seconds = {0.0123, 1.234, 0.000'321, 0.0456, 0.0078, 1.3};
  report.run = {"vernier run models/net.tosa --seed 97", 97, {"random, seed 97", "more/input.npy"}, 11, "0123456789ab"};
  report.approximations = {{"words do not collide", "too few cycles, at most one for each word", 1.2345},
                           {"no refresh", "too few cycles, 3 to 5 %", {}}};
  report.warnings = {"RESCALE layer_7: a value of 2147483648 is outside of int32"};
  report.notes = {"the first dimension -1 of input 'x' was taken as 1"};
  return report;
}

Report sample_sram() {
  Report report = sample_report();
  report.config.name = "inside";
  report.config.memory_mode = spec::MemoryMode::Sram;
  report.config.sram_bytes = int64_t{64} << 20;
  report.config.external.is_full_duplex = true;
  report.optimize = 0;
  report.planned_sram_bytes = report.external_footprint_bytes = 0;
  report.least_external_bytes_per_cycle.reset();
  const auto stay_inside = [](Traffic& traffic) { traffic.external_read_bytes = traffic.external_write_bytes = 0; };
  stay_inside(report.traffic);
  for (Layer& layer : report.layers) stay_inside(layer.traffic);
  for (Command& command : report.command_list) stay_inside(command.traffic);
  report.layers[1].bound_by = "vector";
  report.layers[1].bound_detail = "its lanes serve the array's epilogue first";
  report.check = {};
  report.run.inputs.clear();
  report.warnings.clear();
  report.notes.clear();
  return report;
}

Report sample_mismatch() {
  Report report = sample_report();
  report.check.result = "mismatch";
  report.check.elements_different = 19;
  report.check.first_difference =
      FirstDifference{"scores",
                      {0, 101},
                      -127,
                      103,
                      2,
                      4,
                      89'899,
                      "dense/MatMul",
                      "CONV2D, RESCALE",
                      "mac_array",
                      89'017,
                      "row 3, channel 5 of 1 x 1 x 10; 64 taps. These operands give -127, the expected value"};
  report.check.folded.clear();
  report.run.inputs = {"a.npy", "b.npy"};
  return report;
}

Report sample_rtl() {
  Report report = sample_sram();
  report.backend = "rtl";
  report.rtl = RtlUse{4,
                      2,
                      7'013,
                      0,
                      0,
                      61'007,
                      61'007,
                      {{1, "mac_array", 39'989}, {3, "mac_array", 19'001}},
                      {{1, "mac_array", 39'989, 39'989}, {3, "mac_array", 19'001, 19'001}},
                      {}};
  return report;
}

Report sample_rtl_mismatch() {
  Report report = sample_rtl();
  report.rtl->mismatches = 1'213;
  report.rtl->cycle_mismatches = 409;
  report.rtl->rtl_cycles = 62'003;
  report.rtl->command_cycles.back().rtl_cycles = 19'003;
  report.rtl->first_mismatches = {
      "command 1, layer 'net/stem/conv_1', vector 0, cycle 21: out_value_o lane 3: expected 5, actual 7",
      "command 3, layer 'net/up', vector 2, cycle 401: out 2 cycles later than ideal"};
  report.rtl->mismatch_details = {
      {.kind = "value",
       .unit = "npu_datapath",
       .port = "out_value_o",
       .lane = 3,
       .command = "command 1, layer 'net/stem/conv_1'",
       .cycle = 21,
       .expected = {"5", 5},
       .actual = {"7", 7}},
      {.kind = "edge", .unit = "npu_datapath", .command = "command 3, layer 'net/up'", .cycle = 401}};
  return report;
}

Report sample_core() {
  Report report = sample_sram();
  report.backend = "rtl";
  report.rtl.emplace();
  report.rtl->commands = 4;
  report.rtl->commands_without_rtl = 1;
  RtlUse::Core core{.total_cycles = 90'020, .model_total_cycles = 89'989, .compared_bytes = 61'027};
  for (size_t i = 0; i + 1 < report.command_list.size(); ++i) {
    const Command& command = report.command_list[i];
    const std::string_view unit = i == 0 ? "dma" : i == 4 ? "vector_unit" : "mac_array";
    const auto late = static_cast<int64_t>(i) * 7;
    core.commands.push_back({static_cast<int64_t>(i), unit, command.start_cycle + late,
                             command.end_cycle + (i == 4 ? 31 : 3 * late), command.start_cycle, command.end_cycle});
  }
  core.worst_command = {
      .command_idx = 3, .unit = "mac_array", .layer = "net/up", .cycles = 27'012, .model_cycles = 26'970, .percent = 0.16};
  report.rtl->core = std::move(core);
  return report;
}

Report sample_core_mismatch() {
  Report report = sample_core();
  report.rtl->mismatches = 2;
  report.rtl->core->wrong_bytes = 2'011;
  report.rtl->first_mismatches = {
      "command 1, layer 'net/stem/conv_1', npu_core_sram, byte 4099 of SRAM: expected 5, actual 7; 2009 bytes are wrong"};
  report.rtl->mismatch_details = {{.kind = "value",
                                   .unit = "npu_core_sram",
                                   .port = "byte 4099 of SRAM",
                                   .command = "command 1, layer 'net/stem/conv_1'",
                                   .expected = {"5", 5},
                                   .actual = {"7", 7},
                                   .operands = "2009 bytes are wrong"}};
  return report;
}

Report sample_reference() {
  Report report = sample_report();
  Report result;
  result.tool_version = report.tool_version;
  result.backend = "reference";
  result.model_file = report.model_file;
  result.model_sha256 = report.model_sha256;
  result.model_name = report.model_name;
  result.config = report.config;
  result.outputs = report.outputs;
  result.run = report.run;
  result.warnings = report.warnings;
  result.host_seconds = report.host_seconds;
  for (const Layer& layer : report.layers) {
    Layer& shown = result.layers.emplace_back();
    shown.layer_idx = layer.layer_idx;
    shown.name = layer.name;
    shown.source_name = layer.source_name;
    shown.operators = layer.operators;
    shown.main_operator = layer.main_operator;
    shown.macs = layer.macs;
  }
  return result;
}

}  // namespace vernier::report
