// SPDX-License-Identifier: Apache-2.0
// The waves and timelines of a run: what watches the machine, and the files that come of it.
#pragma once

#include "hw/base/file.hpp"
#include "hw/package/package.hpp"
#include "sim/cosim/network/rtl_wave.hpp"
#include "sim/flow/files/places.hpp"
#include "sim/flow/look/trace_options.hpp"
#include "sim/soc/npu.hpp"
#include "sim/timeline/cpu_activity.hpp"
#include "sim/waves/recording.hpp"
#include "sim/waves/view_groups.hpp"
#include "sim/waves/wave.hpp"

#include <optional>
#include <span>
#include <vector>

namespace vernier::flow {

/// UserError unless each file has an ending that is known, in a folder that is there and can be written.
void check_trace_places(const TraceOptions& options);
/// The files that add_traces() writes.
std::vector<Place> trace_places(const TraceOptions& options);

class Traces {
 public:
  /// UserError for a layer that the package does not have.
  Traces(const TraceOptions& options, const package::Package& package);
  /// Who is to watch the next job; nullptr when nothing is asked for.
  kit::SignalObserver* begin_job();
  /// The job is started by a control CPU: the files have what it does. `firmware` outlives this.
  void watch_cpu(const soc::FirmwareProgram& firmware) { cpu_.emplace(firmware); }
  /// Null: nobody is to be told of the CPU's instructions.
  [[nodiscard]] timeline::CpuActivity* cpu() { return cpu_ ? &*cpu_ : nullptr; }
  /// Views have a marker there.
  void mark(int64_t cycle) { markers_.push_back(cycle); }
  /// Views have the signals of that lane of RTL.
  void show_lane(int lane) { rtl_view_.lane = lane; }
  /// Instead of what the options say.
  void set_window(const waves::Window& window) { window_ = window; }
  /// The cycles of a job that waves are of. UserError for a window beyond its end. Of a job that stopped early, those of
  /// them that it came to; none, the last ones before it stopped.
  [[nodiscard]] waves::Window window_of(const soc::JobResult& job) const;
  /// The files of that job, which may have stopped anywhere, with the wave of `rtl` where there is one. UserError for what
  /// the run does not have: a window beyond its end, a scope without signals.
  void add(base::FileSet& files, const std::vector<kit::Signal>& signals, const soc::JobResult& job,
           std::span<const cosim::RtlWave* const> rtl = {}) const;

 private:
  void add_waves(base::FileSet& files, const std::vector<kit::Signal>& signals, const soc::JobResult& job,
                 std::span<const cosim::RtlWave* const> rtl, std::span<const timeline::CpuStretch> cpu) const;
  const TraceOptions& options_;
  const package::Package& package_;
  std::vector<std::string> layer_names_, short_names_;
  std::optional<int64_t> layer_idx_;
  std::optional<waves::Window> window_;
  std::vector<int64_t> markers_;
  waves::RtlView rtl_view_;
  std::optional<waves::Recording> recording_;
  std::optional<timeline::CpuActivity> cpu_;
};

}  // namespace vernier::flow
