// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/out_of_memory.hpp"

#include "hw/base/memory_use.hpp"
#include "hw/base/text.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

namespace {

std::atomic<size_t> failed_bytes{0};   // of the last allocation that failed
std::atomic<int64_t> in_use_bytes{0};  // of address space, then

}  // namespace

#ifndef VERNIER_SANITIZE  // there the sanitizer has its own

/// As the library's, but notes how much could not be had. All other forms of new but the aligned ones call this one.
void* operator new(size_t num_bytes) {
  if (void* memory = std::malloc(num_bytes == 0 ? 1 : num_bytes)) return memory;
  failed_bytes = num_bytes;
  in_use_bytes = vernier::base::address_space_bytes();
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t /*num_bytes*/) noexcept { std::free(memory); }

#endif

namespace vernier::cli {
namespace {

std::string& activity() {
  static std::string text = "starting";
  return text;
}

}  // namespace

void set_activity(std::string_view what) { activity() = what; }

std::string out_of_memory_text() {
  const auto bytes = static_cast<int64_t>(failed_bytes.load());
  const std::string how_much =
      bytes > 0 ? fmt::format("{} B could not be had", base::with_thousands(bytes)) : "more could not be had";
  return fmt::format("out of memory while {}: {}; {}", activity(), how_much, base::memory_use_text(in_use_bytes));
}

}  // namespace vernier::cli
