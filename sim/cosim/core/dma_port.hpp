// SPDX-License-Identifier: Apache-2.0
// The outer port of npu_core_sram and its port for tables, as the DMA uses them: words that are written and words that are
// read, which the channels at work share. A word that is not served asks again; those after it need not wait for it.
#pragma once

#include "hw/spec/core_sram_ports.hpp"
#include "hw/spec/machine.hpp"
#include "sim/cosim/block/clocked_block.hpp"
#include "sim/cosim/core/core_job.hpp"
#include "sim/cosim/stream/table_driver.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace vernier::cosim {

class DmaPort {
 public:
  DmaPort(const ClockedBlock& block, const spec::Datapath& datapath);
  /// The channel begins with a job, which outlives it. Precondition: it has none.
  void begin(size_t channel, const DmaJob& job, int64_t now);
  [[nodiscard]] bool is_at_work(size_t channel) const { return work_[channel].has_value(); }
  /// Before the outputs of cycle `now` settle: words that the jobs ask for.
  void drive(int64_t now);
  /// After they have settled: what was served. Whether anything was.
  bool see();
  /// What a channel has read, once its job is done and has taken its cycles; the channel is free then.
  std::optional<std::vector<std::byte>> take_done(size_t channel, int64_t now);
  /// Nothing is asked for any more, also where a run ended early.
  void stop();

 private:
  /// A part of a run that lies in one word.
  struct Piece {
    size_t run = 0;
    int64_t byte = 0, num_bytes = 0;  // of the run
    int64_t at = 0;                   // place among the bytes of all runs
  };
  /// Runs of bytes on their way.
  struct Cursor {
    const std::vector<DmaJob::Run>* runs = nullptr;
    size_t run = 0;
    int64_t byte = 0;             // of the run, that comes next
    int64_t begun_bytes = 0;      // of all runs, those before that one
    int64_t num_bytes = 0;        // of all runs
    std::vector<Piece> asking{};  // words that are not served yet
    [[nodiscard]] bool is_done() const { return run == runs->size() && asking.empty(); }
  };
  struct Work {
    const DmaJob* job;
    int64_t start_cycle;
    std::array<Cursor, 2> cursors;  // writes, reads
    int64_t table_word = 0;         // that comes next
    std::vector<std::byte> read_bytes{};
    [[nodiscard]] bool has_table_left(int64_t lanes) const;
  };
  /// A word of the port in this cycle, or one that was read in the cycle before it.
  struct Ask {
    size_t channel = 0, cursor = 0;
    Piece piece{};
  };
  static Cursor cursor_of(const std::vector<DmaJob::Run>& runs);
  /// Words begin evenly over the cycles of the command.
  void begin_words(Work& work, Cursor& cursor, size_t most, int64_t now) const;
  void put(size_t slot, const Work& work, const Ask& ask);
  void drive_table();
  void take_read_words();

  int64_t lanes_;
  Port valid_, ready_, write_, word_, mask_, wdata_, rdata_;
  TableFillPins table_;
  std::array<std::optional<Work>, DmaJob::kNumChannels> work_;
  std::array<std::optional<Ask>, static_cast<size_t>(spec::kSramOuterWords)> asks_, reading_;
  std::optional<size_t> table_channel_;  // that fills a word of a table in this cycle
};

}  // namespace vernier::cosim
