// SPDX-License-Identifier: Apache-2.0
#include "sim/report/figures.hpp"

#include "sim/report/measured_error.hpp"
#include "sim/report/run_table.hpp"
#include "tests/unit/sim_report/sample_report.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

namespace vernier::report {
namespace {

const PortUse& port(const std::vector<PortUse>& ports, std::string_view name) {
  return *std::find_if(ports.begin(), ports.end(), [&](const PortUse& use) { return use.name == name; });
}

/// At 1000 cycles a second: a byte per cycle is 1000 bytes per second.
Report two_layers() {
  Report report;
  report.config = config::preset_config("v256", "test");
  report.config.clock_hz = 1000;
  report.cycles = 100;
  Layer layer;
  layer.first_cycle = 0;
  layer.last_cycle = 40;
  report.layers.push_back(layer);
  layer.layer_idx = 1;
  layer.first_cycle = 40;
  layer.last_cycle = 100;
  report.layers.push_back(layer);
  return report;
}

Command moves(int64_t start, int64_t end, Traffic traffic) {
  Command command;
  command.start_cycle = start;
  command.end_cycle = end;
  command.traffic = traffic;
  return command;
}

/// Without the breaks of lines.
std::string joined(std::string text) {
  for (size_t at = 0; (at = text.find("\n  ", at)) != std::string::npos;) text.replace(at, 3, " ");
  return text;
}

/// What a run of that machine says of what was measured, in both forms.
void check_measured(const MeasuredError& measured, spec::MemoryMode memory_mode, const std::string& what) {
  using Catch::Matchers::Contains;
  const auto as_json = [](double number) { return fmt::format("{}{}", number, number == std::floor(number) ? ".0" : ""); };
  const std::string_view measured_mode = spec::kMemoryModeNames[static_cast<size_t>(measured.memory_mode)];
  Report report = sample_report();
  report.config.name = measured.config;
  report.config.memory_mode = memory_mode;
  CHECK_THAT(
      joined(to_text(report, {})),
      Contains(fmt::format("measured: {}, RTL takes {:+.2f} to {:+.2f} % of the model's cycles more, over {} networks "
                           "on {} in memory mode {} (docs/results/fidelity.md)",
                           what, measured.least_percent, measured.greatest_percent, measured.num_networks, measured.config,
                           measured_mode)));
  CHECK_THAT(to_json(report),
             Contains(fmt::format("\n  \"measured\": {{\n    \"least_percent\": {},\n    \"greatest_percent\": {},\n    "
                                  "\"num_networks\": {},\n    \"scope\": \"{}\",\n    \"memory_mode\": \"{}\"\n  }},",
                                  as_json(measured.least_percent), as_json(measured.greatest_percent), measured.num_networks,
                                  measured.scope == MeasuredScope::Core ? "core" : "command", measured_mode)));
  report.cycles = 0;
  CHECK_THAT(to_json(report), Contains("\n  \"measured\": null,"));
}

TEST_CASE("a machine whose error was measured says so, for a run with cycles: over whole networks where there are any") {
  using Catch::Matchers::Contains;
  CHECK_THAT(to_json(sample_report()), Contains("\n  \"measured\": null,"));
  CHECK_THAT(to_text(sample_report(), {}), !Contains("\nmeasured: "));
  constexpr std::array kModes{spec::MemoryMode::Sram, spec::MemoryMode::WeightsExternal, spec::MemoryMode::External};
  const auto rows_of = [](MeasuredScope scope) {
    std::vector<MeasuredError> rows;
    std::ranges::copy_if(kMeasuredErrors, std::back_inserter(rows), [&](const auto& row) { return row.scope == scope; });
    return rows;
  };
  const std::vector<MeasuredError> core = rows_of(MeasuredScope::Core), alone = rows_of(MeasuredScope::Command);
  REQUIRE((!core.empty() && !alone.empty()));
  for (const MeasuredError& measured : core)
    check_measured(measured, measured.memory_mode, "whole networks on the core with its memory");
  size_t num_other_modes = 0;
  for (const MeasuredError& measured : alone) {
    for (const spec::MemoryMode mode : kModes) {
      const bool has_core = std::ranges::any_of(
          core, [&](const auto& row) { return row.config == measured.config && row.memory_mode == mode; });
      if (has_core) continue;
      check_measured(measured, mode, "commands alone, with banks and ports");
      ++num_other_modes;
    }
  }
  CHECK(num_other_modes > 0);
}

TEST_CASE("a percentage is the same in every form, a tie too") {
  Report report = two_layers();
  report.cycles = 32;
  report.layers.resize(1);
  report.layers[0].attributed_cycles = 1;
  report.layers[0].working_cycles = 32;
  report.layers[0].macs = 256;
  const std::string csv = to_csv(report), json = to_json(report);
  CHECK_THAT(csv, Catch::Matchers::Contains(",256,3.13,0,0,0,0,compute,32,3.13,"));  // utilisation and share of the layer
  CHECK_THAT(csv, Catch::Matchers::Contains(",total,,,0,32,32,,256,3.13,"));
  CHECK_THAT(json, Catch::Matchers::Contains("\"share_percent\": 3.13"));
  for (const auto& [value, two_decimals] : {std::pair(3.125, 3.13), std::pair(0.125, 0.13), std::pair(6.375, 6.38)})
    CHECK(rounded(value) == two_decimals);
  size_t count = 0;
  for (size_t at = 0; (at = json.find("\"mac_utilization_percent\": 3.13,", at)) != std::string::npos; ++at) ++count;
  CHECK(count == 2);  // of the totals and of the layer
  CHECK(figures_of(report).mac_utilization_percent == 3.13);
}

TEST_CASE("the peak is that of the layer in whose time most bytes move per cycle, whoever moves them") {
  Report report = two_layers();
  report.command_list = {moves(0, 40, {400, 0, 0, 0}), moves(20, 60, {800, 80, 0, 0})};  // 10 and 20 bytes per cycle
  report.traffic = {1200, 80, 0, 0};
  const std::vector<PortUse> ports = port_uses(report);
  REQUIRE(ports.size() == 5);
  // 400 + 20 * 20 in the 40 cycles of the first, 20 * 20 in the 60 of the second.
  CHECK(port(ports, "sram_read").peak_bytes_per_second == Approx(20'000));
  CHECK(port(ports, "sram_read").peak_layer_idx == 0);
  CHECK(port(ports, "sram_read").average_bytes_per_second == Approx(12'000));
  CHECK(port(ports, "sram_read").limit_bytes_per_second == Approx(64'000));
  CHECK(port(ports, "sram_write").peak_bytes_per_second == Approx(1'000));
  CHECK(port(ports, "sram_write").peak_layer_idx == 0);  // 2 bytes per cycle in half of its time
  CHECK(port(ports, "sram_write").limit_bytes_per_second == Approx(32'000));
  CHECK(port(ports, "external_read").peak_layer_idx == -1);
}

TEST_CASE("no peak is below the average: cycles before, between and after layers belong to one of them") {
  Report report = two_layers();
  report.layers[0].first_cycle = 30;
  report.layers[0].last_cycle = 40;
  report.layers[1].first_cycle = 60;
  report.layers[1].last_cycle = 80;
  // A load before all layers, one between them, a store after them: 16, 20 and 10 bytes per cycle.
  report.command_list = {moves(0, 30, {0, 0, 480, 0}), moves(40, 60, {0, 0, 400, 0}), moves(80, 100, {0, 0, 0, 200})};
  report.config.external.bytes_per_cycle = {32, 1};
  report.traffic = {0, 0, 880, 200};
  const std::vector<PortUse> ports = port_uses(report);
  CHECK(port(ports, "external_read").average_bytes_per_second == Approx(8'800));
  CHECK(port(ports, "external_read").peak_bytes_per_second == Approx(12'000));  // 480 in the 40 cycles to the first's end
  CHECK(port(ports, "external_read").peak_layer_idx == 0);
  CHECK(port(ports, "external_write").peak_bytes_per_second == Approx(200'000.0 / 60));
  CHECK(port(ports, "external_write").peak_layer_idx == 1);
  // Where both work, cycles are the first's.
  report.layers[1].first_cycle = 20;
  report.layers[0].last_cycle = 60;
  CHECK(port(port_uses(report), "external_read").peak_bytes_per_second == Approx(400'000.0 / 30));  // 30 to 60
  CHECK(port(port_uses(report), "external_read").peak_layer_idx == 0);
}

TEST_CASE("a command that takes no time moves its bytes at once, one that never ran none") {
  Report report = two_layers();
  report.command_list = {moves(40, 40, {60, 0, 0, 0}), moves(-1, -1, {1'000'000, 0, 0, 0})};
  report.traffic = {60, 0, 0, 0};
  const std::vector<PortUse> ports = port_uses(report);
  CHECK(port(ports, "sram_read").peak_bytes_per_second == Approx(1'000));
  CHECK(port(ports, "sram_read").peak_layer_idx == 1);
}

TEST_CASE("a memory that is not full duplex has one limit for both ways, one that is has two") {
  Report report = two_layers();
  report.config.external.bytes_per_cycle = {1, 4};
  report.traffic = {0, 0, 6, 3};
  report.command_list = {moves(0, 40, {0, 0, 6, 3})};
  std::vector<PortUse> ports = port_uses(report);
  CHECK(port(ports, "external_read").limit_bytes_per_second == 0);
  CHECK(port(ports, "external_write").limit_bytes_per_second == 0);
  CHECK(port(ports, "external_both").limit_bytes_per_second == Approx(250));
  CHECK(port(ports, "external_both").bytes == 9);
  CHECK(port(ports, "external_both").peak_bytes_per_second == Approx(225));
  CHECK(port(ports, "external_write").bytes == 3);
  report.config.external.is_full_duplex = true;
  ports = port_uses(report);
  CHECK(port(ports, "external_read").limit_bytes_per_second == Approx(250));
  CHECK(port(ports, "external_write").limit_bytes_per_second == Approx(250));
  CHECK(port(ports, "external_both").limit_bytes_per_second == 0);
  report.cycles = 0;
  CHECK(port_uses(report).empty());
}

TEST_CASE("the first inference waits for the image in memory mode sram alone") {
  Report report = two_layers();
  report.image_bytes = 1000;
  report.config.external = {{5, 2}, 30, 64, false};
  report.config.memory_mode = spec::MemoryMode::Sram;
  const Inferences found = inferences(report);
  CHECK(found.loaded_bytes == 1024);
  CHECK(found.first_cycles == 100 + 30 + 410);  // 409.6 cycles
  CHECK(found.following_cycles == 100);
  for (const spec::MemoryMode mode : {spec::MemoryMode::WeightsExternal, spec::MemoryMode::External}) {
    report.config.memory_mode = mode;
    CHECK(inferences(report).loaded_bytes == 0);
    CHECK(inferences(report).first_cycles == 100);
  }
  report.cycles = 0;
  report.config.memory_mode = spec::MemoryMode::Sram;
  CHECK(inferences(report).first_cycles == 0);
}

TEST_CASE("the headline says what lies where in each memory mode") {
  Report report = two_layers();
  report.config.memory_mode = spec::MemoryMode::Sram;
  CHECK(assumptions(report) ==
        "64 MiB of SRAM that answers in 2 cycles, filled with weights, commands and inputs before cycle 0");
  report.config.memory_mode = spec::MemoryMode::WeightsExternal;
  CHECK(assumptions(report) ==
        "64 MiB of SRAM that answers in 2 cycles, filled with inputs before cycle 0; weights and "
        "commands in external memory of 16 B per cycle that answers in 100 cycles");
  report.config.memory_mode = spec::MemoryMode::External;
  report.config.sram_bytes = 1000;
  report.config.external.bytes_per_cycle = {1, 125};
  CHECK(assumptions(report) ==
        "1,000 B of SRAM that answers in 2 cycles, empty at cycle 0; weights, commands, inputs and "
        "outputs in external memory of 0.008 B per cycle that answers in 100 cycles");
}

TEST_CASE("the costliest layers are those with most attributed cycles, and have some") {
  Report report = two_layers();
  for (const int64_t cycles : {5, 0, 70, 5, 9}) {
    report.layers.push_back({});
    report.layers.back().attributed_cycles = cycles;
  }
  CHECK(costliest_layers(report, 3) == std::vector<int64_t>{4, 6, 2});
  CHECK(costliest_layers(report, 9) == std::vector<int64_t>{4, 6, 2, 5});
  CHECK(share_percent(report.layers[4], report) == Approx(70));
  report.cycles = 0;
  CHECK(share_percent(report.layers[4], report) == 0);
}

}  // namespace
}  // namespace vernier::report
