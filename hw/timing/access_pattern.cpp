// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/access_pattern.hpp"

#include "hw/base/division.hpp"
#include "hw/base/element_type.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace vernier::timing {

using base::ceil_div;
using base::floor_div;
using base::floor_mod;

int64_t words_touched(const Run& run, int64_t word_bytes) {
  if (run.bytes <= 0) return 0;
  return floor_div(run.begin + run.bytes - 1, word_bytes) - floor_div(run.begin, word_bytes) + 1;
}

std::vector<Run> union_of(std::vector<Run> runs) {
  std::erase_if(runs, [](const Run& run) { return run.bytes <= 0; });
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.begin < b.begin; });
  std::vector<Run> merged;
  for (const Run& run : runs) {
    if (!merged.empty() && run.begin <= merged.back().begin + merged.back().bytes) {
      merged.back().bytes = std::max(merged.back().bytes, run.begin + run.bytes - merged.back().begin);
    } else {
      merged.push_back(run);
    }
  }
  return merged;
}

void words_of(std::span<const Run> runs, int64_t address, int64_t word_bytes, std::vector<int64_t>& words) {
  words.clear();
  for (const Run& run : runs) {
    const int64_t first = floor_div(address + run.begin, word_bytes);
    const int64_t last = floor_div(address + run.begin + run.bytes - 1, word_bytes);
    for (int64_t word = first; word <= last; ++word) words.push_back(word);
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
}

int64_t conflicts_of_cycle(std::span<const int64_t> words) {
  std::array<int64_t, spec::kNumSramBanks> wanted{};
  int64_t most = 1;
  for (const int64_t word : words) {
    most = std::max(most, ++wanted[static_cast<size_t>(bank_of_word(word))]);
  }
  return most - 1;
}

AccessCost cost_in_order(std::span<const int64_t> words, int64_t width) {
  AccessCost cost;
  cost.words = static_cast<int64_t>(words.size());
  cost.cycles = ceil_div(cost.words, width);
  for (size_t at = 0; at < words.size(); at += static_cast<size_t>(width)) {
    cost.conflict_cycles += conflicts_of_cycle(words.subspan(at, std::min(static_cast<size_t>(width), words.size() - at)));
  }
  return cost;
}

std::vector<Run> runs_of_channels(const spec::FeatureMap& map, int64_t begin, int64_t end, int64_t lanes) {
  const int64_t element_bytes = base::stored_bytes(map.type);
  std::vector<Run> runs;
  for (int64_t channel = begin; channel < end;) {
    const int64_t block = channel / lanes;
    const int64_t stop = std::min(end, (block + 1) * lanes);
    runs.push_back({block * map.block_pitch_bytes + channel % lanes * element_bytes, (stop - channel) * element_bytes});
    channel = stop;
  }
  return union_of(std::move(runs));
}

std::vector<int64_t> residue_histogram(int64_t base, std::span<const Loop> loops, int64_t modulus) {
  std::vector<int64_t> histogram(static_cast<size_t>(modulus), 0);
  histogram[static_cast<size_t>(floor_mod(base, modulus))] = 1;
  std::vector<int64_t> next(static_cast<size_t>(modulus));
  const auto at = [&](int64_t residue) -> int64_t& { return histogram[static_cast<size_t>(residue)]; };
  for (const Loop& loop : loops) {
    if (loop.count == 1) continue;
    const int64_t step = floor_mod(loop.stride_bytes, modulus), apart = std::gcd(step, modulus), period = modulus / apart;
    const int64_t whole = loop.count / period, rest = loop.count % period;
    // The residues that a step leads to from `first`, round and round: each gets all of them `whole` times, and the `rest`
    // of them that end with itself once more.
    for (int64_t first = 0; first < apart; ++first) {
      int64_t all = 0, window = 0;
      for (int64_t residue = first; residue < modulus; residue += apart) all += at(residue);
      if (all == 0) {
        for (int64_t residue = first; residue < modulus; residue += apart) next[static_cast<size_t>(residue)] = 0;
        continue;
      }
      int64_t leaving = floor_mod(first - rest * step, modulus);
      for (int64_t residue = leaving, i = 0; i < rest; ++i, residue = (residue + step) % modulus) window += at(residue);
      for (int64_t residue = first, i = 0; i < period; ++i) {
        window += at(residue) - at(leaving);
        next[static_cast<size_t>(residue)] = whole * all + window;
        residue = (residue + step) % modulus;
        leaving = (leaving + step) % modulus;
      }
    }
    histogram.swap(next);
  }
  return histogram;
}

}  // namespace vernier::timing
