// SPDX-License-Identifier: Apache-2.0
// profile(MacCommand): the sequence of hw/spec/command.hpp on the time line of mac_timeline.hpp.
//
// The load of the very first weight tile is exposed, with one swap. (A later swap hides: the next load's first words are
// then on their way from SRAM.) Row tiles of a single step share a weight tile. main ends when the last row has entered the
// MAC pipeline, one bank being free again: the next command's operands may follow. drain is the rest: the pipeline and the
// last tile's epilogue. A slice that is not the last has no drain, and ends with its last accumulation, on which the next
// slice builds. Parameters are read when the rows of their channel tile begin, those of the first one during the first load.
// Weights that are loaded at that time wait for their words, as RTL shows (decision 0020).
//   main = SRAM latency + first load + swap + that;  drain = MAC pipeline + last epilogue + its latencies
// Its lead is what comes before the first epilogue: beside it the drain of the command before has lanes and write port
// alone.
//   lead = SRAM latency + end of the first row tile
//
// Three time lines run side by side, each with one more cost in it, so that each difference has a name:
//   Datapath  rows x row cycles (busy), waits for weights (WeightLoad) and for banks (RescaleContention)
//   Port      + words of activations, weights and outputs over ports   PortContention
//   Conflict  + words of one operand and one cycle in the same bank    BankConflict
// Time is counted in slots of the read port (cycles x words a cycle): 17 words on 4 take 4.25 cycles, not 5.
//
// int16 x int8 makes a row two cycles long (two passes, mac_activation.hpp); int16 x int16 does each step twice, with the
// tile of the weights' low bytes and that of their high bytes. A convolution of int16 whose steps need more than one cycle
// of segments has a second operand register: its first row takes a cycle more, in which that is filled.
//
// Worked, v256: 1x1, 64 to 64 channels, 25x5, planes of 16: 4 channel tiles x (64 + 61 rows) x 4 steps = 2000; first load 4,
// swap 1, latency 2: main 2007. Drain 5 + 61 rows + rescale 4 = 70. Fully connected 640 to 128: 8 x 40 steps of one row, 4
// cycles of load each: datapath 2 + 4 + 1 + 319 x 4 + 1 = 1284; its (16 + 1) x 320 + 8 x 10 words make it longer.
//
// Streams of the command (activations, weights, parameters, addend, writes) that meet in a bank again and again cost what
// the bank cannot serve (bank_backlog.hpp), on the time line Conflict.
//
// Not modelled: words of theirs that meet now and then, at most one cycle for each word of all but the greatest (D-004);
// conflicts among the words of an addend row (D-006).
#include "hw/base/division.hpp"
#include "hw/spec/latency.hpp"
#include "hw/timing/bank_backlog.hpp"
#include "hw/timing/mac_activation.hpp"
#include "hw/timing/mac_operands.hpp"
#include "hw/timing/mac_timeline.hpp"
#include "hw/timing/phase_builder.hpp"
#include "hw/timing/unit_timing.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

namespace vernier::timing {

namespace {

static_assert(spec::kTileSwapCycles <= spec::kSramReadLatencyCycles, "a swap hides under the latency of the next load");
enum Level : size_t { Datapath, Port, Conflict };
constexpr size_t kNumLevels = 3;
using Slots = std::array<int64_t, kNumLevels>;

/// Slots of what takes so long by itself, and `words` on the read port.
Slots slots_of(const AccessCost& cost, int64_t words, int64_t port) {
  const int64_t alone = cost.cycles * port, ported = std::max(alone, words);
  return {alone, ported, std::max(ported, alone + cost.conflict_cycles * port)};
}

/// Slots of the activations of a step. A depthwise row waits for the words that it lacks. The segments of a convolution are
/// read ahead, so words that meet in one cycle cost nothing by themselves where the port has room for them later: each
/// takes one more place on it. BankBacklog counts those that meet again and again.
Slots slots_of_rows(const spec::MacCommand& command, const AccessCost& rows, int64_t port) {
  if (command.mode == spec::MacMode::Depthwise) return slots_of(rows, rows.words, port);
  AccessCost alone = rows;
  alone.conflict_cycles = 0;
  Slots slots = slots_of(alone, rows.words, port);
  slots[Conflict] = std::max(slots[Conflict], rows.words + rows.conflict_cycles);
  return slots;
}

class MacProfile {
 public:
  MacProfile(const spec::MacCommand& command, const config::MachineConfig& config)
      : command_(command),
        config_(config),
        port_(config.datapath.sram_read_words),
        shape_(command, config.datapath),
        activation_(command, config.datapath, shape_),
        weights_(command, config.datapath, shape_),
        drain_(command, config.datapath, shape_),
        first_row_cycles_(activation_.first_row_cycles()),
        backlog_(port_) {}

  Profile run() {
    std::vector<AccessCost> loads = weights_.costs(0);
    start_load(loads.front());
    for (int64_t channel_tile = 0; channel_tile < shape_.channel_tiles; ++channel_tile) {
      const bool is_last = channel_tile == shape_.last_channel_tile();
      if (command_.last) read_parameters(channel_tile);
      std::vector<AccessCost> following = is_last ? std::vector<AccessCost>{} : weights_.costs(channel_tile + 1);
      for (int64_t row_tile = 0; row_tile < shape_.row_tiles; ++row_tile) {
        AccessCost after = is_last ? AccessCost{} : following.front();
        if (row_tile + 1 < shape_.row_tiles && !shape_.keeps_weights()) after = loads.front();
        accumulate(channel_tile, row_tile, loads, after);
        if (command_.last) drain(channel_tile, row_tile);
      }
      loads = std::move(following);
    }
    finish();
    return profile_;
  }

 private:
  void read_parameters(int64_t channel_tile) {
    const AccessCost read = parameter_access(command_, shape_, channel_tile, config_.datapath.word_bytes());
    demand(profile_.main, Resource::SramRead) += read.words;
    parameter_words_ += read.words;
    words_beside_load_ += read.words;
    add_words(asked_, read.banks);
  }

  /// The load of a weight tile begins.
  void start_load(const AccessCost& load) {
    load_ = load;
    add_words(asked_, load.banks);
    words_beside_load_ = 0;
    demand(profile_.main, Resource::SramRead) += load.words;
    weight_words_ += load.words;
  }

  void accumulate(int64_t channel_tile, int64_t row_tile, const std::vector<AccessCost>& loads, const AccessCost& after) {
    for (MacTimeline& line : lines_) line.take_bank();
    for (int64_t step = 0; step < shape_.steps; ++step) {
      const AccessCost& other_byte = loads[static_cast<size_t>(step)];
      const AccessCost& next_step = step + 1 < shape_.steps ? loads[static_cast<size_t>(step) + 1] : after;
      const std::span<const AccessCost> lines = activation_.costs(channel_tile, row_tile, step);
      AccessCost rows;
      for (const AccessCost& line : lines) rows.add(line);
      for (int64_t tile = 1; tile <= shape_.weight_tiles; ++tile) {
        int64_t begin = lines_[Conflict].now();
        if (row_tile == 0 || !shape_.keeps_weights()) {
          const Slots load = slots_of(load_, load_.words + words_beside_load_, port_);
          const int64_t swap = std::exchange(seen_swap_cycles_, 0) * port_;
          for (size_t level = 0; level < kNumLevels; ++level) lines_[level].take_weights(load[level] + swap);
          start_load(tile < shape_.weight_tiles ? other_byte : next_step);
        }
        const int64_t first_row = std::exchange(first_row_cycles_, 0);
        const Slots multiply = slots_of_rows(command_, rows, port_);
        for (const size_t level : {Datapath, Port}) lines_[level].multiply(multiply[level] + first_row * port_);
        lines_[Conflict].multiply(first_row * port_);
        for (const AccessCost& line : lines) {
          lines_[Conflict].multiply(slots_of_rows(command_, line, port_)[Conflict]);
          add_words(asked_, line.banks);
          wait_for_banks(std::exchange(begin, lines_[Conflict].now()));
        }
        busy_cycles_ += rows.cycles + first_row;
        words_beside_load_ += rows.words;
        demand(profile_.main, Resource::SramRead) += rows.words;
        activation_words_ += rows.words;
      }
    }
    if (channel_tile == 0 && row_tile == 0) first_end_ = lines_[Conflict].now();
  }

  /// Ends a stretch of the command that began at `begin`: it lasts until the banks have served the words that it asked for,
  /// and the rows that were drained at the same time.
  void wait_for_banks(int64_t begin) {
    MacTimeline& line = lines_[Conflict];
    BankParts words{};
    for (size_t bank = 0; bank < words.size(); ++bank) words[bank] = asked_[bank] * EvenWords::kOne;
    for (const EvenWords& drained : drained_) drained.add_between(begin, line.now(), words);
    line.multiply(backlog_.pass(words, line.now() - begin));
    asked_ = {};
  }

  void drain(int64_t channel_tile, int64_t row_tile) {
    const DrainCost cost = drain_.cost(channel_tile, row_tile);
    count(profile_.main, last_drain_);  // the one before, which ends within main
    last_drain_ = cost;
    addend_words_ += cost.addend_words;
    if (command_.residual) profile_.possible_error.residual_cycles += cost.addend_words - shape_.rows_of(row_tile);
    const Slots slots{cost.datapath_cycles * port_, cost.ported_cycles * port_, cost.conflicted_cycles * port_};
    for (size_t level = 0; level < kNumLevels; ++level) lines_[level].drain(slots[level]);
    drained_.clear();
    const int64_t start = lines_[Conflict].drain_start(), end = lines_[Conflict].drain_end();
    if (command_.mode == spec::MacMode::Conv) {
      drained_.emplace_back(cost.banks, start, end);
      return;
    }
    const auto end_of = [&](int64_t rows) { return start + (end - start) * rows / shape_.rows_of(row_tile); };
    int64_t rows = 0;
    for (const DrainedRows& line : drain_.in_lines(channel_tile, row_tile)) {
      drained_.emplace_back(line.banks, end_of(rows), end_of(rows + line.rows));
      rows += line.rows;
    }
  }

  static void count(Phase& phase, const DrainCost& cost) {
    demand(phase, Resource::SramRead) += cost.addend_words;
    demand(phase, Resource::SramWrite) += cost.write_words;
    demand(phase, Resource::RescaleLanes) += cost.rescale_vectors;
    demand(phase, Resource::TableLanes) += cost.table_vectors;
  }

  void finish() {
    if (command_.last) {
      for (MacTimeline& line : lines_) line.wait_for_last_drain();
    }
    std::array<int64_t, kNumLevels> cycles{};
    for (size_t level = 0; level < kNumLevels; ++level) cycles[level] = base::ceil_div(lines_[level].now(), port_);
    Phase& main = profile_.main;
    main.busy_cycles = main.cycles = busy_cycles_;
    // Behind the last row of a slice nothing follows it through the pipeline but the next command.
    add_stall(main, Stall::PipelineFill, spec::kSramReadLatencyCycles + (command_.last ? 0 : spec::kMacPipelineCycles));
    add_stall(main, Stall::WeightLoad, lines_[Datapath].weight_waits() / port_);
    add_stall(main, Stall::RescaleContention, lines_[Datapath].bank_waits() / port_);
    main.datapath_cycles = main.cycles;
    add_stall(main, Stall::PortContention, cycles[Port] - cycles[Datapath]);
    add_stall(main, Stall::BankConflict, cycles[Conflict] - cycles[Port]);
    stretch_to_demand(main, config_, spec::kSramReadLatencyCycles);
    set_lead(main, stall(main, Stall::PipelineFill) + base::ceil_div(first_end_, port_), config_);
    if (command_.last) finish_drain();

    PossibleError& error = profile_.possible_error;
    const int64_t written_words = demand(main, Resource::SramWrite) + demand(profile_.drain, Resource::SramWrite);
    error.streams_cycles =
        words_of_lesser({activation_words_, weight_words_, parameter_words_, addend_words_, written_words});
    error.padding_cycles = activation_.padding_cycles();
  }

  void finish_drain() {
    Phase& drain = profile_.drain;
    drain.busy_cycles = drain.cycles = last_drain_.datapath_cycles;
    add_stall(drain, Stall::PipelineFill, spec::kMacPipelineCycles + drain_.fill_cycles());
    drain.datapath_cycles = drain.cycles;
    add_stall(drain, Stall::PortContention, last_drain_.ported_cycles - last_drain_.datapath_cycles);
    add_stall(drain, Stall::BankConflict, last_drain_.conflicted_cycles - last_drain_.ported_cycles);
    count(drain, last_drain_);
    stretch_to_demand(drain, config_);
  }

  const spec::MacCommand& command_;
  const config::MachineConfig& config_;
  int64_t port_;
  MacShape shape_;
  MacActivation activation_;
  MacWeights weights_;
  MacDrain drain_;
  int64_t first_row_cycles_;                          // until it is counted
  int64_t seen_swap_cycles_ = spec::kTileSwapCycles;  // the first load and its swap are seen; until it is counted
  std::array<MacTimeline, kNumLevels> lines_;
  BankBacklog backlog_;
  BankWords asked_{};               // by activations, weights and parameters, since the backlog was counted
  std::vector<EvenWords> drained_;  // of the row tile before, line by line
  AccessCost load_;                 // of the weight tile that goes into the shadow
  int64_t words_beside_load_ = 0;   // of activations and parameters, since that load began
  int64_t busy_cycles_ = 0;
  int64_t first_end_ = 0;  // of the first row tile's accumulation
  DrainCost last_drain_;
  int64_t activation_words_ = 0, weight_words_ = 0, parameter_words_ = 0, addend_words_ = 0;
  Profile profile_;
};

}  // namespace

Profile profile(const spec::MacCommand& command, const config::MachineConfig& config) {
  return MacProfile(command, config).run();
}

}  // namespace vernier::timing
