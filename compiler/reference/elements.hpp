// SPDX-License-Identifier: Apache-2.0
// Elements of a tensor of any type as int64_t, in line: base::Tensor::at and set with their checks taken out of the loops.
// Internal to compiler/reference.
#pragma once

#include "hw/base/error.hpp"
#include "hw/base/tensor.hpp"

namespace vernier::reference {

/// Reads by row-major index.
class Reader {
 public:
  explicit Reader(const base::Tensor& tensor) : data_(tensor.bytes().data()), width_(base::stored_bytes(tensor.type())) {}
  int64_t operator[](int64_t index) const {
    switch (width_) {
      case 1: return reinterpret_cast<const int8_t*>(data_)[index];
      case 2: return reinterpret_cast<const int16_t*>(data_)[index];
      case 4: return reinterpret_cast<const int32_t*>(data_)[index];
      default: return reinterpret_cast<const int64_t*>(data_)[index];
    }
  }
  /// For operators on types of 32 bits and less.
  [[nodiscard]] int32_t small(int64_t index) const { return static_cast<int32_t>((*this)[index]); }

 private:
  const std::byte* data_;
  int width_;
};

/// Writes by row-major index; the value has to be one of the tensor's type.
class Writer {
 public:
  explicit Writer(base::Tensor& tensor) : data_(tensor.bytes().data()), width_(base::stored_bytes(tensor.type())) {}
  void set(int64_t index, int64_t value) const {
    switch (width_) {
      case 1: reinterpret_cast<int8_t*>(data_)[index] = static_cast<int8_t>(value); break;
      case 2: reinterpret_cast<int16_t*>(data_)[index] = static_cast<int16_t>(value); break;
      case 4: reinterpret_cast<int32_t*>(data_)[index] = static_cast<int32_t>(value); break;
      default: reinterpret_cast<int64_t*>(data_)[index] = value; break;
    }
  }

 private:
  std::byte* data_;
  int width_;
};

}  // namespace vernier::reference
