// SPDX-License-Identifier: Apache-2.0
// Processes that do one piece of work each, at the same time: a crash or a lack of memory ends one piece, not all of them.
// The work is done in a fork of this process, which goes on where start() returns true, and ends as the program ends.
#pragma once

#include <cstddef>
#include <string>
#include <sys/types.h>
#include <vector>

namespace vernier::cli {

/// Of those that this process may use.
size_t num_processors();

/// What became of a piece of work.
struct Finished {
  size_t idx = 0;
  int exit_code = 0;       // of the process, where it ended by itself
  int signal = 0;          // that ended it; else 0
  std::string output;      // what it sent
  std::string error_text;  // its standard error
};

class Workers {
 public:
  Workers() = default;
  /// Ends those that are still at work.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  [[nodiscard]] size_t num_running() const { return running_.size(); }
  /// Forks for the piece of work `idx`. True in the new process: its standard error is a pipe to this one, it prints
  /// nothing, and send() is for its result. False in this one. UserError where the system has no room for another process.
  bool start(size_t idx);
  /// In the new process: the result, at the end of the work.
  void send(const std::string& output) const;
  /// Waits until a process ends; one at least is at work.
  Finished wait();

 private:
  struct Running {
    pid_t pid = 0;
    int output_fd = -1, error_fd = -1;  // -1: at its end
    Finished finished;
  };
  void become_worker(int output_fd, int error_fd, pid_t parent);
  void read_some();
  static void take(int& fd, std::string& text);

  std::vector<Running> running_;
  int send_fd_ = -1;  // in a worker
};

/// Ends all workers at once. May be called from a signal handler.
void kill_workers();

}  // namespace vernier::cli
