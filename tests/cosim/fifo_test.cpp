// SPDX-License-Identifier: Apache-2.0
// A unit that the kit has never seen: what its bench finds of a FIFO that is right, and of FIFOs with one fault each.
#include "tests/cosim/fifo_bench.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace vernier::cosim {
namespace {

using Catch::Matchers::Contains;

constexpr int64_t kFifoTestBeats = 5000;

enum class FifoFlaw {
  None,
  Overwrites,      // takes a beat when it is full
  Swaps,           // gives the last beat first when three are there
  MovesWhenTaken,  // a beat on the port changes while another one comes in
  ReadyFollows,    // in_ready_o follows out_ready_i inside a cycle
  IsLate,          // a beat shows a cycle later than it has to
  KeepsInReset,    // a reset empties it at its first edge alone
  Sticks,          // after 1000 beats it gives none
};

class FifoModel : public RtlBlock {
 public:
  explicit FifoModel(FifoFlaw flaw) : flaw_(flaw) {
    for (size_t i = 0; i < kFifoPorts.size(); ++i) pins_.push_back({kFifoPorts[i].name, &bytes_[i], 1});
  }
  [[nodiscard]] std::span<const Pin> pins() const override { return pins_; }
  void eval() override {
    const bool is_edge = in(Clock) && !clock_;
    clock_ = in(Clock);
    if (!in(Reset) && (flaw_ != FifoFlaw::KeepsInReset || is_edge)) beats_.clear();
    if (in(Reset) && is_edge) edge();
    const bool has_room = beats_.size() < kFifoBeats;
    const bool always = flaw_ == FifoFlaw::Overwrites || (flaw_ == FifoFlaw::ReadyFollows && in(OutReady));
    bytes_[InReady] = has_room || always ? 1 : 0;
    bytes_[OutValid] = !beats_.empty() && !is_hidden() ? 1 : 0;
    if (beats_.empty()) return;
    bytes_[OutData] = flaw_ == FifoFlaw::Swaps && beats_.size() == 3 && !is_shown_ ? beats_.back() : beats_.front();
  }

 private:
  enum Idx : size_t { Clock, Reset, InValid, InReady, InData, OutValid, OutReady, OutData };
  [[nodiscard]] bool in(Idx pin) const { return bytes_[pin] != 0; }
  [[nodiscard]] bool is_hidden() const {
    return (flaw_ == FifoFlaw::IsLate && is_new_) || (flaw_ == FifoFlaw::Sticks && num_out_ >= 1000);
  }
  void edge() {
    const bool gives = in(OutValid) && in(OutReady), takes = in(InValid) && in(InReady);
    is_shown_ = in(OutValid) && !gives;
    is_new_ = false;
    if (gives) {
      beats_.erase(std::ranges::find(beats_, bytes_[OutData]));
      ++num_out_;
    }
    if (!takes) return;
    if (flaw_ == FifoFlaw::MovesWhenTaken && is_shown_) beats_.front() = static_cast<uint8_t>(beats_.front() ^ 1U);
    is_new_ = beats_.empty();
    if (beats_.size() == kFifoBeats) beats_.pop_back();
    beats_.push_back(bytes_[InData]);
  }

  FifoFlaw flaw_;
  std::array<uint8_t, kFifoPorts.size()> bytes_{};
  std::vector<Pin> pins_;
  std::vector<uint8_t> beats_;
  bool clock_ = false, is_new_ = false, is_shown_ = false;
  int64_t num_out_ = 0;
};

LockStepResult run_fifo(FifoFlaw flaw) { return FifoBench(std::make_unique<FifoModel>(flaw), 3).run(kFifoTestBeats); }

}  // namespace

TEST_CASE("a FIFO on the kit: the right one has no mismatch") {
  const LockStepResult result = run_fifo(FifoFlaw::None);
  INFO(result.first_text());
  CHECK(result.mismatches == 0);
  CHECK(result.vectors == kFifoTestBeats);
}

TEST_CASE("a FIFO on the kit: each planted fault is found, and says where") {
  const auto first = [](FifoFlaw flaw) { return run_fifo(flaw).first_text(); };
  CHECK_THAT(first(FifoFlaw::Overwrites), Contains("in_ready_o: expected 0, actual 1"));
  CHECK_THAT(first(FifoFlaw::Swaps), Contains("out_data_o: expected "));
  CHECK_THAT(first(FifoFlaw::MovesWhenTaken), Contains("out_data_o") && Contains("moves before it is taken"));
  CHECK_THAT(first(FifoFlaw::ReadyFollows), Contains("in_ready_o"));
  CHECK_THAT(first(FifoFlaw::IsLate), Contains("out_valid_o: low in the cycle in which a beat is due"));
  CHECK_THAT(first(FifoFlaw::KeepsInReset), Contains("out_valid_o is 1 while rst_ni is low, before an edge"));
}

TEST_CASE("a FIFO on the kit: one that stands still ends the run, and the mismatches before say why") {
  const LockStepResult result = run_fifo(FifoFlaw::Sticks);
  REQUIRE(result.mismatches > 1);
  CHECK_THAT(result.first_text(), Contains("out_valid_o"));
  CHECK(result.first_mismatches.back().kind == MismatchKind::Stopped);
  CHECK_THAT(result.first_mismatches.back().print(), Contains("no handshake on any port since cycle"));
}

}  // namespace vernier::cosim
