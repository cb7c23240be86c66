// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/network/lane_units.hpp"

#include "hw/base/error.hpp"
#include "sim/cosim/lockstep/foreign_block.hpp"
#include "sim/cosim/lockstep/pipe_results.hpp"
#include "sim/cosim/lockstep/table_fill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace vernier::cosim {
namespace {

constexpr uint64_t kTagMask = (uint64_t{1} << spec::kRtlTagBits) - 1;

/// Register a goes in as it is, and what comes out is a register again.
RescaleSetup setup_of(const spec::VectorStep& step) {
  RescaleSetup setup;
  setup.in_type = step.scale32 ? base::ElementType::Int32 : base::ElementType::Int48;
  setup.out_type = step.type;
  setup.out_unsigned = step.is_unsigned;
  setup.scale32 = step.scale32;
  setup.rounding = step.rounding;
  setup.out_zero_point = static_cast<int32_t>(step.imm1);
  return setup;
}

Table table_of(const kernels::TableSlot& slot, base::ElementType format) {
  return {format, {slot.bytes.begin(), slot.bytes.begin() + table_bytes(format)}};
}

}  // namespace

LaneUnits::Pipe::Pipe(std::unique_ptr<RtlBlock> rtl, std::string_view unit, int lanes, const LaneUnitsOptions& options)
    : block(std::move(rtl), *spec::rtl_block_of_unit(unit), lanes),
      board(block, {""}),
      bench(block, board),
      group(block.description().results),
      valid_i(block.port(group + "_valid_i")),
      tag_i(block.port(group + "_tag_i")),
      valid_o(block.port(group + "_valid_o")),
      tag_o(block.port(group + "_tag_o")),
      result_o(block.port(group + "_result_o")),
      latency_cycles(block.description().latency_cycles),
      log(block) {
  block.reset();
  if (options.are_measured) latency_cycles = measured_latency(block);
  if (!options.is_strict) block.expect_latency(latency_cycles);
  board.keep_at_most(1);
  bench.add(*this);
  bench.keep_log(log);
  if (options.kept_cycles == 0) return;
  kept.emplace(block).keep_all(options.kept_cycles);
  bench.keep_log(*kept);
  bench.reset();
}

LaneUnits::LaneUnits(std::unique_ptr<RtlBlock> rescale, std::unique_ptr<RtlBlock> table, int lanes,
                     const LaneUnitsOptions& options)
    : lanes_(lanes),
      rescale_(std::move(rescale), "rescale", lanes, options),
      table_(std::move(table), "table", lanes, options),
      rescale_pins_(rescale_.block),
      look_slot_(table_.block.port("look_slot_i")),
      look_value_(table_.block.port("look_value_i")),
      operands_(static_cast<size_t>(lanes)) {
  for (Pipe* pipe : {&rescale_, &table_})
    pipe->board.on_mismatch([this, pipe](const Mismatch& mismatch) { keep_fault(*pipe, mismatch); });
}

std::optional<LaneReplay> LaneUnits::kept_inputs(std::string_view unit) const {
  const Pipe& pipe = pipe_of(unit);
  if (pipe.num_vectors == 0 || !pipe.kept) return std::nullopt;
  return LaneReplay{pipe.kept->rows()};
}

void LaneUnits::keep_fault(Pipe& pipe, const Mismatch& mismatch) {
  if (std::exchange(has_fault_, true)) return;
  pipe.log.finish();
  fault_.emplace(FirstFault{.unit = std::string(pipe.block.description().unit),
                            .mismatch = mismatch,
                            .rows = pipe.log.rows(),
                            .tables = filled_,
                            .latency_cycles = pipe.block.description().latency_cycles});
}

RescaleLane LaneUnits::lane_of(const kernels::LaneStep& step, int64_t entry) const {
  if (entry >= std::ssize(step.values)) return {};
  const auto idx = static_cast<size_t>(entry);
  return {step.values[idx], step.multipliers[idx], step.shifts[idx]};
}

LockStepResult LaneUnits::run(const kernels::LaneStep& step, const kernels::TableMemory& tables) {
  if (step.step.op == spec::VectorOp::Rescale) {
    const RescaleSetup setup = setup_of(step.step);
    rescale_.drive = [&](int64_t vector) {
      for (int64_t lane = 0; lane < lanes_; ++lane)
        operands_[static_cast<size_t>(lane)] = lane_of(step, vector * lanes_ + lane);
      rescale_pins_.drive(setup, operands_);
    };
    rescale_.explain = [&](int64_t entry) { return explain(setup, lane_of(step, entry)); };
    return run_step(rescale_, step.results);
  }
  if (filled_ != tables) {
    filled_ = tables;
    fill_tables(table_.block, filled_, table_.kept ? &*table_.kept : nullptr);
  }
  const auto slot = static_cast<size_t>(step.step.slot);
  table_.drive = [&](int64_t vector) {
    look_slot_.set(slot);
    const int64_t end = std::min((vector + 1) * lanes_, std::ssize(step.values));
    for (int64_t entry = vector * lanes_; entry < end; ++entry)
      look_value_.set_field(entry - vector * lanes_, 16, static_cast<uint64_t>(step.values[static_cast<size_t>(entry)]));
  };
  table_.explain = [&](int64_t entry) {
    return explain_look_up(table_of(filled_[slot], step.step.type), static_cast<int>(slot),
                           static_cast<int32_t>(step.values[static_cast<size_t>(entry)]));
  };
  return run_step(table_, step.results);
}

LockStepResult LaneUnits::run_step(Pipe& pipe, std::span<int32_t> results) const {
  pipe.log.clear();
  pipe.results = results;
  pipe.step_vectors = (std::ssize(results) + lanes_ - 1) / lanes_;
  for (pipe.edge = pipe.taken = 0; pipe.taken < pipe.step_vectors;) pipe.bench.cycle();
  pipe.valid_i.set(0);
  pipe.num_vectors += static_cast<uint64_t>(pipe.step_vectors);
  LockStepResult found = pipe.board.take();
  found.groups.clear();
  found.first_place.reset();  // in cycles of another block than those that a network names
  return found;
}

void LaneUnits::Pipe::offer(bool /*is_enabled*/) {
  const bool has_vector = edge < step_vectors;
  valid_i.set(has_vector ? 1 : 0);
  if (!has_vector) return;
  drive(edge);
  tag_i.set((num_vectors + static_cast<uint64_t>(edge)) & kTagMask);
}

Seen LaneUnits::Pipe::see() {
  if (valid_o.get() == 0) return Seen::Still;
  // A beat that comes before its operands is one of another step.
  if (taken >= edge) {
    board.report_edge({.kind = MismatchKind::Unasked,
                       .port = group + "_valid_o",
                       .words = fmt::format("a beat that nobody asked for, tag {}", tag_o.get())});
    return Seen::Still;
  }
  const int64_t late = edge - taken - block.description().latency_cycles;
  std::optional<Mismatch> mismatch = take();
  add_edge(mismatch, away_from_spec(group + "_valid_o", late));
  board.add_result(0, std::move(mismatch), late != 0);
  ++taken;
  return Seen::Still;
}

void LaneUnits::Pipe::clocked() {
  if (edge - taken > step_vectors + kHangCycles) {
    throw Hang(fmt::format("{}: vector {} of a step waits for {}_valid_o since cycle {}", block.description().name, taken,
                           group, block.cycle() - kHangCycles));
  }
  ++edge;
}

/// The results of a vector that is on the port: the first lane that differs with its operands, or a wrong tag.
std::optional<Mismatch> LaneUnits::Pipe::take() const {
  const uint64_t tag = (num_vectors + static_cast<uint64_t>(taken)) & kTagMask;
  const int64_t lanes = block.lanes(), begin = taken * lanes, end = std::min(begin + lanes, std::ssize(results));
  const std::span<int32_t> own = results.subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
  std::optional<Mismatch> found =
      different_lane(group + "_result_o", result_o, own, [&](int lane) { return explain(begin + lane); });
  for (size_t lane = 0; lane < own.size(); ++lane)
    own[lane] = static_cast<int32_t>(result_o.field(static_cast<int64_t>(lane), 32));
  if (tag_o.get() == tag) return found;
  Mismatch wrong_tag{.kind = MismatchKind::Order, .port = group + "_tag_o", .expected = tag, .actual = tag_o.get()};
  if (!found) return wrong_tag;
  found->after = wrong_tag.print();
  return found;
}

}  // namespace vernier::cosim
