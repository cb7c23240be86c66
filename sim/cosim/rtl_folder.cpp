// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/rtl_folder.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/spec/rtl_ports.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>

namespace vernier::cosim {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFileList = "files.f";

bool is_source(const fs::path& file) { return file.extension() == ".sv" || file.extension() == ".v"; }
bool is_included(const fs::path& file) { return is_source(file) || file.extension() == ".svh" || file.extension() == ".vh"; }

std::string without_comments(const std::string& text) {
  std::string result;
  for (size_t i = 0; i < text.size();) {
    if (text.compare(i, 2, "//") == 0) {
      i = std::min(text.find('\n', i), text.size());
    } else if (text.compare(i, 2, "/*") == 0) {
      const size_t end = text.find("*/", i + 2);
      i = end == std::string::npos ? text.size() : end + 2;
      result += ' ';
    } else if (text[i] == '"') {
      size_t end = i + 1;
      while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
      i = std::min(end + 1, text.size());
    } else {
      result += text[i++];
    }
  }
  return result;
}

/// The regular files of a folder, by name.
std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code unknown;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, unknown)) {
    if (entry.is_regular_file(unknown)) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

void read_file_list(RtlFolder& rtl, const fs::path& list) {
  std::istringstream lines(base::read_text_file(list));
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::string where = fmt::format("{}:{}", list.string(), number);
    line = without_comments(line);
    line = line.substr(0, line.find('#'));
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      const auto starts = [&](std::string_view start) { return word.starts_with(start) && word.size() > start.size(); };
      if (starts("+incdir+") || starts("-I")) {
        const fs::path include = rtl.folder / word.substr(word.front() == '+' ? 8 : 2);
        std::error_code unknown;
        if (!fs::is_directory(include, unknown)) throw base::UserError(where, "there is no folder '{}'", include.string());
        rtl.include_folders.push_back(include);
      } else if (starts("+define+") || starts("-D")) {
        rtl.defines.push_back(word.substr(word.front() == '+' ? 8 : 2));
      } else if (word.front() == '-' || word.front() == '+') {
        throw base::UserError(where,
                              "'{}' is not understood, allowed are sources, +incdir+DIR, -IDIR, +define+NAME[=VALUE] "
                              "and -DNAME[=VALUE]",
                              word);
      } else {
        const fs::path source = rtl.folder / word;
        std::error_code unknown;
        if (!fs::is_regular_file(source, unknown)) throw base::UserError(where, "there is no file '{}'", source.string());
        rtl.sources.push_back(source);
      }
    }
  }
}

/// UserError where the code names another version of the interface than ours.
void check_version(const fs::path& file, const std::string& code) {
  static const std::regex kVersion(R"(\b(?:Rtl)?InterfaceVersion\s*=\s*(\d+))");
  std::smatch found;
  if (!std::regex_search(code, found, kVersion) || found[1] == std::to_string(spec::kRtlInterfaceVersion)) return;
  throw base::UserError(file.string(), "is written for interface version {}, wanted is {} (docs/reference/rtl-ports.md)",
                        found[1].str(), spec::kRtlInterfaceVersion);
}

}  // namespace

std::vector<std::string> defined_modules(const std::string& text) {
  static const std::regex kDefinition(
      R"((?:^|[\s;])(?:module|package|interface)\s+(?:automatic\s+|static\s+)?([A-Za-z_]\w*))");
  const std::string code = without_comments(text);
  std::vector<std::string> names;
  for (std::sregex_iterator at(code.begin(), code.end(), kDefinition), end; at != end; ++at) names.push_back((*at)[1]);
  return names;
}

std::vector<fs::path> RtlFolder::all_files() const {
  std::set<fs::path> files(sources.begin(), sources.end());
  std::vector<fs::path> folders = include_folders;
  folders.push_back(folder);
  for (const fs::path& included : folders) {
    for (const fs::path& file : files_of(included)) {
      if (is_included(file)) files.insert(file);
    }
  }
  return {files.begin(), files.end()};
}

RtlFolder read_rtl_folder(const fs::path& folder) {
  std::error_code unknown;
  if (!fs::is_directory(folder, unknown)) throw base::UserError("--rtl", "there is no folder '{}'", folder.string());
  RtlFolder rtl;
  rtl.folder = fs::absolute(folder);
  if (fs::exists(folder / kFileList, unknown)) {
    read_file_list(rtl, folder / kFileList);
  } else {
    for (const fs::path& file : files_of(rtl.folder)) {
      if (is_source(file)) rtl.sources.push_back(file);
    }
  }
  std::vector<fs::path> packages, others;
  for (const fs::path& source : rtl.sources) {
    const std::string text = base::read_text_file(source);
    const std::string code = without_comments(text);
    check_version(source, code);
    for (const std::string& name : defined_modules(text)) {
      const auto [entry, is_new] = rtl.modules.emplace(name, source);
      if (!is_new)
        throw base::UserError(folder.string(), "'{}' is defined in {} and in {}", name, entry->second.filename().string(),
                              source.filename().string());
    }
    (code.find("endpackage") != std::string::npos ? packages : others).push_back(source);
  }
  if (!fs::exists(folder / kFileList, unknown)) {
    packages.insert(packages.end(), others.begin(), others.end());
    rtl.sources = std::move(packages);
  }
  return rtl;
}

}  // namespace vernier::cosim
