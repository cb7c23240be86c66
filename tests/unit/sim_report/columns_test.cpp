// SPDX-License-Identifier: Apache-2.0
#include "sim/report/columns.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <sstream>
#include <vector>

namespace vernier::report {
namespace {

const std::string kUmlauts = "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f\xc3\xa9";  // five characters of two bytes each

TEST_CASE("columns are characters, not bytes") {
  CHECK(num_columns("") == 0);
  CHECK(num_columns("abc") == 3);
  CHECK(num_columns(kUmlauts) == 5);
  CHECK(fit(kUmlauts, 5, Cut::Front) == kUmlauts);
  CHECK(fit(kUmlauts, 4, Cut::Front) == "...\xc3\xa9");
  CHECK(fit(kUmlauts, 4, Cut::Back) == "\xc3\xa4...");
}

TEST_CASE("text is cut at its front, in its middle or at its end") {
  CHECK(fit("abcdefghij", 10, Cut::Middle) == "abcdefghij");
  CHECK(fit("abcdefghij", 9, Cut::Front) == "...efghij");
  CHECK(fit("net/conv2d_4/BiasAdd", 20, Cut::Front) == "net/conv2d_4/BiasAdd");
  CHECK(fit("net/conv2d_4/BiasAdd", 19, Cut::Front) == "...conv2d_4/BiasAdd");
  CHECK(fit("abcde", 4, Cut::Front) == "...e");
  CHECK(fit("abcdefghij", 9, Cut::Middle) == "abc...hij");
  CHECK(fit("abcdefghij", 8, Cut::Middle) == "abc...ij");
  CHECK(fit("abcdefghij", 9, Cut::Back) == "abcdef...");
  CHECK(fit("abcdefghij", 1, Cut::Back) == "a...");  // four columns at least
}

TEST_CASE("paragraphs break at spaces, and words that are too long anywhere") {
  CHECK(wrapped("note:", "one two three", 40, 2) == "note: one two three\n");
  CHECK(wrapped("note:", "one two three", 13, 2) == "note: one two\n  three\n");
  CHECK(wrapped("note:", "one two three", 12, 2) == "note: one\n  two three\n");
  CHECK(wrapped("", "one two", 40, 2) == "one two\n");
  CHECK(wrapped("label", "", 40, 2) == "label\n");
  CHECK(wrapped("a long label", "word", 12, 2) == "a long label\n  word\n");
  CHECK(wrapped("x", "abcdefghij", 6, 2) == "x\n  abcd\n  efgh\n  ij\n");
  CHECK(wrapped("x", std::string("1") + std::string(kNoBreak) + "B of 2" + std::string(kNoBreak) + "B", 6, 2) ==
        "x 1 B\n  of\n  2 B\n");
}

TEST_CASE("no line of a paragraph is wider than it may be, and no word is lost") {
  const std::string text = "some words of different length, averyveryverylongone and short ones a b c d e f";
  for (int64_t columns = 8; columns < 60; ++columns) {
    std::istringstream lines(wrapped("label:", text, columns, 4));
    std::string line, joined;
    while (std::getline(lines, line)) {
      CHECK(num_columns(line) <= columns);
      for (const char c : line) {
        if (c != ' ') joined += c;
      }
    }
    std::string expected = "label:" + text;
    std::erase(expected, ' ');
    CHECK(joined == expected);
  }
}

}  // namespace
}  // namespace vernier::report
