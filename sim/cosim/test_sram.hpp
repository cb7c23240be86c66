// SPDX-License-Identifier: Apache-2.0
// The SRAM of a test bench, cycle by cycle: kNumSramBanks banks with one port each, and so many words read and written a
// cycle as the machine has; or a memory in which any word can be had in any cycle. It knows which words are served, not what
// is in them.
#pragma once

#include "hw/spec/machine.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace vernier::cosim {

class TestSram {
 public:
  TestSram(const spec::Datapath& datapath, bool has_limits) : datapath_(datapath), has_limits_(has_limits) {}
  [[nodiscard]] bool has_limits() const { return has_limits_; }
  void begin_cycle();
  /// Whether the word is served in this cycle; it is not when its bank or all ports are taken.
  bool read(int64_t word) { return serve(word, num_reads_, datapath_.sram_read_words); }
  bool write(int64_t word) { return serve(word, num_writes_, datapath_.sram_write_words); }
  /// Words that had a port and met another one in their bank.
  [[nodiscard]] int64_t conflicts() const { return conflicts_; }

 private:
  bool serve(int64_t word, int& num_words, int most_words);
  spec::Datapath datapath_;
  bool has_limits_;
  std::array<bool, spec::kNumSramBanks> is_taken_{};
  int num_reads_ = 0, num_writes_ = 0;
  int64_t conflicts_ = 0;
};

/// Beats on their way from the SRAM to a port: their words are served in order, and are there kSramReadLatencyCycles later.
class ReadQueue {
 public:
  explicit ReadQueue(size_t most_beats) : most_beats_(most_beats) {}
  [[nodiscard]] bool has_room() const { return beats_.size() < most_beats_; }
  [[nodiscard]] bool is_empty() const { return beats_.empty(); }
  void push(std::vector<int64_t> words) { beats_.push_back({std::move(words)}); }
  /// In cycle `now`.
  void serve(TestSram& sram, int64_t now);
  /// Whether the data of the first beat stand at the port in cycle `now`.
  [[nodiscard]] bool gives(int64_t now) const;
  /// The first beat is taken.
  void take() { beats_.pop_front(); }
  void clear() { beats_.clear(); }
  /// The words that are served next, at most `count`.
  [[nodiscard]] std::vector<int64_t> next_words(size_t count) const;

 private:
  struct Beat {
    std::vector<int64_t> words;
    size_t num_served = 0;
    int64_t served_cycle = -1;  // of the last of them
    [[nodiscard]] bool is_served() const { return num_served == words.size(); }
  };
  size_t most_beats_;
  std::deque<Beat> beats_;
};

/// Words that are to be written, in order.
class WriteQueue {
 public:
  explicit WriteQueue(size_t most_beats) : most_beats_(most_beats) {}
  [[nodiscard]] bool has_room() const { return beats_.size() < most_beats_; }
  [[nodiscard]] bool is_empty() const { return beats_.empty(); }
  void push(const std::vector<int64_t>& words) { beats_.emplace_back(words.begin(), words.end()); }
  void clear() { beats_.clear(); }
  void serve(TestSram& sram);

 private:
  size_t most_beats_;
  std::deque<std::deque<int64_t>> beats_;
};

}  // namespace vernier::cosim
