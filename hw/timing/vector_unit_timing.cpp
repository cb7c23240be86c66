// SPDX-License-Identifier: Apache-2.0
// profile(VectorCommand).
//
// The schedule stands in the command (hw/spec/command.hpp, "Schedule"); here it is only read: a kept position with V vectors
// of Body takes (V - 1) x interval + length, and one follows the other; a program of Body steps only is one position of all
// its vectors. The SRAM latency is paid once, since addresses run ahead of the schedule. Busy are the cycles that the
// most-used slot is held; the rest, in which steps wait for results or registers, is pipeline fill.
//   v256, load, load, rescale, rescale, add, rescale, store over V vectors: interval 3, length 23: 3 (V - 1) + 23 + 2.
//
// A load or a store takes its words over the port, and those of a port's cycle that share a bank one by one. A vector of
// Body that needs more time for them than its interval waits for the rest: the words of one follow those of the other, 5
// words on 2 a cycle take 2.5 cycles. Those of Init come ahead and those of Final leave behind (hw/spec/stream_buffers.hpp):
// they cost nothing while all loads, and all stores, fit into the command's cycles.
//   v256: int8, consecutive: 1 word (2 unaligned); int32: 4 words: 1 cycle to load (4 a cycle), 2 to store (2 a cycle);
//   an int48 vector is 8 words: 2 cycles to load, 4 to store;
//   a lane stride other than the element's size: by address, up to a word a lane; a broadcast 1 word.
//
// A Body of accumulating loads alone takes two positions a cycle (hw/spec/command.hpp, "Pairs"): their words together go
// over the port, 4 a cycle, those of a cycle that share a bank one by one.
//   v256: planes of int8, 25 x 5 positions of a pool, 5 of them the innermost loop: 25 x 3 cycles; merged to 125: 63.
//
// The sums over vectors are exact: addresses modulo the period of the banks repeat along each loop, so that each combination
// of residues is looked at once and counted. Of a phase with one stream, as the large windows of pools have it, the residues
// are counted loop by loop, however many positions there are.
//
// Not modelled: collisions in a bank between a load and a store of one cycle (at most one cycle for each word of the
// lesser; D-004).
#include "hw/base/division.hpp"
#include "hw/base/element_type.hpp"
#include "hw/base/error.hpp"
#include "hw/spec/latency.hpp"
#include "hw/spec/vector_cycles.hpp"
#include "hw/timing/access_pattern.hpp"
#include "hw/timing/phase_builder.hpp"
#include "hw/timing/unit_timing.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>

namespace vernier::timing {

namespace {

using base::ceil_div;
using base::floor_mod;
using spec::VectorOp;
using spec::VectorPhase;
using spec::VectorSlot;

constexpr size_t kNumSlots = static_cast<size_t>(VectorSlot::Store) + 1;
constexpr size_t kNumStreams = spec::kMaxVectorStreams;
using SlotCycles = std::array<int64_t, kNumSlots>;

/// Of vectors of Body, cumulative, in slots: the least that they take, + words over the ports, + bank conflicts.
struct VectorCycles {
  int64_t least = 0, ported = 0, conflicted = 0;
};

/// Active lanes of the vectors that a cycle works on; second is 0 for one alone.
struct Active {
  int64_t first, second = 0;
  auto operator<=>(const Active&) const = default;
};

class VectorProfile {
 public:
  VectorProfile(const spec::VectorCommand& command, const config::MachineConfig& config)
      : command_(command),
        config_(config),
        lanes_(config.datapath.lanes),
        word_bytes_(config.datapath.word_bytes()),
        period_bytes_(bank_period_bytes(config.datapath)),
        slots_per_cycle_(config.datapath.sram_read_words * config.datapath.sram_write_words),
        has_pairs_(spec::reduces_in_pairs(command)) {
    VERNIER_CHECK(command.streams.size() <= kNumStreams, "{} streams", command.streams.size());
    for (const spec::VectorStep& step : command.steps) uses_.push_back(spec::slot_uses(step, command, config.datapath));
  }

  Profile run() {
    const bool has_init = has(VectorPhase::Init), has_final = has(VectorPhase::Final);
    if (has_init) run_phase(VectorPhase::Init);
    run_phase(VectorPhase::Body);
    if (has_final) run_phase(VectorPhase::Final);
    Phase& main = profile_.main;
    const int64_t positions = has_init || has_final ? kept_positions() : 1;
    const bool loads = std::any_of(command_.steps.begin(), command_.steps.end(),
                                   [](const spec::VectorStep& step) { return spec::is_load(step.op); });
    main.busy_cycles = main.cycles = *std::max_element(held_.begin(), held_.end());
    const int64_t datapath_cycles = (vectors_of_body_ - positions) * command_.interval +
                                    positions * spec::length_of(command_, config_.datapath) +
                                    (loads ? spec::kSramReadLatencyCycles : 0);
    add_stall(main, Stall::PipelineFill, datapath_cycles - main.busy_cycles);
    main.datapath_cycles = main.cycles;
    const auto cycles_of = [this](int64_t slots) { return ceil_div(slots, slots_per_cycle_); };
    add_stall(main, Stall::PortContention, cycles_of(total_.ported - total_.least));
    add_stall(main, Stall::BankConflict, cycles_of(total_.conflicted - total_.ported));
    add_stall(main, Stall::BankConflict, std::max(int64_t{0}, cycles_of(std::max(load_slots_, store_slots_)) - main.cycles));
    stretch_to_demand(main, config_, spec::kSramReadLatencyCycles);
    profile_.possible_error.streams_cycles =
        words_of_lesser({demand(main, Resource::SramRead), demand(main, Resource::SramWrite)});
    return profile_;
  }

 private:
  using Residues = std::array<int64_t, kNumStreams>;

  [[nodiscard]] bool has(VectorPhase phase) const {
    return std::any_of(command_.steps.begin(), command_.steps.end(), [&](const auto& step) { return step.phase == phase; });
  }

  /// Each once, in the order of their numbers.
  [[nodiscard]] std::vector<size_t> streams_of(VectorPhase phase) const {
    std::vector<size_t> streams;
    for (const spec::VectorStep& step : command_.steps) {
      if (step.phase == phase && spec::has_stream(step.op)) streams.push_back(static_cast<size_t>(step.stream));
    }
    std::sort(streams.begin(), streams.end());
    streams.erase(std::unique(streams.begin(), streams.end()), streams.end());
    return streams;
  }

  [[nodiscard]] int64_t vectors_of_lanes() const { return ceil_div(command_.lanes, lanes_); }

  [[nodiscard]] int64_t kept_positions() const {
    int64_t kept = command_.lanes_reduced ? 1 : vectors_of_lanes();
    for (int64_t i = 0; i < command_.kept_loops; ++i) kept *= command_.counts[static_cast<size_t>(i)];
    return kept;
  }

  void run_phase(VectorPhase phase) {
    const bool on_element = command_.lanes_reduced && phase != VectorPhase::Body;
    const size_t loops = phase == VectorPhase::Body ? command_.counts.size() : static_cast<size_t>(command_.kept_loops);
    used_ = streams_of(phase);
    Residues start{};
    for (const size_t s : used_) start[s] = floor_mod(command_.streams[s].base, period_bytes_);
    if (on_element) return walk(phase, 0, loops, start, 1, {1});
    const bool in_pairs = has_pairs_ && phase == VectorPhase::Body && command_.lanes_reduced;
    const int64_t full = command_.lanes / lanes_, rest = command_.lanes % lanes_;
    const int64_t at_once = in_pairs ? 2 : 1;
    // Along the lanes: vectors that are full, by residue, then what is left.
    visit_loop(
        full / at_once, [&](size_t s) { return at_once * vector_bytes(s); }, start, 1,
        [&](const Residues& at, int64_t times) {
          walk(phase, 0, loops, at, times, {lanes_, in_pairs ? lanes_ : 0});
        });
    const int64_t done = full / at_once * at_once;
    if (done == full && rest == 0) return;
    for (const size_t s : used_) {
      start[s] = floor_mod(start[s] + done * vector_bytes(s), period_bytes_);
    }
    walk(phase, 0, loops, start, 1, done == full ? Active{rest} : Active{lanes_, rest});
  }

  [[nodiscard]] int64_t vector_bytes(size_t s) const { return lanes_ * command_.streams[s].lane_stride_bytes; }

  /// Each combination of residues along one loop, with how many indices have it.
  template <typename StrideOf, typename Visit>
  void visit_loop(int64_t count, const StrideOf& stride_of, const Residues& start, int64_t times, const Visit& visit) {
    int64_t period = 1;
    Residues step{};
    for (const size_t s : used_) {
      step[s] = floor_mod(stride_of(s), period_bytes_);
      if (step[s] != 0) period = std::lcm(period, period_bytes_ / std::gcd(step[s], period_bytes_));
    }
    Residues at = start;
    for (int64_t index = 0; index < std::min(count, period); ++index) {
      visit(at, times * ceil_div(count - index, period));
      for (const size_t s : used_) at[s] = (at[s] + step[s]) % period_bytes_;
    }
  }

  void walk(VectorPhase phase, size_t loop, size_t loops, const Residues& at, int64_t times, Active active) {
    if (loop == loops) return add_vector(phase, at, times, active);
    if (loop == 0 && used_.size() == 1) return walk_one_stream(phase, loops, at, times, active);
    if (has_pairs_ && phase == VectorPhase::Body && !command_.lanes_reduced && loop + 1 == loops) {
      return walk_pairs(at, times, active.first);
    }
    visit_loop(
        command_.counts[loop], [&](size_t s) { return command_.streams[s].strides_bytes[loop]; }, at, times,
        [&](const Residues& next, int64_t next_times) { walk(phase, loop + 1, loops, next, next_times, active); });
  }

  /// All loops at once.
  void walk_one_stream(VectorPhase phase, size_t loops, const Residues& at, int64_t times, Active active) {
    const spec::VectorStream& stream = command_.streams[used_[0]];
    std::vector<Loop> walked;
    for (size_t i = 0; i < loops; ++i) walked.push_back({command_.counts[i], stream.strides_bytes[i]});
    const auto add_all = [&](int64_t start, Active lanes) {
      const std::vector<int64_t> counts = residue_histogram(start, walked, period_bytes_);
      Residues next{};
      for (int64_t& residue = next[used_[0]]; residue < period_bytes_; ++residue) {
        const int64_t count = counts[static_cast<size_t>(residue)];
        if (count > 0) add_vector(phase, next, times * count, lanes);
      }
    };
    if (!has_pairs_ || phase != VectorPhase::Body || command_.lanes_reduced) return add_all(at[used_[0]], active);
    // The innermost loop two positions at a time, then the one left over.
    const Loop innermost = walked.back();
    walked.back() = {innermost.count / 2, 2 * innermost.stride_bytes};
    if (innermost.count > 1) add_all(at[used_[0]], {active.first, active.first});
    walked.pop_back();
    if (innermost.count % 2 != 0) add_all(at[used_[0]] + (innermost.count - 1) * innermost.stride_bytes, active);
  }

  /// The innermost reduced loop, two positions at a time.
  void walk_pairs(const Residues& at, int64_t times, int64_t active) {
    const int64_t count = command_.counts.back();
    visit_loop(
        count / 2, [&](size_t s) { return 2 * command_.streams[s].strides_bytes.back(); }, at, times,
        [&](const Residues& next, int64_t next_times) {
          add_vector(VectorPhase::Body, next, next_times, {active, active});
        });
    if (count % 2 == 0) return;
    Residues last = at;
    for (const size_t s : used_) {
      last[s] = floor_mod(last[s] + (count - 1) * command_.streams[s].strides_bytes.back(), period_bytes_);
    }
    add_vector(VectorPhase::Body, last, times, {active});
  }

  void add_vector(VectorPhase phase, const Residues& at, int64_t times, Active active) {
    SlotCycles held{}, ported{}, conflicted{};
    for (size_t i = 0; i < command_.steps.size(); ++i) {
      const spec::VectorStep& step = command_.steps[i];
      if (step.phase != phase) continue;
      AccessCost access;
      if (spec::has_stream(step.op)) {
        const bool is_load = step.op != VectorOp::Store;
        access = access_of(static_cast<size_t>(step.stream), at[static_cast<size_t>(step.stream)], active, is_load);
        demand(profile_.main, is_load ? Resource::SramRead : Resource::SramWrite) += access.words * times;
      }
      if (spec::slot_of(step.op) == VectorSlot::Mul) demand(profile_.main, Resource::RescaleLanes) += times;
      if (spec::slot_of(step.op) == VectorSlot::Table) demand(profile_.main, Resource::TableLanes) += times;
      for (const spec::SlotUse& use : uses_[i]) {
        const auto slot = static_cast<size_t>(use.slot);
        const bool is_memory = use.slot == VectorSlot::Load || use.slot == VectorSlot::Store;
        held[slot] += use.cycles;
        const int64_t alone = use.cycles * slots_per_cycle_;
        const int64_t moved = is_memory ? access.words * slots_of_word(use.slot) : 0;
        ported[slot] += std::max(alone, moved);
        const bool meets = is_memory && access.conflict_cycles > 0;
        const int64_t one_by_one = meets ? (access.cycles + access.conflict_cycles) * slots_per_cycle_ : 0;
        conflicted[slot] += std::max({alone, moved, one_by_one});
      }
    }
    const bool is_body = phase == VectorPhase::Body;
    if (is_body) vectors_of_body_ += times;
    for (size_t slot = 0; slot < kNumSlots; ++slot) held_[slot] += times * held[slot];
    const int64_t least = command_.interval * slots_per_cycle_;
    load_slots_ += times * conflicted[static_cast<size_t>(VectorSlot::Load)];
    store_slots_ += times * conflicted[static_cast<size_t>(VectorSlot::Store)];
    if (!is_body) return;
    total_.least += times * least;
    total_.ported += times * std::max(least, *std::max_element(ported.begin(), ported.end()));
    total_.conflicted += times * std::max(least, *std::max_element(conflicted.begin(), conflicted.end()));
  }

  [[nodiscard]] int64_t slots_of_word(VectorSlot slot) const {
    return slot == VectorSlot::Load ? config_.datapath.sram_write_words : config_.datapath.sram_read_words;
  }

  AccessCost access_of(size_t stream_idx, int64_t residue, Active active, bool is_load) {
    const auto [found, is_new] = accesses_.try_emplace({stream_idx, residue, active, is_load});
    if (!is_new) return found->second;
    const spec::VectorStream& stream = command_.streams[stream_idx];
    const int64_t element_bytes = base::stored_bytes(stream.type);
    std::vector<Run> runs;
    const int64_t to_second = command_.lanes_reduced ? vector_bytes(stream_idx) : stream.strides_bytes.back();
    for (int64_t lane = 0; lane < active.first; ++lane) runs.push_back({lane * stream.lane_stride_bytes, element_bytes});
    for (int64_t lane = 0; lane < active.second; ++lane) {
      runs.push_back({to_second + lane * stream.lane_stride_bytes, element_bytes});
    }
    std::vector<int64_t> words;
    words_of(union_of(std::move(runs)), residue, word_bytes_, words);
    found->second = cost_in_order(words, is_load ? config_.datapath.sram_read_words : config_.datapath.sram_write_words);
    return found->second;
  }

  const spec::VectorCommand& command_;
  const config::MachineConfig& config_;
  int64_t lanes_, word_bytes_, period_bytes_;
  int64_t slots_per_cycle_;  // parts of a cycle that one word takes on either port
  bool has_pairs_;
  std::vector<std::vector<spec::SlotUse>> uses_;  // by step
  std::vector<size_t> used_;                      // streams of the phase that is walked
  VectorCycles total_;
  int64_t load_slots_ = 0, store_slots_ = 0;  // of all vectors, with ports and conflicts
  SlotCycles held_{};                         // over all vectors
  int64_t vectors_of_body_ = 0;
  std::map<std::tuple<size_t, int64_t, Active, bool>, AccessCost> accesses_;
  Profile profile_;
};

}  // namespace

Profile profile(const spec::VectorCommand& command, const config::MachineConfig& config) {
  return VectorProfile(command, config).run();
}

}  // namespace vernier::timing
