// SPDX-License-Identifier: Apache-2.0
// Types, shapes and constant data of a .tosa file. Writers may pad data, to a multiple of 8 bytes for example: more bytes
// than needed are taken, fewer are refused.
#include "compiler/import/tosa/tosa_reader.hpp"
#include "compiler/ir/tensor_size.hpp"

#include "tosa_generated.h"
#include <cstring>

namespace vernier::import {

namespace {

using base::ElementType;
using Data = flatbuffers::Vector<uint8_t>;

/// Bytes of the file's data for that many elements.
int64_t file_bytes(ElementType type, int64_t num_elements) {
  switch (type) {
    case ElementType::Int4: return (num_elements + 1) / 2;
    case ElementType::Int48: return 6 * num_elements;
    default: return num_elements * base::stored_bytes(type);
  }
}

void check_data_size(const Source& source, std::string_view name, const Data* data, int64_t needed_bytes) {
  const int64_t found = data == nullptr ? 0 : data->size();
  if (found < needed_bytes) {
    source.fail("constant '{}' has {} bytes of data, its type and shape need {}", name, found, needed_bytes);
  }
}

void unpack_int4(const Source& source, std::string_view name, const uint8_t* data, base::Tensor& tensor) {
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const int nibble = data[i / 2] >> (4 * (i % 2)) & 15;  // the first element is in the low half
    if (nibble == 8) source.fail("element {} of the int4 constant '{}' is -8, allowed are -7 to 7", i, name);
    tensor.set(i, nibble);
  }
}

void unpack_int48(const uint8_t* data, base::Tensor& tensor) {
  for (int64_t i = 0; i < tensor.size(); ++i) {
    uint64_t value = 0;
    for (int64_t byte = 0; byte < 6; ++byte) value |= uint64_t{data[6 * i + byte]} << (8 * byte);
    tensor.set(i, static_cast<int64_t>(value));
  }
}

}  // namespace

bool is_float(tosa::DType type) {
  switch (type) {
    case tosa::DType::FP32:
    case tosa::DType::FP16:
    case tosa::DType::BF16:
    case tosa::DType::FP8E4M3:
    case tosa::DType::FP8E5M2: return true;
    default: return false;
  }
}

ElementType read_type(const Source& source, std::string_view name, tosa::DType type) {
  if (is_float(type)) source.fail("{} is {}; the NPU is integer only", name, tosa::EnumNameDType(type));
  switch (type) {
    case tosa::DType::BOOL: return ElementType::Bool;
    case tosa::DType::INT4: return ElementType::Int4;
    case tosa::DType::INT8: return ElementType::Int8;
    case tosa::DType::INT16: return ElementType::Int16;
    case tosa::DType::INT32: return ElementType::Int32;
    case tosa::DType::INT48: return ElementType::Int48;
    default:
      source.fail("tensor '{}' has element type number {}, allowed are bool, int4, int8, int16, int32 and int48", name,
                  static_cast<uint32_t>(type));
  }
}

base::Shape read_shape(Source& source, std::string_view name, const tosa::TosaTensor& tensor) {
  if (tensor.is_unranked()) source.fail("tensor '{}' has no fixed rank; shapes have to be fixed", name);
  base::Shape shape;
  if (tensor.shape() == nullptr) return shape;
  source.charge(tensor.shape()->size() * sizeof(int64_t));
  shape.assign(tensor.shape()->begin(), tensor.shape()->end());
  return shape;
}

base::Tensor read_constant(Source& source, const ir::TensorInfo& info, const tosa::TosaTensor& tensor) {
  if (tensor.offset() > 1 || tensor.size() > 0) {
    source.fail("constant '{}' lies outside the flatbuffer (offset {}, size {}), which is not supported", info.name,
                tensor.offset(), tensor.size());
  }
  for (size_t i = 0; i < info.shape.size(); ++i) {
    if (info.shape[i] == -1)
      source.fail("dimension {} of constant '{}' is open (-1), its data needs a fixed shape", i, info.name);
  }
  const auto stored = ir::checked_size_bytes(info.type, info.shape);
  if (!stored || *stored >> 48 != 0) {
    source.fail("the size of constant '{}' {} overflows", info.name, base::to_string(info.shape));
  }
  const int64_t needed = file_bytes(info.type, *stored / base::stored_bytes(info.type));
  check_data_size(source, info.name, tensor.data(), needed);
  source.charge(static_cast<uint64_t>(*stored));
  base::Tensor value(info.type, info.shape);
  if (value.size() == 0) return value;
  const uint8_t* data = tensor.data()->data();
  if (info.type == ElementType::Int4) {
    unpack_int4(source, info.name, data, value);
  } else if (info.type == ElementType::Int48) {
    unpack_int48(data, value);
  } else if (info.type == ElementType::Bool) {
    for (int64_t i = 0; i < value.size(); ++i) value.set(i, data[i]);
  } else {
    std::memcpy(value.bytes().data(), data, value.bytes().size());
  }
  return value;
}

base::Tensor read_constant_shape(Source& source, std::string_view name, const tosa::TosaShape& shape) {
  const int64_t rank = shape.rank();
  check_data_size(source, name, shape.data(), rank * 8);
  source.charge(static_cast<uint64_t>(rank) * 8);
  base::Tensor value(ElementType::Shape, {rank});
  if (rank > 0) std::memcpy(value.bytes().data(), shape.data()->data(), value.bytes().size());
  return value;
}

}  // namespace vernier::import
