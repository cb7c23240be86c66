// SPDX-License-Identifier: Apache-2.0
// Which waves and timelines a run is to leave, as data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vernier::flow {

/// Cycles from (inclusive) and to (exclusive).
struct WaveWindow {
  int64_t from_cycle = 0, to_cycle = 0;
};

struct TraceOptions {
  std::vector<std::string> waves;         // FILE.fst, FILE.vcd or FILE.ftr
  std::optional<std::string> wave_scope;  // a shell pattern; all signals when absent
  std::optional<WaveWindow> wave_window;  // the whole run when absent
  std::optional<std::string> wave_layer;  // the cycles of this layer
  std::vector<std::string> timelines;     // FILE.perfetto-trace or FILE.json
  [[nodiscard]] bool is_empty() const { return waves.empty() && timelines.empty(); }
  /// Whether a wave of signals is wanted, not transactions alone.
  [[nodiscard]] bool has_signals() const {
    return std::any_of(waves.begin(), waves.end(), [](const std::string& file) { return !file.ends_with(".ftr"); });
  }
};

}  // namespace vernier::flow
