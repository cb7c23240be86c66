// SPDX-License-Identifier: Apache-2.0
// Programs that are started for their outcome: Verilator, a C++ compiler. Found by PATH, without a shell.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace vernier::cosim {

/// Where PATH has a program of that name; empty: nowhere.
std::optional<std::filesystem::path> find_program(const std::string& name);

struct Finished {
  int exit_code = 0;   // 128 + the signal where one ended it
  std::string output;  // standard output and standard error, in the order in which they came
  /// Where the computer ended it, not a mistake in what it read, what became of it: "was killed by the system ..."; else
  /// empty. Verilator and clang start other programs, and say what ended those.
  [[nodiscard]] std::string end_by_system() const;
  /// Whether it says that there is no room for a file.
  [[nodiscard]] bool lacks_room() const;
};
/// Runs each command line (the program first) in `folder`, at most `jobs` at the same time, and waits for all; after one
/// that fails no further one is started. UserError where a program cannot be started.
std::vector<Finished> run_all(const std::vector<std::vector<std::string>>& commands, const std::filesystem::path& folder,
                              int jobs);
/// Each program is the head of a process group of its own, so that kill_programs() ends what it has started too.
Finished run_one(const std::vector<std::string>& command, const std::filesystem::path& folder);

/// Ends the programs that run, with all that they have started, and waits until they are gone. May be called from a signal
/// handler.
void kill_programs() noexcept;

}  // namespace vernier::cosim
