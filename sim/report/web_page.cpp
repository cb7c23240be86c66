// SPDX-License-Identifier: Apache-2.0
#include "sim/report/web_page.hpp"

#include "hw/base/error.hpp"
#include "sim/report/page_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <zlib.h>

namespace vernier::report {
namespace {

/// As text of an element: what is no printable ASCII, and what markup is made of, as a number. Bytes above 126 are left out:
/// the page itself shows the name from its data.
std::string as_markup(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c < ' ' || c > '~') continue;
    if (c == '<' || c == '>' || c == '&' || c == '"' || c == '\'') {
      fmt::format_to(std::back_inserter(result), "&#{};", static_cast<int>(c));
    } else {
      result += c;
    }
  }
  return result;
}

/// Inside of a script element, where `<` could end it or begin a comment. In JSON it stands in texts only.
std::string as_script_data(const std::string& json) {
  std::string result;
  result.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      result += "\\u003c";
    } else {
      result += c;
    }
  }
  return result;
}

std::string base64(const std::vector<unsigned char>& bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - i);
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k) bits = bits << 8U | (k < count ? bytes[i + k] : 0U);
    for (size_t k = 0; k < 4; ++k) text += k <= count ? kDigits[bits >> (18 - 6 * k) & 63U] : '=';
  }
  return text;
}

std::string packed(const std::string& text) {
  std::vector<unsigned char> bytes(::compressBound(text.size()));
  uLongf size = bytes.size();
  const int result =
      ::compress2(bytes.data(), &size, reinterpret_cast<const unsigned char*>(text.data()), text.size(), Z_BEST_COMPRESSION);
  VERNIER_CHECK(result == Z_OK, "zlib refuses {} bytes: {}", text.size(), result);
  bytes.resize(size);
  return base64(bytes);
}

}  // namespace

std::string web_page(const std::string& title, std::string_view script, const std::vector<PageData>& data) {
  std::string scripts;
  for (const PageData& entry : data) {
    scripts +=
        fmt::format("<script type=\"{}\" id=\"{}\">", entry.is_packed ? "text/plain" : "application/json", entry.name);
    scripts.append(entry.is_packed ? packed(entry.json) : as_script_data(entry.json)).append("</script>\n");
  }
  const std::string title_markup = as_markup(title);
  std::string page;
  std::string_view rest = kPageTemplate;
  const auto put = [&](std::string_view place, std::string_view text) {
    const size_t found = rest.find(place);
    VERNIER_CHECK(found != std::string_view::npos, "the page has no {}", place);
    page.append(rest.substr(0, found)).append(text);
    rest.remove_prefix(found + place.size());
  };
  put("@TITLE@", title_markup);
  put("@STYLE@", kPageStyle);
  put("@DATA@", scripts);
  put("@SCRIPT@", script);
  return page.append(rest);
}

}  // namespace vernier::report
