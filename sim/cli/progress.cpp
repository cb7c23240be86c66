// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/progress.hpp"

#include "hw/base/text.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/out_of_memory.hpp"
#include "sim/report/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace vernier::cli {
namespace {

/// Where a terminal does not say how wide it is.
constexpr int64_t kDefaultColumns = 80;
constexpr std::string_view kGoesOn = " ...";
constexpr int64_t kLeastTextColumns = 4;

}  // namespace

Progress::Progress() : is_terminal_(::isatty(STDERR_FILENO) != 0) {}

void Progress::phase(const std::string& text) {
  set_activity(text);
  phase_ = text;
  show(text);
}

void Progress::detail(const std::string& text) { show(phase_ + ": " + text); }

void Progress::show(const std::string& text) {
  if (!is_terminal_) return;
  // A line that is wider wraps, and only its last row could be cleared.
  const int64_t columns = terminal_columns(stderr).value_or(kDefaultColumns);
  const int64_t room = columns - static_cast<int64_t>(kGoesOn.size()) - 1;
  fmt::print(stderr, "\r\x1b[K{}{}",
             report::fit(base::printable(text), std::max(room, kLeastTextColumns), report::Cut::Middle), kGoesOn);
  std::fflush(stderr);
  is_shown_ = true;
}

void Progress::done() {
  if (is_shown_) fmt::print(stderr, "\r\x1b[K");
  is_shown_ = false;
}

flow::Observer observer_of(Progress& progress) {
  flow::Observer observer;
  observer.on_phase = [&progress](const std::string& text) { progress.phase(text); };
  if (progress.is_terminal()) observer.on_detail = [&progress](const std::string& text) { progress.detail(text); };
  observer.on_console = print_console_line;
  observer.on_debugger = [](const std::string& line) { print_text(stderr, line + "\n"); };
  return observer;
}

}  // namespace vernier::cli
