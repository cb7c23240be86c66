// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/makespan.hpp"

#include "hw/base/error.hpp"
#include "hw/spec/command_fields.hpp"
#include "hw/spec/latency.hpp"
#include "hw/timing/in_flight.hpp"
#include "hw/timing/unit_timing.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace vernier::schedule {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
constexpr size_t kQueues = spec::kNumQueues;

timing::Priority priority_of(size_t queue, bool is_drain) {
  switch (static_cast<spec::Queue>(queue)) {
    case spec::Queue::Dma0:
    case spec::Queue::Dma1: return timing::Priority::Dma;
    case spec::Queue::MacArray: return is_drain ? timing::Priority::MacDrain : timing::Priority::MacMain;
    default: return timing::Priority::VectorUnit;
  }
}

/// What waits in order. Most of the many that a machine has stay empty, and cost nothing.
template <typename T>
class Fifo {
 public:
  [[nodiscard]] bool empty() const { return first_ == items_.size(); }
  [[nodiscard]] size_t size() const { return items_.size() - first_; }
  [[nodiscard]] T& front() { return items_[first_]; }
  [[nodiscard]] const T& front() const { return items_[first_]; }
  [[nodiscard]] auto begin() { return items_.begin() + static_cast<std::ptrdiff_t>(first_); }
  [[nodiscard]] auto end() { return items_.end(); }
  void push_back(T item) { items_.push_back(std::move(item)); }
  void pop_front() {
    if (++first_ < items_.size()) return;
    items_.clear();
    first_ = 0;
  }

 private:
  std::vector<T> items_;  // those before the first have gone
  size_t first_ = 0;
};

class Machine {
 public:
  Machine(const LinkedCommands& linked, const config::MachineConfig& config, KnownTimes& times)
      : linked_(linked),
        config_(config),
        times_(times),
        flight_(timing::capacities_of(config)),
        ran_(linked.commands.size()) {}

  /// The cycles that it takes.
  int64_t run_stream() {
    begin_fetch();
    return run();
  }

  /// When each command has run.
  [[nodiscard]] const std::vector<CommandTime>& times() const { return ran_; }

  std::vector<CommandTime> run_without_stream() {
    for (; next_ < linked_.commands.size(); ++next_) {
      waiting_[static_cast<size_t>(linked_.commands[next_].header.queue)].push_back({next_, 0});
    }
    run();
    return std::move(ran_);
  }

 private:
  int64_t run() {
    while (true) {
      wake_ = kNever;
      end_pause();
      dispatch();
      for (size_t q = 0; q < kQueues; ++q) start_commands(q);
      dispatch();  // into the room that a start has made
      const std::optional<int64_t> end = flight_.next_change();
      const int64_t next = std::min(wake_, end.value_or(kNever));
      if (next == kNever) break;
      now_ = next;
      for (const timing::Ended& ended : flight_.advance(now_)) phase_ended(ended.id);
    }
    VERNIER_CHECK(num_ended_ == linked_.commands.size(), "a schedule of {} commands stops after {}", linked_.commands.size(),
                  num_ended_);
    return now_;
  }

  enum class Stage : uint8_t { Main, AwaitDrain, Drain };
  struct Running {
    size_t command;
    timing::Profile profile;
    int32_t phase = -1;
    Stage stage = Stage::Main;
  };
  struct Waiting {
    size_t command;
    int64_t ready_cycle;
  };

  /// END itself is fetched too: it takes what it takes of the port.
  [[nodiscard]] bool has_end_next() const { return next_ == linked_.commands.size(); }

  void begin_fetch() {
    const auto units = [](const auto& body) { return spec::length_units(body); };
    const int64_t length_units =
        has_end_next() ? spec::length_units(spec::EndCommand{}) : std::visit(units, linked_.commands[next_].body);
    const timing::Phase phase = timing::fetch_phase(spec::kCommandUnitBytes * length_units, linked_.space, config_);
    fetch_ = flight_.start(phase, timing::Priority::CommandFetch, now_);
    fetch_cycles_ = phase.cycles;
  }

  /// Starts the fetch that has waited for the port to be left to others.
  void end_pause() {
    if (paused_until_ == kNever) return;
    if (now_ < paused_until_) {
      wake_ = std::min(wake_, paused_until_);
      return;
    }
    paused_until_ = kNever;
    begin_fetch();
  }

  void dispatch() {
    if (!is_fetched_ || has_end_next()) return;
    const spec::Header& header = linked_.commands[next_].header;
    const auto queue = static_cast<size_t>(header.queue);
    if (static_cast<int64_t>(waiting_[queue].size()) >= spec::most_waiting(header, config_.queue_depth)) return;
    waiting_[queue].push_back({next_, now_ + spec::kIssueCycles});
    ++next_;
    is_fetched_ = false;
    const int64_t pause = timing::pause_cycles(static_cast<int64_t>(waiting_[queue].size()), fetch_cycles_);
    if (pause == 0) return begin_fetch();
    paused_until_ = now_ + pause;
    wake_ = std::min(wake_, paused_until_);
  }

  void start_commands(size_t q) {
    const bool is_free = std::all_of(running_[q].begin(), running_[q].end(),
                                     [](const Running& running) { return running.stage == Stage::Drain; });
    if (!is_free || waiting_[q].empty()) return;
    const Waiting& head = waiting_[q].front();
    const spec::Command& command = linked_.commands[head.command];
    int64_t ready = head.ready_cycle;
    for (size_t giver = 0; giver < kQueues; ++giver) {
      if ((command.header.wait >> giver & 1U) == 0) continue;
      ready = tokens_[giver][q].empty() ? kNever : std::max(ready, tokens_[giver][q].front());
      if (ready == kNever) return;
    }
    if (ready > now_) {
      wake_ = std::min(wake_, ready);
      return;
    }
    for (size_t giver = 0; giver < kQueues; ++giver) {
      if ((command.header.wait >> giver & 1U) != 0) tokens_[giver][q].pop_front();
    }
    Running running{head.command, times_.placed_profile(command, config_)};
    running.phase = flight_.start(running.profile.main, priority_of(q, false), now_);
    ran_[head.command].start_cycle = now_;
    running_[q].push_back(running);
    waiting_[q].pop_front();
  }

  void phase_ended(int32_t id) {
    if (id == fetch_) {
      fetch_ = -1;
      is_fetched_ = true;
      return;
    }
    for (size_t q = 0; q < kQueues; ++q) {
      for (Running& running : running_[q]) {
        if (running.phase != id) continue;
        running.phase = -1;
        if (running.stage == Stage::Main) {
          running.stage = Stage::AwaitDrain;
        } else {
          retire(q);
        }
        return start_drains(q);
      }
    }
  }

  void start_drains(size_t q) {
    while (!running_[q].empty() && running_[q].front().stage == Stage::AwaitDrain) {
      Running& front = running_[q].front();
      if (front.profile.drain.cycles == 0) {
        retire(q);
        continue;
      }
      front.stage = Stage::Drain;
      front.phase = flight_.start(front.profile.drain, priority_of(q, true), now_);
    }
  }

  void retire(size_t q) {
    const spec::Header& header = linked_.commands[running_[q].front().command].header;
    for (size_t taker = 0; taker < kQueues; ++taker) {
      if ((header.signal >> taker & 1U) != 0) tokens_[q][taker].push_back(now_ + spec::kTokenCycles);
    }
    ran_[running_[q].front().command].end_cycle = now_;
    running_[q].pop_front();
    ++num_ended_;
  }

  const LinkedCommands& linked_;
  const config::MachineConfig& config_;
  KnownTimes& times_;
  timing::InFlight flight_;
  std::vector<CommandTime> ran_;
  int64_t now_ = 0, wake_ = kNever;
  size_t next_ = 0, num_ended_ = 0;  // commands fetched or being fetched; retired
  int32_t fetch_ = -1;
  int64_t fetch_cycles_ = 0, paused_until_ = kNever;  // of the last fetch; when the next one may start
  bool is_fetched_ = false;
  std::array<Fifo<Waiting>, kQueues> waiting_;
  std::array<Fifo<Running>, kQueues> running_;
  std::array<std::array<Fifo<int64_t>, kQueues>, kQueues> tokens_;  // [giver][taker]: when each counts
};

}  // namespace

int64_t makespan_cycles(const LinkedCommands& linked, const config::MachineConfig& config, KnownTimes& times) {
  return Machine(linked, config, times).run_stream();
}

std::vector<CommandTime> command_times(const LinkedCommands& linked, const config::MachineConfig& config,
                                       KnownTimes& times) {
  Machine machine(linked, config, times);
  machine.run_stream();
  return machine.times();
}

std::vector<CommandTime> times_without_stream(const LinkedCommands& linked, const config::MachineConfig& config,
                                              KnownTimes& times) {
  return Machine(linked, config, times).run_without_stream();
}

}  // namespace vernier::schedule
