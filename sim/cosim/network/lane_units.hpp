// SPDX-License-Identifier: Apache-2.0
// The rescale and the table steps of vector commands on npu_rescale_unit and npu_table_unit: N lanes at a time, a vector
// in each cycle, results compared with the kernels' and in their edges.
//
// The vector unit itself runs by itself (rtl_vector_unit): here its steps are handed to the units one after the other, each
// to an idle pipe. What a unit gives, right or wrong, is what the command goes on with.
#pragma once

#include "sim/cosim/block/clocked_block.hpp"
#include "sim/cosim/replay/replay.hpp"
#include "sim/cosim/stream/pin_log.hpp"
#include "sim/cosim/stream/rescale_driver.hpp"
#include "sim/cosim/stream/table_driver.hpp"
#include "sim/kernels/kernels.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vernier::cosim {

class LaneUnits {
 public:
  /// What became of a step. A vector has at most one mismatch: of value, tag or edge.
  struct Outcome {
    int64_t vectors = 0;
    int64_t mismatches = 0, cycle_mismatches = 0;  // of these, those with a wrong edge
    std::optional<Mismatch> first_mismatch{};
  };

  /// Blocks npu_rescale_unit and npu_table_unit of so many lanes.
  LaneUnits(std::unique_ptr<RtlBlock> rescale, std::unique_ptr<RtlBlock> table, int lanes);

  /// Cycles from operands to results that the rescale unit and the table unit show. With `expects_them` results have to come
  /// with these from here on, instead of with those of hw/spec. Hang when a unit gives no result.
  std::pair<int64_t, int64_t> measure_latencies(bool expects_them);

  /// The first mismatch, with what shows it again; once.
  [[nodiscard]] std::optional<FirstFault> take_fault() { return std::exchange(fault_, std::nullopt); }
  /// The inputs of the first `cycles` cycles from here on are kept.
  void keep_inputs(int64_t cycles);
  /// The kept inputs of the rescale unit or of the table unit; none where it had no vector.
  [[nodiscard]] std::optional<LaneReplay> kept_inputs(std::string_view unit) const;

  /// Vectors that the rescale unit or the table unit has had.
  [[nodiscard]] uint64_t vectors_of(std::string_view unit) const {
    return (unit == "table" ? table_ : rescale_).num_vectors;
  }

  /// Runs a step and compares; its results become what the unit gave, as far as it gave any. Hang when it gives none for
  /// too long.
  Outcome run(const kernels::LaneStep& step, const kernels::TableMemory& tables);

 private:
  /// A unit and those of its ports that are no operands.
  struct Pipe {
    Pipe(std::unique_ptr<RtlBlock> rtl, std::string_view unit, int lanes);
    ClockedBlock block;
    Port valid_i, tag_i, valid_o, tag_o, result_o;
    uint64_t num_vectors = 0;  // so far; a vector's tag is the low bits of its number
    PinLog step;               // the inputs of the step that runs
    std::optional<PinLog> kept;
  };
  template <typename Drive, typename Explain>
  Outcome run_pipe(Pipe& pipe, const kernels::LaneStep& step, Drive drive, Explain explain);
  template <typename Explain>
  std::optional<Mismatch> take(Pipe& pipe, const kernels::LaneStep& step, int64_t vector, Explain explain) const;
  [[nodiscard]] RescaleLane lane_of(const kernels::LaneStep& step, int64_t entry) const;

  int64_t lanes_;
  Pipe rescale_, table_;
  RescalePins rescale_pins_;
  Port look_slot_, look_value_;
  kernels::TableMemory filled_{};  // what the table unit holds
  std::optional<FirstFault> fault_;
  bool has_fault_ = false;
  std::vector<RescaleLane> operands_;
};

}  // namespace vernier::cosim
