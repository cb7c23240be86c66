// SPDX-License-Identifier: Apache-2.0
// Streams of one command that meet in the banks of the SRAM.
//
// A bank serves one word a cycle. Where in a stretch of a command one bank is wanted more often than the stretch has cycles,
// its words wait, and what the bank cannot catch up with soon delays the command: the buffers of hw/spec/stream_buffers.hpp
// hold a few beats only. Which word comes first does not matter for that, and neither do words that meet now and then: only
// how many words each bank has to serve, of all streams together.
//   v256, a depthwise command whose windows slide down rows that lie 24 words apart: 3 words a row in 3 banks, and a result
//   in a fourth: a row a cycle; the result in one of the three: two cycles.
// Compared with RTL behind an SRAM with banks: docs/results/fidelity.md.
#pragma once

#include "hw/spec/machine.hpp"
#include "hw/timing/access_pattern.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace vernier::timing {

/// Words of each bank, in parts of EvenWords::kOne.
using BankParts = std::array<int64_t, spec::kNumSramBanks>;

/// Words that a stream writes or reads evenly from `begin` to `end`. Time is in the unit of the command's time line.
class EvenWords {
 public:
  EvenWords() = default;
  EvenWords(const BankWords& words, int64_t begin, int64_t end) : begin_(begin), end_(end) {
    if (end <= begin) return;
    for (size_t bank = 0; bank < words.size(); ++bank) rate_[bank] = int64_t{words[bank]} * kOne / (end - begin);
  }
  /// Adds the words, in parts of kOne, that fall between two times.
  void add_between(int64_t from, int64_t until, BankParts& to) const {
    const int64_t time = std::min(until, end_) - std::max(from, begin_);
    if (time <= 0) return;
    for (size_t bank = 0; bank < to.size(); ++bank) to[bank] += rate_[bank] * time;
  }
  static constexpr int64_t kOne = int64_t{1} << 16;

 private:
  int64_t begin_ = 0, end_ = 0;
  BankParts rate_{};
};

class BankBacklog {
 public:
  /// `slots_per_cycle`: the command's time line counts so many slots a cycle.
  explicit BankBacklog(int64_t slots_per_cycle) : word_slots_(slots_per_cycle) {}

  /// A stretch of the command lasts `slots`, in which each bank is asked for `words`. Returns the slots by which it takes
  /// longer.
  int64_t pass(const BankParts& words, int64_t slots) {
    int64_t most = 0;
    for (size_t bank = 0; bank < words.size(); ++bank) {
      late_[bank] = std::max(int64_t{0}, late_[bank] + words[bank] * word_slots_ - slots * EvenWords::kOne);
      most = std::max(most, late_[bank]);
    }
    const int64_t longer = most - kBufferedWords * word_slots_ * EvenWords::kOne;
    if (longer < EvenWords::kOne) return 0;
    const int64_t whole = longer / EvenWords::kOne;
    for (int64_t& late : late_) late = std::max(int64_t{0}, late - whole * EvenWords::kOne);
    return whole;
  }

 private:
  /// So many words can wait for a bank before the command does.
  static constexpr int64_t kBufferedWords = 3;
  int64_t word_slots_;
  BankParts late_{};
};

}  // namespace vernier::timing
