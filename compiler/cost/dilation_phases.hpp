// SPDX-License-Identifier: Apache-2.0
// A dilated depthwise convolution as several undilated ones. Taps `dilation` apart span more positions than a window holds,
// so that it cannot slide: each output reads all its taps again. The outputs a dilation apart share their inputs: each such
// phase is a convolution of its own on every dilation-th row or column, whose windows slide.
#pragma once

#include "compiler/cost/alternatives.hpp"
#include "hw/config/machine_config.hpp"
#include "hw/spec/command.hpp"

#include <cstdint>
#include <vector>

namespace vernier::cost {

/// Every `row_step`-th output row from `first_row` on, and of these every `column_step`-th column from `first_column` on.
struct OutputPhase {
  spec::MacCommand command;
  int64_t first_row = 0, row_step = 1;
  int64_t first_column = 0, column_step = 1;
};

/// Rows or columns of a map that a command counts.
inline constexpr int64_t kMostPositions = (1 << 16) - 1;

/// The phase in parts, row by row, whose maps a command can count: itself where it can. A part has fewer outputs; one of a
/// single output may still read more positions than a command counts.
std::vector<OutputPhase> in_countable_parts(const OutputPhase& phase);

/// Makes the command of a phase write its rows and columns into the whole map (and read the addend there).
void take_outputs(OutputPhase& phase);

/// Input rows and columns that lie so far apart are neighbours in a phase; divisors of the dilations. 1: as they lie.
struct InputSteps {
  int64_t rows = 1, columns = 1;
  bool operator==(const InputSteps&) const = default;
};

/// Together they compute what `command` does, each output once, with the same weights and parameters. Where stride and
/// dilation share a factor that many fewer are needed: outputs at stride 2 see every other row already.
std::vector<OutputPhase> phases_of(const spec::MacCommand& command, const InputSteps& steps);

/// Estimate of phases that follow each other on the array, lane splits, slides and row tiles chosen.
int64_t cycles_in_turn(const std::vector<OutputPhase>& phases, const config::MachineConfig& config);

struct PhaseChoice {
  InputSteps steps;
  bool may_copy_inputs = true;  // of the phases (input_copy.hpp)
};

/// The steps with which a depthwise command takes the fewest cycles; the first of equals, the command as it is before all.
/// `most_copy_bytes`: of a copy of its input that a command may work on, 0: none. `told` gets what there was.
PhaseChoice choose_phases(const spec::MacCommand& command, const config::MachineConfig& config, int64_t most_copy_bytes,
                          Alternatives& told);

}  // namespace vernier::cost
