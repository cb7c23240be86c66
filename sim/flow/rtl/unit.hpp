// SPDX-License-Identifier: Apache-2.0
// `vernier cosim UNIT`: the RTL of one unit against the model, with random operands.
#pragma once

#include "sim/cosim/network/cosim.hpp"
#include "sim/flow/observer.hpp"
#include "sim/flow/rtl/rtl_choice.hpp"
#include "sim/flow/run/failure.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vernier::flow {

struct UnitRequest {
  std::string unit{};                   // of cosim_units()
  std::optional<std::string> config{};  // "v256" when absent
  int64_t vectors = 100'000;            // results to compare
  uint64_t seed = 1;
  RtlChoice rtl{};
  std::optional<std::string> wave{};           // FILE.fst or .vcd
  std::optional<std::string> vectors_dir{};    // what the RTL gets and what has to come out, for other benches
  std::optional<std::string> replay_folder{};  // of the replay of a first mismatch; empty: the working folder; absent: none
  std::vector<std::string> report_files{};     // FILE.json
};

struct UnitResult {
  cosim::CosimReport report{};
  std::vector<std::string> remarks{};  // lines about replay and vectors, and what a reader has to know
  std::optional<Failure> failure{};    // the block stands still: there is no report

  [[nodiscard]] Verdict verdict() const;
};

/// The units that there are, whether this program has their RTL or not.
std::vector<std::string> cosim_units();

/// UserError for what is wrong with the request.
UnitResult run_unit(const UnitRequest& request, const Observer& observer = {});

/// For people, without the remarks; and schema vernier-cosim/1.
std::string to_text(const UnitResult& result);
std::string to_json(const UnitResult& result);

}  // namespace vernier::flow
