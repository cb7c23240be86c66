// SPDX-License-Identifier: Apache-2.0
#include "sim/report/approximations.hpp"

#include "hw/base/address.hpp"
#include "hw/base/division.hpp"
#include "hw/package/command_codec.hpp"
#include "hw/spec/machine.hpp"
#include "sim/report/bank_meetings.hpp"
#include "sim/soc/run_commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <variant>

namespace vernier::report {
namespace {

/// What a run has of everything that is approximated.
struct Touched {
  timing::PossibleError possible_error;  // of all commands
  BankMeetings meetings;
  bool has_vector_program = false;
  bool reaches_outside = false, copies_outside = false;
  bool has_full_queue = false;
  bool has_mac_command = false;  // of the array
  bool has_copy = false;
  bool follows_drain = false;  // a command of the array begins before the drain of the one before has ended
};

/// The order in which units are served, command fetch last: it is a word a cycle and comes while all others are at work.
constexpr std::array<spec::Queue, spec::kNumQueues> kServed{spec::Queue::MacArray, spec::Queue::VectorUnit,
                                                            spec::Queue::Dma0, spec::Queue::Dma1};

void add_command(Touched& touched, const units::CommandRecord& command) {
  timing::PossibleError& sum = touched.possible_error;
  sum.streams_cycles += command.possible_error.streams_cycles;
  sum.padding_cycles += command.possible_error.padding_cycles;
  if (command.work == units::Work::Vector) touched.has_vector_program = true;
  if (command.work == units::Work::Load || command.work == units::Work::Store) touched.copies_outside = true;
}

void add_mapping(Touched& touched, const spec::Command& command) {
  touched.has_mac_command |= std::holds_alternative<spec::MacCommand>(command.body);
  touched.has_copy |= std::holds_alternative<spec::DmaCommand>(command.body);
}

/// Unit by unit; `vernier cosim` is what checks.
std::string unchecked_text(const Touched& touched) {
  std::vector<std::string> checked, unchecked;
  if (touched.has_mac_command) checked.emplace_back("the array");
  if (touched.has_vector_program) checked.emplace_back("the vector unit");
  if (touched.has_copy) unchecked.emplace_back("the DMA");
  unchecked.emplace_back("the command processor");
  unchecked.emplace_back("what commands that share ports cost each other");
  const std::string shown = checked.empty()
                                ? ""
                                : fmt::format("RTL shows those of {}, a command or a few at a time (vernier cosim); ",
                                              fmt::join(checked, " and "));
  return fmt::format(
      "{}not checked: {}; unknown there, but from below every command is bounded by its MAC steps, its words per port and "
      "its bytes per bandwidth",
      shown, fmt::join(unchecked, ", "));
}

Touched look_at(const package::Package& package, const soc::JobResult& job) {
  Touched touched;
  std::vector<std::vector<BankUse>> units(kServed.size() + 1);
  const int64_t word_bytes = package.config.datapath.word_bytes();
  int64_t asked_cycle = 0;  // for the words of the next command
  soc::RunCommands places(package, job);
  int64_t array_end_cycle = 0;
  for (const units::CommandRecord& command : job.commands) {
    const package::Decoded decoded = places.next().decoded;
    const bool is_fetched_here = package.stream_address.space == base::MemorySpace::Sram;
    const int64_t fetched_words = is_fetched_here ? base::ceil_div(decoded.length_bytes, word_bytes) : 0;
    const int64_t dispatch_cycle = command.dispatch_cycle < 0 ? job.cycles : command.dispatch_cycle;
    units.back().push_back({asked_cycle, dispatch_cycle, fetched_words, 0});
    asked_cycle = dispatch_cycle;
    if (command.work == units::Work::None) continue;
    add_command(touched, command);
    add_mapping(touched, decoded.command);
    if (command.work == units::Work::Array) {
      touched.follows_drain |= command.start_cycle < array_end_cycle;
      array_end_cycle = command.end_cycle;
    }
    const auto served = std::find(kServed.begin(), kServed.end(), command.queue) - kServed.begin();
    const int64_t words = (command.traffic.sram_read_bytes + command.traffic.sram_write_bytes) / word_bytes - fetched_words;
    units[static_cast<size_t>(served)].push_back(
        {command.start_cycle, command.end_cycle < 0 ? job.cycles : command.end_cycle, words, command.drain_words});
  }
  touched.meetings = bank_meetings(units);
  touched.reaches_outside = job.traffic.external_read_bytes + job.traffic.external_write_bytes > 0;
  touched.has_full_queue = job.units.value("command_processor/stall_cycles/queue_full") > 0;
  return touched;
}

class List {
 public:
  explicit List(int64_t cycles) : cycles_(cycles) {}
  void add(bool is_touched, const char* what, const std::string& error) {
    if (is_touched) entries_.push_back({what, error, std::nullopt});
  }
  /// One that is counted.
  void add_counted(int64_t bound_cycles, const char* what, const char* error) {
    if (bound_cycles <= 0 || cycles_ <= 0) return;
    entries_.push_back({what, error, 100.0 * static_cast<double>(bound_cycles) / static_cast<double>(cycles_)});
  }
  /// One that no RTL shows, of words that meet in a bank. By the model's own estimate they meet at random: of the words that
  /// could, one in as many as there are banks does.
  void add_meetings(int64_t bound_cycles, const char* what, const char* error) {
    const size_t before = entries_.size();
    add_counted(bound_cycles, what, error);
    if (entries_.size() > before) entries_.back().estimate_percent = *entries_.back().bound_percent / spec::kNumSramBanks;
  }
  [[nodiscard]] std::vector<Approximation> take() { return std::move(entries_); }

 private:
  int64_t cycles_;
  std::vector<Approximation> entries_;
};

}  // namespace

// docs/architecture/approximations.md gives the reason of each entry; a test compares the two lists.
std::vector<Approximation> approximations(const package::Package& package, const soc::JobResult& job) {
  const Touched touched = look_at(package, job);
  const timing::PossibleError& error = touched.possible_error;
  List list(job.cycles);
  list.add(true, "part of the cycles not yet checked against RTL", unchecked_text(touched));
  list.add(true, "SRAM of any size answers in 2 cycles",
           "a single-cycle-class SRAM of 64 MiB, as in most presets, is no silicon: such figures show the datapath alone; "
           "read them beside sram_bytes and the port widths");
  list.add_counted(
      error.streams_cycles, "streams of one command meet in banks now and then",
      "either way, at most a cycle for each word of all streams but the one with most words (array: activations, "
      "weights, parameters, residual operand, results; vector unit: loads, stores; DMA: source, index list, "
      "destination); an array command's first 4,096 beats are played against the banks, without its parameters, and the "
      "rest goes on like them; conflicts inside one stream are counted");
  list.add_meetings(
      touched.meetings.cycles, "commands in flight together do not collide in banks",
      "too few cycles, at most one for each word of the lesser of two commands (a command that is being fetched is one "
      "of them); the ports that they share are counted");
  list.add(touched.meetings.is_together, "a command's demand is spread evenly over its phase",
           "either way, less than the length of the phase (the array writes evenly after its first row tile); totals of "
           "words and bytes are exact");
  list.add(touched.follows_drain, "a command finds both accumulator banks free",
           "too few cycles, at most the last drain of the command before it, and nearly always none");
  list.add_counted(
      error.padding_cycles, "padding of a convolution costs as if read",
      "too many cycles, at most what the array takes for the rows of steps that meet padding, or a pixel that fills up a "
      "last group; depthwise windows do not fetch padding");
  list.add(touched.reaches_outside, "external memory has no refresh and no open rows",
           "too few cycles; refresh takes 3 to 5 % of a DDR memory's time, row misses depend on the part");
  list.add(touched.copies_outside, "latency is paid once a DMA command", "either way, at most latency_cycles per command");
  list.add(touched.has_full_queue, "no fetching ahead while a queue is full",
           "too many cycles, at most the fetch of one command each time that a full queue gets room");
  list.add(!job.control, "starting a job takes no time",
           "too few cycles, about a thousand per job: --control cpu shows how many");
  list.add(
      job.control.has_value(), "accesses of the control CPU take fixed times",
      "either way, of the control path only: none waits for the DMA or takes bandwidth from it, and no RTL shows the bus");
  return list.take();
}

}  // namespace vernier::report
