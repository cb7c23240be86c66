// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/stream/array_inputs.hpp"

#include "hw/spec/latency.hpp"

#include <utility>

namespace vernier::cosim {
namespace {

bool has_beat(size_t stream, const ArrayTraffic& traffic) {
  const std::array beats{traffic.has_weights(), traffic.has_activations(), traffic.has_parameters(), traffic.has_addends()};
  return beats[stream];
}

/// The input ports of a stream but its valid. win_* comes with act_*.
std::vector<Port> data_of(const ClockedBlock& block, std::string_view stream) {
  std::vector<Port> ports;
  for (const spec::RtlPort& port : block.description().ports) {
    const bool is_of_stream = port.name.starts_with(stream) || (stream == "act_" && port.name.starts_with("win_"));
    const bool is_valid = port.name == std::string(stream) + "valid_i";
    if (is_of_stream && !port.is_output && !is_valid) ports.push_back(block.port(port.name));
  }
  return ports;
}

}  // namespace

ArrayInputs::ArrayInputs(ClockedBlock& block, PortStalls& stalls, Random& random)
    : stalls_(stalls),
      random_(random),
      pins_(block),
      cmd_valid_(block.port("cmd_valid_i")),
      cmd_ready_(block.port("cmd_ready_o")),
      streams_{Stream{"wgt", block.port("wgt_valid_i"), block.port("wgt_ready_o"), data_of(block, "wgt_")},
               Stream{"act", block.port("act_valid_i"), block.port("act_ready_o"), data_of(block, "act_")},
               Stream{"prm", block.port("prm_valid_i"), block.port("prm_ready_o"), data_of(block, "prm_")},
               Stream{"add", block.port("add_valid_i"), block.port("add_ready_o"), data_of(block, "add_")}} {}

void ArrayInputs::start() {
  for (Stream& stream : streams_) {
    stream.command = 0;
    stream.is_offered = stream.is_driven = false;
  }
  is_command_offered_ = false;
  driven_command_.reset();
  has_stopped_drain_ = false;
}

void ArrayInputs::drive(ArraySequence& sequence, int64_t edge) {
  drive_command(sequence);
  for (size_t i = 0; i < kNumStreams; ++i) {
    Stream& stream = streams_[i];
    // Beats of a command follow those of the one before.
    const std::vector<int64_t>& starts = sequence.starts;
    while (stream.command < starts.size() && !has_beat(i, *sequence.commands[stream.command])) ++stream.command;
    const bool is_there = stream.command < starts.size() && edge > starts[stream.command] + spec::kSramReadLatencyCycles;
    stream.is_offered = is_there && !stalls_.withholds(i, is_there);
    stream.valid.set(stream.is_offered ? 1 : 0);
    if (!stream.is_offered) {
      if (is_there && (i == kParameters || i == kAddends)) has_stopped_drain_ = true;
      for (Port& port : stream.data) port.scramble(random_);
      stream.is_driven = false;
    } else if (!std::exchange(stream.is_driven, true)) {
      drive_beat(i, *sequence.commands[stream.command]);
    }
  }
}

void ArrayInputs::drive_command(const ArraySequence& sequence) {
  is_command_offered_ = sequence.has_command_left();
  if (stalls_.withholds(PortStalls::kCommands, is_command_offered_)) is_command_offered_ = false;
  if (is_command_offered_) {
    const size_t command = sequence.starts.size();
    if (std::exchange(driven_command_, command) != command) sequence.commands[command]->drive_command(pins_);
  } else {
    pins_.cmd.scramble(random_);
    driven_command_.reset();
  }
  cmd_valid_.set(is_command_offered_ ? 1 : 0);
}

void ArrayInputs::drive_beat(size_t stream, const ArrayTraffic& traffic) {
  if (stream == kWeights) traffic.drive_weights(pins_, random_);
  if (stream == kActivations) traffic.drive_activations(pins_, random_);
  if (stream == kParameters) traffic.drive_parameters(pins_, random_);
  if (stream == kAddends) traffic.drive_addends(pins_, random_);
}

bool ArrayInputs::take_beats(ArraySequence& sequence) {
  bool is_handshake = false;
  for (size_t i = 0; i < kNumStreams; ++i) {
    Stream& stream = streams_[i];
    if (!stream.is_offered || stream.ready.get() == 0) continue;
    stream.is_driven = false;
    ArrayTraffic& traffic = *sequence.commands[stream.command];
    if (i == kWeights) traffic.take_weights();
    if (i == kActivations) traffic.take_activations();
    if (i == kParameters) traffic.take_parameters();
    if (i == kAddends) traffic.take_addends();
    is_handshake = true;
  }
  return is_handshake;
}

std::vector<std::pair<std::string_view, size_t>> ArrayInputs::offered() const {
  std::vector<std::pair<std::string_view, size_t>> streams;
  for (const Stream& stream : streams_) {
    if (stream.is_offered) streams.emplace_back(stream.name, stream.command);
  }
  return streams;
}

}  // namespace vernier::cosim
