// SPDX-License-Identifier: Apache-2.0
// The input ports of the array that have a valid: commands, and the four streams of their beats. A port that offers nothing
// has anything on its other pins, another thing in each cycle: a block that looks at them without its valid goes wrong.
#pragma once

#include "sim/cosim/stream/array_streams.hpp"
#include "sim/cosim/stream/port_stalls.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::cosim {

/// Commands that follow each other, and the edges at which the first ones of them were taken.
struct ArraySequence {
  std::vector<std::shared_ptr<ArrayTraffic>> commands;
  std::vector<int64_t> starts;
  [[nodiscard]] bool has_command_left() const { return starts.size() < commands.size(); }
};

class ArrayInputs {
 public:
  /// All three are to outlive it.
  ArrayInputs(ClockedBlock& block, PortStalls& stalls, Random& random);
  /// Another sequence begins.
  void start();
  /// The pins of the cycle before `edge`.
  void drive(ArraySequence& sequence, int64_t edge);
  /// Takes the beats that this edge takes; whether there is one.
  bool take_beats(ArraySequence& sequence);
  /// Whether this edge takes a command.
  [[nodiscard]] bool takes_command() const { return is_command_offered_ && cmd_ready_.get() != 0; }
  [[nodiscard]] bool is_ready_for_command() const { return cmd_ready_.get() != 0; }
  /// Whether parameters or addends have stayed away in this sequence, which may have stopped the drain.
  [[nodiscard]] bool has_stopped_drain() const { return has_stopped_drain_; }
  /// The streams that are offered: the name of each, and the number of the command whose beat it is.
  [[nodiscard]] std::vector<std::pair<std::string_view, size_t>> offered() const;

 private:
  /// A port with valid and ready, and the command whose beats are next there.
  struct Stream {
    std::string_view name;
    Port valid, ready;
    std::vector<Port> data;
    size_t command = 0;
    bool is_offered = false;
    bool is_driven = false;  // what is offered stands at the pins
  };
  static constexpr size_t kWeights = 0, kActivations = 1, kParameters = 2, kAddends = 3, kNumStreams = 4;

  void drive_command(const ArraySequence& sequence);
  void drive_beat(size_t stream, const ArrayTraffic& traffic);

  PortStalls& stalls_;
  Random& random_;
  ArrayPins pins_;
  Port cmd_valid_, cmd_ready_;
  std::array<Stream, kNumStreams> streams_;
  bool is_command_offered_ = false;
  std::optional<size_t> driven_command_;  // it stands at the pins
  bool has_stopped_drain_ = false;
};

}  // namespace vernier::cosim
