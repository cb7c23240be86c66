// SPDX-License-Identifier: Apache-2.0
// Runs of a model that was read, and of a package that was compiled, before.
#include "sim/flow/model/model.hpp"
#include "sim/flow/run/run.hpp"
#include "tests/unit/sim_flow/demo.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace vernier::flow {
namespace {

TEST_CASE("A model that was read and compiled before runs as its file does, any number of times") {
  RunRequest request;
  request.model = tests::demo_file();
  std::vector<std::string> phases;
  const auto run_to_json = [&] {
    phases.clear();
    RunResult result = run(request, {.on_phase = [&](const std::string& text) { phases.push_back(text); }});
    result.report.host_seconds = {};
    return report::to_json(result.report);
  };
  const auto has_phase = [&](const std::string& start) {
    return std::ranges::any_of(phases, [&](const std::string& phase) { return phase.starts_with(start); });
  };
  for (const bool values : {true, false}) {
    request.values = values;
    request.loaded.reset();
    request.compiled.reset();
    const std::string from_file = run_to_json();
    CHECK(has_phase("reading"));
    request.loaded = std::make_shared<const Model>(load_model(request.model, request.machine));
    CHECK(run_to_json() == from_file);
    CHECK_FALSE(has_phase("reading"));
    CHECK(has_phase("compiling"));
    request.compiled = std::make_shared<const package::Package>(package_of(*request.loaded, request.machine));
    for (int i = 0; i < 2; ++i) CHECK(run_to_json() == from_file);
    CHECK_FALSE(has_phase("compiling"));
  }
}

}  // namespace
}  // namespace vernier::flow
