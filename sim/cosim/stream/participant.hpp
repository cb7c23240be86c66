// SPDX-License-Identifier: Apache-2.0
// Who takes part in the cycles of a block that a Bench clocks: a participant drives some of the inputs, and looks at some of
// the outputs. In each cycle the bench calls offer(), settled(), see() and clocked() of all participants, in this order.
#pragma once

#include <cstdint>
#include <string>

namespace vernier::cosim {

/// What a cycle was for a participant. After too many quiet ones since its last handshake the run is a Hang.
enum class Seen : uint8_t {
  Handshake,  // the edge takes something, or the participant waits for nothing
  Quiet,      // the participant waits, and nothing came
  Still,      // the cycle does not count: the participant waits for nobody, or nobody could move
};

class Participant {
 public:
  Participant() = default;
  Participant(const Participant&) = delete;
  Participant& operator=(const Participant&) = delete;
  virtual ~Participant() = default;
  /// Sets its inputs of the cycle that begins; `is_enabled`: en_i is high in it.
  virtual void offer(bool is_enabled) = 0;
  /// Outputs have settled: compares those that have to hold a value with what they were.
  virtual void settled() {}
  /// Before the edge, when all signals of the cycle stand: compares what the edge takes.
  virtual Seen see() { return Seen::Still; }
  /// After the edge.
  virtual void clocked() {}
  /// The block was reset, and what was in flight is gone.
  virtual void was_reset() {}
  /// Who waits for whom, for the message of a Hang.
  [[nodiscard]] virtual std::string waiting() const { return {}; }
  /// So many quiet cycles more than kHangCycles are no hang.
  [[nodiscard]] virtual int64_t patience_cycles() const { return 0; }
};

}  // namespace vernier::cosim
