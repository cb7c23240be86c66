// SPDX-License-Identifier: Apache-2.0
// The vector unit: N lanes of 32 bit, 16 registers, microprograms looped over vectors.
//
// Contract: hw/spec/command.hpp, VectorCommand. Values come from the datapath.
// Timing: timing::profile(VectorCommand); its MUL and RESCALE steps use the rescale unit, its TABLE steps the table unit,
// after the epilogue of the array (D-021). Registers have a port for each step of a cycle.
#pragma once

#include "hw/timing/known_profiles.hpp"
#include "sim/units/datapath.hpp"
#include "sim/units/sram_unit.hpp"

namespace vernier::units {

class VectorUnit : public SramUnit {
 public:
  VectorUnit(const sc_core::sc_module_name& name, kit::JobClock& clock, const config::MachineConfig& config,
             DatapathIf& datapath);

 protected:
  [[nodiscard]] timing::Profile profile(const spec::Command& command) override;
  [[nodiscard]] std::optional<CommandFault> check_state(const spec::Command& command) override;
  void sample(Running& running) override;

 private:
  DatapathIf& datapath_;
  timing::KnownProfiles profiles_;
};

}  // namespace vernier::units
