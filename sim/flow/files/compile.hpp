// SPDX-License-Identifier: Apache-2.0
// `vernier compile`: a network to a package.
#pragma once

#include "hw/package/package.hpp"
#include "sim/flow/model/machine_options.hpp"
#include "sim/flow/observer.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace vernier::flow {

struct CompileRequest {
  std::string model{};  // file of a network
  MachineOptions machine{};
  std::string output{};  // FILE.vnpu; empty: nothing is written
  std::string stage{};   // to be shown: ir, schedule, stream; empty: none
  /// Gets the text of the stage as soon as there is one: what comes after it may fail.
  std::function<void(const std::string& text)> on_stage{};
  int64_t stage_columns = 100;  // how wide a stream is shown
};

struct CompileResult {
  std::optional<package::Package> package{};  // none where a stage alone was asked for that comes before
  int64_t file_bytes = 0;                     // of the file that was written
  std::vector<std::string> notes{};           // what was taken for granted, and what a reader of the figures has to know
};

/// UserError for what is wrong with the network or the options.
CompileResult compile(const CompileRequest& request, const Observer& observer = {});

}  // namespace vernier::flow
