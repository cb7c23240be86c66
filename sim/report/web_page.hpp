// SPDX-License-Identifier: Apache-2.0
// An HTML page in one file: template, style and script of page/, with data as JSON. It loads nothing, and its policy forbids
// that it does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vernier::report {

/// JSON in ASCII, which a script of the page finds by its name: data_of(), packed_data_of() of page/text.js.
struct PageData {
  std::string name, json;
  bool is_packed = false;  // compressed, for long lists
};

/// `title` may hold anything; so may the texts in `data`.
std::string web_page(const std::string& title, std::string_view script, const std::vector<PageData>& data);

}  // namespace vernier::report
