// SPDX-License-Identifier: Apache-2.0
// The books of a job that is done, kept again from its commands, cycle by cycle: what each command says of itself from what
// hw/timing charges for it, and what each unit says from what its commands say.
#pragma once

#include "hw/package/command_codec.hpp"
#include "hw/timing/unit_timing.hpp"
#include "sim/soc/npu.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace vernier::soc {

class Ledger {
 public:
  Ledger(const package::Package& package, const JobResult& result) : config_(package.config), result_(result) {
    size_t offset = 0;
    for (size_t i = 0; i < result.commands.size(); ++i) {
      const package::Decoded decoded = package::decode(std::span(package.stream).subspan(offset));
      offset += static_cast<size_t>(decoded.length_bytes);
      fetches_.push_back(timing::fetch_phase(decoded.length_bytes, package.stream_address.space, config_));
      profiles_.push_back(timing::profile(decoded.command, config_));
    }
  }

  void check() const {
    for (size_t i = 0; i < profiles_.size(); ++i) check_command(i);
    check_unit("mac_array", {spec::Queue::MacArray});
    check_unit("vector_unit", {spec::Queue::VectorUnit});
    check_unit("dma", {spec::Queue::Dma0, spec::Queue::Dma1});
    check_lanes("rescale_unit", timing::Resource::RescaleLanes);
    check_lanes("table_unit", timing::Resource::TableLanes);
  }

 private:
  using Shares = std::vector<units::Share>;
  using Cycles = std::vector<kit::Bucket>;  // one a cycle

  [[nodiscard]] Shares shares_of(const units::Shares& range) const {
    const auto first = result_.shares.begin() + static_cast<std::ptrdiff_t>(range.first);
    return {first, first + static_cast<std::ptrdiff_t>(range.count)};
  }

  /// The stalls of its own profile in their order, then busy; then what others added, by the name of what they shared.
  void check_phase(const units::PhaseRecord& record, const timing::Phase& phase) const {
    Shares own;
    for (size_t i = 0; i < timing::kNumStalls; ++i) {
      if (phase.stall_cycles[i] > 0) own.push_back({kit::Bucket::stall(i), phase.stall_cycles[i]});
    }
    if (phase.busy_cycles > 0) own.push_back({kit::Bucket::busy(), phase.busy_cycles});
    CHECK(record.own_cycles == phase.cycles);
    const Shares found = shares_of(record.shares);
    REQUIRE(found.size() >= own.size());
    CHECK(std::equal(own.begin(), own.end(), found.begin()));
    const auto asks = [&](timing::Resource resource) { return phase.demand[static_cast<size_t>(resource)] > 0; };
    using timing::Resource;
    const std::map<timing::Stall, bool> may_be_slowed{
        {timing::Stall::PortContention, asks(Resource::SramRead) || asks(Resource::SramWrite)},
        {timing::Stall::RescaleContention, asks(Resource::RescaleLanes) || asks(Resource::TableLanes)},
        {timing::Stall::ExternalMemory, asks(Resource::ExternalRead) || asks(Resource::ExternalWrite)}};
    for (size_t i = own.size(); i < found.size(); ++i) {
      const auto stall = static_cast<timing::Stall>(found[i].bucket.index() - kit::Bucket::stall(0).index());
      CHECK((may_be_slowed.contains(stall) && may_be_slowed.at(stall)));
    }
  }

  void check_command(size_t i) const {
    INFO("command " << i);
    const units::CommandRecord& command = result_.commands[i];
    timing::Traffic traffic = timing::traffic_of({fetches_[i], {}}, config_);
    traffic += timing::traffic_of(profiles_[i], config_);
    CHECK(command.traffic == traffic);
    if (command.work == units::Work::None) return;
    check_phase(command.main, profiles_[i].main);
    if (profiles_[i].drain.cycles > 0) {
      check_phase(command.drain, profiles_[i].drain);
    } else {
      CHECK(command.drain == units::PhaseRecord{});
    }
  }

  static void put(Cycles& cycles, const Shares& shares, int64_t from) {
    for (const units::Share& share : shares) {
      const auto first = cycles.begin() + static_cast<std::ptrdiff_t>(from);
      std::fill(first, first + static_cast<std::ptrdiff_t>(share.cycles), share.bucket);
      from += share.cycles;
    }
  }

  /// Of one queue: a main phase before a drain, a drain before a wait, a wait before idling.
  [[nodiscard]] Cycles cycles_of(spec::Queue queue) const {
    Cycles cycles(static_cast<size_t>(result_.cycles), kit::Bucket::idle());
    const auto put_all = [&](const auto& put_one) {
      for (const units::CommandRecord& command : result_.commands) {
        if (command.work != units::Work::None && command.queue == queue) put_one(command);
      }
    };
    put_all([&](const units::CommandRecord& command) {
      const Shares waits = shares_of(command.waits);
      int64_t length = 0;
      for (const units::Share& wait : waits) length += wait.cycles;
      put(cycles, waits, command.start_cycle - length);
    });
    put_all([&](const units::CommandRecord& command) {
      if (command.drain.start_cycle >= 0) put(cycles, shares_of(command.drain.shares), command.drain.start_cycle);
    });
    put_all(
        [&](const units::CommandRecord& command) { put(cycles, shares_of(command.main.shares), command.main.start_cycle); });
    return cycles;
  }

  void check_unit(const std::string& name, const std::vector<spec::Queue>& queues) const {
    INFO(name);
    std::vector<Cycles> of_queues;
    for (const spec::Queue queue : queues) of_queues.push_back(cycles_of(queue));
    std::map<size_t, int64_t> sums;
    for (size_t cycle = 0; cycle < static_cast<size_t>(result_.cycles); ++cycle) {
      // Of several queues: busy where one is, else the first one's wait, else idle.
      kit::Bucket bucket = kit::Bucket::idle();
      for (const Cycles& cycles : of_queues) {
        if (bucket == kit::Bucket::idle() || cycles[cycle] == kit::Bucket::busy()) bucket = cycles[cycle];
      }
      ++sums[bucket.index()];
    }
    CHECK(result_.units.value(name + "/busy_cycles") == sums[kit::Bucket::busy().index()]);
    CHECK(result_.units.value(name + "/idle_cycles") == sums[kit::Bucket::idle().index()]);
    for (size_t i = 0; i < timing::kNumStalls; ++i) {
      INFO(timing::kStallNames[i]);
      CHECK(result_.units.value(name + "/stall_cycles/" + std::string(timing::kStallNames[i])) ==
            sums[kit::Bucket::stall(i).index()]);
    }
  }

  /// In use while a phase that asks for lanes is in flight; busy a cycle a vector, but for what an end is rounded by.
  void check_lanes(const std::string& name, timing::Resource resource) const {
    INFO(name);
    std::vector<bool> in_use(static_cast<size_t>(result_.cycles));
    int64_t vectors = 0, phases = 0;
    const auto use = [&](const units::PhaseRecord& record, const timing::Phase& phase) {
      const int64_t asked = phase.demand[static_cast<size_t>(resource)];
      if (asked == 0) return;
      vectors += asked;
      ++phases;
      std::fill(in_use.begin() + record.start_cycle, in_use.begin() + record.end_cycle, true);
    };
    for (size_t i = 0; i < profiles_.size(); ++i) {
      if (result_.commands[i].work == units::Work::None) continue;
      use(result_.commands[i].main, profiles_[i].main);
      use(result_.commands[i].drain, profiles_[i].drain);
    }
    const int64_t busy = result_.units.value(name + "/busy_cycles"), idle = result_.units.value(name + "/idle_cycles");
    CHECK(result_.cycles - idle == std::count(in_use.begin(), in_use.end(), true));
    CHECK(busy <= vectors);
    CHECK(busy >= vectors - phases);
  }

  const config::MachineConfig& config_;
  const JobResult& result_;
  std::vector<timing::Phase> fetches_;
  std::vector<timing::Profile> profiles_;  // END's is empty
};

}  // namespace vernier::soc
