// SPDX-License-Identifier: Apache-2.0
// The activation beats of a depthwise command for the windows of npu_mac_array: which register of the window each position
// of the map gets, and which register each element of a row's operand is.
//
// A position gets a register when its first word comes, and keeps it until the last row that needs it has been taken. Its
// lanes have a register for each of N taps and no other: a beat that needs one more is an error of the sequence.
#pragma once

#include "hw/sequence/window_stream.hpp"
#include "hw/spec/rtl_ports.hpp"
#include "sim/cosim/block/clocked_block.hpp"
#include "sim/cosim/stimulus/array_vectors.hpp"

#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace vernier::cosim {

/// The input ports that only windows have.
struct WindowPins {
  explicit WindowPins(const ClockedBlock& block);
  Port offset, length, to, pixel, register_idx, element;
};

/// Puts `bytes` bytes of the command's memory from `address` on, as byte_at() has them, at the port's bytes from `first` on.
void put_bytes(Port& port, int64_t first, const Work& array, int64_t address, int64_t bytes);

class WindowTraffic {
 public:
  /// Bytes of a position in a word, and the register that they go into of each pixel that takes them.
  struct Run {
    int64_t first_byte = 0, bytes = 0, to = 0;  // in the word, of the lanes
    std::array<std::optional<int64_t>, spec::kMaxRowPixels> registers;
  };
  /// Both are to outlive it. A command with mode Depthwise.
  WindowTraffic(const Work& array, const spec::Datapath& datapath);
  /// Goes on to the next beat; false behind the last.
  bool next();
  [[nodiscard]] const sequence::WindowBeat& beat() const { return beat_; }
  /// Of its words; kMaxRowPixels of each, those without bytes last.
  [[nodiscard]] const std::array<Run, spec::kWindowRuns>& runs() const { return runs_; }
  /// Of the last beat of a row: register of each element of each pixel, pixel after pixel; none where it adds nothing.
  [[nodiscard]] const std::vector<std::optional<int64_t>>& elements() const { return elements_; }
  /// The beat on the pins; unused bits get anything.
  void drive(WindowPins& pins, Port data, Port mask, Random& random) const;

 private:
  using Position = sequence::MapPosition;
  /// The register of each position, at most N of them.
  class Registers {
   public:
    [[nodiscard]] std::optional<int64_t> find(const Position& at) const;
    void add(const Position& at, int64_t register_idx) { entries_.emplace_back(at, register_idx); }
    [[nodiscard]] bool has(int64_t register_idx) const;
    [[nodiscard]] const std::vector<std::pair<Position, int64_t>>& entries() const { return entries_; }

   private:
    std::vector<std::pair<Position, int64_t>> entries_;
  };
  /// A row of the sequence; with what each element of each pixel takes, pixel after pixel, and whether each lane keeps what
  /// all pixels need.
  struct Turn {
    sequence::MacPlace place;
    int64_t row = 0;
    std::vector<Position> operands;
    bool is_shared = false;
    [[nodiscard]] bool is(const sequence::MacPlace& other_place, int64_t other_row) const {
      return place == other_place && row == other_row;
    }
  };
  /// The lanes of a pixel: registers of what the row needs, and of what came ahead for the next one.
  struct Window {
    Registers now, ahead;
  };
  [[nodiscard]] Turn turn_of(const sequence::MacPlace& place, int64_t row) const;
  [[nodiscard]] Turn after(const Turn& turn) const;
  void begin_row(Turn turn);
  void place_runs();
  void place(Run& run, const sequence::WindowPosition& position, bool is_of_next_row);
  void find_elements();

  const Work& array_;
  const spec::MacCommand& command_;
  spec::Datapath datapath_;
  sequence::MacOrder order_;
  sequence::WindowStream stream_;
  sequence::WindowBeat beat_;
  Turn turn_;
  std::optional<Turn> next_turn_;  // once a word of it has come
  std::vector<Window> windows_;    // of each pixel
  std::array<Run, spec::kWindowRuns> runs_;
  std::vector<std::optional<int64_t>> elements_;
};

}  // namespace vernier::cosim
