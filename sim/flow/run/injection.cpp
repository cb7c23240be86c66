// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/run/injection.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "hw/package/range.hpp"
#include "hw/package/stream_commands.hpp"
#include "hw/spec/control_system.hpp"
#include "hw/spec/registers.hpp"
#include "sim/flow/look/accumulator_dump.hpp"
#include "sim/riscv/cpu.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace vernier::flow {
namespace {

using units::FaultSite;
using units::Injection;

constexpr int kByteBits = 8, kAccumulatorBits = 48, kWordBits = 32;

/// What a request of a site may say.
struct Kind {
  std::string_view name;
  int bits = 0;                 // that one may choose from; 0: it has none
  int64_t least_index = 0;      // of those of the control system, whose INDEX has a range
  int64_t most_index = 0;       // 0: no range
  std::string_view index = "";  // what INDEX is; empty: it need not be given
};
/// By FaultSite.
constexpr std::array<Kind, 14> kKinds{{
    {"accumulator:bitflip", kAccumulatorBits},
    {"weight:bitflip", kByteBits},
    {"sram:bitflip", kByteBits},
    {"command:bitflip", kByteBits},
    {"token:drop"},
    {"dma:error"},
    {"bus:error"},
    {"interrupt:lost", 0, 1, spec::kNumInterruptSources - 1, "a source of interrupts"},
    {"interrupt:spurious", 0, 1, spec::kNumInterruptSources - 1, "a source of interrupts"},
    {"doorbell:lost", 0, 0, 1, "0, the host's, or 1, the firmware's"},
    {"register:bitflip", kWordBits, 0, spec::kRegisters.size() - 1, "the number of a register of the NPU"},
    {"cpu:bitflip", kWordBits, 1, riscv::Cpu::kNumRegisters - 1, "a register of the control CPU"},
    {"ram:bitflip", kByteBits, 0, spec::cpu_window(spec::CpuWindowId::Ram).size_bytes - 1,
     "a byte of the control CPU's RAM"},
    {"shared:bitflip", kByteBits, 0, spec::cpu_window(spec::CpuWindowId::Shared).size_bytes - 1,
     "a byte of the shared memory"},
}};
static_assert(kKinds.size() == static_cast<size_t>(FaultSite::SharedMemory) + 1);

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const Kind& kind : kKinds) names.emplace_back(kind.name);
  return names;
}

const Kind& kind_at(FaultSite site) { return kKinds[static_cast<size_t>(site)]; }
/// Of a command's bytes, enough to find one of which a bit matters.
constexpr int64_t kMostCommandBytes = 16;

[[noreturn]] void refuse(const std::string& text) {
  throw base::UserError("--inject", "'{}' is not UNIT:KIND@CYCLE[:INDEX[:BIT]], UNIT:KIND is {}", text,
                        fmt::join(kind_names(), ", "));
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
    for (const int32_t output : package::tensors_after(package)) decide_output(package.tensors[output]);
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

/// Each bit, from below the sign down, or the one that is wanted.
void add_bits(InjectionPlan& plan, Injection injection, const std::optional<int>& wanted) {
  for (int bit = wanted.value_or(kind_at(injection.site).bits - 2); bit >= wanted.value_or(0); --bit) {
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

/// Cycles from the release of the control CPU until the host knows that the job has ended.
int64_t cycles_with_firmware(const soc::JobResult& clean) {
  const soc::ControlUse& use = clean.control.value();
  return use.boot_cycles + use.submit_cycles + clean.cycles + use.interrupt_cycles;
}

/// What was asked for, of sites where nothing has to be looked for.
void plan_as_asked(InjectionPlan& plan, Injection injection, const InjectionRequest& request) {
  injection.index = request.index.value_or(0);
  if (kind_at(request.site).bits > 0) return add_bits(plan, injection, request.bit);
  plan.candidates.push_back(injection);
}

/// Interrupt sources and doorbells by their names.
constexpr std::array<std::string_view, spec::kNumInterruptSources> kSources{"none", "the NPU", "CPU_DOORBELL",
                                                                            "the performance counters"};

std::string text_in_control_system(const Injection& injection, const units::InjectedFault& fault) {
  const auto index = static_cast<size_t>(fault.index);
  const std::string when = fmt::format("in cycle {} of the control CPU", injection.cycle);
  switch (injection.site) {
    case FaultSite::BusAccess:
      return fmt::format("an access of the control CPU gets a bus error from cycle {} on", injection.cycle);
    case FaultSite::InterruptLost:
      return fmt::format("an interrupt of {} is lost from cycle {} on", kSources[index], injection.cycle);
    case FaultSite::InterruptSpurious: return fmt::format("a spurious interrupt of {} comes {}", kSources[index], when);
    case FaultSite::DoorbellLost:
      return fmt::format("a doorbell of the {} is lost from cycle {} on", index == 0 ? "host" : "firmware", injection.cycle);
    case FaultSite::NpuRegister:
      return fmt::format("bit {} of the NPU's register {} is flipped {}", fault.bit, spec::kRegisters[index].name, when);
    case FaultSite::CpuRegister: return fmt::format("bit {} of x{} is flipped {}", fault.bit, index, when);
    case FaultSite::Ram:
      return fmt::format("bit {} of byte {} of the control CPU's RAM is flipped {}", fault.bit, index, when);
    default: return fmt::format("bit {} of byte {} of the shared memory is flipped {}", fault.bit, index, when);
  }
}

void require_index(const InjectionRequest& request) {
  const Kind& kind = kind_at(request.site);
  if (kind.index.empty()) return;
  if (request.index && *request.index >= kind.least_index && *request.index <= kind.most_index) return;
  const std::string found = request.index ? fmt::format("has INDEX {}", *request.index) : "has no INDEX";
  throw base::UserError("--inject", "{} {}, expected {} to {}: {}", kind.name, found, kind.least_index, kind.most_index,
                        kind.index);
}

}  // namespace

std::string_view kind_of(FaultSite site) { return kind_at(site).name; }

std::string kinds_text() { return fmt::format("{}", fmt::join(kind_names(), ", ")); }

InjectionRequest parse_injection(const std::string& text) {
  const size_t at = text.find('@');
  if (at == std::string::npos) refuse(text);
  const std::vector<std::string> names = kind_names();
  const auto kind = std::find(names.begin(), names.end(), text.substr(0, at));
  if (kind == names.end()) {
    throw base::UserError("--inject", "'{}' is no fault, there are {}{}", text.substr(0, at), fmt::join(names, ", "),
                          base::suggestion(text.substr(0, at), names));
  }
  InjectionRequest request;
  request.site = static_cast<FaultSite>(kind - names.begin());
  std::vector<int64_t> numbers;
  for (size_t begin = at + 1; begin <= text.size();) {
    const size_t end = std::min(text.find(':', begin), text.size());
    numbers.push_back(number_of(text, std::string_view(text).substr(begin, end - begin)));
    begin = end + 1;
  }
  const int bits = kind_at(request.site).bits;
  if (numbers.empty() || numbers.size() > (bits > 0 ? 3U : 2U)) refuse(text);
  request.cycle = numbers[0];
  if (numbers.size() > 1) request.index = numbers[1];
  require_index(request);
  if (numbers.size() > 2) {
    require_below("bit", numbers[2], bits);
    request.bit = static_cast<int>(numbers[2]);
  }
  return request;
}

InjectionPlan plan_injection(const InjectionRequest& request, const package::Package& package, const soc::JobResult& clean) {
  const int64_t num_cycles = units::is_of_control_system(request.site) ? cycles_with_firmware(clean) : clean.cycles;
  if (request.cycle >= num_cycles)
    throw base::UserError("--inject", "cycle {} is behind the end: the run has {} cycles", request.cycle, num_cycles);
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
    default: plan_as_asked(plan, injection, request); break;
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
    case FaultSite::Dma: return fmt::format("a copy after cycle {} gets a bus error", injection.cycle);
    default: return text_in_control_system(injection, fault);
  }
}

}  // namespace vernier::flow
