// SPDX-License-Identifier: Apache-2.0
// The commands of one queue so far, to be asked which of them a later command conflicts with.
//
// Thousands of commands that no token orders (the regions of a pool, the phases of a resize) would each be compared with all
// before them. Here groups of kFanOut commands, groups of such groups and so on know the intervals that their commands read
// and write; only where these meet those of the later command are single commands compared, byte-exact. Intervals too many
// for a group are joined, the nearest first: that costs comparisons, never a conflict.
#pragma once

#include "hw/package/range.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace vernier::schedule {

/// Which conflicts matter: commands of one queue end in order, so that only a read after a write has to wait.
enum class Pairs : uint8_t { ReadAfterWrite, All };

class EarlierCommands {
 public:
  /// `ranges` of the next command, kept by reference.
  void add(const std::vector<package::Range>& ranges);
  [[nodiscard]] int64_t size() const { return static_cast<int64_t>(commands_.size()); }

  /// The last of the commands first .. before - 1 (counted from 0) that conflicts with a later one.
  [[nodiscard]] std::optional<int64_t> last_conflict(const std::vector<package::Range>& later, Pairs pairs, int64_t first,
                                                     int64_t before = std::numeric_limits<int64_t>::max()) const;
  /// Single commands that were compared. For tests.
  [[nodiscard]] int64_t num_compared() const { return num_compared_; }

 private:
  static constexpr int64_t kFanOut = 8;

  /// Bytes of any storage, one storage after the other.
  struct Interval {
    int64_t begin, end;
  };
  static Interval interval_of(const package::Range& range);

  /// A few intervals that hold all that were added.
  class Intervals {
   public:
    void add(Interval added);
    [[nodiscard]] bool meets(const Interval& other) const;

   private:
    static constexpr size_t kMost = 4;
    void join(size_t i);
    std::array<Interval, kMost + 1> items_{};  // ascending, apart; one more than may stay
    size_t size_ = 0;
  };
  struct Group {
    Intervals reads, writes;
  };
  struct Question {
    const std::vector<package::Range>& later;
    Pairs pairs;
    int64_t first, before;
  };
  [[nodiscard]] std::optional<int64_t> search(const Question& question, size_t level, int64_t group) const;
  [[nodiscard]] static bool may_conflict(const Question& question, const Group& group);

  std::vector<const std::vector<package::Range>*> commands_;
  std::vector<std::vector<Group>> levels_;  // of kFanOut commands, of kFanOut such groups, ..
  mutable int64_t num_compared_ = 0;
};

}  // namespace vernier::schedule
