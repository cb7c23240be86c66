// SPDX-License-Identifier: Apache-2.0
#include "hw/base/text.hpp"

#include <catch2/catch.hpp>

#include <limits>

namespace vernier::base {
namespace {

const std::vector<std::string> kNames{"v64", "v256", "v1024", "weights-external"};

TEST_CASE("text: the nearest name, and none when all are far") {
  CHECK(nearest("v265", kNames) == "v256");  // neighbours swapped: one edit
  CHECK(nearest("v526", kNames) == "v256");
  CHECK(nearest("v52", kNames) == "");  // two edits in three characters
  CHECK(nearest("v25", kNames) == "v256");
  CHECK(nearest("v1204x", kNames) == "v1024");  // a swap and an insertion
  CHECK(nearest("v2104x", kNames) == "");
  CHECK(nearest("v102", kNames) == "v1024");
  CHECK(nearest("weight-external", kNames) == "weights-external");
  CHECK(nearest("wieghts-externl", kNames) == "weights-external");  // three edits
  CHECK(nearest("sparse", kNames) == "");
  CHECK(nearest("", kNames) == "");
  CHECK(nearest("v64", {}) == "");
  CHECK(nearest("v64", kNames) == "v64");
}

TEST_CASE("text: names of layers") {
  CHECK(shortened("net/conv2d_4/BiasAdd", 20) == "net/conv2d_4/BiasAdd");
  CHECK(shortened("net/conv2d_4/BiasAdd", 19) == "...conv2d_4/BiasAdd");
  CHECK(shortened("abcde", 4) == "...e");
  CHECK(first_name("a/Relu;a/BiasAdd;a") == "a/Relu");
  CHECK(first_name("a") == "a");
}

TEST_CASE("text: a suggestion is empty or one clause") {
  CHECK(suggestion("v25", kNames) == ", did you mean 'v256'?");
  CHECK(suggestion("sparse", kNames).empty());
}

TEST_CASE("text: thousands") {
  CHECK(with_thousands(0) == "0");
  CHECK(with_thousands(999) == "999");
  CHECK(with_thousands(1000) == "1,000");
  CHECK(with_thousands(1234567) == "1,234,567");
  CHECK(with_thousands(-999) == "-999");
  CHECK(with_thousands(-123456) == "-123,456");
  CHECK(with_thousands(std::numeric_limits<int64_t>::min()) == "-9,223,372,036,854,775,808");
}

TEST_CASE("text: bytes in the largest unit that is exact") {
  CHECK(bytes_text(0) == "0 B");
  CHECK(bytes_text(1023) == "1,023 B");
  CHECK(bytes_text(1024) == "1 KiB");
  CHECK(bytes_text(1536) == "1,536 B");
  CHECK(bytes_text(48 * 1024) == "48 KiB");
  CHECK(bytes_text(64 * 1024 * 1024) == "64 MiB");
  CHECK(bytes_text(1024 * 1024 + 1024) == "1025 KiB");
}

}  // namespace
}  // namespace vernier::base
