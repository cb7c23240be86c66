// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/run/job_progress.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using namespace vernier::flow;

TEST_CASE("A job says how far it has come once it has taken a second, and then now and then") {
  const std::vector<kit::Signal> signals{{"npu.x", "command"}, {"npu.command_processor", "command", kit::SignalKind::Index}};
  constexpr kit::SignalId kOther{0}, kFetched{1};
  double now = 100;
  std::vector<std::string> shown;
  JobProgress progress(
      signals, 2000, [&](const std::string& text) { shown.push_back(text); }, [&] { return now; });
  const auto tell_many = [&](int64_t cycle) {
    for (int i = 0; i < 64; ++i) progress.changed(kOther, cycle, 7);
  };
  progress.changed(kFetched, 5, 41);
  progress.changed(kFetched, 6, kit::kNoIndex);
  tell_many(1500);
  CHECK(shown.empty());
  now += 0.99;
  tell_many(1600);
  CHECK(shown.empty());
  now += 0.02;
  tell_many(1700);
  CHECK(shown == std::vector<std::string>{"command 42 of 2,000, cycle 1,700"});
  now += 0.1;
  progress.changed(kFetched, 1800, 1233);
  tell_many(1700);  // signals of several units are not in one order
  CHECK(shown.size() == 1);
  now += 0.15;
  for (int i = 0; i < 64; ++i) progress.moved(kOther, 1700, 1900, 4);
  CHECK(shown.back() == "command 1,234 of 2,000, cycle 1,900");
  now += 0.3;
  for (int i = 0; i < 64; ++i) progress.handed_over(kOther, {1, 2, 1900, 2000});
  CHECK(shown.back() == "command 1,234 of 2,000, cycle 2,000");
}
