// SPDX-License-Identifier: Apache-2.0
#include "hw/spec/vector_values.hpp"

#include <map>
#include <numeric>

namespace vernier::spec {
namespace {

std::vector<int64_t VectorStep::*> operands_of(const VectorStep& step) {
  const OperandsRead read = operands_read(step);
  std::vector<int64_t VectorStep::*> operands;
  if (read.a) operands.push_back(&VectorStep::a);
  if (read.b) operands.push_back(&VectorStep::b);
  if (read.c) operands.push_back(&VectorStep::c);
  if (read.dst) operands.push_back(&VectorStep::dst);
  return operands;
}

/// Runs phases in order and notes who wrote the registers that steps read.
class Walk {
 public:
  explicit Walk(const VectorCommand& command) : command_(command) {}

  /// The reads of one phase.
  std::vector<VectorRead> run(VectorPhase phase) {
    std::vector<VectorRead> reads;
    for (size_t i = 0; i < command_.steps.size(); ++i) {
      const VectorStep& step = command_.steps[i];
      if (step.phase != phase) continue;
      for (const auto operand : operands_of(step)) {
        const auto written = writer_of_.find(step.*operand);
        if (written == writer_of_.end()) reads_unwritten_ = true;
        const size_t writer = written == writer_of_.end() ? i : written->second;
        reads.push_back({i, operand, writer, writer});
      }
      if (step.op != VectorOp::Store) writer_of_[step.dst] = i;
    }
    return reads;
  }
  [[nodiscard]] bool reads_unwritten() const { return reads_unwritten_; }

 private:
  const VectorCommand& command_;
  std::map<int64_t, size_t> writer_of_;
  bool reads_unwritten_ = false;
};

}  // namespace

std::optional<std::vector<VectorRead>> find_reads(const VectorCommand& command) {
  Walk walk(command);
  std::vector<VectorRead> reads = walk.run(VectorPhase::Init);
  std::vector<VectorRead> body = walk.run(VectorPhase::Body);
  const std::vector<VectorRead> again = walk.run(VectorPhase::Body);
  for (size_t i = 0; i < body.size(); ++i) body[i].writer_later = again[i].writer;
  const std::vector<VectorRead> last = walk.run(VectorPhase::Final);
  if (walk.reads_unwritten()) return std::nullopt;
  reads.insert(reads.end(), body.begin(), body.end());
  reads.insert(reads.end(), last.begin(), last.end());
  return reads;
}

std::vector<VectorValue> find_values(const VectorCommand& command, const std::vector<VectorRead>& reads) {
  std::vector<size_t> first(command.steps.size());  // of the writers of a value, the first one
  std::iota(first.begin(), first.end(), size_t{0});
  const auto join = [&](size_t a, size_t b) {
    const size_t from = std::max(first[a], first[b]), to = std::min(first[a], first[b]);
    std::replace(first.begin(), first.end(), from, to);
  };
  for (const VectorRead& read : reads) {
    join(read.writer, read.writer_later);
    if (read.operand == &VectorStep::dst) join(read.writer, read.reader);
  }
  std::vector<VectorValue> values;
  std::map<size_t, size_t> index_of;
  for (size_t i = 0; i < command.steps.size(); ++i) {
    if (command.steps[i].op == VectorOp::Store) continue;
    const auto [known, is_new] = index_of.try_emplace(first[i], values.size());
    if (is_new) values.emplace_back();
    values[known->second].writers.push_back(i);
  }
  for (size_t i = 0; i < reads.size(); ++i) values[index_of.at(first[reads[i].writer])].reads.push_back(i);
  // Where lanes are reduced, Final has more lanes than a short last vector: it reads registers that do not turn.
  const auto is_of_final = [&](size_t read) {
    return command.lanes_reduced && command.steps[reads[read].reader].phase == VectorPhase::Final;
  };
  for (VectorValue& value : values) {
    value.is_of_vector = value.writers.size() == 1 && command.steps[value.writers[0]].phase == VectorPhase::Body &&
                         std::ranges::none_of(value.reads, is_of_final);
  }
  return values;
}

}  // namespace vernier::spec
