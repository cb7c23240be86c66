// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/outputs.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "sim/cli/console.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <unistd.h>

namespace vernier::cli {
namespace {

constexpr int64_t kPipeColumns = 100;

/// COLUMNS, where it is a number above 0.
std::optional<int64_t> columns_asked_for() {
  const char* text = std::getenv("COLUMNS");
  if (text == nullptr) return std::nullopt;
  const std::string_view digits(text);
  int64_t columns = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), columns);
  const bool is_number = error == std::errc() && end == digits.data() + digits.size() && columns > 0;
  return is_number ? std::optional(columns) : std::nullopt;
}

}  // namespace

report::TextStyle style_of(FILE* stream) {
  report::TextStyle style;
  const std::optional<int64_t> asked = columns_asked_for();
  style.width_columns = asked.value_or(kPipeColumns);
  if (::isatty(::fileno(stream)) == 0) return style;
  if (!asked) style.width_columns = terminal_columns(stream).value_or(style.width_columns);
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool is_dumb = terminal != nullptr && std::string_view(terminal) == "dumb";
  style.has_color = (no_color == nullptr || *no_color == '\0') && !is_dumb;
  return style;
}

Reports take_reports(const std::vector<std::string>& given) {
  if (std::ranges::count(given, "-") > 1) throw base::UserError("--report", "'-' is given more than once, allowed is once");
  Reports reports;
  for (const std::string& report : given) {
    if (report == "-") {
      reports.is_json_printed = true;
    } else {
      reports.files.push_back(report);
    }
  }
  return reports;
}

void print_result(const Reports& reports, std::string_view text, const std::function<std::string()>& make_json,
                  bool keeps_color) {
  print_text(reports.people(), text, keeps_color);
  if (reports.is_json_printed) print_text(stdout, make_json());
}

void print_report(const report::Report& report, const RunOptions& options, const Reports& reports) {
  report::TextStyle style = style_of(reports.people());
  style.lists_approximations = options.is_verbose;
  if (options.is_quiet) {
    print_text(reports.people(), report::to_summary(report));
    for (const std::string& warning : report.warnings)
      print_text(stderr, fmt::format("vernier: warning: {}\n", base::printable(warning)));
  } else {
    print_text(reports.people(), report::to_text(report, style), style.has_color);
  }
  if (reports.is_json_printed) print_text(stdout, report::to_json(report));
}

std::string quiet_text(const std::string& text, const std::string& first_mismatch) {
  const std::string verdict = text.substr(0, text.find('\n') + 1);
  return first_mismatch.empty() ? verdict : fmt::format("{}mismatch: {}\n", verdict, first_mismatch);
}

}  // namespace vernier::cli
