// SPDX-License-Identifier: Apache-2.0
#include "hw/ref/vernier_ref.h"

#include "hw/base/element_type.hpp"
#include "hw/model/rescale.hpp"
#include "hw/model/table.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace {

using vernier::base::ElementType;
using vernier::spec::Rounding;
namespace model = vernier::model;

static_assert(VERNIER_REF_INT8 == static_cast<int>(ElementType::Int8) &&
              VERNIER_REF_INT16 == static_cast<int>(ElementType::Int16) &&
              VERNIER_REF_INT32 == static_cast<int>(ElementType::Int32) &&
              VERNIER_REF_INT48 == static_cast<int>(ElementType::Int48));
static_assert(VERNIER_REF_SINGLE_ROUND == static_cast<int>(Rounding::Single) &&
              VERNIER_REF_DOUBLE_ROUND == static_cast<int>(Rounding::Double) &&
              VERNIER_REF_INEXACT_ROUND == static_cast<int>(Rounding::Inexact) &&
              VERNIER_REF_HALF_EVEN == static_cast<int>(Rounding::HalfEven));
static_assert(std::endian::native == std::endian::little, "tables are copied as they lie in SRAM");

int32_t check(const vernier_ref_rescale_setup& setup) {
  if (setup.in_type < VERNIER_REF_INT8 || setup.in_type > VERNIER_REF_INT48) return VERNIER_REF_TYPE;
  if (setup.out_type < VERNIER_REF_INT8 || setup.out_type > VERNIER_REF_INT32) return VERNIER_REF_TYPE;
  if (setup.rounding < VERNIER_REF_SINGLE_ROUND || setup.rounding > VERNIER_REF_HALF_EVEN) return VERNIER_REF_ROUNDING;
  return VERNIER_REF_OK;
}

/// RESCALE of one element, with a setup that check() finds good.
int32_t rescaled(const vernier_ref_rescale_setup& setup, int64_t value, int32_t multiplier, int32_t shift) {
  const auto in_type = static_cast<ElementType>(setup.in_type), out_type = static_cast<ElementType>(setup.out_type);
  const auto rounding = static_cast<Rounding>(setup.rounding);
  const int64_t number = model::extend_stored(value, in_type, setup.in_unsigned != 0) - setup.in_zero_point;
  const int32_t scaled = setup.scale32 != 0 ? model::apply_scale_32(model::wrap32(number), multiplier, shift, rounding)
                                            : model::apply_scale_16(number, multiplier, shift, rounding);
  const int32_t saturated = model::saturate_scaled(scaled, setup.out_zero_point, out_type, setup.out_unsigned != 0);
  return std::min(std::max(saturated, setup.clamp_min), setup.clamp_max);
}

/// A copy, since a table from C may lie anywhere.
template <typename Entry, size_t kEntries, typename LookUp>
int32_t look_up(const void* table, size_t table_bytes, int32_t* result, LookUp at) {
  std::array<Entry, kEntries> entries;
  if (table_bytes != sizeof entries) return VERNIER_REF_SIZE;
  std::memcpy(entries.data(), table, sizeof entries);
  *result = at(entries);
  return VERNIER_REF_OK;
}

}  // namespace

int32_t vernier_ref_version() { return VERNIER_REF_VERSION; }

int32_t vernier_ref_rescale(const vernier_ref_rescale_setup* setup, int64_t value, int32_t multiplier, int32_t shift,
                            int32_t* result) {
  return vernier_ref_rescale_lanes(setup, 1, &value, &multiplier, &shift, result);
}

int32_t vernier_ref_rescale_lanes(const vernier_ref_rescale_setup* setup, size_t count, const int64_t* values,
                                  const int32_t* multipliers, const int32_t* shifts, int32_t* results) {
  if (setup == nullptr) return VERNIER_REF_NULL;
  if (count > 0 && (values == nullptr || multipliers == nullptr || shifts == nullptr || results == nullptr))
    return VERNIER_REF_NULL;
  if (const int32_t code = check(*setup); code != VERNIER_REF_OK) return code;
  for (size_t i = 0; i < count; ++i) results[i] = rescaled(*setup, values[i], multipliers[i], shifts[i]);
  return VERNIER_REF_OK;
}

int32_t vernier_ref_table(int32_t format, const void* table, size_t table_bytes, int32_t operand, int32_t* result) {
  if (table == nullptr || result == nullptr) return VERNIER_REF_NULL;
  switch (format) {
    case VERNIER_REF_INT8:
      return look_up<int8_t, model::kTable8Entries>(table, table_bytes, result,
                                                    [&](const auto& entries) { return model::table_8(operand, entries); });
    case VERNIER_REF_INT16:
      return look_up<int16_t, model::kTable16Entries>(
          table, table_bytes, result, [&](const auto& entries) { return model::table_16(operand, entries); });
    case VERNIER_REF_INT32:
      return look_up<int32_t, model::kTable8Entries>(
          table, table_bytes, result, [&](const auto& entries) { return model::table_8_to_32(operand, entries); });
    default: return VERNIER_REF_TYPE;
  }
}
