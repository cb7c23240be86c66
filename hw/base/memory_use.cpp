// SPDX-License-Identifier: Apache-2.0
#include "hw/base/memory_use.hpp"

#include "hw/base/text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace vernier::base {

int64_t address_space_bytes() noexcept {
  const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[32];
  const ssize_t size = ::read(file, text, sizeof text);
  ::close(file);
  int64_t pages = 0;  // the first number of the line
  if (size > 0) std::from_chars(text, text + size, pages);
  return pages * ::sysconf(_SC_PAGESIZE);
}

std::string memory_use_text(int64_t in_use_bytes) {
  constexpr int64_t kMebi = int64_t{1} << 20;
  std::string text;
  if (in_use_bytes > 0) text = fmt::format("{} MiB of address space are in use, ", with_thousands(in_use_bytes / kMebi));
  rlimit limit{};
  const bool has_limit = ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  if (!has_limit) return text + "'ulimit -v' sets no limit";
  return text + fmt::format("'ulimit -v' allows {} MiB", with_thousands(static_cast<int64_t>(limit.rlim_cur) / kMebi));
}

}  // namespace vernier::base
