// SPDX-License-Identifier: Apache-2.0
// npu_agu and an SRAM behind the streams of one unit: what ArrayMemory and VectorMemory have in common.
//
//   npu_agu --> a queue per stream --> banks and ports --> kSramReadLatencyCycles --> the unit's ports
//   results --> their addresses --> queue of rows --> banks and ports
//
// The generators say which words each beat needs, the SRAM serves them in the unit's order of service, and a beat stands at
// its port when all of them have come. One command at a time, from an idle unit on, prepared before it starts.
#pragma once

#include "sim/cosim/lockstep/scoreboard.hpp"
#include "sim/cosim/memory/agu.hpp"
#include "sim/cosim/memory/test_sram.hpp"
#include "sim/cosim/stream/stream_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::cosim {

/// See above. Its users call prepare() of a class derived from it, let the command run, and end_command().
class AguMemory : public StreamMemory {
 public:
  /// The command is over: what the generators still owe, or have too much, is a mismatch, and all is reset then.
  void end_command();
  /// Cycles from the command's handshake to the last one that the unit's memory says.
  [[nodiscard]] int64_t cycles() const { return last_cycle_ - taken_cycle_; }
  /// Whether all results are in memory.
  [[nodiscard]] bool is_written() const { return results_.is_empty(); }
  /// Beats that have been compared.
  [[nodiscard]] int64_t beats() const { return beats_; }
  [[nodiscard]] const LockStepResult& findings() const { return findings_; }
  /// The mismatches since the last time, each with the name of its command.
  [[nodiscard]] LockStepResult take_findings(const std::string& name);
  /// Throws the hang, and says first which address was wrong before it, where one was.
  [[noreturn]] void rethrow(const Hang& hang) const;

  [[nodiscard]] bool gives(size_t port) const override;
  [[nodiscard]] bool has_room() const override;
  [[nodiscard]] bool is_ideal() const override { return !sram_.has_limits(); }
  void offer(bool is_enabled) override;
  Seen see() override;
  void clocked() override;
  void was_reset() override;

 protected:
  using Words = std::vector<int64_t>;
  /// A stream as its ports on npu_agu and on the unit begin, and how many of its beats are on their way at most.
  struct Stream {
    std::string_view name;
    size_t most_beats;
  };

  /// `block` has the unit's ports and outlives this. `has_limits`: banks and ports of the machine. `agu`: another npu_agu
  /// than the program's, or none. `reads`: in the order of PortStalls' ports.
  AguMemory(ClockedBlock& block, const spec::Datapath& datapath, bool has_limits, std::unique_ptr<RtlBlock> agu,
            std::span<const Stream> reads, Stream results);
  /// The next command that the unit takes is this one. npu_agu gets it as long before as its issue takes.
  template <typename Command>
  void give(const Command& command) {
    stop();
    agu_.give(command);
    wait_for_issue();
  }

  /// The words of the beat of a stream, or of results, that npu_agu offers, after a comparison with the sequence's next one.
  virtual Words compared_words(size_t stream) = 0;
  virtual Words compared_result_words() = 0;
  /// Whether the sequence has beats that npu_agu has not offered.
  virtual bool has_beats_left() = 0;
  /// The unit has taken a beat of a stream.
  virtual void took(size_t /*stream*/) {}
  /// Serves words, in the order of service.
  virtual void serve() = 0;

  spec::Datapath datapath_;
  TestSram sram_;
  Agu agu_;
  std::vector<ReadQueue> queues_;  // of each stream that is read
  WriteQueue results_;
  bool is_enabled_ = false, is_started_ = false;
  int64_t now_ = 0, last_cycle_ = 0;
  /// One more mismatch of npu_agu, in a stream where `stream` is not empty.
  void report(std::string_view stream, std::string words, std::string expected = {}, std::string actual = {});
  LockStepResult findings_;
  int64_t beats_ = 0;

 private:
  /// A stream's valid and ready, on the unit or on npu_agu.
  struct Handshake {
    Port valid, ready;
    [[nodiscard]] bool is_taken() const { return valid.get() != 0 && ready.get() != 0; }
  };
  [[nodiscard]] Handshake source_of(const Stream& stream) const;
  void stop();
  void wait_for_issue();

  std::vector<Handshake> sources_, ports_;  // of each stream that is read: on npu_agu, on the unit
  Handshake result_source_, result_port_, command_port_;
  size_t most_results_;
  std::deque<Words> result_words_;  // of the next rows of results
  bool is_starting_ = false;
  int64_t taken_cycle_ = 0;
};

}  // namespace vernier::cosim
