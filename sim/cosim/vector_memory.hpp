// SPDX-License-Identifier: Apache-2.0
// The streams of the vector unit from npu_agu and an SRAM, as ArrayMemory has those of the array: addresses of each
// beat compared with hw/sequence, words served by banks and ports. The two beats of an int48 element are words once.
#pragma once

#include "hw/sequence/vector_beats.hpp"
#include "sim/cosim/agu.hpp"
#include "sim/cosim/stream_memory.hpp"
#include "sim/cosim/test_sram.hpp"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::cosim {

class VectorMemory : public StreamMemory {
 public:
  /// `block` has the ports of npu_vector_unit and outlives this. `has_limits`: banks and ports of the machine. `agu`:
  /// another npu_agu than the program's.
  VectorMemory(ClockedBlock& block, const spec::Datapath& datapath, bool has_limits,
               std::unique_ptr<RtlBlock> agu = nullptr);
  /// The next command that the unit takes is this one. npu_agu gets it kIssueCycles earlier.
  void prepare(const spec::VectorCommand& command);
  /// The command is over: what the generator still owes, or has too much, is a mismatch, and all is reset then.
  void end_command();
  /// Cycles from the command's handshake to that in which another one could follow, or its last store is in memory.
  [[nodiscard]] int64_t cycles() const { return last_cycle_ - taken_cycle_; }
  [[nodiscard]] bool is_written() const { return stores_.is_empty(); }
  [[nodiscard]] const MemoryFindings& findings() const { return findings_; }
  /// The mismatches since the last time, each begins with `name`.
  [[nodiscard]] LockStepResult take_findings(const std::string& name) { return findings_.take(name); }

  [[nodiscard]] bool gives(size_t port) const override;
  [[nodiscard]] bool has_room() const override;
  [[nodiscard]] bool is_ideal() const override { return !sram_.has_limits(); }
  void drive(bool is_enabled) override;
  void see() override;
  void finish() override;
  void was_reset() override;

 private:
  using Words = std::vector<int64_t>;
  /// What the generator says of a beat, and what takes the beats of the block.
  struct Stream {
    Port valid, ready;  // of the generator
    Port step, part, address, stride, count, second_address, second_count;
    Port block_valid, block_ready;
    std::string_view name;
    [[nodiscard]] bool is_asked() const { return valid.get() != 0 && ready.get() != 0; }
    [[nodiscard]] bool is_taken() const { return block_valid.get() != 0 && block_ready.get() != 0; }
  };
  [[nodiscard]] Stream stream_of(std::string_view name, ClockedBlock& block, bool is_load) const;
  [[nodiscard]] static sequence::VectorBeat beat_at(const Stream& stream);
  [[nodiscard]] Words words_of(const sequence::VectorBeat& beat, bool is_load) const;
  void compare(const Stream& stream, const sequence::VectorBeat& actual, sequence::VectorBeats& beats);

  spec::Datapath datapath_;
  TestSram sram_;
  Agu generator_;
  Stream load_, store_;
  Port cmd_valid_, cmd_ready_;
  ReadQueue loads_;
  std::deque<Words> store_words_;  // of the next beats of stores
  WriteQueue stores_;

  // The command.
  spec::VectorCommand command_;
  std::optional<sequence::VectorBeats> load_beats_, store_beats_;
  bool is_enabled_ = false, is_started_ = false, is_starting_ = false, is_over_ = false;
  int64_t now_ = 0, taken_cycle_ = 0, last_cycle_ = 0;
  MemoryFindings findings_;
};

}  // namespace vernier::cosim
