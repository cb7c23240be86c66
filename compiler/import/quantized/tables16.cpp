// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/tables16.hpp"

#include "compiler/import/quantized/requantize.hpp"

#include <algorithm>
#include <cmath>

namespace vernier::import::quantized {

namespace {

using base::ElementType;

constexpr int64_t kNumEntries = 513, kStride = 128, kGreatestEntry = 32767;
constexpr int64_t kFractionBits = 7;

/// Entries, and the factor from what the table interpolates (128 times an entry) to codes.
struct Entries {
  std::vector<int64_t> entries;
  Multiplier factor;
};

/// The function at each 128th of the 16-bit codes, as codes with a fraction, at most `room` codes outside of those that the
/// quantizer gives. The last one continues the line to the greatest code.
std::vector<double> codes_of(const Value& value, const Quantizer& quantizer, double room) {
  const Format& format = quantizer.format;
  const auto code = [&](size_t i) {
    const double exact = static_cast<double>(value.reals[i]) / scale_of(format) + static_cast<double>(zero_point_of(format));
    if (std::isnan(exact)) refuse("the function has no result for some codes");
    return std::clamp(exact, static_cast<double>(quantizer.least) - room, static_cast<double>(quantizer.greatest) + room);
  };
  std::vector<double> codes;
  for (size_t i = 0; i < value.reals.size(); i += kStride) codes.push_back(code(i));
  const double rise = code(value.reals.size() - 1) - codes.back();
  codes.push_back(codes.back() + rise * kStride / (kStride - 1));
  return codes;
}

/// Codes times `part`, which is 1 or less where int16 would not hold them.
Entries entries_of(const std::vector<double>& codes, double part) {
  Entries result{{}, multiplier_of(1 / (part * kStride))};
  for (const double code : codes)
    result.entries.push_back(std::clamp<int64_t>(std::llround(code * part), -kGreatestEntry - 1, kGreatestEntry));
  return result;
}

/// The greatest distance of what the table gives to what the quantizer gives.
int64_t error_of(const Value& value, const Quantizer& quantizer, const Entries& table) {
  int64_t greatest = 0;
  const auto [multiplier, shift] = table.factor;
  for (size_t i = 0; i < value.reals.size(); ++i) {
    const int64_t low = table.entries[i / kStride], rise = table.entries[i / kStride + 1] - low;
    const int64_t interpolated = low * kStride + rise * static_cast<int64_t>(i % kStride);
    const int64_t code = (interpolated * multiplier + (int64_t{1} << (shift - 1))) >> shift;
    greatest = std::max(
        greatest, std::abs(std::clamp(code, quantizer.least, quantizer.greatest) - code_of(value.reals[i], quantizer)));
  }
  return greatest;
}

/// Of 16-bit codes. A line that leaves the codes between two entries needs an entry outside of them, which int16 holds only
/// if all are made smaller: the better one of the two ways.
Entries interpolated_entries(Lowering& lowering, const Value& value, const Quantizer& quantizer, const std::string& name) {
  const bool is_8_bits = quantizer.format.bits == 8;
  const double most = is_8_bits ? kStride : 1;  // 7 bits after the point
  Entries table = entries_of(codes_of(value, quantizer, is_8_bits ? 100 : 0), most);
  int64_t error = error_of(value, quantizer, table);
  if (!is_8_bits && error > 0) {
    const std::vector<double> codes = codes_of(value, quantizer, 2048);
    double greatest = kGreatestEntry;
    for (const double code : codes) greatest = std::max(greatest, std::fabs(code));
    Entries smaller = entries_of(codes, kGreatestEntry / greatest);
    if (const int64_t other = error_of(value, quantizer, smaller); other < error) {
      table = std::move(smaller);
      error = other;
    }
  }
  if (error > 1)
    lowering.warnings.push_back(
        fmt::format("node '{}': a table with an entry for every {}th code of 16 bits is off by up to {} steps of '{}'",
                    value.layer, kStride, error, name));
  return table;
}

/// Of 8-bit codes: each has an entry.
Entries exact_entries(const Value& value, const Quantizer& quantizer) {
  Entries table{std::vector<int64_t>(kNumEntries, 0), multiplier_of(1.0 / kStride)};
  for (size_t i = 0; i < value.reals.size(); ++i)
    table.entries[i + (kNumEntries - value.reals.size()) / 2] = code_of(value.reals[i], quantizer);
  return table;
}

}  // namespace

Value with_table16(Lowering& lowering, const Value& value, const Quantizer& quantizer, const std::string& name) {
  const Format& format = quantizer.format;
  if (format.bits > 16 || format.is_per_axis())
    refuse("a function is quantized to {} bits{}, allowed are 8 and 16 with one scale", format.bits,
           format.is_per_axis() ? " with several scales" : "");
  ir::TensorId index = value.tensor;
  Entries table;
  if (value.format.bits == 8) {
    table = exact_entries(value, quantizer);
    index = add_rescale(lowering, value, index, {ElementType::Int16, 0, 0, {{int64_t{1} << 30, 30 - kFractionBits}}},
                        name + "_index");
  } else {
    table = interpolated_entries(lowering, value, quantizer, name);
  }
  GraphBuilder& graph = lowering.graph;
  const base::Shape shape = graph.tensor(index).shape;
  const ir::TensorId entries = graph.add_constant(ElementType::Int16, {kNumEntries}, table.entries);
  const ir::TensorId result =
      graph.add(ir::OpKind::Table, {}, {index, entries}, {ElementType::Int32, shape, name + "_table"}, value.layer);
  ir::TensorId codes = add_rescale(lowering, value, result, {element_type(format.bits), 0, 0, {table.factor}}, name);
  if (quantizer.least > format.least() || quantizer.greatest < format.greatest())
    codes = add_clamp(lowering, value, codes, quantizer.least, quantizer.greatest, name + "_clamp");
  return with_tensor(value, quantizer, codes);
}

}  // namespace vernier::import::quantized
