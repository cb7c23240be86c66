// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/block/rtl_folder.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/spec/rtl_ports.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <regex>
#include <sstream>

namespace vernier::cosim {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFileList = "files.f";

bool is_source(const fs::path& file) { return file.extension() == ".sv" || file.extension() == ".v"; }

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

/// UserError for a name in which Verilator would look for variables of the environment.
void require_no_variable(const fs::path& place, const std::string& where) {
  if (place.string().find('$') != std::string::npos)
    throw base::UserError(where, "'{}' has a '$', which Verilator takes for a variable of the environment", place.string());
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

/// The words of a line of files.f, with their quotation marks. A comment begins a word: // or # and the rest of the line, or
/// /* up to its end in the line. UserError where a quotation mark has no second one.
std::vector<std::string> words_of(const std::string& line, const std::string& where) {
  std::vector<std::string> words;
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  for (size_t i = 0; i < line.size();) {
    if (is_blank(line[i])) {
      ++i;
    } else if (line[i] == '#' || line.compare(i, 2, "//") == 0) {
      break;
    } else if (line.compare(i, 2, "/*") == 0) {
      const size_t end = line.find("*/", i + 2);
      i = end == std::string::npos ? line.size() : end + 2;
    } else {
      const size_t begin = i;
      bool is_quoted = false;
      for (; i < line.size() && (is_quoted || !is_blank(line[i])); ++i) is_quoted ^= line[i] == '"';
      words.push_back(line.substr(begin, i - begin));
      if (is_quoted) throw base::UserError(where, "'{}' has a quotation mark without a second one", words.back());
    }
  }
  return words;
}

/// The file or folder that a word names.
fs::path place_of(const fs::path& folder, std::string word, const std::string& where) {
  std::erase(word, '"');
  fs::path place = folder / word;
  require_no_variable(place, where);
  return place;
}

void read_file_list(RtlFolder& rtl, const fs::path& list) {
  std::istringstream lines(base::read_text_file(list));
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::string where = fmt::format("{}:{}", list.string(), number);
    for (const std::string& word : words_of(line, where)) {
      const auto starts = [&](std::string_view start) { return word.starts_with(start) && word.size() > start.size(); };
      if (starts("+incdir+") || starts("-I")) {
        const fs::path include = place_of(rtl.folder, word.substr(word.front() == '+' ? 8 : 2), where);
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
        const fs::path source = place_of(rtl.folder, word, where);
        std::error_code unknown;
        if (!fs::is_regular_file(source, unknown)) throw base::UserError(where, "there is no file '{}'", source.string());
        const auto is_it = [&](const fs::path& other) { return fs::equivalent(other, source, unknown); };
        if (std::ranges::any_of(rtl.sources, is_it))
          throw base::UserError(where, "'{}' is listed twice", source.filename().string());
        rtl.sources.push_back(source);
      }
    }
  }
}

/// A number as SystemVerilog writes it, 8 or 32'd8; none where it is written in another way.
std::optional<long> number_of(const std::string& digits, const std::string& base) {
  const std::string letter = base.empty() ? "d" : base;
  const int radix = letter == "d" || letter == "D"   ? 10
                    : letter == "h" || letter == "H" ? 16
                    : letter == "o" || letter == "O" ? 8
                                                     : 2;
  char* end = nullptr;
  const long value = std::strtol(digits.c_str(), &end, radix);
  return *end == '\0' ? std::optional(value) : std::nullopt;
}

/// UserError where the code names another version of the interface than ours.
void check_version(const fs::path& file, const std::string& code) {
  static const std::regex kVersion(R"(\b(?:Rtl)?InterfaceVersion\s*=\s*(?:\d*\s*'\s*[sS]?([dDhHoObB])\s*)?(\w+))");
  std::smatch found;
  if (!std::regex_search(code, found, kVersion)) return;
  const std::optional<long> version = number_of(found[2], found[1]);
  if (!version || *version == spec::kRtlInterfaceVersion) return;
  throw base::UserError(file.string(), "is written for interface version {}, wanted is {} (docs/reference/rtl-ports.md)",
                        *version, spec::kRtlInterfaceVersion);
}

}  // namespace

std::vector<std::string> defined_modules(const std::string& text) {
  static const std::regex kDefinition(
      R"((?:^|[\s;)])(virtual\s+|extern\s+)?(?:module|macromodule|package|interface)\s+(?:automatic\s+|static\s+)?([A-Za-z_]\w*))");
  const std::string code = without_comments(text);
  std::vector<std::string> names;
  for (std::sregex_iterator at(code.begin(), code.end(), kDefinition), end; at != end; ++at) {
    // A virtual interface is a variable, an interface class has no ports.
    if (!(*at)[1].matched && (*at)[2] != "class") names.push_back((*at)[2]);
  }
  return names;
}

std::vector<std::string> RtlFolder::include_options() const {
  std::vector<std::string> options;
  for (const fs::path& include : include_folders) options.push_back("+incdir+" + include.string());
  options.push_back("+incdir+" + folder.string());
  for (const std::string& define : defines) options.push_back("+define+" + define);
  return options;
}

bool RtlFolder::searches(const std::string& file) const {
  const auto has = [&](const fs::path& place) { return file.starts_with(place.string() + "/"); };
  return has(folder) || std::ranges::any_of(include_folders, has);
}

RtlFolder read_rtl_folder(const fs::path& folder) {
  std::error_code unknown;
  if (!fs::is_directory(folder, unknown)) throw base::UserError("--rtl", "there is no folder '{}'", folder.string());
  RtlFolder rtl;
  rtl.folder = fs::absolute(folder);
  require_no_variable(rtl.folder, "--rtl");
  rtl.has_list = fs::exists(folder / kFileList, unknown);
  if (rtl.has_list) {
    read_file_list(rtl, folder / kFileList);
  } else {
    for (const fs::path& file : files_of(rtl.folder)) {
      if (!is_source(file)) continue;
      require_no_variable(file, "--rtl");
      rtl.sources.push_back(file);
    }
  }
  std::vector<fs::path> packages, others;
  for (const fs::path& source : rtl.sources) {
    const std::string text = base::read_text_file(source);
    const std::string code = without_comments(text);
    check_version(source, code);
    for (const std::string& name : defined_modules(text)) {
      const auto [entry, is_new] = rtl.modules.emplace(name, source);
      // Within a file it may be either of two, by a macro: Verilator knows.
      if (!is_new && entry->second != source)
        throw base::UserError(folder.string(), "'{}' is defined in {} and in {}", name, entry->second.filename().string(),
                              source.filename().string());
    }
    (code.find("endpackage") != std::string::npos ? packages : others).push_back(source);
  }
  if (!rtl.has_list) {
    packages.insert(packages.end(), others.begin(), others.end());
    rtl.sources = std::move(packages);
  }
  return rtl;
}

}  // namespace vernier::cosim
