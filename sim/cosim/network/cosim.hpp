// SPDX-License-Identifier: Apache-2.0
// Co-simulation of the RTL of a unit: who there is, a run, and what it reports.
#pragma once

#include "sim/cosim/block/rtl_library.hpp"
#include "sim/cosim/lockstep/lock_step.hpp"
#include "sim/cosim/replay/replay.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::cosim {

inline constexpr int64_t kMaxVectors = 1'000'000'000;

struct CosimOptions {
  std::string unit;
  std::string config = "v256";  // its name; RTL is chosen by its lanes
  int lanes = 16;
  int64_t vectors = 100'000;
  uint64_t seed = 1;
  WaveSink* wave = nullptr;         // of all the block's signals, VCD
  VectorProgress::Sink progress{};  // may be empty
  int sram_read_words = 4;          // of the config: a beat of weights has no more
  bool is_foreign = false;          // RTL from elsewhere, which may not answer
  bool is_strict = true;            // cycles have to be those of hw/spec too
  int64_t kept_cycles = 0;          // of a unit that takes vectors: the first cycles whose inputs are kept
};

struct CosimReport {
  CosimOptions options;
  LockStepResult result;
  int64_t bins_hit = 0, bins_legal = 0;
  std::vector<std::string> bins_missing;  // some of them
  int64_t latency_cycles = 0;             // of a unit that takes vectors: of its RTL
  std::optional<FirstFault> fault{};      // what a replay is made from
  PinRows kept;                           // CosimOptions::kept_cycles
  std::string replay_file;                // where that is; empty: none
  [[nodiscard]] double coverage_percent() const;
};

/// The names of the units, whether this program has their RTL or not.
std::vector<std::string> cosim_units();

/// This program's RTL of `unit`; UserError when there is none.
std::unique_ptr<RtlBlock> make_unit(std::string_view unit, int lanes);

/// UserError for a unit that does not exist or has no RTL here, or a number of vectors out of 1 to kMaxVectors. Hang when
/// nothing moves.
CosimReport run_cosim(const CosimOptions& options);
/// The same on a block of the caller's.
CosimReport run_cosim(const CosimOptions& options, std::unique_ptr<RtlBlock> block);

/// The machine of the options, as far as a unit knows it.
spec::Datapath datapath_of(const CosimOptions& options);

/// For people, and "vernier-cosim/1".
std::string cosim_text(const CosimReport& report);
std::string cosim_json(const CosimReport& report, std::string_view tool_version);

}  // namespace vernier::cosim
