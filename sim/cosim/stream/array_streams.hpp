// SPDX-License-Identifier: Apache-2.0
// A command on its way through npu_mac_array: its beats on the pins, stream by stream in the order of hw/sequence, and the
// rows that have to come out, from sim/kernels.
#pragma once

#include "hw/sequence/conv_stream.hpp"
#include "hw/sequence/row_stream.hpp"
#include "hw/sequence/weight_stream.hpp"
#include "hw/timing/mac_edges.hpp"
#include "sim/cosim/block/clocked_block.hpp"
#include "sim/cosim/stimulus/array_vectors.hpp"
#include "sim/cosim/stream/window_traffic.hpp"

#include <optional>
#include <vector>

namespace vernier::cosim {

/// The input ports of the array's streams.
struct ArrayPins {
  explicit ArrayPins(const ClockedBlock& block);
  Port cmd;
  Port wgt_word_valid, wgt_row, wgt_data, wgt_mask, wgt_last;
  Port act_data, act_offset, act_length, act_to, act_mask, act_last;
  WindowPins windows;
  Port prm, add;
};

/// A row of results: values of the lanes that have a pixel and a channel.
struct ArrayRow {
  std::vector<int64_t> lanes;  // their numbers, ascending
  std::vector<int64_t> values;
  std::vector<int64_t> addresses;  // where they go
  int64_t row_tile_row = 0;
  bool is_last_of_tile = false, is_last = false;
  sequence::MacPlace place;
  int64_t row = 0;  // of the command
};

class ArrayTraffic {
 public:
  /// `accumulators` are kept from slice to slice.
  ArrayTraffic(Work command, const spec::Datapath& datapath, const kernels::TableMemory& tables,
               kernels::Accumulators& accumulators);
  ArrayTraffic(const ArrayTraffic&) = delete;
  ArrayTraffic& operator=(const ArrayTraffic&) = delete;

  [[nodiscard]] const spec::MacCommand& command() const { return array_.mac(); }
  [[nodiscard]] const Work& work() const { return array_; }
  void drive_command(ArrayPins& pins) const;
  /// Whether there is a beat, and that one on the pins; unused bits get anything. take_ goes on to the next one.
  [[nodiscard]] bool has_weights() const { return has_weights_; }
  void drive_weights(ArrayPins& pins, Random& random) const;
  void take_weights() { has_weights_ = weights_.next(weight_beat_); }
  [[nodiscard]] bool has_activations() const { return has_activations_; }
  void drive_activations(ArrayPins& pins, Random& random) const;
  void take_activations() { has_activations_ = windows_ ? windows_->next() : activations_->next(activation_beat_); }
  [[nodiscard]] bool has_parameters() const { return has_parameters_; }
  void drive_parameters(ArrayPins& pins, Random& random) const;
  void take_parameters() { has_parameters_ = parameters_.next(parameter_beat_); }
  [[nodiscard]] bool has_addends() const { return has_addends_; }
  void drive_addends(ArrayPins& pins, Random& random) const;
  void take_addends() { has_addends_ = addends_.next(addend_beat_); }
  /// The next row of results; false behind the last.
  bool next_row(ArrayRow& row);

  /// A result's taps, partial sums, parameters, the rescale unit's values in between, and its addend.
  [[nodiscard]] std::string explain(const ArrayRow& row, int64_t lane) const;
  /// The same from an accumulator on, of that channel: bias, the rescale unit's values.
  [[nodiscard]] std::string explain_epilogue(int64_t channel, int64_t accumulator) const;

  timing::CommandEdges edges;  // from the sequence's first command on
  int64_t first_row_idx = 0;   // of its rows in the sequence

 private:
  void drive_segments(ArrayPins& pins, Random& random) const;
  /// A weight of one byte, or the byte of one; of int4 the weight, which has a sign in any case.
  [[nodiscard]] int64_t weight_at(const sequence::WeightByte& byte, bool is_signed) const;
  /// Whether a word of weights is the lanes of an element, not the elements of a lane.
  [[nodiscard]] bool is_element_wise() const;
  /// Calls visit(place, byte, element, number of its byte, whether it is masked) for each byte of an operand.
  template <typename Visit>
  void for_each_operand(const ArrayRow& row, int64_t lane, Visit visit) const;
  [[nodiscard]] int64_t result_at(int64_t address) const;
  [[nodiscard]] std::string explain_residual(const sequence::MacRow& at, int64_t pixel, int64_t channel) const;
  /// The lane of an element of a row of results or addends.
  [[nodiscard]] int64_t lane_of(const sequence::RowElement& element) const {
    return element.pixel * order_.tile_channels + element.lane;
  }
  Work array_;
  spec::Datapath datapath_;
  sequence::MacOrder order_;
  sequence::WeightStream weights_;
  std::optional<sequence::ConvStream> activations_;  // of a convolution
  std::optional<WindowTraffic> windows_;             // of a depthwise command
  sequence::ParameterStream parameters_;
  sequence::RowStream addends_, results_;
  sequence::WeightBeat weight_beat_;
  sequence::ActivationBeat activation_beat_;
  sequence::ParameterBeat parameter_beat_;
  sequence::RowBeat addend_beat_;
  bool has_weights_ = false, has_activations_ = false, has_parameters_ = false, has_addends_ = false;
  int64_t image_base_ = 0;
  std::vector<std::byte> image_;  // what the command writes
  std::vector<int64_t> kept_;     // what it leaves in its accumulators, for explain()
};

}  // namespace vernier::cosim
