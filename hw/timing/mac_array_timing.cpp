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
// What the streams of the command (activations, weights, addends, results) cost each other in the banks is played cycle by
// cycle (bank_play.hpp). The rows of a depthwise command have their own conflicts already (mac_windows.hpp).
//
// Not modelled: words of parameters that meet others, at most one cycle each (D-004).
#include "hw/base/division.hpp"
#include "hw/spec/latency.hpp"
#include "hw/timing/bank_play.hpp"
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

/// Slots of what takes so many cycles by itself, `conflict_cycles` more with banks, and `words` on the read port.
Slots slots_of(int64_t cycles, int64_t conflict_cycles, int64_t words, int64_t port) {
  const int64_t ported = std::max(cycles * port, words);
  return {cycles * port, ported, std::max(ported, (cycles + conflict_cycles) * port)};
}

class MacProfile {
 public:
  MacProfile(const spec::MacCommand& command, const config::MachineConfig& config, bool has_banks)
      : command_(command),
        config_(config),
        port_(config.datapath.sram_read_words),
        shape_(command, config.datapath),
        activation_(command, config.datapath, shape_),
        weights_(command, config.datapath, shape_),
        drain_(command, config.datapath, shape_),
        first_row_cycles_(activation_.first_row_cycles()),
        has_banks_(has_banks),
        play_(config.datapath, {.passes = shape_.passes,
                                .drain_cycles = drain_.row_cycles(),
                                .fill_cycles = spec::kMacPipelineCycles + drain_.fill_cycles()}) {}

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
    const int64_t words = parameter_words(command_, shape_, channel_tile, config_.datapath.word_bytes());
    demand(profile_.main, Resource::SramRead) += words;
    parameter_words_ += words;
    words_beside_load_ += words;
  }

  /// The load of a weight tile begins.
  void start_load(const AccessCost& load) {
    load_ = load;
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
      const bool is_loaded = row_tile == 0 || !shape_.keeps_weights();
      for (int64_t tile = 1; tile <= shape_.weight_tiles; ++tile) {
        const bool ends_row_tile = step + 1 == shape_.steps && tile == shape_.weight_tiles;
        if (has_banks_) play_rows({channel_tile, row_tile, step}, is_loaded, ends_row_tile);
        if (is_loaded) {
          const Slots load = slots_of(load_.cycles, 0, load_.words + words_beside_load_, port_);
          const int64_t swap = std::exchange(seen_swap_cycles_, 0) * port_;
          for (size_t level = 0; level < kNumLevels; ++level) lines_[level].take_weights(load[level] + swap);
          start_load(tile < shape_.weight_tiles ? other_byte : next_step);
        }
        multiply(lines);
      }
    }
    if (channel_tile == 0 && row_tile == 0) first_end_ = lines_[Conflict].now();
  }

  /// The rows of a step, line by line if the command is a depthwise one.
  void multiply(std::span<const AccessCost> lines) {
    AccessCost rows;
    for (const AccessCost& line : lines) rows.add(line);
    const int64_t first_row = std::exchange(first_row_cycles_, 0);
    const Slots slots = slots_of(rows.cycles, 0, rows.words, port_);
    for (const size_t level : {Datapath, Port}) lines_[level].multiply(slots[level] + first_row * port_);
    lines_[Conflict].multiply(first_row * port_);
    for (const AccessCost& line : lines) {
      const int64_t own_conflicts = command_.mode == spec::MacMode::Depthwise ? line.conflict_cycles : 0;
      lines_[Conflict].multiply(slots_of(line.cycles, own_conflicts, line.words, port_)[Conflict]);
    }
    busy_cycles_ += rows.cycles + first_row;
    words_beside_load_ += rows.words;
    demand(profile_.main, Resource::SramRead) += rows.words;
    activation_words_ += rows.words;
  }

  struct Place {
    int64_t channel_tile, row_tile, step;
  };
  void play_rows(const Place& at, bool is_loaded, bool ends_row_tile) {
    BankPlay* const play = play_.is_full() ? nullptr : &play_;
    num_row_beats_ += activation_.add_beats(at.row_tile, at.step, play);
    if (play == nullptr) return;
    if (is_loaded) weights_.add_beats(at.channel_tile, at.step, play_);
    play_.end_rows(is_loaded, ends_row_tile, command_.last ? shape_.rows_of(at.row_tile) : 0);
    if (ends_row_tile && command_.last) drain_.add_rows(at.channel_tile, at.row_tile, play_);
  }

  void drain(int64_t channel_tile, int64_t row_tile) {
    const DrainCost cost = drain_.cost(channel_tile, row_tile);
    count(profile_.main, last_drain_);  // the one before, which ends within main
    last_drain_ = cost;
    addend_words_ += cost.addend_words;
    const Slots slots{cost.datapath_cycles * port_, cost.ported_cycles * port_, cost.ported_cycles * port_};
    for (size_t level = 0; level < kNumLevels; ++level) lines_[level].drain(slots[level]);
  }

  static void count(Phase& phase, const DrainCost& cost) {
    demand(phase, Resource::SramRead) += cost.addend_words;
    demand(phase, Resource::SramWrite) += cost.write_words;
    demand(phase, Resource::RescaleLanes) += cost.rescale_vectors;
    demand(phase, Resource::TableLanes) += cost.table_vectors;
  }

  void finish() {
    const BankPlay::Cost banks = has_banks_ ? play_.cost(num_row_beats_) : BankPlay::Cost{};
    lines_[Conflict].multiply(banks.main * port_);
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
    if (command_.last) finish_drain(banks.drain);

    PossibleError& error = profile_.possible_error;
    const int64_t written_words = demand(main, Resource::SramWrite) + demand(profile_.drain, Resource::SramWrite);
    error.streams_cycles =
        words_of_lesser({activation_words_, weight_words_, parameter_words_, addend_words_, written_words});
    error.padding_cycles = activation_.padding_cycles();
  }

  void finish_drain(int64_t bank_cycles) {
    Phase& drain = profile_.drain;
    drain.busy_cycles = drain.cycles = last_drain_.datapath_cycles;
    add_stall(drain, Stall::PipelineFill, spec::kMacPipelineCycles + drain_.fill_cycles());
    drain.datapath_cycles = drain.cycles;
    add_stall(drain, Stall::PortContention, last_drain_.ported_cycles - last_drain_.datapath_cycles);
    add_stall(drain, Stall::BankConflict, bank_cycles);
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
  bool has_banks_;
  BankPlay play_;
  int64_t num_row_beats_ = 0;
  AccessCost load_;                // of the weight tile that goes into the shadow
  int64_t words_beside_load_ = 0;  // of activations and parameters, since that load began
  int64_t busy_cycles_ = 0;
  int64_t first_end_ = 0;  // of the first row tile's accumulation
  DrainCost last_drain_;
  int64_t activation_words_ = 0, weight_words_ = 0, parameter_words_ = 0, addend_words_ = 0;
  Profile profile_;
};

}  // namespace

Profile profile(const spec::MacCommand& command, const config::MachineConfig& config) {
  return MacProfile(command, config, true).run();
}

Profile profile_before_banks(const spec::MacCommand& command, const config::MachineConfig& config) {
  return MacProfile(command, config, false).run();
}

}  // namespace vernier::timing
