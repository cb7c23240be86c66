// SPDX-License-Identifier: Apache-2.0
// Every form of a report, as text that is reviewed as a difference: tests/unit/sim_report/goldens.
#include "sim/report/columns.hpp"
#include "tests/support/golden.hpp"
#include "tests/unit/sim_report/sample_report.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace vernier::report {
namespace {

void check(const std::string& file, const std::string& text) {
  tests::check_golden(std::filesystem::path("tests/unit/sim_report/goldens") / file, text);
}

int64_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  int64_t widest = 0;
  while (std::getline(lines, line)) widest = std::max(widest, num_columns(line));
  return widest;
}

TEST_CASE("the text report at its widths") {
  for (const int64_t width : {40, 80, 100, 160, 300}) {
    check(fmt::format("text_{}.txt", width), to_text(sample_report(), {.width_columns = width}));
  }
}

TEST_CASE("the text report of a mismatch lists its approximations, in colour where asked for") {
  const Report report = sample_mismatch();
  const TextStyle style{.width_columns = 80, .has_color = true, .lists_approximations = true};
  check("mismatch_80.txt", to_text(report, style));
}

TEST_CASE("the text report of a run that uses no external memory") {
  check("sram_100.txt", to_text(sample_sram(), {.width_columns = 100}));
}

TEST_CASE("a run that only writes outside, or only reads there, uses external memory") {
  Report writes = sample_report(), reads = sample_report();
  const auto only_write = [](Traffic& traffic) { traffic.external_read_bytes = 0; };
  const auto only_read = [](Traffic& traffic) { traffic.external_write_bytes = 0; };
  only_write(writes.traffic);
  only_read(reads.traffic);
  for (Layer& layer : writes.layers) only_write(layer.traffic);
  for (Layer& layer : reads.layers) only_read(layer.traffic);
  for (const Report& report : {writes, reads}) {
    const std::string text = to_text(report, {.width_columns = 160});
    for (const char* told : {"external B", "external read", "external write", "external, both", "345,689 B occupied"}) {
      CHECK_THAT(text, Catch::Contains(told));
    }
  }
  // By layer, what it wrote, what it read.
  CHECK_THAT(to_text(writes, {.width_columns = 160}), Catch::Contains(" 40,087 "));
  CHECK_THAT(to_text(reads, {.width_columns = 160}), Catch::Contains(" 500,083 "));
}

TEST_CASE("what RTL says of itself stands behind the check") {
  check("rtl_100.txt", to_text(sample_rtl(), {.width_columns = 100}));
  check("rtl_mismatch_80.txt", to_text(sample_rtl_mismatch(), {.width_columns = 80}));
  check("rtl_mismatch.json", to_json(sample_rtl_mismatch()));
  check("rtl_summary.txt", to_summary(sample_rtl()) + to_summary(sample_rtl_mismatch()));
  // With banks no edge is compared; what was given and not used is told in each form.
  Report banked = sample_rtl();
  banked.rtl->memory = "banked";
  banked.rtl->unused = "npu_table_unit of DIR not used";
  CHECK_THAT(to_summary(banked), Catch::Matchers::Contains(", RTL equal in every value, npu_table_unit of DIR not used"));
  CHECK_THAT(to_text(banked, {.width_columns = 100}),
             Catch::Matchers::Contains("RTL: equal, in every value of 7,013 results") &&
                 Catch::Matchers::Contains("\nRTL: npu_table_unit of DIR not used\n"));
  CHECK_THAT(to_json(banked), Catch::Matchers::Contains("\"unused\": \"npu_table_unit of DIR not used\""));
}

TEST_CASE("what the core with its memory showed stands behind the check") {
  check("core_100.txt", to_text(sample_core(), {.width_columns = 100}));
  check("core_mismatch_80.txt", to_text(sample_core_mismatch(), {.width_columns = 80}));
  check("core_mismatch.json", to_json(sample_core_mismatch()));
  check("core_summary.txt", to_summary(sample_core()) + to_summary(sample_core_mismatch()));
}

TEST_CASE("the reference has no table") { check("reference_80.txt", to_text(sample_reference(), {.width_columns = 80})); }

TEST_CASE("JSON, CSV and one line") {
  check("report.json", to_json(sample_report()));
  check("mismatch.json", to_json(sample_mismatch()));
  check("reference.json", to_json(sample_reference()));
  check("sram.json", to_json(sample_sram()));
  check("report.csv", to_csv(sample_report()));
  check("summary.txt", to_summary(sample_report()));
}

TEST_CASE("no line is wider than asked for") {
  for (int64_t width = 1; width <= 320; ++width) {
    for (const Report& report : {sample_report(), sample_sram(), sample_mismatch(), sample_rtl_mismatch(),
                                 sample_core_mismatch(), sample_reference()}) {
      const std::string text = to_text(report, {.width_columns = width, .lists_approximations = true});
      INFO(text);
      REQUIRE(widest_line(text) <= std::max(width, kLeastColumns));
    }
  }
}

TEST_CASE("colour changes nothing but the colour") {
  for (const Report& report : {sample_report(), sample_sram(), sample_mismatch(), sample_rtl_mismatch(),
                               sample_core_mismatch(), sample_reference()}) {
    std::string text = to_text(report, {.width_columns = 80, .has_color = true});
    for (size_t at = 0; (at = text.find('\x1b', at)) != std::string::npos;) text.erase(at, text.find('m', at) + 1 - at);
    CHECK(text == to_text(report, {.width_columns = 80}));
  }
}

}  // namespace
}  // namespace vernier::report
