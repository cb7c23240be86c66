// SPDX-License-Identifier: Apache-2.0
// An array that knows nothing of a command's loops or addresses: it multiplies, adds and stores what the beats of
// hw/sequence bring, with the arithmetic of hw/model.
#pragma once

#include "hw/sequence/conv_stream.hpp"
#include "hw/sequence/row_stream.hpp"
#include "hw/sequence/weight_stream.hpp"
#include "hw/sequence/window_stream.hpp"
#include "tests/unit/hw_sequence/cases.hpp"

#include <map>
#include <optional>
#include <vector>

namespace vernier::sequence {

class ArrayModel {
 public:
  explicit ArrayModel(const MacCase& mac);
  /// The bytes that the command leaves. `kept` are the accumulators between slices, [row][pixel][lane].
  kernels::tests::Image run(std::vector<int64_t>& kept);

 private:
  struct Parameters {
    int64_t bias = 0, multiplier = 0, shift = 0;
  };
  struct Cell {
    int64_t value = 0;
    bool is_written = false;
  };
  void take_parameters();
  void load_weights(const MacPlace& place);
  void take_row(const MacPlace& place, int64_t row);
  void take_windows(const MacPlace& place, int64_t row);
  void clear_operand(int64_t lanes);
  void multiply(const MacPlace& place, int64_t row);
  void drain(const MacPlace& place);
  [[nodiscard]] int64_t finish(int64_t accumulator, const Parameters& parameters, int64_t addend) const;
  [[nodiscard]] size_t lane_idx(int64_t pixel, int64_t lane) const;
  [[nodiscard]] int64_t byte_of(int64_t address, bool is_signed) const;

  const MacCase& mac_;
  const spec::MacCommand& m_;
  MacOrder order_;
  WeightStream weights_;
  std::optional<ConvStream> activations_;
  std::optional<WindowStream> windows_;
  std::map<int64_t, int64_t> window_;  // bytes that the windows hold, by address
  ParameterStream parameters_;
  RowStream addends_, results_;
  std::vector<Parameters> of_lane_;
  std::vector<std::vector<Cell>> tile_;  // [lane][element]
  std::vector<std::vector<std::vector<Cell>>>
      operand_;  // [byte][pixel, of windows pixel x T + lane][element]; not written: masked
  std::vector<std::vector<int64_t>> accumulators_;  // [row][lane_idx]
  kernels::tests::Image image_;
};

}  // namespace vernier::sequence
