// SPDX-License-Identifier: Apache-2.0
#include "hw/base/npy.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>

namespace vernier::base {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are copied as they lie in the file");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kAlignment = 64;  // of the first element, as numpy writes it

struct Header {
  std::string descr;  // as it stands in the file: "<i2"
  bool is_fortran_order = false;
  Shape shape;
};

/// Recursive descent over the one Python literal that a header is: {'descr': '<i2', 'fortran_order': False, 'shape': (1, 2),
/// }. Every function returns false, or nothing, at the first character that does not fit.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  std::optional<Header> parse() {
    Header header;
    int num_found = 0;
    if (!take('{')) return std::nullopt;
    while (!take('}')) {
      std::string key;
      if (!parse_string(key) || !take(':') || !parse_value(key, header)) return std::nullopt;
      ++num_found;
      if (!take(',') && peek() != '}') return std::nullopt;
    }
    // Three entries of three known keys, none twice.
    if (num_found != 3 || !has_descr_ || !has_order_ || !has_shape_ || peek() != '\0') return std::nullopt;
    return header;
  }

 private:
  char peek() {
    const size_t start = rest_.find_first_not_of(" \t\n");
    rest_.remove_prefix(std::min(start, rest_.size()));
    return rest_.empty() ? '\0' : rest_.front();
  }
  bool take(char expected) {
    if (peek() != expected) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take_word(std::string_view word) {
    peek();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  bool parse_string(std::string& text) {
    const char quote = peek();
    if (quote != '\'' && quote != '"') return false;
    const size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) return false;
    text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return true;
  }
  bool parse_shape(Shape& shape) {
    if (!take('(')) return false;
    while (!take(')')) {
      int64_t dim = 0;
      peek();
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), dim);
      if (error != std::errc() || dim < 0) return false;
      rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
      shape.push_back(dim);
      if (!take(',') && peek() != ')') return false;
    }
    return true;
  }
  bool parse_value(std::string_view key, Header& header) {
    if (key == "descr") {
      has_descr_ = true;
      return parse_string(header.descr);
    }
    if (key == "fortran_order") {
      has_order_ = true;
      header.is_fortran_order = take_word("True");
      return header.is_fortran_order || take_word("False");
    }
    has_shape_ = key == "shape";
    return has_shape_ && parse_shape(header.shape);
  }

  std::string_view rest_;
  bool has_descr_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

/// "<i2" as "int16", "|b1" as "bool", ">f4" as "big-endian float32"; what is none of these is quoted.
std::string dtype_name(std::string_view descr) {
  if (descr == "|b1") return "bool";
  int num_bytes = 0;
  if (descr.size() >= 3) std::from_chars(descr.data() + 2, descr.data() + descr.size(), num_bytes);
  const bool is_plain = descr.size() == 3 && num_bytes >= 1 && num_bytes <= 8;
  const std::string_view kind = !is_plain         ? ""
                                : descr[1] == 'i' ? "int"
                                : descr[1] == 'u' ? "uint"
                                : descr[1] == 'f' ? "float"
                                                  : "";
  if (kind.empty() || std::string_view("<>|=").find(descr[0]) == std::string_view::npos) return fmt::format("'{}'", descr);
  return fmt::format("{}{}{}", descr[0] == '>' && num_bytes > 1 ? "big-endian " : "", kind, 8 * num_bytes);
}

struct NumberType {
  std::string_view dtype, descr;  // numpy's name, and how a file spells it
  int64_t num_bytes;
};
constexpr std::array<NumberType, 8> kNumberTypes{{{"bool", "|b1", 1},
                                                  {"int8", "|i1", 1},
                                                  {"uint8", "|u1", 1},
                                                  {"int16", "<i2", 2},
                                                  {"uint16", "<u2", 2},
                                                  {"int32", "<i4", 4},
                                                  {"int64", "<i8", 8},
                                                  {"float32", "<f4", 4}}};

const NumberType& number_type(std::string_view dtype) {
  const auto found = std::ranges::find(kNumberTypes, dtype, &NumberType::dtype);
  VERNIER_CHECK(found != kNumberTypes.end(), "no number type {}", dtype);
  return *found;
}

/// Bytes of the elements that a header announces; nothing where no memory has that many.
std::optional<size_t> data_bytes(const NumberType& type, const Shape& shape) {
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  int64_t num_bytes = type.num_bytes;
  for (const int64_t dim : shape) {
    if (__builtin_mul_overflow(num_bytes, dim, &num_bytes)) return std::nullopt;
  }
  return static_cast<size_t>(num_bytes);
}

/// Splits the file into its header and, as what is left of `bytes`, its data.
Header read_header(const std::string& file, std::span<const std::byte>& bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.empty()) throw UserError(file, "is empty, expected a .npy file");
  if (!text.starts_with(kMagic)) throw UserError(file, "is not a .npy file: does not start with \\x93NUMPY");
  const int version = text.size() > 6 ? static_cast<unsigned char>(text[6]) : 1;
  const size_t num_length_bytes = version == 1 ? 2 : 4;
  const size_t start = 8 + num_length_bytes;
  if (text.size() < start) throw UserError(file, "is truncated: {} bytes, a .npy header is longer", text.size());
  if (version < 1 || version > 3 || text[7] != 0) {
    throw UserError(file, "is .npy format {}.{}, expected 1.0, 2.0 or 3.0", version, static_cast<unsigned char>(text[7]));
  }
  uint32_t length = 0;
  std::memcpy(&length, text.data() + 8, num_length_bytes);
  if (length > text.size() - start) {
    throw UserError(file, "is truncated: its header has {} bytes, {} are there", length, text.size() - start);
  }
  const auto header = HeaderParser(text.substr(start, length)).parse();
  if (!header)
    throw UserError(file, "has a malformed .npy header, expected {'descr': ..., 'fortran_order': ..., 'shape': ...}");
  bytes = bytes.subspan(start + length);
  return *header;
}

/// UserError unless the data after the header are those of C order and all there.
void check_data(const std::string& file, const Header& header, const NumberType& type, size_t found) {
  if (header.is_fortran_order) throw UserError(file, "is in Fortran order, expected C order (numpy.ascontiguousarray)");
  const std::optional<size_t> expected = data_bytes(type, header.shape);
  if (!expected)
    throw UserError(file, "is truncated: {} {} has more bytes than there are addresses", type.dtype,
                    to_string(header.shape));
  if (found != *expected) {
    throw UserError(file, "{}: {} bytes of data, {} {} has {}", found < *expected ? "is truncated" : "has surplus data",
                    found, type.dtype, to_string(header.shape), *expected);
  }
}

/// A whole file of those elements.
std::string file_of(const NumberType& type, const Shape& shape, std::span<const std::byte> data) {
  std::string dims;
  for (const int64_t dim : shape) dims += fmt::format("{}{}", dims.empty() ? "" : ", ", dim);
  if (shape.size() == 1) dims += ',';  // Python's tuple of one
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type.descr, dims);
  const size_t prefix = kMagic.size() + 4;  // the version and the length of the header
  header.append(kAlignment - 1 - (prefix + header.size()) % kAlignment, ' ');
  header += '\n';
  VERNIER_CHECK(header.size() <= UINT16_MAX, "a header of {} bytes for rank {}", header.size(), shape.size());
  std::string file(kMagic);
  file += {'\x01', '\x00', static_cast<char>(header.size() & 0xFFU), static_cast<char>(header.size() >> 8U)};
  file += header;
  file.append(reinterpret_cast<const char*>(data.data()), data.size());
  return file;
}

void check_range(const std::string& file, const Tensor& tensor) {
  const ElementType type = tensor.type();
  if (type != ElementType::Bool && info(type).bits == 8 * stored_bytes(type)) return;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const int64_t value = tensor.at(i);
    if (value >= min_value(type) && value <= max_value(type)) continue;
    throw UserError(file, "value {} at {} is outside {}: allowed is {}..{}", value,
                    to_string(coordinates_of(tensor.shape(), i)), to_string(type), min_value(type), max_value(type));
  }
}

/// `expected` is null where any type will do.
NpyArray array_in(const std::string& file, std::span<const std::byte> data, const std::string* expected) {
  const Header header = read_header(file, data);
  const std::string found = dtype_name(header.descr);
  if (expected != nullptr && found != *expected)
    throw UserError(file, "holds {} {}, expected {} (numpy: .astype('{}'))", found, to_string(header.shape), *expected,
                    *expected);
  // Of what has no type here, only what it is.
  if (std::ranges::find(kNumberTypes, found, &NumberType::dtype) == kNumberTypes.end()) return {found, header.shape, {}};
  check_data(file, header, number_type(found), data.size());
  return {found, header.shape, {data.begin(), data.end()}};
}

}  // namespace

Tensor read_npy(const std::filesystem::path& path, ElementType type, const Shape& shape) {
  const std::string file = path.string();
  const std::vector<std::byte> content = read_file(path);
  std::span<const std::byte> data(content);
  const Header header = read_header(file, data);
  const std::string dtype = dtype_name(header.descr);
  if (dtype != info(type).npy_name || header.shape != shape) {
    throw UserError(file, "holds {} {}, expected {} {}", dtype, to_string(header.shape), info(type).npy_name,
                    to_string(shape));
  }
  check_data(file, header, number_type(dtype), data.size());
  Tensor tensor(type, shape);
  std::ranges::copy(data, tensor.bytes().begin());
  check_range(file, tensor);
  return tensor;
}

std::string to_npy(const Tensor& tensor) {
  return file_of(number_type(info(tensor.type()).npy_name), tensor.shape(), tensor.bytes());
}

void write_npy(const std::filesystem::path& path, const Tensor& tensor) { write_text_file(path, to_npy(tensor)); }

NpyArray read_npy_array(const std::filesystem::path& path, const std::string& dtype) {
  return array_in(path.string(), read_file(path), &dtype);
}
NpyArray read_npy_array(const std::filesystem::path& path) { return array_in(path.string(), read_file(path), nullptr); }
NpyArray parse_npy_array(const std::string& subject, std::span<const std::byte> bytes) {
  return array_in(subject, bytes, nullptr);
}

std::string to_npy(const NpyArray& array) { return file_of(number_type(array.dtype), array.shape, array.data); }

void check_array(const std::string& subject, const NpyArray& array) {
  const auto type = std::ranges::find(kNumberTypes, array.dtype, &NumberType::dtype);
  if (type == kNumberTypes.end()) return;
  const std::optional<size_t> needed = data_bytes(*type, array.shape);
  if (needed != array.data.size())
    throw UserError(subject, "has {} B of data, expected those of {} {}", array.data.size(), array.dtype,
                    to_string(array.shape));
}

Tensor to_tensor(const std::string& subject, const NpyArray& array, ElementType type, const Shape& shape) {
  if (array.dtype != info(type).npy_name || array.shape != shape) {
    throw UserError(subject, "holds {} {}, expected {} {}", array.dtype, to_string(array.shape), info(type).npy_name,
                    to_string(shape));
  }
  Tensor tensor(type, shape);
  std::ranges::copy(array.data, tensor.bytes().begin());
  check_range(subject, tensor);
  return tensor;
}

NpyArray to_array(const Tensor& tensor) {
  return {std::string(info(tensor.type()).npy_name), tensor.shape(), {tensor.bytes().begin(), tensor.bytes().end()}};
}

}  // namespace vernier::base
