// SPDX-License-Identifier: Apache-2.0
// A job of one layer written by hand: commands with the cycles that they took, and what the layer's cycles count for.
#pragma once

#include "hw/package/command_codec.hpp"
#include "sim/explain/bound.hpp"
#include "sim/explain/bound_detail.hpp"
#include "sim/explain/savings.hpp"
#include "tests/support/stream_assembler.hpp"

#include <map>
#include <string>

namespace vernier::explain {

class MadeJob {
 public:
  explicit MadeJob(const char* preset = "v256") : stream_(config::preset_config(preset, "test")) { job_.layers.resize(1); }
  config::MachineConfig& config() { return stream_.package().config; }
  units::LayerCount& layer() { return job_.layers[0]; }

  /// In flight for `cycles`, of which `busy` are busy; `own` bytes moved.
  MadeJob& add(const spec::Command& command, int64_t busy, int64_t cycles, const timing::Traffic& own = {}) {
    stream_.add(command);
    units::CommandRecord record;
    record.layer_idx = 0;
    record.queue = command.header.queue;
    record.work = units::work_of(record.queue, own);
    record.start_cycle = 0;
    record.end_cycle = cycles;
    record.traffic = own;
    record.main = {0, cycles, cycles, {static_cast<uint32_t>(job_.shares.size()), 1}};
    job_.shares.push_back({kit::Bucket::busy(), busy});
    job_.commands.push_back(record);
    return *this;
  }
  /// The last command has them besides, in its main phase.
  MadeJob& stalls(timing::Stall stall, int64_t cycles) {
    job_.shares.push_back({kit::Bucket::stall(static_cast<size_t>(stall)), cycles});
    ++job_.commands.back().main.shares.count;
    job_.commands.back().main.end_cycle += cycles;
    job_.commands.back().main.own_cycles += cycles;
    job_.commands.back().end_cycle += cycles;
    return *this;
  }
  MadeJob& add(const spec::MacCommand& mac, int64_t busy) { return add({{spec::Queue::MacArray, 0, 0}, mac}, busy, busy); }
  MadeJob& add(const spec::VectorCommand& vector, int64_t busy) {
    return add({{spec::Queue::VectorUnit, 0, 0}, vector}, busy, busy);
  }
  MadeJob& counts(units::Cause cause, int64_t cycles) {
    layer().attributed_by[static_cast<size_t>(cause)] += cycles;
    layer().attributed_cycles += cycles;
    return *this;
  }
  MadeJob& counts(timing::Stall stall, int64_t cycles) {
    return counts(static_cast<units::Cause>(units::kFirstStallCause + static_cast<size_t>(stall)), cycles);
  }
  [[nodiscard]] std::vector<Saving> savings(int64_t job_cycles) {
    job_.cycles = job_cycles;
    return savings_of(0, job_, work_of_layers(stream_.package(), job_)[0], config());
  }
  [[nodiscard]] LayerBound bound() const { return bounds_of_layers(job_)[0]; }
  /// "compute: 9 of 16 taps"
  [[nodiscard]] std::string words() {
    const std::vector<LayerWork> work = work_of_layers(stream_.package(), job_);
    const std::string by = bound().bound_by;
    return by + ": " + bound_detail(layer(), by, work[0], config());
  }

 private:
  support::StreamAssembler stream_;
  soc::JobResult job_;
};

}  // namespace vernier::explain
