// SPDX-License-Identifier: Apache-2.0
// The MAC array: N x N multipliers, shadow weight tile, two accumulator banks, epilogue through rescale and table unit.
//
// Contract: hw/spec/command.hpp, MacCommand. Values come from the datapath, which keeps accumulators from a slice of a
// reduction to the next one of the same shape; a continued reduction without them is a fault. Timing:
// timing::profile(MacCommand): the main phase accumulates, the drain phase is the epilogue and overlaps the next main. Not
// modelled: collisions of banks between commands (D-005; the ports are shared, the banks are not).
#pragma once

#include "hw/timing/known_profiles.hpp"
#include "sim/units/datapath.hpp"
#include "sim/units/sram_unit.hpp"

namespace vernier::units {

class MacArray : public SramUnit {
 public:
  MacArray(const sc_core::sc_module_name& name, kit::JobClock& clock, const config::MachineConfig& config,
           DatapathIf& datapath);

  void reset() override;
  /// After reset(), before the job begins: a wrong bit in one command, of sums or weights.
  void inject(const Injection& injection) { injection_ = injection; }
  [[nodiscard]] const std::optional<InjectedFault>& injected() const { return injected_; }
  /// After reset(), before the job begins: who is told of the sums of each command with values.
  void observe_sums(SumsObserver observer) { sums_observer_ = std::move(observer); }

 protected:
  [[nodiscard]] timing::Profile profile(const spec::Command& command) override;
  [[nodiscard]] std::optional<CommandFault> check_state(const spec::Command& command) override;
  void sample(Running& running) override;
  void main_ended(const Running& running) override;

 private:
  struct KeptShape {
    int64_t rows = 0, columns = 0, channels = 0;
    bool operator==(const KeptShape&) const = default;
  };
  DatapathIf& datapath_;
  timing::KnownProfiles profiles_;
  std::optional<Injection> injection_;
  std::optional<InjectedFault> injected_;
  SumsObserver sums_observer_;
  /// Of the command in its main phase, where somebody wants them.
  std::vector<int64_t> sums_;
  kit::SignalId first_sum_, least_sum_, greatest_sum_;
  std::optional<KeptShape> kept_;  // what the last command to start leaves
};

}  // namespace vernier::units
