// SPDX-License-Identifier: Apache-2.0
// Elements of tensors: typed lists, raw bytes, or bytes of another file.
#include "compiler/import/onnx/onnx_reader.hpp"
#include "hw/base/file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

namespace vernier::import::onnx_file {

namespace {

static_assert(std::endian::native == std::endian::little, "raw data is little-endian");

using onnx::TensorProto;
using quantized::Constant;
using quantized::NumberType;

// Newer than libonnx 1.12.
constexpr int32_t kUint4 = 21, kInt4 = 22;

/// Bytes of that many elements, two of 4 bits in one.
uint64_t bytes_of(NumberType type, uint64_t count) {
  return type.bits == 4 ? (count + 1) / 2 : count * static_cast<uint64_t>(std::max(type.bits / 8, 1));
}

template <typename T>
void append(std::vector<int64_t>& elements, const std::string& raw) {
  for (size_t at = 0; at + sizeof(T) <= raw.size(); at += sizeof(T)) {
    T element;
    std::memcpy(&element, raw.data() + at, sizeof(T));
    elements.push_back(static_cast<int64_t>(element));
  }
}

/// Codes of 4 bits, the low ones first.
void append_nibbles(std::vector<int64_t>& elements, const std::string& raw, bool is_signed, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const auto byte = static_cast<unsigned char>(raw[i / 2]);
    const int64_t code = (byte >> (i % 2 * 4)) & 15;
    elements.push_back(is_signed && code >= 8 ? code - 16 : code);
  }
}

void read_raw(const std::string& raw, size_t count, Constant& constant) {
  const auto [is_float, bits, is_signed] = constant.type;
  if (is_float) {
    constant.floats.resize(count);
    std::memcpy(constant.floats.data(), raw.data(), count * sizeof(float));
    return;
  }
  std::vector<int64_t>& elements = constant.integers;
  elements.reserve(count);
  if (bits == quantized::kBoolBits) {
    for (const char byte : raw) elements.push_back(byte == 0 ? 0 : 1);
  }
  if (bits == 4) append_nibbles(elements, raw, is_signed, count);
  if (bits == 8) is_signed ? append<int8_t>(elements, raw) : append<uint8_t>(elements, raw);
  if (bits == 16) is_signed ? append<int16_t>(elements, raw) : append<uint16_t>(elements, raw);
  if (bits == 32) is_signed ? append<int32_t>(elements, raw) : append<uint32_t>(elements, raw);
  if (bits == 64) append<int64_t>(elements, raw);
}

/// Lists of the message, in which small integers are int32.
void read_lists(const TensorProto& tensor, size_t count, Constant& constant) {
  if (constant.type.is_float) {
    constant.floats.assign(tensor.float_data().begin(), tensor.float_data().end());
  } else if (constant.type.bits == 64) {
    constant.integers.assign(tensor.int64_data().begin(), tensor.int64_data().end());
  } else if (constant.type.bits == 32 && !constant.type.is_signed) {
    for (const uint64_t element : tensor.uint64_data()) constant.integers.push_back(static_cast<int64_t>(element));
  } else if (constant.type.bits == 4) {
    std::string raw;
    for (const int32_t element : tensor.int32_data()) raw.push_back(static_cast<char>(element));
    if (raw.size() == bytes_of(constant.type, count)) read_raw(raw, count, constant);
  } else {
    constant.integers.assign(tensor.int32_data().begin(), tensor.int32_data().end());
  }
}

std::string entry_of(const TensorProto& tensor, const std::string& key) {
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == key) return entry.value();
  }
  return "";
}

/// A number of an entry of external data; `otherwise` where there is none.
uint64_t number_of(const Source& source, const TensorProto& tensor, const std::string& key, uint64_t otherwise,
                   const std::string& what) {
  const std::string text = entry_of(tensor, key);
  if (text.empty()) return otherwise;
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    throw base::UserError(source.file(), "{}: {} of its external data is '{}', expected a number", what, key, text);
  return number;
}

/// The bytes of a tensor that lie in another file of the model's folder.
std::string read_external(const Source& source, const TensorProto& tensor, uint64_t num_bytes, const std::string& what) {
  namespace fs = std::filesystem;
  const std::string location = entry_of(tensor, "location");
  const uint64_t offset = number_of(source, tensor, "offset", 0, what);
  const uint64_t length = number_of(source, tensor, "length", num_bytes, what);
  if (length != num_bytes)
    throw base::UserError(source.file(), "{} takes {} bytes, its external data has {}", what, num_bytes, length);
  std::error_code error;
  const fs::path own = fs::path(source.file()).parent_path();
  const fs::path folder = fs::canonical(own.empty() ? "." : own, error);
  const fs::path wanted(location);
  const bool climbs = std::find(wanted.begin(), wanted.end(), "..") != wanted.end();
  const fs::path path = error ? fs::path() : fs::weakly_canonical(folder / wanted, error);
  const bool is_inside =
      !error && std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
  const bool has_end = location.find('\0') != std::string::npos;  // where the system's names end
  if (location.empty() || has_end || wanted.is_absolute() || climbs || !is_inside)
    throw base::UserError(source.file(), "{} has external data in '{}', allowed are files in the folder of the model", what,
                          location);
  if (!fs::is_regular_file(path, error))
    throw base::UserError(source.file(), "{} has external data in '{}', which is no file there", what, location);
  const uint64_t size = fs::file_size(path, error);
  if (error || offset > size || num_bytes > size - offset)
    throw base::UserError(source.file(), "{} has {} bytes of external data from byte {} of '{}' on, which has {}", what,
                          num_bytes, offset, location, size);
  std::ifstream stream(path, std::ios::binary);
  std::string raw(num_bytes, '\0');
  stream.seekg(static_cast<std::streamoff>(offset));
  stream.read(raw.data(), static_cast<std::streamsize>(num_bytes));
  if (!stream) throw base::UserError(source.file(), "{}: its external data '{}' cannot be read", what, location);
  return raw;
}

/// Lists hold wider numbers than their tensors.
void check_range(const Source& source, const Constant& constant, const std::string& what) {
  const auto [is_float, bits, is_signed] = constant.type;
  if (is_float || bits == 64) return;
  const int64_t least = is_signed ? -(int64_t{1} << (bits - 1)) : 0;
  const int64_t greatest = least + (int64_t{1} << bits) - 1;
  for (const int64_t element : constant.integers) {
    if (element < least || element > greatest)
      throw base::UserError(source.file(), "{} holds {}, its type has {} to {}", what, element, least, greatest);
  }
}

/// The product of the dimensions, which is what there are elements for.
uint64_t count_of(const Source& source, const TensorProto& tensor, const std::string& what) {
  uint64_t count = 1;
  for (const int64_t size : tensor.dims()) {
    constexpr uint64_t kMost = uint64_t{1} << 40;
    const bool is_size = size >= 0 && (count == 0 || static_cast<uint64_t>(size) <= kMost / count);
    if (!is_size)
      throw base::UserError(source.file(), "{} has shape {}, which is none", what,
                            base::to_string(base::Shape(tensor.dims().begin(), tensor.dims().end())));
    count *= static_cast<uint64_t>(size);
  }
  return count;
}

}  // namespace

std::optional<NumberType> number_type(int32_t data_type) {
  switch (data_type) {
    case TensorProto::FLOAT: return NumberType{true, 32, true};
    case kUint4: return NumberType{false, 4, false};
    case kInt4: return NumberType{false, 4, true};
    case TensorProto::BOOL: return NumberType{false, quantized::kBoolBits, false};
    case TensorProto::UINT8: return NumberType{false, 8, false};
    case TensorProto::INT8: return NumberType{false, 8, true};
    case TensorProto::UINT16: return NumberType{false, 16, false};
    case TensorProto::INT16: return NumberType{false, 16, true};
    case TensorProto::UINT32: return NumberType{false, 32, false};
    case TensorProto::INT32: return NumberType{false, 32, true};
    case TensorProto::INT64: return NumberType{false, 64, true};
    default: return std::nullopt;
  }
}

std::string data_type_name(int32_t data_type) {
  // Newer than libonnx 1.12.
  constexpr std::array<std::pair<int32_t, const char*>, 8> kNewer{{{17, "FLOAT8E4M3FN"},
                                                                   {18, "FLOAT8E4M3FNUZ"},
                                                                   {19, "FLOAT8E5M2"},
                                                                   {20, "FLOAT8E5M2FNUZ"},
                                                                   {23, "FLOAT4E2M1"},
                                                                   {24, "FLOAT8E8M0"},
                                                                   {25, "UINT2"},
                                                                   {26, "INT2"}}};
  for (const auto& [number, name] : kNewer) {
    if (number == data_type) return name;
  }
  return onnx::TensorProto_DataType_IsValid(data_type)
             ? onnx::TensorProto_DataType_Name(static_cast<onnx::TensorProto_DataType>(data_type))
             : fmt::format("number {}", data_type);
}

Constant read_tensor(const Source& source, const TensorProto& tensor, const std::string& what) {
  const std::optional<NumberType> type = number_type(tensor.data_type());
  if (!type)
    throw base::UserError(source.file(), "{} has type {}, allowed are FLOAT and integers", what,
                          data_type_name(tensor.data_type()));
  Constant constant{*type, {tensor.dims().begin(), tensor.dims().end()}, {}, {}};
  const uint64_t count = count_of(source, tensor, what);
  const uint64_t num_bytes = bytes_of(*type, count);
  if (tensor.data_location() == TensorProto::EXTERNAL) {
    read_raw(read_external(source, tensor, num_bytes, what), count, constant);
    return constant;
  }
  if (tensor.has_raw_data()) {
    if (tensor.raw_data().size() != num_bytes)
      throw base::UserError(source.file(), "{} of shape {} takes {} bytes, found {}", what, base::to_string(constant.shape),
                            num_bytes, tensor.raw_data().size());
    read_raw(tensor.raw_data(), count, constant);
    return constant;
  }
  read_lists(tensor, count, constant);
  check_range(source, constant, what);
  const size_t found = type->is_float ? constant.floats.size() : constant.integers.size();
  if (found != count)
    throw base::UserError(source.file(), "{} of shape {} takes {} elements, found {}", what, base::to_string(constant.shape),
                          count, found);
  return constant;
}

}  // namespace vernier::import::onnx_file
