// SPDX-License-Identifier: Apache-2.0
// What can be watched in a machine: its signals, and the one place where their changes go. Modules declare signals once and
// tell each change; who watches is told of it while a job runs. Nobody watching costs one test a change.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::kit {

/// What the values of a signal are.
enum class SignalKind : uint8_t {
  Count,  // a number from 0 on
  Sum,    // an accumulator's: 48 bits, two's complement
  Index,  // which command; kNoIndex: none
  State,  // an index into the signal's labels
  Flow    // amounts that move over a stretch of cycles, see SignalObserver::moved()
};
inline constexpr int64_t kNoIndex = -1;

struct Signal {
  std::string scope;  // where it stands: names of modules with dots between them, "npu.mac_array"
  std::string name;
  SignalKind kind = SignalKind::Count;
  std::vector<std::string_view> labels{};  // of a state, by value; they outlive the machine
  std::string unit{};                      // of a flow: "bytes", "words", "vectors"
};

/// A place in the machine's list of signals.
enum class SignalId : uint32_t {};

/// Something that one command gave and another one took: a token.
struct Handover {
  int64_t giver_idx = 0, taker_idx = 0;  // commands
  int64_t given_cycle = 0, taken_cycle = 0;
  bool operator==(const Handover&) const = default;
};

/// Who watches. Cycles of one signal come in ascending order (of several values in one cycle the last one holds), those of
/// different signals do not: what the cycles of a phase were is known when it ends.
class SignalObserver {
 public:
  virtual void changed(SignalId signal, int64_t cycle, int64_t value) = 0;
  /// `amount` of the signal's unit moved evenly from start_cycle to end_cycle, which is later.
  virtual void moved(SignalId signal, int64_t start_cycle, int64_t end_cycle, int64_t amount) = 0;
  /// One of the things that the signal counts was taken, in taken_cycle.
  virtual void handed_over(SignalId signal, const Handover& handover) = 0;

 protected:
  ~SignalObserver() = default;
};

/// Several who watch as if they were one; they outlive it.
class Watchers : public SignalObserver {
 public:
  /// Nothing where it is null.
  void add(SignalObserver* observer) {
    if (observer != nullptr) observers_.push_back(observer);
  }
  /// Who is to be told: nobody, the only one, or all through this.
  [[nodiscard]] SignalObserver* observer() {
    if (observers_.empty()) return nullptr;
    return observers_.size() == 1 ? observers_.front() : this;
  }
  void changed(SignalId signal, int64_t cycle, int64_t value) override {
    for (SignalObserver* observer : observers_) observer->changed(signal, cycle, value);
  }
  void moved(SignalId signal, int64_t start_cycle, int64_t end_cycle, int64_t amount) override {
    for (SignalObserver* observer : observers_) observer->moved(signal, start_cycle, end_cycle, amount);
  }
  void handed_over(SignalId signal, const Handover& handover) override {
    for (SignalObserver* observer : observers_) observer->handed_over(signal, handover);
  }

 private:
  std::vector<SignalObserver*> observers_;
};

/// All signals of one machine, and who watches them.
class Signals {
 public:
  /// While the machine is put together.
  SignalId declare(Signal signal);
  [[nodiscard]] const std::vector<Signal>& list() const { return list_; }
  /// Who watches from here on, until the next call; nullptr: nobody.
  void watch(SignalObserver* observer) { observer_ = observer; }
  /// Who watches is told cycles and commands that count on from these: a job may be several streams, each of which begins
  /// with cycle 0 and command 0.
  void count_from(int64_t cycle, int64_t command_idx) {
    first_cycle_ = cycle;
    first_command_idx_ = command_idx;
  }
  [[nodiscard]] bool is_watched() const { return observer_ != nullptr; }
  void change(SignalId signal, int64_t cycle, int64_t value) {
    if (observer_ == nullptr) return;
    const bool is_command = list_[static_cast<size_t>(signal)].kind == SignalKind::Index && value != kNoIndex;
    observer_->changed(signal, first_cycle_ + cycle, is_command ? first_command_idx_ + value : value);
  }
  void move(SignalId signal, int64_t start_cycle, int64_t end_cycle, int64_t amount) {
    if (observer_ != nullptr && amount > 0)
      observer_->moved(signal, first_cycle_ + start_cycle, first_cycle_ + end_cycle, amount);
  }
  void hand_over(SignalId signal, const Handover& handover) {
    if (observer_ == nullptr) return;
    observer_->handed_over(signal, {first_command_idx_ + handover.giver_idx, first_command_idx_ + handover.taker_idx,
                                    first_cycle_ + handover.given_cycle, first_cycle_ + handover.taken_cycle});
  }

 private:
  std::vector<Signal> list_;
  SignalObserver* observer_ = nullptr;
  int64_t first_cycle_ = 0, first_command_idx_ = 0;
};

}  // namespace vernier::kit
