// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/block/evaluation_watch.hpp"

#include <atomic>
#include <csignal>
#include <sys/time.h>

namespace vernier::cosim {
namespace {

std::atomic<const std::string_view*> running_block{nullptr};  // of the evaluation in progress
std::atomic<int64_t> running_cycle{0};
std::atomic<int> running_seconds{0};
std::atomic<EndlessHandler> endless_handler{nullptr};

/// Each second of user time.
void look(int /*signal*/) {
  const std::string_view* block = running_block;
  if (block != nullptr && ++running_seconds >= kMostEvaluationSeconds) endless_handler.load()(*block, running_cycle);
}

}  // namespace

void watch_evaluations(EndlessHandler handler) {
  endless_handler = handler;
  struct sigaction action = {};
  action.sa_handler = look;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGVTALRM, &action, nullptr);
  constexpr timeval kSecond{1, 0};
  const itimerval timer{kSecond, kSecond};
  ::setitimer(ITIMER_VIRTUAL, &timer, nullptr);
}

WatchedEvaluation::WatchedEvaluation(const std::string_view& name, int64_t cycle) {
  running_seconds.store(0, std::memory_order_relaxed);
  running_cycle.store(cycle, std::memory_order_relaxed);
  running_block.store(&name, std::memory_order_relaxed);
}

WatchedEvaluation::~WatchedEvaluation() { running_block.store(nullptr, std::memory_order_relaxed); }

}  // namespace vernier::cosim
