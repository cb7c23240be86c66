// SPDX-License-Identifier: Apache-2.0
// A row's way from the process of its run to the table: nothing of it changes.
#include "sim/cli/row_text.hpp"

#include "hw/base/error.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <string>
#include <type_traits>
#include <vector>

namespace vernier::cli {
namespace {

/// Every figure is another one; those in percent and seconds are no short decimal fractions.
report::TableRow made_row() {
  report::TableRow row;
  row.model = "elsewhere.tosa";
  row.config = "mine";
  row.memory_mode = "weights-external";
  row.sram_bytes = 4001;
  row.clock_hz = 700'000'000;
  row.macs_per_cycle = 251;
  row.external_bytes_per_second = 1e10 / 3;
  row.job_overhead_cycles = 4003;
  int64_t next = 4007;
  report::visit_figures(row.figures.emplace(), [&](const char* name, auto& value) {
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, std::string>) {
      value = std::string("of ") + name;
    } else {
      value = static_cast<Value>(next) / static_cast<Value>(std::is_integral_v<Value> ? 1 : 7);
    }
    next += 6;
  });
  row.first_difference = "tensor 'y' [4057, 4073]";
  row.warnings = {"first warning", "second warning: with\na line"};
  row.notes = {"a note of several words"};
  return row;
}

TEST_CASE("Every figure of a run arrives as it was") {
  const report::TableRow sent = made_row();
  report::TableRow row;
  row.model = "net.tosa";
  row.config = "asked for";
  row.sram_bytes = 1;
  read_row_text(to_row_text(sent), row);
  CHECK(row.model == "net.tosa");
  CHECK(row.config == "mine");
  CHECK(row.memory_mode == "weights-external");
  CHECK(row.sram_bytes == 4001);
  CHECK(row.clock_hz == 700'000'000);
  CHECK(row.macs_per_cycle == 251);
  CHECK(row.external_bytes_per_second == sent.external_bytes_per_second);  // to the last bit, as all of them
  CHECK(row.job_overhead_cycles == 4003);
  CHECK(row.warnings == std::vector<std::string>{"first warning", "second warning: with\\x0aa line"});
  CHECK(row.notes == sent.notes);
  CHECK(row.first_difference == sent.first_difference);
  REQUIRE(row.figures);
  CHECK(row.figures->has_machine);
  std::vector<std::string> expected, found;
  const auto into = [](std::vector<std::string>& texts) {
    return [&texts](const char* name, const auto& value) {
      if constexpr (std::is_floating_point_v<std::decay_t<decltype(value)>>) {
        texts.push_back(fmt::format("{} {:a}", name, value));
      } else {
        texts.push_back(fmt::format("{} {}", name, value));
      }
    };
  };
  report::visit_figures(*sent.figures, into(expected));
  report::visit_figures(*row.figures, into(found));
  CHECK(found == expected);
}

TEST_CASE("A run of the reference arrives as one") {
  report::TableRow sent = made_row(), row;
  sent.figures->has_machine = false;
  sent.job_overhead_cycles.reset();
  sent.first_difference.clear();
  read_row_text(to_row_text(sent), row);
  REQUIRE(row.figures);
  CHECK_FALSE(row.figures->has_machine);
  CHECK_FALSE(row.job_overhead_cycles);
  CHECK(row.first_difference.empty());
}

TEST_CASE("Half a row, or one without a figure, is an error of ours") {
  const std::string whole = to_row_text(made_row());
  report::TableRow row;
  CHECK_THROWS_AS(read_row_text(whole.substr(0, whole.size() - 1), row), base::InternalError);
  const size_t at = whole.find("commands "), end = whole.find('\n', at);
  CHECK_THROWS_AS(read_row_text(whole.substr(0, at) + whole.substr(end + 1), row), base::InternalError);
}

}  // namespace
}  // namespace vernier::cli
