// SPDX-License-Identifier: Apache-2.0
// The datapath of a simulated machine whose commands run on RTL: values come from there, time stays that of hw/timing.
//
// A command gets the bytes that stand in SRAM when it starts, and runs from an idle array with ideal memories. Its rows and
// edges are compared with the kernels on those bytes and with timing::mac_edges(). What RTL wrote is committed, so that the
// network goes on with it; bytes that it owes keep what they were. Commands that follow each other on the array's queue
// without a token between them run once more, one after the other, and are compared again. The slices of a reduction are
// one command here: each runs when it comes, and RTL keeps the accumulators. Vector commands run where an RtlVectorUnit is
// given (use_vector_unit), and are the kernels' where none is.
#pragma once

#include "hw/package/package.hpp"
#include "sim/cosim/lockstep/array_lock_step.hpp"
#include "sim/cosim/memory/array_memory.hpp"
#include "sim/cosim/network/network_result.hpp"
#include "sim/cosim/network/rtl_vector_unit.hpp"
#include "sim/cosim/network/rtl_wave.hpp"
#include "sim/cosim/replay/replay.hpp"
#include "sim/units/datapath.hpp"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace vernier::cosim {

/// How far a run has come: model cycles of the commands that RTL runs, those that are done and all of the stream's.
struct RtlProgress {
  int64_t done_cycles = 0, all_cycles = 0;
  int64_t mismatches = 0;
};
using RtlProgressSink = std::function<void(const RtlProgress& so_far)>;

struct RtlDatapathOptions {
  RunOptions run{};       // seed, cycles, fault
  bool has_pairs = true;  // commands that nothing keeps apart run once more; without, and with a memory, each runs by itself
  /// Only these commands run on RTL and are counted; of a sliced reduction that means all slices up to the wanted one.
  std::optional<std::set<int32_t>> only{};
  /// The first command that runs on RTL begins in that cycle of the block: as in the run before.
  std::optional<int64_t> first_cycle{};
  RtlWave* wave = nullptr;               // each command of the array that it wants is drawn there; all else is in no wave
  RtlVectorUnit* vector_unit = nullptr;  // vector commands run there
  /// Streams of the array's commands come from npu_agu and an SRAM; slices of a reduction have ideal memories all the same.
  /// Those of vector commands are the vector unit's affair.
  ArrayMemory* memory = nullptr;
  RtlProgressSink progress{};
};

class RtlDatapath : public units::DatapathIf {
 public:
  /// `block` is an npu_datapath of the package's lanes; it, `result`, which is filled while a job runs, and what the options
  /// point to are the caller's. run_mac() throws Hang when the block stands still.
  RtlDatapath(ClockedBlock& block, const package::Package& package, NetworkResult& result, RtlDatapathOptions options = {});
  /// The first mismatch of all jobs with what shows it again, where the options want it.
  [[nodiscard]] const std::optional<FirstFault>& fault() const { return fault_; }
  /// `result` is that of the job that comes now.
  void count_anew();
  void reset() override;
  void run_mac(const spec::MacCommand& command, const units::CommandOperands& operands, kernels::WriteSet& writes) override;
  void run_vector(const spec::VectorCommand& command, const units::CommandOperands& operands,
                  kernels::WriteSet& writes) override;

 private:
  /// A command, or all slices of one reduction, with the operands that they had.
  struct Compared {
    std::vector<Work> works;
    std::vector<std::string> names;
    std::vector<bool> waits;  // for a token
    void clear() { *this = {}; }
  };

  [[nodiscard]] bool is_wanted(int32_t command_idx) const { return !options_.only || options_.only->contains(command_idx); }
  [[nodiscard]] std::string name_of(int32_t command_idx) const;
  [[nodiscard]] std::string without_rtl_of(const spec::MacCommand& command) const;
  void run_on_rtl(const spec::MacCommand& command, const units::CommandOperands& operands, NetworkGroup& group);
  LockStepResult run_with_memory(Sequence sequence);
  bool compare(Sequence sequence, NetworkGroup& group);
  void note(NetworkGroup& group, Mismatch mismatch);
  void count_different(int32_t command_idx, int64_t begin_cycle, NetworkGroup& group);
  bool run_again(NetworkGroup& group);
  void begin_image(std::span<const std::byte> sram);
  void commit_image(kernels::WriteSet& writes) const;
  void count(LockStepResult& found, NetworkGroup& group);
  void keep(std::optional<FirstFault> fault);
  void keep_array_fault();
  void show_progress(int64_t cycles);

  const package::Package& package_;
  spec::Datapath datapath_;
  ClockedBlock& block_;
  RtlDatapathOptions options_;
  ArrayLockStep lock_step_;
  NetworkResult& result_;
  std::vector<uint8_t> waits_;          // of each command, by command_idx
  kernels::Accumulators accumulators_;  // of the kernels
  kernels::WriteSet right_;             // what the kernels write
  std::vector<std::byte> image_;        // of what RTL writes, from image_base_ on
  int64_t image_base_ = 0;
  Compared before_, running_;  // the command before, if it ran on RTL, and the one that runs
  int64_t done_cycles_ = 0, all_cycles_ = 0;
  std::optional<FirstFault> fault_;
  int64_t reduction_cycle_ = 0;  // of the block: where the command that runs began, or the first slice of its reduction
};

}  // namespace vernier::cosim
