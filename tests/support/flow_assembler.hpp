// SPDX-License-Identifier: Apache-2.0
// Packages with control flow by hand: several streams of commands, and the steps that say which follows which.
#pragma once

#include "tests/support/stream_assembler.hpp"

#include <functional>
#include <utility>

namespace vernier::support {

inline constexpr int64_t kFlowTable = 0;           // in external memory, before all that a command writes
inline constexpr int64_t kFlowStreams = 0x1'0000;  // likewise
inline constexpr int64_t kFlowExternalBytes = 0x5'0000;

class FlowAssembler {
 public:
  explicit FlowAssembler(const config::MachineConfig& config) : stream_(config) {
    stream_.package().stream_address = external(kFlowStreams);
    stream_.package().flow.table = external(kFlowTable);
    stream_.package().external_bytes = kFlowExternalBytes;
    stream_.package().model_name = "flow";
  }

  /// A stream of its own; END is added. Its number.
  int32_t stream(const std::function<void(StreamAssembler&)>& add_commands) {
    package::Package& made = package();
    package::StreamPart part{static_cast<int64_t>(made.stream.size()), 0, static_cast<int32_t>(made.command_layers.size())};
    add_commands(stream_);
    stream_.end();
    part.num_bytes = static_cast<int64_t>(made.stream.size()) - part.begin_byte;
    made.flow.streams.push_back(part);
    return static_cast<int32_t>(made.flow.streams.size()) - 1;
  }

  FlowAssembler& run(int32_t stream) { return step({package::StepKind::Run, stream, {}, -1}); }
  FlowAssembler& if_not_zero(base::Address byte) { return step({package::StepKind::If, 0, byte, -1}); }
  FlowAssembler& otherwise() { return step({package::StepKind::Else, 0, {}, -1}); }
  FlowAssembler& loop() { return step({package::StepKind::Loop, 0, {}, -1}); }
  FlowAssembler& while_not_zero(base::Address byte) { return step({package::StepKind::While, 0, byte, -1}); }
  FlowAssembler& end() { return step({package::StepKind::End, 0, {}, -1}); }
  FlowAssembler& step(const package::Step& one) {
    package().flow.steps.push_back(one);
    return *this;
  }
  FlowAssembler& most_commands(int64_t limit) {
    package().flow.most_commands = limit;
    return *this;
  }

  StreamAssembler& commands() { return stream_; }
  package::Package& package() { return stream_.package(); }

 private:
  StreamAssembler stream_;
};

/// The stream of a package with control flow as a package of its own; its commands and their places are the same.
inline package::Package alone(const package::Package& flow, int32_t stream) {
  const package::StreamPart& part = flow.flow.streams[static_cast<size_t>(stream)];
  package::Package one = flow;
  one.flow = {};
  one.stream_address.offset += static_cast<uint64_t>(part.begin_byte);
  one.stream.assign(flow.stream.begin() + part.begin_byte, flow.stream.begin() + part.begin_byte + part.num_bytes);
  one.command_layers.erase(one.command_layers.begin(), one.command_layers.begin() + part.first_command);
  return one;
}

}  // namespace vernier::support
