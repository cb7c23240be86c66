// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/rounding_forms.hpp"

#include <algorithm>
#include <utility>

namespace vernier::passes {
namespace {

constexpr int64_t kUnit = int64_t{1} << 30, kUnitRescaleShift = 30;  // of a RESCALE by 1

/// The operator that makes a tensor where it is of that kind and reads two operands, the first of them `value` where that is
/// given; null without one.
const ir::Operator* producer_of(const Lowering& lowering, ir::TensorId tensor, ir::OpKind kind, ir::TensorId value = -1) {
  const ir::OpId id = lowering.producer(tensor);
  if (id < 0) return nullptr;
  const ir::Operator& op = lowering.op(id);
  return op.kind == kind && (value < 0 || op.inputs[0] == value) ? &op : nullptr;
}

/// Whether the RESCALE divides by 2 to the power of these shifts, channel by channel, and rounds once; where the mask is 0,
/// whether it multiplies by a power of two.
bool has_powers_of(const Lowering& lowering, const ir::Operator& rescale, const base::Tensor* halvings,
                   const base::Tensor* mask) {
  const auto& attributes = rescale.attributes_as<ir::RescaleAttributes>();
  const base::Tensor *multiplier = lowering.value(rescale.inputs[1]), *shift = lowering.value(rescale.inputs[2]);
  if (!attributes.scale32 || attributes.rounding != spec::Rounding::Single || attributes.input_unsigned) return false;
  if (halvings == nullptr || mask == nullptr || multiplier == nullptr || shift == nullptr) return false;
  if (halvings->size() != multiplier->size() || halvings->size() != mask->size()) return false;
  const auto is_by_channel = [](const base::Tensor& value) {
    return value.size() == 1 || value.size() == value.shape().back();
  };
  if (!is_by_channel(*halvings) || !is_by_channel(*mask)) return false;
  for (int64_t i = 0; i < halvings->size(); ++i) {
    const int64_t k = halvings->at(i);
    if (multiplier->at(i) != kUnit || mask->at(i) < 0 || mask->at(i) > 1) return false;
    const bool is_exact = mask->at(i) == 0 && shift->at(i) <= kUnitRescaleShift;
    const bool is_halved = mask->at(i) == 1 && k >= 1 && k <= 31 && shift->at(i) == kUnitRescaleShift + k;
    if (!is_exact && !is_halved) return false;
  }
  return true;
}

class FormMatcher {
 public:
  FormMatcher(const Lowering& lowering, const Recompute& recompute, ir::TensorId value)
      : lowering_(lowering), value_(value), readers_(recompute.direct_consumers()) {}

  [[nodiscard]] std::optional<EvenTies> even_ties() const {
    const ir::OpId add = reader_of(value_, ir::OpKind::Add, 2);
    if (add < 0) return std::nullopt;
    const ir::OpId rescale = only_reader(lowering_.op(add).outputs[0], ir::OpKind::Rescale);
    if (rescale < 0) return std::nullopt;
    const std::optional<EvenTies> ties = find_even_ties(lowering_, rescale);
    if (!ties || ties->value != value_ || is_seen(ties->ops)) return std::nullopt;
    const auto has_one_reader = [&](ir::OpId op) {
      return readers_[static_cast<size_t>(lowering_.op(op).outputs[0])].size() == 1;
    };
    return std::all_of(ties->ops.begin(), ties->ops.end(), has_one_reader) ? ties : std::nullopt;
  }

  [[nodiscard]] std::optional<ShiftedDown> shifted_down() const {
    ShiftedDown found;
    ir::TensorId sum = value_;
    const base::Tensor* addends = nullptr;
    if (const ir::OpId add = only_reader(sum, ir::OpKind::Add); add >= 0) {
      addends = constant(add);
      if (addends == nullptr || lowering_.op(add).inputs[0] != sum) return std::nullopt;
      found.ops.push_back(add);
      sum = lowering_.op(add).outputs[0];
    }
    const ir::OpId down = only_reader(sum, ir::OpKind::ArithmeticRightShift);
    if (down < 0 || lowering_.op(down).inputs[0] != sum || lowering_.op(down).attributes_as<ir::ShiftAttributes>().round)
      return std::nullopt;
    found.ops.push_back(down);
    found.result = lowering_.op(down).outputs[0];
    const ir::OpId rescale = only_reader(found.result, ir::OpKind::Rescale);
    if (rescale < 0 || lowering_.shape(found.result) != lowering_.shape(value_) || is_seen(found.ops) || !is_by_one(rescale))
      return std::nullopt;
    return with_numbers(std::move(found), constant(down), addends);
  }

 private:
  /// With biases and shifts; none where the constants are not those of the form.
  [[nodiscard]] std::optional<ShiftedDown> with_numbers(ShiftedDown found, const base::Tensor* halvings,
                                                        const base::Tensor* addends) const {
    if (halvings == nullptr || !is_by_channel(*halvings)) return std::nullopt;
    if (addends != nullptr && !is_by_channel(*addends)) return std::nullopt;
    for (int64_t i = 0; i < std::max(halvings->size(), addends == nullptr ? 1 : addends->size()); ++i) {
      const int64_t k = halvings->at(i % halvings->size());
      if (k < 0 || k > 31) return std::nullopt;
      const int64_t half = k > 0 ? int64_t{1} << (k - 1) : 0;
      const int64_t addend = addends == nullptr ? 0 : addends->at(i % addends->size());
      found.biases.push_back(addend - half);
      found.shifts.push_back(kUnitRescaleShift + k);
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
  /// The second operand; null where it is computed.
  [[nodiscard]] const base::Tensor* constant(ir::OpId op) const { return lowering_.value(lowering_.op(op).inputs[1]); }
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
           multiplier == kUnit && shift == kUnitRescaleShift;
  }

  const Lowering& lowering_;
  ir::TensorId value_;
  const std::vector<std::vector<ir::OpId>>& readers_;  // by tensor
};

}  // namespace

std::optional<EvenTies> find_even_ties(const Lowering& lowering, ir::OpId rescale) {
  const ir::Operator& last = lowering.op(rescale);
  const ir::TensorId result = last.inputs[0];
  const ir::Operator* add = producer_of(lowering, result, ir::OpKind::Add);
  if (add == nullptr) return std::nullopt;
  const ir::TensorId value = add->inputs[0];
  const ir::Operator* step = producer_of(lowering, add->inputs[1], ir::OpKind::Sub);
  if (step == nullptr) return std::nullopt;
  const ir::Operator* parity = producer_of(lowering, step->inputs[0], ir::OpKind::BitwiseAnd);
  if (parity == nullptr) return std::nullopt;
  const ir::Operator* shift = producer_of(lowering, parity->inputs[0], ir::OpKind::ArithmeticRightShift, value);
  if (shift == nullptr || shift->attributes_as<ir::ShiftAttributes>().round) return std::nullopt;
  const base::Tensor *mask = lowering.value(parity->inputs[1]), *same_mask = lowering.value(step->inputs[1]);
  const bool is_masked = mask != nullptr && same_mask != nullptr && std::ranges::equal(mask->bytes(), same_mask->bytes());
  const bool keeps_shape = lowering.shape(result) == lowering.shape(value);
  if (!is_masked || !keeps_shape || !has_powers_of(lowering, last, lowering.value(shift->inputs[1]), mask))
    return std::nullopt;
  return EvenTies{{lowering.producer(parity->inputs[0]), lowering.producer(step->inputs[0]),
                   lowering.producer(add->inputs[1]), lowering.producer(result)},
                  value,
                  result};
}

std::optional<EvenTies> match_even_ties(const Lowering& lowering, const Recompute& recompute, ir::TensorId value) {
  return FormMatcher(lowering, recompute, value).even_ties();
}

std::optional<ShiftedDown> match_shifted_down(const Lowering& lowering, const Recompute& recompute, ir::TensorId value) {
  return FormMatcher(lowering, recompute, value).shifted_down();
}

}  // namespace vernier::passes
