// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/bank_play.hpp"

#include "hw/spec/latency.hpp"
#include "hw/spec/stream_buffers.hpp"
#include "hw/timing/access_pattern.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>

namespace vernier::timing {
namespace {

/// What the SRAM still serves in this cycle.
class Sram {
 public:
  Sram(const spec::Datapath& datapath, bool has_banks) : datapath_(datapath), has_banks_(has_banks) {}
  void begin_cycle() { taken_banks_ = 0, num_reads_ = 0, num_writes_ = 0; }
  bool read(uint8_t bank) { return serve(bank, num_reads_, datapath_.sram_read_words); }
  bool write(uint8_t bank) { return serve(bank, num_writes_, datapath_.sram_write_words); }

 private:
  bool serve(uint8_t bank, int64_t& num, int64_t most) {
    if (num == most || (has_banks_ && (taken_banks_ >> bank & 1U) != 0)) return false;
    taken_banks_ |= 1U << bank;
    ++num;
    return true;
  }
  const spec::Datapath& datapath_;
  bool has_banks_;
  uint32_t taken_banks_ = 0;
  int64_t num_reads_ = 0, num_writes_ = 0;
};

/// Beats of a stream that have asked for their words and have not left.
class Buffer {
 public:
  Buffer(const std::vector<const BankBeat*>& beats, size_t most) : beats_(beats), most_(most) {}
  [[nodiscard]] bool is_empty() const { return size() == 0; }
  [[nodiscard]] bool has_room() const { return size() < most_; }
  [[nodiscard]] size_t size() const { return next_ - first_; }
  /// The next beat asks for its words, if there is one and it has room.
  void ask(int64_t now) {
    if (next_ == beats_.size() || !has_room()) return;
    const std::vector<uint8_t>& banks = beats_[next_]->banks;
    for (const uint8_t bank : banks) words_.push_back({bank, next_});
    state_of(next_++) = {banks.size(), banks.empty() ? now : kNever};
  }
  /// The first kRequestWords words ask, each its bank.
  template <typename Serve>
  void serve(int64_t now, Serve serve) {
    const size_t num_asking = std::min(words_.size(), spec::kRequestWords);
    size_t num_kept = 0;
    for (size_t i = 0; i < num_asking; ++i) {
      const Word word = words_[i];
      if (!serve(word.bank)) {
        words_[num_kept++] = word;
        continue;
      }
      State& beat = state_of(word.beat);
      if (--beat.num_missing == 0) beat.served_cycle = now;
    }
    words_.erase(words_.begin() + static_cast<std::ptrdiff_t>(num_kept),
                 words_.begin() + static_cast<std::ptrdiff_t>(num_asking));
  }
  /// The first beat is at the array.
  [[nodiscard]] bool gives(int64_t now) const {
    return !is_empty() && state_of(first_).served_cycle + spec::kSramReadLatencyCycles <= now;
  }
  /// Whether it has as many beats as a stream needs that is to have no stalls.
  [[nodiscard]] bool is_ahead() const {
    if (words_.empty()) return true;
    int64_t num_served = 0;
    for (size_t beat = first_; beat < next_; ++beat) num_served += state_of(beat).num_missing == 0 ? 1 : 0;
    return num_served > spec::kSramReadLatencyCycles;
  }
  /// The first beat leaves. Whether it was the last of its row or tile.
  bool take() { return beats_[first_++]->is_last; }
  void drop_served() {
    while (!is_empty() && state_of(first_).num_missing == 0) ++first_;
  }

 private:
  static constexpr int64_t kNever = int64_t{1} << 60;
  static constexpr size_t kNumStates = 4;
  static_assert(kNumStates >= std::max({spec::kActivationBufferBeats, spec::kWeightBufferBeats, spec::kAddendBufferBeats,
                                        spec::kResultBufferRows}));
  struct Word {
    uint8_t bank;
    size_t beat;
  };
  struct State {
    size_t num_missing = 0;
    int64_t served_cycle = 0;
  };
  [[nodiscard]] State& state_of(size_t beat) { return states_[beat % kNumStates]; }
  [[nodiscard]] const State& state_of(size_t beat) const { return states_[beat % kNumStates]; }

  const std::vector<const BankBeat*>& beats_;
  size_t most_, next_ = 0, first_ = 0;
  std::array<State, kNumStates> states_;
  std::vector<Word> words_;
};

class Play {
 public:
  struct Cycles {
    int64_t half = 0, taken = 0, end = 0;  // half of the rows' beats, and all, are taken; the last result is written
  };

  Play(const BankPlay::Streams& streams, const spec::Datapath& datapath, const PlayedArray& array, bool has_banks)
      : streams_(streams),
        array_(array),
        sram_(datapath, has_banks),
        rows_(streams.rows, spec::kActivationBufferBeats),
        weights_(streams.weights, spec::kWeightBufferBeats),
        addends_(streams.addends, spec::kAddendBufferBeats),
        results_(streams.results, spec::kResultBufferRows) {}

  Cycles run() {
    while (turn_ < streams_.turns.size() || left_to_drain_ > 0 || !to_drain_.empty() || !leaving_.empty() ||
           !results_.is_empty()) {
      ask_and_serve();
      take_weights();
      multiply();
      drain();
      ++now_;
    }
    cycles_.end = now_;
    return cycles_;
  }

 private:
  void ask_and_serve() {
    const auto read = [&](uint8_t bank) { return sram_.read(bank); };
    const auto write = [&](uint8_t bank) { return sram_.write(bank); };
    sram_.begin_cycle();
    for (Buffer* stream : {&rows_, &weights_, &addends_}) stream->ask(now_);
    if (!leaving_.empty() && leaving_.front() <= now_ && results_.has_room()) {
      leaving_.pop_front();
      results_.ask(now_);
    }
    const bool is_crowded = results_.size() >= spec::kCrowdedResultRows;
    if (is_crowded) results_.serve(now_, write);
    addends_.serve(now_, read);
    const bool is_ahead = rows_.is_ahead();
    (is_ahead ? weights_ : rows_).serve(now_, read);
    (is_ahead ? rows_ : weights_).serve(now_, read);
    if (!is_crowded) results_.serve(now_, write);
    results_.drop_served();
  }

  /// A beat of the tile in the shadow; and the turn begins when that is whole, or not wanted, and a bank is free.
  void take_weights() {
    if (!is_shadow_full_ && weights_.gives(now_)) is_shadow_full_ = weights_.take();
    if (turn_ == streams_.turns.size() || is_ready_ || num_undrained_ == spec::kNumAccumulatorBanks) return;
    const bool is_loaded = streams_.turns[turn_].is_loaded;
    is_ready_ = !is_loaded || is_shadow_full_;
    if (is_ready_ && is_loaded) is_shadow_full_ = false;
  }

  void multiply() {
    if (!is_ready_ || now_ < row_cycle_ || !rows_.gives(now_)) return;
    ++beats_of_row_;
    if (rows_.take()) {
      row_cycle_ = now_ + 1 + std::max(int64_t{0}, array_.passes - beats_of_row_);
      beats_of_row_ = 0;
    }
    if (num_taken_ == streams_.rows.size() / 2) cycles_.half = now_;
    cycles_.taken = now_;
    const BankPlay::Turn& turn = streams_.turns[turn_];
    if (++num_taken_ < turn.end) return;
    is_ready_ = false;
    ++turn_;
    if (turn.ends_row_tile && turn.num_results > 0) {
      ++num_undrained_;
      to_drain_.push_back(turn.num_results);
    }
  }

  void drain() {
    if (left_to_drain_ == 0 && !to_drain_.empty()) {
      left_to_drain_ = to_drain_.front();
      to_drain_.pop_front();
    }
    // Rows in the pipeline stand still while the results before them wait.
    const bool is_blocked = std::ssize(leaving_) >= array_.fill_cycles + static_cast<int64_t>(spec::kResultBufferRows) ||
                            (!addends_.is_empty() && !addends_.gives(now_));
    if (left_to_drain_ == 0 || now_ < drain_cycle_ || is_blocked) return;
    if (!addends_.is_empty()) addends_.take();
    leaving_.push_back(now_ + array_.fill_cycles);
    drain_cycle_ = now_ + array_.drain_cycles;
    if (--left_to_drain_ == 0) --num_undrained_;
  }

  const BankPlay::Streams& streams_;
  const PlayedArray& array_;
  Sram sram_;
  Buffer rows_, weights_, addends_, results_;
  int64_t now_ = 0;
  size_t turn_ = 0, num_taken_ = 0;  // beats of rows
  bool is_shadow_full_ = false, is_ready_ = false;
  int64_t beats_of_row_ = 0, row_cycle_ = 0;  // the next row is taken from then on
  int64_t num_undrained_ = 0;                 // row tiles
  std::deque<int64_t> to_drain_;              // rows of each
  int64_t left_to_drain_ = 0, drain_cycle_ = 0;
  std::deque<int64_t> leaving_;  // cycles in which rows leave the pipeline
  Cycles cycles_;
};

}  // namespace

BankBeat beat_of(std::span<const int64_t> words, bool is_last) {
  BankBeat beat{{}, is_last};
  for (const int64_t word : words) beat.banks.push_back(static_cast<uint8_t>(bank_of_word(word)));
  return beat;
}

void BankPlay::end_rows(bool is_loaded, bool ends_row_tile, int64_t num_results) {
  streams_.turns.push_back({streams_.rows.size(), is_loaded, ends_row_tile, num_results});
}

BankPlay::Cost BankPlay::cost(int64_t num_row_beats) const {
  const Play::Cycles with = Play(streams_, datapath_, array_, true).run();
  const Play::Cycles without = Play(streams_, datapath_, array_, false).run();
  const auto at_least_none = [](int64_t cycles) { return std::max(int64_t{0}, cycles); };
  Cost cost{.main = at_least_none(with.taken - without.taken),
            .drain = at_least_none((with.end - with.taken) - (without.end - without.taken))};
  const int64_t num_played = std::ssize(streams_.rows), num_left = num_row_beats - num_played;
  if (num_left > 0) {
    const int64_t of_half = at_least_none(cost.main - (with.half - without.half));
    cost.main += of_half * num_left / (num_played - num_played / 2);
  }
  return cost;
}

}  // namespace vernier::timing
