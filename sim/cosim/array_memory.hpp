// SPDX-License-Identifier: Apache-2.0
// The streams of the array from npu_agu and an SRAM: its generators say which words each beat needs, the SRAM serves them in
// the order of service, and a beat stands at its port when all of them have come.
//
//   npu_agu --> a queue a stream --> banks and ports --> kSramReadLatencyCycles --> wgt, act, prm, add
//   out --> its addresses --> queue of rows --> banks and ports
//
// Words are compared with hw/sequence as they are asked for. What a generator says of a beat of activations besides goes to
// the array's ports in the place of what the sequence says; bytes come from the sequence's, since words are equal.
// One command at a time, from an idle array on, prepared before it starts.
#pragma once

#include "hw/sequence/conv_stream.hpp"
#include "hw/sequence/row_stream.hpp"
#include "hw/sequence/weight_stream.hpp"
#include "hw/sequence/window_stream.hpp"
#include "sim/cosim/agu.hpp"
#include "sim/cosim/port_stalls.hpp"
#include "sim/cosim/stream_memory.hpp"
#include "sim/cosim/test_sram.hpp"

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::cosim {

class ArrayMemory : public StreamMemory {
 public:
  /// `block` has the ports of npu_mac_array and outlives this. `has_limits`: banks and ports of the machine. `agu`: another
  /// npu_agu than the program's.
  ArrayMemory(ClockedBlock& block, const spec::Datapath& datapath, bool has_limits, std::unique_ptr<RtlBlock> agu = nullptr);
  /// The next command that the array takes is this one. npu_agu gets it kIssueCycles earlier.
  void prepare(const spec::MacCommand& command);
  /// The command is over: what the generators still owe, or have too much, is a mismatch, and all is reset then.
  void end_command();
  /// Cycles from the command's handshake to its last result in memory; of one that has none, to its last handshake.
  [[nodiscard]] int64_t cycles() const { return last_cycle_ - taken_cycle_; }
  /// Whether all results are in memory.
  [[nodiscard]] bool is_written() const { return results_.is_empty(); }
  [[nodiscard]] const MemoryFindings& findings() const { return findings_; }
  /// The mismatches since the last time, each begins with `name`.
  [[nodiscard]] LockStepResult take_findings(const std::string& name) { return findings_.take(name); }

  [[nodiscard]] bool gives(size_t port) const override;
  [[nodiscard]] bool has_room() const override;
  [[nodiscard]] bool is_ideal() const override { return !sram_.has_limits(); }
  void drive(bool is_enabled) override;
  void see() override;
  void finish() override;
  void was_reset() override;

 private:
  static constexpr size_t kNumStreams = 4;  // as PortStalls counts them: weights, activations, parameters, addends
  /// A stream's valid and ready, on the array or on npu_agu.
  struct Handshake {
    Port valid, ready;
    [[nodiscard]] bool is_taken() const { return valid.get() != 0 && ready.get() != 0; }
  };
  /// A port of a generator whose beats go to a port of the array.
  struct Descriptor {
    Port from, to;
  };
  using Bytes = std::vector<std::byte>;
  using Words = std::vector<int64_t>;

  /// What a generator says of a row of addends or results.
  struct RowPorts {
    Port pixels, address, bytes;
  };

  void take_from_generators();
  void serve();
  [[nodiscard]] Words words_at(size_t stream) const;
  [[nodiscard]] static Words words_of(const Port& read, const Port& word);
  [[nodiscard]] Words words_of_row(const RowPorts& ports) const;
  /// Whether the channel tile that is accumulated has not all of its parameters.
  [[nodiscard]] bool lacks_parameters() const;
  /// The words of the next beat by the sequence; none behind the last.
  [[nodiscard]] std::optional<Words> next_expected(size_t stream);
  void compare(std::string_view stream, const Words& actual, const std::optional<Words>& expected);
  [[nodiscard]] Handshake source_of(std::string_view name) const;

  spec::Datapath datapath_;
  TestSram sram_;
  Agu agu_;
  std::array<Handshake, kNumStreams> sources_;
  Handshake result_source_;
  Port wgt_read_, wgt_word_, act_read_, act_word_, prm_address_, prm_bytes_;
  RowPorts addend_ports_, result_ports_;
  std::array<Handshake, kNumStreams> handshakes_;
  Handshake command_handshake_, result_handshake_;
  std::vector<Descriptor> descriptors_;              // of activations
  std::deque<std::vector<Bytes>> descriptor_beats_;  // of those in the queue
  std::array<ReadQueue, kNumStreams> queues_;
  std::deque<Words> row_words_;  // of the next rows of results
  WriteQueue results_;

  // The command.
  spec::MacCommand command_;
  std::optional<sequence::WeightStream> weight_stream_;
  std::optional<sequence::ConvStream> conv_stream_;
  std::optional<sequence::WindowStream> window_stream_;
  std::optional<sequence::ParameterStream> parameter_stream_;
  std::optional<sequence::RowStream> addend_stream_, result_stream_;
  bool is_enabled_ = false, is_started_ = false, is_starting_ = false;
  std::deque<int64_t> channel_tiles_;  // of the beats of activations in the queue
  int64_t channel_tile_ = -1;          // that is accumulated; -1: none yet
  int64_t parameters_taken_ = 0;
  int64_t now_ = 0, taken_cycle_ = 0, last_cycle_ = 0;
  MemoryFindings findings_;
};

}  // namespace vernier::cosim
