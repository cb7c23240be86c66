// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/functions/tables16.hpp"

#include "compiler/import/quantized/functions/fine_table16.hpp"
#include "compiler/import/quantized/functions/requantize.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace vernier::import::quantized {

namespace {

using base::ElementType;

constexpr int64_t kIndexFractionBits = 7;
constexpr int64_t kFewCodes = 8;  // of 65,536 that may be a step off where one table does it

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
  for (size_t i = 0; i < value.reals.size(); i += kTableStride) codes.push_back(code(i));
  const double rise = code(value.reals.size() - 1) - codes.back();
  codes.push_back(codes.back() + rise * kTableStride / (kTableStride - 1));
  return codes;
}

/// Codes times `part`, which is 1 or less where int16 would not hold them.
Entries entries_of(const std::vector<double>& codes, double part) {
  Entries result{{}, multiplier_of(1 / (part * kTableStride))};
  for (const double code : codes)
    result.entries.push_back(std::clamp<int64_t>(std::llround(code * part), -kGreatestTableEntry - 1, kGreatestTableEntry));
  return result;
}

/// How far codes are from those that the quantizer gives.
struct Error {
  int64_t greatest = 0, num_wrong = 0;
  bool is_at_end = false;  // of the first or last code, which many numbers may have
  [[nodiscard]] bool operator<(const Error& other) const {
    return std::pair(greatest, num_wrong) < std::pair(other.greatest, other.num_wrong);
  }
};
template <typename Code>
Error error_of(const Value& value, const Quantizer& quantizer, const Code& code) {
  Error error;
  for (size_t i = 0; i < value.reals.size(); ++i) {
    const int64_t found = std::clamp(code(static_cast<int64_t>(i)), quantizer.least, quantizer.greatest);
    const int64_t distance = std::abs(found - code_of(value.reals[i], quantizer));
    error.greatest = std::max(error.greatest, distance);
    error.num_wrong += distance != 0 ? 1 : 0;
    error.is_at_end = error.is_at_end || (distance != 0 && (i == 0 || i + 1 == value.reals.size()));
  }
  return error;
}

/// Whether two entries are further apart than TABLE interpolates.
bool is_steep(const Entries& table) {
  const auto is_far = [](int64_t a, int64_t b) { return std::abs(a - b) > kGreatestTableEntry; };
  return std::adjacent_find(table.entries.begin(), table.entries.end(), is_far) != table.entries.end();
}

Error error_of(const Value& value, const Quantizer& quantizer, const Entries& table) {
  return error_of(value, quantizer, [&](int64_t i) {
    const auto at = static_cast<size_t>(i / kTableStride);
    const int64_t low = table.entries[at], rise = table.entries[at + 1] - low;
    const auto [multiplier, shift] = table.factor;
    return ((low * kTableStride + rise * (i % kTableStride)) * multiplier + (int64_t{1} << (shift - 1))) >> shift;
  });
}

/// Codes have the zero point in them; where it is odd and added after rounding, ties are even without it.
bool has_odd_ties(const Quantizer& quantizer) {
  return !quantizer.adds_zero_point_first && zero_point_of(quantizer.format) % 2 != 0;
}

Error error_of(const Value& value, const Quantizer& quantizer, const FineTable& table) {
  const int64_t half = int64_t{1} << (table.fraction_bits - 1), parity = has_odd_ties(quantizer) ? 1 : 0;
  const bool is_even = quantizer.rounding == base::Rounding::HalfEven;
  return error_of(value, quantizer, [&](int64_t i) {
    const int64_t units = table.at(i), floor = units >> table.fraction_bits;
    return (units + half - (is_even && (floor & 1) == parity ? 1 : 0)) >> table.fraction_bits;
  });
}

/// Of 16-bit codes. A line that leaves the codes between two entries needs an entry outside of them, which int16 holds only
/// if all are made smaller: the better one of the two ways.
std::pair<Entries, Error> interpolated_entries(const Value& value, const Quantizer& quantizer) {
  const bool is_8_bits = quantizer.format.bits == 8;
  const double most = is_8_bits ? kTableStride : 1;  // 7 bits after the point
  Entries table = entries_of(codes_of(value, quantizer, is_8_bits ? 100 : 0), most);
  Error error = error_of(value, quantizer, table);
  if (!is_8_bits && error.num_wrong > 0) {
    const std::vector<double> codes = codes_of(value, quantizer, 2048);
    double greatest = kGreatestTableEntry;
    for (const double code : codes) greatest = std::max(greatest, std::fabs(code));
    Entries smaller = entries_of(codes, kGreatestTableEntry / greatest);
    if (const Error other = error_of(value, quantizer, smaller); other < error) {
      table = std::move(smaller);
      error = other;
    }
  }
  return {table, error};
}

/// The better one of the two fine tables, if it is better than one table.
std::optional<FineTable> better_table(const Value& value, const Quantizer& quantizer, Error& error) {
  constexpr double kRoom = 32768;  // beyond the codes
  std::vector<double> exact;
  for (const float real : value.reals) {
    const double steps =
        static_cast<double>(real) / scale_of(quantizer.format) + static_cast<double>(zero_point_of(quantizer.format));
    exact.push_back(
        std::clamp(steps, static_cast<double>(quantizer.least) - kRoom, static_cast<double>(quantizer.greatest) + kRoom));
  }
  std::optional<FineTable> result;
  for (const bool has_curve : {false, true}) {
    std::optional<FineTable> table = fine_table(exact, quantizer, has_curve);
    if (!table) continue;
    if (const Error other = error_of(value, quantizer, *table); other < error) {
      error = other;
      result = std::move(table);
    }
  }
  return result;
}

/// Codes of what a fine table gives.
ir::TensorId codes_of_units(Lowering& lowering, const Value& value, const Quantizer& quantizer, const FineTable& table,
                            const std::string& name) {
  ir::TensorId units = add_fine_table(lowering, value, table, name);
  if (quantizer.rounding == base::Rounding::HalfEven)
    units = even_ties(lowering, value, units, {{table.fraction_bits}, 0, has_odd_ties(quantizer)}, name);
  return add_rescale(lowering, value, units,
                     {element_type(quantizer.format.bits), 0, 0, {{int64_t{1} << 30, 30 + table.fraction_bits}}}, name);
}

/// Of 8-bit codes: each has an entry.
Entries exact_entries(const Value& value, const Quantizer& quantizer) {
  Entries table{std::vector<int64_t>(kTableEntries, 0), multiplier_of(1.0 / kTableStride)};
  for (size_t i = 0; i < value.reals.size(); ++i)
    table.entries[i + (kTableEntries - value.reals.size()) / 2] = code_of(value.reals[i], quantizer);
  return table;
}

/// Codes of what one table interpolates.
ir::TensorId codes_of_entries(Lowering& lowering, const Value& value, ir::TensorId index, const Entries& table,
                              const Format& format, const std::string& name) {
  GraphBuilder& graph = lowering.graph;
  const base::Shape shape = graph.tensor(index).shape;
  const ir::TensorId entries = graph.add_constant(ElementType::Int16, {kTableEntries}, table.entries);
  const ir::TensorId result =
      graph.add(ir::OpKind::Table, {}, {index, entries}, {ElementType::Int32, shape, name + "_table"}, value.layer);
  return add_rescale(lowering, value, result, {element_type(format.bits), 0, 0, {table.factor}}, name);
}

/// Each code of 16 bits has an entry, which GATHER picks: of functions that jump.
ir::TensorId gathered_codes(Lowering& lowering, const Value& value, const Quantizer& quantizer, const std::string& name) {
  GraphBuilder& graph = lowering.graph;
  const base::Shape shape = graph.tensor(value.tensor).shape;
  const int64_t count = base::num_elements(shape), num_codes = std::ssize(value.reals);
  std::vector<int64_t> codes;
  for (const float real : value.reals) codes.push_back(code_of(real, quantizer));
  const ElementType type = element_type(quantizer.format.bits);
  const ir::TensorId code =
      add_rescale(lowering, value, value.tensor, {ElementType::Int32, 0, 0, {{int64_t{1} << 30, 30}}}, name + "_code");
  const ir::TensorId flat = graph.add(ir::OpKind::Reshape, {}, {code, graph.add_shape({1, count})},
                                      {ElementType::Int32, {1, count}, name + "_row"}, value.layer);
  const ir::TensorId least = graph.add_constant(ElementType::Int32, {1, 1}, {-value.format.least()});
  const ir::TensorId index =
      graph.add(ir::OpKind::Add, {}, {flat, least}, {ElementType::Int32, {1, count}, name + "_index"}, value.layer);
  const ir::TensorId entries = graph.add_constant(type, {1, num_codes, 1}, codes);
  const ir::TensorId found =
      graph.add(ir::OpKind::Gather, {}, {entries, index}, {type, {1, count, 1}, name + "_entry"}, value.layer);
  return graph.add(ir::OpKind::Reshape, {}, {found, graph.add_shape(shape)}, {type, shape, name}, value.layer);
}

}  // namespace

Value with_table16(Lowering& lowering, const Value& value, const Quantizer& quantizer, const std::string& name) {
  const Format& format = quantizer.format;
  if (format.bits > 16 || format.is_per_axis())
    refuse("a function is quantized to {} bits{}, allowed are 8 and 16 with one scale", format.bits,
           format.is_per_axis() ? " with several scales" : "");
  ir::TensorId index = value.tensor, codes = -1;
  Entries table;
  if (value.format.bits == 8) {
    table = exact_entries(value, quantizer);
    index = add_rescale(lowering, value, index, {ElementType::Int16, 0, 0, {{int64_t{1} << 30, 30 - kIndexFractionBits}}},
                        name + "_index");
  } else {
    auto [entries, error] = interpolated_entries(value, quantizer);
    table = std::move(entries);
    const bool is_near = error.greatest <= 1 && error.num_wrong <= kFewCodes && !error.is_at_end;
    if (const auto fine = is_near ? std::nullopt : better_table(value, quantizer, error))
      codes = codes_of_units(lowering, value, quantizer, *fine, name);
    if ((value.has_jumps && error.greatest > 1) || (codes < 0 && is_steep(table)))
      return with_tensor(value, quantizer, gathered_codes(lowering, value, quantizer, name));
    if (error.greatest > 1)
      lowering.warnings.push_back(
          fmt::format("node '{}': tables of every {}th code of 16 bits are off by up to {} steps of '{}'", value.layer,
                      kTableStride, error.greatest, name));
  }
  if (codes < 0) codes = codes_of_entries(lowering, value, index, table, format, name);
  if (quantizer.least > format.least() || quantizer.greatest < format.greatest())
    codes = add_clamp(lowering, value, codes, quantizer.least, quantizer.greatest, name + "_clamp");
  return with_tensor(value, quantizer, codes);
}

}  // namespace vernier::import::quantized
