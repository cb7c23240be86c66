// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/memory_plan.hpp"

#include "hw/base/error.hpp"
#include "hw/base/indexed_vector.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace vernier::schedule {
namespace {

using passes::BufferId;

/// First and last step that uses a buffer, and how many do.
struct Life {
  int64_t first = -1, last = -1, steps = 0;
};

/// Whether a DMA command reaches an operand where it lies outside, without a copy in SRAM: copies of long runs do, and what
/// an index list reaches into is never copied as a whole.
bool reaches_outside(const passes::Step& step, const passes::Operand& operand, const spec::Datapath& datapath) {
  const auto* dma = std::get_if<spec::DmaCommand>(&step.command.body);
  if (dma == nullptr) return false;
  switch (dma->kind) {
    case spec::DmaKind::Copy:
    case spec::DmaKind::Fill: return dma->run_bytes >= datapath.word_bytes();
    case spec::DmaKind::Gather: return operand.field == passes::AddressField::Source;
    case spec::DmaKind::Scatter: return operand.field == passes::AddressField::Destination;
    default: return false;
  }
}

/// The tiling of a step with so many operands that is not cut and copies none of them.
const Tiling& not_cut(size_t num_operands) {
  static const auto kTilings = [] {
    std::array<Tiling, OperandSet::kMost + 1> tilings;
    for (size_t n = 0; n < tilings.size(); ++n) tilings.at(n).level.assign(n, -1);
    return tilings;
  }();
  return kTilings.at(num_operands);
}

class Planner {
 public:
  Planner(const std::vector<passes::Step>& steps, TilingsOfSteps& choices, const passes::Program& program,
          const config::MachineConfig& config, int64_t sram_bytes, Ends ends)
      : steps_(steps), choices_(choices), program_(program), config_(config), sram_bytes_(sram_bytes), ends_(ends) {
    has_homes_ = config.memory_mode == spec::MemoryMode::External;
    find_lives();
    plan_.is_outside.assign(program.buffers.size(), true);
    resident_bytes_.assign(steps.size(), 0);
    if (!has_homes_) {
      for (size_t b = 0; b < program.buffers.size(); ++b) {
        if (!program.buffers[b].is_constant()) keep(static_cast<BufferId>(b));
      }
    }
  }

  MemoryPlan run() {
    for (size_t s = 0; s < steps_.size(); ++s) tilings_.push_back(&tile(s));
    plan_.fits = true;
    for (size_t s = 0; s < steps_.size(); ++s) {
      plan_.least_bytes = std::max(plan_.least_bytes, resident_bytes_[s] + least_need(s));
      plan_.fits = plan_.fits && tilings_[s]->need_bytes <= budget(s);
    }
    if (plan_.fits) keep_what_pays();
    for (size_t s = 0; s < steps_.size(); ++s) {
      plan_.at_home.push_back(outside(s, false));
      plan_.budget_bytes.push_back(tiling_budget(s));
      plan_.ends.push_back(ends_of(s));
      plan_.num_commands += tilings_[s]->num_commands;
    }
    plan_.tilings = std::move(tilings_);
    return std::move(plan_);
  }

 private:
  void find_lives() {
    lives_.resize(program_.buffers.size());
    for (size_t s = steps_.size(); s-- > 0;) {
      if (!std::holds_alternative<spec::MacCommand>(steps_[s].command.body)) continue;
      if (last_loading_ == 0) last_loading_ = s;
      first_loading_ = s;
    }
    for (size_t s = 0; s < steps_.size(); ++s) {
      for (const passes::Operand& operand : steps_[s].operands) {
        Life& life = lives_[operand.buffer];
        if (life.last == static_cast<int64_t>(s)) continue;
        if (life.first < 0) life.first = static_cast<int64_t>(s);
        life.last = static_cast<int64_t>(s);
        ++life.steps;
      }
    }
    if (has_homes_) return;
    for (size_t b = 0; b < lives_.size(); ++b) {
      if (program_.buffers[b].is_filled_at_start) lives_[b].first = 0;
      if (program_.buffers[b].is_read_at_end) lives_[b].last = static_cast<int64_t>(steps_.size()) - 1;
    }
  }

  void add_bytes(BufferId id, int64_t sign) {
    const Life& life = lives_[id];
    const int64_t bytes = base::round_up(program_.buffers[id].size_bytes, stage_align_bytes(config_.datapath));
    for (int64_t s = life.first; s >= 0 && s <= life.last; ++s) resident_bytes_[static_cast<size_t>(s)] += sign * bytes;
  }
  void keep(BufferId id) {
    plan_.is_outside[id] = false;
    add_bytes(id, 1);
  }
  void drop(BufferId id) {
    plan_.is_outside[id] = true;
    add_bytes(id, -1);
  }

  [[nodiscard]] int64_t budget(size_t s) const { return sram_bytes_ - resident_bytes_[s]; }

  /// The operands outside that need a copy in SRAM, or those that need none.
  [[nodiscard]] OperandSet outside(size_t s, bool needs_copy) const {
    OperandSet result;
    const std::vector<passes::Operand>& operands = steps_[s].operands;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (plan_.is_outside[operands[i].buffer] && choices_[s].may_be_copied().has(i) == needs_copy) result.insert(i);
    }
    return result;
  }

  /// Budgets that hardly differ share a tiling.
  [[nodiscard]] int64_t tiling_budget(size_t s) const {
    constexpr int64_t kBudgets = 64;
    const int64_t bytes = budget(s);
    if (resident_bytes_[s] == 0 || bytes <= 0) return bytes;
    return bytes - bytes % std::max<int64_t>(1, sram_bytes_ / kBudgets);
  }

  [[nodiscard]] const Tiling& tile(size_t s) { return choices_[s].choose(outside(s, true), tiling_budget(s), ends_of(s)); }

  /// The first and the last step that load something have a neighbour on one side only.
  [[nodiscard]] Ends ends_of(size_t s) const {
    if (ends_ == Ends::Exposed || s == first_loading_) return Ends::Exposed;
    return s == last_loading_ ? Ends::Last : ends_;
  }

  [[nodiscard]] int64_t least_need(size_t s) { return choices_[s].choose(outside(s, true), 0, Ends::Exposed).need_bytes; }

  /// What staying in SRAM saves of copies: 0 when the buffer is loaded or stored once in any case.
  [[nodiscard]] int64_t saved_copies(BufferId id) const {
    const passes::Buffer& buffer = program_.buffers[id];
    int64_t copies = lives_[id].steps;
    if (buffer.is_constant() || buffer.is_filled_at_start) --copies;
    if (buffer.is_read_at_end) --copies;
    return copies;
  }

  /// Those first that live short, for their bytes are free again soon; of these the largest.
  void keep_what_pays() {
    std::vector<BufferId> candidates;
    for (size_t b = 0; b < program_.buffers.size(); ++b) {
      const auto id = static_cast<BufferId>(b);
      const bool may_stay = plan_.is_outside[b] && lives_[b].steps > 0 && saved_copies(id) > 0 &&
                            program_.buffers[b].size_bytes <= sram_bytes_;
      if (may_stay) candidates.push_back(id);
    }
    const auto value = [&](BufferId id) {
      const Life& life = lives_[id];
      return static_cast<double>(saved_copies(id)) / static_cast<double>(life.last - life.first + 1);
    };
    std::stable_sort(candidates.begin(), candidates.end(), [&](BufferId a, BufferId b) {
      const auto size = [&](BufferId id) { return program_.buffers[id].size_bytes; };
      return std::tuple(-value(a), -size(a)) < std::tuple(-value(b), -size(b));
    });
    for (const BufferId id : candidates) keep_if_it_pays(id);
  }

  void keep_if_it_pays(BufferId id) {
    const Life& life = lives_[id];
    keep(id);
    int64_t gain = 0;
    std::vector<const Tiling*> changed;
    bool fits = true;
    for (int64_t i = life.first; i <= life.last && fits; ++i) {
      const auto s = static_cast<size_t>(i);
      fits = budget(s) >= 0;
      if (!fits) break;
      changed.push_back(&tile(s));
      fits = changed.back()->need_bytes <= budget(s);
      gain += tilings_[s]->cost_cycles - changed.back()->cost_cycles;
    }
    if (!fits || gain <= 0) return drop(id);
    std::copy(changed.begin(), changed.end(), tilings_.begin() + life.first);
  }

  const std::vector<passes::Step>& steps_;
  TilingsOfSteps& choices_;  // by step
  const passes::Program& program_;
  const config::MachineConfig& config_;
  int64_t sram_bytes_;
  Ends ends_;
  size_t first_loading_ = 0, last_loading_ = 0;  // of the array's steps, whose weights are outside
  bool has_homes_ = false;
  base::IndexedVector<BufferId, Life> lives_;
  std::vector<int64_t> resident_bytes_;  // by step
  std::vector<const Tiling*> tilings_;
  MemoryPlan plan_;
};

}  // namespace

bool MemoryPlan::is_equal(const MemoryPlan& other) const {
  const auto is_same = [](const Tiling* a, const Tiling* b) {
    return a == b || (a->cuts == b->cuts && a->level == b->level);
  };
  return is_outside == other.is_outside &&
         std::equal(tilings.begin(), tilings.end(), other.tilings.begin(), other.tilings.end(), is_same);
}

MemoryPlan plan_without_memory(const std::vector<passes::Step>& steps, const passes::Program& program) {
  MemoryPlan plan;
  plan.is_outside.assign(program.buffers.size(), false);
  plan.at_home.resize(steps.size());
  for (const passes::Step& step : steps) plan.tilings.push_back(&not_cut(step.operands.size()));
  plan.fits = true;
  return plan;
}

TilingsOfSteps make_tilings(const std::vector<passes::Step>& steps, const config::MachineConfig& config, KnownTimes& times) {
  std::vector<OperandSet> may_be_copied(steps.size());
  for (size_t s = 0; s < steps.size(); ++s) {
    for (size_t i = 0; i < steps[s].operands.size(); ++i) {
      if (!reaches_outside(steps[s], steps[s].operands[i], config.datapath)) may_be_copied[s].insert(i);
    }
  }
  return {steps, config, times, may_be_copied};
}

MemoryPlan plan_memory(const std::vector<passes::Step>& steps, TilingsOfSteps& tilings, const passes::Program& program,
                       const config::MachineConfig& config, int64_t sram_bytes, Ends ends) {
  return Planner(steps, tilings, program, config, sram_bytes, ends).run();
}

}  // namespace vernier::schedule
