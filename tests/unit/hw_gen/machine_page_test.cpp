// SPDX-License-Identifier: Apache-2.0
#include "hw/gen/machine_page.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <sstream>

using Catch::Matchers::Contains;

TEST_CASE("the page has the contract, and its tables are whole") {
  const std::string page = vernier::gen::machine_page();
  CHECK_THAT(page, Contains("| `macs_per_cycle` | 64 | 256 | 1024 | 256 | 256 |  | "));
  CHECK_THAT(page, Contains("| 0 | 7:0 | `opcode` | unsigned |  |"));
  CHECK_THAT(page, Contains("| 0 | 23:20 | `wait` | unsigned | queue mask |"));
  CHECK_THAT(page, Contains("| 1 | 3:0 | `kind` | unsigned |  |\n| 1 | 4:4 | `table_slot` |"));
  CHECK_THAT(page, Contains("| 2 | 31:0 | `run_bytes` | unsigned | byte |"));
  CHECK_THAT(page, Contains("`step_imm1[0]` | signed"));
  CHECK_THAT(page, Contains("| 0x38 | PMU_COMMANDS | read |"));
  CHECK_THAT(page, Contains("| external | 0x80000000 | 0x80000000 |"));
  CHECK_THAT(page, Contains("| 13 | stream end |"));
  CHECK_THAT(page, Contains("| mailbox | 0x10030000 | 0x00001000 |"));
  CHECK_THAT(page, Contains("| 0x04 | CPU_DOORBELL_SET | write; reads 0 | 0x0 |"));
  CHECK_THAT(page, Contains("| 0x10 | RING_ADDRESS | read, write | 0x10036000 |"));
  CHECK_THAT(page, Contains("| external memory | 2 | 2 |"));
  CHECK_THAT(page, Contains("| 0x40 | OUTCOME | both |"));
  std::istringstream lines(page);
  std::ptrdiff_t columns = 0;
  for (std::string line; std::getline(lines, line);) {
    const bool is_row = !line.empty() && line.front() == '|';
    const auto bars = is_row ? std::count(line.begin(), line.end(), '|') : 0;
    INFO(line);
    if (is_row && columns != 0) CHECK(bars == columns);
    columns = bars;
  }
}
