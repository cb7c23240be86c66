// SPDX-License-Identifier: Apache-2.0
// What the units owe each other: the interfaces behind their ports.
#pragma once

#include "hw/spec/command.hpp"
#include "hw/spec/performance_counters.hpp"
#include "hw/spec/status.hpp"
#include "hw/timing/unit_timing.hpp"
#include "sim/kernels/kernels.hpp"
#include "sim/units/command_record.hpp"

#include <systemc>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace vernier::mem {
class PhaseClient;
}

namespace vernier::units {

/// A command on its way through the machine.
struct IssuedCommand {
  spec::Command command;
  int32_t command_idx = 0;
  int64_t stream_offset_bytes = 0;
  int64_t ready_cycle = 0;  // the earliest start: dispatch plus the latency of issue
};

/// Where a unit can be found: unit name, then what it waits for.
class WaitReportIf : public virtual sc_core::sc_interface {
 public:
  /// One line that names unit, command, layer and what is missing; empty when the unit has nothing to do.
  [[nodiscard]] virtual std::string wait_report() const = 0;
};

/// The queue in front of a unit.
class DispatchIf : public virtual WaitReportIf {
 public:
  [[nodiscard]] virtual bool has_room() const = 0;
  [[nodiscard]] virtual int64_t num_waiting() const = 0;  // commands that have not started
  virtual void dispatch(IssuedCommand command) = 0;       // precondition: has_room()
  /// Wakes `client` once, in the cycle in which the next command leaves the queue. A full queue holds the client up.
  virtual void wake_when_room(mem::PhaseClient& client) = 0;
};

/// Who is told that a token came.
class TokenListener {
 public:
  virtual void token_given() = 0;

 protected:
  ~TokenListener() = default;
};

/// One counting semaphore for each ordered pair of queues.
class TokenIf : public virtual sc_core::sc_interface {
 public:
  struct Availability {
    uint8_t missing = 0;      // givers of whom there is no token, not even one on its way
    int64_t ready_cycle = 0;  // when the last of the others can be taken
    uint8_t last = 0;         // the giver of that one, as a bit; of several the one of the lowest queue: DMA before others
  };
  [[nodiscard]] virtual Availability availability(spec::Queue taker, uint8_t wait_mask) const = 0;
  struct Token {
    int64_t ready_cycle = -1;  // from which on it can be taken
    int32_t giver_idx = -1;    // the command that gave it
  };
  /// For the start of command `taker_idx`. The token that came last (of several: that of the lowest queue); without a wait
  /// none. Precondition: available now.
  virtual Token take(spec::Queue taker, uint8_t wait_mask, int32_t taker_idx) = 0;
  /// At the end of command `giver_idx`. The name of a queue whose semaphore would overflow, if any; then nothing is given.
  virtual std::optional<spec::Queue> give(spec::Queue giver, uint8_t signal_mask, int32_t giver_idx) = 0;
  /// `listener` is told of each token that is given to `taker`.
  virtual void attach(spec::Queue taker, TokenListener& listener) = 0;
};

/// What is known of a command when it starts.
struct CommandStart {
  spec::Queue queue = spec::Queue::Dma0;
  timing::Traffic traffic;
  TokenIf::Token last_token;
  std::span<const Share> waits;  // the cycles for which its unit waited for it
  timing::PossibleError possible_error{};
  int64_t drain_words = 0;  // of its SRAM words, those of its drain
};

/// What is wrong with a command.
struct CommandFault {
  spec::FaultCode code = spec::FaultCode::None;
  std::string detail;
  std::optional<base::Address> access{};  // first byte of the access at fault, in its region; none: it is in no access
};

/// The book of all commands of a job.
class CommandLogIf : public virtual sc_core::sc_interface {
 public:
  virtual void fetched(int32_t command_idx, const timing::Traffic& fetch) = 0;
  virtual void dispatched(int32_t command_idx) = 0;
  virtual void end_reached(int32_t command_idx) = 0;
  virtual void started(int32_t command_idx, const CommandStart& start) = 0;
  /// `phase.shares` counts for nothing, `shares` are its cycles.
  virtual void phase_ended(int32_t command_idx, bool is_drain, PhaseRecord phase, std::span<const Share> shares) = 0;
  virtual void retired(int32_t command_idx) = 0;
  /// The machine stops. The detail is completed with command, place in the stream and layer.
  virtual void fault(const CommandFault& fault, const IssuedCommand& command) = 0;
  /// The machine stops as if the watchdog had fired.
  virtual void timed_out() = 0;
  /// "command 12 (layer conv_1)".
  [[nodiscard]] virtual std::string describe(int32_t command_idx) const = 0;
  [[nodiscard]] virtual bool has_values() const = 0;
  [[nodiscard]] virtual int64_t watchdog_cycles() const = 0;
};

/// Checks of a command against memory and against what is in flight.
class HazardIf : public virtual sc_core::sc_interface {
 public:
  /// Every byte lies in its memory.
  [[nodiscard]] virtual std::optional<CommandFault> check_bounds(const IssuedCommand& command) = 0;
  /// Every byte read has been written, nothing in flight conflicts. Then the command is in flight.
  [[nodiscard]] virtual std::optional<CommandFault> enter(const IssuedCommand& command) = 0;
  /// Marks what the command writes as written, for jobs without values.
  virtual void mark_written(int32_t command_idx) = 0;
  virtual void leave(int32_t command_idx) = 0;
};

/// A bank of lanes that several units use: the rescale unit, the table unit.
class LanesIf : public virtual sc_core::sc_interface {
 public:
  virtual void begin_use() = 0;
  /// `vectors` of N lanes have gone through since the matching begin_use().
  virtual void end_use(int64_t vectors) = 0;
};

/// The table memory in the table unit.
class TableIf : public virtual LanesIf {
 public:
  [[nodiscard]] virtual const kernels::TableMemory& tables() const = 0;
  virtual void fill(int64_t slot, base::ElementType type, std::span<const std::byte> bytes) = 0;
};

/// The stalls of hw/timing, and those that only a simulation can see. Indices below timing::kNumStalls are timing's.
inline constexpr size_t kStallQueueFull = timing::kNumStalls;  // command processor: no room in a unit's queue
inline constexpr size_t kStallWaitingForOperands =
    timing::kNumStalls + 1;  // rescale and table unit: in use, no vector this cycle
using spec::kStallNames;
static_assert(kStallNames[kStallQueueFull] == "queue_full");
static_assert(kStallNames[kStallWaitingForOperands] == "waiting_for_operands");

}  // namespace vernier::units
