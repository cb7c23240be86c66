// SPDX-License-Identifier: Apache-2.0
// What the two kinds of a run, on the machine and of the reference alone, have in common.
#pragma once

#include "hw/base/file.hpp"
#include "sim/flow/model/model.hpp"
#include "sim/flow/run/run.hpp"
#include "sim/flow/samples/score.hpp"
#include "sim/gdb/server.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

namespace vernier::flow {

/// Adds the time since the last lap to a phase of the report.
class Stopwatch {
 public:
  void lap(double& phase) {
    const auto now = Clock::now();
    phase += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }
  [[nodiscard]] double total() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

/// A run on its way.
struct Run {
  RunRequest request;
  const Observer& observer;
  Stopwatch watch{};
  std::shared_ptr<const Model> model{};
  report::HostSeconds seconds{};
  report::RunInfo info{};
  std::optional<gdb::Server> debugger{};  // of the control CPU
  std::optional<Samples> samples{};       // of a request with many inputs; `arrays` are those of the first
  std::optional<SampleScores> scores{};   // of these, one after the other
  std::optional<report::FloatScore> floats{};
};

/// How the run was asked for, once its inputs are known; `estimate` has none.
report::RunInfo run_info_of(const RunRequest& request, const std::vector<End>& inputs);

/// Completes the report, and writes what the request asks for.
RunResult finish_run(Run& run, base::FileSet& files, report::Report report, const std::vector<End>& ends,
                     std::vector<base::Tensor> outputs, std::vector<base::Tensor> variables);

/// On the machine, with values from the kernels or from RTL.
RunResult run_simulation(Run& run);

}  // namespace vernier::flow
