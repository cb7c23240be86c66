// SPDX-License-Identifier: Apache-2.0
#include "sim/report/run_table.hpp"

#include "tests/support/golden.hpp"

#include <algorithm>
#include <sstream>

namespace vernier::report {
namespace {

TableRow row_of(const std::string& model, const std::string& config, const std::string& memory_mode, int64_t sram_bytes,
                int64_t cycles) {
  TableRow row;
  row.model = model;
  row.config = config;
  row.memory_mode = memory_mode;
  row.sram_bytes = sram_bytes;
  RunFigures& figures = row.figures.emplace();
  figures.cycles = cycles;
  figures.seconds = static_cast<double>(cycles) / 1e9;
  figures.macs = 100 * cycles;
  figures.mac_utilization_percent = 39.06;
  figures.sram_read_bytes = 7 * cycles;
  figures.sram_write_bytes = 3 * cycles;
  figures.external_read_bytes = memory_mode == "sram" ? 0 : cycles;
  figures.external_write_bytes = memory_mode == "sram" ? 0 : cycles / 8;
  figures.sram_peak_bytes = sram_bytes - 1;
  figures.weight_bytes = 25'000'000;
  figures.commands = 1234;
  figures.bound_by = memory_mode == "external" ? "external" : "compute";
  figures.bound_by_percent = 63.21;
  figures.check = "skipped";
  return row;
}

TableRow failed_row(TableRow row, int exit_code, const std::string& error) {
  row.figures.reset();
  row.exit_code = exit_code;
  row.error = error;
  return row;
}

/// Everything differs, two runs fail, one has a warning, two the same note.
RunTable large_table() {
  RunTable table{"1.2.3", {}};
  for (const std::string model : {"nets/resnet50_int8/model.tosa", "nets/kws/model.tosa"}) {
    for (const std::string config : {"v256", "v256-sram48"}) {
      for (const std::string memory : {"weights-external", "external"}) {
        for (const int64_t sram_bytes : {76416, 1 << 20}) {
          const bool is_large = model.find("resnet") != std::string::npos;
          table.rows.push_back(
              row_of(model, config, memory, sram_bytes, (is_large ? 15'000'000 : 12'434) + sram_bytes / 999));
        }
      }
    }
  }
  table.rows[0] =
      failed_row(table.rows[0], 2,
                 "nets/resnet50_int8/model.tosa: needs 823296 B of SRAM (804 KiB) with feature maps and weights in "
                 "memory mode 'weights-external'; --sram-bytes gives 76416 B (74.6 KiB)");
  table.rows[4] = failed_row(table.rows[4], 4, "nets/resnet50_int8/model.tosa: short");
  table.rows[6].warnings.push_back("RESIZE is unpredictable");
  table.rows[6].exit_code = 1;
  table.rows[2].notes = table.rows[7].notes = {"the network leaves the first dimension of input 'x' open"};
  return table;
}

/// Several machines, everything else the same; values compared.
RunTable small_table() {
  RunTable table{"1.2.3", {}};
  int64_t cycles = 64'000;
  for (const std::string config : {"v64", "v256", "v1024"}) {
    table.rows.push_back(row_of("some/folder/kws.tosa", config, "sram", 64 << 20, cycles /= 4));
    table.rows.back().figures->check = config == "v256" ? "mismatch" : "match";
    table.rows.back().exit_code = config == "v256" ? 3 : 0;
    if (config == "v256")
      table.rows.back().first_difference = "tensor 'logits' [0, 3] expected 17 found 18, layer 12, command 345, cycle 6789";
    table.rows.back().notes = {"external_burst_bytes changes nothing"};
  }
  return table;
}

/// A row a model.
RunTable models_table() {
  RunTable table{"1.2.3", {}};
  for (const std::string model : {"a/x.tosa", "b/a_network_with_quite_a_long_name_of_its_own.tosa", "x.tosa"})
    table.rows.push_back(row_of(model, "v256", "external", 1 << 18, 123'456));
  return table;
}

/// Runs of the reference, which has no machine.
RunTable reference_table() {
  RunTable table = models_table();
  for (TableRow& row : table.rows) row.figures->has_machine = false;
  return table;
}

/// Machines of one name from several files.
RunTable configs_table() {
  RunTable table{"1.2.3", {}};
  for (const std::string file : {"sweep/aa/t.toml", "sweep/bb/t.toml", "u.toml", ""})
    table.rows.push_back(row_of("x.tosa", file == "u.toml" ? "named" : "t", "external", 1 << 18, 123'456));
  for (size_t i = 0; i < 3; ++i) table.rows[i].config_file = std::vector{"sweep/aa/t.toml", "sweep/bb/t.toml", "u.toml"}[i];
  return table;
}

/// Runs that failed on machines with names of several lengths.
RunTable failed_table() {
  RunTable table{"1.2.3", {}};
  for (const std::string config : {"v64", "v256", "v256-sram48"}) {
    table.rows.push_back(row_of("x.tosa", config, "external", 1 << 18, 123'456));
    if (config != "v256") table.rows.push_back(failed_row(table.rows.back(), 2, "x.tosa: not a network"));
  }
  return table;
}

/// Less than a microsecond.
RunTable short_table() {
  RunTable table{"1.2.3", {}};
  for (const int64_t cycles : {0, 1, 44, 999, 99'949, 99'950'000})
    table.rows.push_back(row_of("x.tosa", "v256", "sram", 1 << 18, cycles));
  return table;
}

int64_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  size_t longest = 0;
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return static_cast<int64_t>(longest);
}

TEST_CASE("the table of several runs, at three widths") {
  for (const int64_t width : {80, 100, 160}) {
    std::string all;
    for (const RunTable& table :
         {large_table(), small_table(), models_table(), reference_table(), short_table(), configs_table(), failed_table()}) {
      const std::string text = to_text(table, {width, false, false});
      CHECK(longest_line(text) <= width);
      all += text + "\n";
    }
    tests::check_golden(fmt::format("tests/unit/sim_report/run_table_{}.txt", width), all);
  }
}

TEST_CASE("the table as CSV and JSON has every figure of every row") {
  RunTable table = large_table();
  table.rows[1].first_difference = "tensor 'a, \"b\"' [0] expected 1 found 2, layer 3, command 4, cycle 5";
  table.rows[3].figures->has_machine = false;
  table.rows[5].config_file = "a folder/t.toml";
  tests::check_golden("tests/unit/sim_report/run_table.csv", to_csv(table));
  tests::check_golden("tests/unit/sim_report/run_table.json", to_json(table));
}

TEST_CASE("what --set gives has columns of its own, so that no two rows look alike") {
  RunTable table{"1.2.3", {}};
  for (const std::string clock : {"5e8", "1e9"}) {
    for (const std::string rate : {"1000000000", "2000000000"}) {
      table.rows.push_back(
          row_of("net.tosa", "v256 external_bytes_per_second=" + rate + " clock_hz=" + clock + " external_latency_ns=100",
                 "external", 65536, 1000));
    }
  }
  TextStyle style;
  style.width_columns = 80;
  const std::string text = to_text(table, style);
  CHECK(text.find("external_latency_ns 100") != std::string::npos);  // of all
  for (const std::string row : {"1                1000000000      5e8", "4                2000000000      1e9"}) {
    CAPTURE(text);
    CHECK(text.find(row) != std::string::npos);
  }
}

TEST_CASE("one line for several runs") { CHECK(to_summary(large_table()) == "16 runs: 14 done, 2 failed\n"); }

TEST_CASE("what a report comes to in a row: the bound of most attributed cycles") {
  Report report;
  report.config = config::preset_config("v256", "test");
  report.config.clock_hz = 500'000'000;
  report.cycles = 1000;
  report.traffic = {1, 2, 3, 4};
  report.sram_peak_bytes = 5;
  report.weight_bytes = 6;
  report.commands = 7;
  report.check.result = "match";
  for (const auto& [bound, cycles] :
       {std::pair("compute", 300), std::pair("external", 280), std::pair("vector", 20), std::pair("external", 400)}) {
    Layer layer;
    layer.bound_by = bound;
    layer.attributed_cycles = cycles;
    layer.macs = 16'000;
    report.layers.push_back(layer);
  }
  const RunFigures figures = figures_of(report);
  CHECK(figures.bound_by == "external");
  CHECK(figures.bound_by_percent == 68.0);
  CHECK(figures.seconds == 2e-6);
  CHECK(figures.macs == 64'000);
  CHECK(figures.mac_utilization_percent == 25.0);
  CHECK(figures.sram_read_bytes == 1);
  CHECK(figures.sram_write_bytes == 2);
  CHECK(figures.external_read_bytes == 3);
  CHECK(figures.external_write_bytes == 4);
  CHECK(figures.sram_peak_bytes == 5);
  CHECK(figures.weight_bytes == 6);
  CHECK(figures.commands == 7);
  CHECK(figures.check == "match");
  report.layers.clear();
  CHECK(figures_of(report).bound_by.empty());
}

}  // namespace
}  // namespace vernier::report
