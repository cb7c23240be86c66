// SPDX-License-Identifier: Apache-2.0
// From what somebody asks for, a kind of fault in a cycle, to the faults that the machine can be given.
#pragma once

#include "hw/package/package.hpp"
#include "sim/soc/npu.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::flow {

/// `--inject UNIT:KIND@CYCLE[:INDEX[:BIT]]`.
struct InjectionRequest {
  units::FaultSite site = units::FaultSite::Accumulator;
  int64_t cycle = 0;
  std::optional<int64_t> index;
  std::optional<int> bit;
};

/// "accumulator:bitflip", ...
std::string_view kind_of(units::FaultSite site);
/// All of them, for people.
std::string kinds_text();
/// UserError naming --inject for a text that is no such request.
InjectionRequest parse_injection(const std::string& text);

/// Faults to try one after the other until one changes something: all but one bit is given in the request, or the lowest
/// live element and the bits below the sign. `clean` is the job without a fault. Empty, with `reason`, when nothing is live
/// there. UserError for a cycle behind the end, and an index or a bit that there is not. A fault of the control system wants
/// a job by its firmware.
struct InjectionPlan {
  std::vector<units::Injection> candidates;
  std::string reason;
};
InjectionPlan plan_injection(const InjectionRequest& request, const package::Package& package, const soc::JobResult& clean);

/// "bit 46 of accumulator 0 of command 12", for people.
std::string to_string(const units::Injection& injection, const units::InjectedFault& fault);

}  // namespace vernier::flow
