// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/stimulus/vector_coverage.hpp"

#include "hw/package/names.hpp"
#include "hw/spec/vector_operands.hpp"
#include "sim/cosim/stimulus/vector_vectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

namespace vernier::cosim {
namespace {

using base::ElementType;
using spec::VectorOp;

struct StepType {
  ElementType type;
  bool is_unsigned;
  bool operator==(const StepType&) const = default;
};

constexpr int kNumPhases = 3;  // [from VectorPhase]
/// Of int8 and int16 both signs; bool has none.
constexpr std::array kStored{StepType{ElementType::Bool, false}, StepType{ElementType::Int8, false},
                             StepType{ElementType::Int8, true},  StepType{ElementType::Int16, false},
                             StepType{ElementType::Int16, true}, StepType{ElementType::Int32, false},
                             StepType{ElementType::Int48, false}};
constexpr std::array kRescaled{StepType{ElementType::Int8, false}, StepType{ElementType::Int8, true},
                               StepType{ElementType::Int16, false}, StepType{ElementType::Int16, true},
                               StepType{ElementType::Int32, false}};
constexpr std::array kRegisters{StepType{ElementType::Int8, false}, StepType{ElementType::Int16, false},
                                StepType{ElementType::Int32, false}};
constexpr std::array kWrapped{StepType{ElementType::Bool, false}, StepType{ElementType::Int8, false},
                              StepType{ElementType::Int16, false}, StepType{ElementType::Int32, false}};
constexpr std::array kUntyped{StepType{ElementType::Int32, false}};

/// The types of an operation [from package::check].
std::span<const StepType> types_of(VectorOp op) {
  if (spec::is_accumulating_load(op)) return std::span(kStored).first(kStored.size() - 1);  // not of int48
  switch (op) {
    case VectorOp::Load:
    case VectorOp::Store: return kStored;
    case VectorOp::Rescale: return kRescaled;
    case VectorOp::ShiftLeft:
    case VectorOp::ShiftRightLogical:
    case VectorOp::ShiftRight:
    case VectorOp::Table: return kRegisters;
    case VectorOp::Wrap: return kWrapped;
    default: return kUntyped;
  }
}

StepType type_of(const spec::VectorCommand& command, const spec::VectorStep& step) {
  if (spec::has_stream(step.op)) {
    const spec::VectorStream& stream = command.streams[static_cast<size_t>(step.stream)];
    return {stream.type, stream.is_unsigned && stream.type != ElementType::Bool};
  }
  if (types_of(step.op).size() == 1) return kUntyped[0];
  return {step.type, step.op == VectorOp::Rescale && step.is_unsigned};
}

int bin_of(VectorOp op, size_t type, int phase) {
  return (static_cast<int>(op) * static_cast<int>(kStored.size()) + static_cast<int>(type)) * kNumPhases + phase;
}

template <typename Visit>
void visit_bins(Visit&& visit) {
  for (int op = 0; op < spec::kNumVectorOps; ++op) {
    const auto types = types_of(static_cast<VectorOp>(op));
    for (size_t type = 0; type < types.size(); ++type) {
      for (int phase = 0; phase < kNumPhases; ++phase) visit(static_cast<VectorOp>(op), type, phase);
    }
  }
}

constexpr std::array kOperandTypes{ElementType::Bool, ElementType::Int8, ElementType::Int16, ElementType::Int32,
                                   ElementType::Int48};

struct OperandBin {
  VectorOp op;
  size_t type;  // of kOperandTypes
  OperandClass operands;
  [[nodiscard]] int number() const {
    const size_t row = static_cast<size_t>(op) * kOperandTypes.size() + type;
    return static_cast<int>(row * kOperandClasses.size() + static_cast<size_t>(operands));
  }
  [[nodiscard]] std::string name() const {
    return fmt::format("{}, {} operands of {}", package::kVectorOpNames[static_cast<size_t>(op)],
                       kOperandClasses[static_cast<size_t>(operands)], base::to_string(kOperandTypes[type]));
  }
};

template <typename Visit>
void visit_operand_bins(Visit&& visit) {
  for (int op = 0; op < spec::kNumVectorOps; ++op) {
    for (size_t type = 0; type < kOperandTypes.size(); ++type) {
      if (!takes_operand(static_cast<VectorOp>(op), kOperandTypes[type])) continue;
      for (size_t operands = 0; operands < kOperandClasses.size(); ++operands)
        visit(OperandBin{static_cast<VectorOp>(op), type, static_cast<OperandClass>(operands)});
    }
  }
}

}  // namespace

void VectorCoverage::count(const spec::VectorCommand& command) {
  for (const spec::VectorStep& step : command.steps) {
    const auto types = types_of(step.op);
    const auto found = std::ranges::find(types, type_of(command, step));
    if (found != types.end())
      hit_.insert(bin_of(step.op, static_cast<size_t>(found - types.begin()), static_cast<int>(step.phase)));
  }
}

void VectorCoverage::count_drawn(const DrawnWork& drawn) {
  std::set<int64_t> loaded;  // registers with elements of the first stream as they are
  const auto* const type = std::ranges::find(kOperandTypes, drawn.work.vector().streams.front().type);
  for (const spec::VectorStep& step : drawn.work.vector().steps) {
    const spec::OperandsRead reads = spec::operands_read(step);
    const bool is_of_first = spec::is_load(step.op) && step.stream == 0;
    if (is_of_first || (reads.a && loaded.contains(step.a)) || (reads.b && loaded.contains(step.b)) ||
        (reads.c && loaded.contains(step.c)))
      hit_operands_.insert(OperandBin{step.op, static_cast<size_t>(type - kOperandTypes.begin()), drawn.first}.number());
    if (step.op == VectorOp::Load && is_of_first) {
      loaded.insert(step.dst);
    } else if (step.op != VectorOp::Store) {
      loaded.erase(step.dst);
    }
  }
}

int64_t VectorCoverage::num_hit() const {
  return static_cast<int64_t>(hit_.size() + (counts_operands_ ? hit_operands_.size() : 0));
}

int64_t VectorCoverage::num_legal() const {
  int64_t num = 0;
  visit_bins([&](VectorOp, size_t, int) { ++num; });
  if (counts_operands_) visit_operand_bins([&](const OperandBin&) { ++num; });
  return num;
}

std::vector<std::string> VectorCoverage::missing() const {
  std::vector<std::string> names;
  visit_bins([&](VectorOp op, size_t type, int phase) {
    if (hit_.contains(bin_of(op, type, phase))) return;
    const auto types = types_of(op);
    const std::string_view sign = types[type].is_unsigned ? "u" : "";
    names.push_back(fmt::format("{}{}, {}", package::kVectorOpNames[static_cast<size_t>(op)],
                                types.size() == 1 ? "" : fmt::format(" of {}{}", sign, base::to_string(types[type].type)),
                                package::kPhaseNames[static_cast<size_t>(phase)]));
  });
  if (!counts_operands_) return names;
  visit_operand_bins([&](const OperandBin& bin) {
    if (!hit_operands_.contains(bin.number())) names.push_back(bin.name());
  });
  return names;
}

std::optional<DrawnWork> VectorCoverage::draw_missing(const spec::Datapath& datapath, const kernels::TableMemory& tables,
                                                      Random& random) const {
  std::vector<OperandBin> missing;
  visit_operand_bins([&](const OperandBin& bin) {
    if (!hit_operands_.contains(bin.number())) missing.push_back(bin);
  });
  if (!counts_operands_ || missing.empty()) return {};
  const OperandBin& bin = missing[static_cast<size_t>(random.within(0, std::ssize(missing) - 1))];
  return draw_operands_of(bin.op, kOperandTypes[bin.type], bin.operands, datapath, tables, random);
}

}  // namespace vernier::cosim
