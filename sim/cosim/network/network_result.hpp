// SPDX-License-Identifier: Apache-2.0
// What became of a network whose commands ran on RTL: counts, mismatches by mapping and mode, and the report.
#pragma once

#include "sim/cosim/lockstep/lock_step.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::cosim {

/// Commands of one mapping and mode, all of them compared or all without RTL.
struct NetworkGroup {
  std::string name;         // "conv, int8 x int8, tiles, rescaled"
  std::string without_rtl;  // why it was not compared; empty when it was
  int64_t commands = 0, macs = 0;
  int64_t commands_different = 0;  // compared, with a mismatch of value or edge, alone or in a pair
  int64_t vectors = 0, mismatches = 0, cycle_mismatches = 0;
  std::optional<Mismatch> first_mismatch{};
};

/// Edges of a command alone, with memories that never keep it waiting: of the array from its handshake to its last result,
/// of the vector unit until another command could follow.
struct CommandCycles {
  int32_t command_idx = -1;
  std::string_view unit;  // "mac_array", "vector_unit"
  int64_t cycles = 0;
};

struct NetworkResult {
  std::vector<NetworkGroup> groups;  // in the order in which the network's commands come to them
  std::vector<Mismatch> first_mismatches;
  int64_t commands = 0;  // that the stream has, END not counted
  int64_t mac_commands = 0, mac_commands_compared = 0;
  int64_t macs = 0, macs_compared = 0;
  int64_t vector_commands_compared = 0;
  int64_t pairs = 0;  // of neighbours that ran one after the other
  int64_t model_cycles = 0, rtl_cycles = 0;
  int64_t memory_commands = 0;                         // whose streams came from npu_agu and an SRAM
  int64_t bins_hit = 0, bins_legal = 0;                // modes of commands of the array that have run
  int64_t vector_bins_hit = 0, vector_bins_legal = 0;  // modes of steps of the vector unit
  std::vector<CommandCycles> command_cycles;           // in the order in which they ran
  int32_t first_command_different = -1;                // the first one that ran with a mismatch
  std::optional<MismatchPlace> first_place;            // of its first mismatch
  int64_t first_different_cycle = 0;  // of the block, where it began, or the first slice of its reduction did
  /// The first mismatch in words; empty: there is none.
  [[nodiscard]] std::string first_text() const { return cosim::first_text(first_mismatches); }
  /// Share of the modes that have run; 0 where no command has RTL.
  [[nodiscard]] double coverage_percent() const;
  [[nodiscard]] int64_t commands_compared() const { return mac_commands_compared + vector_commands_compared; }

  [[nodiscard]] NetworkGroup& group(std::string_view name, std::string_view without_rtl);
  [[nodiscard]] bool is_nothing_compared() const { return commands_compared() == 0; }
  [[nodiscard]] int64_t commands_different() const { return sum(&NetworkGroup::commands_different); }
  [[nodiscard]] int64_t vectors() const { return sum(&NetworkGroup::vectors); }
  [[nodiscard]] int64_t mismatches() const { return sum(&NetworkGroup::mismatches); }
  [[nodiscard]] int64_t cycle_mismatches() const { return sum(&NetworkGroup::cycle_mismatches); }

 private:
  [[nodiscard]] int64_t sum(int64_t NetworkGroup::*member) const;
};

/// The outputs against the reference, after RTL gave the values of the commands that it has.
struct EndToEnd {
  int64_t elements_compared = 0, elements_different = 0;
  std::string first_difference;  // empty when there is none
};

struct NetworkReport {
  std::string model, config;
  int lanes = 0;
  uint64_t seed = 1;
  bool has_own_cycles = false;  // RTL from elsewhere: edges may differ
  NetworkResult result;
  EndToEnd end_to_end;
  std::string replay_file;  // of the first mismatch; empty: none
  std::string unused;       // "npu_rescale_unit of DIR not used": RTL from elsewhere that no command used; empty: none
  [[nodiscard]] bool is_equal() const {
    return result.mismatches() == 0 && (has_own_cycles || result.cycle_mismatches() == 0) &&
           end_to_end.elements_different == 0;
  }
  /// "match", "mismatch" of RTL or end to end, or "nothing compared": no difference, as no command ran in RTL.
  [[nodiscard]] std::string_view outcome() const;
};

/// For people, and "vernier-cosim/1".
std::string network_text(const NetworkReport& report);
std::string network_json(const NetworkReport& report, std::string_view tool_version);

}  // namespace vernier::cosim
