// SPDX-License-Identifier: Apache-2.0
// Whose RTL a request runs: --rtl DIR, --rtl-scope and others as data. Needs nothing of sim/cosim, so that a
// request is light to include.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace vernier::cosim {
class RtlBlock;
}

namespace vernier::flow {

struct RtlChoice {
  std::optional<std::string> folder{};  // --rtl; this program's RTL when absent
  bool strict_cycles = false;           // --strict-cycles
  std::optional<std::string> scope{};   // --rtl-scope: command, core; command when absent
  std::optional<std::string> memory{};  // --rtl-memory: ideal, unlimited, banked; ideal when absent
  bool wave_memories = false;           // --wave-memories
  /// Makes the RTL of a unit; this program's when empty. A test gives flawed ones.
  std::function<std::unique_ptr<cosim::RtlBlock>(std::string_view unit, int lanes)> make_own{};
  std::optional<size_t> most_wave_bytes{};  // of a block's VCD; cosim::RtlWave::kMostBytes when absent
  /// Of RTL from elsewhere: called, in a signal handler, when an evaluation has not ended after kMostEvaluationSeconds of
  /// processor time; it has to end the process. Null: nobody watches, and RTL that loops inside a cycle never comes back.
  void (*on_endless_evaluation)(std::string_view block, int64_t cycle) = nullptr;
};

/// Whether all commands of a network run together on the core with its memory, not each by itself.
inline bool has_core_scope(const RtlChoice& choice) { return choice.scope == "core"; }

/// UserError for what does not go together; `has_wave`: something is drawn.
void check_rtl_choice(const RtlChoice& choice, bool has_wave);

}  // namespace vernier::flow
