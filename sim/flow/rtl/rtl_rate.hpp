// SPDX-License-Identifier: Apache-2.0
// How far commands on RTL have come, how fast they go, and how long the rest will take.
#pragma once

#include "sim/cosim/network/rtl_datapath.hpp"

#include <functional>
#include <string>

namespace vernier::flow {

class RtlRate {
 public:
  /// Seconds of a clock that only goes forward.
  using Clock = std::function<double()>;
  /// Time counts from now on.
  explicit RtlRate(Clock clock = {});
  /// "45 % of the array's cycles, 210,000 of them per second, about 20 s left, 0 mismatches"; without rate and time before
  /// anything is done.
  [[nodiscard]] std::string text(const cosim::RtlProgress& so_far) const;

 private:
  Clock clock_;
  double start_seconds_;
};

}  // namespace vernier::flow
