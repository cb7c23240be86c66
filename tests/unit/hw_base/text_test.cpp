// SPDX-License-Identifier: Apache-2.0
#include "hw/base/text.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

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
  const std::vector<std::string> digits{"0", "1", "10"};
  CHECK(nearest("3", digits) == "");
  CHECK(nearest("11", digits) == "1");
  CHECK(nearest("v64", {}) == "");
  CHECK(nearest("v64", kNames) == "v64");
}

TEST_CASE("text: names of layers") {
  CHECK(first_name("a/Relu;a/BiasAdd;a") == "a/Relu");
  CHECK(first_name("a") == "a");
}

TEST_CASE("text: what a terminal would obey is escaped") {
  CHECK(printable("plain, gr\xc3\xbcn, \xe2\x82\xac, \xf0\x9f\x98\x80") ==
        "plain, gr\xc3\xbcn, \xe2\x82\xac, \xf0\x9f\x98\x80");
  CHECK(printable("a\x1b[2Jb\rc\nd\te\x7f") == "a\\x1b[2Jb\\x0dc\\x0ad\\x09e\\x7f");
  CHECK(printable(std::string_view("\0", 1)) == "\\x00");
  CHECK(printable("\xc2\x9b"
                  "31m, \xc2\xa0") ==
        "\\xc2\\x9b"
        "31m, \xc2\xa0");  // C1's CSI, then a space that is seen
  CHECK(printable("\xe2\x80\xae"
                  "gpj.exe") ==
        "\\xe2\\x80\\xae"
        "gpj.exe");  // right to left from here on
  CHECK(printable("\xe2\x80\xa8\xef\xbb\xbf") == "\\xe2\\x80\\xa8\\xef\\xbb\\xbf");
}

TEST_CASE("text: what is no UTF-8 is escaped byte by byte") {
  for (const std::string_view text :
       {"\x80", "\xbf", "\xc0\x9b", "\xc1\xbf", "\xe0\x82\x9b", "\xed\xa0\x80", "\xf0\x80\x80\x9b", "\xf4\x90\x80\x80",
        "\xf8\x88\x80\x80\x80", "\xff", "\xe2\x82", "\xc3"}) {
    std::string expected;
    for (const char byte : text) expected += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    CHECK(printable(text) == expected);
    CHECK(printable(std::string(text) + "a") == expected + "a");
  }
  CHECK(printable("\xc3(") == "\\xc3(");
}

TEST_CASE("text: lines and colours stay where they are wanted") {
  CHECK(printable_lines("a\tb\n\x1b[1mc\r") == "a\tb\n\\x1b[1mc\\x0d");
  CHECK(printable_lines("\x1b[1;31ma\x1b[0m\n", true) == "\x1b[1;31ma\x1b[0m\n");
  for (const std::string_view other : {"\x1b[2J", "\x1b]0;title\x07", "\x1b[1", "\x1b[", "\x1b", "\x1bm"})
    CHECK(printable_lines(other, true).substr(0, 4) == "\\x1b");
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

TEST_CASE("a count with its noun") {
  CHECK(counted(1, "cycle") == "1 cycle");
  CHECK(counted(0, "cycle") == "0 cycles");
  CHECK(counted(1234, "row") == "1,234 rows");
  CHECK(counted(2, "mismatch") == "2 mismatches");
  CHECK(counted(1, "mismatch") == "1 mismatch");
}

TEST_CASE("text: bytes in the largest unit that is exact") {
  CHECK(bytes_text(0) == "0 B");
  CHECK(bytes_text(1023) == "1,023 B");
  CHECK(bytes_text(1024) == "1 KiB");
  CHECK(bytes_text(1536) == "1,536 B");
  CHECK(bytes_text(48 * 1024) == "48 KiB");
  CHECK(bytes_text(64 * 1024 * 1024) == "64 MiB");
  CHECK(bytes_text(1024 * 1024 + 1024) == "1025 KiB");
  CHECK(size_text(0) == "0 B");
  CHECK(size_text(-4096) == "-4096 B");
  CHECK(size_text(1023) == "1023 B");
  CHECK(size_text(1024) == "1024 B (1 KiB)");
  CHECK(size_text(76416) == "76416 B (74.6 KiB)");
  CHECK(size_text(1024 * 1024) == "1048576 B (1 MiB)");
  CHECK(size_text(1024 * 1024 + 1) == "1048577 B (1.0 MiB)");
}

}  // namespace
}  // namespace vernier::base
