// SPDX-License-Identifier: Apache-2.0
#include "sim/report/comparison.hpp"

#include "hw/base/error.hpp"
#include "tests/support/golden.hpp"
#include "tests/unit/sim_report/sample_report.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace vernier;
using namespace vernier::report;

namespace {

/// The sample on a machine with a slower memory and another network: one layer takes more, one is gone, one is new.
Report other_report() {
  Report report = sample_report();
  report.config.name = "slow.toml";
  report.config.external.bytes_per_cycle = base::Ratio{2};
  report.cycles += 41'017;
  report.layers[0].attributed_cycles += 40'009;
  report.layers[0].traffic.external_read_bytes += 1'021;
  report.layers.back().name = "a layer of its own";
  report.layers.back().attributed_cycles += 1'008;
  return report;
}

Comparison sample_comparison() {
  return compare({{"first.json", to_json(sample_report())}, {"slow.json", to_json(other_report())}});
}

}  // namespace

TEST_CASE("Reports are compared layer by layer, with what is different of their runs") {
  const Report first = sample_report(), other = other_report();
  const Comparison comparison = sample_comparison();
  CHECK(comparison.files == std::vector<std::string>{"first.json", "slow.json"});
  CHECK(comparison.totals[0].cycles == first.cycles);
  CHECK(comparison.totals[1].cycles == other.cycles);
  REQUIRE(comparison.layers.size() == first.layers.size() + 1);
  for (size_t i = 0; i < first.layers.size(); ++i) {
    const ComparedLayer& layer = comparison.layers[i];
    REQUIRE(layer.runs[0]);
    CHECK(layer.name == first.layers[i].name);
    CHECK(layer.runs[0]->cycles == first.layers[i].attributed_cycles);
    CHECK(layer.runs[0]->external_bytes() ==
          first.layers[i].traffic.external_read_bytes + first.layers[i].traffic.external_write_bytes);
    CHECK(layer.runs[0]->sram_bytes() == first.layers[i].traffic.sram_read_bytes + first.layers[i].traffic.sram_write_bytes);
    CHECK(layer.bound_details[0] == first.layers[i].bound_detail);
    if (i + 1 == first.layers.size()) {
      CHECK_FALSE(layer.runs[1]);
    } else {
      CHECK(layer.runs[1]->cycles == other.layers[i].attributed_cycles);
    }
  }
  CHECK_FALSE(comparison.layers.back().runs[0]);
  CHECK(comparison.layers.back().runs[1]->cycles == other.layers.back().attributed_cycles);
  std::vector<std::string> names;
  for (const auto& [name, values] : comparison.differences) names.push_back(name);
  CHECK(names ==
        std::vector<std::string>{"config.name", "config.external_bytes_per_cycle", "config.external_bytes_per_second"});
}

TEST_CASE("A comparison as text and as JSON") {
  for (const int64_t width : {80, 100, 160}) {
    tests::check_golden(fmt::format("tests/unit/sim_report/goldens/comparison_{}.txt", width),
                        to_text(sample_comparison(), {.width_columns = width}));
  }
  tests::check_golden("tests/unit/sim_report/goldens/comparison.json", to_json(sample_comparison(), "1.2.3"));
}

TEST_CASE("Changes in words") {
  CHECK(change_text(200, 200) == "=");
  CHECK(change_text(200, 250) == "+25.0%");
  CHECK(change_text(200, 150) == "-25.0%");
  CHECK(change_text(200, 1'999) == "+899.5%");
  CHECK(change_text(200, 2'000) == "x 10.0");
  CHECK(change_text(1'000'000, 1'000'001) == "+0.000%");
  CHECK(change_text(100'000, 100'010) == "+0.010%");
  CHECK(change_text(0, 3) == "new");
}

TEST_CASE("What is no report is refused with its file's name") {
  const std::string good = to_json(sample_report());
  const auto with = [&](const std::string& bad) { return compare({{"good.json", good}, {"bad.json", bad}}); };
  CHECK_THROWS_WITH(with("{"), "bad.json: is no JSON, expected a report of `vernier run` or `estimate`");
  CHECK_THROWS_WITH(with("[]"),
                    "bad.json: has no 'schema' that is a text, expected a report of `vernier run` or `estimate`");
  CHECK_THROWS_WITH(with(R"({"schema": "vernier-table/1"})"),
                    "bad.json: has schema 'vernier-table/1', expected vernier-report/1");
  CHECK_THROWS_WITH(with(R"({"schema": "vernier-report/1"})"),
                    "bad.json: has no 'totals' that is an object, expected a report of `vernier run` or `estimate`");
  std::string no_layers = good;
  no_layers.replace(no_layers.find("\"layers\""), 8, "\"player\"");
  CHECK_THROWS_WITH(with(no_layers),
                    "bad.json: has no 'layers' that is a list, expected a report of `vernier run` or `estimate`");
}
