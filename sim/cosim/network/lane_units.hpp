// SPDX-License-Identifier: Apache-2.0
// The rescale and the table steps of vector commands on npu_rescale_unit and npu_table_unit: N lanes at a time, a vector
// in each cycle, results compared with the kernels' and in their edges.
//
// The vector unit itself runs by itself (rtl_vector_unit): here its steps are handed to the units one after the other, each
// to an idle pipe. What a unit gives, right or wrong, is what the command goes on with.
#pragma once

#include "sim/cosim/lockstep/bench.hpp"
#include "sim/cosim/replay/replay.hpp"
#include "sim/cosim/stream/rescale_driver.hpp"
#include "sim/cosim/stream/table_driver.hpp"
#include "sim/kernels/kernels.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vernier::cosim {

/// What LaneUnits are told before they run anything.
struct LaneUnitsOptions {
  bool are_measured = false;  // latencies() are those that the units show
  bool is_strict = true;      // results have to come with the latencies of hw/spec, not with those of latencies()
  int64_t kept_cycles = 0;    // the first cycles whose inputs are kept
};

class LaneUnits {
 public:
  /// Blocks npu_rescale_unit and npu_table_unit of so many lanes. Hang when one that is measured gives no result.
  LaneUnits(std::unique_ptr<RtlBlock> rescale, std::unique_ptr<RtlBlock> table, int lanes,
            const LaneUnitsOptions& options = {});

  /// Cycles from operands to results, of the rescale unit and the table unit.
  [[nodiscard]] std::pair<int64_t, int64_t> latencies() const { return {rescale_.latency_cycles, table_.latency_cycles}; }
  /// The first mismatch, with what shows it again; once.
  [[nodiscard]] std::optional<FirstFault> take_fault() { return std::exchange(fault_, std::nullopt); }
  /// The kept inputs of the rescale unit or of the table unit; none where it had no vector.
  [[nodiscard]] std::optional<LaneReplay> kept_inputs(std::string_view unit) const;
  /// Vectors that the rescale unit or the table unit has had.
  [[nodiscard]] uint64_t vectors_of(std::string_view unit) const { return pipe_of(unit).num_vectors; }

  /// Runs a step and compares; its results become what the unit gave, as far as it gave any. A vector has at most one
  /// mismatch: of value, tag or edge; the first one is kept. Hang when the unit gives none for too long.
  LockStepResult run(const kernels::LaneStep& step, const kernels::TableMemory& tables);

 private:
  /// A unit with its bench, and the step that runs on it.
  struct Pipe : Participant {
    Pipe(std::unique_ptr<RtlBlock> rtl, std::string_view unit, int lanes, const LaneUnitsOptions& options);
    void offer(bool is_enabled) override;
    Seen see() override;
    void clocked() override;
    [[nodiscard]] std::optional<Mismatch> take() const;

    ClockedBlock block;
    Scoreboard board;
    Bench bench;
    std::string group;  // of its ports
    Port valid_i, tag_i, valid_o, tag_o, result_o;
    int64_t latency_cycles;
    uint64_t num_vectors = 0;  // so far; a vector's tag is the low bits of its number
    PinLog log;                // the inputs of the step that runs
    std::optional<PinLog> kept;

    std::span<int32_t> results;                 // of the step: right ones, and then what the unit gave
    std::function<void(int64_t vector)> drive;  // its operands on the pins
    std::function<std::string(int64_t entry)> explain;
    int64_t step_vectors = 0, edge = 0, taken = 0;
  };
  LockStepResult run_step(Pipe& pipe, std::span<int32_t> results) const;
  [[nodiscard]] const Pipe& pipe_of(std::string_view unit) const { return unit == "table" ? table_ : rescale_; }
  void keep_fault(Pipe& pipe, const Mismatch& mismatch);
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
