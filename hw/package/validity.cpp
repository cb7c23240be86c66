// SPDX-License-Identifier: Apache-2.0
#include "hw/package/validity.hpp"

#include "hw/base/error.hpp"

namespace vernier::package {
namespace detail {

using base::ElementType;
using spec::FaultCode;

Rules& Rules::zero_point(std::string_view name, int64_t value, ElementType type, bool is_unsigned) {
  if (type == ElementType::Int8) return is_unsigned ? within(name, value, 0, 255) : within(name, value, -128, 127);
  if (type == ElementType::Int16 && is_unsigned) {
    return require(value == 0 || value == 32768, FaultCode::LimitExceeded, "{} is {}, uint16 allows 0 and 32768", name,
                   value);
  }
  return require(value == 0, FaultCode::LimitExceeded, "{} is {}, {} has no zero point", name, value, base::to_string(type));
}

Rules& Rules::clamp(std::string_view name, int64_t low, int64_t high, ElementType type, bool is_unsigned) {
  const int64_t span = base::max_value(type) - base::min_value(type);
  const int64_t least = is_unsigned ? 0 : base::min_value(type);
  return require(low >= least && low <= high && high <= least + span, FaultCode::LimitExceeded,
                 "{} is {} to {}, allowed are ranges within {} to {}", name, low, high, least, least + span);
}

namespace {

/// Bytes of a table slot in a format; 0 for types without one.
int64_t table_bytes(ElementType type) {
  if (type == ElementType::Int8) return 256;
  if (type == ElementType::Int16) return 513 * 2;
  if (type == ElementType::Int32) return 256 * 4;
  return 0;
}

bool is_element_size(int64_t bytes) { return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8; }

void check_table_fill(Rules& rules, const spec::DmaCommand& c) {
  rules.supported(c.src.base.space == base::MemorySpace::Sram, "a table is filled from SRAM only");
  rules.within("table_slot", c.table_slot, 0, spec::kNumTableSlots - 1);
  rules.supported(table_bytes(c.table_type) != 0, "table_type is none of int8, int16, int32");
  rules.require(c.run_bytes == table_bytes(c.table_type), FaultCode::LimitExceeded, "run_bytes is {}, the table has {}",
                c.run_bytes, table_bytes(c.table_type));
  for (const int64_t count : c.counts) rules.within("count of a table fill", count, 1, 1);
}

void check_transpose(Rules& rules, const spec::DmaCommand& c) {
  constexpr auto kSram = base::MemorySpace::Sram;
  rules.supported(c.src.base.space == kSram && c.dst.base.space == kSram, "a transpose outside of SRAM");
  rules.require(is_element_size(c.run_bytes), FaultCode::LimitExceeded,
                "run_bytes is {}, elements of a transpose have 1, 2, 4 or 8", c.run_bytes);
  rules.require(c.src.strides_bytes[4] == c.run_bytes, FaultCode::LimitExceeded,
                "source stride 4 is {}, columns of {} bytes follow each other", c.src.strides_bytes[4], c.run_bytes);
  rules.require(c.dst.strides_bytes[3] == c.run_bytes, FaultCode::LimitExceeded,
                "destination stride 3 is {}, rows of {} bytes follow each other", c.dst.strides_bytes[3], c.run_bytes);
}

void check_indices(Rules& rules, const spec::DmaCommand& c) {
  const bool has_indices = c.kind == spec::DmaKind::Gather || c.kind == spec::DmaKind::Scatter;
  if (has_indices) return void(rules.within("index_limit", c.index_limit, 1, spec::kMaxCommandElements));
  rules.require(c.index_base == 0 && c.index_limit == 0, FaultCode::ReservedEncoding,
                "index_base is {} and index_limit {} in a command without indices", c.index_base, c.index_limit);
}

void check_dma(Rules& rules, const spec::DmaCommand& c) {
  using spec::DmaKind;
  int64_t total_bytes = c.run_bytes;
  for (const int64_t count : c.counts) {
    rules.positive("count", count);
    total_bytes = saturating_product(total_bytes, count);
  }
  rules.positive("run_bytes", c.run_bytes);
  if (rules.broken()) return;
  rules.within("bytes of the copy", total_bytes, 1, spec::kMaxCommandElements);
  check_indices(rules, c);
  if (c.kind == DmaKind::TableFill) check_table_fill(rules, c);
  if (c.kind == DmaKind::Transpose) check_transpose(rules, c);
  if (c.kind != DmaKind::Fill) return;
  rules.require(is_element_size(c.fill_bytes), FaultCode::ReservedEncoding, "fill_bytes is {}, allowed are 1, 2, 4, 8",
                c.fill_bytes);
  if (rules.broken()) return;
  rules.require(c.run_bytes % c.fill_bytes == 0, FaultCode::LimitExceeded,
                "run_bytes is {}, not a multiple of fill_bytes {}", c.run_bytes, c.fill_bytes);
}

}  // namespace
}  // namespace detail

Validity check(const spec::Command& command, const spec::Datapath& datapath) {
  detail::Rules rules;
  if (const auto* dma = std::get_if<spec::DmaCommand>(&command.body)) detail::check_dma(rules, *dma);
  if (const auto* mac = std::get_if<spec::MacCommand>(&command.body)) detail::check_mac(rules, *mac, datapath);
  if (const auto* vector = std::get_if<spec::VectorCommand>(&command.body)) detail::check_vector(rules, *vector, datapath);
  return std::move(rules).result();
}

}  // namespace vernier::package
