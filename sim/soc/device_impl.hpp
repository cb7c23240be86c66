// SPDX-License-Identifier: Apache-2.0
// What a Device is made of.
#pragma once

#include "sim/soc/device.hpp"
#include "sim/soc/machine.hpp"
#include "sim/soc/region_map.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace vernier::soc {

/// A network that is resident.
struct ResidentNetwork {
  ResidentNetwork(package::Package compiled, const PackageExtents& needed, NpuTop& top, const mem::RegionExtent& of_sram,
                  const mem::RegionExtent& of_external)
      : package(std::move(compiled)), extents(needed), sram(top.sram, of_sram), external(top.external, of_external) {}
  [[nodiscard]] JobMemory memory() { return {&sram, &external}; }

  package::Package package;
  PackageExtents extents;
  mem::Window sram, external;
  bool is_image_damaged = false;  // perhaps: a job of it went wrong
  bool writes_image = false;      // a command of it may write bytes of the image
  int32_t num_jobs = 0;           // that have not ended
};

/// A job of the device and what the machine has of it.
struct AcceptedJob {
  JobRequest request;
  DeviceJob record;
  JobOptions options;
  MachineJob machine_job;
  bool is_handed_over = false;
  bool has_left_variables = false;  // what it left is the network's
};

struct Device::Impl {
  Impl(const config::MachineConfig& config, DeviceOptions chosen)
      : options(std::move(chosen)),
        machine(config, std::make_unique<units::KernelDatapath>(config), options.control),
        sram_map(config.sram_bytes, int64_t{spec::kNumSramBanks} * config.datapath.lanes),
        external_map(spec::kMaxExternalBytes, spec::kExternalRegionAlignmentBytes) {}

  void forget_all();
  [[nodiscard]] int64_t now() const;
  [[nodiscard]] std::optional<int64_t> next_arrival() const;
  [[nodiscard]] AcceptedJob* best_waiting();
  [[nodiscard]] HandedJob handed(int32_t number, const AcceptedJob& job);
  void hand_over_arrived();
  void before_start(AcceptedJob& job);
  void take_variables(AcceptedJob& job);
  MachineJob* starting(uint32_t number);
  void end_job(int32_t number, AcceptedJob& job, spec::JobOutcome outcome, int64_t told_cycle);
  void collect_completions();
  void end_all_by_failure();
  bool step_direct(std::optional<int64_t> deadline_cycle);
  bool step_by_firmware(std::optional<int64_t> deadline_cycle);
  bool step(std::optional<int64_t> deadline_cycle) {
    return machine.control ? step_by_firmware(deadline_cycle) : step_direct(deadline_cycle);
  }
  AcceptedJob& job(int32_t number);
  ResidentNetwork& network(int32_t number);

  DeviceOptions options;
  Machine machine;
  RegionMap sram_map, external_map;
  std::map<int32_t, ResidentNetwork> networks;
  std::map<int32_t, AcceptedJob> jobs;  // those that nobody has taken
  int32_t num_networks = 0, num_jobs = 0;
  std::optional<int32_t> running;  // the job whose stream runs or ran last; Control::Direct
  int64_t last_sign_cycle = 0;     // of the firmware or of a job; Control::Cpu
  int64_t direct_cycle = 0;        // the time when no stream runs; Control::Direct
  bool has_system_fault = false;   // a job has had one: the firmware may say what is not so
  std::string failure;
};

}  // namespace vernier::soc
