// SPDX-License-Identifier: Apache-2.0
// What an address pattern costs at the SRAM: words touched, and words of one cycle that lie in the same bank.
// A pattern repeats when its address grows by kNumSramBanks words, so its cost is a function of the address modulo that
// period.
#pragma once

#include "hw/base/division.hpp"
#include "hw/spec/command.hpp"
#include "hw/spec/machine.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace vernier::timing {

/// Contiguous bytes; `begin` is an address or an offset from one.
struct Run {
  int64_t begin = 0;
  int64_t bytes = 0;
  bool operator==(const Run&) const = default;
};

/// The bank of a word, counted from the first byte of the SRAM.
constexpr int64_t bank_of_word(int64_t word) { return base::floor_mod(word, int64_t{spec::kNumSramBanks}); }
constexpr int64_t bank_of(int64_t address, int64_t word_bytes) { return bank_of_word(base::floor_div(address, word_bytes)); }

/// What reading (or writing) some words takes: `cycles` without conflicts, `conflict_cycles` on top of them.
struct AccessCost {
  int64_t cycles = 0;
  int64_t conflict_cycles = 0;
  int64_t words = 0;
  /// So many accesses that cost the same each.
  void add(const AccessCost& other, int64_t times = 1) {
    cycles += other.cycles * times;
    conflict_cycles += other.conflict_cycles * times;
    words += other.words * times;
  }
};

/// Bytes after which the banks repeat.
constexpr int64_t bank_period_bytes(const spec::Datapath& datapath) {
  return int64_t{spec::kNumSramBanks} * datapath.word_bytes();
}

/// Words of `word_bytes` that the run touches; 0 for an empty one.
int64_t words_touched(const Run& run, int64_t word_bytes);

/// The runs in ascending order, overlapping and touching ones merged.
std::vector<Run> union_of(std::vector<Run> runs);

/// The words that the runs touch when they start at `address`, ascending, each once.
void words_of(std::span<const Run> runs, int64_t address, int64_t word_bytes, std::vector<int64_t>& words);

/// Extra cycles of distinct words asked for in one cycle: the most-wanted bank serves them one by one.
int64_t conflicts_of_cycle(std::span<const int64_t> words);

/// Distinct words taken in their order, `width` a cycle.
AccessCost cost_in_order(std::span<const int64_t> words, int64_t width);

/// Channels [begin, end) of a pixel, as runs from the pixel's address; blocks of N that follow each other are merged.
std::vector<Run> runs_of_channels(const spec::FeatureMap& map, int64_t begin, int64_t end, int64_t lanes);

/// One loop of a strided walk.
struct Loop {
  int64_t count = 1;
  int64_t stride_bytes = 0;
};
/// How many points of the walk (base + sum of index x stride) have each residue modulo `modulus`.
std::vector<int64_t> residue_histogram(int64_t base, std::span<const Loop> loops, int64_t modulus);

}  // namespace vernier::timing
