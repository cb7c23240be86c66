// SPDX-License-Identifier: Apache-2.0
#include "hw/base/tensor.hpp"

#include "hw/base/error.hpp"

#include <fmt/ranges.h>

#include <cstring>

namespace vernier::base {

int64_t num_elements(const Shape& shape) {
  int64_t product = 1;
  for (const int64_t dim : shape) {
    VERNIER_CHECK(dim >= 0 && !__builtin_mul_overflow(product, dim, &product), "shape {} overflows", to_string(shape));
  }
  return product;
}

std::string to_string(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

Shape coordinates_of(const Shape& shape, int64_t index) {
  Shape coordinates(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    coordinates[i] = index % shape[i];
    index /= shape[i];
  }
  return coordinates;
}

Tensor::Tensor(ElementType type, Shape shape) : type_(type), shape_(std::move(shape)), size_(num_elements(shape_)) {
  data_.resize(static_cast<size_t>(size_) * static_cast<size_t>(stored_bytes(type)));
}

int64_t Tensor::at(int64_t index) const {
  VERNIER_CHECK(index >= 0 && index < size_, "element {} of {}", index, size_);
  const auto i = static_cast<size_t>(index);
  switch (stored_bytes(type_)) {
    case 1: return as<int8_t>()[i];
    case 2: return as<int16_t>()[i];
    case 4: return as<int32_t>()[i];
    default: return as<int64_t>()[i];
  }
}

void Tensor::set(int64_t index, int64_t value) {
  VERNIER_CHECK(index >= 0 && index < size_, "element {} of {}", index, size_);
  const auto i = static_cast<size_t>(index);
  switch (type_) {
    case ElementType::Bool: as<int8_t>()[i] = static_cast<int8_t>(value != 0); break;
    case ElementType::Int4:
      as<int8_t>()[i] = static_cast<int8_t>(static_cast<int8_t>(static_cast<uint64_t>(value) << 4U) >> 4);
      break;
    case ElementType::Int8: as<int8_t>()[i] = static_cast<int8_t>(value); break;
    case ElementType::Int16: as<int16_t>()[i] = static_cast<int16_t>(value); break;
    case ElementType::Int32: as<int32_t>()[i] = static_cast<int32_t>(value); break;
    case ElementType::Int48: as<int64_t>()[i] = static_cast<int64_t>(static_cast<uint64_t>(value) << 16U) >> 16; break;
    case ElementType::Shape: as<int64_t>()[i] = value; break;
  }
}

Tensor Tensor::reshaped(Shape shape) const {
  VERNIER_CHECK(num_elements(shape) == size_, "reshape {} to {}", to_string(shape_), to_string(shape));
  Tensor result = *this;
  result.shape_ = std::move(shape);
  return result;
}

void Tensor::check_width(size_t width) const {
  VERNIER_CHECK(width == static_cast<size_t>(stored_bytes(type_)), "{} read as {} bytes", to_string(type_), width);
}

}  // namespace vernier::base
