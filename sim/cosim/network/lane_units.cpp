// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/network/lane_units.hpp"

#include "hw/base/error.hpp"
#include "sim/cosim/block/edge_text.hpp"
#include "sim/cosim/lockstep/foreign_block.hpp"

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

LaneUnits::Pipe::Pipe(std::unique_ptr<RtlBlock> rtl, std::string_view unit, int lanes)
    : block(std::move(rtl), *spec::rtl_block_of_unit(unit), lanes), step(block) {
  const auto port = [&](std::string_view name) {
    return block.port(fmt::format("{}_{}", block.description().results, name));
  };
  valid_i = port("valid_i");
  tag_i = port("tag_i");
  valid_o = port("valid_o");
  tag_o = port("tag_o");
  result_o = port("result_o");
  block.reset();
}

LaneUnits::LaneUnits(std::unique_ptr<RtlBlock> rescale, std::unique_ptr<RtlBlock> table, int lanes)
    : lanes_(lanes),
      rescale_(std::move(rescale), "rescale", lanes),
      table_(std::move(table), "table", lanes),
      rescale_pins_(rescale_.block),
      look_slot_(table_.block.port("look_slot_i")),
      look_value_(table_.block.port("look_value_i")),
      operands_(static_cast<size_t>(lanes)) {}

std::pair<int64_t, int64_t> LaneUnits::measure_latencies(bool expects_them) {
  const int64_t rescale = measured_latency(rescale_.block), table = measured_latency(table_.block);
  if (expects_them) {
    rescale_.block.expect_latency(rescale);
    table_.block.expect_latency(table);
  }
  return {rescale, table};
}

void LaneUnits::keep_inputs(int64_t cycles) {
  for (Pipe* pipe : {&rescale_, &table_}) {
    pipe->block.reset();
    pipe->kept.emplace(pipe->block);
    pipe->kept->keep_all(cycles);
    pipe->kept->add_reset();
  }
  filled_ = {};
}

std::optional<LaneReplay> LaneUnits::kept_inputs(std::string_view unit) const {
  const Pipe& pipe = unit == "table" ? table_ : rescale_;
  if (pipe.num_vectors == 0 || !pipe.kept) return std::nullopt;
  return LaneReplay{pipe.kept->rows()};
}

RescaleLane LaneUnits::lane_of(const kernels::LaneStep& step, int64_t entry) const {
  if (entry >= std::ssize(step.values)) return {};
  const auto idx = static_cast<size_t>(entry);
  return {step.values[idx], step.multipliers[idx], step.shifts[idx]};
}

LaneUnits::Outcome LaneUnits::run(const kernels::LaneStep& step, const kernels::TableMemory& tables) {
  if (step.step.op == spec::VectorOp::Rescale) {
    const RescaleSetup setup = setup_of(step.step);
    return run_pipe(
        rescale_, step,
        [&](int64_t vector) {
          for (int64_t lane = 0; lane < lanes_; ++lane)
            operands_[static_cast<size_t>(lane)] = lane_of(step, vector * lanes_ + lane);
          rescale_pins_.drive(setup, operands_);
        },
        [&](int64_t entry) { return explain(setup, lane_of(step, entry)); });
  }
  const auto is_same = [](const kernels::TableSlot& a, const kernels::TableSlot& b) {
    return a.type == b.type && a.bytes == b.bytes;
  };
  if (!std::ranges::equal(filled_, tables, is_same)) {
    filled_ = tables;
    fill_tables(table_.block, filled_, table_.kept ? &*table_.kept : nullptr);
  }
  const auto slot = static_cast<size_t>(step.step.slot);
  return run_pipe(
      table_, step,
      [&](int64_t vector) {
        look_slot_.set(slot);
        const int64_t end = std::min((vector + 1) * lanes_, std::ssize(step.values));
        for (int64_t entry = vector * lanes_; entry < end; ++entry) {
          look_value_.set_field(entry - vector * lanes_, 16, static_cast<uint64_t>(step.values[static_cast<size_t>(entry)]));
        }
      },
      [&](int64_t entry) {
        return explain_look_up(table_of(filled_[slot], step.step.type), static_cast<int>(slot),
                               static_cast<int32_t>(step.values[static_cast<size_t>(entry)]));
      });
}

template <typename Drive, typename Explain>
LaneUnits::Outcome LaneUnits::run_pipe(Pipe& pipe, const kernels::LaneStep& step, Drive drive, Explain explain) {
  Outcome outcome;
  const int64_t num_vectors = (std::ssize(step.values) + lanes_ - 1) / lanes_;
  const int64_t latency = pipe.block.description().latency_cycles;
  const std::string_view module = pipe.block.description().name, group = pipe.block.description().results;
  const auto report = [&](Mismatch mismatch, bool is_edge_wrong) {
    ++outcome.mismatches;
    outcome.cycle_mismatches += is_edge_wrong ? 1 : 0;
    mismatch = pipe.block.seen_now(std::move(mismatch));
    if (!outcome.first_mismatch) outcome.first_mismatch = mismatch;
    if (std::exchange(has_fault_, true)) return;
    pipe.step.finish();
    fault_.emplace(FirstFault{.unit = std::string(pipe.block.description().unit),
                              .mismatch = std::move(mismatch),
                              .rows = pipe.step.rows(),
                              .tables = filled_,
                              .latency_cycles = latency});
  };
  pipe.step.clear();
  for (int64_t edge = 0, taken = 0; taken < num_vectors; ++edge) {
    const bool has_vector = edge < num_vectors;
    pipe.valid_i.set(has_vector ? 1 : 0);
    if (has_vector) {
      drive(edge);
      pipe.tag_i.set((pipe.num_vectors + static_cast<uint64_t>(edge)) & kTagMask);
    }
    pipe.block.settle();
    if (pipe.valid_o.get() != 0) {
      // A beat that comes before its operands is one of another step.
      if (taken >= edge) {
        report({.kind = MismatchKind::Unasked,
                .port = fmt::format("{}_valid_o", group),
                .words = fmt::format("a beat that nobody asked for, tag {}", pipe.tag_o.get())},
               true);
      } else {
        const int64_t late = edge - taken - latency;
        std::optional<Mismatch> mismatch = take(pipe, step, taken, explain);
        add_edge(mismatch, away_from_spec(fmt::format("{}_valid_o", group), late));
        if (mismatch) {
          mismatch->vector = taken;
          report(std::move(*mismatch), late != 0);
        }
        ++outcome.vectors;
        ++taken;
      }
    }
    pipe.step.add();
    if (pipe.kept) pipe.kept->add();
    pipe.block.edge();
    if (edge - taken > num_vectors + kHangCycles) {
      throw Hang(fmt::format("{}: vector {} of a step waits for {}_valid_o since cycle {}", module, taken, group,
                             pipe.block.cycle() - kHangCycles));
    }
  }
  pipe.valid_i.set(0);
  pipe.num_vectors += static_cast<uint64_t>(num_vectors);
  return outcome;
}

/// The results of a vector that is on the port: the first lane that differs with its operands, or a wrong tag.
template <typename Explain>
std::optional<Mismatch> LaneUnits::take(Pipe& pipe, const kernels::LaneStep& step, int64_t vector, Explain explain) const {
  const std::string_view group = pipe.block.description().results;
  const uint64_t tag = (pipe.num_vectors + static_cast<uint64_t>(vector)) & kTagMask;
  const int64_t begin = vector * lanes_, end = std::min(begin + lanes_, std::ssize(step.results));
  const std::span<int32_t> results = step.results.subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
  std::optional<Mismatch> found = different_lane(fmt::format("{}_result_o", group), pipe.result_o, results,
                                                 [&](int lane) { return explain(begin + lane); });
  for (size_t lane = 0; lane < results.size(); ++lane)
    results[lane] = static_cast<int32_t>(pipe.result_o.field(static_cast<int64_t>(lane), 32));
  if (pipe.tag_o.get() == tag) return found;
  Mismatch wrong_tag{
      .kind = MismatchKind::Order, .port = fmt::format("{}_tag_o", group), .expected = tag, .actual = pipe.tag_o.get()};
  if (!found) return wrong_tag;
  found->after = wrong_tag.print();
  return found;
}

}  // namespace vernier::cosim
