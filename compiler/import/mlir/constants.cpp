// SPDX-License-Identifier: Apache-2.0
// MLIR keeps an element of fewer than eight bits in a byte; older versions keep eight of i1 in a byte.
#include "compiler/import/mlir/constants.hpp"

#include "hw/base/tensor.hpp"

#include "tosa_generated.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

namespace vernier::import::mlir {

namespace {

struct ElementInfo {
  tosa::DType dtype;
  std::string_view name;
  int64_t raw_bytes;  // of an element in hexadecimal digits
  int bits;           // of an integer; 0: a float
};

const ElementInfo& info_of(Element element) {
  static constexpr std::array<ElementInfo, 13> kInfos{{{tosa::DType::BOOL, "i1", 1, 1},
                                                       {tosa::DType::INT4, "i4", 1, 4},
                                                       {tosa::DType::INT8, "i8", 1, 8},
                                                       {tosa::DType::INT16, "i16", 2, 16},
                                                       {tosa::DType::INT32, "i32", 4, 32},
                                                       {tosa::DType::INT48, "i48", 6, 48},
                                                       {tosa::DType::INT64, "i64", 8, 64},
                                                       {tosa::DType::SHAPE, "index", 8, 64},
                                                       {tosa::DType::FP32, "f32", 4, 0},
                                                       {tosa::DType::FP16, "f16", 2, 0},
                                                       {tosa::DType::BF16, "bf16", 2, 0},
                                                       {tosa::DType::FP8E4M3, "f8E4M3FN", 1, 0},
                                                       {tosa::DType::FP8E5M2, "f8E5M2", 1, 0}}};
  return kInfos.at(static_cast<size_t>(element));
}

/// By character: its value as a hexadecimal digit, or 255.
constexpr std::array<uint8_t, 256> kHexDigits = [] {
  std::array<uint8_t, 256> table{};
  table.fill(255);
  for (uint8_t i = 0; i < 10; ++i) table['0' + i] = i;
  for (uint8_t i = 0; i < 6; ++i) table['a' + i] = table['A' + i] = static_cast<uint8_t>(10 + i);
  return table;
}();

/// Collects elements in the layout of the flatbuffer.
class Elements {
 public:
  Elements(const ElementInfo& info, int64_t count) : info_(info) {
    bytes_.reserve(static_cast<size_t>(info.bits == 4 ? (count + 1) / 2 : count * info.raw_bytes));
  }

  void add(uint64_t bits) {
    if (info_.bits == 4) {
      if (count_ % 2 == 0) bytes_.push_back(0);
      bytes_.back() = static_cast<uint8_t>(bytes_.back() | (bits & 15) << (count_ % 2 == 0 ? 0 : 4));
    } else {
      for (int64_t byte = 0; byte < info_.raw_bytes; ++byte) bytes_.push_back(static_cast<uint8_t>(bits >> (8 * byte)));
    }
    ++count_;
  }
  [[nodiscard]] int64_t count() const { return count_; }
  std::vector<uint8_t> release() { return std::move(bytes_); }

 private:
  const ElementInfo& info_;
  int64_t count_ = 0;
  std::vector<uint8_t> bytes_;
};

/// The body of dense<...> as a list: numbers, true and false in brackets, or one for all.
class ListReader {
 public:
  ListReader(const Source& source, const Dense& dense, int64_t count)
      : source_(source),
        dense_(dense),
        info_(info_of(dense.type.element)),
        end_(static_cast<size_t>(dense.body.data() - source.text().data()) + dense.body.size()),
        cursor_(source, end_ - dense.body.size()),
        elements_(info_, count),
        count_(count) {}

  std::vector<uint8_t> run() {
    const size_t begin = cursor_.position();
    if (dense_.body.empty() || begin >= end_) {
      if (count_ != 0) source_.fail(begin, "no value for the {} elements of {}", count_, text_of(dense_.type));
      return {};
    }
    if (cursor_.peek() != '[') {
      const uint64_t bits = read_element();
      for (int64_t i = 0; i < count_; ++i) elements_.add(bits);
    } else {
      read_list();
    }
    if (elements_.count() != count_)
      source_.fail(begin, "{} values for the {} elements of {}", elements_.count(), count_, text_of(dense_.type));
    return elements_.release();
  }

 private:
  void read_list() {
    int64_t depth = 0;
    do {
      while (cursor_.take('[')) ++depth;
      if (cursor_.peek() != ']') {
        if (elements_.count() == count_)
          cursor_.fail("more values than the {} elements of {}", count_, text_of(dense_.type));
        elements_.add(read_element());
      }
      while (depth > 0 && cursor_.take(']')) --depth;
    } while (depth > 0 && cursor_.take(','));
    if (depth != 0 || cursor_.position() < end_) cursor_.fail("expected ',' or ']' in the list, found {}", cursor_.found());
  }

  uint64_t read_element() {
    const char first = cursor_.peek();
    if (first == 't' && cursor_.take_word("true")) return 1;
    if (first == 'f' && cursor_.take_word("false")) return 0;
    if (info_.bits == 0) return read_float();
    const size_t position = cursor_.position();
    const auto value = cursor_.integer();
    if (!value) cursor_.fail("expected a whole number, found {}", cursor_.found());
    const int64_t limit = info_.bits == 64 ? 0 : int64_t{1} << (info_.bits - 1);
    const int64_t most = info_.bits == 1 ? 1 : limit - 1;
    if (limit != 0 && (*value < -limit || *value > most))
      source_.fail(position, "{} is no value of {}, allowed are {} to {}", *value, info_.name, -limit, most);
    return info_.bits == 1 ? static_cast<uint64_t>(*value != 0) : static_cast<uint64_t>(*value);
  }

  /// As decimal digits, or the bits as hexadecimal ones. Of f32 alone the value matters.
  uint64_t read_float() {
    const size_t begin = cursor_.position();
    const std::string text(source_.text().substr(begin, std::min<size_t>(end_ - begin, 64)));
    if (text.starts_with("0x")) return static_cast<uint64_t>(cursor_.integer().value_or(0));
    char* end = nullptr;
    const float value = std::strtof(text.c_str(), &end);
    if (end == text.c_str()) cursor_.fail("expected a number, found {}", cursor_.found());
    cursor_.move_to(begin + static_cast<size_t>(end - text.c_str()));
    return std::bit_cast<uint32_t>(value);
  }

  const Source& source_;
  const Dense& dense_;
  const ElementInfo& info_;
  size_t end_;
  Cursor cursor_;
  Elements elements_;
  int64_t count_;
};

std::vector<uint8_t> decode(const Source& source, size_t position, std::string_view digits) {
  std::vector<uint8_t> bytes(digits.size() / 2);
  uint8_t mistakes = static_cast<uint8_t>(digits.size() % 2 == 0 ? 0 : 255);
  for (size_t i = 0; i < bytes.size(); ++i) {
    const uint8_t high = kHexDigits[static_cast<uint8_t>(digits[2 * i])],
                  low = kHexDigits[static_cast<uint8_t>(digits[2 * i + 1])];
    bytes[i] = static_cast<uint8_t>(high << 4 | (low & 15));
    mistakes = static_cast<uint8_t>(mistakes | ((high | low) & 0xf0));
  }
  if (mistakes != 0) source.fail(position, "the string is no even number of hexadecimal digits");
  return bytes;
}

/// From MLIR's layout of an array to the flatbuffer's.
std::vector<uint8_t> from_raw(const Source& source, size_t position, std::vector<uint8_t> raw, const Type& type,
                              int64_t count) {
  const ElementInfo& info = info_of(type.element);
  const auto size = std::ssize(raw);
  const bool is_plain = info.bits != 4 && info.bits != 1;
  if (is_plain && size == count * info.raw_bytes) return raw;
  Elements elements(info, count);
  const bool is_splat = size == info.raw_bytes, is_packed = info.bits == 1 && size == (count + 7) / 8;
  if (size != count * info.raw_bytes && !is_splat && !is_packed)
    source.fail(position, "{} bytes for the {} elements of {}, needed are {}", size, count, text_of(type),
                count * info.raw_bytes);
  const auto bits_at = [&](int64_t index) {
    uint64_t bits = 0;
    for (int64_t byte = 0; byte < info.raw_bytes; ++byte)
      bits |= uint64_t{raw[static_cast<size_t>(index * info.raw_bytes + byte)]} << (8 * byte);
    return info.bits == 1 ? static_cast<uint64_t>(bits != 0) : bits;
  };
  for (int64_t i = 0; i < count; ++i) {
    if (size != count * info.raw_bytes && is_packed && !is_splat) {
      elements.add(raw[static_cast<size_t>(i / 8)] >> (i % 8) & 1);
    } else {
      elements.add(bits_at(is_splat ? 0 : i));
    }
  }
  return elements.release();
}

}  // namespace

tosa::DType dtype_of(Element element) { return info_of(element).dtype; }

std::string text_of(const Type& type) {
  const std::string_view element = info_of(type.element).name;
  if (type.kind == Type::Kind::Shape) return fmt::format("!tosa.shape<{}>", type.dims.empty() ? 0 : type.dims[0]);
  if (type.kind == Type::Kind::Other) return "another type";
  if (type.kind == Type::Kind::Scalar) return std::string(element);
  std::string text = type.is_unranked ? "tensor<*x" : "tensor<";
  for (const int64_t dim : type.dims) text += dim < 0 ? "?x" : fmt::format("{}x", dim);
  return fmt::format("{}{}>", text, element);
}

ConstantReader::ConstantReader(Source& source, const std::vector<std::pair<std::string, std::string_view>>& resources)
    : source_(source), budget_bytes_(64 * source.text().size() + (uint64_t{64} << 20)) {
  for (const auto& [name, digits] : resources) resources_.emplace(name, digits);
}

void ConstantReader::charge(size_t position, uint64_t bytes) {
  if (bytes > budget_bytes_)
    source_.fail(position, "the constants up to here take more than 64 times the bytes of the text and 64 MiB");
  budget_bytes_ -= bytes;
}

std::vector<uint8_t> ConstantReader::read(const Attribute& attribute) {
  const Dense& dense = attribute.dense;
  if (attribute.kind != Attribute::Kind::Dense || dense.type.kind != Type::Kind::Tensor)
    source_.fail(attribute.position, "expected dense<...> or dense_resource<...> of a tensor type");
  const ElementInfo& info = info_of(dense.type.element);
  uint64_t count = 1;
  for (const int64_t dim : dense.type.dims) {
    if (dim < 0)
      source_.fail(attribute.position, "{} is open, the type of a constant has all dimensions", text_of(dense.type));
    if (dim != 0 && count > (uint64_t{1} << 40) / static_cast<uint64_t>(dim))
      source_.fail(attribute.position, "the size of {} overflows", text_of(dense.type));
    count *= static_cast<uint64_t>(dim);
  }
  charge(attribute.position, count * static_cast<uint64_t>(info.raw_bytes));
  const auto num_elements = static_cast<int64_t>(count);
  std::string_view digits = dense.body;
  if (dense.is_resource) {
    const std::string name(!digits.starts_with('"') ? digits : digits.substr(1, std::max<size_t>(digits.size(), 2) - 2));
    const auto resource = resources_.find(name);
    if (resource == resources_.end())
      source_.fail(attribute.position, "resource '{}' is not among the dialect_resources at the end of the file", name);
    digits = resource->second;
  }
  if (digits.starts_with("\"0x") && digits.ends_with('"')) {
    std::vector<uint8_t> raw = decode(source_, attribute.position, digits.substr(3, digits.size() - 4));
    // A resource begins with the alignment of its bytes, in four of them.
    if (dense.is_resource) raw.erase(raw.begin(), raw.begin() + std::min<std::ptrdiff_t>(4, std::ssize(raw)));
    return from_raw(source_, attribute.position, std::move(raw), dense.type, num_elements);
  }
  if (dense.is_resource || digits.starts_with('"'))
    source_.fail(attribute.position, "expected \"0x...\", found a string without hexadecimal digits");
  return ListReader(source_, dense, num_elements).run();
}

}  // namespace vernier::import::mlir
