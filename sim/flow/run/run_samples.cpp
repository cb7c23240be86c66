// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/run/run_samples.hpp"

#include "sim/flow/run/job_progress.hpp"
#include "sim/flow/samples/sample_pieces.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace vernier::flow {
namespace {

/// "12 of 100 samples, about 8 s left"
class SampleProgress {
 public:
  SampleProgress(const Observer& observer, size_t num_samples) : observer_(observer), num_samples_(num_samples) {
    one_more();
  }
  void one_more() {
    ++num_done_;
    const double passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    std::string text = fmt::format("{} of {} samples done", num_done_, num_samples_);
    if (num_done_ > 1 && num_done_ < num_samples_)
      text +=
          ", " + time_left_text(passed / static_cast<double>(num_done_ - 1) * static_cast<double>(num_samples_ - num_done_));
    observer_.phase(text);
  }

 private:
  const Observer& observer_;
  size_t num_samples_, num_done_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

void run_samples(Run& run, base::FileSet& files, bool has_state, const RunOneSample& run_one) {
  const size_t num_samples = run.samples->size();
  SampleProgress progress(run.observer, num_samples);
  bool is_stopped = false;
  const auto take = [&](size_t sample, std::optional<std::vector<base::Tensor>> outputs) {
    if (is_stopped) return;
    if (!outputs) {
      SampleOutcome outcome = run_one(sample, true);
      is_stopped = outcome.is_last;
      outputs = std::move(outcome.outputs);
    }
    if (outputs) run.scores->take(sample, *outputs, files);
    progress.one_more();
  };
  const Spread& spread = run.request.samples->spread;
  if (!spread || has_state) {
    for (size_t sample = 1; sample < num_samples && !is_stopped; ++sample) take(sample, std::nullopt);
  } else if (num_samples > 1) {
    run_in_pieces(
        spread, 1, num_samples, ends_of(*run.model).outputs, [&](size_t sample) { return run_one(sample, false).outputs; },
        take);
  }
}

}  // namespace vernier::flow
