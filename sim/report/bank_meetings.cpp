// SPDX-License-Identifier: Apache-2.0
#include "sim/report/bank_meetings.hpp"

#include <algorithm>

namespace vernier::report {
namespace {

/// The uses of a unit, to be asked for those in flight with one of another unit.
class UsesOfUnit {
 public:
  explicit UsesOfUnit(const std::vector<BankUse>& uses) : uses_(uses), words_before_{0} {
    for (const BankUse& use : uses) words_before_.push_back(words_before_.back() + use.words);
  }

  struct Together {
    int64_t words;
    bool is_any;
  };
  [[nodiscard]] Together with(const BankUse& other) const {
    const auto first = std::partition_point(uses_.begin(), uses_.end(),
                                            [&](const BankUse& use) { return use.end_cycle <= other.start_cycle; });
    const auto last =
        std::partition_point(first, uses_.end(), [&](const BankUse& use) { return use.start_cycle < other.end_cycle; });
    return {
        words_before_[static_cast<size_t>(last - uses_.begin())] - words_before_[static_cast<size_t>(first - uses_.begin())],
        first != last};
  }

 private:
  const std::vector<BankUse>& uses_;
  std::vector<int64_t> words_before_;  // of the uses before each
};

}  // namespace

BankMeetings bank_meetings(const std::vector<std::vector<BankUse>>& units) {
  BankMeetings meetings;
  std::vector<UsesOfUnit> served_before;
  for (const std::vector<BankUse>& uses : units) {
    for (size_t i = 0; i < uses.size(); ++i) {
      const BankUse& use = uses[i];
      int64_t others_words = 0;
      for (size_t older = i; older-- > 0 && uses[older].end_cycle > use.start_cycle;) {
        others_words += uses[older].drain_words;
        meetings.is_together = true;
      }
      for (const UsesOfUnit& unit : served_before) {
        const UsesOfUnit::Together together = unit.with(use);
        others_words += together.words;
        meetings.is_together = meetings.is_together || together.is_any;
      }
      meetings.cycles += std::min(use.words, others_words);
    }
    served_before.emplace_back(uses);
  }
  return meetings;
}

}  // namespace vernier::report
