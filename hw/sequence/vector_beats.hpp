// SPDX-License-Identifier: Apache-2.0
// The streams of a vector command: a beat for each start of a load or a store, in the order of the cycles of the schedule
// (hw/spec/command.hpp, VectorCommand), with the elements that it brings or takes. A start of an int48 stream has two beats.
#pragma once

#include "hw/spec/command.hpp"
#include "hw/spec/machine.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace vernier::sequence {

/// Elements of the lanes 0 .. count - 1.
struct VectorElements {
  int64_t address = 0;
  int64_t lane_stride_bytes = 0;  // 0: one element for all lanes
  int64_t count = 0;
};

struct VectorBeat {
  size_t step = 0;
  int64_t cycle = 0;  // of the schedule: a load's beat is taken at its end, a store's leaves at its end
  int part = 0;       // of int48: 0 the low 32 bits, 1 the others
  VectorElements first;
  VectorElements second;  // of a pair; count 0: there is none
};

class VectorBeats {
 public:
  /// `command` has to outlive them.
  static VectorBeats of_loads(const spec::VectorCommand& command, const spec::Datapath& datapath) {
    return {command, datapath, true};
  }
  static VectorBeats of_stores(const spec::VectorCommand& command, const spec::Datapath& datapath) {
    return {command, datapath, false};
  }
  /// Replaces `beat` by the next one; false after the last.
  bool next(VectorBeat& beat);

 private:
  /// Where a vector stands in the loops.
  struct Place {
    std::array<int64_t, spec::kNumVectorLoops> at{};
    int64_t lane = 0;
  };
  struct Loop {
    int loop;  // kLanes: the vectors of the lanes
    int64_t count, step;
  };
  /// The next beat of one step in the position.
  struct Cursor {
    size_t step = 0;
    int64_t vector = 0, num_vectors = 1;
    int part = 0, num_parts = 1;
    Place place;
    bool is_done = false;
  };
  static constexpr int kLanes = -1;

  VectorBeats(const spec::VectorCommand& command, const spec::Datapath& datapath, bool is_loads);
  static bool advance(Place& place, const std::vector<Loop>& loops);
  void begin_position();
  [[nodiscard]] int64_t cycle_of(const Cursor& cursor) const;
  void put_elements(const Cursor& cursor, VectorBeat& beat) const;

  const spec::VectorCommand& command_;
  int64_t lanes_;  // N
  bool is_loads_, has_pairs_;
  std::vector<Loop> kept_, body_;  // innermost first: from position to position, from vector to vector of one
  int64_t vectors_ = 1;            // of Body, of one position
  int64_t length_;
  Place position_;
  int64_t start_cycle_ = 0;
  bool has_position_ = true;
  std::vector<Cursor> cursors_;
};

}  // namespace vernier::sequence
