// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/replay/lane_replay.hpp"

#include "hw/base/error.hpp"
#include "sim/cosim/lockstep/pipe_results.hpp"
#include "sim/cosim/lockstep/table_fill.hpp"
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
/// Edges after the last row, beyond those of the pipe, in which a late result may come.
constexpr int64_t kReplayLostEdges = 64;

/// A replay in progress: rows on the pins, and an oracle that looks at them.
class Player : private Participant {
 public:
  Player(const LaneReplay& replay, ClockedBlock& block, std::string_view subject)
      : replay_(replay),
        block_(block),
        subject_(subject),
        pins_(block),
        oracle_(block),
        board_(block, oracle_.groups()),
        bench_(block, board_),
        results_(bench_),
        en_(block.port("en_i")),
        valid_(block.port(std::string(block.description().results) + "_valid_i")) {
    if (block.description().unit == "table") {
      formats_ = block.port("slot_format_o");
      fill_valid_ = block.port("tbl_valid_i");
    }
    board_.on_mismatch([this](const Mismatch& mismatch) {
      if (board_.result().mismatches == 0) first_mismatch_vector_ = mismatch.vector;
    });
    bench_.add(results_);
    bench_.add(*this);
  }

  /// With `probes` each cycle is probed for outputs that follow inputs, where a run probes now and then.
  LaneReplayed run(bool probes) {
    if (probes) bench_.probe(PortProbe(block_), 1);
    block_.count_from(replay_.rows.first_cycle);
    for (int64_t i = 0; i < replay_.rows.size() && !results_.has_lost_count(); ++i) {
      pins_.put(replay_.rows.row(i));
      bench_.cycle(en_.get() != 0);
    }
    // What is in flight comes out.
    block_.port("rst_ni").set(1);
    valid_.set(0);
    if (fill_valid_.bits() > 0) fill_valid_.set(0);
    const int64_t end = block_.description().latency_cycles + kReplayLostEdges;
    for (int64_t i = 0; i < end && !results_.has_lost_count(); ++i) bench_.cycle();
    results_.count_missing();
    LaneReplayed played{board_.take(), first_mismatch_vector_};
    for (Mismatch& mismatch : played.result.first_mismatches) {
      if (mismatch.vector >= 0) mismatch.vector += replay_.first_vector;
    }
    return played;
  }

 private:
  void offer(bool /*is_enabled*/) override {}
  void settled() override {
    if (std::exchange(was_in_reset_, false)) compare_formats();
  }
  Seen see() override {
    // The oracle sees the vector before the block sees what no unit takes.
    if (auto vector = oracle_.edge(subject_)) {
      const auto taken = std::make_shared<const LaneOracle::Vector>(std::move(*vector));
      results_.expect({.tag = taken->tag,
                       .group = oracle_.group_of(*taken),
                       .expected = taken->results,
                       .explain = [this, taken](int lane) { return oracle_.explain(*taken, lane); }});
    }
    return Seen::Still;
  }
  void clocked() override { compare_formats(); }
  void was_reset() override {
    oracle_.reset();
    was_in_reset_ = true;
  }
  void compare_formats() {
    if (formats_.bits() == 0) return;
    if (auto difference = formats_difference(formats_.get(), oracle_.formats())) board_.report(std::move(*difference));
  }

  const LaneReplay& replay_;
  ClockedBlock& block_;
  std::string_view subject_;
  PinRow pins_;
  LaneOracle oracle_;
  Scoreboard board_;
  Bench bench_;
  PipeResults results_;
  Port en_, valid_, formats_, fill_valid_;
  int64_t first_mismatch_vector_ = -1;
  bool was_in_reset_ = false;
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
