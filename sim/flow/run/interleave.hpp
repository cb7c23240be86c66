// SPDX-License-Identifier: Apache-2.0
// `vernier run|estimate MODEL ... --interleave`: jobs of several networks on one machine.
#pragma once

#include "sim/flow/model/machine_options.hpp"
#include "sim/flow/observer.hpp"
#include "sim/flow/run/verdict.hpp"
#include "sim/report/job_table.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vernier::flow {

struct InterleaveRequest {
  std::vector<std::string> models{};  // files
  MachineOptions machine{};
  std::optional<std::string> control{};   // direct, cpu; absent: cpu where a package has control flow
  std::optional<std::string> firmware{};  // FILE.elf, of control cpu; built in when absent
  int64_t inferences = 1;                 // of each model
  int64_t arrival_cycles = 0;             // between two jobs of a model; 0: all come at once
  bool values = true, no_check = false;
  uint64_t seed = 1;
  std::vector<std::string> report_files{};  // FILE.json
};

struct InterleaveResult {
  report::JobTable table{};
  std::optional<std::string> failure{};  // why there is no table: the firmware failed, or a loop has no end

  [[nodiscard]] Verdict verdict() const;
};

/// UserError for what is wrong with a model or the request, and where the networks do not fit the machine together.
InterleaveResult interleave(const InterleaveRequest& request, const Observer& observer = {});

}  // namespace vernier::flow
