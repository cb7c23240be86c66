// SPDX-License-Identifier: Apache-2.0
#include "hw/base/file.hpp"

#include "hw/base/error.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace vernier::base {
namespace {

constexpr size_t kMaxPath = 4096;
constexpr int64_t kMaxFileBytes = INT32_MAX;  // what a flatbuffer can be

/// A temporary file that exists, or is about to. The list only grows, and its paths stay, so that a signal handler may walk
/// it at any time.
struct Unfinished {
  std::string path;
  std::atomic<bool> is_there{true};
  Unfinished* next = nullptr;
};
std::atomic<Unfinished*> all_unfinished{nullptr};

Unfinished* note_unfinished(std::string path) {
  auto* entry = new Unfinished{std::move(path)};
  entry->next = all_unfinished;
  all_unfinished = entry;
  return entry;
}

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

/// Every byte; 0 or the system's error.
int write_all(const FileDescriptor& file, std::span<const std::byte> bytes) {
  int error = 0;
  for (size_t written = 0; written < bytes.size() && error == 0;) {
    const ssize_t count = ::write(file.get(), bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno != EINTR) error = errno;
    if (count > 0) written += static_cast<size_t>(count);
  }
  return error;
}

/// Every byte, then the end of the file; 0 or the system's error.
int write_and_close(FileDescriptor& file, std::span<const std::byte> bytes) {
  int error = write_all(file, bytes);
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
    if (errno == ENOENT) throw UserError(path.empty() ? "''" : path.string(), "no such file");
    fail(path, "cannot be opened", errno);
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail(path, "cannot be read", errno);
  if (S_ISDIR(status.st_mode)) throw UserError(path.string(), "is a directory, expected a file");
  // A device such as /dev/zero may have no end.
  if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)) throw UserError(path.string(), "is a device, expected a file");
  std::vector<std::byte> bytes;
  if (status.st_size <= kMaxFileBytes) bytes.resize(static_cast<size_t>(status.st_size));
  size_t filled = 0;
  while (true) {
    if (std::max<int64_t>(status.st_size, static_cast<int64_t>(filled)) > kMaxFileBytes)
      throw UserError(path.string(), "has more than {} bytes, the most that a file may have", kMaxFileBytes);
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

/// A file on its way to its place; what is no regular file has no temporary one and waits with its bytes.
struct FileSet::Entry {
  std::filesystem::path path, place;
  std::vector<std::byte> bytes;
  Unfinished* temporary = nullptr;
  std::unique_ptr<FileDescriptor> file = nullptr;  // while it is written
};

FileSet::FileSet() = default;

FileSet::~FileSet() {
  for (const Entry& entry : entries_) {
    if (entry.temporary == nullptr || !entry.temporary->is_there) continue;
    ::unlink(entry.temporary->path.c_str());
    entry.temporary->is_there = false;
  }
  for (auto made = directories_.rbegin(); made != directories_.rend(); ++made) ::rmdir(made->c_str());
}

void FileSet::make_directory(const std::filesystem::path& path) {
  std::vector<std::filesystem::path> missing;
  std::error_code unknown;  // what cannot be looked at is left to mkdir(), which says why
  const std::filesystem::path whole = std::filesystem::absolute(path);
  for (std::filesystem::path place = whole; !std::filesystem::exists(place, unknown) && place.has_relative_path();
       place = place.parent_path()) {
    if (place.has_filename()) missing.push_back(place);
  }
  for (auto place = missing.rbegin(); place != missing.rend(); ++place) {
    if (::mkdir(place->c_str(), 0777) == 0) {
      directories_.push_back(*place);
    } else if (errno != EEXIST) {
      fail(path, "cannot be made", errno);
    }
  }
}

void FileSet::begin(const std::filesystem::path& path) {
  if (!entries_.empty()) end();
  std::error_code unknown;  // what cannot be looked at is left to open(), which says why
  const std::filesystem::file_status status = std::filesystem::status(path, unknown);
  if (std::filesystem::is_directory(status)) throw UserError(path.string(), "is a directory, expected a file name to write");
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    entries_.push_back({path, path, {}, nullptr});
    return;
  }
  const std::filesystem::path place = behind_links(path);
  static int64_t number = 0;  // the same place may be written twice, under two names
  std::string temporary = place.string() + fmt::format(".tmp{}_{}", ::getpid(), ++number);
  if (temporary.size() + 1 > kMaxPath) throw UserError(path.string(), "path is longer than {} bytes", kMaxPath);
  entries_.push_back({path, place, {}, note_unfinished(std::move(temporary))});
  const int file = ::open(entries_.back().temporary->path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) fail(path, "cannot be written", errno);
  entries_.back().file = std::make_unique<FileDescriptor>(file);
}

void FileSet::append(std::span<const std::byte> bytes) {
  Entry& entry = entries_.back();
  if (entry.temporary == nullptr) {
    entry.bytes.insert(entry.bytes.end(), bytes.begin(), bytes.end());
  } else if (const int error = write_all(*entry.file, bytes); error != 0) {
    fail(entry.path, "cannot be written", error);
  }
}

/// What was begun last is complete.
void FileSet::end() {
  Entry& entry = entries_.back();
  if (entry.file == nullptr) return;
  const std::unique_ptr<FileDescriptor> file = std::move(entry.file);
  if (file->close() != 0) fail(entry.path, "cannot be written", errno);
}

void FileSet::add(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  begin(path);
  append(bytes);
  end();
}

void FileSet::add_text(const std::filesystem::path& path, std::string_view text) {
  add(path, std::as_bytes(std::span(text.data(), text.size())));
}

void FileSet::commit() {
  if (!entries_.empty()) end();
  // A pipe or a device takes the bytes, as a rename would put a file in its place. They may refuse, so they come first: then
  // the files' old contents are still there.
  for (const Entry& entry : entries_) {
    if (entry.temporary != nullptr) continue;
    FileDescriptor file(::open(entry.path.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.get() < 0) fail(entry.path, "cannot be written", errno);
    if (const int error = write_and_close(file, entry.bytes); error != 0) fail(entry.path, "cannot be written", error);
  }
  for (const Entry& entry : entries_) {
    if (entry.temporary == nullptr || !entry.temporary->is_there) continue;
    if (::rename(entry.temporary->path.c_str(), entry.place.c_str()) != 0) fail(entry.path, "cannot be written", errno);
    entry.temporary->is_there = false;
  }
  entries_.clear();
  directories_.clear();
}

void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  FileSet files;
  files.add(path, bytes);
  files.commit();
}

void write_text_file(const std::filesystem::path& path, std::string_view text) {
  write_file(path, std::as_bytes(std::span(text.data(), text.size())));
}

bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code unknown;  // what cannot be looked at is not there
  const bool is_a_there = std::filesystem::exists(a, unknown), is_b_there = std::filesystem::exists(b, unknown);
  if (is_a_there != is_b_there) return false;
  if (is_a_there) return std::filesystem::is_regular_file(a, unknown) && std::filesystem::equivalent(a, b, unknown);
  const auto place = [&](const std::filesystem::path& path) {
    return std::filesystem::weakly_canonical(behind_links(std::filesystem::absolute(path)), unknown);
  };
  return place(a) == place(b);
}

void remove_unfinished_files() noexcept {
  for (const Unfinished* entry = all_unfinished; entry != nullptr; entry = entry->next) {
    if (entry->is_there) ::unlink(entry->path.c_str());
  }
}

std::string safe_file_name(std::string_view name) {
  constexpr size_t kLongest = 200;
  std::string result;
  for (const char c : name) {
    const bool keep =
        (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
    if (c == '.' && result.empty()) continue;
    result += keep ? c : '_';
  }
  result.resize(std::min(result.size(), kLongest));
  return result.empty() ? "_" : result;
}

}  // namespace vernier::base
