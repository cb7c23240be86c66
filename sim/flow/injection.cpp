// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/injection.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "hw/package/range.hpp"
#include "hw/package/stream_commands.hpp"
#include "sim/flow/accumulator_dump.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace vernier::flow {
namespace {

using units::FaultSite;
using units::Injection;

constexpr std::array<std::string_view, 5> kKinds{"accumulator:bitflip", "weight:bitflip", "sram:bitflip", "command:bitflip",
                                                 "token:drop"};
constexpr int kByteBits = 8, kAccumulatorBits = 48;
/// Of a command's bytes, enough to find one of which a bit matters.
constexpr int64_t kMostCommandBytes = 16;

[[noreturn]] void refuse(const std::string& text) {
  throw base::UserError("--inject", "'{}' is not UNIT:KIND@CYCLE[:INDEX[:BIT]], UNIT:KIND is {}", text,
                        fmt::join(kKinds, ", "));
}

int64_t number_of(const std::string& text, std::string_view digits) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || value < 0) refuse(text);
  return value;
}

void require_below(std::string_view what, int64_t value, int64_t count) {
  if (value >= count) throw base::UserError("--inject", "{} {} is not there, allowed are 0 to {}", what, value, count - 1);
}

/// Which bytes of SRAM somebody still reads, as they are at the beginning of a cycle.
class LiveBytes {
 public:
  LiveBytes(const package::Package& package, const soc::JobResult& clean, int64_t cycle)
      : fate_(static_cast<size_t>(clean.sram_peak_bytes), Fate::Open) {
    struct Access {
      int64_t cycle;
      bool is_write;
      const package::Range* range;
    };
    std::vector<std::vector<package::Range>> ranges;
    for (const package::StreamCommand& placed : package::stream_commands(package))
      ranges.push_back(package::ranges_of(placed.command, package.config.datapath));
    std::vector<Access> accesses;
    for (size_t i = 0; i < ranges.size() && i < clean.commands.size(); ++i) {
      const units::CommandRecord& command = clean.commands[i];
      for (const package::Range& range : ranges[i]) {
        const int64_t at = range.is_write ? command.end_cycle : command.start_cycle;
        if (range.storage == package::Storage::Sram && at >= cycle) accesses.push_back({at, range.is_write, &range});
      }
    }
    // What ends in a cycle is written before anything that starts in it reads.
    std::stable_sort(accesses.begin(), accesses.end(), [](const Access& a, const Access& b) {
      return a.cycle != b.cycle ? a.cycle < b.cycle : a.is_write && !b.is_write;
    });
    for (const Access& access : accesses) decide(*access.range, access.is_write ? Fate::Overwritten : Fate::Read);
    for (const int32_t output : package.outputs) decide_output(package.tensors[output]);
  }
  [[nodiscard]] std::optional<int64_t> lowest() const {
    const auto found = std::find(fate_.begin(), fate_.end(), Fate::Read);
    return found == fate_.end() ? std::nullopt : std::optional<int64_t>(found - fate_.begin());
  }

 private:
  enum class Fate : uint8_t { Open, Read, Overwritten };
  void decide(const package::Range& range, Fate fate) {
    package::for_each_run(range, [&](int64_t offset, int64_t bytes) {
      for (int64_t i = offset; i < offset + bytes && i < static_cast<int64_t>(fate_.size()); ++i) {
        if (fate_[static_cast<size_t>(i)] == Fate::Open) fate_[static_cast<size_t>(i)] = fate;
      }
    });
  }
  /// The host reads outputs at the end.
  void decide_output(const package::TensorEntry& tensor) {
    if (tensor.placement.base.space != base::MemorySpace::Sram) return;
    const int64_t bytes = base::stored_bytes(tensor.type);
    for (int64_t i = 0; i < base::num_elements(tensor.shape); ++i) {
      const int64_t offset = package::offset_of(tensor.placement, base::coordinates_of(tensor.shape, i), tensor.type);
      for (int64_t b = offset; b < offset + bytes && b < static_cast<int64_t>(fate_.size()); ++b) {
        if (fate_[static_cast<size_t>(b)] == Fate::Open) fate_[static_cast<size_t>(b)] = Fate::Read;
      }
    }
  }
  std::vector<Fate> fate_;
};

/// Each bit of a byte, from below the sign down, or the one that is wanted.
void add_bits(InjectionPlan& plan, Injection injection, const std::optional<int>& wanted) {
  for (int bit = wanted.value_or(kByteBits - 2); bit >= wanted.value_or(0); --bit) {
    injection.bit = bit;
    plan.candidates.push_back(injection);
  }
}

void plan_sram(InjectionPlan& plan, Injection injection, const InjectionRequest& request, const package::Package& package,
               const soc::JobResult& clean) {
  if (request.index) require_below("byte", *request.index, package.config.sram_bytes);
  injection.index = request.index;
  if (!injection.index) injection.index = LiveBytes(package, clean, request.cycle).lowest();
  if (!injection.index) {
    plan.reason = "nobody reads SRAM any more";
    return;
  }
  add_bits(plan, injection, request.bit);
}

void plan_command(InjectionPlan& plan, Injection injection, const InjectionRequest& request, const package::Package& package,
                  const soc::JobResult& clean) {
  if (request.index) require_below("byte", *request.index, static_cast<int64_t>(package.stream.size()));
  const std::vector<package::StreamCommand> commands = package::stream_commands(package);
  for (size_t i = 0; i < commands.size(); ++i) {
    const int64_t begin = commands[i].offset_bytes, end = begin + commands[i].length_bytes;
    injection.command_idx = static_cast<int32_t>(i);
    if (request.index) {
      injection.index = request.index;
      if (*request.index < end) return add_bits(plan, injection, request.bit);
      continue;
    }
    // A command is fetched once the one before it was dispatched.
    if (i == 0 || clean.commands[i - 1].dispatch_cycle <= request.cycle) continue;
    for (int64_t byte = begin; byte < std::min(begin + kMostCommandBytes, end); ++byte) {
      injection.index = byte;
      add_bits(plan, injection, request.bit);
    }
    return;
  }
  plan.reason = "every command has been fetched";
}

}  // namespace

std::string_view kind_of(FaultSite site) { return kKinds[static_cast<size_t>(site)]; }

InjectionRequest parse_injection(const std::string& text) {
  const size_t at = text.find('@');
  if (at == std::string::npos) refuse(text);
  const auto kind = std::find(kKinds.begin(), kKinds.end(), std::string_view(text).substr(0, at));
  if (kind == kKinds.end()) {
    const std::vector<std::string> known(kKinds.begin(), kKinds.end());
    throw base::UserError("--inject", "'{}' is no fault, there are {}{}", text.substr(0, at), fmt::join(kKinds, ", "),
                          base::suggestion(text.substr(0, at), known));
  }
  InjectionRequest request;
  request.site = static_cast<FaultSite>(kind - kKinds.begin());
  std::vector<int64_t> numbers;
  for (size_t begin = at + 1; begin <= text.size();) {
    const size_t end = std::min(text.find(':', begin), text.size());
    numbers.push_back(number_of(text, std::string_view(text).substr(begin, end - begin)));
    begin = end + 1;
  }
  const bool has_bit = request.site != FaultSite::Token;
  if (numbers.empty() || numbers.size() > (has_bit ? 3U : 2U)) refuse(text);
  request.cycle = numbers[0];
  if (numbers.size() > 1) request.index = numbers[1];
  if (numbers.size() > 2) {
    require_below("bit", numbers[2], request.site == FaultSite::Accumulator ? kAccumulatorBits : kByteBits);
    request.bit = static_cast<int>(numbers[2]);
  }
  return request;
}

InjectionPlan plan_injection(const InjectionRequest& request, const package::Package& package, const soc::JobResult& clean) {
  if (request.cycle >= clean.cycles)
    throw base::UserError("--inject", "cycle {} is behind the end: the run has {} cycles", request.cycle, clean.cycles);
  InjectionPlan plan;
  Injection injection{request.site, request.cycle, -1, request.index, request.bit};
  switch (request.site) {
    case FaultSite::Accumulator:
    case FaultSite::Weight:
      injection.command_idx = command_on_array(clean, request.cycle);
      if (injection.command_idx < 0) {
        plan.reason = "no command is on the MAC array";
      } else {
        plan.candidates.push_back(injection);
      }
      break;
    case FaultSite::Sram: plan_sram(plan, injection, request, package, clean); break;
    case FaultSite::Command: plan_command(plan, injection, request, package, clean); break;
    case FaultSite::Token:
      injection.index = request.index.value_or(0);
      plan.candidates.push_back(injection);
      break;
  }
  return plan;
}

std::string to_string(const Injection& injection, const units::InjectedFault& fault) {
  switch (injection.site) {
    case FaultSite::Accumulator:
      return fmt::format("bit {} of sum {} of command {} is flipped on the MAC array", fault.bit, fault.index,
                         fault.command_idx);
    case FaultSite::Weight:
      return fmt::format("bit {} of byte {} of the weights of command {} is flipped for that command", fault.bit,
                         fault.index, fault.command_idx);
    case FaultSite::Sram:
      return fmt::format("bit {} of the byte at {} of SRAM is flipped in cycle {}", fault.bit, fault.index, injection.cycle);
    case FaultSite::Command:
      return fmt::format("bit {} of byte {} of the command stream, of command {}, is flipped in cycle {}", fault.bit,
                         fault.index, fault.command_idx, injection.cycle);
    case FaultSite::Token: return fmt::format("a token that command {} gives does not arrive", fault.command_idx);
  }
  return {};
}

}  // namespace vernier::flow
