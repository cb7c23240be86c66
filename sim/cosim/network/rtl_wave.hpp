// SPDX-License-Identifier: Apache-2.0
// The wave of an RTL block that runs the commands of a simulated machine, on the machine's time: the edge that takes a
// command is the beginning of the cycle in which the machine starts it, and edge follows edge from there. What the machine
// adds behind the last one, for ports, banks and neighbours, is not in the RTL: nothing of it moves there, its clock stands
// still. Beside ports stands what their bits mean (port_signals.hpp).
//
// On the machine a command's last results leave while the next one begins, and here each runs from an idle block: a command
// is drawn in the first of the scopes rtl0, rtl1, ... that is free, as the machine has two banks of accumulators. Those of
// the vector unit, a block of its own with a wave of its own, are vector_rtl0, ...
#pragma once

#include "sim/cosim/block/clocked_block.hpp"
#include "sim/cosim/block/port_signals.hpp"
#include "sim/cosim/block/rtl_block.hpp"
#include "sim/units/command_record.hpp"
#include "sim/waves/machine_wave.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::cosim {

/// Where the drawing of a command ends that began in the block's cycle `begin_cycle` and stands still in `cycle`: some time
/// after its last handshake.
int64_t drawn_end(const Hang& hang, int64_t begin_cycle, int64_t cycle);

class RtlWave : public WaveSink {
 public:
  static constexpr size_t kMostBytes = size_t{1} << 30;
  /// Draws these commands of the block, in scopes of this name and a number; keeps at most so many bytes of the block's VCD.
  RtlWave(const spec::RtlBlock& block, std::set<int32_t> commands, std::string scope = "rtl", size_t most_bytes = kMostBytes)
      : block_(&block), wanted_(std::move(commands)), scope_(std::move(scope)), most_bytes_(most_bytes) {}
  [[nodiscard]] bool wants(int32_t command_idx) const { return is_on_ && wanted_.contains(command_idx); }
  /// Whether commands that run from here on are drawn: at first they are. Of several jobs there is a wave of one.
  void turn(bool is_on) { is_on_ = is_on; }
  /// The command was taken at the edge of the block's cycle `begin`, and `end` is the first cycle behind its last edge.
  void ran(int32_t command_idx, int64_t begin_cycle, int64_t end_cycle) {
    runs_.push_back({command_idx, begin_cycle, end_cycle});
  }
  /// Whether there was more of it than is kept: it cannot be drawn.
  [[nodiscard]] bool is_cut() const { return is_cut_; }
  /// The cycle of the wave in which that of the block is drawn; none where it is not.
  [[nodiscard]] std::optional<int64_t> machine_cycle_of(int64_t cycle,
                                                        const std::vector<units::CommandRecord>& commands) const;
  /// The block's VCD, its cycles kWaveCyclePs long.
  void write(std::span<const char> text) noexcept override;

  /// Adds the block's variables and what they did to the machine's. `commands` are those of the job. A command in which the
  /// RTL stood still has no end, and the wave reaches as far as the RTL was drawn. Not of one that is cut.
  void add_to(waves::Wave& wave, const std::vector<units::CommandRecord>& commands, const waves::CommandNames& names) const;

 private:
  struct Run {
    int32_t command_idx = 0;
    int64_t begin_cycle = 0, end_cycle = 0;
  };
  const spec::RtlBlock* block_;
  std::set<int32_t> wanted_;
  std::string scope_;
  size_t most_bytes_;
  bool is_on_ = true;
  std::vector<Run> runs_;
  std::string text_;
  bool is_cut_ = false;
};

}  // namespace vernier::cosim
