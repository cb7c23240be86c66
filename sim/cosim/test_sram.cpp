// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/test_sram.hpp"

#include "hw/base/quantity.hpp"
#include "hw/spec/latency.hpp"

namespace vernier::cosim {

void TestSram::begin_cycle() {
  is_taken_ = {};
  num_reads_ = num_writes_ = 0;
}

bool TestSram::serve(int64_t word, int& num_words, int most_words) {
  if (!has_limits_) return true;
  if (num_words == most_words) return false;
  bool& is_taken = is_taken_[static_cast<size_t>(base::floor_mod(word, spec::kNumSramBanks))];
  if (is_taken) {
    ++conflicts_;
    return false;
  }
  is_taken = true;
  ++num_words;
  return true;
}

void ReadQueue::serve(TestSram& sram, int64_t now) {
  for (Beat& beat : beats_) {
    for (; !beat.is_served(); ++beat.num_served) {
      if (!sram.read(beat.words[beat.num_served])) return;
    }
    if (beat.served_cycle < 0) beat.served_cycle = now;
  }
}

bool ReadQueue::gives(int64_t now) const {
  if (beats_.empty()) return false;
  const Beat& first = beats_.front();
  return first.is_served() && first.served_cycle + spec::kSramReadLatencyCycles <= now;
}

std::vector<int64_t> ReadQueue::next_words(size_t count) const {
  std::vector<int64_t> words;
  for (const Beat& beat : beats_) {
    for (size_t i = beat.num_served; i < beat.words.size() && words.size() < count; ++i) words.push_back(beat.words[i]);
  }
  return words;
}

void WriteQueue::serve(TestSram& sram) {
  while (!beats_.empty()) {
    std::deque<int64_t>& words = beats_.front();
    for (; !words.empty(); words.pop_front()) {
      if (!sram.write(words.front())) return;
    }
    beats_.pop_front();
  }
}

}  // namespace vernier::cosim
