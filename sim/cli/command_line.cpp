// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/command_line.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>

namespace vernier::cli {
namespace {

/// In single quotes where a shell would take it apart.
std::string quoted(const std::string& argument) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("-_=./,:+@%").find(c) != std::string_view::npos;
  };
  if (!argument.empty() && std::all_of(argument.begin(), argument.end(), is_plain)) return argument;
  std::string text = "'";
  for (const char c : argument) {
    if (c == '\'') {
      text += "'\\''";
    } else {
      text += c;
    }
  }
  return text + "'";
}

}  // namespace

std::string quoted_command_line(int argc, const char* const* argv) {
  std::string line;
  for (int i = 0; i < argc; ++i) {
    const std::string argument = i == 0 ? std::filesystem::path(argv[0]).filename().string() : argv[i];
    if (i > 0) line += ' ';
    line += quoted(argument);
  }
  return line;
}

}  // namespace vernier::cli
