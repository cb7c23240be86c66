// SPDX-License-Identifier: Apache-2.0
// Texts that a test case makes one after the other, each kept as a row with its checksum: "CASE #3: SUMMARY, 1a2b3c4d". So
// every network of a test program is held whole, whatever its case looks at. VERNIER_UPDATE_GOLDEN=1 rewrites the rows of
// the cases that run; VERNIER_RECORDED_TEXTS=DIR writes the texts into files of DIR, those of two builds are compared with
// `diff -r`.
#pragma once

#include "hw/base/checksum.hpp"
#include "tests/support/source_tree.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace vernier::tests {

/// The rows of one file of the source tree, by test case and number.
class Recorded {
 public:
  explicit Recorded(const std::filesystem::path& relative) : path_(source_path(relative)) {
    const char* update = std::getenv("VERNIER_UPDATE_GOLDEN");
    is_updated_ = update != nullptr && std::string(update) == "1";
    std::ifstream in(path_);
    for (std::string line; std::getline(in, line);) {
      const size_t number = line.rfind(" #"), end = line.find(": ", number);
      rows_[line.substr(0, number)].push_back(line.substr(end + 2));
    }
  }
  Recorded(const Recorded&) = delete;
  Recorded& operator=(const Recorded&) = delete;
  ~Recorded() {
    if (!is_updated_) return;
    std::ofstream out(path_);
    for (const auto& [name, rows] : rows_) {
      for (size_t i = 0; i < rows.size(); ++i) out << fmt::format("{} #{}: {}\n", name, i, rows[i]);
    }
  }

  /// Fails unless the row of the running case whose turn it is says the same. A text as the one before has no row of its
  /// own.
  void check(const std::string& summary, const std::string& text) {
    const std::string name = Catch::getResultCapture().getCurrentTestName();
    if (name == last_name_ && text == last_text_) return;
    last_name_ = name;
    last_text_ = text;
    const std::string row = fmt::format("{}, {:08x}", summary, base::crc32(std::as_bytes(std::span(text))));
    if (is_updated_ && met_.count(name) == 0) rows_.erase(name);
    const size_t number = met_[name]++;
    if (const char* folder = std::getenv("VERNIER_RECORDED_TEXTS")) {
      std::filesystem::create_directories(folder);
      std::ofstream(std::filesystem::path(folder) /
                    fmt::format("{:08x}_{}.txt", base::crc32(std::as_bytes(std::span(name))), number))
          << name << "\n"
          << text;
    }
    std::vector<std::string>& rows = rows_[name];
    if (is_updated_) {
      rows.push_back(row);
      return;
    }
    INFO(path_.filename().string() << ", number " << number << " of this case; VERNIER_UPDATE_GOLDEN=1 rewrites it");
    CHECK(row == (number < rows.size() ? rows[number] : "nothing is recorded"));
  }

 private:
  std::filesystem::path path_;
  bool is_updated_ = false;
  std::map<std::string, std::vector<std::string>> rows_;
  std::map<std::string, size_t> met_;
  std::string last_name_, last_text_;
};

}  // namespace vernier::tests
