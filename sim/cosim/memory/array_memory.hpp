// SPDX-License-Identifier: Apache-2.0
// The streams of the array from npu_agu and an SRAM.
//
// Words are compared with hw/sequence as they are asked for. What a generator says of a beat of activations besides goes to
// the array's ports in the place of what the sequence says; bytes come from the sequence's, since words are equal.
#pragma once

#include "hw/sequence/conv_stream.hpp"
#include "hw/sequence/row_stream.hpp"
#include "hw/sequence/weight_stream.hpp"
#include "hw/sequence/window_stream.hpp"
#include "hw/spec/stream_buffers.hpp"
#include "sim/cosim/memory/agu_memory.hpp"

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace vernier::cosim {

/// cycles() ends with the last result in memory, or, where a command has no results, with its last handshake.
class ArrayMemory : public AguMemory {
 public:
  /// `block` has the ports of npu_mac_array; the other arguments are AguMemory's.
  ArrayMemory(ClockedBlock& block, const spec::Datapath& datapath, bool has_limits, std::unique_ptr<RtlBlock> agu = nullptr);
  /// The next command that the array takes is this one. npu_agu gets it kIssueCycles earlier.
  void prepare(const spec::MacCommand& command);
  void offer(bool is_enabled) override;
  void was_reset() override;

 private:
  /// A port of a generator whose beats go to a port of the array.
  struct Descriptor {
    Port from, to;
  };
  /// What a generator says of a row of addends or results.
  struct RowPorts {
    Port pixels, address, bytes;
  };
  using Bytes = std::vector<std::byte>;

  /// In the order of PortStalls' ports.
  static constexpr std::array<Stream, 4> kReads{{{"wgt", spec::kWeightBufferBeats},
                                                 {"act", spec::kActivationBufferBeats},
                                                 {"prm", spec::kParameterBufferBeats},
                                                 {"add", spec::kAddendBufferBeats}}};
  static constexpr Stream kResults{"out", spec::kResultBufferRows};

  Words compared_words(size_t stream) override;
  Words compared_result_words() override;
  bool has_beats_left() override;
  void took(size_t stream) override;
  void serve() override;
  [[nodiscard]] Words words_at(size_t stream) const;
  [[nodiscard]] static Words words_of(const Port& read, const Port& word);
  [[nodiscard]] Words words_of_row(const RowPorts& ports) const;
  /// Whether the channel tile that is accumulated has not all of its parameters.
  [[nodiscard]] bool lacks_parameters() const;
  /// The words of the next beat by the sequence; none behind the last.
  [[nodiscard]] std::optional<Words> next_expected(size_t stream);
  void compare(std::string_view stream, const Words& actual, const std::optional<Words>& expected);

  Port wgt_read_, wgt_word_, act_read_, act_word_, prm_address_, prm_bytes_;
  RowPorts addend_ports_, result_ports_;
  std::vector<Descriptor> descriptors_;              // of activations
  std::deque<std::vector<Bytes>> descriptor_beats_;  // of those in the queue

  // The command.
  spec::MacCommand command_;
  std::optional<sequence::WeightStream> weight_stream_;
  std::optional<sequence::ConvStream> conv_stream_;
  std::optional<sequence::WindowStream> window_stream_;
  std::optional<sequence::ParameterStream> parameter_stream_;
  std::optional<sequence::RowStream> addend_stream_, result_stream_;
  std::deque<int64_t> channel_tiles_;  // of the beats of activations in the queue
  int64_t channel_tile_ = -1;          // that is accumulated; -1: none yet
  int64_t parameters_taken_ = 0;
};

}  // namespace vernier::cosim
