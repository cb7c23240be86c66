// SPDX-License-Identifier: Apache-2.0
// The `vernier` executable: parses, dispatches, and turns the three kinds of error into one line and an exit code.
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/other_commands.hpp"
#include "sim/cli/run_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <new>
#include <string>
#include <unistd.h>

namespace vernier::cli {
namespace {

/// Ctrl-C leaves no half file.
extern "C" void stop_on_signal(int /*signal*/) {
  base::remove_unfinished_files();
  // Ends the line of Progress; nobody is told if that fails.
  if (::isatty(STDERR_FILENO) != 0 && ::write(STDERR_FILENO, "\n", 1) < 0) ::_exit(kExitInterrupted);
  ::_exit(kExitInterrupted);
}

/// Names in messages come from the user's files and may hold anything.
std::string on_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, '?');
  return text;
}

struct Dispatch {
  int operator()(const PrintAndExit& command) const {
    print_text(stdout, command.text);
    return kExitSuccess;
  }
  int operator()(const RunOptions& command) const { return run(command); }
  int operator()(const CompileCommand& command) const { return compile(command); }
  int operator()(const DisasmCommand& command) const { return disasm(command); }
  int operator()(const InspectCommand& command) const { return inspect(command); }
  int operator()(const ConfigCommand& command) const { return config(command); }
};

int run_program(int argc, char** argv) {
  std::signal(SIGINT, stop_on_signal);
  std::signal(SIGTERM, stop_on_signal);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file over the limit is a failed write like any other
  try {
    return std::visit(Dispatch{}, parse_command_line(argc, argv));
  } catch (const base::UserError& error) {
    fmt::print(stderr, "vernier: {}\n", on_one_line(error.what()));
    return kExitBadInput;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "vernier: out of memory\n");
    return kExitInternal;
  } catch (const std::exception& error) {
    fmt::print(stderr, "vernier: {}\n", on_one_line(error.what()));
    return kExitInternal;
  }
}

}  // namespace
}  // namespace vernier::cli

/// SystemC's library asks for this name; nothing of ours calls it.
extern "C" int sc_main(int argc, char** argv) { return vernier::cli::run_program(argc, argv); }

int main(int argc, char** argv) { return vernier::cli::run_program(argc, argv); }
