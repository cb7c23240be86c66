// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/even_ties.hpp"

#include <algorithm>
#include <vector>

namespace vernier::passes {
namespace {

class Matcher {
 public:
  Matcher(const Lowering& lowering, ir::TensorId value)
      : lowering_(lowering), value_(value), readers_(lowering.graph.consumers()) {}

  std::optional<EvenTies> match() const {
    const ir::OpId shift = reader_of(value_, ir::OpKind::ArithmeticRightShift, 2);
    const ir::OpId add = reader_of(value_, ir::OpKind::Add, 2);
    if (shift < 0 || add < 0 || lowering_.op(shift).attributes_as<ir::ShiftAttributes>().round) return std::nullopt;
    const ir::OpId parity = only_reader(lowering_.op(shift).outputs[0], ir::OpKind::BitwiseAnd);
    if (parity < 0) return std::nullopt;
    const ir::OpId step = only_reader(lowering_.op(parity).outputs[0], ir::OpKind::Sub);
    if (step < 0 || only_reader(lowering_.op(step).outputs[0], ir::OpKind::Add) != add) return std::nullopt;
    const bool is_whole = is_operand(shift, 0, value_) && is_operand(add, 0, value_) && is_ones(parity) && is_ones(step);
    const ir::TensorId result = lowering_.op(add).outputs[0];
    const ir::OpId rescale = only_reader(result, ir::OpKind::Rescale);
    if (!is_whole || rescale < 0 || !has_powers_of(rescale, lowering_.op(shift).inputs[1])) return std::nullopt;
    const std::array<ir::OpId, 4> ops{shift, parity, step, add};
    const bool is_seen =
        std::any_of(ops.begin(), ops.end(), [&](ir::OpId op) { return lowering_.is_output(lowering_.op(op).outputs[0]); });
    return is_seen ? std::nullopt : std::optional(EvenTies{ops, result});
  }

 private:
  /// The reader of that kind, where the tensor has `count` readers; -1 without one.
  [[nodiscard]] ir::OpId reader_of(ir::TensorId tensor, ir::OpKind kind, size_t count) const {
    const std::vector<ir::OpId>& readers = readers_[static_cast<size_t>(tensor)];
    if (readers.size() != count) return -1;
    const auto found =
        std::find_if(readers.begin(), readers.end(), [&](ir::OpId op) { return lowering_.op(op).kind == kind; });
    return found == readers.end() ? -1 : *found;
  }
  [[nodiscard]] ir::OpId only_reader(ir::TensorId tensor, ir::OpKind kind) const { return reader_of(tensor, kind, 1); }
  [[nodiscard]] bool is_operand(ir::OpId op, size_t index, ir::TensorId tensor) const {
    return lowering_.op(op).inputs[index] == tensor;
  }
  /// Whether the second operand is a constant of ones.
  [[nodiscard]] bool is_ones(ir::OpId op) const {
    const base::Tensor* value = lowering_.value(lowering_.op(op).inputs[1]);
    if (value == nullptr) return false;
    for (int64_t i = 0; i < value->size(); ++i) {
      if (value->at(i) != 1) return false;
    }
    return true;
  }
  /// Whether the RESCALE divides by 2 to the power of these shifts, channel by channel, and rounds once.
  [[nodiscard]] bool has_powers_of(ir::OpId rescale, ir::TensorId shifts) const {
    constexpr int64_t kUnit = int64_t{1} << 30, kUnitShift = 30;
    const ir::Operator& op = lowering_.op(rescale);
    const auto& attributes = op.attributes_as<ir::RescaleAttributes>();
    const base::Tensor* halvings = lowering_.value(shifts);
    const base::Tensor *multiplier = lowering_.value(op.inputs[1]), *shift = lowering_.value(op.inputs[2]);
    if (!attributes.scale32 || attributes.rounding != spec::Rounding::Single || attributes.input_unsigned) return false;
    if (halvings == nullptr || multiplier == nullptr || shift == nullptr || halvings->size() != multiplier->size())
      return false;
    for (int64_t i = 0; i < halvings->size(); ++i) {
      const int64_t k = halvings->at(i);
      if (k < 1 || k > 31 || multiplier->at(i) != kUnit || shift->at(i) != kUnitShift + k) return false;
    }
    return true;
  }

  const Lowering& lowering_;
  ir::TensorId value_;
  std::vector<std::vector<ir::OpId>> readers_;  // by tensor
};

}  // namespace

std::optional<EvenTies> match_even_ties(const Lowering& lowering, ir::TensorId value) {
  return Matcher(lowering, value).match();
}

}  // namespace vernier::passes
