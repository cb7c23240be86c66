// SPDX-License-Identifier: Apache-2.0
#include "hw/base/npy.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "tests/support/temporary_directory.hpp"

#include <catch2/catch.hpp>

#include <limits>
#include <tuple>

namespace vernier::base {
namespace {

using Catch::Matchers::Contains;
using namespace std::string_literals;

/// A .npy file put together by hand: version, header text, data.
std::string npy_bytes(int version, const std::string& header, const std::string& data) {
  std::string file = "\x93NUMPY"s + static_cast<char>(version) + '\0';
  const size_t num_length_bytes = version == 1 ? 2 : 4;
  for (size_t i = 0; i < num_length_bytes; ++i) file += static_cast<char>((header.size() >> (8 * i)) & 0xFFU);
  return file + header + data;
}
std::string header_of(const std::string& descr, const std::string& shape, const std::string& order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

/// The message of the UserError that reading `content` gives, "" when it reads well.
std::string error_of(const std::string& content, ElementType type, const Shape& shape) {
  const tests::TemporaryDirectory directory;
  write_text_file(directory / "in.npy", content);
  try {
    read_npy(directory / "in.npy", type, shape);
  } catch (const UserError& error) {
    const std::string text = error.what();
    CHECK(text.starts_with((directory / "in.npy").string() + ": "));
    CHECK(text.find('\n') == std::string::npos);
    return text;
  }
  return "";
}

TEST_CASE("npy: what is written reads back, every type and rank") {
  const tests::TemporaryDirectory directory;
  for (const ElementType type : {ElementType::Bool, ElementType::Int4, ElementType::Int8, ElementType::Int16,
                                 ElementType::Int32, ElementType::Int48, ElementType::Shape}) {
    for (const Shape& shape : {Shape{}, Shape{4}, Shape{2, 3}, Shape{1, 3, 1, 2, 2}, Shape{0, 3}}) {
      CAPTURE(to_string(type), to_string(shape));
      Tensor tensor(type, shape);
      for (int64_t i = 0; i < tensor.size(); ++i) tensor.set(i, i % 2 == 0 ? max_value(type) : min_value(type));
      write_npy(directory / "t.npy", tensor);
      CHECK(read_npy(directory / "t.npy", type, shape) == tensor);
    }
  }
}

TEST_CASE("npy: an array in memory is what a file of it is") {
  const tests::TemporaryDirectory directory;
  for (const ElementType type : {ElementType::Bool, ElementType::Int4, ElementType::Int16, ElementType::Int48}) {
    Tensor tensor(type, {2, 3});
    for (int64_t i = 0; i < tensor.size(); ++i) tensor.set(i, i % 2 == 0 ? max_value(type) : min_value(type));
    const NpyArray array = to_array(tensor);
    CHECK_NOTHROW(check_array("x", array));
    CHECK(to_tensor("x", array, type, {2, 3}) == tensor);
    CHECK(to_npy(array) == to_npy(tensor));
  }
  NpyArray array = to_array(Tensor(ElementType::Int8, {4}));
  CHECK_THROWS_WITH(to_tensor("x", array, ElementType::Int16, {4}), "x: holds int8 [4], expected int16 [4]");
  CHECK_THROWS_WITH(to_tensor("x", array, ElementType::Int8, {2, 2}), "x: holds int8 [4], expected int8 [2, 2]");
  array.data[2] = std::byte{9};
  CHECK_THROWS_WITH(to_tensor("x", array, ElementType::Int4, {4}),
                    Catch::Matchers::StartsWith("x: value 9 at [2] is outside"));
  array.data.pop_back();
  CHECK_THROWS_WITH(check_array("x", array), "x: has 3 B of data, expected those of int8 [4]");
}

TEST_CASE("npy: the bytes written are those of numpy.save") {  // numpy 1.24, save(numpy.array([1, -2, 3], dtype="<i2"))
  const tests::TemporaryDirectory directory;
  Tensor tensor(ElementType::Int16, {3});
  tensor.set(0, 1);
  tensor.set(1, -2);
  tensor.set(2, 3);
  write_npy(directory / "t.npy", tensor);
  const std::string header = "{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }" + std::string(60, ' ') + "\n";
  CHECK(read_text_file(directory / "t.npy") == "\x93NUMPY\x01\x00\x76\x00"s + header + "\x01\x00\xFE\xFF\x03\x00"s);
  CHECK(header.size() == 0x76);

  write_npy(directory / "scalar.npy", Tensor(ElementType::Bool, {}));
  CHECK_THAT(read_text_file(directory / "scalar.npy"), Contains("'descr': '|b1', 'fortran_order': False, 'shape': (), }"));
  for (int64_t rank = 0; rank < 40; ++rank) {  // the first element lies on a multiple of 64 whatever the header's length
    write_npy(directory / "rank.npy", Tensor(ElementType::Int8, Shape(static_cast<size_t>(rank), 1)));
    CHECK(read_file(directory / "rank.npy").size() % 64 == 1);
  }
}

TEST_CASE("npy: format 1.0, 2.0 and 3.0 and other layouts of the header are read") {
  for (const int version : {1, 2, 3})
    CHECK(error_of(npy_bytes(version, header_of("|i1", "(2,)"), "ab"), ElementType::Int8, {2}).empty());
  CHECK(
      error_of(npy_bytes(1, "{\"shape\":(2,1),\"descr\":\"<i1\",\"fortran_order\":False}", "ab"), ElementType::Int8, {2, 1})
          .empty());
}

TEST_CASE("npy: wrong type or shape") {
  const auto one = [](const std::string& descr, const std::string& shape) {
    return error_of(npy_bytes(1, header_of(descr, shape), "abcd"), ElementType::Int16, {2});
  };
  CHECK_THAT(one("<i4", "(1,)"), Contains("holds int32 [1], expected int16 [2]"));
  CHECK_THAT(one("<i2", "(2, 1)"), Contains("holds int16 [2, 1], expected int16 [2]"));
  CHECK_THAT(one("<i2", "()"), Contains("holds int16 [], expected int16 [2]"));
  CHECK_THAT(one(">i2", "(2,)"), Contains("holds big-endian int16 [2], expected int16 [2]"));
  CHECK_THAT(one("<u2", "(2,)"), Contains("holds uint16 [2], expected int16 [2]"));
  CHECK_THAT(one("<f4", "(1,)"), Contains("holds float32 [1], expected int16 [2]"));
  CHECK_THAT(one("|b1", "(4,)"), Contains("holds bool [4], expected int16 [2]"));
  CHECK_THAT(one("<U1", "(1,)"), Contains("holds '<U1' [1], expected int16 [2]"));
  CHECK_THAT(one("i", "(1,)"), Contains("holds 'i' [1], expected int16 [2]"));
}

TEST_CASE("npy: Fortran order") {
  CHECK_THAT(error_of(npy_bytes(1, header_of("|i1", "(2, 2)", "True"), "abcd"), ElementType::Int8, {2, 2}),
             Contains("is in Fortran order, expected C order"));
}

TEST_CASE("npy: truncated at every length, and surplus") {
  const std::string whole = npy_bytes(1, header_of("<i4", "(2,)"), "abcdefgh");
  CHECK(error_of(whole, ElementType::Int32, {2}).empty());
  for (size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(error_of(whole.substr(0, size), ElementType::Int32, {2}).empty());
  }
  CHECK_THAT(error_of("", ElementType::Int32, {2}), Contains("is empty"));
  CHECK_THAT(error_of(whole.substr(0, 8), ElementType::Int32, {2}), Contains("is truncated"));
  CHECK_THAT(error_of(whole.substr(0, 40), ElementType::Int32, {2}), Contains("is truncated: its header has"));
  CHECK_THAT(error_of(whole.substr(0, whole.size() - 1), ElementType::Int32, {2}),
             Contains("is truncated: 7 bytes of data, int32 [2] has 8"));
  CHECK_THAT(error_of(whole + "i", ElementType::Int32, {2}), Contains("has surplus data: 9 bytes of data, int32 [2] has 8"));
}

TEST_CASE("npy: headers that are none") {
  const auto read = [](const std::string& header) { return error_of(npy_bytes(1, header, "a"), ElementType::Int8, {1}); };
  REQUIRE(read("{'descr': '|i1', 'fortran_order': False, 'shape': (1,)}").empty());
  for (const char* header : {
           "",
           "garbage",
           "{}",
           "{'descr': '|i1', 'fortran_order': False}",
           "{'descr': '|i1', 'fortran_order': False, 'shape': (1,), 'more': 1}",
           "{'descr': '|i1', 'descr': '|i1', 'shape': (1,)}",
           "{'descr': '|i1', 'descr': '|i1', 'fortran_order': False, 'shape': (1,)}",
           "{'descr': '|i1', 'fortran_order': Maybe, 'shape': (1,)}",
           "{'descr': '|i1', 'fortran_order': False, 'shape': (-1,)}",
           "{'descr': '|i1', 'fortran_order': False, 'shape': (99999999999999999999,)}",
           "{'descr': '|i1', 'fortran_order': False, 'shape': (1 1)}",
           "{'descr': '|i1', 'fortran_order': False, 'shape': 1}",
           "{'descr': [('x', '|i1')], 'fortran_order': False, 'shape': (1,)}",
           "{'descr': '|i1', 'fortran_order': False, 'shape': (1,)",
           "{'descr': '|i1', 'fortran_order': False, 'shape': (1,)} x",
           "{'descr: |i1, fortran_order: False, shape: (1,)}",
       }) {
    CAPTURE(header);
    CHECK_THAT(read(header), Contains("malformed .npy header, expected {'descr'"));
  }
  CHECK_THAT(error_of("PK\x03\x04 an archive", ElementType::Int8, {1}), Contains("is not a .npy file"));
  CHECK_THAT(error_of(npy_bytes(4, header_of("|i1", "(1,)"), "a"), ElementType::Int8, {1}),
             Contains("is .npy format 4.0, expected 1.0"));
  CHECK_THAT(error_of("\x93NUMPY\x02\x00\xFF\xFF\xFF\xFF{}"s, ElementType::Int8, {1}), Contains("is truncated"));
}

TEST_CASE("npy: values outside bool, int4 and int48 are refused, the ends are not") {
  const auto read = [](ElementType type, const std::string& descr, int64_t value) {
    std::string data(static_cast<size_t>(stored_bytes(type)) * 2, '\0');
    for (size_t i = 0; i < data.size() / 2; ++i)
      data[data.size() / 2 + i] = static_cast<char>(static_cast<uint64_t>(value) >> (8 * i));
    return error_of(npy_bytes(1, header_of(descr, "(1, 2)"), data), type, {1, 2});
  };
  struct Case {
    ElementType type;
    const char* descr;
  };
  for (const auto& [type, descr] :
       {Case{ElementType::Bool, "|b1"}, Case{ElementType::Int4, "|i1"}, Case{ElementType::Int48, "<i8"}}) {
    CAPTURE(to_string(type));
    CHECK(read(type, descr, min_value(type)).empty());
    CHECK(read(type, descr, max_value(type)).empty());
    CHECK_THAT(read(type, descr, max_value(type) + 1),
               Contains(fmt::format("value {} at [0, 1] is outside {}", max_value(type) + 1, to_string(type))));
    CHECK_THAT(read(type, descr, min_value(type) - 1),
               Contains(fmt::format("allowed is {}..{}", min_value(type), max_value(type))));
  }
  CHECK(read(ElementType::Shape, "<i8", std::numeric_limits<int64_t>::min()).empty());
}

TEST_CASE("npy: arrays of numbers that no tensor has") {
  const tests::TemporaryDirectory directory;
  for (const auto& [dtype, descr, num_bytes] :
       {std::tuple("float32", "<f4", 4), std::tuple("uint8", "|u1", 1), std::tuple("uint16", "<u2", 2)}) {
    for (const Shape& shape : {Shape{}, Shape{4}, Shape{2, 3}, Shape{0, 3}}) {
      CAPTURE(dtype, to_string(shape));
      NpyArray array{dtype, shape, {}};
      for (int64_t i = 0; i < num_elements(shape) * num_bytes; ++i) array.data.push_back(static_cast<std::byte>(i * 37));
      const std::string text = to_npy(array);
      CHECK_THAT(text, Contains("'descr': '"s + descr + "'"));
      write_text_file(directory / "a.npy", text);
      const NpyArray again = read_npy_array(directory / "a.npy", dtype);
      CHECK((again.dtype == dtype && again.shape == shape && again.data == array.data));
    }
  }
  write_text_file(directory / "a.npy", npy_bytes(1, header_of("<f4", "(2,)"), "\0\0\x80\x3f\0\0\0\xc0"s));
  const NpyArray array = read_npy_array(directory / "a.npy", "float32");
  REQUIRE(array.as<float>().size() == 2);
  CHECK((array.as<float>()[0] == 1 && array.as<float>()[1] == -2));
}

TEST_CASE("npy: arrays that are refused") {
  const tests::TemporaryDirectory directory;
  const auto error = [&](const std::string& content) -> std::string {
    write_text_file(directory / "in.npy", content);
    try {
      read_npy_array(directory / "in.npy", "float32");
    } catch (const UserError& refusal) {
      return refusal.what();
    }
    return "";
  };
  const std::string eight(8, '\0');
  CHECK_THAT(error(npy_bytes(1, header_of("<f8", "(1,)"), eight)), Contains("holds float64 [1], expected float32"));
  CHECK_THAT(error(npy_bytes(1, header_of(">f4", "(2,)"), eight)),
             Contains("holds big-endian float32 [2], expected float32"));
  CHECK_THAT(error(npy_bytes(1, header_of("|O", "(2,)"), eight)), Contains("holds '|O' [2], expected float32"));
  CHECK_THAT(error(npy_bytes(1, header_of("<f4", "(2,)", "True"), eight)), Contains("is in Fortran order"));
  CHECK_THAT(error(npy_bytes(1, header_of("<f4", "(3,)"), eight)),
             Contains("is truncated: 8 bytes of data, float32 [3] has 12"));
  CHECK_THAT(error(npy_bytes(1, header_of("<f4", "(1,)"), eight)), Contains("has surplus data"));
  // More than 64 bits of it.
  CHECK_THAT(error(npy_bytes(1, header_of("<f4", "(4611686018427387904,)"), eight)),
             Contains("more bytes than there are addresses"));
  CHECK_THAT(error(npy_bytes(1, header_of("<f4", "(4611686018427387904, 4611686018427387904, 0)"), eight)),
             Contains("has surplus data: 8 bytes of data"));
}

TEST_CASE("npy: a missing file and a directory") {
  const tests::TemporaryDirectory directory;
  CHECK_THROWS_WITH(read_npy(directory / "none.npy", ElementType::Int8, {1}), Contains("none.npy: no such file"));
  CHECK_THROWS_WITH(read_npy(directory.path(), ElementType::Int8, {1}), Contains("is a directory, expected a file"));
}

}  // namespace
}  // namespace vernier::base
