// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/rtl/rtl_rate.hpp"

#include "hw/base/text.hpp"
#include "sim/flow/run/job_progress.hpp"

#include <fmt/format.h>

#include <chrono>

namespace vernier::flow {
namespace {

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

RtlRate::RtlRate(Clock clock) : clock_(clock ? std::move(clock) : Clock(steady_seconds)), start_seconds_(clock_()) {}

std::string RtlRate::text(const cosim::RtlProgress& so_far) const {
  const auto done = static_cast<double>(so_far.done_cycles), all = static_cast<double>(so_far.all_cycles);
  std::string text = fmt::format("{:.0f} % of the array's cycles, ", all > 0 ? 100 * done / all : 100.0);
  const double seconds = clock_() - start_seconds_;
  if (done > 0 && seconds > 0) {
    text += fmt::format("{} of them per second, ", base::with_thousands(static_cast<int64_t>(done / seconds)));
    if (done < all) text += time_left_text(seconds * (all - done) / done) + ", ";
  }
  return text + base::counted(so_far.mismatches, "mismatch");
}

}  // namespace vernier::flow
