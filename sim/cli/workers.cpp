// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/workers.hpp"

#include "hw/base/error.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace vernier::cli {
namespace {

/// For the signal handler, which can read nothing that grows.
constexpr size_t kMostWorkers = 1024;
std::array<std::atomic<pid_t>, kMostWorkers> worker_pids{};
static_assert(std::atomic<pid_t>::is_always_lock_free);

void note_pid(pid_t from, pid_t to) {
  for (auto& pid : worker_pids) {
    if (pid.compare_exchange_strong(from, to)) return;
  }
}

[[noreturn]] void refuse(const char* what) {
  throw base::UserError("--jobs", "{}: {}; a smaller N needs less", what, std::strerror(errno));
}

}  // namespace

size_t num_processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
  return static_cast<size_t>(std::max(1, CPU_COUNT(&allowed)));
}

void kill_workers() {
  // A worker ends by SIGTERM with what it has started and written; one that does not is killed.
  constexpr int kMostRounds = 100;
  constexpr timespec kRound{0, 10'000'000};
  for (const auto& slot : worker_pids) {
    if (const pid_t pid = slot.load(); pid > 0) ::kill(pid, SIGTERM);
  }
  int round = 0;
  for (const auto& slot : worker_pids) {
    const pid_t pid = slot.load();
    if (pid <= 0) continue;
    while (::waitpid(pid, nullptr, WNOHANG) == 0 && round++ < kMostRounds) ::nanosleep(&kRound, nullptr);
    ::kill(pid, SIGKILL);
  }
}

Workers::~Workers() {
  if (send_fd_ >= 0) return;  // this is a worker
  for (Running& running : running_) {
    ::kill(running.pid, SIGKILL);
    ::waitpid(running.pid, nullptr, 0);
    note_pid(running.pid, 0);
    for (const int fd : {running.output_fd, running.error_fd}) {
      if (fd >= 0) ::close(fd);
    }
  }
}

bool Workers::start(size_t idx) {
  VERNIER_CHECK(running_.size() < kMostWorkers, "{} workers", running_.size());
  std::array<int, 2> output{}, error{};
  if (::pipe2(output.data(), O_CLOEXEC) != 0) refuse("no pipe for another process");
  if (::pipe2(error.data(), O_CLOEXEC) != 0) {
    for (const int fd : output) ::close(fd);
    refuse("no pipe for another process");
  }
  std::fflush(nullptr);  // what is buffered would be written by both
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::close(output[0]);
    ::close(error[0]);
    become_worker(output[1], error[1], parent);
    return true;
  }
  ::close(output[1]);
  ::close(error[1]);
  if (pid < 0) {
    ::close(output[0]);
    ::close(error[0]);
    refuse("no room for another process");
  }
  note_pid(0, pid);
  running_.push_back({pid, output[0], error[0], {}});
  running_.back().finished.idx = idx;
  return false;
}

void Workers::become_worker(int output_fd, int error_fd, pid_t parent) {
  for (auto& pid : worker_pids) pid = 0;
  for (const Running& running : running_) {
    for (const int fd : {running.output_fd, running.error_fd}) {
      if (fd >= 0) ::close(fd);
    }
  }
  running_.clear();
  // Whatever ends the program ends its workers.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  ::dup2(error_fd, STDERR_FILENO);
  ::close(error_fd);
  if (const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC); nothing >= 0) {
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(nothing, STDOUT_FILENO);
    ::close(nothing);
  }
  send_fd_ = output_fd;
}

void Workers::send(const std::string& output) const {
  for (size_t sent = 0; sent < output.size();) {
    const ssize_t written = ::write(send_fd_, output.data() + sent, output.size() - sent);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw base::UserError("result", "cannot be sent: {}", std::strerror(errno));
    sent += static_cast<size_t>(written);
  }
}

/// Adds what there is to read; at its end the descriptor is closed.
void Workers::take(int& fd, std::string& text) {
  std::array<char, 65536> buffer{};
  const ssize_t size = ::read(fd, buffer.data(), buffer.size());
  if (size > 0) text.append(buffer.data(), static_cast<size_t>(size));
  if (size > 0 || (size < 0 && errno == EINTR)) return;
  ::close(fd);
  fd = -1;
}

/// Waits until something happens to a pipe.
void Workers::read_some() {
  std::vector<pollfd> watched;
  for (const Running& running : running_) {
    watched.push_back({running.output_fd, POLLIN, 0});
    watched.push_back({running.error_fd, POLLIN, 0});
  }
  if (::poll(watched.data(), watched.size(), -1) < 0) {
    VERNIER_CHECK(errno == EINTR, "poll: {}", std::strerror(errno));
    return;
  }
  for (size_t i = 0; i < running_.size(); ++i) {
    Running& running = running_[i];
    if (watched[2 * i].revents != 0) take(running.output_fd, running.finished.output);
    if (watched[2 * i + 1].revents != 0) take(running.error_fd, running.finished.error_text);
  }
}

Finished Workers::wait() {
  VERNIER_CHECK(!running_.empty(), "no worker to wait for");
  const auto has_ended = [](const Running& running) { return running.output_fd < 0 && running.error_fd < 0; };
  auto ended = running_.end();
  // Several may end in one read: those are looked at before the next.
  while ((ended = std::find_if(running_.begin(), running_.end(), has_ended)) == running_.end()) read_some();
  int status = 0;
  while (::waitpid(ended->pid, &status, 0) < 0 && errno == EINTR) {
  }
  note_pid(ended->pid, 0);
  Finished finished = std::move(ended->finished);
  finished.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  finished.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  running_.erase(ended);
  return finished;
}

}  // namespace vernier::cli
