// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/console.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"

#include <cerrno>
#include <cstring>

namespace vernier::cli {

void print_text(FILE* stream, std::string_view raw, bool keeps_color) {
  const std::string text = base::printable_lines(raw, keeps_color);
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stream) == text.size() && std::fflush(stream) == 0) return;
  if (errno == EPIPE) return;
  throw base::UserError(stream == stdout ? "standard output" : "standard error", "cannot be written: {}",
                        std::strerror(errno));
}

}  // namespace vernier::cli
