// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/console.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"

#include <cerrno>
#include <cstring>
#include <sys/ioctl.h>

namespace vernier::cli {

void print_text(FILE* stream, std::string_view raw, bool keeps_color) {
  const std::string text = base::printable_lines(raw, keeps_color);
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stream) == text.size() && std::fflush(stream) == 0) return;
  if (errno == EPIPE) return;
  throw base::UserError(stream == stdout ? "standard output" : "standard error", "cannot be written: {}",
                        std::strerror(errno));
}

void print_console_line(int64_t cycle, const std::string& line) {
  print_text(stderr, fmt::format("console: cycle {}: {}\n", cycle, line));
}

std::optional<int64_t> terminal_columns(FILE* stream) {
  winsize size{};
  if (::ioctl(::fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

}  // namespace vernier::cli
