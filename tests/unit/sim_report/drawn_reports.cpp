// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/sim_report/drawn_reports.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace vernier::report {

namespace {

const std::vector<std::string> kStalls{"array",        "weight_load",     "bank_conflict",
                                       "dma_external", "external_memory", "pipeline_fill"};
constexpr std::array<std::string_view, 5> kUnits{"mac_array", "vector_unit", "rescale_unit", "table_unit", "dma"};
constexpr std::array<std::string_view, 4> kQueues{"dma0", "dma1", "mac", "vec"};

}  // namespace

int64_t ReportDrawer::count() {
  if (random_.chance(25)) return pick<int64_t>({0, 0, 1, 2});
  int64_t power = 1;
  for (int64_t digits = random_.within(0, 7); digits > 0; --digits) power *= 10;
  return random_.chance(20) ? power + random_.within(-1, 1) : random_.within(power, 10 * power);
}

double ReportDrawer::percent() {
  if (random_.chance(20)) return pick<double>({0, 0.004, 0.005, 0.995, 99.995, 100});
  return static_cast<double>(random_.within(0, 200'000)) / 1000;
}

std::string ReportDrawer::name() {
  if (random_.chance(10)) return pick<std::string>({"a", "a \"b\", c", "sch\xc3\xa4tzung\x1b[31m", "x;y", "<b>"});
  const std::string front = pick<std::string>({"net_1/", "net_1/", "net_1/", "block.", ""});
  const std::string middle =
      fmt::format("{}{}", pick<std::string>({"conv", "stage/dense", "block2_depthwise_"}), random_.within(1, 30));
  const std::string end = pick<std::string>({"/Relu6", "/Relu6", "_bn/batchnorm", "", ";net_1/other/add"});
  return front + middle + end;
}

std::string ReportDrawer::words() {
  std::string text = pick<std::string>({"words", "79 words of 83", "the lanes, of the array's epilogue"});
  for (int64_t more = random_.within(0, 12); more > 0; --more)
    text += pick<std::string>({" of", " a rather long one", ", 12 %", " x"});
  return text;
}

base::Shape ReportDrawer::shape() {
  base::Shape shape;
  for (int64_t rank = random_.within(0, 4); rank > 0; --rank) shape.push_back(random_.within(1, 20));
  return shape;
}

Traffic ReportDrawer::traffic() {
  Traffic traffic{count(), count(), count(), count()};
  if (random_.chance(30)) traffic.external_read_bytes = 0;
  if (random_.chance(30)) traffic.external_write_bytes = 0;
  return traffic;
}

std::vector<std::pair<std::string, int64_t>> ReportDrawer::named_cycles() {
  std::vector<std::pair<std::string, int64_t>> cycles;
  for (const std::string& stall : kStalls) {
    if (random_.chance(35)) cycles.emplace_back(stall, 1 + count());
  }
  return cycles;
}

Layer ReportDrawer::layer(int64_t idx, int64_t cycles) {
  Layer layer;
  layer.layer_idx = idx;
  layer.name = name();
  layer.source_name = random_.chance(20) ? "" : name();
  for (int64_t more = random_.within(0, 3); more > 0; --more)
    layer.operators.push_back(pick<std::string>({"CONV2D", "RESCALE", "DEPTHWISE_CONV2D", "TRANSPOSE_CONV2D", "TABLE"}));
  if (random_.chance(70)) {
    const std::vector<int64_t> sizes{1, 1, 2, 3};
    layer.main_operator = {pick<std::string>({"CONV2D", "DEPTHWISE_CONV2D", "TRANSPOSE_CONV2D", "RESCALE"}),
                           {pick(sizes), pick(sizes)},
                           {pick(sizes), pick(sizes)},
                           count() % 3000};
    if (random_.chance(30)) layer.main_operator.stride.clear();
    if (random_.chance(30)) layer.main_operator.kernel.clear();
  }
  layer.first_cycle = random_.within(-1, cycles);
  layer.last_cycle = std::min(cycles, layer.first_cycle + count() % (cycles + 1));
  layer.attributed_cycles = random_.chance(20) ? 0 : random_.within(0, cycles / 2 + 1);
  if (layer.attributed_cycles > 0) layer.attributed_cycles_by = named_cycles();
  layer.in_flight_cycles = count();
  layer.working_cycles = random_.chance(10) ? 0 : random_.within(1, cycles + 1);
  layer.macs = random_.chance(30) ? 0 : layer.working_cycles * random_.within(0, 256);
  layer.traffic = traffic();
  layer.spent_cycles = named_cycles();
  layer.bound_by = pick<std::string>({"compute", "sram", "external", "vector", "control"});
  layer.bound_detail = random_.chance(30) ? "" : words();
  return layer;
}

Command ReportDrawer::command(int64_t num_layers, int64_t cycles) {
  Command command;
  command.layer_idx = random_.within(-1, num_layers - 1);
  command.unit = kUnits[static_cast<size_t>(random_.within(0, 4))];
  command.queue = kQueues[static_cast<size_t>(random_.within(0, 3))];
  command.start_cycle = random_.within(-1, cycles);
  command.end_cycle =
      random_.chance(10) ? command.start_cycle : std::min(cycles, command.start_cycle + count() % (cycles + 1));
  command.busy_cycles = count();
  for (const char* stall : {"external_memory", "bank_conflict", "pipeline_fill"}) {
    if (random_.chance(30)) command.stall_cycles.emplace_back(stall, 1 + count());
    if (random_.chance(30)) command.wait_cycles.emplace_back(stall, 1 + count());
  }
  command.traffic = traffic();
  command.dispatch_cycle = random_.within(-1, cycles);
  return command;
}

Check ReportDrawer::check() {
  Check check;
  check.result = pick<std::string>({"match", "mismatch", "skipped"});
  check.elements_compared = count();
  check.tensors_compared = random_.within(1, 3);
  check.elements_different = count();
  check.iterations_compared = count();
  if (check.result == "mismatch" && random_.chance(80)) {
    check.first_difference = FirstDifference{name(),
                                             shape(),
                                             count(),
                                             -count(),
                                             random_.within(-1, 5),
                                             random_.within(-1, 9),
                                             count(),
                                             name(),
                                             "CONV2D, RESCALE",
                                             "mac_array",
                                             count(),
                                             random_.chance(50) ? "" : words()};
  }
  for (int64_t more = random_.within(0, 2); more > 0; --more) check.folded.emplace_back(name(), words());
  return check;
}

RtlUse ReportDrawer::rtl() {
  RtlUse rtl;
  rtl.commands = random_.within(0, 3);
  rtl.commands_without_rtl = count();
  rtl.vectors = count();
  rtl.mismatches = random_.chance(50) ? 0 : random_.within(1, 2000);
  rtl.cycle_mismatches = random_.chance(50) ? 0 : random_.within(1, 2000);
  rtl.model_cycles = count();
  rtl.rtl_cycles = count();
  for (int64_t more = random_.within(0, 7); more > 0; --more)
    rtl.slowest_commands.push_back({count(), "mac_array", count()});
  for (int64_t more = random_.within(0, 3); more > 0; --more)
    rtl.command_cycles.push_back({count(), "dma", count(), count()});
  if (rtl.mismatches > 0) {
    for (int64_t more = random_.within(0, 3); more > 0; --more) rtl.first_mismatches.push_back(words());
  }
  rtl.memory = pick<std::string>({"ideal", "unlimited", "banked"});
  rtl.memory_commands = count();
  for (int64_t more = random_.within(0, 2); more > 0; --more) rtl.modes.push_back({"vector_unit", count(), count()});
  rtl.unused = random_.chance(60) ? "" : "npu_rescale_unit of DIR not used";
  return rtl;
}

config::MachineConfig ReportDrawer::config() {
  config::MachineConfig config = config::preset_config(pick<std::string>({"v64", "v256", "v1024", "v256-port8"}), "test");
  config.name = random_.chance(40) ? name() : "mine-" + config.name;  // nobody has measured it
  config.clock_hz = pick<int64_t>({1000, 800'000'000, 1'000'000'000, 333'333'333});
  config.sram_bytes = pick<int64_t>({1 << 16, 262'144, int64_t{64} << 20, 100'000});
  config.external = {{random_.within(1, 64), random_.within(1, 9)},
                     random_.within(0, 300),
                     pick<int64_t>({16, 64, 128}),
                     random_.chance(50)};
  config.memory_mode =
      pick<spec::MemoryMode>({spec::MemoryMode::Sram, spec::MemoryMode::WeightsExternal, spec::MemoryMode::External});
  return config;
}

SourceGraph ReportDrawer::source_graph(const Report& report) {
  SourceGraph graph{name(), {}};
  for (int64_t i = 0; i < 8; ++i) {
    const std::string of = report.layers.empty() || random_.chance(20)
                               ? name()
                               : report.layers[random_.within(0, std::ssize(report.layers) - 1)].name;
    graph.nodes.push_back({fmt::format("node {}", i), of, pick<std::string>({"CONV2D", "DEPTHWISE_CONV2D", "RESCALE"})});
  }
  return graph;
}

void ReportDrawer::add_lists(Report& report) {
  const auto repeat = [&](int64_t most, const auto& add) {
    for (int64_t more = random_.within(0, most); more > 0; --more) add();
  };
  repeat(2, [&] {
    report.outputs.push_back(
        {name(), random_.chance(50) ? "" : "y.npy", shape(), "int8", random_.chance(50) ? "" : "y.float.npy"});
  });
  for (const std::string_view unit : kUnits) {
    if (random_.chance(70)) report.units.push_back({std::string(unit), count(), named_cycles(), count()});
  }
  for (const std::string_view queue : kQueues) {
    if (random_.chance(70))
      report.queues.push_back(
          {queue, 8, random_.within(0, 8), random_.chance(50) ? 0 : count(), random_.chance(50) ? 0 : count()});
  }
  repeat(4, [&] { report.sram_blocks.push_back({name(), random_.chance(50), count(), count(), count(), count()}); });
  repeat(3, [&] {
    std::optional<double> bound, estimate;
    if (random_.chance(60)) bound = percent();
    if (random_.chance(40)) estimate = percent() / 10;
    report.approximations.push_back({words(), words(), bound, estimate});
  });
  repeat(2, [&] { report.warnings.push_back(words()); });
  repeat(2, [&] { report.notes.push_back(words()); });
  repeat(3, [&] { report.run.inputs.push_back(pick<std::string>({"random, seed 97", "a.npy", "more/b.npy"})); });
}

Report ReportDrawer::report(int64_t num_layers) {
  Report report;
  report.tool_version = "1.2.3";
  report.backend = pick<std::string>({"sim", "sim", "sim", "rtl", "reference"});
  report.model_file = "models/" + name();
  report.model_sha256 = std::string(64, pick<char>({'c', 'd'}));
  report.model_name = pick<std::string>({"net.tosa", "a_long_name_of_a_network.tflite"});
  report.config = config();
  report.optimize = random_.within(0, 2);
  report.check = check();
  if (report.backend == "rtl") report.rtl = rtl();
  report.cycles = random_.chance(10) ? 0 : 1 + count();
  report.weight_bytes = count();
  report.commands = count();
  report.sram_peak_bytes = count();
  report.sram_written_peak_bytes = count();
  report.sram_peak = {report.sram_peak_bytes / 3, report.sram_peak_bytes / 5, report.sram_peak_bytes / 7};
  report.image_bytes = count();
  report.external_footprint_bytes = count();
  if (random_.chance(50))
    report.least_external_bytes_per_cycle = random_.chance(20) ? report.config.external.bytes_per_cycle
                                                               : base::Ratio(random_.within(1, 99), random_.within(1, 32));
  report.planned_sram_bytes = random_.chance(30) ? 0 : random_.chance(30) ? report.config.sram_bytes : count();
  report.traffic = traffic();
  for (int64_t i = 0; i < num_layers; ++i) report.layers.push_back(layer(i, report.cycles));
  if (random_.chance(25) && num_layers > 1) report.layers.back().name = report.layers.front().name;
  for (int64_t more = random_.within(0, 12); more > 0 && report.cycles > 0; --more)
    report.command_list.push_back(command(num_layers, report.cycles));
  add_lists(report);
  const auto seconds = [&] { return static_cast<double>(count()) / 1e6; };
  report.host_seconds = {seconds(), seconds(), seconds(), seconds(), seconds(), seconds()};
  report.run.command_line = "vernier run " + report.model_file;
  report.run.seed = random_.seed() % 1000;
  report.run.iterations = random_.within(1, 3);
  report.run.commit = random_.chance(50) ? "" : "0123456789ab";
  report.injected = random_.chance(70) ? "" : words();
  report.source_graph = source_graph(report);
  return report;
}

std::vector<StoryOperand> ReportDrawer::operands() {
  std::vector<StoryOperand> operands;
  for (int64_t more = random_.within(0, 3); more > 0; --more)
    operands.push_back({name(), "int8", shape(), random_.chance(50)});
  return operands;
}

LayerStory ReportDrawer::story() {
  LayerStory story;
  const int64_t num_layers = random_.within(1, 5);
  do story.report = report(num_layers);
  while (story.report.cycles == 0);
  story.layer_idx = random_.within(0, num_layers - 1);
  story.short_name = name();
  const int64_t most = pick<int64_t>({1, 4, 30});  // of 30 a text is cut
  const auto repeat = [&](const auto& add) {
    for (int64_t more = random_.within(0, most); more > 0; --more) add();
  };
  repeat([&] {
    const std::string source = random_.chance(30) ? story.layer().name : random_.chance(30) ? "" : name();
    const std::vector<StoryOperand> inputs = operands(), outputs = operands();
    story.operators.push_back({"CONV2D", source, inputs, outputs, words()});
  });
  if (random_.chance(30)) story.choices_note = words();
  repeat([&] {
    StoryChoice& choice = story.choices.emplace_back(
        StoryChoice{pick<std::string>({"tile", "order"}), words(), random_.chance(50) ? "" : words(), {}});
    for (int64_t more = random_.within(0, 8); more > 0; --more) {
      choice.ways.push_back({words(), {}, choice.ways.empty()});
      if (random_.chance(70)) choice.ways.back().cycles = count();
    }
  });
  repeat([&] {
    story.places.push_back({name(), "weights", random_.chance(50), random_.chance(50), count(), count(), count(), count(),
                            random_.within(1, 9)});
  });
  repeat([&] { story.units.push_back({"mac_array", random_.within(1, 3), count(), named_cycles(), named_cycles()}); });
  repeat([&] {
    story.savings.push_back({words(), {}});
    if (random_.chance(70)) story.savings.back().most_cycles = count();
  });
  return story;
}

TableRow ReportDrawer::row() {
  TableRow row;
  row.model = pick<std::string>({"nets/kws.tosa", "more/kws.tosa", "nets/a_network_with_a_long_name.tosa"});
  row.config = pick<std::string>({"v256", "v64", "mine"});
  row.memory_mode = pick<std::string>({"sram", "external"});
  row.sram_bytes = pick<int64_t>({65'536, 1 << 20, int64_t{64} << 20, 100'000});
  row.clock_hz = pick<int64_t>({800'000'000, 1'000'000'000});
  row.macs_per_cycle = pick<int64_t>({64, 256});
  row.external_bytes_per_second = static_cast<double>(count());
  row.exit_code = pick<int>({0, 0, 1, 2, 3});
  row.config_file = random_.chance(60) ? "" : pick<std::string>({"a/t.toml", "b/t.toml"});
  for (int64_t more = random_.within(-2, 2); more > 0; --more) row.warnings.push_back(words());
  for (int64_t more = random_.within(-2, 2); more > 0; --more) row.notes.push_back(words());
  if (random_.chance(20)) {
    row.error = words();
    return row;
  }
  row.figures = figures_of(report(random_.within(0, 4)));
  if (random_.chance(20)) row.first_difference = words();
  return row;
}

RunTable ReportDrawer::table() {
  RunTable table{"1.2.3", {}};
  const TableRow common = row();
  const auto same = [&] { return random_.chance(50); };
  const bool model = same(), config = same(), memory = same(), sizes = same(), clock = same();
  for (int64_t more = random_.within(1, 7); more > 0; --more) {
    TableRow& added = table.rows.emplace_back(row());
    if (model) added.model = common.model;
    if (config) added.config = common.config;
    if (config) added.config_file = common.config_file;
    if (memory) added.memory_mode = common.memory_mode;
    if (sizes) added.sram_bytes = common.sram_bytes;
    if (clock) added.clock_hz = common.clock_hz;
    if (clock) added.external_bytes_per_second = common.external_bytes_per_second;
    if (clock) added.macs_per_cycle = common.macs_per_cycle;
  }
  return table;
}

TextStyle ReportDrawer::style() {
  return {pick<int64_t>({1, 40, 60, 80, 100, 120, 160, 240}), random_.chance(30), random_.chance(50)};
}

}  // namespace vernier::report
