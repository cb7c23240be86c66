// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/run/job_progress.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace vernier::flow {

namespace {
constexpr double kSecondsUntilShown = 1, kSecondsBetween = 0.2;
// The clock is read once for so many signals, of which a command has about twenty.
constexpr int64_t kToldBetween = 64;

kit::SignalId find_fetched(const std::vector<kit::Signal>& signals) {
  const auto entry = std::find_if(signals.begin(), signals.end(), [](const kit::Signal& signal) {
    return signal.scope == "npu.command_processor" && signal.name == "command";
  });
  VERNIER_CHECK(entry != signals.end(), "a machine without a command processor");
  return static_cast<kit::SignalId>(entry - signals.begin());
}
}  // namespace

std::string time_left_text(double seconds) {
  return seconds < 90 ? fmt::format("about {:.0f} s left", seconds + 0.5)
                      : fmt::format("about {:.0f} min left", seconds / 60);
}

JobProgress::JobProgress(const std::vector<kit::Signal>& signals, int64_t num_commands, Show show, Clock clock)
    : fetched_(find_fetched(signals)),
      num_commands_(num_commands),
      show_(std::move(show)),
      clock_(std::move(clock)),
      next_seconds_(clock_() + kSecondsUntilShown) {}

double JobProgress::steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void JobProgress::changed(kit::SignalId signal, int64_t cycle, int64_t value) {
  if (signal == fetched_ && value != kit::kNoIndex) command_ = value + 1;
  reach(cycle);
}

void JobProgress::moved(kit::SignalId /*signal*/, int64_t /*start_cycle*/, int64_t end_cycle, int64_t /*amount*/) {
  reach(end_cycle);
}

void JobProgress::handed_over(kit::SignalId /*signal*/, const kit::Handover& handover) { reach(handover.taken_cycle); }

void JobProgress::reach(int64_t cycle) {
  cycle_ = std::max(cycle_, cycle);
  if (++told_ % kToldBetween != 0) return;
  const double now = clock_();
  if (now < next_seconds_) return;
  next_seconds_ = now + kSecondsBetween;
  show_(fmt::format("command {} of {}, cycle {}", base::with_thousands(command_), base::with_thousands(num_commands_),
                    base::with_thousands(cycle_)));
}

}  // namespace vernier::flow
