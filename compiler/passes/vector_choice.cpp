// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/vector_choice.hpp"

#include "hw/spec/machine.hpp"
#include "hw/spec/vector_cycles.hpp"
#include "hw/spec/vector_schedule.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace vernier::passes {
namespace {

using spec::VectorOp;
using spec::VectorPhase;
using spec::VectorStep;

/// What a command costs beside its vectors: issue, token, pipelines.
constexpr int64_t kCommandCycles = 60;
/// A table is filled beside the command before, where that leaves its slot free.
constexpr int64_t kTableFillCycles = 40;
constexpr size_t kMostTableChoices = 5;

int64_t table_cycles(const Microprogram& program) {
  return kTableFillCycles * static_cast<int64_t>(program.tables().size());
}

class CycleCount {
 public:
  CycleCount(const Lowering& lowering, const VectorProgram& built) : lowering_(lowering), built_(built) {
    const IterationSpace& space = built.space;
    int64_t outside = 1, reduced = 1, inside = 1;
    for (size_t d = 0; d < space.shape.size(); ++d) {
      const int64_t at = static_cast<int64_t>(d) - space.reduced_axis;
      (space.reduced_axis < 0 || at > 0 ? inside : at == 0 ? reduced : outside) *= space.shape[d];
    }
    const int64_t n = lowering.lanes();
    rows_in_lanes_ = space.reduced_axis >= 0 && inside == 1 && !built.lanes_reduced;
    rows_ = built.lanes_reduced ? outside
            : rows_in_lanes_    ? base::ceil_div(outside, n)
                                : outside * base::ceil_div(inside, n);
    vectors_ = rows_ * (built.lanes_reduced ? base::ceil_div(reduced, n) : reduced);
  }

  /// Several rows may run at a time (compiler/cost/row_streams.hpp), as many as streams and steps allow.
  [[nodiscard]] int64_t cycles(const spec::VectorCommand& program) const {
    if (program.steps.empty()) return 0;  // nothing is stored: who reads it computes it again
    const int64_t length = spec::length_of(program, lowering_.config.datapath);
    const int64_t interval = std::max(program.interval, slot_cycles(program, VectorPhase::Body));
    const int64_t fixed = kCommandCycles + table_cycles(built_.program);
    if (built_.space.reduced_axis < 0) return fixed + (vectors_ - 1) * interval + length;
    const int64_t at_a_time =
        std::min({rows_, spec::kMaxVectorStreams / std::max<int64_t>(1, static_cast<int64_t>(program.streams.size())),
                  spec::kMaxVectorSteps / static_cast<int64_t>(program.steps.size())});
    const int64_t of_row = base::ceil_div(vectors_ / rows_, spec::reduces_in_pairs(program) ? 2 : 1);
    return fixed + rows_ * (of_row - 1) * interval +
           rows_ * (length / std::max<int64_t>(1, at_a_time) + slot_cycles(program, VectorPhase::Init) +
                    slot_cycles(program, VectorPhase::Final));
  }

 private:
  /// Words of the loads or stores of a phase, whichever take longer.
  [[nodiscard]] int64_t slot_cycles(const spec::VectorCommand& program, VectorPhase phase) const {
    const spec::Datapath& datapath = lowering_.config.datapath;
    int64_t loads = 0, stores = 0;
    for (const VectorStep& step : program.steps) {
      if (step.phase != phase) continue;
      if (spec::is_load(step.op)) loads += words(step, datapath.sram_read_words);
      if (step.op == VectorOp::Store) stores += words(step, datapath.sram_write_words);
    }
    return std::max(loads, stores);
  }

  /// A vector of one byte an element is a word. A lane a row: by the distance of rows, which may miss most of the banks.
  [[nodiscard]] int64_t words(const VectorStep& step, int64_t words_per_cycle) const {
    const bool is_element = step.phase != VectorPhase::Body && built_.lanes_reduced;
    if (is_element) return 1;
    const StreamUse& use = built_.program.streams()[static_cast<size_t>(step.stream)];
    const int64_t element_bytes = base::stored_bytes(lowering_.type(use.tensor));
    if (!rows_in_lanes_) return base::ceil_div(element_bytes, words_per_cycle);
    const base::Shape& shape = use.shape.empty() ? lowering_.shape(use.tensor) : use.shape;
    const auto inside = static_cast<int64_t>(built_.space.shape.size()) - built_.space.reduced_axis;
    const auto row_end = shape.end() - std::min(inside, static_cast<int64_t>(shape.size()));
    if (std::all_of(shape.begin(), row_end, [](int64_t extent) { return extent == 1; })) return 1;  // one for all rows
    const int64_t row_bytes = std::accumulate(row_end, shape.end(), element_bytes, std::multiplies<>());
    const int64_t n = lowering_.lanes(), row_words = row_bytes % n == 0 ? row_bytes / n : 1;
    const int64_t banks = spec::kNumSramBanks / std::gcd(row_words, int64_t{spec::kNumSramBanks});
    return base::ceil_div(std::min(n, row_bytes), std::min(words_per_cycle, banks));
  }

  const Lowering& lowering_;
  const VectorProgram& built_;
  bool rows_in_lanes_ = false;
  int64_t rows_ = 1, vectors_ = 1;
};

std::string describe(const Lowering& lowering, const VectorVariant& variant) {
  std::string text;
  for (const ir::TensorId id : variant.tables)
    text += fmt::format("{}table {}", text.empty() ? "" : ", ", lowering.graph.tensor(id).name);
  if (variant.has_rows) text += text.empty() ? "by rows" : ", by rows";
  if (variant.prefers_shifts) text += text.empty() ? "shifts" : ", shifts";
  return text.empty() ? "plain" : text;
}

class Chooser {
 public:
  Chooser(Lowering& lowering, const Recompute& recompute, const VectorGroup& group, Rows rows)
      : lowering_(lowering), recompute_(recompute), group_(group), rows_(rows) {}

  std::optional<VectorChoice> run() {
    std::vector<ir::TensorId> can_be_tables = consider({});
    if (!lowering_.is_optimizing()) return std::move(best_);
    if (can_be_tables.size() > kMostTableChoices) can_be_tables.resize(kMostTableChoices);
    std::vector<std::vector<ir::TensorId>> choices{{}};
    for (size_t i = 0; i < can_be_tables.size(); ++i) {
      choices.push_back({can_be_tables[i]});
      for (size_t j = 0; j < i; ++j) choices.push_back({can_be_tables[j], can_be_tables[i]});
    }
    const base::Shape& shape = group_.space.shape;
    const bool can_have_rows = group_.space.reduced_axis < 0 && shape.size() > 1 && shape.back() > 1;
    for (const auto& tables : choices) {
      for (const bool has_rows : {false, true}) {
        const bool is_known = tables.empty() && !has_rows;
        if (!is_known && (!has_rows || can_have_rows)) consider({tables, has_rows, false});
      }
    }
    if (best_) consider({best_->variant.tables, best_->variant.has_rows, true});
    if (best_) best_->alternatives = std::move(seen_);
    return std::move(best_);
  }

 private:
  std::vector<ir::TensorId> consider(const VectorVariant& variant) {
    VectorProgram built = build_vector(lowering_, recompute_, group_, variant);
    std::vector<ir::TensorId> can_be_tables = built.can_be_tables;
    count(built, variant, built.space.reduced_axis < 0 ? Rows::None : Rows::AlongLanes);
    if (built.lanes_reduced && lowering_.is_optimizing() && has_several_rows(built.space)) {
      built.lanes_reduced = false;
      count(built, variant, Rows::InLanes);
    }
    return can_be_tables;
  }

  [[nodiscard]] static bool has_several_rows(const IterationSpace& space) {
    return std::any_of(space.shape.begin(), space.shape.begin() + space.reduced_axis,
                       [](int64_t extent) { return extent > 1; });
  }

  void count(const VectorProgram& built, const VectorVariant& variant, Rows rows) {
    if (rows_ != Rows::Any && rows_ != rows) return;
    auto steps = built.program.assemble(built.lanes_reduced);
    if (!steps) return;
    spec::VectorCommand program;
    for (const StreamUse& use : built.program.streams()) program.streams.push_back({.type = lowering_.type(use.tensor)});
    program.steps = std::move(*steps);
    if (built.space.reduced_axis >= 0) program.kept_loops = 0;
    if (!spec::schedule(program, lowering_.config.datapath)) return;
    const int64_t cycles = CycleCount(lowering_, built).cycles(program);
    seen_.add(describe(lowering_, variant), cycles);
    if (best_ && cycles >= best_->cycles) return;
    best_ = VectorChoice{built, variant, std::move(program), cycles};
    seen_.chosen = seen_.ways.size() - 1;
  }

  Lowering& lowering_;
  const Recompute& recompute_;
  const VectorGroup& group_;
  const Rows rows_;
  std::optional<VectorChoice> best_;
  cost::Alternatives seen_{"microprogram"};
};

}  // namespace

int64_t VectorChoice::table_cycles() const { return passes::table_cycles(built.program); }

std::optional<VectorChoice> choose_vector(Lowering& lowering, const Recompute& recompute, std::span<const ir::OpId> ops,
                                          Rows rows) {
  const auto group = make_group(lowering, recompute, ops);
  if (!group) return std::nullopt;
  return Chooser(lowering, recompute, *group, rows).run();
}

}  // namespace vernier::passes
