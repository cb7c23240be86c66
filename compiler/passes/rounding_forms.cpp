// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/rounding_forms.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace vernier::passes {
namespace {

constexpr int64_t kUnit = int64_t{1} << 30, kUnitShift = 30;  // of a RESCALE by 1

class Matcher {
 public:
  Matcher(const Lowering& lowering, const Recompute& recompute, ir::TensorId value)
      : lowering_(lowering), value_(value), readers_(recompute.direct_consumers()) {}

  [[nodiscard]] std::optional<EvenTies> even_ties() const {
    const ir::OpId shift = reader_of(value_, ir::OpKind::ArithmeticRightShift, 2);
    const ir::OpId add = reader_of(value_, ir::OpKind::Add, 2);
    if (shift < 0 || add < 0 || lowering_.op(shift).attributes_as<ir::ShiftAttributes>().round) return std::nullopt;
    const ir::OpId parity = only_reader(lowering_.op(shift).outputs[0], ir::OpKind::BitwiseAnd);
    if (parity < 0) return std::nullopt;
    const ir::OpId step = only_reader(lowering_.op(parity).outputs[0], ir::OpKind::Sub);
    if (step < 0 || only_reader(lowering_.op(step).outputs[0], ir::OpKind::Add) != add) return std::nullopt;
    const bool is_whole = is_operand(shift, 0, value_) && is_operand(add, 0, value_);
    const ir::TensorId result = lowering_.op(add).outputs[0];
    const ir::OpId rescale = only_reader(result, ir::OpKind::Rescale);
    const base::Tensor *mask = constant(parity), *same_mask = constant(step);
    const bool is_masked = mask != nullptr && same_mask != nullptr && std::ranges::equal(mask->bytes(), same_mask->bytes());
    if (!is_whole || rescale < 0 || !is_masked || !has_powers_of(rescale, constant(shift), *mask)) return std::nullopt;
    const std::array<ir::OpId, 4> ops{shift, parity, step, add};
    return is_seen(ops) ? std::nullopt : std::optional(EvenTies{ops, result});
  }

  [[nodiscard]] std::optional<ShiftedDown> shifted_down() const {
    ShiftedDown found;
    ir::TensorId sum = value_;
    const base::Tensor *parity_halvings = nullptr, *addends = nullptr;
    if (const ir::OpId shift = reader_of(value_, ir::OpKind::ArithmeticRightShift, 2); shift >= 0) {
      const ir::OpId parity = only_reader(lowering_.op(shift).outputs[0], ir::OpKind::BitwiseAnd);
      const ir::OpId add = reader_of(value_, ir::OpKind::Add, 2);
      if (parity < 0 || add < 0 || only_reader(lowering_.op(parity).outputs[0], ir::OpKind::Add) != add) return std::nullopt;
      const bool is_parity = is_operand(shift, 0, value_) && is_operand(add, 0, value_) && is_ones(parity);
      parity_halvings = constant(shift);
      if (!is_parity || parity_halvings == nullptr || lowering_.op(shift).attributes_as<ir::ShiftAttributes>().round)
        return std::nullopt;
      found.to_even = true;
      found.ops = {shift, parity, add};
      sum = lowering_.op(add).outputs[0];
    }
    if (const ir::OpId add = only_reader(sum, ir::OpKind::Add); add >= 0) {
      addends = constant(add);
      if (addends == nullptr || !is_operand(add, 0, sum)) return std::nullopt;
      found.ops.push_back(add);
      sum = lowering_.op(add).outputs[0];
    }
    const ir::OpId down = only_reader(sum, ir::OpKind::ArithmeticRightShift);
    if (down < 0 || !is_operand(down, 0, sum) || lowering_.op(down).attributes_as<ir::ShiftAttributes>().round)
      return std::nullopt;
    found.ops.push_back(down);
    found.result = lowering_.op(down).outputs[0];
    const ir::OpId rescale = only_reader(found.result, ir::OpKind::Rescale);
    if (rescale < 0 || lowering_.shape(found.result) != lowering_.shape(value_) || is_seen(found.ops) || !is_by_one(rescale))
      return std::nullopt;
    return with_numbers(std::move(found), constant(down), parity_halvings, addends);
  }

 private:
  /// With biases and shifts; none where the constants are not those of the form.
  [[nodiscard]] std::optional<ShiftedDown> with_numbers(ShiftedDown found, const base::Tensor* halvings,
                                                        const base::Tensor* parity_halvings,
                                                        const base::Tensor* addends) const {
    if (halvings == nullptr || !is_by_channel(*halvings)) return std::nullopt;
    if (addends != nullptr && !is_by_channel(*addends)) return std::nullopt;
    if (found.to_even && !std::ranges::equal(parity_halvings->bytes(), halvings->bytes())) return std::nullopt;
    for (int64_t i = 0; i < std::max(halvings->size(), addends == nullptr ? 1 : addends->size()); ++i) {
      const int64_t k = halvings->at(i % halvings->size());
      if (k < (found.to_even ? 1 : 0) || k > 31) return std::nullopt;
      const int64_t half = k > 0 ? int64_t{1} << (k - 1) : 0;
      const int64_t addend = addends == nullptr ? 0 : addends->at(i % addends->size());
      if (found.to_even && addend != half - 1) return std::nullopt;
      found.biases.push_back(found.to_even ? 0 : addend - half);
      found.shifts.push_back(kUnitShift + k);
    }
    return found;
  }
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
  /// The second operand; null where it is computed.
  [[nodiscard]] const base::Tensor* constant(ir::OpId op) const { return lowering_.value(lowering_.op(op).inputs[1]); }
  [[nodiscard]] bool is_ones(ir::OpId op) const {
    const base::Tensor* value = constant(op);
    for (int64_t i = 0; value != nullptr && i < value->size(); ++i) {
      if (value->at(i) != 1) return false;
    }
    return value != nullptr;
  }
  template <typename Ops>
  [[nodiscard]] bool is_seen(const Ops& ops) const {
    return std::any_of(ops.begin(), ops.end(),
                       [&](ir::OpId op) { return lowering_.is_output(lowering_.op(op).outputs[0]); });
  }
  /// Whether a constant has one element, or one for each index of the last dimension.
  [[nodiscard]] bool is_by_channel(const base::Tensor& value) const {
    return value.size() == 1 || (value.size() == value.shape().back() && value.size() == lowering_.shape(value_).back());
  }
  [[nodiscard]] bool is_by_one(ir::OpId rescale) const {
    const ir::Operator& op = lowering_.op(rescale);
    const auto& attributes = op.attributes_as<ir::RescaleAttributes>();
    const auto multiplier = lowering_.uniform_value(op.inputs[1]), shift = lowering_.uniform_value(op.inputs[2]);
    return attributes.scale32 && attributes.rounding == spec::Rounding::Single && !attributes.input_unsigned &&
           multiplier == kUnit && shift == kUnitShift;
  }
  /// Whether the RESCALE divides by 2 to the power of these shifts, channel by channel, and rounds once; where the mask is
  /// 0, whether it multiplies by a power of two.
  [[nodiscard]] bool has_powers_of(ir::OpId rescale, const base::Tensor* halvings, const base::Tensor& mask) const {
    const ir::Operator& op = lowering_.op(rescale);
    const auto& attributes = op.attributes_as<ir::RescaleAttributes>();
    const base::Tensor *multiplier = lowering_.value(op.inputs[1]), *shift = lowering_.value(op.inputs[2]);
    if (!attributes.scale32 || attributes.rounding != spec::Rounding::Single || attributes.input_unsigned) return false;
    if (halvings == nullptr || multiplier == nullptr || shift == nullptr) return false;
    if (halvings->size() != multiplier->size() || halvings->size() != mask.size()) return false;
    for (int64_t i = 0; i < halvings->size(); ++i) {
      const int64_t k = halvings->at(i);
      if (multiplier->at(i) != kUnit || mask.at(i) < 0 || mask.at(i) > 1) return false;
      const bool is_exact = mask.at(i) == 0 && shift->at(i) <= kUnitShift;
      const bool is_halved = mask.at(i) == 1 && k >= 1 && k <= 31 && shift->at(i) == kUnitShift + k;
      if (!is_exact && !is_halved) return false;
    }
    return true;
  }

  const Lowering& lowering_;
  ir::TensorId value_;
  const std::vector<std::vector<ir::OpId>>& readers_;  // by tensor
};

}  // namespace

std::optional<EvenTies> match_even_ties(const Lowering& lowering, const Recompute& recompute, ir::TensorId value) {
  return Matcher(lowering, recompute, value).even_ties();
}

std::optional<ShiftedDown> match_shifted_down(const Lowering& lowering, const Recompute& recompute, ir::TensorId value) {
  return Matcher(lowering, recompute, value).shifted_down();
}

}  // namespace vernier::passes
