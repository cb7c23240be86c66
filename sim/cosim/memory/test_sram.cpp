// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/memory/test_sram.hpp"

#include "hw/base/division.hpp"
#include "hw/spec/latency.hpp"

#include <algorithm>
#include <iterator>

namespace vernier::cosim {

void TestSram::begin_cycle() {
  is_taken_ = {};
  num_reads_ = num_writes_ = 0;
}

bool TestSram::serve(int64_t word, int& num_words, int most_words) {
  if (!has_limits_) return true;
  if (num_words == most_words) return false;
  bool& is_taken = is_taken_[static_cast<size_t>(base::floor_mod(word, spec::kNumSramBanks))];
  if (is_taken) return false;
  is_taken = true;
  ++num_words;
  return true;
}

void WordQueue::push(const std::vector<int64_t>& words, int64_t beat) {
  for (const int64_t word : words) words_.push_back({word, beat});
}

void ReadQueue::push(const std::vector<int64_t>& words) {
  words_.push(words, first_beat_ + std::ssize(beats_));
  beats_.push_back({words.size()});
}

void ReadQueue::serve(TestSram& sram, int64_t now) {
  words_.serve(
      sram.has_limits(), [&](int64_t word) { return sram.read(word); },
      [&](int64_t beat) { --beats_[static_cast<size_t>(beat - first_beat_)].missing; });
  for (Beat& beat : beats_) {
    if (beat.missing == 0 && beat.served_cycle < 0) beat.served_cycle = now;
  }
}

bool ReadQueue::gives(int64_t now) const {
  if (beats_.empty()) return false;
  const Beat& first = beats_.front();
  return first.missing == 0 && first.served_cycle + spec::kSramReadLatencyCycles <= now;
}

bool ReadQueue::is_ahead() const { return words_.is_empty() || num_served() > spec::kSramReadLatencyCycles; }

int64_t ReadQueue::num_served() const {
  return std::ranges::count_if(beats_, [](const Beat& beat) { return beat.missing == 0; });
}

void ReadQueue::take() {
  beats_.pop_front();
  ++first_beat_;
}

void ReadQueue::clear() {
  beats_.clear();
  words_.clear();
}

void WriteQueue::push(const std::vector<int64_t>& words) {
  words_.push(words, first_beat_ + std::ssize(missing_));
  missing_.push_back(words.size());
}

void WriteQueue::serve(TestSram& sram) {
  words_.serve(
      sram.has_limits(), [&](int64_t word) { return sram.write(word); },
      [&](int64_t beat) { --missing_[static_cast<size_t>(beat - first_beat_)]; });
  for (; !missing_.empty() && missing_.front() == 0; ++first_beat_) missing_.pop_front();
}

void WriteQueue::clear() {
  missing_.clear();
  words_.clear();
}

}  // namespace vernier::cosim
