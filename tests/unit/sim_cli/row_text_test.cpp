// SPDX-License-Identifier: Apache-2.0
// A row's way from the process of its run to the table: nothing of it changes.
#include "sim/cli/row_text.hpp"

#include "hw/base/error.hpp"

#include <catch2/catch.hpp>

namespace vernier::cli {
namespace {

/// Every figure is another one; those in percent and seconds are no short decimal fractions.
report::Report made_report() {
  report::Report report;
  report.config = config::preset_config("v256", "test");
  report.config.name = "mine";
  report.config.clock_hz = 700'000'000;
  report.config.memory_mode = spec::MemoryMode::WeightsExternal;
  report.config.sram_bytes = 4001;
  report.cycles = 4003;
  report.traffic = {4007, 4013, 4019, 4021};
  report.sram_peak_bytes = 4027;
  report.weight_bytes = 4049;
  report.commands = 4051;
  report.check.result = "mismatch";
  report.check.first_difference =
      report::FirstDifference{"y\n", {4057, 4073}, 4079, -4091, 4093, 4099, 4111, "layer", "CONV2D", "mac_array", 4049};
  for (const auto& [bound, cycles] : {std::pair("sram", 1009), std::pair("external", 2994)}) {
    report::Layer layer;
    layer.bound_by = bound;
    layer.attributed_cycles = cycles;
    layer.macs = 30'011;
    report.layers.push_back(layer);
  }
  report.warnings = {"first warning", "second warning: with\na line"};
  report.notes = {"a note of several words"};
  return report;
}

TEST_CASE("Every figure of a run arrives as it was") {
  const report::Report report = made_report();
  report::TableRow row;
  row.model = "net.tosa";
  row.config = "asked for";
  row.sram_bytes = 1;
  read_row_text(to_row_text(report), row);
  CHECK(row.model == "net.tosa");
  CHECK(row.config == "mine");
  CHECK(row.memory_mode == "weights-external");
  CHECK(row.sram_bytes == 4001);
  CHECK(row.warnings == std::vector<std::string>{"first warning", "second warning: with\\x0aa line"});
  CHECK(row.notes == report.notes);
  REQUIRE(row.figures);
  const report::RunFigures expected = report::figures_of(report);
  CHECK(row.figures->cycles == 4003);
  CHECK(row.figures->seconds == expected.seconds);  // to the last bit
  CHECK(row.figures->macs == 60'022);
  CHECK(row.figures->mac_utilization_percent == expected.mac_utilization_percent);
  CHECK(row.figures->sram_read_bytes == 4007);
  CHECK(row.figures->sram_write_bytes == 4013);
  CHECK(row.figures->external_read_bytes == 4019);
  CHECK(row.figures->external_write_bytes == 4021);
  CHECK(row.figures->sram_peak_bytes == 4027);
  CHECK(row.figures->weight_bytes == 4049);
  CHECK(row.figures->commands == 4051);
  CHECK(row.figures->bound_by == "external");
  CHECK(row.figures->bound_by_percent == expected.bound_by_percent);
  CHECK(row.figures->check == "mismatch");
  CHECK(row.figures->has_machine);
  CHECK(row.first_difference ==
        "tensor 'y\\x0a' [4057, 4073] expected 4079 found -4091, of layer 4093 'layer' (CONV2D), written by command 4099 on "
        "mac_array, cycles 4049 to 4111");
}

TEST_CASE("A run of the reference arrives as one") {
  report::Report report = made_report();
  report.backend = "reference";
  report.check = {};
  report::TableRow row;
  read_row_text(to_row_text(report), row);
  REQUIRE(row.figures);
  CHECK_FALSE(row.figures->has_machine);
  CHECK(row.first_difference.empty());
}

TEST_CASE("Half a row, or one without a figure, is an error of ours") {
  const std::string whole = to_row_text(made_report());
  report::TableRow row;
  CHECK_THROWS_AS(read_row_text(whole.substr(0, whole.size() - 1), row), base::InternalError);
  const size_t at = whole.find("commands "), end = whole.find('\n', at);
  CHECK_THROWS_AS(read_row_text(whole.substr(0, at) + whole.substr(end + 1), row), base::InternalError);
}

}  // namespace
}  // namespace vernier::cli
