// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/rtl/first_mismatch.hpp"

#include "sim/flow/look/first_difference.hpp"
#include "sim/flow/look/traces.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace vernier::flow {

std::string draw_first_mismatch(const std::string& file, base::FileSet& files, const package::Package& package,
                                const std::vector<base::Tensor>& inputs, uint64_t seed, const cosim::NetworkResult& found,
                                const RtlSource& source) {
  TraceOptions options;
  options.waves = {file};
  Traces traces(options, package);
  const std::set<int32_t> commands = with_earlier_slices(package, found.first_command_different);
  const RtlWork work{
      .seed = seed, .has_pairs = false, .drawn = commands, .only = commands, .first_cycle = found.first_different_cycle};
  RtlSession session = RtlBlocks(package.config.datapath, source).begin(package, work);
  soc::JobOptions job_options;
  job_options.watcher = traces.begin_job();
  const auto [job, hang] = session.run_job(inputs, job_options);
  // What it does alone is not what it did after other commands.
  const std::string hang_text =
      hang ? fmt::format("the first command that differs, run once more alone: {}; ", hang->what()) : "";
  const RtlOutcome rtl = std::move(session).finish();
  const waves::Window window = window_around(job, found.first_command_different);
  traces.set_window(window);
  std::optional<int64_t> marked;
  for (const cosim::RtlWave* wave : rtl.waves()) {
    if (!marked && found.first_place) marked = wave->machine_cycle_of(found.first_place->cycle, job.commands);
  }
  traces.mark(marked.value_or(job.commands[found.first_command_different].start_cycle));
  if (found.first_place) traces.show_lane(found.first_place->lane);
  traces.add(files, rtl.signals(), job, rtl.waves());
  return fmt::format(
      "{0}waves of cycles {1} to {2}, of the machine{3}, around the first mismatch{5}: gtkwave --dump {4} --save {4}.gtkw",
      hang_text, window.from_cycle, window.to_cycle,
      rtl.wave_notes().empty() ? " and of the RTL" : " (the RTL's would be too large)", file,
      marked ? fmt::format(", whose cycle {} of the RTL is cycle {} there (marker)", found.first_place->cycle, *marked)
             : "");
}

}  // namespace vernier::flow
