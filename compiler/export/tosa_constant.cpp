// SPDX-License-Identifier: Apache-2.0
// Types and constant data of a .tosa file.
#include "compiler/export/tosa_writer.hpp"
#include "hw/base/division.hpp"
#include "hw/base/error.hpp"

#include <cstring>

namespace vernier::exporter {

namespace {

using base::ElementType;

constexpr int64_t kAlignment = 8;  // what the official writers pad data to

void pack_int4(const base::Tensor& value, uint8_t* data) {
  for (int64_t i = 0; i < value.size(); ++i) {
    const auto nibble = static_cast<uint8_t>(value.at(i) & 15);
    data[i / 2] = static_cast<uint8_t>(data[i / 2] | nibble << (4 * (i % 2)));  // the first element is in the low half
  }
}

void pack_int48(const base::Tensor& value, uint8_t* data) {
  for (int64_t i = 0; i < value.size(); ++i) {
    const auto bits = static_cast<uint64_t>(value.at(i));
    for (int64_t byte = 0; byte < 6; ++byte) data[6 * i + byte] = static_cast<uint8_t>(bits >> (8 * byte));
  }
}

}  // namespace

tosa::DType dtype_of(ElementType type) {
  switch (type) {
    case ElementType::Bool: return tosa::DType::BOOL;
    case ElementType::Int4: return tosa::DType::INT4;
    case ElementType::Int8: return tosa::DType::INT8;
    case ElementType::Int16: return tosa::DType::INT16;
    case ElementType::Int32: return tosa::DType::INT32;
    case ElementType::Int48: return tosa::DType::INT48;
    case ElementType::Shape: return tosa::DType::SHAPE;
  }
  VERNIER_CHECK(false, "element type {} is one of TOSA's", static_cast<int>(type));
  return tosa::DType::UNKNOWN;
}

int64_t file_bytes(const base::Tensor& value) {
  if (value.type() == ElementType::Int4) return base::ceil_div(value.size(), 2);
  return value.type() == ElementType::Int48 ? 6 * value.size() : value.size_bytes();
}

flatbuffers::Offset<flatbuffers::Vector<uint8_t>> write_data(flatbuffers::FlatBufferBuilder& builder,
                                                             const base::Tensor& value) {
  const int64_t needed = file_bytes(value);
  const auto padded = static_cast<size_t>(base::round_up(needed, kAlignment));
  builder.ForceVectorAlignment(padded, sizeof(uint8_t), kAlignment);
  uint8_t* data = nullptr;
  const auto vector = builder.CreateUninitializedVector(padded, &data);
  if (padded == 0) return vector;
  std::memset(data, 0, padded);
  if (value.type() == ElementType::Int4) {
    pack_int4(value, data);
  } else if (value.type() == ElementType::Int48) {
    pack_int48(value, data);
  } else {
    std::memcpy(data, value.bytes().data(), static_cast<size_t>(needed));
  }
  return vector;
}

}  // namespace vernier::exporter
