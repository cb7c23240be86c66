// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/run/failure.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"

#include <fmt/format.h>

namespace vernier::flow {
namespace {

/// After the name of the model.
struct StatusText {
  int64_t cycles;

  std::string operator()(const soc::Done& /*done*/) const { throw base::InternalError("a job that is done has not failed"); }
  std::string operator()(const soc::Fault& fault) const {
    return fmt::format("the simulated machine stopped at cycle {}: {}: {}", cycles, spec::to_string(fault.code),
                       base::printable(fault.detail));
  }
  std::string operator()(const soc::Hang& hang) const {
    std::string text = fmt::format("the simulated machine hangs at cycle {} ({}); who waits for whom:\n{}", cycles,
                                   hang.is_watchdog ? "watchdog" : "no event left", hang.wait_for);
    while (text.ends_with('\n')) text.pop_back();
    return text;
  }
  std::string operator()(const soc::FirmwareFailure& failure) const { return base::printable(failure.what); }
  std::string operator()(const soc::Stopped& /*stopped*/) const {
    return fmt::format("the firmware ended the job after {} cycles, since its time was over", cycles);
  }
  std::string operator()(const soc::LimitReached& limit) const {
    return fmt::format("the firmware ended the job after {}: its limit is {}", base::counted(limit.num_commands, "command"),
                       base::with_thousands(limit.most_commands));
  }
};

}  // namespace

Verdict Failure::verdict() const {
  const auto* rtl = std::get_if<RtlFailure>(&cause);
  return rtl != nullptr && rtl->is_consequence ? Verdict::Mismatch : Verdict::Fault;
}

std::vector<std::string> messages(const Failure& failure) {
  std::vector<std::string> lines;
  if (const auto* machine = std::get_if<MachineFailure>(&failure.cause)) {
    lines.push_back(
        fmt::format("{}: {}", base::printable(failure.subject), std::visit(StatusText{machine->cycles}, machine->status)));
    return lines;
  }
  if (const auto* reference = std::get_if<ReferenceFailure>(&failure.cause))
    return {fmt::format("{}: {}", base::printable(failure.subject), reference->what)};
  const auto& rtl = std::get<RtlFailure>(failure.cause);
  for (const std::string& mismatch : rtl.first_mismatches)
    lines.push_back(fmt::format("{}: mismatch: {}", failure.subject, mismatch));
  lines.push_back(fmt::format("{}: {}", failure.subject, rtl.what));
  return lines;
}

}  // namespace vernier::flow
