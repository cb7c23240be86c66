// SPDX-License-Identifier: Apache-2.0
// The SRAM of a test bench, cycle by cycle: kNumSramBanks banks with one port each, and so many words read and written a
// cycle as the machine has; or a memory in which any word can be had in any cycle. It knows which words are served, not what
// is in them.
#pragma once

#include "hw/spec/machine.hpp"
#include "hw/spec/stream_buffers.hpp"

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

 private:
  bool serve(int64_t word, int& num_words, int most_words);
  spec::Datapath datapath_;
  bool has_limits_;
  std::array<bool, spec::kNumSramBanks> is_taken_{};
  int num_reads_ = 0, num_writes_ = 0;
};

/// Words of a stream that wait for the SRAM, in order. The first ones, at most kRequestWords, ask in each cycle, each of its
/// bank; one whose bank is taken does not keep those behind it.
class WordQueue {
 public:
  /// Words of beats, and the beat of each.
  void push(const std::vector<int64_t>& words, int64_t beat);
  [[nodiscard]] bool is_empty() const { return words_.empty(); }
  void clear() { words_.clear(); }
  /// Calls done(beat) for each word that is served.
  template <typename Serve, typename Done>
  void serve(bool has_limits, Serve serve, Done done) {
    size_t asked = 0;
    for (auto word = words_.begin(); word != words_.end() && (asked < spec::kRequestWords || !has_limits); ++asked) {
      if (serve(word->word)) {
        done(word->beat);
        word = words_.erase(word);
      } else {
        ++word;
      }
    }
  }

 private:
  struct Word {
    int64_t word, beat;
  };
  std::deque<Word> words_;
};

/// Beats on their way from the SRAM to a port: the data of a word are there kSramReadLatencyCycles after it was served.
class ReadQueue {
 public:
  explicit ReadQueue(size_t most_beats) : most_beats_(most_beats) {}
  [[nodiscard]] bool has_room() const { return beats_.size() < most_beats_; }
  [[nodiscard]] bool is_empty() const { return beats_.empty(); }
  void push(const std::vector<int64_t>& words);
  /// In cycle `now`.
  void serve(TestSram& sram, int64_t now);
  /// Whether the data of the first beat stand at the port in cycle `now`.
  [[nodiscard]] bool gives(int64_t now) const;
  /// Whether so many beats that the port does not run dry while one more is asked for are served, or there is none to ask
  /// for.
  [[nodiscard]] bool is_ahead() const;
  /// Beats all of whose words are served.
  [[nodiscard]] int64_t num_served() const;
  /// The first beat is taken.
  void take();
  void clear();

 private:
  struct Beat {
    size_t missing = 0;         // words
    int64_t served_cycle = -1;  // of the last of them
  };
  size_t most_beats_;
  int64_t first_beat_ = 0;  // its number
  std::deque<Beat> beats_;
  WordQueue words_;
};

/// Words that are to be written.
class WriteQueue {
 public:
  explicit WriteQueue(size_t most_beats) : most_beats_(most_beats) {}
  [[nodiscard]] bool has_room() const { return missing_.size() < most_beats_; }
  [[nodiscard]] bool is_empty() const { return missing_.empty(); }
  [[nodiscard]] size_t num_waiting() const { return missing_.size(); }
  void push(const std::vector<int64_t>& words);
  void serve(TestSram& sram);
  void clear();

 private:
  size_t most_beats_;
  int64_t first_beat_ = 0;      // its number
  std::deque<size_t> missing_;  // words of each beat
  WordQueue words_;
};

}  // namespace vernier::cosim
