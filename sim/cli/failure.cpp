// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/failure.hpp"

#include "hw/base/text.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/exit_code.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <variant>

namespace vernier::cli {

int report_failure(const std::string& file, const soc::JobResult& job) {
  if (const auto* fault = std::get_if<soc::Fault>(&job.status)) {
    print_text(stderr, fmt::format("vernier: {}: the simulated machine stopped at cycle {}: {}: {}\n", base::printable(file),
                                   job.cycles, spec::to_string(fault->code), base::printable(fault->detail)));
  } else if (const auto* hang = std::get_if<soc::Hang>(&job.status)) {
    print_text(stderr, fmt::format("vernier: {}: the simulated machine hangs at cycle {} ({}); who waits for whom:\n{}",
                                   base::printable(file), job.cycles, hang->is_watchdog ? "watchdog" : "no event left",
                                   hang->wait_for));
  } else if (const auto* failure = std::get_if<soc::FirmwareFailure>(&job.status)) {
    print_text(stderr, fmt::format("vernier: {}: {}\n", base::printable(file), failure->what));
  } else if (std::holds_alternative<soc::Stopped>(job.status)) {
    print_text(stderr, fmt::format("vernier: {}: the firmware ended the job after {} cycles, since its time was over\n",
                                   base::printable(file), job.cycles));
  } else if (const auto* limit = std::get_if<soc::LimitReached>(&job.status)) {
    print_text(stderr,
               fmt::format("vernier: {}: the firmware ended the job after {}: its limit is {}\n", base::printable(file),
                           base::counted(limit->num_commands, "command"), base::with_thousands(limit->most_commands)));
  }
  return kExitFault;
}

}  // namespace vernier::cli
