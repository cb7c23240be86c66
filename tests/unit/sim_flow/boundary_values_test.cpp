// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/model/boundary_values.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "tests/support/temporary_directory.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>

using namespace vernier;
using namespace vernier::flow;
using base::ElementType;
using Catch::Matchers::EndsWith;

namespace {

template <typename T>
base::NpyArray array_of(const std::string& dtype, const std::vector<T>& elements) {
  base::NpyArray array{dtype, {static_cast<int64_t>(elements.size())}, {}};
  array.data.resize(elements.size() * sizeof(T));
  std::memcpy(array.data.data(), elements.data(), array.data.size());
  return array;
}

std::vector<int64_t> elements_of(const base::Tensor& tensor) {
  std::vector<int64_t> elements;
  for (int64_t i = 0; i < tensor.size(); ++i) elements.push_back(tensor.at(i));
  return elements;
}

const package::BoundaryEnd kUnsigned{"x", true, false, 0.5F, 100}, kSigned{"x", true, true, 0.5F, -3};

}  // namespace

TEST_CASE("Floats become codes, unsigned ones less half of their range") {
  const tests::TemporaryDirectory folder;
  const std::string file = (folder / "x.npy").string();
  base::write_text_file(file, base::to_npy(array_of<float>("float32", {0, 0.25F, 0.75F, -50, 1000, -1000})));
  CHECK(elements_of(read_end(file, kUnsigned, ElementType::Int8, {6})) ==
        std::vector<int64_t>{-28, -28, -26, -128, 127, -128});
  CHECK(elements_of(read_end(file, kSigned, ElementType::Int8, {6})) == std::vector<int64_t>{-3, -3, -1, -103, 127, -128});
  CHECK(elements_of(read_end(file, kSigned, ElementType::Int16, {6})) ==
        std::vector<int64_t>{-3, -3, -1, -103, 1997, -2003});
}

TEST_CASE("The source's own codes are taken too, and nothing else") {
  const tests::TemporaryDirectory folder;
  const std::string file = (folder / "x.npy").string();
  base::write_text_file(file, base::to_npy(array_of<uint8_t>("uint8", {0, 127, 128, 255})));
  CHECK(elements_of(read_end(file, kUnsigned, ElementType::Int8, {4})) == std::vector<int64_t>{-128, -1, 0, 127});
  CHECK_THROWS_WITH(read_end(file, kSigned, ElementType::Int8, {4}),
                    EndsWith("holds uint8 [4], expected float32 or int8 [4]"));
  CHECK_THROWS_WITH(read_end(file, kUnsigned, ElementType::Int8, {2, 2}),
                    EndsWith("holds uint8 [4], expected float32 or uint8 [2, 2]"));
  package::BoundaryEnd codes = kUnsigned;
  codes.is_float = false;
  base::write_text_file(file, base::to_npy(array_of<float>("float32", {0})));
  CHECK_THROWS_WITH(read_end(file, codes, ElementType::Int8, {1}), EndsWith("holds float32 [1], expected uint8 [1]"));
  base::write_text_file(file, base::to_npy(array_of<float>("float32", {1, std::nanf("")})));
  CHECK_THROWS_WITH(read_end(file, kUnsigned, ElementType::Int8, {2}), EndsWith("holds nan at [1], allowed are numbers"));
}

TEST_CASE("QONNX's rule adds the zero point before it rounds, with scales along an axis, too") {
  const tests::TemporaryDirectory folder;
  const std::string file = (folder / "x.npy").string();
  package::BoundaryEnd end{"x", true, true, 1, 3};
  base::write_text_file(file, base::to_npy(array_of<float>("float32", {0.5F, -100, 100})));
  CHECK(elements_of(read_end(file, end, ElementType::Int8, {3})) == std::vector<int64_t>{3, -97, 103});
  end.rule = {base::Rounding::HalfEven, -8, 7};
  CHECK(elements_of(read_end(file, end, ElementType::Int8, {3})) == std::vector<int64_t>{4, -8, 7});
  end.channels = {{0.5F, 0}, {10, 1}, {100, 2}};
  CHECK(elements_of(read_end(file, end, ElementType::Int8, {3})) == std::vector<int64_t>{1, -8, 3});
  const base::NpyArray reals = reals_of(end, {numbers_of_codes(read_end(file, end, ElementType::Int8, {3}), end)});
  CHECK(reals.as<float>()[0] == 0.5F);
  CHECK(reals.as<float>()[1] == -90);
  CHECK(reals.as<float>()[2] == 100);
}

TEST_CASE("Tensors go out as codes and as floats") {
  base::Tensor tensor(ElementType::Int16, {2});
  tensor.set(0, -32768);
  tensor.set(1, 32767);
  const package::BoundaryEnd end{"y", true, false, 2, 32769};
  const base::NpyArray codes = codes_of(tensor, end), reals = reals_of(end, {numbers_of_codes(tensor, end)});
  CHECK(codes.dtype == "uint16");
  CHECK(codes.as<uint16_t>()[0] == 0);
  CHECK(codes.as<uint16_t>()[1] == 65535);
  CHECK(reals.as<float>()[0] == -65538);
  CHECK(reals.as<float>()[1] == 65532);
}
