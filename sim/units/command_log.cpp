// SPDX-License-Identifier: Apache-2.0
#include "sim/units/command_log.hpp"

#include "hw/package/command_codec.hpp"

#include <fmt/format.h>

namespace vernier::units {

CommandLog::CommandLog(const sc_core::sc_module_name& name, kit::JobClock& clock) : kit::Module(name, clock) {}

void CommandLog::reset() {
  setup_ = JobSetup{};
  ledger_ = LayerLedger({}, 0);
  flights_.clear();
  traffic_ = timing::Traffic{};
  fault_.reset();
  num_dispatched_ = num_retired_ = last_end_cycle_ = 0;
  has_end_ = is_done_ = is_timed_out_ = false;
}

void CommandLog::set_up(JobSetup setup) {
  setup_ = std::move(setup);
  ledger_ = LayerLedger(setup_.command_layers, setup_.layer_names.size());
  flights_.reserve(setup_.command_layers.size());
}

void CommandLog::finish() { ledger_.finish(now()); }

void CommandLog::fetched(int32_t command_idx, const timing::Traffic& fetch) {
  flights_.resize(static_cast<size_t>(command_idx) + 1);
  ledger_.add_traffic(command_idx, fetch);
  traffic_ += fetch;
}

void CommandLog::dispatched(int32_t command_idx) {
  flights_[static_cast<size_t>(command_idx)].dispatch_cycle = now();
  ++num_dispatched_;
}

void CommandLog::end_reached(int32_t command_idx) {
  has_end_ = true;
  dispatched(command_idx);
  started(command_idx, {}, {});
  retired(command_idx);
}

void CommandLog::started(int32_t command_idx, spec::Queue queue, const timing::Traffic& traffic) {
  flights_[static_cast<size_t>(command_idx)].start_cycle = now();
  ledger_.started(command_idx, queue, now());
  ledger_.add_traffic(command_idx, traffic);
  traffic_ += traffic;
}

void CommandLog::retired(int32_t command_idx) {
  flights_[static_cast<size_t>(command_idx)].end_cycle = now();
  ledger_.ended(command_idx, now());
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

void CommandLog::fault(spec::FaultCode code, const IssuedCommand& command, const std::string& detail) {
  if (fault_ || is_done_) return;
  fault_ = MachineFault{
      code,
      fmt::format("{} at stream offset 0x{:x}: {}", describe(command.command_idx), command.stream_offset_bytes, detail),
      command.command_idx, command.stream_offset_bytes};
  status_port->set_fault(code, command.stream_offset_bytes);
  clock().halt();
}

void CommandLog::timed_out() {
  if (!clock().is_running()) return;
  is_timed_out_ = true;
  clock().halt();
}

std::string CommandLog::describe(int32_t command_idx) const {
  const int32_t layer = ledger_.layer_of(command_idx);
  if (layer < 0) return fmt::format("command {}", command_idx);
  return fmt::format("command {} (layer {})", command_idx, setup_.layer_names[static_cast<size_t>(layer)]);
}

}  // namespace vernier::units
