// SPDX-License-Identifier: Apache-2.0
#include "sim/units/command_log.hpp"

#include "hw/base/error.hpp"

#include <fmt/format.h>

namespace vernier::units {

CommandLog::CommandLog(const sc_core::sc_module_name& name, kit::JobClock& clock) : kit::Module(name, clock) {}

void CommandLog::reset() {
  setup_ = JobSetup{};
  records_ = CommandRecords{};
  traffic_ = timing::Traffic{};
  fault_.reset();
  num_dispatched_ = num_retired_ = last_end_cycle_ = 0;
  has_end_ = is_done_ = is_timed_out_ = false;
}

void CommandLog::set_up(JobSetup setup) {
  setup_ = std::move(setup);
  records_.commands.reserve(setup_.command_layers.size());
}

Attribution CommandLog::attribute() {
  const Attribution result = units::attribute(records_, setup_.layer_names.size(), now());
  if (has_end_) records_.commands.back().layer_idx = result.last_layer_idx;
  return result;
}

void CommandLog::fetched(int32_t command_idx, const timing::Traffic& fetch) {
  CommandRecord command;
  command.layer_idx = layer_of(command_idx);
  command.traffic = fetch;
  records_.commands.push_back(command);
  VERNIER_CHECK(records_.commands.size() == static_cast<size_t>(command_idx) + 1, "command {} is fetched out of order",
                command_idx);
  traffic_ += fetch;
}

void CommandLog::dispatched(int32_t command_idx) {
  record(command_idx).dispatch_cycle = now();
  ++num_dispatched_;
}

void CommandLog::end_reached(int32_t command_idx) {
  has_end_ = true;
  dispatched(command_idx);
  record(command_idx).start_cycle = now();
  retired(command_idx);
}

void CommandLog::started(int32_t command_idx, const CommandStart& start) {
  CommandRecord& command = record(command_idx);
  command.start_cycle = now();
  command.queue = start.queue;
  command.work = work_of(start.queue, start.traffic);
  command.traffic += start.traffic;
  command.last_giver_idx = start.last_token.giver_idx;
  command.token_cycle = start.last_token.ready_cycle;
  command.waits = add_shares(start.waits);
  command.possible_error = start.possible_error;
  command.drain_words = start.drain_words;
  traffic_ += start.traffic;
}

void CommandLog::phase_ended(int32_t command_idx, bool is_drain, PhaseRecord phase, std::span<const Share> shares) {
  phase.shares = add_shares(shares);
  (is_drain ? record(command_idx).drain : record(command_idx).main) = phase;
}

Shares CommandLog::add_shares(std::span<const Share> shares) {
  const size_t first = records_.shares.size();
  for (const Share& share : shares) {
    if (share.cycles > 0) records_.shares.push_back(share);
  }
  return {static_cast<uint32_t>(first), static_cast<uint32_t>(records_.shares.size() - first)};
}

void CommandLog::retired(int32_t command_idx) {
  record(command_idx).end_cycle = now();
  ++num_retired_;
  last_end_cycle_ = now();
  status_port->count_command();
  if (setup_.on_retired) setup_.on_retired(command_idx, now());
  finish_if_done();
}

void CommandLog::finish_if_done() {
  if (!has_end_ || num_retired_ != num_dispatched_ || fault_) return;
  is_done_ = true;
  status_port->set_done();
  clock().halt();
}

void CommandLog::fault(const CommandFault& fault, const IssuedCommand& command) {
  if (fault_ || is_done_) return;
  fault_ = MachineFault{fault.code,
                        fmt::format("{} at stream offset 0x{:x}: {}", describe(command.command_idx),
                                    command.stream_offset_bytes, fault.detail),
                        command.command_idx, command.stream_offset_bytes, fault.access};
  status_port->set_fault(fault.code, command.stream_offset_bytes, fault.access);
  clock().halt();
}

void CommandLog::timed_out() {
  if (!clock().is_running()) return;
  is_timed_out_ = true;
  clock().halt();
}

int32_t CommandLog::layer_of(int32_t command_idx) const {
  const auto index = static_cast<size_t>(command_idx);
  return index < setup_.command_layers.size() ? setup_.command_layers[index] : -1;
}

std::string CommandLog::describe(int32_t command_idx) const {
  const int32_t layer = layer_of(command_idx);
  const int32_t called_idx = setup_.first_command_idx + command_idx;
  if (layer < 0) return fmt::format("command {}", called_idx);
  return fmt::format("command {} (layer {})", called_idx, setup_.layer_names[static_cast<size_t>(layer)]);
}

}  // namespace vernier::units
