// SPDX-License-Identifier: Apache-2.0
// Figures of the table of jobs, worked by hand.
#include "sim/report/job_table.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using namespace vernier::report;
using Catch::Matchers::Contains;

TEST_CASE("Jobs: percentiles are by nearest rank") {
  CHECK(percentiles_of({}) == Percentiles{});
  CHECK(percentiles_of({7}) == Percentiles{7, 7, 7, 7});
  CHECK(percentiles_of({4, 1, 3, 2}) == Percentiles{2, 4, 4, 4});
  std::vector<int64_t> hundred;
  for (int64_t i = 100; i > 0; --i) hundred.push_back(i);
  CHECK(percentiles_of(hundred) == Percentiles{50, 90, 99, 100});
  hundred.push_back(101);
  CHECK(percentiles_of(hundred) == Percentiles{51, 91, 100, 101});
}

TEST_CASE("Jobs: what a table says follows from its jobs") {
  JobTable table;
  table.config = "v256";
  table.control = "cpu";
  table.clock_hz = 1'000'000'000;
  table.inferences = 2;
  table.arrival_cycles = 1000;
  table.networks = {{"a/model.tosa"}, {"b/model.tosa"}};
  table.jobs = {{0, 100, 150, 400, 450, 250, "done"},
                {1, 100, 404, 1404, 1500, 900, "done"},
                {0, 1100, 1408, 1658, 1700, 250, "done"},
                {1, 1100, 1662, 1700, 1760, 38, "fault"}};
  add_figures(table);
  CHECK(table.busy_cycles == 250 + 900 + 250 + 38);
  CHECK(table.total_cycles == 1660);
  CHECK(table.networks[0].latency_cycles == Percentiles{350, 600, 600, 600});
  CHECK(table.networks[0].waiting_cycles == Percentiles{50, 308, 308, 308});
  CHECK(table.networks[0].stream_cycles == 250);
  CHECK(table.networks[0].jobs_per_second == Approx(2e9 / 1600));
  CHECK(table.networks[1].jobs == 2);
  CHECK(table.networks[1].jobs_done == 1);
  CHECK(table.networks[1].latency_cycles == Percentiles{1400, 1400, 1400, 1400});
  CHECK(table.networks[1].waiting_cycles == Percentiles{304, 562, 562, 562});
  CHECK(table.networks[1].jobs_per_second == Approx(1e9 / 1400));

  TextStyle style;
  style.width_columns = 100;
  const std::string text = to_text(table, style);
  CHECK_THAT(text, Contains("2 jobs of each of 2 networks on v256 (1000 MHz), control cpu: one every 1,000 cycles"));
  CHECK_THAT(text, Contains("a/model.tosa    2    250     350   600   600      50 308 1250000"));
  CHECK_THAT(text, Contains("3 of 4 jobs done in 1,660 cycles, in 86.6% of which the NPU ran"));
  CHECK_THAT(text, Contains("NPU ran; check skipped"));
  table.is_checked = true;
  table.networks[1].jobs_different = 1;
  CHECK_THAT(to_text(table, style), Contains("check MISMATCH, outputs of 1 job differ from the reference"));
  CHECK_THAT(to_json(table), Contains("\"check\": \"mismatch\""));
  CHECK_THAT(text, Contains("first that is not done: job 3 of b/model.tosa, fault\n"));
}
