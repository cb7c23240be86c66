// SPDX-License-Identifier: Apache-2.0
#include "compiler/cost/row_streams.hpp"

#include "hw/spec/vector_schedule.hpp"
#include "hw/spec/vector_values.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

namespace vernier::cost {
namespace {

using spec::VectorCommand;
using spec::VectorOp;
using spec::VectorPhase;
using spec::VectorStep;

/// A program along one of its kept loops: what each row needs for itself, and what all rows have in common.
class RowProgram {
 public:
  RowProgram(const VectorCommand& command, size_t loop)
      : command_(command),
        loop_(loop),
        reads_(*spec::find_reads(command)),
        values_(spec::find_values(command, reads_)),
        is_of_row_(command.steps.size()) {
    for (size_t i = 0; i < command.steps.size(); ++i) {
      const VectorStep& step = command.steps[i];
      is_of_row_[i] = step.op == VectorOp::Store || (spec::is_load(step.op) && moves(step.stream));
    }
    while (spread()) {
    }
  }

  /// So many rows at a time; nothing where the machine has too few streams, steps or registers.
  [[nodiscard]] std::optional<RowStreams> rows_at_a_time(int64_t rows, const spec::Datapath& datapath) const {
    const auto num_own = std::count(is_of_row_.begin(), is_of_row_.end(), true);
    const auto num_steps = static_cast<int64_t>(command_.steps.size()) + (rows - 1) * num_own;
    if (num_steps > spec::kMaxVectorSteps) return std::nullopt;
    RowStreams result{command_, {}};
    const std::vector<int64_t> first_stream = add_streams(result, rows);
    if (result.command.streams.size() > spec::kMaxVectorStreams) return std::nullopt;
    result.command.steps.clear();
    for (size_t i = 0; i < command_.steps.size(); ++i) {
      for (int64_t row = 0; row < (is_of_row_[i] ? rows : 1); ++row) {
        VectorStep& step = result.command.steps.emplace_back(step_of(i, row, rows));
        if (spec::has_stream(step.op))
          step.stream = first_stream[static_cast<size_t>(step.stream)] + (moves(step.stream) ? row : 0);
      }
    }
    result.command.counts[loop_] = rows_of_part(rows);
    if (!spec::schedule(result.command, datapath)) return std::nullopt;
    return result;
  }

 private:
  [[nodiscard]] bool moves(int64_t stream) const {
    return command_.streams[static_cast<size_t>(stream)].strides_bytes[loop_] != 0;
  }
  [[nodiscard]] int64_t rows_of_part(int64_t parts) const { return base::ceil_div(command_.counts[loop_], parts); }

  /// What reads something of a row is of that row, and so is all that shares its register.
  bool spread() {
    bool is_changed = false;
    const auto mark = [&](size_t step) {
      is_changed = is_changed || !is_of_row_[step];
      is_of_row_[step] = true;
    };
    for (const spec::VectorRead& read : reads_) {
      if (is_of_row_[read.writer] || is_of_row_[read.writer_later]) mark(read.reader);
    }
    for (const spec::VectorValue& value : values_) {
      if (std::any_of(value.writers.begin(), value.writers.end(), [&](size_t writer) { return is_of_row_[writer]; })) {
        std::for_each(value.writers.begin(), value.writers.end(), mark);
      }
    }
    return is_changed;
  }

  /// Returns the first one of each stream.
  std::vector<int64_t> add_streams(RowStreams& result, int64_t rows) const {
    std::vector<int64_t> first;
    result.command.streams.clear();
    for (size_t s = 0; s < command_.streams.size(); ++s) {
      first.push_back(static_cast<int64_t>(result.command.streams.size()));
      for (int64_t row = 0; row < (moves(static_cast<int64_t>(s)) ? rows : 1); ++row) {
        spec::VectorStream stream = command_.streams[s];
        const int64_t begin = std::min(row * rows_of_part(rows), command_.counts[loop_] - rows_of_part(rows));
        stream.base += begin * stream.strides_bytes[loop_];
        result.command.streams.push_back(stream);
        result.origin.push_back(s);
      }
    }
    return first;
  }

  /// Each value of each row in a register of its own; the schedule gives them those of the machine.
  [[nodiscard]] VectorStep step_of(size_t i, int64_t row, int64_t rows) const {
    VectorStep step = command_.steps[i];
    const auto register_of = [&](size_t value, size_t writer) {
      return static_cast<int64_t>(value) * rows + (is_of_row_[writer] ? row : 0);
    };
    for (size_t v = 0; v < values_.size(); ++v) {
      for (const size_t writer : values_[v].writers) {
        if (writer == i) step.dst = register_of(v, writer);
      }
      for (const size_t read : values_[v].reads) {
        if (reads_[read].reader == i) step.*reads_[read].operand = register_of(v, reads_[read].writer);
      }
    }
    return step;
  }

  const VectorCommand& command_;
  size_t loop_;
  std::vector<spec::VectorRead> reads_;
  std::vector<spec::VectorValue> values_;
  std::vector<bool> is_of_row_;  // by step
};

/// Loops whose rows can be told apart: nothing is stored twice.
bool can_part(const VectorCommand& command, size_t loop) {
  return command.counts[loop] > 1 && std::none_of(command.steps.begin(), command.steps.end(), [&](const VectorStep& step) {
           return step.op == VectorOp::Store && command.streams[static_cast<size_t>(step.stream)].strides_bytes[loop] == 0;
         });
}

}  // namespace

RowStreams with_best_row_streams(const VectorCommand& command, const config::MachineConfig& config,
                                 timing::KnownProfiles& profiles) {
  RowStreams best{command, std::vector<size_t>(command.streams.size())};
  std::iota(best.origin.begin(), best.origin.end(), size_t{0});
  const bool has_positions = std::any_of(command.steps.begin(), command.steps.end(),
                                         [](const VectorStep& step) { return step.phase != VectorPhase::Body; });
  if (!has_positions) return best;
  std::optional<int64_t> best_cycles;
  for (size_t loop = 0; loop < static_cast<size_t>(command.kept_loops); ++loop) {
    if (!can_part(command, loop)) continue;
    const RowProgram program(command, loop);
    for (int64_t rows = 2; rows <= std::min<int64_t>(command.counts[loop], spec::kMaxVectorStreams); ++rows) {
      std::optional<RowStreams> other = program.rows_at_a_time(rows, config.datapath);
      if (!other) break;
      if (!best_cycles) best_cycles = profiles.profile(command).main.cycles;
      const int64_t cycles = profiles.profile(other->command).main.cycles;
      if (cycles >= *best_cycles) continue;
      best = std::move(*other);
      best_cycles = cycles;
    }
  }
  return best;
}

bool gains_from_row_streams(const VectorCommand& command, const config::MachineConfig& config) {
  timing::KnownProfiles profiles(config);
  return with_best_row_streams(command, config, profiles).origin.size() > command.streams.size();
}

int64_t cycles_with_row_streams(const VectorCommand& command, const config::MachineConfig& config) {
  timing::KnownProfiles profiles(config);
  return profiles.profile(with_best_row_streams(command, config, profiles).command).main.cycles;
}

}  // namespace vernier::cost
