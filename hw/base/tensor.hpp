// SPDX-License-Identifier: Apache-2.0
// A dense, row-major array of integers: what files hold, what the reference computes, what the checker compares.
#pragma once

#include "hw/base/element_type.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace vernier::base {

using Shape = std::vector<int64_t>;

/// Product of the dimensions (1 for rank 0). Throws InternalError when it does not fit int64 or a dimension is negative.
int64_t num_elements(const Shape& shape);
/// As printed everywhere: "[1, 49, 10, 1]".
std::string to_string(const Shape& shape);
/// Row-major coordinates of element `index`.
Shape coordinates_of(const Shape& shape, int64_t index);

/// Elements are stored little-endian in stored_bytes(type) bytes each, sign-extended (int48 in 8, int4 in 1, bool 0 or 1 in
/// 1).
class Tensor {
 public:
  Tensor() = default;
  /// All elements zero.
  Tensor(ElementType type, Shape shape);

  [[nodiscard]] ElementType type() const { return type_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] int64_t rank() const { return static_cast<int64_t>(shape_.size()); }
  [[nodiscard]] int64_t size() const { return size_; }  // elements
  [[nodiscard]] int64_t size_bytes() const { return static_cast<int64_t>(data_.size()); }

  /// Element by row-major index, as a signed number.
  [[nodiscard]] int64_t at(int64_t index) const;
  /// Keeps the low bits of `value` (two's complement) and sign-extends them; bool stores value != 0.
  void set(int64_t index, int64_t value);

  [[nodiscard]] std::span<const std::byte> bytes() const { return data_; }
  [[nodiscard]] std::span<std::byte> bytes() { return data_; }
  /// The elements as an array of T; sizeof(T) must equal stored_bytes(type()).
  template <typename T>
  [[nodiscard]] std::span<const T> as() const {
    check_width(sizeof(T));
    return {reinterpret_cast<const T*>(data_.data()), static_cast<size_t>(size_)};
  }
  template <typename T>
  [[nodiscard]] std::span<T> as() {
    check_width(sizeof(T));
    return {reinterpret_cast<T*>(data_.data()), static_cast<size_t>(size_)};
  }

  /// The same elements in another shape of equal size.
  [[nodiscard]] Tensor reshaped(Shape shape) const;
  bool operator==(const Tensor&) const = default;

 private:
  void check_width(size_t width) const;
  ElementType type_ = ElementType::Int8;
  Shape shape_;
  int64_t size_ = 0;
  std::vector<std::byte> data_;
};

}  // namespace vernier::base
