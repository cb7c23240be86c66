// SPDX-License-Identifier: Apache-2.0
// What the machine's signals told of a job against what the job left: both are made at the same places of the units, so that
// a signal that is not told, told late or of another unit shows here.
#pragma once

#include "hw/package/command_codec.hpp"
#include "sim/soc/npu.hpp"
#include "sim/waves/recording.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace vernier::soc {

class Watched {
 public:
  Watched(const package::Package& package, const std::vector<kit::Signal>& signals, const waves::Recording& recording,
          const JobResult& result)
      : package_(package), signals_(signals), recording_(recording), result_(result) {}

  void check() const {
    for (const char* unit : {"mac_array", "vector_unit", "dma", "command_processor"}) check_states(unit);
    for (const auto& [scope, queue] : kQueues) {
      check_phases(scope + ".command", queue, &units::CommandRecord::main);
      check_phases(scope + ".drain_command", queue, &units::CommandRecord::drain);
      check_queue_depth(scope, queue);
    }
    if (!result_.is_done()) return;
    const int64_t word_bytes = package_.config.datapath.word_bytes();
    CHECK(amount("npu.arbiter.sram_read") * word_bytes == result_.traffic.sram_read_bytes);
    CHECK(amount("npu.arbiter.sram_write") * word_bytes == result_.traffic.sram_write_bytes);
    CHECK(amount("npu.arbiter.external_read") == result_.traffic.external_read_bytes);
    CHECK(amount("npu.arbiter.external_write") == result_.traffic.external_write_bytes);
    check_tokens();
    int64_t holding_cycles = 0;
    for (const units::QueueUse& use : result_.queues) holding_cycles += use.holding_cycles;
    CHECK(holding_cycles == result_.units.find("command_processor")->find("stall_cycles")->value("queue_full"));
  }

 private:
  static inline const std::map<std::string, spec::Queue> kQueues{{"npu.dma.channel0", spec::Queue::Dma0},
                                                                 {"npu.dma.channel1", spec::Queue::Dma1},
                                                                 {"npu.mac_array", spec::Queue::MacArray},
                                                                 {"npu.vector_unit", spec::Queue::VectorUnit}};

  [[nodiscard]] size_t find(const std::string& path) const {
    for (size_t i = 0; i < signals_.size(); ++i) {
      if (signals_[i].scope + "." + signals_[i].name == path) return i;
    }
    FAIL("no signal " << path);
    return 0;
  }
  [[nodiscard]] const std::vector<waves::Change>& changes(const std::string& path) const {
    return recording_.changes(find(path));
  }
  [[nodiscard]] int64_t amount(const std::string& path) const {
    int64_t sum = 0;
    for (const waves::Stretch& stretch : recording_.stretches(find(path))) sum += stretch.amount;
    return sum;
  }

  void check_states(const std::string& unit) const {
    INFO("state of " << unit);
    const std::string path = "npu." + unit + ".state";
    const kit::Signal& signal = signals_[find(path)];
    std::map<std::string, int64_t> cycles;
    const std::vector<waves::Change>& list = changes(path);
    for (size_t i = 0; i < list.size(); ++i) {
      const int64_t end = i + 1 < list.size() ? list[i + 1].cycle : result_.cycles;
      cycles[std::string(signal.labels.at(static_cast<size_t>(list[i].value)))] += end - list[i].cycle;
    }
    const kit::Statistics& counted = *result_.units.find(unit);
    CHECK(cycles["busy"] == counted.value("busy_cycles"));
    CHECK(cycles["idle"] == counted.value("idle_cycles"));
    for (const kit::Statistics::Counter& stall : counted.find("stall_cycles")->counters()) {
      INFO(stall.name);
      CHECK(cycles[stall.name] == stall.value);
    }
  }

  void check_phases(const std::string& path, spec::Queue queue, units::PhaseRecord units::CommandRecord::*phase) const {
    INFO(path);
    // By the cycle of their start: (start, end, command); a phase that did not end is not in the books.
    std::set<std::array<int64_t, 3>> booked, shown;
    for (size_t i = 0; i < result_.commands.size(); ++i) {
      const units::CommandRecord& command = result_.commands[i];
      if (command.work == units::Work::None || command.queue != queue || (command.*phase).end_cycle < 0) continue;
      booked.insert({(command.*phase).start_cycle, (command.*phase).end_cycle, static_cast<int64_t>(i)});
    }
    const std::vector<waves::Change>& list = changes(path);
    for (size_t i = 0; i + 1 < list.size(); ++i) {
      if (list[i].value != kit::kNoIndex) shown.insert({list[i].cycle, list[i + 1].cycle, list[i].value});
    }
    CHECK(shown == booked);
  }

  void check_queue_depth(const std::string& scope, spec::Queue queue) const {
    INFO("queue of " << scope);
    std::map<int64_t, int64_t> steps;  // by cycle
    for (const units::CommandRecord& command : result_.commands) {
      if (command.work == units::Work::None || command.queue != queue || command.start_cycle < 0) continue;
      ++steps[command.dispatch_cycle];
      --steps[command.start_cycle];
    }
    if (!result_.is_done()) return;  // what never started is in no book
    std::vector<waves::Change> booked{{0, 0}};
    int64_t depth = 0;
    for (const auto& [cycle, step] : steps) {
      if (step == 0) continue;
      depth += step;
      if (cycle == 0) booked.pop_back();
      booked.push_back({cycle, depth});
    }
    CHECK(changes(scope + ".queue_depth") == booked);
    // What the machine counted, made anew from the books.
    const units::QueueUse& use = result_.queues.at(static_cast<size_t>(queue));
    int64_t full_cycles = 0, most_commands = 0;
    for (size_t i = 0; i < booked.size(); ++i) {
      const int64_t end = i + 1 < booked.size() ? booked[i + 1].cycle : result_.cycles;
      most_commands = std::max(most_commands, booked[i].value);
      if (booked[i].value == package_.config.queue_depth) full_cycles += end - booked[i].cycle;
    }
    CHECK(use.most_commands == most_commands);
    CHECK(use.full_cycles == full_cycles);
    CHECK(use.holding_cycles <= full_cycles);
  }

  /// At the end there are as many tokens as were given and not taken.
  void check_tokens() const {
    using Queues = std::pair<size_t, size_t>;  // giver and taker
    std::map<Queues, int64_t> left;
    std::map<Queues, std::vector<size_t>> given, taken;               // by commands
    std::map<Queues, std::vector<std::pair<size_t, size_t>>> passed;  // from which to which
    size_t command_idx = 0;
    for (size_t offset = 0; offset < package_.stream.size(); ++command_idx) {
      const package::Decoded decoded = package::decode(std::span(package_.stream).subspan(offset));
      offset += static_cast<size_t>(decoded.length_bytes);
      if (std::holds_alternative<spec::EndCommand>(decoded.command.body)) break;
      const auto& header = decoded.command.header;
      const auto self = static_cast<size_t>(header.queue);
      for (size_t other = 0; other < spec::kNumQueues; ++other) {
        if ((header.signal >> other & 1) != 0) {
          ++left[{self, other}];
          given[{self, other}].push_back(command_idx);
        }
        if ((header.wait >> other & 1) != 0) {
          --left[{other, self}];
          taken[{other, self}].push_back(command_idx);
        }
      }
    }
    for (const auto& [pair, takers] : taken) {
      for (size_t i = 0; i < takers.size(); ++i) passed[pair].emplace_back(given[pair].at(i), takers[i]);
    }
    for (size_t giver = 0; giver < spec::kNumQueues; ++giver) {
      for (size_t taker = 0; taker < spec::kNumQueues; ++taker) {
        const std::string path =
            "npu.token_bank." + std::string(spec::kQueueNames[giver]) + "_to_" + std::string(spec::kQueueNames[taker]);
        INFO(path);
        CHECK(changes(path).back().value == left[{giver, taker}]);
        // Tokens of a pair are taken in the order in which they were given.
        std::vector<kit::Handover> booked;
        for (const auto& [giver_idx, taker_idx] : passed[{giver, taker}]) {
          const units::CommandRecord& from = result_.commands.at(giver_idx);
          const units::CommandRecord& to = result_.commands.at(taker_idx);
          booked.push_back(
              {static_cast<int64_t>(giver_idx), static_cast<int64_t>(taker_idx), from.end_cycle, to.start_cycle});
        }
        CHECK(recording_.handovers(find(path)) == booked);
      }
    }
  }

  const package::Package& package_;
  const std::vector<kit::Signal>& signals_;
  const waves::Recording& recording_;
  const JobResult& result_;
};

}  // namespace vernier::soc
