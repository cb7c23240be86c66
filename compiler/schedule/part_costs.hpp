// SPDX-License-Identifier: Apache-2.0
// What the parts of a step need of SRAM and take on the units. Tilings are nests of the same few cuts, tried for every
// plan, budget and choice of what stays in SRAM; a part is measured once for all of them.
#pragma once

#include "compiler/passes/program.hpp"
#include "compiler/schedule/axes.hpp"
#include "compiler/schedule/known_times.hpp"
#include "compiler/schedule/operand_set.hpp"
#include "hw/config/machine_config.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace vernier::schedule {

struct Cut {
  Axis axis = kRows;
  int64_t size = 1;  // of a part
  auto operator<=>(const Cut&) const = default;
};

/// Which of a reduction's slices.
enum class Slice : uint8_t { Middle, Last };
/// The largest part inside of some cuts.
passes::Step largest_part(const passes::Step& step, std::span<const Cut> cuts, const spec::Datapath& datapath,
                          Slice slice = Slice::Middle);

/// Copies in SRAM start on a word of the first bank.
int64_t stage_align_bytes(const spec::Datapath& datapath);

class PartCosts {
 public:
  struct CopyCycles {
    int64_t load = 0, store = 0;
  };
  /// What is known of the largest part inside of some cuts.
  struct Part {
    std::vector<Cut> cuts;                    // outermost first, each into more than one part
    std::array<int64_t, kNumAxes> extents{};  // by axis
    std::vector<int64_t> bytes;               // by operand, of its copy in SRAM
    std::vector<CopyCycles> copy_cycles;      // by operand; empty until somebody asks
    int64_t compute_cycles = -1;              // -1 until somebody asks
    std::map<Cut, std::unique_ptr<Part>> inner;
    [[nodiscard]] int64_t extent(Axis axis) const { return extents[static_cast<size_t>(axis)]; }
  };

  /// `may_be_copied`: those that are not cost nothing here. All else is kept by reference.
  PartCosts(const passes::Step& step, const config::MachineConfig& config, KnownTimes& times, OperandSet may_be_copied);

  [[nodiscard]] const passes::Step& step() const { return step_; }
  [[nodiscard]] const config::MachineConfig& config() const { return config_; }
  [[nodiscard]] OperandSet may_be_copied() const { return may_be_copied_; }

  /// A nest of cuts: the step, then what is left of it inside each. Cuts into one part are left out. Valid until the next
  /// call.
  const std::vector<Part*>& nest(std::span<const Cut> cuts);
  /// Of the commands that copy an operand of the part to SRAM, or back.
  CopyCycles copy_cycles(Part& part, size_t operand);
  /// Of the part's command on its unit, with what it costs beside that.
  int64_t compute_cycles(Part& part);

 private:
  void measure(Part& part) const;
  template <typename Visit>
  void for_each_copy(const passes::Step& part, const Visit& visit) const;
  [[nodiscard]] passes::Step step_of(const Part& part, Slice slice) const;

  const passes::Step& step_;
  const config::MachineConfig& config_;
  KnownTimes& times_;
  OperandSet may_be_copied_;
  passes::Step bare_;    // the step without what measuring its parts can do without
  int64_t divisor_;      // of the strides of copies
  Slice largest_slice_;  // the one whose copies need most
  Part whole_;
  std::vector<Part*> nest_;  // the last one asked for
};

}  // namespace vernier::schedule
