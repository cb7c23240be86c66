// SPDX-License-Identifier: Apache-2.0
#include "sim/report/table.hpp"

#include "hw/base/error.hpp"
#include "sim/report/columns.hpp"

#include <catch2/catch.hpp>

namespace vernier::report {
namespace {

using Lines = std::vector<std::string>;

/// Name (flexible), cycles, a column that can go, one that goes first, a last one.
Table sample(int64_t width_columns) {
  Table table(width_columns);
  table.add_column("name", {.wanted_columns = 8, .least_columns = 5});
  table.add_column("cycles", {.align = Align::Right});
  table.add_column("MACs", {.align = Align::Right, .drop_rank = 1});
  table.add_column("", {.drop_rank = kExtra});
  table.add_column("by", {});
  table.add_row({"a_long_name", "12,345", "1", "####", "compute"});
  table.add_row({"b", "7", "1,234", "#", "sram"});
  return table;
}

TEST_CASE("a table is as wide as its cells, however wide it may be") {
  const Lines expected{"name        cycles  MACs      by", "a_long_name 12,345     1 #### compute",
                       "b                7 1,234 #    sram"};
  CHECK(sample(300).lines() == expected);
  CHECK(sample(37).lines() == expected);
}

TEST_CASE("the extra column goes first, then names shrink, then columns go, then names shrink more, then lines are cut") {
  CHECK(sample(36).lines()[1] == "a_long_name 12,345     1 compute");
  CHECK(sample(32).lines()[1] == "a_long_name 12,345     1 compute");
  CHECK(sample(31).lines()[1] == "a_long_... 12,345     1 compute");
  CHECK(sample(29).lines()[1] == "a_lon... 12,345     1 compute");
  CHECK(sample(28).lines()[1] == "a_long_name 12,345 compute");
  CHECK(sample(23).lines()[1] == "a_lon... 12,345 compute");
  CHECK(sample(20).lines()[1] == "a_... 12,345 compute");
  CHECK(sample(15).lines()[1] == "a_... 12,345...");
  for (int64_t width = 4; width < 50; ++width) {
    for (const std::string& line : sample(width).lines()) CHECK(num_columns(line) <= width);
  }
}

TEST_CASE("a column may shorten its cells itself") {
  Table table(8);
  table.add_column("names", {.wanted_columns = 4, .fitted = [](int64_t columns) {
                               CHECK(columns == 5);
                               return Lines{"first", "2nd"};
                             }});
  table.add_column("n", {});
  table.add_row({"the first one", "1"});
  table.add_row({"the second one", "22"});
  CHECK(table.lines() == Lines{"names n", "first 1", "2nd   22"});
}

TEST_CASE("a heading of two parts loses the second one before it is cut") {
  const auto heading_in = [](int64_t width) {
    Table table(width);
    table.add_column("stalls (cycles), largest first", {.wanted_columns = 4});
    table.add_row({"dma 1"});
    return table.lines().front();
  };
  CHECK(heading_in(30) == "stalls (cycles), largest first");
  CHECK(heading_in(29) == "stalls (cycles)");
  CHECK(heading_in(15) == "stalls (cycles)");
  CHECK(heading_in(14) == "stalls (cyc...");
}

TEST_CASE("headings alone, and rows that do not fit the columns") {
  Table table(80);
  table.add_column("a", {});
  CHECK(table.is_empty());
  CHECK(table.lines() == Lines{"a"});
  CHECK_THROWS_AS(table.add_row({"1", "2"}), base::InternalError);
}

}  // namespace
}  // namespace vernier::report
