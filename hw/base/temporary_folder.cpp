// SPDX-License-Identifier: Apache-2.0
#include "hw/base/temporary_folder.hpp"

#include "hw/base/error.hpp"

#include <cstdlib>
#include <string>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace vernier::base {
namespace {

/// The newest one; a signal handler walks the list.
TemporaryFolder* volatile first_folder = nullptr;

}  // namespace

TemporaryFolder::TemporaryFolder(const std::filesystem::path& parent, std::string_view prefix, std::string_view complaint)
    : owner_pid_(::getpid()), next_(first_folder) {
  std::string name = (parent / (std::string(prefix) + "XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) throw UserError(name, complaint);
  path_ = name;
  first_folder = this;
}

TemporaryFolder::~TemporaryFolder() {
  if (first_folder == this) {
    first_folder = next_;
  } else {
    TemporaryFolder* before = first_folder;
    while (before->next_ != this) before = before->next_;
    before->next_ = next_;
  }
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void TemporaryFolder::remove_all_of_process() noexcept {
  for (const TemporaryFolder* folder = first_folder; folder != nullptr; folder = folder->next_) {
    if (folder->owner_pid_ != ::getpid()) continue;
    // What walks a folder takes memory, which a signal handler may not: another program does it.
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::execl("/bin/rm", "rm", "-rf", "--", folder->path_.c_str(), nullptr);
      ::_exit(1);
    }
    if (pid > 0) ::waitpid(pid, nullptr, 0);
  }
}

}  // namespace vernier::base
