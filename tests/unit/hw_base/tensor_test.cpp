// SPDX-License-Identifier: Apache-2.0
#include "hw/base/tensor.hpp"

#include "hw/base/error.hpp"

#include <catch2/catch.hpp>

#include <limits>

namespace vernier::base {
namespace {

constexpr std::array kTypes{ElementType::Bool,  ElementType::Int4,  ElementType::Int8, ElementType::Int16,
                            ElementType::Int32, ElementType::Int48, ElementType::Shape};

TEST_CASE("element types: ranges, names and their way back") {
  CHECK(min_value(ElementType::Int4) == -8);
  CHECK(max_value(ElementType::Int4) == 7);
  CHECK(min_value(ElementType::Bool) == 0);
  CHECK(max_value(ElementType::Bool) == 1);
  CHECK(min_value(ElementType::Int48) == -(int64_t{1} << 47));
  CHECK(max_value(ElementType::Shape) == std::numeric_limits<int64_t>::max());
  CHECK(min_value(ElementType::Shape) == std::numeric_limits<int64_t>::min());
  for (const ElementType type : kTypes) CHECK(element_type_from_name(to_string(type)) == type);
  CHECK_FALSE(element_type_from_name("float32").has_value());
}

TEST_CASE("tensor: sizes, rank 0 and empty") {
  CHECK(Tensor(ElementType::Int8, {}).size() == 1);
  CHECK(Tensor(ElementType::Int8, {2, 0}).size() == 0);
  CHECK(Tensor(ElementType::Int48, {2, 3}).size_bytes() == 48);
  CHECK(Tensor(ElementType::Int4, {2, 3}).size_bytes() == 6);
  CHECK(Tensor(ElementType::Int16, {2, 3}).rank() == 2);
  CHECK(to_string(Shape{1, 49, 10, 1}) == "[1, 49, 10, 1]");
  CHECK(to_string(Shape{}) == "[]");
}

TEST_CASE("tensor: sizes that overflow and negative dimensions are internal errors") {
  const int64_t big = int64_t{1} << 32;
  CHECK_THROWS_AS(num_elements({big, big}), InternalError);
  CHECK_THROWS_AS(num_elements({2, -1}), InternalError);
  CHECK_THROWS_WITH(num_elements({-1}), Catch::Contains("hw/base/tensor.cpp") && Catch::Contains("shape [-1] overflows"));
}

TEST_CASE("tensor: set keeps the low bits and sign-extends them") {
  for (const ElementType type : kTypes) {
    CAPTURE(to_string(type));
    Tensor tensor(type, {3});
    tensor.set(0, min_value(type));
    tensor.set(1, max_value(type));
    CHECK(tensor.at(0) == min_value(type));
    CHECK(tensor.at(1) == max_value(type));
    CHECK(tensor.at(2) == 0);
    if (type == ElementType::Bool || type == ElementType::Shape) continue;
    tensor.set(2, max_value(type) + 1);
    CHECK(tensor.at(2) == min_value(type));
    tensor.set(2, min_value(type) - 1);
    CHECK(tensor.at(2) == max_value(type));
  }
  Tensor flag(ElementType::Bool, {1});
  flag.set(0, 256);  // not zero, though its low byte is
  CHECK(flag.at(0) == 1);
}

TEST_CASE("tensor: bytes are little-endian, and the typed view has its width checked") {
  Tensor tensor(ElementType::Int16, {2});
  tensor.set(0, 0x1234);
  tensor.set(1, -2);
  CHECK(tensor.bytes()[0] == std::byte{0x34});
  CHECK(tensor.bytes()[1] == std::byte{0x12});
  CHECK(tensor.as<int16_t>()[1] == -2);
  CHECK_THROWS_AS(tensor.as<int32_t>(), InternalError);
  CHECK_THROWS_AS(tensor.at(2), InternalError);
  CHECK_THROWS_AS(tensor.at(-1), InternalError);
  CHECK_THROWS_AS(tensor.set(2, 0), InternalError);
}

TEST_CASE("tensor: coordinates and reshape are row-major") {
  CHECK(coordinates_of({2, 3, 4}, 0) == Shape{0, 0, 0});
  CHECK(coordinates_of({2, 3, 4}, 23) == Shape{1, 2, 3});
  CHECK(coordinates_of({2, 3, 4}, 5) == Shape{0, 1, 1});
  CHECK(coordinates_of({}, 0).empty());
  Tensor tensor(ElementType::Int8, {2, 3});
  tensor.set(4, 7);
  const Tensor other = tensor.reshaped({6});
  CHECK(other.shape() == Shape{6});
  CHECK(other.at(4) == 7);
  CHECK_FALSE(other == tensor);
  CHECK(other.reshaped({2, 3}) == tensor);
  CHECK_THROWS_AS(tensor.reshaped({5}), InternalError);
}

}  // namespace
}  // namespace vernier::base
