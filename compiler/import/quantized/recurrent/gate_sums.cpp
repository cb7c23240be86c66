// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/recurrent/gate_sums.hpp"

#include "compiler/import/quantized/recurrent/gates.hpp"

#include <algorithm>
#include <cmath>

namespace vernier::import::quantized {

namespace {

using base::ElementType;
using Id = ir::TensorId;

constexpr int64_t kHighBits = 8;
constexpr int64_t kGateSumBits = 27, kFinestBits = 24;
constexpr double kGreatestWeight = 127 * 256 + 127;
constexpr int64_t kMostFiner = 16;  // bits that sums have more than the result

int64_t steps_in(double number, int64_t bits) { return std::llround(std::ldexp(number, static_cast<int>(bits))); }

/// Bits after the point that let 16 bits hold the greatest weight of a row.
int64_t weight_bits(const double* first, int64_t count, int64_t unit_bits) {
  double greatest = 0;
  for (int64_t i = 0; i < count; ++i) greatest = std::max(greatest, std::fabs(first[i]));
  const int64_t most = unit_bits + kMostFiner;
  if (greatest == 0) return most;
  return std::min(most, static_cast<int64_t>(std::floor(std::log2(kGreatestWeight / greatest))));
}

/// The greatest sum of each row for numbers of up to `reach`.
std::vector<double> reaches_of(const GateRows& rows, double reach) {
  std::vector<double> result;
  const size_t columns = rows.weights.size() / rows.bias.size();
  for (size_t row = 0; row < rows.bias.size(); ++row) {
    double sum = std::fabs(rows.bias[row]);
    for (size_t i = 0; i < columns; ++i) sum += std::fabs(rows.weights[row * columns + i]) * reach;
    result.push_back(sum);
  }
  return result;
}

}  // namespace

Id known_sums(Lowering& lowering, const GateRows& rows, const std::vector<double>& numbers, int64_t unit_bits) {
  const size_t num_rows = rows.bias.size(), columns = rows.weights.size() / num_rows, batch = numbers.size() / columns;
  std::vector<int64_t> sums;
  for (size_t i = 0; i < batch * num_rows; ++i) {
    double sum = rows.bias[i % num_rows];
    for (size_t k = 0; k < columns; ++k)
      sum += rows.weights[i % num_rows * columns + k] * numbers[i / num_rows * columns + k];
    sums.push_back(steps_in(sum, unit_bits));
  }
  return lowering.graph.add_constant(ElementType::Int32, {1, 1, static_cast<int64_t>(batch), static_cast<int64_t>(num_rows)},
                                     sums);
}

GateRows rows_from(const GateRows& rows, int64_t first, int64_t count) {
  const auto columns = std::ssize(rows.weights) / std::ssize(rows.bias);
  const auto begin = rows.weights.begin() + first * columns;
  return {{begin, begin + count * columns}, {rows.bias.begin() + first, rows.bias.begin() + first + count}};
}

GateRows gate_rows(const std::vector<double>& weights, const std::vector<double>& bias, const std::vector<double>& factors) {
  GateRows rows{weights, bias};
  const size_t per_gate = bias.size() / factors.size(), columns = weights.size() / bias.size();
  for (size_t i = 0; i < weights.size(); ++i) rows.weights[i] *= factors[i / columns / per_gate];
  for (size_t i = 0; i < bias.size(); ++i) rows.bias[i] *= factors[i / per_gate];
  return rows;
}

int64_t unit_bits_of(const GateRows& a, double reach_a, const GateRows& b, double reach_b) {
  const std::vector<double> reaches_a = reaches_of(a, reach_a), reaches_b = reaches_of(b, reach_b);
  double greatest = 0;
  for (size_t i = 0; i < reaches_a.size(); ++i) greatest = std::max(greatest, reaches_a[i] + reaches_b[i]);
  const double most = std::ldexp(1.0, kMostWholeBits);
  if (!(greatest <= most)) refuse("the sums of a gate may be up to {:g}, allowed are {:g}", greatest, most);
  return std::min(kFinestBits, kGateSumBits - whole_bits(greatest));
}

GateSums::GateSums(Lowering& lowering, const Node& node, const GateRows& rows, const Format& codes, int64_t unit_bits)
    : lowering_(lowering),
      node_(node),
      num_rows_(std::ssize(rows.bias)),
      num_columns_(std::ssize(rows.weights) / std::ssize(rows.bias)),
      zero_point_(zero_point_of(codes)),
      type_(element_type(codes.bits)),
      sum_type_(codes.bits == 8 ? ElementType::Int32 : ElementType::Int48) {
  constexpr int64_t kMostColumns = (int64_t{1} << 31) / (128 * 255);
  if (codes.bits == 8 && num_columns_ > kMostColumns)
    refuse("rows of {} codes of 8 bits, allowed are {}", num_columns_, kMostColumns);
  const bool has_late_bias = codes.bits == 8;  // which int32 may not hold in the steps of the sums
  std::vector<int64_t> high, low, bias, halvings;
  for (int64_t row = 0; row < num_rows_; ++row) {
    const auto at = static_cast<size_t>(row);
    std::vector<double> numbers(rows.weights.begin() + static_cast<std::ptrdiff_t>(row * num_columns_),
                                rows.weights.begin() + static_cast<std::ptrdiff_t>((row + 1) * num_columns_));
    for (double& number : numbers) number *= scale_of(codes);
    const int64_t bits = weight_bits(numbers.data(), num_columns_, unit_bits);
    for (const double number : numbers) {
      const int64_t weight = steps_in(number, bits);
      high.push_back((weight + 128) >> kHighBits);
      low.push_back(weight - high.back() * (int64_t{1} << kHighBits));
    }
    bias.push_back(has_late_bias ? 0 : steps_in(rows.bias[at], bits));
    halvings.push_back(bits - unit_bits);
  }
  low_ = part_of(low, bias, halvings);
  for (int64_t& one : halvings) one -= kHighBits;
  high_ = part_of(high, std::vector<int64_t>(bias.size()), halvings);
  const bool has_bias = std::any_of(rows.bias.begin(), rows.bias.end(), [](double one) { return one != 0; });
  if (!has_late_bias || !has_bias) return;
  std::vector<int64_t> addend;
  for (const double one : rows.bias) addend.push_back(steps_in(one, unit_bits));
  addend_ = lowering.graph.add_constant(ElementType::Int32, {1, 1, 1, num_rows_}, addend);
}

/// Codes of 16 bits have no zero point in TOSA: it goes into the bias.
GateSums::Part GateSums::part_of(const std::vector<int64_t>& weights, std::vector<int64_t> bias,
                                 const std::vector<int64_t>& halvings) const {
  GraphBuilder& graph = lowering_.graph;
  if (type_ == ElementType::Int16) {
    for (size_t i = 0; i < weights.size(); ++i) bias[i / static_cast<size_t>(num_columns_)] -= zero_point_ * weights[i];
  }
  Part part;
  part.weights = graph.add_constant(ElementType::Int8, {num_rows_, 1, 1, num_columns_}, weights);
  part.bias = graph.add_constant(sum_type_, {num_rows_}, bias);
  const int64_t one_bits = sum_type_ == ElementType::Int48 ? 14 : 30;
  for (const int64_t one : halvings) part.multipliers.push_back({int64_t{1} << one_bits, one_bits + one});
  return part;
}

Id GateSums::sums_of(const Part& part, Id codes) const {
  GraphBuilder& graph = lowering_.graph;
  const std::string& name = node_.outputs[0];
  base::Shape shape = graph.tensor(codes).shape;
  shape.back() = num_rows_;
  const Id sums =
      graph.add(ir::OpKind::Conv2d, ir::ConvAttributes{{0, 0, 0, 0}, {1, 1}, {1, 1}, sum_type_},
                {codes, part.weights, part.bias, graph.add_scalar(type_, type_ == ElementType::Int8 ? zero_point_ : 0),
                 graph.add_scalar(ElementType::Int8, 0)},
                {sum_type_, shape, name + "_sums"}, node_.name);
  Value value;
  value.layer = node_.name;
  return add_rescale(lowering_, value, sums, {ElementType::Int32, 0, 0, part.multipliers}, name + "_sums");
}

Id GateSums::of(Arithmetic& math, Id codes) const {
  const Id sums = math.add(sums_of(high_, codes), sums_of(low_, codes));
  return addend_ < 0 ? sums : math.add(sums, addend_);
}

Id input_sums_of(Lowering& lowering, Arithmetic& math, const RecurrentLayer& layer, const GateRows& rows,
                 int64_t unit_bits) {
  Id sums = GateSums(lowering, layer.node, rows, layer.x.front().format, unit_bits).of(math, layer.x.front().tensor);
  const GateRows without_bias{rows.weights, std::vector<double>(rows.bias.size())};
  for (size_t i = 1; i < layer.x.size(); ++i) {
    const GateSums part(lowering, layer.node, without_bias, layer.x[i].format, unit_bits);
    sums = math.add(sums, part.of(math, layer.x[i].tensor));
  }
  return sums;
}

}  // namespace vernier::import::quantized
