// SPDX-License-Identifier: Apache-2.0
// Where the cycles of a unit go: every cycle into exactly one bucket, busy, a named stall or idle.
//
// A unit has one or more tracks (main and drain phase, or the channels of a DMA). Each track is told its state when it
// changes; a phase is told what its cycles were when it ends, stalls first. The tracks are merged cycle by cycle. Nothing
// here divides up a total: when a phase accounts for more or fewer cycles than it took, or a state is not entered, the sum
// is not the total, and the test that adds them up fails.
#pragma once

#include "sim/kit/signals.hpp"
#include "sim/kit/statistics.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::kit {

/// Busy, idle, or stall i of the tracker's names.
class Bucket {
 public:
  static constexpr Bucket busy() { return Bucket(0); }
  static constexpr Bucket idle() { return Bucket(1); }
  static constexpr Bucket stall(size_t stall_idx) { return Bucket(stall_idx + 2); }
  constexpr Bucket() = default;  // busy
  [[nodiscard]] constexpr size_t index() const { return index_; }
  /// Which of the tracker's names it is; only of a stall.
  [[nodiscard]] constexpr size_t stall_idx() const { return index_ - 2; }
  constexpr bool operator==(const Bucket&) const = default;

 private:
  constexpr explicit Bucket(size_t index) : index_(index) {}
  size_t index_ = 0;
};

/// How tracks that do different things in one cycle make one bucket.
enum class Merge : uint8_t {
  FirstActive,  // the first track that is in a phase; else the first stall; else idle
  AnyBusy       // busy if any track is; else the first stall; else idle
};

class StateTracker {
 public:
  struct Share {
    Bucket bucket;
    int64_t cycles = 0;
    bool operator==(const Share&) const = default;
  };

  StateTracker(std::span<const std::string_view> stall_names, size_t num_tracks, Merge merge);
  /// Declares signal "state" in `scope`, what the tracks make together, which is counted. `signals` outlives the tracker.
  void declare_state(Signals& signals, const std::string& scope);
  /// Declares signal `name` in `scope`: the state of one track.
  void declare_track_state(size_t track, Signals& signals, const std::string& scope, const std::string& name);
  /// All tracks idle from cycle 0.
  void reset();
  /// The track waits in `bucket` (a stall or idle) from `now` on. Not within a phase.
  void wait(size_t track, Bucket bucket, int64_t now);
  void begin_phase(size_t track, int64_t now);
  /// What the cycles since begin_phase were, in order. The track is idle from `now` on unless wait() says otherwise.
  void end_phase(size_t track, std::span<const Share> shares, int64_t now);
  /// Ends the count: open waits are closed, phases that have not ended count as busy.
  void finish(int64_t now);

  [[nodiscard]] int64_t cycles(Bucket bucket) const { return totals_[bucket.index()]; }
  /// Writes busy_cycles, idle_cycles and stall_cycles/<name> into `node`.
  void report(Statistics& node) const;

 private:
  struct Segment {
    Bucket bucket;
    bool in_phase;
    int64_t cycles;
  };
  /// A state that can be watched.
  struct Shown {
    Signals* signals = nullptr;
    SignalId id{};
    void change(int64_t cycle, Bucket bucket) const {
      if (signals != nullptr) signals->change(id, cycle, static_cast<int64_t>(bucket.index()));
    }
  };
  struct Track {
    Bucket bucket = Bucket::idle();
    bool in_phase = false;
    int64_t since = 0;
    std::deque<Segment> closed;
    Shown shown{};
  };
  [[nodiscard]] Shown declare(Signals& signals, const std::string& scope, const std::string& name) const;
  /// The cycles of a track up to `now` were `segment`.
  static void close(Track& track, const Segment& segment);
  void close_waits(int64_t now);
  void merge_closed();
  [[nodiscard]] Bucket merged_bucket() const;

  std::span<const std::string_view> stall_names_;
  Merge merge_;
  std::vector<Track> tracks_;
  std::vector<int64_t> totals_;  // by Bucket::index
  Shown shown_;
  int64_t merged_until_ = 0;  // the cycle up to which the tracks were merged
};

}  // namespace vernier::kit
