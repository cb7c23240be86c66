// SPDX-License-Identifier: Apache-2.0
// npu_datapath in C++, for tests of the harness: convolutions int8 x int8 without residual, at the ideal
// pace. It takes every beat at once and keeps its results until the edge at which the array would give them.
#pragma once

#include "hw/spec/command.hpp"
#include "tests/cosim/model_block.hpp"

namespace vernier::cosim {

/// Flaws that it can have: None, Zeros, Late, NoResult, NotReady (for commands), and some of its own. WaitsForReady: no
/// valid without ready; FollowsReady: a mark of a row does; NoHold: a row is there for a cycle; SurvivesReset: rows come all
/// the same; KeepsBank: banks go on after a reset; ResetsByClock: a
/// reset waits for an edge; WrongState: cycles without weights are called busy; TakesGarbage: parameters are what stands on
/// their pins in the cycle after their beat.
enum class ArrayFlaw {
  None,
  Zeros,
  Late,
  NoResult,
  NotReady,
  WrongMask,
  ExtraRow,
  WaitsForReady,
  FollowsReady,
  NoHold,
  SurvivesReset,
  KeepsBank,
  ResetsByClock,
  WrongState,
  TakesGarbage
};

/// Whether it goes through the command at the pace of the RTL. Addresses are not on cmd_i, and its schedule is made when it
/// takes the command: beats of weights or activations that their addresses cut into more are not in it.
bool array_model_has_pace_of(const spec::MacCommand& command, int lanes);

std::unique_ptr<RtlBlock> make_array_model(int lanes, ArrayFlaw flaw);

}  // namespace vernier::cosim
