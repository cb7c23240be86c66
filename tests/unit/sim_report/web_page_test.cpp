// SPDX-License-Identifier: Apache-2.0
// The HTML pages as text: data, escaping and what is compressed. tests/e2e/html_report_test.py compares them with the JSON
// report, tests/e2e/html_page_test.py in a browser.
#include "sim/report/web_page.hpp"

#include "sim/report/comparison.hpp"
#include "sim/report/page_texts.hpp"
#include "tests/unit/sim_report/sample_report.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace vernier::report {
namespace {

using Catch::Contains;

size_t count_of(const std::string& text, std::string_view part) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++count;
  return count;
}

/// Printable, and line ends.
bool is_ascii(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); });
}

TEST_CASE("A page is the template with title, style, data and script in their places") {
  const std::string page = web_page("a title", "the_script();", {{"first", "[1]"}, {"second", "{}"}});
  CHECK_THAT(page, Contains("<title>a title</title>") && Contains(std::string(kPageStyle)) && Contains("\nthe_script();\n"));
  CHECK_THAT(page, Contains("<script type=\"application/json\" id=\"first\">[1]</script>\n"
                            "<script type=\"application/json\" id=\"second\">{}</script>\n"));
  for (const char* place : {"@TITLE@", "@STYLE@", "@DATA@", "@SCRIPT@"}) CHECK_THAT(page, !Contains(place));
  CHECK(is_ascii(page));
}

TEST_CASE("No text ends what it stands in") {
  const std::string page =
      web_page("</title><b>\"'&\x1b\xc3\xa9@DATA@", "", {{"data", R"(["</script><!--<script>", "@SCRIPT@"])"}});
  CHECK_THAT(page, Contains("<title>&#60;/title&#62;&#60;b&#62;&#34;&#39;&#38;@DATA@</title>"));
  CHECK_THAT(page, Contains(R"(["\u003c/script>\u003c!--\u003cscript>", "@SCRIPT@"]</script>)"));
  CHECK(count_of(page, "</script>") == 2);
}

TEST_CASE("Long lists are compressed") {
  // What `zlib.compress(b"[7,7,7,7,7,7,7,7]", 9)` of Python gives, in base64.
  CHECK_THAT(web_page("", "", {{"list", "[7,7,7,7,7,7,7,7]", true}}), Contains("id=\"list\">eNqLNtdBgbEAIMUDpQ==</script>"));
  CHECK_THAT(web_page("", "", {{"list", "[]", true}}), Contains("id=\"list\">eNqLjgUAARUAuQ==</script>"));
}

TEST_CASE("The page of a run names it, and its names are no markup") {
  Report report = sample_report();
  report.model_name = "a</script>b.tosa";
  report.layers[0].name = "</script><script>alert(1)</script>";
  report.sram_blocks[0].name = "</script>";
  const std::string page = to_html(report), plain = to_html(sample_report());
  CHECK_THAT(page, Contains("<title>a&#60;/script&#62;b.tosa on mine</title>"));
  CHECK(count_of(page, "</script>") == count_of(plain, "</script>"));
  CHECK(count_of(page, "<script") == count_of(plain, "<script"));
  CHECK(is_ascii(page));
  CHECK(is_ascii(plain));
  CHECK(is_ascii(to_html(sample_reference())));
}

TEST_CASE("The page of a comparison holds its JSON form") {
  const std::string report = to_json(sample_report());
  const Comparison comparison = compare({{"a</script>.json", report}, {"b.json", report}});
  const std::string page = to_html(comparison, "1.2.3");
  CHECK_THAT(page, Contains("<title>2 runs compared</title>") && Contains("a\\u003c/script>.json"));
  CHECK(count_of(page, "</script>") == 3);
  CHECK(is_ascii(page));
}

}  // namespace
}  // namespace vernier::report
