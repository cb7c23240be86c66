// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/block/child_process.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <initializer_list>
#include <map>
#include <string_view>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace vernier::cosim {
namespace {

namespace fs = std::filesystem;

/// For the signal handler, which can read nothing that grows.
constexpr size_t kMostPrograms = 1024;
std::array<std::atomic<pid_t>, kMostPrograms> program_pids{};
static_assert(std::atomic<pid_t>::is_always_lock_free);

void note_pid(pid_t from, pid_t to) {
  for (auto& pid : program_pids) {
    pid_t expected = from;
    if (pid.compare_exchange_strong(expected, to)) return;
  }
}

[[noreturn]] void refuse(const std::string& program) {
  throw base::UserError(program, "cannot be started: {}", std::strerror(errno));
}

/// A file that nobody else sees, for what a program says.
int output_file() {
  std::string name = (fs::temp_directory_path() / "vernier_output_XXXXXX").string();
  const int fd = ::mkostemp(name.data(), O_CLOEXEC);
  if (fd >= 0) ::unlink(name.c_str());
  return fd;
}

std::string read_all(int fd) {
  std::string text;
  std::array<char, 4096> piece{};
  ::lseek(fd, 0, SEEK_SET);
  for (ssize_t count = 0; (count = ::read(fd, piece.data(), piece.size())) > 0;)
    text.append(piece.data(), static_cast<size_t>(count));
  return text;
}

/// The child: nothing that takes a lock or memory.
[[noreturn]] void become(char* const* arguments, const char* folder, int output, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // whatever ends this program ends those that it waits for
  if (::getppid() != parent) ::_exit(1);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  if (::chdir(folder) == 0 && ::dup2(output, STDOUT_FILENO) >= 0 && ::dup2(output, STDERR_FILENO) >= 0) {
    const int none = ::open("/dev/null", O_RDONLY);
    if (none >= 0) ::dup2(none, STDIN_FILENO);
    ::execv(arguments[0], arguments);
  }
  constexpr int kNotStarted = 127;
  ::_exit(kNotStarted);
}

}  // namespace

std::optional<fs::path> find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(':'), rest.size());
    const fs::path candidate = fs::path(rest.substr(0, end)) / name;
    std::error_code unknown;
    if (end > 0 && fs::is_regular_file(candidate, unknown) && ::access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return std::nullopt;
}

std::string Finished::end_by_system() const {
  const auto says = [&](std::initializer_list<std::string_view> texts) {
    return std::ranges::any_of(texts, [&](std::string_view text) { return output.find(text) != std::string::npos; });
  };
  if (exit_code == 0) return {};
  // The wrapper of Verilator, the drivers of clang and of gcc.
  if (exit_code == 128 + SIGKILL ||
      says({"Verilator threw signal 9", "unable to execute command: Killed", "Killed signal terminated program"}))
    return "was killed by the system (signal 9), which does that where memory is short";
  if (says({"bad_alloc", "out of memory", "virtual memory exhausted", "Cannot allocate memory"})) return "ran out of memory";
  return {};
}

bool Finished::lacks_room() const {
  return exit_code != 0 && (output.find(std::strerror(ENOSPC)) != std::string::npos ||
                            output.find(std::strerror(EDQUOT)) != std::string::npos);
}

std::vector<Finished> run_all(const std::vector<std::vector<std::string>>& commands, const fs::path& folder, int jobs) {
  std::vector<Finished> finished(commands.size());
  struct Running {
    size_t idx;
    int output;
  };
  std::map<pid_t, Running> running;
  bool has_failed = false;
  const auto wait_for_one = [&] {
    int status = 0;
    const pid_t pid = ::wait(&status);
    const auto entry = running.find(pid);
    if (entry == running.end()) return;
    note_pid(pid, 0);
    Finished& result = finished[entry->second.idx];
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result.output = read_all(entry->second.output);
    ::close(entry->second.output);
    has_failed |= result.exit_code != 0;
    running.erase(entry);
  };
  for (size_t i = 0; i < commands.size() && !has_failed; ++i) {
    while (running.size() >= static_cast<size_t>(jobs) && !has_failed) wait_for_one();
    if (has_failed) break;
    std::vector<char*> arguments;
    for (const std::string& argument : commands[i]) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    const int output = output_file();
    if (output < 0) refuse(commands[i].front());
    std::fflush(nullptr);  // what is buffered would be written by both
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid == 0) become(arguments.data(), folder.c_str(), output, parent);
    if (pid < 0) {
      ::close(output);
      refuse(commands[i].front());
    }
    ::setpgid(pid, pid);  // here too: whoever comes first
    note_pid(0, pid);
    running.emplace(pid, Running{i, output});
  }
  while (!running.empty()) wait_for_one();
  return finished;
}

void kill_programs() noexcept {
  for (const auto& slot : program_pids) {
    const pid_t pid = slot.load();
    if (pid <= 0) continue;
    ::kill(-pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
}

Finished run_one(const std::vector<std::string>& command, const fs::path& folder) {
  return run_all({command}, folder, 1).front();
}

}  // namespace vernier::cosim
