// SPDX-License-Identifier: Apache-2.0
#include "sim/units/command_processor.hpp"

#include "hw/base/error.hpp"
#include "hw/spec/latency.hpp"

#include <fmt/format.h>

namespace vernier::units {

using kit::Bucket;

CommandProcessor::CommandProcessor(const sc_core::sc_module_name& name, kit::JobClock& clock,
                                   const config::MachineConfig& config)
    : kit::Module(name, clock),
      config_(config),
      tracker_(kStallNames, 1, kit::Merge::FirstActive),
      command_(declare("command", kit::SignalKind::Index)) {
  tracker_.declare_state(signals(), this->name());
}

void CommandProcessor::reset() {
  tracker_.reset();
  state_ = State::Stopped;
  offset_bytes_ = 0;
  command_idx_ = 0;
  show_at_start(command_, kit::kNoIndex);
}

void CommandProcessor::start_stream(const StreamLocation& stream) {
  stream_ = stream;
  offset_bytes_ = 0;
  command_idx_ = 0;
  state_ = State::Fetching;
  phase_port->wake_at(now(), *this);
}

void CommandProcessor::woken() {
  if (!clock().is_running()) return;
  if (state_ == State::Fetching) fetch_next();
  if (state_ == State::Dispatching) dispatch_current();
}

std::span<const std::byte> CommandProcessor::rest_of_stream() {
  const bool is_sram = stream_.address.space == base::MemorySpace::Sram;
  const mem::StorageView storage = (is_sram ? sram_port : external_port)->storage();
  const auto base = static_cast<int64_t>(stream_.address.offset);
  if (!storage.contains(base, stream_.size_bytes)) {
    log_port->fault({spec::FaultCode::AddressOutOfRange,
                     fmt::format("the stream of {} bytes at {} leaves its memory of {} bytes", stream_.size_bytes,
                                 stream_.address, storage.size_bytes()),
                     stream_.address},
                    current_command());
    return {};
  }
  return storage.bytes().subspan(static_cast<size_t>(base + offset_bytes_),
                                 static_cast<size_t>(stream_.size_bytes - offset_bytes_));
}

/// In the words of the current command.
std::optional<int64_t> CommandProcessor::find_parity_error(int64_t num_bytes) {
  mem::MemoryIf& memory =
      stream_.address.space == base::MemorySpace::Sram ? *sram_port.operator->() : *external_port.operator->();
  return memory.find_parity_error(static_cast<int64_t>(stream_.address.offset) + offset_bytes_, num_bytes);
}

void CommandProcessor::fetch_next() {
  const std::span<const std::byte> rest = rest_of_stream();
  if (!clock().is_running()) return;
  if (rest.empty()) {
    return log_port->fault({spec::FaultCode::StreamEnd, "the stream ends without END"}, current_command());
  }
  current_ = package::decode(rest);
  VERNIER_CHECK(current_.length_bytes > 0, "a command without length");
  wrong_parity_ = find_parity_error(std::min(current_.length_bytes, static_cast<int64_t>(rest.size())));
  fetch_ = timing::fetch_phase(std::min(current_.length_bytes, static_cast<int64_t>(rest.size())), stream_.address.space,
                               config_);
  tracker_.begin_phase(0, now());
  show(command_, command_idx_);
  phase_port->start_phase(fetch_, timing::Priority::CommandFetch, *this);
  state_ = State::Stopped;  // until the words have arrived
}

void CommandProcessor::phase_ended(const timing::Ended& ended) {
  // It is the first in the order of service, and asks for no more than there is.
  VERNIER_CHECK(ended.slowed_cycles == decltype(ended.slowed_cycles){}, "the fetch of command {} was slowed", command_idx_);
  std::array<kit::StateTracker::Share, timing::kNumStalls + 1> shares;
  size_t count = 0;
  for (size_t i = 0; i < timing::kNumStalls; ++i) shares[count++] = {Bucket::stall(i), fetch_.stall_cycles[i]};
  shares[count++] = {Bucket::busy(), fetch_.busy_cycles};
  tracker_.end_phase(0, shares, now());
  log_port->fetched(command_idx_, timing::traffic_of({fetch_, {}}, config_));
  if (wrong_parity_) {
    const base::Address wrong{stream_.address.space, static_cast<uint64_t>(*wrong_parity_)};
    return log_port->fault(
        {spec::FaultCode::ParityError, fmt::format("the command holds {}, whose parity is wrong", wrong), wrong},
        current_command());
  }
  if (current_.fault != spec::FaultCode::None) return log_port->fault({current_.fault, current_.detail}, current_command());
  const package::Validity validity = package::check(current_.command, config_.datapath);
  if (validity.fault != spec::FaultCode::None) return log_port->fault({validity.fault, validity.detail}, current_command());
  state_ = State::Dispatching;
  phase_port->wake_at(now(), *this);
}

void CommandProcessor::dispatch_current() {
  if (std::holds_alternative<spec::EndCommand>(current_.command.body)) {
    state_ = State::Stopped;
    tracker_.wait(0, Bucket::idle(), now());
    show(command_, kit::kNoIndex);
    return log_port->end_reached(command_idx_);
  }
  DispatchIf& queue = queue_port(current_.command.header.queue);
  if (queue.num_waiting() >= spec::most_waiting(current_.command.header, config_.queue_depth)) {
    // Below the queue's own depth it is the stream that wants to wait.
    tracker_.wait(0, queue.has_room() ? Bucket::idle() : Bucket::stall(kStallQueueFull), now());
    return queue.wake_when_room(*this);
  }
  log_port->dispatched(command_idx_);
  IssuedCommand issued = current_command();
  issued.command = std::move(current_.command);
  queue.dispatch(std::move(issued));
  offset_bytes_ += current_.length_bytes;
  ++command_idx_;
  state_ = State::Fetching;
  const int64_t pause = timing::pause_cycles(queue.num_waiting(), fetch_.cycles);
  if (pause == 0) return fetch_next();
  tracker_.wait(0, Bucket::idle(), now());  // no queue holds a command up
  phase_port->wake_at(now() + pause, *this);
}

IssuedCommand CommandProcessor::current_command() const {
  IssuedCommand issued;
  issued.command_idx = command_idx_;
  issued.stream_offset_bytes = offset_bytes_;
  issued.ready_cycle = now() + spec::kIssueCycles;
  return issued;
}

DispatchIf& CommandProcessor::queue_port(spec::Queue queue) {
  switch (queue) {
    case spec::Queue::Dma0: return *dma0_port.operator->();
    case spec::Queue::Dma1: return *dma1_port.operator->();
    case spec::Queue::MacArray: return *mac_port.operator->();
    case spec::Queue::VectorUnit: return *vector_port.operator->();
  }
  VERNIER_CHECK(false, "queue {}", static_cast<int>(queue));
}

std::string CommandProcessor::wait_report() const {
  if (state_ != State::Dispatching) return {};
  return fmt::format("command_processor waits for room in queue {} with {}\n",
                     spec::kQueueNames[static_cast<size_t>(current_.command.header.queue)],
                     log_port->describe(command_idx_));
}

}  // namespace vernier::units
