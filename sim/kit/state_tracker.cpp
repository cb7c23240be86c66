// SPDX-License-Identifier: Apache-2.0
#include "sim/kit/state_tracker.hpp"

#include "hw/base/error.hpp"

#include <algorithm>
#include <limits>

namespace vernier::kit {

StateTracker::StateTracker(std::span<const std::string_view> stall_names, size_t num_tracks, Merge merge)
    : stall_names_(stall_names), merge_(merge), tracks_(num_tracks), totals_(stall_names.size() + 2) {}

StateTracker::Shown StateTracker::declare(Signals& signals, const std::string& scope, const std::string& name) const {
  Signal signal{scope, name, SignalKind::State, {"busy", "idle"}};
  signal.labels.insert(signal.labels.end(), stall_names_.begin(), stall_names_.end());
  return {&signals, signals.declare(std::move(signal))};
}

void StateTracker::declare_state(Signals& signals, const std::string& scope) { shown_ = declare(signals, scope, "state"); }

void StateTracker::declare_track_state(size_t track, Signals& signals, const std::string& scope, const std::string& name) {
  tracks_[track].shown = declare(signals, scope, name);
}

void StateTracker::reset() {
  for (Track& track : tracks_) {
    const Shown shown = track.shown;
    track = Track{};
    track.shown = shown;
  }
  std::fill(totals_.begin(), totals_.end(), 0);
  merged_until_ = 0;
}

void StateTracker::close(Track& track, const Segment& segment) {
  track.shown.change(track.since, segment.bucket);
  track.closed.push_back(segment);
  track.since += segment.cycles;
}

void StateTracker::wait(size_t track_idx, Bucket bucket, int64_t now) {
  Track& track = tracks_[track_idx];
  VERNIER_CHECK(!track.in_phase, "a track waits within a phase");
  if (track.bucket == bucket) return;
  close_waits(now);
  track.bucket = bucket;
}

void StateTracker::begin_phase(size_t track_idx, int64_t now) {
  Track& track = tracks_[track_idx];
  VERNIER_CHECK(!track.in_phase, "a phase begins within a phase");
  close_waits(now);
  track.in_phase = true;
}

void StateTracker::end_phase(size_t track_idx, std::span<const Share> shares, int64_t now) {
  Track& track = tracks_[track_idx];
  VERNIER_CHECK(track.in_phase, "a phase ends that has not begun");
  for (const Share& share : shares) {
    if (share.cycles > 0) close(track, {share.bucket, true, share.cycles});
  }
  track.in_phase = false;
  track.bucket = Bucket::idle();
  track.since = now;
  close_waits(now);
}

void StateTracker::finish(int64_t now) {
  for (Track& track : tracks_) {
    if (track.in_phase) {
      close(track, {Bucket::busy(), true, now - track.since});
      track.in_phase = false;
      track.bucket = Bucket::idle();
    }
  }
  close_waits(now);
}

void StateTracker::close_waits(int64_t now) {
  for (Track& track : tracks_) {
    if (track.in_phase) continue;
    if (now > track.since) close(track, {track.bucket, false, now - track.since});
    track.since = now;
  }
  merge_closed();
}

void StateTracker::merge_closed() {
  while (std::none_of(tracks_.begin(), tracks_.end(), [](const Track& track) { return track.closed.empty(); })) {
    int64_t cycles = std::numeric_limits<int64_t>::max();
    for (const Track& track : tracks_) cycles = std::min(cycles, track.closed.front().cycles);
    const Bucket bucket = merged_bucket();
    totals_[bucket.index()] += cycles;
    shown_.change(merged_until_, bucket);
    merged_until_ += cycles;
    for (Track& track : tracks_) {
      track.closed.front().cycles -= cycles;
      if (track.closed.front().cycles == 0) track.closed.pop_front();
    }
  }
}

Bucket StateTracker::merged_bucket() const {
  for (const Track& track : tracks_) {
    const Segment& segment = track.closed.front();
    if (merge_ == Merge::FirstActive && segment.in_phase) return segment.bucket;
    if (merge_ == Merge::AnyBusy && segment.bucket == Bucket::busy()) return segment.bucket;
  }
  for (const Track& track : tracks_) {
    if (track.closed.front().bucket != Bucket::idle()) return track.closed.front().bucket;
  }
  return Bucket::idle();
}

void StateTracker::report(Statistics& node) const {
  node.add("busy_cycles", cycles(Bucket::busy()));
  node.add("idle_cycles", cycles(Bucket::idle()));
  Statistics& stalls = node.child("stall_cycles");
  for (size_t i = 0; i < stall_names_.size(); ++i) stalls.add(stall_names_[i], cycles(Bucket::stall(i)));
}

}  // namespace vernier::kit
