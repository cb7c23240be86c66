// SPDX-License-Identifier: Apache-2.0
// What a run has found: counts of results, of mismatches and of edges, and the first mismatches.
#pragma once

#include "sim/cosim/block/clocked_block.hpp"
#include "sim/cosim/block/mismatch.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vernier::cosim {

/// Where the first mismatch of a run was seen, kept or not: the block's cycle, which waves count too, and the lane, or -1.
struct MismatchPlace {
  int64_t cycle = 0;
  int lane = -1;
};

/// A run keeps so many mismatches.
inline constexpr size_t kMaxMessages = 10;

struct LockStepResult {
  struct Group {
    std::string name;
    int64_t vectors = 0, mismatches = 0;
  };
  int64_t vectors = 0;     // accepted beats of the result port, and those that never came
  int64_t mismatches = 0;  // of value, edge or handshake
  int64_t cycle_mismatches = 0;
  int64_t model_cycles = 0, rtl_cycles = 0;  // edges with en_i from the first operand to the last result
  int64_t commands = 0;                      // that the array took
  std::vector<Group> groups{};
  std::vector<Mismatch> first_mismatches{};    // at most kMaxMessages
  std::optional<MismatchPlace> first_place{};  // of the first of them that has one
  /// "every result equal, 3 not in the cycles of hw/spec", or how many mismatches; `if_all_equal` where nothing differs.
  [[nodiscard]] std::string verdict(std::string_view if_all_equal) const;
  /// The first mismatch in words; empty: there is none.
  [[nodiscard]] std::string first_text() const { return cosim::first_text(first_mismatches); }
  /// One more mismatch, which is kept while there are fewer than `most_kept`.
  void report(Mismatch mismatch, size_t most_kept = kMaxMessages);
  /// Counts are summed; groups and messages follow those that are there.
  void add(const LockStepResult& part);
  /// In the handler of a Hang: a run that stood still ends with one more mismatch, after those that say why. Without any the
  /// hang is all there is, and is thrown on, as is that of RTL that stopped itself.
  [[nodiscard]] LockStepResult ended_at(const Hang& hang) const;
};

/// Counts what a run of one block finds. Participants report to it, and so does their Bench.
class Scoreboard {
 public:
  /// Results are counted in groups by their kind. `block` outlives this.
  explicit Scoreboard(const ClockedBlock& block, std::vector<std::string> groups = {});
  /// What a run adds to each mismatch, as the name of its command; the unit and the cycle are there by then.
  using Describe = std::function<void(Mismatch& mismatch)>;
  void describe_by(Describe describe) { describe_ = std::move(describe); }
  /// Called with each mismatch before it is counted, as when the first one ends a log.
  using Sink = std::function<void(const Mismatch& mismatch)>;
  void on_mismatch(Sink sink) { sink_ = std::move(sink); }
  /// Keeps no more than so many mismatches; the others are counted.
  void keep_at_most(size_t mismatches) { most_kept_ = mismatches; }
  [[nodiscard]] bool keeps_another() const { return result_.first_mismatches.size() < most_kept_; }
  [[nodiscard]] size_t most_kept() const { return most_kept_; }

  /// A mismatch in this cycle of the block.
  void report(Mismatch mismatch);
  /// The same, of a result or a handshake in another cycle.
  void report_edge(Mismatch mismatch) {
    ++result_.cycle_mismatches;
    report(std::move(mismatch));
  }
  /// A result was compared, of the group with that index: what differs, none where it is right. The mismatch gets the number
  /// of the result, and the group's name where it does not say what ran.
  void add_result(int group, std::optional<Mismatch> mismatch, bool is_edge_wrong);
  /// Counts an edge that differs, and is no mismatch of its own.
  void count_edge() { ++result_.cycle_mismatches; }
  void add_cycles(int64_t model_cycles, int64_t rtl_cycles) {
    result_.model_cycles += model_cycles;
    result_.rtl_cycles += rtl_cycles;
  }

  [[nodiscard]] LockStepResult& result() { return result_; }
  [[nodiscard]] const LockStepResult& result() const { return result_; }
  /// What was found since the last call.
  [[nodiscard]] LockStepResult take();

 private:
  const ClockedBlock& block_;
  std::vector<std::string> groups_;
  Describe describe_;
  Sink sink_;
  size_t most_kept_ = kMaxMessages;
  LockStepResult result_;
};

inline constexpr int64_t kProgressVectors = 1000;

/// Tells a sink, which may be empty, about every kProgressVectors vectors what has been compared so far.
class VectorProgress {
 public:
  using Sink = std::function<void(const LockStepResult& so_far)>;
  explicit VectorProgress(const Sink& sink) : sink_(sink) {}
  void show(const LockStepResult& so_far) {
    if (!sink_ || so_far.vectors < next_) return;
    sink_(so_far);
    next_ = so_far.vectors + kProgressVectors;
  }

 private:
  const Sink& sink_;
  int64_t next_ = 0;
};

}  // namespace vernier::cosim
