// SPDX-License-Identifier: Apache-2.0
// core_mutant_runner FILE.so MODEL CONFIG MEMORY: the network as `vernier run --backend rtl --rtl-scope core --config CONFIG
// --memory MEMORY` runs it, on an npu_core_sram of CONFIG's lanes from a shared object. Prints the first mismatch; the exit
// code is that of the run: 3 for a wrong value, 4 for a hang, 0 for none; 2 for what is wrong with the arguments.
#include "sim/flow/run/run.hpp"
#include "tests/cosim/runner/loaded_block.hpp"

#include <fmt/ranges.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace {

constexpr int kBadInput = 2;

int run_network(vernier::tests::MakeBlock make, const std::string& model, const std::string& config,
                const std::string& memory) {
  vernier::flow::RunRequest request;
  request.model = model;
  request.machine.config = config;
  request.machine.memory = memory;
  request.backend = "rtl";
  request.rtl.scope = "core";
  request.rtl.make_own = [make](std::string_view, int) { return std::unique_ptr<vernier::cosim::RtlBlock>(make(1)); };
  const vernier::flow::RunResult result = vernier::flow::run(request);
  const auto& rtl = result.report.rtl;
  if (result.failure) {
    fmt::print("{}\n", fmt::join(vernier::flow::messages(*result.failure), "\n"));
  } else if (rtl && !rtl->first_mismatches.empty()) {
    fmt::print("{}\n", rtl->first_mismatches.front());
  }
  return static_cast<int>(result.verdict());
}

}  // namespace

/// libsystemc wants it, and a block that is loaded has every symbol looked up at once.
extern "C" int sc_main(int, char**) { return 0; }

int main(int argc, char** argv) {
  const std::span arguments(argv, static_cast<size_t>(argc));
  if (arguments.size() != 5) return kBadInput;
  const vernier::tests::MakeBlock make = vernier::tests::load_maker(arguments[1]);
  if (make == nullptr) return kBadInput;
  try {
    return run_network(make, arguments[2], arguments[3], arguments[4]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return kBadInput;
  }
}
