// SPDX-License-Identifier: Apache-2.0
// How far a long job has come, as one of those who watch its signals.
#pragma once

#include "sim/kit/signals.hpp"

#include <functional>
#include <string>
#include <vector>

namespace vernier::flow {

/// "about 12 s left", from a minute and a half on in minutes.
std::string time_left_text(double seconds);

class JobProgress : public kit::SignalObserver {
 public:
  /// Seconds of a clock that only goes forward.
  using Clock = std::function<double()>;
  using Show = std::function<void(const std::string& text)>;
  /// Of a job of a machine with these signals, which begins now and has so many commands. `show` is called once the job has
  /// taken a second, and then five times a second at most.
  JobProgress(const std::vector<kit::Signal>& signals, int64_t num_commands, Show show, Clock clock = steady_seconds);

  void changed(kit::SignalId signal, int64_t cycle, int64_t value) override;
  void moved(kit::SignalId signal, int64_t start_cycle, int64_t end_cycle, int64_t amount) override;
  void handed_over(kit::SignalId signal, const kit::Handover& handover) override;

 private:
  static double steady_seconds();
  void reach(int64_t cycle);
  kit::SignalId fetched_;  // which command the command processor has come to
  int64_t num_commands_;
  Show show_;
  Clock clock_;
  double next_seconds_;
  int64_t command_ = 0, cycle_ = 0, told_ = 0;
};

}  // namespace vernier::flow
