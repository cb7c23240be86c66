// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/signals.hpp"

#include "hw/base/file.hpp"
#include "hw/base/temporary_folder.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/workers.hpp"
#include "sim/flow/rtl/rtl_source.hpp"

#include <fmt/format.h>

#include <array>
#include <csignal>
#include <unistd.h>

namespace vernier::cli {
namespace {

extern "C" void stop_on_signal(int signal) {
  kill_workers();
  flow::kill_programs();
  base::remove_unfinished_files();
  base::TemporaryFolder::remove_all_of_process();
  const int code = signal == SIGTERM ? kExitTerminated : kExitInterrupted;
  // Ends the line of Progress; nobody is told if that fails.
  if (::isatty(STDERR_FILENO) != 0 && ::write(STDERR_FILENO, "\n", 1) < 0) ::_exit(code);
  ::_exit(code);
}

}  // namespace

void handle_signals() {
  std::signal(SIGINT, stop_on_signal);
  std::signal(SIGTERM, stop_on_signal);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

/// What can be done in a signal handler: the line is made where it stands, and files that are not finished go.
void end_endless_evaluation(std::string_view block, int64_t cycle) {
  std::array<char, 300> line{};
  const auto end = fmt::format_to_n(line.data(), line.size(),
                                    "vernier: --rtl: {}, cycle {}: an evaluation has not ended after {} s of processor "
                                    "time: the RTL loops inside a cycle\n",
                                    block, cycle, flow::kMostEvaluationSeconds)
                       .out;
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), static_cast<size_t>(end - line.data()));
  base::remove_unfinished_files();
  ::_exit(kExitFault);
}

}  // namespace vernier::cli
