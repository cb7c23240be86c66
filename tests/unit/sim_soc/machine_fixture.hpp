// SPDX-License-Identifier: Apache-2.0
// Runs hand-assembled packages and checks what must hold for every job, however it ended.
#pragma once

#include "sim/soc/npu.hpp"
#include "tests/support/stream_assembler.hpp"
#include "tests/unit/sim_soc/ledger.hpp"
#include "tests/unit/sim_soc/watched.hpp"

#include <catch2/catch.hpp>

#include <numeric>

namespace vernier::soc {

/// Phases lie within their command's flight, and their shares are their cycles.
inline void check_commands(const JobResult& result) {
  timing::Traffic sum;
  for (const units::CommandRecord& command : result.commands) {
    sum += command.traffic;
    if (command.end_cycle < 0 || command.work == units::Work::None) continue;
    for (const units::PhaseRecord& phase : {command.main, command.drain}) {
      int64_t cycles = 0;
      for (size_t i = phase.shares.first; i < size_t{phase.shares.first} + phase.shares.count; ++i) {
        CHECK(result.shares[i].cycles > 0);
        cycles += result.shares[i].cycles;
      }
      CHECK(cycles == phase.end_cycle - phase.start_cycle);
      CHECK(phase.own_cycles <= cycles);
    }
    const bool has_drain = command.drain.start_cycle >= 0;
    CHECK(command.main.start_cycle == command.start_cycle);
    CHECK((has_drain ? command.drain.end_cycle : command.main.end_cycle) == command.end_cycle);
    if (has_drain) CHECK(command.drain.start_cycle >= command.main.end_cycle);
  }
  CHECK(sum == result.traffic);
}

inline void check_sums(const JobResult& result) {
  CHECK(result.units.children().size() == 6);
  for (const kit::Statistics& unit : result.units.children()) {
    INFO("unit " << unit.name());
    CHECK(unit.sum() == result.cycles);
    for (const kit::Statistics::Counter& counter : unit.counters()) CHECK(counter.value >= 0);
  }
  int64_t attributed = 0;
  timing::Traffic sum;
  for (const units::LayerCount& layer : result.layers) {
    attributed += layer.attributed_cycles;
    sum.sram_read_bytes += layer.traffic.sram_read_bytes;
    sum.sram_write_bytes += layer.traffic.sram_write_bytes;
    sum.external_read_bytes += layer.traffic.external_read_bytes;
    sum.external_write_bytes += layer.traffic.external_write_bytes;
  }
  CHECK(attributed == result.cycles);
  CHECK(sum == result.traffic);
  check_commands(result);
}

inline config::MachineConfig v256() { return config::preset_config("v256", "test"); }

inline JobResult run(Npu& npu, support::StreamAssembler& stream, const JobOptions& options = {}) {
  waves::Recording recording;
  JobOptions watched = options;
  watched.watcher = &recording;
  JobResult result = npu.run(stream.package(), {}, watched);
  check_sums(result);
  Watched(stream.package(), npu.signals(), recording, result).check();
  if (result.is_done()) Ledger(stream.package(), result).check();
  return result;
}
/// On a machine of its own.
inline JobResult run(support::StreamAssembler& stream, const JobOptions& options = {}) {
  Npu npu(stream.package().config);
  return run(npu, stream, options);
}

inline std::string describe(const JobResult& result) {
  if (const auto* fault = std::get_if<Fault>(&result.status)) {
    return std::string(spec::to_string(fault->code)) + ": " + fault->detail;
  }
  if (const auto* hang = std::get_if<Hang>(&result.status)) return "hang: " + hang->wait_for;
  return "done";
}

inline void require_done(const JobResult& result) {
  INFO(describe(result));
  REQUIRE(result.is_done());
}
inline Fault require_fault(const JobResult& result, spec::FaultCode code) {
  INFO(describe(result));
  REQUIRE(std::holds_alternative<Fault>(result.status));
  const auto& fault = std::get<Fault>(result.status);
  REQUIRE(spec::to_string(fault.code) == spec::to_string(code));
  return fault;
}
inline std::vector<int> values_of(const base::Tensor& tensor) {
  std::vector<int> values;
  for (int64_t i = 0; i < tensor.size(); ++i) values.push_back(static_cast<int>(tensor.at(i)));
  return values;
}

}  // namespace vernier::soc
