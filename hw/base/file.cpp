// SPDX-License-Identifier: Apache-2.0
#include "hw/base/file.hpp"

#include "hw/base/error.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vernier::base {
namespace {

constexpr size_t kMaxPath = 4096;
std::array<char, kMaxPath> unfinished_path{};
std::atomic<bool> has_unfinished{false};

/// Closes on the way out, whatever the reason.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }
  int close() {
    const int result = ::close(fd_);
    fd_ = -1;
    return result;
  }

 private:
  int fd_;
};

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view what, int error) {
  throw UserError(path.string(), "{}: {}", what, std::strerror(error));
}

/// Every byte, then the end of the file; 0 or the system's error.
int write_and_close(FileDescriptor& file, std::span<const std::byte> bytes) {
  int error = 0;
  for (size_t written = 0; written < bytes.size() && error == 0;) {
    const ssize_t count = ::write(file.get(), bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno != EINTR) error = errno;
    if (count > 0) written += static_cast<size_t>(count);
  }
  if (file.close() != 0 && error == 0) error = errno;
  return error;
}

/// Where a rename has to put the file: behind symbolic links, so that a link stays a link.
std::filesystem::path behind_links(const std::filesystem::path& path) {
  constexpr int kMostLinks = 40;  // as the system's; what cannot be followed is left to open(), which says why
  std::filesystem::path place = path;
  std::error_code no_link;
  for (int i = 0; i < kMostLinks; ++i) {
    const std::filesystem::path target = std::filesystem::read_symlink(place, no_link);
    if (no_link) return place;
    place = place.parent_path() / target;
  }
  return place;
}

}  // namespace

std::vector<std::byte> read_file(const std::filesystem::path& path) {
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) {
    if (errno == ENOENT) throw UserError(path.string(), "no such file");
    fail(path, "cannot be opened", errno);
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail(path, "cannot be read", errno);
  if (S_ISDIR(status.st_mode)) throw UserError(path.string(), "is a directory, expected a file");
  // A device such as /dev/zero may have no end.
  if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)) throw UserError(path.string(), "is a device, expected a file");
  std::vector<std::byte> bytes;
  bytes.resize(static_cast<size_t>(status.st_size));
  size_t filled = 0;
  while (true) {
    if (filled == bytes.size()) bytes.resize(bytes.size() + 65536);  // pipes and files that grow
    const ssize_t count = ::read(file.get(), bytes.data() + filled, bytes.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(path, "cannot be read", errno);
    if (count == 0) break;
    filled += static_cast<size_t>(count);
  }
  bytes.resize(filled);
  return bytes;
}

std::string read_text_file(const std::filesystem::path& path) {
  const auto bytes = read_file(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::error_code unknown;  // what cannot be looked at is left to open(), which says why
  const std::filesystem::file_status status = std::filesystem::status(path, unknown);
  if (std::filesystem::is_directory(status)) throw UserError(path.string(), "is a directory, expected a file name to write");
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    // A pipe or a device takes the bytes; a rename would put a file in its place.
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.get() < 0) fail(path, "cannot be written", errno);
    if (const int error = write_and_close(file, bytes); error != 0) fail(path, "cannot be written", error);
    return;
  }
  const std::filesystem::path place = behind_links(path);
  const std::string temporary = place.string() + fmt::format(".tmp{}", ::getpid());
  if (temporary.size() + 1 > kMaxPath) throw UserError(path.string(), "path is longer than {} bytes", kMaxPath);
  std::memcpy(unfinished_path.data(), temporary.c_str(), temporary.size() + 1);
  has_unfinished = true;
  FileDescriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  int error = file.get() < 0 ? errno : write_and_close(file, bytes);
  if (error == 0 && ::rename(temporary.c_str(), place.c_str()) != 0) error = errno;
  if (error != 0) ::unlink(temporary.c_str());
  has_unfinished = false;
  if (error != 0) fail(path, "cannot be written", error);
}

void write_text_file(const std::filesystem::path& path, std::string_view text) {
  write_file(path, std::as_bytes(std::span(text.data(), text.size())));
}

void remove_unfinished_files() noexcept {
  if (has_unfinished) ::unlink(unfinished_path.data());
}

std::string safe_file_name(std::string_view name) {
  std::string result;
  for (const char c : name) {
    const bool keep =
        (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
    if (c == '.' && result.empty()) continue;
    result += keep ? c : '_';
  }
  return result.empty() ? "_" : result;
}

}  // namespace vernier::base
