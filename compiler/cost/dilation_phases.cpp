// SPDX-License-Identifier: Apache-2.0
#include "compiler/cost/dilation_phases.hpp"

#include "compiler/cost/input_copy.hpp"
#include "compiler/cost/mac_choice.hpp"
#include "compiler/cost/mac_cut.hpp"
#include "compiler/cost/operands_apart.hpp"
#include "hw/base/division.hpp"
#include "hw/timing/unit_timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>

namespace vernier::cost {
namespace {

/// More commands than that are not worth their fills and their place in the stream.
constexpr int64_t kMostPhases = 64;

/// What a command takes longer behind another one than its calendar says, as measured: the drain before it and its own
/// epilogues share the rescale lanes.
constexpr int64_t kSharedDrainCycles = 16;

/// What copies of the phases' inputs may take of the cycles without them.
constexpr int64_t kCopiedOf = 3, kCopiedParts = 4;

/// One axis of a command, rows or columns.
struct Axis {
  int64_t stride, dilation, origin, inputs, outputs;

  [[nodiscard]] int64_t num_phases(int64_t step) const { return step / std::gcd(step, stride); }
  /// No phase is without outputs or without a position of the map.
  [[nodiscard]] bool takes(int64_t step) const {
    return step <= inputs && num_phases(step) <= std::min(outputs, kMostPhases);
  }
  /// Positions of the map from its first one to the last that a tap reads; one at least.
  [[nodiscard]] int64_t positions_read(int64_t kernel) const {
    return std::max<int64_t>(1, origin + (outputs - 1) * stride + (kernel - 1) * dilation + 1);
  }
  /// The most outputs of a part whose positions, read and written, a command can count; one at least.
  [[nodiscard]] int64_t countable_outputs(int64_t kernel) const {
    if (inputs <= kMostPositions && outputs <= kMostPositions) return outputs;
    const int64_t span = (kernel - 1) * dilation + 1;
    return std::clamp<int64_t>((kMostPositions - span) / stride + 1, 1, kMostPositions);
  }
  /// 1, what stride and dilation share (one phase has all of it), the dilation.
  [[nodiscard]] std::vector<int64_t> steps() const {
    std::vector<int64_t> found{1};
    for (const int64_t step : {std::gcd(stride, dilation), dilation}) {
      if (step != found.back() && takes(step)) found.push_back(step);
    }
    return found;
  }
};

Axis rows_of(const spec::MacCommand& c) { return {c.stride_rows, c.dilation_rows, c.origin_row, c.in_rows, c.out_rows}; }
Axis columns_of(const spec::MacCommand& c) {
  return {c.stride_columns, c.dilation_columns, c.origin_column, c.in_columns, c.out_columns};
}

/// The axis of a phase, and how its maps differ from the command's.
struct AxisPart {
  Axis axis;
  int64_t first_in, in_step, first_out, out_step;
};

AxisPart part_of(const Axis& whole, int64_t step, int64_t phase) {
  const int64_t num_phases = whole.num_phases(step);
  const int64_t origin = whole.origin + phase * whole.stride;
  const int64_t first_in = base::floor_mod(origin, step);
  return {{whole.stride * num_phases / step, whole.dilation / step, base::floor_div(origin, step),
           base::ceil_div(whole.inputs - first_in, step), base::ceil_div(whole.outputs - phase, num_phases)},
          first_in,
          step,
          phase,
          num_phases};
}

void take(spec::FeatureMap& map, int64_t first_row, int64_t row_step, int64_t first_column, int64_t column_step) {
  map.base += first_row * map.row_pitch_bytes + first_column * map.pixel_pitch_bytes;
  map.row_pitch_bytes *= row_step;
  map.pixel_pitch_bytes *= column_step;
}

OutputPhase phase_of(const spec::MacCommand& command, const AxisPart& row, const AxisPart& column) {
  OutputPhase phase{command, row.first_out, row.out_step, column.first_out, column.out_step};
  spec::MacCommand& c = phase.command;
  c.stride_rows = row.axis.stride;
  c.dilation_rows = row.axis.dilation;
  c.origin_row = row.axis.origin;
  c.in_rows = row.axis.inputs;
  c.out_rows = row.axis.outputs;
  c.stride_columns = column.axis.stride;
  c.dilation_columns = column.axis.dilation;
  c.origin_column = column.axis.origin;
  c.in_columns = column.axis.inputs;
  c.out_columns = column.axis.outputs;
  take(c.input, row.first_in, row.in_step, column.first_in, column.in_step);
  take_outputs(phase);
  return phase;
}

/// The command with lane split, slide and row tile as they will be chosen.
timing::Profile profile_of(const spec::MacCommand& command, const config::MachineConfig& config) {
  const spec::MacCommand split = with_best_lane_split(command, config);
  const spec::MacCommand chosen = with_best_row_tile(with_best_slide(split, config), config);
  return timing::profile(operands_apart(chosen, config.datapath), config);
}

/// cycles_in_turn() where each works on a copy of its input, as the first one does; none where that would not do.
std::optional<int64_t> cycles_on_copies(const std::vector<OutputPhase>& phases, const config::MachineConfig& config,
                                        int64_t most_copy_bytes) {
  if (most_copy_bytes == 0) return std::nullopt;
  const spec::MacCommand first = with_best_lane_split(phases[0].command, config);
  const auto copy = choose_input_copy(first, config, most_copy_bytes);
  if (!copy) return std::nullopt;
  // Copies of small phases wait for each other more than the estimate knows.
  if (phases.size() > 1 && kCopiedParts * copy->cycles > kCopiedOf * copy->cycles_without) return std::nullopt;
  return copy->cycles * static_cast<int64_t>(phases.size());
}

std::string name_of(const spec::MacCommand& command, const InputSteps& steps, size_t num_commands) {
  if (steps == InputSteps{}) {
    return fmt::format("one command, dilation {}, {}", command.dilation_rows, command.dilation_columns);
  }
  return fmt::format("{} of every {}, {} rows, columns", num_commands, steps.rows, steps.columns);
}

}  // namespace

void take_outputs(OutputPhase& phase) {
  spec::MacCommand& c = phase.command;
  take(c.output, phase.first_row, phase.row_step, phase.first_column, phase.column_step);
  if (c.residual) take(c.addend, phase.first_row, phase.row_step, phase.first_column, phase.column_step);
}

std::vector<OutputPhase> phases_of(const spec::MacCommand& command, const InputSteps& steps) {
  const Axis rows = rows_of(command), columns = columns_of(command);
  std::vector<OutputPhase> phases;
  for (int64_t y = 0; y < rows.num_phases(steps.rows); ++y) {
    const AxisPart row = part_of(rows, steps.rows, y);
    for (int64_t x = 0; x < columns.num_phases(steps.columns); ++x) {
      phases.push_back(phase_of(command, row, part_of(columns, steps.columns, x)));
    }
  }
  return phases;
}

std::vector<OutputPhase> in_countable_parts(const OutputPhase& phase) {
  const Axis rows = rows_of(phase.command), columns = columns_of(phase.command);
  const int64_t kernel_rows = phase.command.kernel_rows, kernel_columns = phase.command.kernel_columns;
  const int64_t most_rows = rows.countable_outputs(kernel_rows), most_columns = columns.countable_outputs(kernel_columns);
  if (most_rows >= rows.outputs && most_columns >= columns.outputs) return {phase};
  std::vector<OutputPhase> parts;
  for (int64_t y = 0; y < rows.outputs; y += most_rows) {
    for (int64_t x = 0; x < columns.outputs; x += most_columns) {
      OutputPhase part = phase;
      spec::MacCommand& c = part.command;
      cut_rows(c, y, std::min(most_rows, rows.outputs - y));
      cut_columns(c, x, std::min(most_columns, columns.outputs - x));
      c.in_rows = std::min(c.in_rows, rows_of(c).positions_read(kernel_rows));
      c.in_columns = std::min(c.in_columns, columns_of(c).positions_read(kernel_columns));
      part.first_row += y * phase.row_step;
      part.first_column += x * phase.column_step;
      parts.push_back(part);
    }
  }
  return parts;
}

int64_t cycles_in_turn(const std::vector<OutputPhase>& phases, const config::MachineConfig& config) {
  timing::UnitTiming array;
  int64_t end = 0;
  for (const OutputPhase& phase : phases) {
    const int64_t shared = end > 0 ? kSharedDrainCycles : 0;
    end = array.reserve(profile_of(phase.command, config), array.earliest_start(0) + shared);
  }
  return end;
}

PhaseChoice choose_phases(const spec::MacCommand& command, const config::MachineConfig& config, int64_t most_copy_bytes,
                          Alternatives& told) {
  const Axis rows = rows_of(command), columns = columns_of(command);
  std::vector<PhaseChoice> ways;
  for (const int64_t row : rows.steps()) {
    for (const int64_t column : columns.steps()) {
      if (rows.num_phases(row) * columns.num_phases(column) <= kMostPhases) ways.push_back({{row, column}});
    }
  }
  if (ways.size() == 1) return ways[0];
  for (PhaseChoice& way : ways) {
    const std::vector<OutputPhase> phases = phases_of(command, way.steps);
    const int64_t as_they_lie = cycles_in_turn(phases, config);
    const std::optional<int64_t> on_copies = cycles_on_copies(phases, config, most_copy_bytes);
    way.may_copy_inputs = phases.size() == 1 || (on_copies && *on_copies < as_they_lie);
    told.add(name_of(command, way.steps, phases.size()), std::min(as_they_lie, on_copies.value_or(as_they_lie)));
  }
  told.choose_cheapest();
  return ways[told.chosen];
}

}  // namespace vernier::cost
