// SPDX-License-Identifier: Apache-2.0
// What a timeline tells of each command: its place in the network, its work as the disassembler prints it, the bytes that it
// moves, where its cycles went.
#pragma once

#include "hw/package/package.hpp"
#include "sim/soc/npu.hpp"
#include "sim/timeline/timeline_writer.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace vernier::timeline {

/// Commands are counted as in JobResult::commands; with control flow one of the package may have run several times.
class CommandFacts {
 public:
  /// `layer_names`: by layer, as slices are called.
  CommandFacts(const package::Package& package, const soc::JobResult& job, const std::vector<std::string>& layer_names);

  /// Which command of the package it is, as the disassembler and the report count them.
  [[nodiscard]] int64_t number(size_t command_idx) const { return numbers_[command_idx]; }
  [[nodiscard]] std::string name(size_t command_idx) const;
  /// Whose command it is and what it does: of any slice of it.
  [[nodiscard]] std::vector<Argument> identity(size_t command_idx) const;
  /// Of its main phase: identity, bytes, cycles, what it waited for before.
  [[nodiscard]] std::vector<Argument> main_phase(size_t command_idx) const;
  [[nodiscard]] std::vector<Argument> drain(size_t command_idx) const;
  /// Of the whole command: main phase and drain together.
  [[nodiscard]] std::vector<Argument> whole(size_t command_idx) const;
  /// The fetch of a command by the command processor, and what the command itself moves besides it.
  [[nodiscard]] timing::Phase fetch_phase(size_t command_idx) const;
  [[nodiscard]] timing::Traffic own_traffic(size_t command_idx) const;
  /// MACs of the command: those of its layer, divided among the layer's array commands by the products that each computes.
  [[nodiscard]] double macs(size_t command_idx) const { return in_package(command_idx).macs; }
  /// Phases that were never ended, because the machine stopped, end with the job.
  [[nodiscard]] int64_t end_of(const units::PhaseRecord& phase) const {
    return phase.end_cycle < 0 ? job_.cycles : phase.end_cycle;
  }

 private:
  /// Sums by bucket: busy, and by stall.
  struct Cycles {
    int64_t busy = 0;
    std::array<int64_t, timing::kNumStalls> stalls{};
  };
  void add_to(Cycles& cycles, const units::Shares& range) const;
  static void add_cycles(std::vector<Argument>& arguments, const Cycles& cycles);
  void add_waits(std::vector<Argument>& arguments, const units::Shares& range) const;
  /// All but the cycles.
  [[nodiscard]] std::vector<Argument> facts(size_t command_idx) const;
  void add_work(std::vector<Argument>& arguments, size_t command_idx) const;
  const package::Package& package_;
  const soc::JobResult& job_;
  const std::vector<std::string>& layer_names_;
  /// What of a command is the same in each of its runs.
  struct InPackage {
    std::string instruction;   // its first line; empty: it cannot be decoded
    int64_t length_bytes = 0;  // in the stream
    std::optional<spec::Command> command{};
    double macs = 0;
  };
  void add_macs();
  [[nodiscard]] const InPackage& in_package(size_t command_idx) const {
    return commands_[std::min(static_cast<size_t>(number(command_idx)), commands_.size() - 1)];
  }
  std::vector<InPackage> commands_;  // by command of the package; the last one is nothing, for those that nobody can decode
  std::vector<int64_t> numbers_;     // by command of the job
};

}  // namespace vernier::timeline
