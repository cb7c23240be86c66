// SPDX-License-Identifier: Apache-2.0
#include "sim/units/queued_unit.hpp"

#include "hw/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace vernier::units {

namespace {

using kit::Bucket;
using timing::Stall;

Bucket bucket_of(Stall stall) { return Bucket::stall(static_cast<size_t>(stall)); }

/// The name of the cycles by which a resource slowed a phase.
Stall stall_of(timing::Resource resource) {
  switch (resource) {
    case timing::Resource::SramRead:
    case timing::Resource::SramWrite: return Stall::PortContention;
    case timing::Resource::RescaleLanes:
    case timing::Resource::TableLanes: return Stall::RescaleContention;
    case timing::Resource::ExternalRead:
    case timing::Resource::ExternalWrite: return Stall::ExternalMemory;
  }
  return Stall::PortContention;
}

int64_t demand_of(const timing::Phase& phase, timing::Resource resource) {
  return phase.demand[static_cast<size_t>(resource)];
}

constexpr uint8_t kDmaQueues = spec::queue_bit(spec::Queue::Dma0) | spec::queue_bit(spec::Queue::Dma1);

std::string queue_names(uint8_t mask) {
  std::string names;
  for (size_t queue = 0; queue < spec::kNumQueues; ++queue) {
    if ((mask >> queue & 1U) == 0) continue;
    names += fmt::format("{}{}", names.empty() ? "" : " and ", spec::kQueueNames[queue]);
  }
  return names;
}

}  // namespace

QueuedUnit::QueuedUnit(const sc_core::sc_module_name& name, kit::JobClock& clock, const config::MachineConfig& config,
                       const UnitRole& role)
    : kit::Module(name, clock),
      config_(config),
      role_(role),
      queue_depth_(declare("queue_depth", kit::SignalKind::Count)),
      command_(declare("command", kit::SignalKind::Index)),
      drain_command_(declare("drain_command", kit::SignalKind::Index)) {}

void QueuedUnit::end_of_elaboration() {
  token_port->attach(role_.queue, *this);
  role_.tracker->declare_track_state(role_.main_track, signals(), name(), "main_state");
  role_.tracker->declare_track_state(role_.drain_track, signals(), name(), "drain_state");
}

void QueuedUnit::reset() {
  queue_.clear();
  meter_.reset();
  wait_.reset();
  waits_.clear();
  running_.clear();
  wants_room_ = nullptr;
  show_at_start(queue_depth_, 0);
  show_at_start(command_, kit::kNoIndex);
  show_at_start(drain_command_, kit::kNoIndex);
}

bool QueuedUnit::has_room() const { return num_waiting() < config_.queue_depth; }

int64_t QueuedUnit::num_waiting() const { return static_cast<int64_t>(queue_.size()); }

void QueuedUnit::dispatch(IssuedCommand command) {
  VERNIER_CHECK(has_room(), "a command is dispatched to a full queue");
  queue_.push_back(std::move(command));
  queue_changed();
  wake();
}

void QueuedUnit::wake_when_room(mem::PhaseClient& client) {
  wants_room_ = &client;
  if (!has_room()) meter_.begins_holding(now());
}

void QueuedUnit::queue_changed() {
  const auto num_commands = static_cast<int64_t>(queue_.size());
  show(queue_depth_, num_commands);
  meter_.changed(now(), num_commands, config_.queue_depth);
}

bool QueuedUnit::is_main_free() const {
  return std::all_of(running_.begin(), running_.end(),
                     [](const auto& running) { return running->stage == Running::Stage::Drain; });
}

void QueuedUnit::woken() {
  while (clock().is_running() && is_main_free()) {
    if (queue_.empty()) {
      role_.tracker->wait(role_.main_track, Bucket::idle(), now());
      return;
    }
    if (!is_head_ready()) return;
    start_head();
  }
}

bool QueuedUnit::is_head_ready() {
  const IssuedCommand& head = queue_.front();
  if (head.ready_cycle > now()) {
    wait_for(Stall::CommandIssue, head.ready_cycle);
    return false;
  }
  const TokenIf::Availability tokens = token_port->availability(role_.queue, head.command.header.wait);
  if (tokens.missing == 0 && tokens.ready_cycle <= now()) return true;
  const uint8_t givers = tokens.missing != 0 ? tokens.missing : tokens.last;
  // A missing token wakes the unit when it is given.
  wait_for((givers & kDmaQueues) != 0 ? Stall::Dma : Stall::WaitingForToken, tokens.missing != 0 ? -1 : tokens.ready_cycle);
  return false;
}

void QueuedUnit::wait_for(Stall stall, int64_t until_cycle) {
  role_.tracker->wait(role_.main_track, bucket_of(stall), now());
  if (wait_ != stall) close_wait();
  wait_ = stall;
  if (until_cycle >= 0) phase_port->wake_at(until_cycle, *this);
}

void QueuedUnit::close_wait() {
  if (wait_ && now() > wait_start_cycle_) waits_.push_back({bucket_of(*wait_), now() - wait_start_cycle_});
  wait_.reset();
  wait_start_cycle_ = now();
}

void QueuedUnit::start_head() {
  std::unique_ptr<Running> next;
  if (spare_.empty()) {
    next = std::make_unique<Running>();
  } else {
    next = std::move(spare_.back());
    spare_.pop_back();
  }
  next->issued = std::move(queue_.front());
  queue_.pop_front();
  queue_changed();
  if (wants_room_ != nullptr) {
    meter_.ends_holding(now());
    phase_port->wake_at(now(), *std::exchange(wants_room_, nullptr));
  }
  const spec::Command& command = next->issued.command;

  if (const auto fault = hazard_port->check_bounds(next->issued)) return raise(*fault, next->issued);
  next->profile = profile(command);
  next->can_end = next->profile.cycles_alone() <= log_port->watchdog_cycles();
  if (next->can_end) {
    if (const auto fault = check_state(command)) return raise(*fault, next->issued);
    if (const auto fault = hazard_port->enter(next->issued)) return raise(*fault, next->issued);
  }
  const TokenIf::Token last_token = token_port->take(role_.queue, command.header.wait, next->issued.command_idx);
  close_wait();
  const timing::Phase& drain = next->profile.drain;
  const int64_t drain_words = demand_of(drain, timing::Resource::SramRead) + demand_of(drain, timing::Resource::SramWrite);
  log_port->started(next->issued.command_idx, {role_.queue, timing::traffic_of(next->profile, config_), last_token, waits_,
                                               next->profile.possible_error, drain_words});
  waits_.clear();
  next->has_values = next->can_end && log_port->has_values();
  next->writes.clear();
  if (next->can_end) sample(*next);
  next->stage = Running::Stage::Main;
  running_.push_back(std::move(next));
  begin_phase(*running_.back(), running_.back()->profile.main, false);
}

void QueuedUnit::begin_phase(Running& running, const timing::Phase& phase, bool is_drain) {
  role_.tracker->begin_phase(is_drain ? role_.drain_track : role_.main_track, now());
  if (demand_of(phase, timing::Resource::RescaleLanes) > 0 && rescale_port.size() > 0) rescale_port->begin_use();
  if (demand_of(phase, timing::Resource::TableLanes) > 0) table_port->begin_use();
  show(is_drain ? drain_command_ : command_, running.issued.command_idx);
  running.phase_start_cycle = now();
  running.phase_id = phase_port->start_phase(phase, is_drain ? role_.drain_priority : role_.main_priority, *this);
}

void QueuedUnit::end_phase(const Running& running, const timing::Phase& phase, bool is_drain, const timing::Ended& ended) {
  const int64_t rescaled = demand_of(phase, timing::Resource::RescaleLanes);
  const int64_t looked_up = demand_of(phase, timing::Resource::TableLanes);
  if (rescaled > 0 && rescale_port.size() > 0) rescale_port->end_use(rescaled);
  if (looked_up > 0) table_port->end_use(looked_up);
  std::array<Share, timing::kNumStalls + timing::kNumResources + 1> shares;
  size_t count = 0;
  for (size_t i = 0; i < timing::kNumStalls; ++i) shares[count++] = {Bucket::stall(i), phase.stall_cycles[i]};
  shares[count++] = {Bucket::busy(), phase.busy_cycles};
  for (size_t i = 0; i < timing::kNumResources; ++i) {
    shares[count++] = {bucket_of(stall_of(static_cast<timing::Resource>(i))), ended.slowed_cycles[i]};
  }
  role_.tracker->end_phase(is_drain ? role_.drain_track : role_.main_track, shares, now());
  show(is_drain ? drain_command_ : command_, kit::kNoIndex);
  log_port->phase_ended(running.issued.command_idx, is_drain, {running.phase_start_cycle, now(), phase.cycles, {}}, shares);
}

void QueuedUnit::phase_ended(const timing::Ended& ended) {
  const auto entry =
      std::find_if(running_.begin(), running_.end(), [&](const auto& running) { return running->phase_id == ended.id; });
  VERNIER_CHECK(entry != running_.end(), "phase {} does not belong to {}", ended.id, name());
  Running& running = **entry;
  running.phase_id = -1;
  if (running.stage == Running::Stage::Main) {
    end_phase(running, running.profile.main, false, ended);
    main_ended(running);
    running.stage = Running::Stage::AwaitDrain;
  } else {
    end_phase(running, running.profile.drain, true, ended);
    retire_front();
  }
  start_drains();
  wake();
}

void QueuedUnit::start_drains() {
  while (clock().is_running() && !running_.empty() && running_.front()->stage == Running::Stage::AwaitDrain) {
    Running& front = *running_.front();
    if (front.profile.drain.cycles == 0) {
      retire_front();
      continue;
    }
    front.stage = Running::Stage::Drain;
    begin_phase(front, front.profile.drain, true);
  }
}

void QueuedUnit::retire_front() {
  std::unique_ptr<Running> done = std::move(running_.front());
  running_.pop_front();
  const IssuedCommand& issued = done->issued;
  if (!done->can_end) return log_port->timed_out();
  commit(*done);
  if (!done->has_values) hazard_port->mark_written(issued.command_idx);
  hazard_port->leave(issued.command_idx);
  if (const auto overflow = token_port->give(role_.queue, issued.command.header.signal, issued.command_idx)) {
    return raise(
        {spec::FaultCode::TokenOverflow,
         fmt::format("the tokens from {} to {} count past {} bits", spec::kQueueNames[static_cast<size_t>(role_.queue)],
                     spec::kQueueNames[static_cast<size_t>(*overflow)], spec::kTokenCounterBits)},
        issued);
  }
  log_port->retired(issued.command_idx);
  spare_.push_back(std::move(done));
}

void QueuedUnit::raise(const CommandFault& fault, const IssuedCommand& command) { log_port->fault(fault, command); }

std::string QueuedUnit::wait_report() const {
  const std::string_view queue = spec::kQueueNames[static_cast<size_t>(role_.queue)];
  std::string text;
  for (const auto& running : running_) {
    text += fmt::format("{} runs {}\n", queue, log_port->describe(running->issued.command_idx));
  }
  if (queue_.empty()) return text;
  const IssuedCommand& head = queue_.front();
  const std::string who = log_port->describe(head.command_idx);
  if (!is_main_free()) return text + fmt::format("{} waits for the unit with {}\n", queue, who);
  const TokenIf::Availability tokens = token_port->availability(role_.queue, head.command.header.wait);
  if (tokens.missing == 0) return text + fmt::format("{} is about to start {}\n", queue, who);
  return text + fmt::format("{} waits for a token of {} with {}\n", queue, queue_names(tokens.missing), who);
}

}  // namespace vernier::units
