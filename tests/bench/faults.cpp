// SPDX-License-Identifier: Apache-2.0
// Single faults in a machine that stays powered: bench_faults MODEL FAULTS SEED PROTECTION [MEMORY]. Each fault comes with a
// job of its own, through the firmware, and a job without a fault follows it. Prints a row of JSON for each kind of fault:
// how the jobs with one ended, what ended them, and how the jobs after them ended. Exit code 1: a fault made the device wait
// for ever, or a job after one gave wrong values.
#include "hw/base/error.hpp"
#include "sim/flow/look/accumulator_dump.hpp"
#include "sim/flow/model/ends.hpp"
#include "sim/flow/model/inputs.hpp"
#include "sim/flow/model/model.hpp"
#include "sim/flow/run/injection.hpp"
#include "sim/soc/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <random>

using namespace vernier;
using units::FaultSite;

namespace {

constexpr std::array kSites{FaultSite::Accumulator,  FaultSite::Weight,        FaultSite::Sram,
                            FaultSite::Command,      FaultSite::Token,         FaultSite::Dma,
                            FaultSite::BusAccess,    FaultSite::InterruptLost, FaultSite::InterruptSpurious,
                            FaultSite::DoorbellLost, FaultSite::NpuRegister,   FaultSite::CpuRegister,
                            FaultSite::Ram,          FaultSite::SharedMemory};
constexpr int64_t kWatchdogCycles = 20'000, kTimeOutCycles = 40'000;
/// Far more than either watchdog takes.
constexpr int64_t kForEverCycles = 8 << 20;
/// Of the control CPU's RAM: variables stand at its begin, the stack at its end.
constexpr int64_t kUsedRamBytes = 512;

/// Of one kind of fault.
struct Tally {
  int64_t tried = 0, nothing_live = 0, correct = 0, wrong = 0, endless = 0;
  int64_t later_correct = 0, later_detected = 0, later_wrong = 0, later_endless = 0;
  std::map<std::string, int64_t> detected;  // by what noticed it
};

enum class End : uint8_t { Correct, Wrong, Detected, Endless };

/// One network on one machine.
class Campaign {
 public:
  Campaign(package::Package package, const std::vector<base::Tensor>& inputs, uint64_t seed)
      : package_(std::move(package)), inputs_(inputs), random_(seed) {
    soc::Npu npu(package_.config, soc::Control::Cpu);
    soc::JobOptions options;
    clean_ = npu.run(package_, inputs_, options);
    if (!clean_.is_done()) throw base::InternalError("the network does not run without a fault");
  }

  void try_one(FaultSite site) {
    const units::Injection injection = draw(site);
    Tally& tally = tallies_[site];
    ++tally.tried;
    if (!device_) power_on();
    const Outcome first = run(injection);
    if (!first.is_injected) ++tally.nothing_live;
    if (first.end == End::Detected) ++tally.detected[first.cause];
    if (first.is_injected && first.end == End::Correct) ++tally.correct;
    if (first.end == End::Wrong) ++tally.wrong;
    if (first.end == End::Endless) ++tally.endless;
    // A host that learns of a failure of the firmware switches the machine off and on.
    if (first.end == End::Endless || !device_->failure().empty()) power_on();
    const End later = run({}).end;
    if (later == End::Correct) ++tally.later_correct;
    if (later == End::Detected) ++tally.later_detected;
    if (later == End::Wrong) ++tally.later_wrong;
    if (later == End::Endless) ++tally.later_endless;
    // What stays in variables of the firmware would make the next fault a second one.
    if (later != End::Correct || units::is_of_control_system(site)) device_.reset();
  }

  [[nodiscard]] const std::map<FaultSite, Tally>& tallies() const { return tallies_; }

 private:
  struct Outcome {
    End end = End::Correct;
    bool is_injected = false;
    std::string cause;
  };

  void power_on() {
    device_.reset();
    soc::DeviceOptions options;
    options.control = soc::Control::Cpu;
    device_ = std::make_unique<soc::Device>(package_.config, options);
    network_ = device_->load(package_);
  }

  int64_t below(int64_t limit) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(limit)); }

  /// What is in use, and now and then the rest.
  int64_t drawn_ram_byte() {
    const auto size_bytes = static_cast<int64_t>(spec::cpu_window(spec::CpuWindowId::Ram).size_bytes);
    const int64_t where = below(8);
    if (where == 0) return below(size_bytes);
    return where < 5 ? below(kUsedRamBytes) : size_bytes - 1 - below(kUsedRamBytes);
  }

  units::Injection draw(FaultSite site) {
    const soc::ControlUse& use = clean_.control.value();
    units::Injection injection{site, below(clean_.cycles), -1, {}, static_cast<int>(below(8))};
    if (units::is_of_control_system(site)) injection.cycle = below(use.submit_cycles + clean_.cycles + use.interrupt_cycles);
    switch (site) {
      case FaultSite::Accumulator: injection.bit = static_cast<int>(below(48)); [[fallthrough]];
      case FaultSite::Weight:
        injection.index = below(64);
        while ((injection.command_idx = flow::command_on_array(clean_, injection.cycle)) < 0)
          injection.cycle = below(clean_.cycles);
        break;
      case FaultSite::Sram: injection.index = below(clean_.sram_peak_bytes); break;
      case FaultSite::Command: injection.index = below(static_cast<int64_t>(package_.stream.size())); break;
      case FaultSite::InterruptLost:
      case FaultSite::InterruptSpurious: injection.index = 1 + below(spec::kNumInterruptSources - 1); break;
      case FaultSite::DoorbellLost: injection.index = below(2); break;
      case FaultSite::NpuRegister:
        injection.index = below(static_cast<int64_t>(spec::kRegisters.size()));
        injection.bit = static_cast<int>(below(32));
        break;
      case FaultSite::CpuRegister:
        injection.index = 1 + below(31);
        injection.bit = static_cast<int>(below(32));
        break;
      case FaultSite::Ram: injection.index = drawn_ram_byte(); break;
      case FaultSite::SharedMemory: injection.index = below(spec::kJobSlotsOffsetBytes + 2 * spec::kJobSlotBytes); break;
      default: injection.index = below(4); break;
    }
    return injection;
  }

  Outcome run(const std::optional<units::Injection>& injection) {
    soc::JobRequest request;
    request.network = network_;
    request.inputs = inputs_;
    request.watchdog_cycles = kWatchdogCycles;
    request.time_out_cycles = kTimeOutCycles;
    request.injection = injection;
    const int32_t number = device_->submit(std::move(request));
    const bool has_ended = device_->run_until_ended(number, kForEverCycles);
    if (!has_ended && device_->failure().empty()) return {End::Endless, true, ""};
    const soc::DeviceJob job = device_->take(number);
    Outcome outcome;
    outcome.is_injected = !injection || (job.result && job.result->injected);
    if (!device_->failure().empty()) return {End::Detected, true, cause_of(device_->failure())};
    if (job.outcome == spec::JobOutcome::Done) {
      outcome.end = job.result->outputs == clean_.outputs ? End::Correct : End::Wrong;
      outcome.is_injected = outcome.is_injected || outcome.end == End::Wrong;
      return outcome;
    }
    return {End::Detected, true, cause_of(job)};
  }

  static std::string cause_of(const soc::DeviceJob& job) {
    switch (job.outcome) {
      case spec::JobOutcome::Watchdog: return "watchdog of the NPU";
      case spec::JobOutcome::TimedOut: return "time-out by the firmware";
      case spec::JobOutcome::Refused: return "refused by the driver";
      case spec::JobOutcome::Cancelled: return "taken as cancelled";
      default: break;
    }
    const auto* fault = job.result ? std::get_if<soc::Fault>(&job.result->status) : nullptr;
    return fault == nullptr ? "another outcome" : fmt::format("NPU: {}", spec::to_string(fault->code));
  }
  /// Of the host, from the line that it prints.
  static std::string cause_of(const std::string& failure) {
    const auto says = [&](std::string_view what) { return failure.find(what) != std::string::npos; };
    if (says("watchdog of the system")) return "watchdog of the system";
    if (says("the firmware has failed")) return "trap or check of the firmware";
    if (says("firmware tells") || says("HEAD")) return "host: completion or HEAD that is not so";
    return "host: no answer of the firmware";
  }

  package::Package package_;
  std::vector<base::Tensor> inputs_;
  std::mt19937_64 random_;
  soc::JobResult clean_;
  std::unique_ptr<soc::Device> device_;
  int32_t network_ = 0;
  std::map<FaultSite, Tally> tallies_;
};

int run(const std::string& file, int64_t num_faults, uint64_t seed, const std::string& protection,
        const std::string& memory) {
  flow::MachineOptions machine;
  machine.sets["sram_protection"] = protection;
  machine.memory = memory;
  const flow::Model model = flow::load_model(file, machine);
  const package::Package package = flow::package_of(model, machine);
  Campaign campaign(package, flow::make_inputs(flow::ends_of(package).inputs, {}, 1, model.open_inputs), seed);
  for (int64_t i = 0; i < num_faults; ++i) campaign.try_one(kSites[static_cast<size_t>(i) % kSites.size()]);
  bool is_bad = false;
  for (const auto& [site, tally] : campaign.tallies()) {
    std::string detected;
    for (const auto& [cause, count] : tally.detected)
      detected += fmt::format("{}\"{}\": {}", detected.empty() ? "" : ", ", cause, count);
    fmt::print(
        R"({{"kind": "{}", "protection": "{}", "memory": "{}", "tried": {}, "nothing_live": {}, "correct": {}, )"
        R"("detected": {{{}}}, "wrong": {}, "endless": {}, "later_correct": {}, "later_detected": {}, "later_wrong": {}, )"
        R"("later_endless": {}}}
)",
        flow::kind_of(site), protection, memory, tally.tried, tally.nothing_live, tally.correct, detected, tally.wrong,
        tally.endless, tally.later_correct, tally.later_detected, tally.later_wrong, tally.later_endless);
    is_bad = is_bad || tally.endless + tally.later_wrong + tally.later_endless > 0;
  }
  return is_bad ? 1 : 0;
}

}  // namespace

extern "C" int sc_main(int argc, char** argv) {
  if (argc < 5) {
    fmt::print(stderr, "bench_faults MODEL FAULTS SEED none|parity [sram|weights-external|external]\n");
    return 2;
  }
  try {
    return run(argv[1], std::atoll(argv[2]), static_cast<uint64_t>(std::atoll(argv[3])), argv[4],
               argc > 5 ? argv[5] : "sram");
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_faults: {}\n", error.what());
    return 2;
  }
}
