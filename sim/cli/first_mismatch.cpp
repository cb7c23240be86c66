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
  traces.mark(job.commands[static_cast<size_t>(found.first_command_different)].start_cycle);
  traces.set_window(window);
  std::vector<std::string> left_out;
  traces.add(files, npu.signals(), job, rtl.finish_waves(left_out));
  return fmt::format(
      "{0}waves of cycles {1} to {2}, of the machine{3}, around the first mismatch: gtkwave --dump {4} --save {4}.gtkw",
      hang_text, window.from_cycle, window.to_cycle,
      left_out.empty() ? " and of the RTL" : " (the RTL's would be too large)", file);
}

}  // namespace vernier::cli
