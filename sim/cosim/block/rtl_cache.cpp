// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/block/rtl_cache.hpp"

#include "hw/base/checksum.hpp"
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace vernier::cosim {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kScratchPrefix = "tmp.";
constexpr std::chrono::hours kScratchAge{1};  // no build takes so long
constexpr std::uintmax_t kLeastBytes = 64 << 10;

std::string seal_of(std::string_view bytes) {
  return fmt::format("\nvernier sha256 {}\n", base::sha256_hex(std::as_bytes(std::span(bytes))));
}

[[noreturn]] void refuse_full(const fs::path& cache) {
  throw base::UserError(cache.string(), "has no room left for built RTL; XDG_CACHE_HOME names another place");
}

}  // namespace

fs::path rtl_cache_folder() {
  const auto value_of = [](const char* name) {
    const char* value = std::getenv(name);
    return fs::path(value == nullptr ? "" : value);
  };
  fs::path base = value_of("XDG_CACHE_HOME");
  if (!base.is_absolute()) base = value_of("HOME").is_absolute() ? value_of("HOME") / ".cache" : "";
  if (base.empty()) throw base::UserError("--rtl", "neither XDG_CACHE_HOME nor HOME says where built RTL is kept");
  const fs::path cache = base / "vernier" / "rtl";
  if (cache.string().find('$') != std::string::npos)
    throw base::UserError(cache.string(),
                          "has a '$', which Verilator takes for a variable of the environment, and built RTL is kept "
                          "there; XDG_CACHE_HOME names another place");
  return cache;
}

bool is_writable(const fs::path& cache) {
  std::error_code error;
  fs::create_directories(cache, error);
  return !error && ::access(cache.c_str(), W_OK | X_OK) == 0;
}

void require_writable(const fs::path& cache) {
  if (is_writable(cache)) return;
  throw base::UserError(cache.string(),
                        "cannot be written, and built RTL is kept there; XDG_CACHE_HOME names another place");
}

void refuse_trouble(const Finished& finished, std::string_view who, const fs::path& cache) {
  if (finished.lacks_room()) refuse_full(cache);
  if (const std::string end = finished.end_by_system(); !end.empty())
    throw base::EnvironmentError("--rtl", fmt::format("{} {}", who, end));
}

base::TemporaryFolder scratch_in(const fs::path& cache) {
  return {is_writable(cache) ? cache : fs::temp_directory_path(), kScratchPrefix, "cannot be made"};
}

void build_in(const fs::path& cache, const std::function<void(const fs::path& scratch)>& work) {
  const base::TemporaryFolder scratch = scratch_in(cache);
  try {
    work(scratch.path());
  } catch (const base::UserError&) {
    std::error_code unknown;
    const fs::space_info space = fs::space(cache, unknown);
    if (!unknown && space.available < kLeastBytes) refuse_full(cache);
    throw;
  }
}

void remove_leftovers(const fs::path& cache) {
  std::error_code ignored;
  const auto oldest = fs::file_time_type::clock::now() - kScratchAge;
  for (const fs::directory_entry& entry : fs::directory_iterator(cache, ignored)) {
    if (!entry.path().filename().string().starts_with(kScratchPrefix)) continue;
    const auto written = fs::last_write_time(entry.path(), ignored);
    if (!ignored && written < oldest) fs::remove_all(entry.path(), ignored);
  }
}

void keep_file(const fs::path& built, const fs::path& kept) {
  const std::string seal = seal_of(base::read_text_file(built));
  std::ofstream file(built, std::ios::binary | std::ios::app);
  file << seal;
  file.close();
  std::error_code error;
  if (file) fs::rename(built, kept, error);
  if (!file || error) throw base::UserError(kept.string(), "cannot be written");
}

bool is_kept_whole(const fs::path& kept) {
  std::error_code unknown;
  if (!fs::is_regular_file(kept, unknown)) return false;
  const std::string text = base::read_text_file(kept);
  const size_t seal_bytes = seal_of("").size();
  if (text.size() < seal_bytes) return false;
  const std::string_view bytes = std::string_view(text).substr(0, text.size() - seal_bytes);
  return text.ends_with(seal_of(bytes));
}

}  // namespace vernier::cosim
