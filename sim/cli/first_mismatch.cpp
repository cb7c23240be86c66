// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/first_mismatch.hpp"

#include "sim/cli/first_difference.hpp"
#include "sim/cli/traces.hpp"

#include <fmt/format.h>

#include <set>

namespace vernier::cli {

std::string draw_first_mismatch(const std::string& file, base::FileSet& files, const package::Package& package,
                                const std::vector<base::Tensor>& inputs, uint64_t seed, const cosim::NetworkResult& found,
                                const RtlSource& source) {
  TraceOptions options;
  options.waves = {file};
  Traces traces(options, package);
  RtlBackend rtl(package.config.datapath, kRunOnce, source);
  const std::set<int32_t> commands = with_earlier_slices(package, found.first_command_different);
  rtl.draw(commands);
  rtl.run_only(commands);
  rtl.count_from(found.first_different_cycle);
  soc::Npu npu(package.config, rtl.datapath(package, seed));
  soc::JobOptions job_options;
  job_options.watcher = traces.begin_job();
  soc::JobResult job;
  std::string hang_text;
  try {
    job = npu.run(package, inputs, job_options);
  } catch (const cosim::Hang& hang) {  // what it does alone is not what it did after other commands
    hang_text = fmt::format("the first command that differs, run once more alone: {}; ", hang.what());
    job = npu.stopped(package);
  }
  const waves::Window window = window_around(job, found.first_command_different);
  traces.set_window(window);
  std::vector<std::string> left_out;
  const std::vector<const cosim::RtlWave*> waves = rtl.finish_waves(left_out);
  std::optional<int64_t> marked;
  for (const cosim::RtlWave* wave : waves) {
    if (!marked && found.first_place) marked = wave->machine_cycle_of(found.first_place->cycle, job.commands);
  }
  traces.mark(marked.value_or(job.commands[found.first_command_different].start_cycle));
  if (found.first_place) traces.show_lane(found.first_place->lane);
  traces.add(files, npu.signals(), job, waves);
  return fmt::format(
      "{0}waves of cycles {1} to {2}, of the machine{3}, around the first mismatch{5}: gtkwave --dump {4} --save {4}.gtkw",
      hang_text, window.from_cycle, window.to_cycle,
      left_out.empty() ? " and of the RTL" : " (the RTL's would be too large)", file,
      marked ? fmt::format(", whose cycle {} of the RTL is cycle {} there (marker)", found.first_place->cycle, *marked)
             : "");
}

}  // namespace vernier::cli
