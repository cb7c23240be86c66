// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/earlier_commands.hpp"

#include <algorithm>
#include <cstddef>

namespace vernier::schedule {

EarlierCommands::Interval EarlierCommands::interval_of(const package::Range& range) {
  constexpr int64_t kApart = int64_t{1} << 40;  // more than any storage has
  const int64_t origin = static_cast<int64_t>(range.storage) * kApart;
  return {origin + range.base, origin + range.end()};
}

void EarlierCommands::Intervals::join(size_t i) {
  items_[i].end = std::max(items_[i].end, items_[i + 1].end);
  const auto at = [&](size_t index) { return items_.begin() + static_cast<std::ptrdiff_t>(index); };
  std::copy(at(i + 2), at(size_), at(i + 1));
  --size_;
}

void EarlierCommands::Intervals::add(Interval added) {
  size_t at = 0;
  while (at < size_ && items_[at].begin <= added.begin) ++at;
  if (at > 0 && items_[at - 1].end >= added.begin) {
    --at;
    items_[at].end = std::max(items_[at].end, added.end);
  } else {
    std::copy_backward(items_.begin() + static_cast<std::ptrdiff_t>(at), items_.begin() + static_cast<std::ptrdiff_t>(size_),
                       items_.begin() + static_cast<std::ptrdiff_t>(size_ + 1));
    items_[at] = added;
    ++size_;
  }
  while (at + 1 < size_ && items_[at].end >= items_[at + 1].begin) join(at);
  if (size_ <= kMost) return;
  size_t nearest = 0;
  const auto gap = [&](size_t i) { return items_[i + 1].begin - items_[i].end; };
  for (size_t i = 1; i + 1 < size_; ++i) {
    if (gap(i) < gap(nearest)) nearest = i;
  }
  join(nearest);
}

bool EarlierCommands::Intervals::meets(const Interval& other) const {
  return std::any_of(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(size_),
                     [&](const Interval& item) { return item.begin < other.end && other.begin < item.end; });
}

void EarlierCommands::add(const std::vector<package::Range>& ranges) {
  int64_t group = size();
  commands_.push_back(&ranges);
  for (size_t level = 0; level == 0 || group > 0; ++level) {
    group /= kFanOut;
    if (level == levels_.size()) {
      // The first group of a level is all that the first one below has.
      levels_.emplace_back();
      if (level > 0) levels_.back().push_back(levels_[level - 1].front());
    }
    std::vector<Group>& groups = levels_[level];
    if (group == static_cast<int64_t>(groups.size())) groups.emplace_back();
    for (const package::Range& range : ranges) {
      (range.is_write ? groups.back().writes : groups.back().reads).add(interval_of(range));
    }
  }
}

bool EarlierCommands::may_conflict(const Question& question, const Group& group) {
  return std::any_of(question.later.begin(), question.later.end(), [&](const package::Range& range) {
    const Interval interval = interval_of(range);
    if (question.pairs == Pairs::ReadAfterWrite) return !range.is_write && group.writes.meets(interval);
    return group.writes.meets(interval) || (range.is_write && group.reads.meets(interval));
  });
}

/// Level 0 is that of single commands, level l that of levels_[l - 1].
std::optional<int64_t> EarlierCommands::search(const Question& question, size_t level, int64_t group) const {
  if (level == 0) {
    ++num_compared_;
    const package::Conflict conflict = package::conflict_between(*commands_[static_cast<size_t>(group)], question.later);
    const bool matters = question.pairs == Pairs::All ? conflict.any() : conflict.read_after_write;
    return matters ? std::optional(group) : std::nullopt;
  }
  if (!may_conflict(question, levels_[level - 1][static_cast<size_t>(group)])) return std::nullopt;
  int64_t commands_of_child = 1;
  for (size_t l = 1; l < level; ++l) commands_of_child *= kFanOut;
  const int64_t first = std::max(group * kFanOut, question.first / commands_of_child);
  const int64_t last = std::min((group + 1) * kFanOut - 1, (question.before - 1) / commands_of_child);
  for (int64_t child = last; child >= first; --child) {
    if (const std::optional<int64_t> found = search(question, level - 1, child)) return found;
  }
  return std::nullopt;
}

std::optional<int64_t> EarlierCommands::last_conflict(const std::vector<package::Range>& later, Pairs pairs, int64_t first,
                                                      int64_t before) const {
  const Question question{later, pairs, first, std::min(before, size())};
  if (question.first >= question.before) return std::nullopt;
  // The least group that has all of them.
  size_t level = 0;
  int64_t group = question.first;
  for (int64_t last = question.before - 1; group != last; ++level) {
    group /= kFanOut;
    last /= kFanOut;
  }
  return search(question, level, group);
}

}  // namespace vernier::schedule
