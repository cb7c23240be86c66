// SPDX-License-Identifier: Apache-2.0
// `vernier cosim --replay FILE`: what a mismatch of RTL left runs alone.
#pragma once

#include "sim/cosim/replay/replay.hpp"
#include "sim/flow/observer.hpp"
#include "sim/flow/rtl/rtl_choice.hpp"
#include "sim/flow/run/failure.hpp"

#include <optional>
#include <string>
#include <vector>

namespace vernier::flow {

struct ReplayRequest {
  std::string file{};  // FILE.replay.json
  RtlChoice rtl{};
  std::optional<std::string> wave{};         // FILE.fst or .vcd
  std::optional<std::string> vectors_dir{};  // what the RTL gets and what has to come out, for other benches
  std::vector<std::string> report_files{};   // FILE.json
};

struct ReplayResult {
  std::string file{};
  cosim::Replay replay{};  // what the file says
  cosim::ReplayReport report{};
  std::vector<std::string> remarks{};  // lines about vectors, and what a reader has to know
  std::optional<Failure> failure{};    // the block stands still: there is no report

  [[nodiscard]] Verdict verdict() const;
};

/// UserError for a file that is no replay.
ReplayResult replay(const ReplayRequest& request, const Observer& observer = {});

/// For people, without the remarks; and schema vernier-cosim/1.
std::string to_text(const ReplayResult& result);
std::string to_json(const ReplayResult& result);

}  // namespace vernier::flow
