// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/replay/lane_replay.hpp"

#include "hw/base/error.hpp"
#include "sim/cosim/block/block_reset.hpp"
#include "sim/cosim/block/edge_text.hpp"
#include "sim/cosim/block/held_ports.hpp"
#include "sim/cosim/replay/lane_oracle.hpp"
#include "sim/cosim/stream/table_driver.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

namespace vernier::cosim {
namespace {

/// Rows before the mismatch that are tried, shortest first, beyond those of the pipe.
constexpr std::array<int64_t, 4> kShortRows{2, 16, 64, 512};
/// A result that is so many edges late does not come any more.
constexpr int64_t kReplayLostEdges = 64;

/// A replay in progress: pins, the oracle that looks at them, and the block's outputs.
class Player {
 public:
  Player(const LaneReplay& replay, ClockedBlock& block, std::string_view subject)
      : replay_(replay),
        block_(block),
        subject_(subject),
        pins_(block),
        oracle_(block),
        group_(block.description().results),
        all_outputs_(block),
        held_(HeldPorts::of_results(block)) {
    const auto port = [&](std::string_view name) { return block.port(group_ + "_" + std::string(name)); };
    valid_i_ = port("valid_i");
    tag_o_ = port("tag_o");
    valid_o_ = port("valid_o");
    result_o_ = port("result_o");
    if (block.description().unit == "table") {
      formats_ = block.port("slot_format_o");
      fill_valid_ = block.port("tbl_valid_i");
    }
    for (std::string& name : oracle_.groups()) played_.result.groups.push_back({std::move(name)});
  }

  LaneReplayed run(bool probes) {
    block_.count_from(replay_.rows.first_cycle);
    for (int64_t i = 0; i < replay_.rows.size() && !is_lost_; ++i) {
      pins_.put(replay_.rows.row(i));
      cycle(probes);
    }
    // What is in flight comes out.
    block_.port("rst_ni").set(1);
    block_.port("en_i").set(1);
    valid_i_.set(0);
    if (fill_valid_.bits() > 0) fill_valid_.set(0);
    const int64_t end = block_.description().latency_cycles + kReplayLostEdges;
    for (int64_t i = 0; i < end && !is_lost_; ++i) cycle(probes);
    for (const InFlight& beat : in_flight_)
      finish(beat.vector,
             Mismatch{.kind = MismatchKind::Missing, .port = group_ + "_valid_o", .words = "the result is missing"}, true);
    return std::move(played_);
  }

 private:
  struct InFlight {
    LaneOracle::Vector vector;
    int64_t edge;  // at which its result is due
  };
  struct Seen {
    bool valid = false;
    uint64_t tag = 0;
  };

  void cycle(bool probes) {
    block_.settle();
    if (block_.port("rst_ni").get() == 0) {
      see_reset();
      was_in_reset_ = true;
      in_flight_.clear();
      oracle_.reset();
      was_enabled_ = true;
      block_.edge();
      return;
    }
    if (std::exchange(was_in_reset_, false)) compare_formats();
    edges_in_reset_ = 0;
    is_told_ = false;
    const Seen seen{valid_o_.get() != 0, tag_o_.get()};
    if (const auto moved = was_enabled_ ? std::nullopt : held_.moved())
      report({.kind = MismatchKind::Moved, .port = moved->port, .lane = moved->lane, .words = "moves while en_i is low"});
    if (probes) probe();
    const bool is_enabled = block_.port("en_i").get() != 0;
    if (is_enabled) compare(seen);
    held_.hold();
    auto vector = oracle_.edge(subject_);  // before the block sees what no unit takes
    block_.edge();
    if (vector) {
      if (first_edge_ < 0) first_edge_ = edge_;
      in_flight_.push_back({std::move(*vector), edge_ + block_.description().latency_cycles});
    }
    if (is_enabled) ++edge_;
    was_enabled_ = is_enabled;
    compare_formats();
  }

  void compare_formats() {
    if (formats_.bits() == 0) return;
    if (auto difference = formats_difference(formats_.get(), oracle_.formats())) report(std::move(*difference));
  }

  /// One text of each reset. The reset at the beginning has no fall that the block sees, and need not act before an edge.
  void see_reset() {
    const bool has_fallen = edges_in_reset_ >= 0;
    if (!has_fallen || is_told_) return;
    auto left = left_in_reset(block_, edges_in_reset_++);
    is_told_ = left.has_value();
    if (left) report(std::move(*left));
  }

  void probe() {
    all_outputs_.hold();
    for (const std::string& input : {std::string("en_i"), group_ + "_valid_i"}) {
      Port pin = block_.port(input);
      const uint64_t value = pin.get();
      pin.set(1 - value);
      block_.settle();
      if (const auto moved = all_outputs_.moved())
        report(
            {.kind = MismatchKind::Follows, .port = moved->port, .lane = moved->lane, .words = follows_inside_cycle(input)});
      pin.set(value);
      block_.settle();
    }
  }

  void compare(const Seen& seen) {
    if (!seen.valid) {
      is_lost_ = !in_flight_.empty() && edge_ > in_flight_.front().edge + kReplayLostEdges;
      return;
    }
    if (in_flight_.empty()) {
      ++played_.result.cycle_mismatches;
      return report({.kind = MismatchKind::Unasked,
                     .port = group_ + "_valid_o",
                     .words = fmt::format("a beat that nobody asked for, tag {}", seen.tag)});
    }
    const InFlight beat = in_flight_.front();
    if (seen.tag != beat.vector.tag) {
      report({.kind = MismatchKind::Order,
              .port = group_ + "_tag_o",
              .words = fmt::format("tag {} where {} is next", seen.tag, beat.vector.tag)});
      is_lost_ = true;
      return;
    }
    in_flight_.pop_front();
    played_.result.model_cycles = beat.edge - first_edge_;
    played_.result.rtl_cycles = edge_ - first_edge_;
    std::optional<Mismatch> mismatch = different_lane(group_ + "_result_o", result_o_, beat.vector.results,
                                                      [&](int lane) { return oracle_.explain(beat.vector, lane); });
    add_edge(mismatch, away_from_spec(group_ + "_valid_o", edge_ - beat.edge));
    finish(beat.vector, std::move(mismatch), edge_ != beat.edge);
  }

  void finish(const LaneOracle::Vector& vector, std::optional<Mismatch> mismatch, bool is_edge_wrong) {
    LockStepResult& result = played_.result;
    LockStepResult::Group& group = result.groups[static_cast<size_t>(oracle_.group_of(vector))];
    ++result.vectors;
    ++group.vectors;
    if (is_edge_wrong) ++result.cycle_mismatches;
    if (!mismatch) return;
    ++group.mismatches;
    if (result.mismatches == 0) played_.first_mismatch_vector = result.vectors - 1;
    mismatch->vector = replay_.first_vector + result.vectors - 1;
    mismatch->work = group.name;
    report(std::move(*mismatch));
  }

  void report(Mismatch mismatch) { played_.result.report(block_.seen_now(std::move(mismatch))); }

  const LaneReplay& replay_;
  ClockedBlock& block_;
  std::string_view subject_;
  PinRow pins_;
  LaneOracle oracle_;
  std::string group_;
  HeldPorts all_outputs_, held_;  // held_: those of the results
  Port valid_i_, valid_o_, tag_o_, result_o_, formats_, fill_valid_;
  std::deque<InFlight> in_flight_;
  LaneReplayed played_;
  int64_t edge_ = 0, first_edge_ = -1;
  int64_t edges_in_reset_ = -1;  // since rst_ni fell; -1: it has not been high
  bool is_told_ = false;         // what is left in this reset
  bool was_in_reset_ = false;
  bool was_enabled_ = true, is_lost_ = false;
};

/// The last `count` rows, after a reset and fills of the slots that were full then.
LaneReplay last_rows(const PinRows& all, int64_t count, const kernels::TableMemory& tables, const spec::RtlBlock& unit,
                     int lanes) {
  ClockedBlock pins(make_loose_pins(unit, lanes), unit, lanes);
  PinRow row(pins);
  LaneOracle oracle(pins);
  kernels::TableMemory full = tables;
  const int64_t first = std::max<int64_t>(all.size() - count, 0);
  const bool is_table = unit.unit == "table";
  for (int64_t i = 0; i < first && is_table; ++i) {
    row.put(all.row(i));
    if (pins.port("rst_ni").get() == 0) {
      full = {};
      oracle.reset();
      continue;
    }
    pins.port("look_valid_i").set(0);  // results do not matter here
    oracle.edge("replay");
    if (pins.port("tbl_valid_i").get() == 0) continue;
    const auto slot = static_cast<size_t>(pins.port("tbl_slot_i").get());
    full[slot] = {};
    if (const auto& table = oracle.tables()[slot]) {
      full[slot].type = table->format;
      std::ranges::copy(table->bytes, full[slot].bytes.begin());
    }
  }
  LaneReplay cut;
  cut.rows.row_bytes = all.row_bytes;
  PinLog log(pins);
  pins.reset();
  log.add_reset();
  if (is_table) fill_tables(pins, full, &log);
  cut.rows = log.rows();
  cut.rows.first_cycle = std::max<int64_t>(all.first_cycle + first - cut.rows.size(), 0);
  bool has_begun = first == 0;  // a fill, in these rows
  for (int64_t i = first; i < all.size(); ++i) {
    row.put(all.row(i));
    if (is_table && pins.port("tbl_valid_i").get() != 0) {
      has_begun |= pins.port("tbl_word_i").get() == 0;
      if (!has_begun) pins.port("tbl_valid_i").set(0);
    }
    row.append_to(cut.rows.bytes);
  }
  return cut;
}

/// Replays it; whether its first mismatch is `mismatch`, whose number its vector then gets.
bool shows(LaneReplay& replay, const Mismatch& mismatch, ClockedBlock& block) {
  try {
    const LaneReplayed played = run_lane_replay(replay, mismatch.kind, block, "replay");
    if (!shows_fault(played.result, mismatch)) return false;
    if (played.first_mismatch_vector >= 0 && mismatch.vector >= 0)
      replay.first_vector = std::max<int64_t>(mismatch.vector - played.first_mismatch_vector, 0);
    return true;
  } catch (const base::UserError&) {
    return false;  // a cut that leaves out what its operands need
  }
}

}  // namespace

std::vector<LaneOutputs> lane_outputs(const LaneReplay& replay, const spec::RtlBlock& unit, int lanes,
                                      int64_t latency_cycles, std::string_view subject) {
  ClockedBlock pins(make_loose_pins(unit, lanes), unit, lanes);
  PinRow row(pins);
  LaneOracle oracle(pins);
  std::deque<std::optional<LaneOracle::Vector>> pipe(static_cast<size_t>(latency_cycles));
  std::vector<LaneOutputs> outputs;
  for (int64_t i = 0; i < replay.rows.size(); ++i) {
    row.put(replay.rows.row(i));
    LaneOutputs& seen = outputs.emplace_back();
    seen.is_known = pins.port("rst_ni").get() != 0;
    if (!seen.is_known) {
      oracle.reset();
      std::ranges::fill(pipe, std::nullopt);
      continue;
    }
    seen.formats = oracle.formats();
    if (pipe.front()) {
      seen.tag = pipe.front()->tag;
      seen.results = pipe.front()->results;
    }
    const bool is_enabled = pins.port("en_i").get() != 0;
    std::optional<LaneOracle::Vector> vector = oracle.edge(subject);
    if (!is_enabled) continue;
    pipe.pop_front();
    pipe.push_back(std::move(vector));
  }
  return outputs;
}

LaneReplayed run_lane_replay(const LaneReplay& replay, std::optional<MismatchKind> kind, ClockedBlock& block,
                             std::string_view subject) {
  LaneReplayed played = Player(replay, block, subject).run(false);
  // Each cycle is probed for outputs that follow inputs, where a run probes now and then, if that is what is looked for or
  // all is equal without it.
  if (played.result.mismatches > 0 && kind != MismatchKind::Follows) return played;
  block.draw(false);
  return Player(replay, block, subject).run(true);
}

bool shows_fault(const LockStepResult& result, const Mismatch& mismatch) {
  return !result.first_mismatches.empty() && result.first_mismatches.front().same_fault(mismatch);
}

LaneCut cut_lanes(const PinRows& all, const kernels::TableMemory& tables, const Mismatch& mismatch,
                  const std::function<std::unique_ptr<ClockedBlock>()>& make) {
  const std::unique_ptr<ClockedBlock> first = make();
  const spec::RtlBlock unit = first->description();
  const int lanes = first->lanes();
  for (const int64_t rows : kShortRows) {
    const int64_t count = unit.latency_cycles + rows;
    if (count >= all.size()) break;
    LaneCut cut{last_rows(all, count, tables, unit, lanes)};
    cut.is_reproduced = shows(cut.replay, mismatch, *make());
    if (cut.is_reproduced) return cut;
  }
  LaneCut cut{{all}, true};
  // Rows that do not begin with a reset are a step's, whose tables were filled before it.
  if (all.size() == 0 || all.row(0).front() != std::byte{0}) cut.replay = last_rows(all, all.size(), tables, unit, lanes);
  cut.is_reproduced = shows(cut.replay, mismatch, *make());
  return cut;
}

}  // namespace vernier::cosim
