// SPDX-License-Identifier: Apache-2.0
#include "compiler/cost/copy_overlap.hpp"

#include "hw/spec/latency.hpp"
#include "hw/timing/in_flight.hpp"
#include "hw/timing/unit_timing.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace vernier::cost {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
/// From one command to the next, as the command processor fetches and issues them.
constexpr int64_t kCyclesBetweenIssues = 8;

class Overlap {
 public:
  Overlap(const std::vector<const PartWork*>& parts, const config::MachineConfig& config)
      : parts_(parts), flight_(timing::capacities_of(config)) {
    int64_t issue = 0;
    for (const PartWork* part : parts) {
      for (size_t i = 0; i < part->copies.size(); ++i)
        copy_issues_.push_back(std::exchange(issue, issue + kCyclesBetweenIssues));
      array_issues_.push_back(std::exchange(issue, issue + kCyclesBetweenIssues));
    }
  }

  int64_t run() {
    while (true) {
      int64_t next = start_copy();  // first: it also notes which parts have their copies
      next = std::min(next, start_array());
      if (const auto end = flight_.next_change()) next = std::min(next, *end);
      if (next == kNever) return now_;
      now_ = next;
      for (const timing::Ended& ended : flight_.advance(now_)) phase_ended(ended.id);
    }
  }

 private:
  static constexpr int32_t kNone = -1;

  /// Both: when it could start at the earliest if it does not start now; kNever if something has to end first.
  int64_t start_copy() {
    if (copy_ != kNone) return kNever;
    while (copying_ < parts_.size() && copied_ == parts_[copying_]->copies.size()) {
      if (copying_ == ready_.size()) ready_.push_back(copied_ == 0 ? 0 : now_ + spec::kTokenCycles);
      ++copying_;
      copied_ = 0;
    }
    if (copying_ == parts_.size()) return kNever;
    const int64_t issue = copy_issues_[num_copies_];
    if (issue > now_) return issue;
    copy_ = flight_.start(parts_[copying_]->copies[copied_], timing::Priority::Dma, now_);
    ++copied_;
    ++num_copies_;
    return kNever;
  }

  int64_t start_array() {
    if (main_ != kNone || waits_for_drain_ || computed_ == parts_.size() || computed_ >= ready_.size()) return kNever;
    const int64_t start = std::max(ready_[computed_], array_issues_[computed_]);
    if (start > now_) return start;
    main_ = flight_.start(parts_[computed_++]->array.main, timing::Priority::MacMain, now_);
    return kNever;
  }

  void phase_ended(int32_t id) {
    if (id == copy_) copy_ = kNone;
    if (id == drain_) drain_ = kNone;
    if (id == main_) {
      main_ = kNone;
      waits_for_drain_ = true;
    }
    if (!waits_for_drain_ || drain_ != kNone) return;
    waits_for_drain_ = false;
    const timing::Phase& drain = parts_[computed_ - 1]->array.drain;
    if (drain.cycles > 0) drain_ = flight_.start(drain, timing::Priority::MacDrain, now_);
  }

  const std::vector<const PartWork*>& parts_;
  timing::InFlight flight_;
  int64_t now_ = 0;
  std::vector<int64_t> copy_issues_, array_issues_;
  std::vector<int64_t> ready_;       // by part, when its copies are there
  size_t copying_ = 0, copied_ = 0;  // the part whose copies are made, and how many of them are begun
  size_t num_copies_ = 0;            // begun in all
  size_t computed_ = 0;              // parts that the array has begun
  bool waits_for_drain_ = false;     // of the part before
  int32_t copy_ = kNone, main_ = kNone, drain_ = kNone;
};

}  // namespace

int64_t cycles_together(const std::vector<const PartWork*>& parts, const config::MachineConfig& config) {
  return Overlap(parts, config).run();
}

}  // namespace vernier::cost
