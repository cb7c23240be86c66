// SPDX-License-Identifier: Apache-2.0
// Strict JSON, its lines, and what is said of texts that are none.
#include "compiler/import/aimet/json_value.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace vernier::import::aimet;

namespace {

/// The findings of a text, each as "LINE: TEXT".
std::vector<std::string> said_of(std::string_view text) {
  Findings findings;
  parse_json(text, findings);
  std::vector<std::string> lines;
  for (const Finding& finding : findings.sorted()) lines.push_back(fmt::format("{}: {}", finding.line, finding.text));
  return lines;
}

}  // namespace

TEST_CASE("Values know the lines they begin on") {
  Findings findings;
  const auto root = parse_json("{\n \"a\": [1,\n 2.5\n,\n {}],\n\n \"b\": \"x\", \"c\":\n null}", findings);
  REQUIRE(root);
  CHECK(root->line == 1);
  const JsonValue* a = find(*root, "a");
  REQUIRE(a->list() != nullptr);
  CHECK(a->line == 2);
  CHECK((*a->list())[0].line == 2);
  CHECK((*a->list())[1].line == 3);
  CHECK(*(*a->list())[1].number() == 2.5);
  CHECK((*a->list())[2].line == 5);
  CHECK(find(*root, "b")->line == 7);
  CHECK(root->object()->back().line == 7);
  CHECK(find(*root, "c")->line == 8);
  CHECK(find(*root, "d") == nullptr);
  CHECK(to_text(*root) == R"({"a":[1.0,2.5,{}],"b":"x","c":null})");
}

TEST_CASE("What is no JSON is one finding with line and column") {
  const auto only = [](std::string_view text) {
    const auto lines = said_of(text);
    REQUIRE(lines.size() == 1);
    return lines.front();
  };
  CHECK(only("") == "1: column 1: the file is empty, wanted is a JSON object");
  CHECK(only(" \n ") == "2: column 2: the file is empty, wanted is a JSON object");
  CHECK(only("{\"a\": 1,\n}") ==
        "2: column 1: there is a comma before the closing }, which JSON does not allow, after the key a");
  CHECK(only("[1, 2,]") == "1: column 7: there is a comma before the closing ], which JSON does not allow");
  CHECK(only("{\"a\": {\"b\": NaN}}") == "1: column 13: NaN is no JSON number, a number must be finite, after the key a.b");
  CHECK(only("[-Infinity]") == "1: column 3: -Infinity is no JSON number, a number must be finite");
  CHECK(only("[1e999]") == "1: column 6: the number 1e999 is too large, a number must be finite");
  CHECK(only("{\xe2\x80\x9c"
             "a\": 1}") == "1: column 2: a typographic quote where JSON wants the ASCII character \"");
  CHECK(only("{'a': 1}") == "1: column 2: a text in ' where JSON wants \"");
  CHECK(only("// no\n{}") == "1: column 1: JSON has no comments");
  CHECK(only("{\"a\": 1 \"b\": 2}") == "1: column 11: '\"' where JSON wants a comma or '}', after the key a");
  CHECK(only("{\"a\": 1} x") == "1: column 10: 'x' where JSON wants end of input");
  CHECK(only("[\"\xff\"]") ==
        "1: column 3: the byte 0xff does not belong here; the file must be UTF-8 text in the form of JSON");
  CHECK(only("\xff\xfe{") ==
        "1: column 1: the byte 0xff does not belong here; the file must be UTF-8 text in the form of JSON");
  CHECK(only("{\"a\": [1, {\"b") == "1: column 14: the JSON text ends early, after the key a");
}

TEST_CASE("A key given twice is a finding for each time") {
  CHECK(said_of("{\"a\": 1,\n\"b\": {\"a\": 1},\n\"a\": 2, \"a\": 3}") ==
        std::vector<std::string>{"3: the key 'a' occurs twice, first on line 1",
                                 "3: the key 'a' occurs twice, first on line 3"});
  CHECK(said_of("[{\"a\": 1}, {\"a\": 1}]").empty());
}

TEST_CASE("Depth, number of values and lengths of messages are bounded") {
  const std::string deep(kMostJsonLevels, '['), shallow(kMostJsonLevels, ']');
  CHECK(said_of(deep + shallow).empty());
  CHECK(said_of("[" + deep) ==
        std::vector<std::string>{"1: lists and objects lie 33 levels deep inside each other, allowed are 32"});
  CHECK(said_of(std::string(1'000'000, '[')).size() == 1);
  std::string many = "[0";
  many.reserve(2 * kMostJsonValues + 10);
  for (int64_t i = 1; i < kMostJsonValues; ++i) many += ",0";
  CHECK(said_of(many + "]") == std::vector<std::string>{"1: there are more values than the 5000000 that are read"});
  const auto lines = said_of("{\"" + std::string(100'000, 'k') + "\": 1" + std::string(100'000, '1') + "}");
  REQUIRE(lines.size() == 1);
  CHECK(lines.front().size() < 600);
  CHECK(clipped(std::string(200, 'a')) == std::string(200, 'a'));
  CHECK(clipped(std::string(201, 'a')) == std::string(200, 'a') + "... (1 byte more)");
  CHECK(clipped(std::string(199, 'a') + "\xc3\xa9"
                                        "b") == std::string(199, 'a') + "... (3 bytes more)");
  Findings findings;
  for (size_t i = 0; i < Findings::kMost + 7; ++i) findings.add(Severity::Warning, 1, "x");
  CHECK(findings.sorted().size() == Findings::kMost);
  CHECK(findings.num_left_out() == 7);
  CHECK(findings.count(Severity::Warning) == static_cast<int64_t>(Findings::kMost) + 7);
}
