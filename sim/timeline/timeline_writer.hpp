// SPDX-License-Identifier: Apache-2.0
// What a timeline is made of, whatever its format: tracks of slices, arrows between slices, counters.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace vernier::timeline {

/// A line of slices, none of which overlap each other. Times are cycles from 0 on; a cycle is shown as a nanosecond,
/// whatever the clock, so that the time axis counts cycles.
struct Track {
  std::string name;         // "mac_array", "mac_array drain"; no other has it
  std::string description;  // what its slices are
  size_t parent = kNone;    // a track declared before it, which it is shown under
  static constexpr size_t kNone = SIZE_MAX;
};

/// A value that changes.
struct Counter {
  std::string name;  // with its unit, "external_read_bytes_per_cycle"; no other has it
  std::string unit;  // "bytes per cycle", "commands", "percent"
  std::string description;
};

/// A fact of a slice. Names are constants of the program.
struct Argument {
  std::string_view name;
  std::variant<int64_t, std::string> value;
};

enum class SliceKind : uint8_t {
  Command,  // a command's main phase on its unit
  Drain,    // a command's drain
  Fetch,    // a command in the command processor, from the fetch of its first word to its dispatch
  State,    // a unit is busy, or stalls for one reason
  Lanes,    // somebody uses a bank of lanes
  Function  // the control CPU is in a function of its firmware, or asleep
};
inline constexpr std::array<std::string_view, 6> kSliceKindNames{"command", "drain", "fetch", "state", "lanes", "function"};

struct Slice {
  int64_t id = 0;  // no other has it
  SliceKind kind = SliceKind::Command;
  size_t track = 0;
  std::string name;
  int64_t start_cycle = 0, end_cycle = 0;
  std::vector<Argument> arguments;
  std::vector<int64_t> arrows;  // that begin or end here: their ids
};

/// From the end of one command to the start of one that waited for it or reads what it wrote.
struct Arrow {
  int64_t id = 0;
  int64_t from_slice = 0, to_slice = 0;  // ids
  size_t from_track = 0, to_track = 0;
  int64_t from_cycle = 0, to_cycle = 0;
  bool is_token = false;   // one gave the token that the other took
  int64_t data_bytes = 0;  // that one wrote and the other reads; 0: none
};

/// What the timeline is of.
struct Heading {
  std::string title;                                            // "demo.tosa on v256"
  std::vector<std::pair<std::string_view, std::string>> facts;  // for a program that reads the file: schema, config, cycles
};

class TimelineWriter {
 public:
  TimelineWriter() = default;
  TimelineWriter(const TimelineWriter&) = delete;
  TimelineWriter& operator=(const TimelineWriter&) = delete;
  virtual ~TimelineWriter() = default;
  /// Once, before anything else.
  virtual void declare(const Heading& heading, const std::vector<Track>& tracks, const std::vector<Counter>& counters) = 0;
  /// Those of one track come in ascending order of their starts.
  virtual void slice(const Slice& slice) = 0;
  /// After both its slices.
  virtual void arrow(const Arrow& arrow) = 0;
  /// From `cycle` on; those of one counter come in ascending order.
  virtual void value(size_t counter, int64_t cycle, double value) = 0;
  /// The file's bytes.
  virtual std::vector<std::byte> finish() = 0;
};

/// Perfetto's own form, a protobuf.
std::unique_ptr<TimelineWriter> make_perfetto_writer();
/// The Trace Event Format of Chrome, JSON.
std::unique_ptr<TimelineWriter> make_chrome_writer();

}  // namespace vernier::timeline
