// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/rtl/first_mismatch.hpp"

#include "sim/flow/look/first_difference.hpp"
#include "sim/flow/look/traces.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace vernier::flow {

MismatchLook look_into(const MismatchRequest& request, base::FileSet& files) {
  const cosim::NetworkResult& found = request.found;
  TraceOptions options;
  options.waves = {request.wave_file};
  Traces traces(options, request.package);
  const std::set<int32_t> commands = with_earlier_slices(request.package, found.first_command_different);
  RtlSession session = RtlBlocks(request.package.config.datapath, request.source)
                           .begin(request.package, {.seed = request.seed,
                                                    .has_pairs = false,
                                                    .drawn = commands,
                                                    .only = commands,
                                                    .first_cycle = found.first_different_cycle});
  soc::JobOptions job_options;
  job_options.watcher = traces.begin_job();
  const auto [job, hang] = session.run_job(request.inputs, job_options);
  const RtlOutcome rtl = std::move(session).finish();
  MismatchLook look{.window = window_around(job, found.first_command_different), .has_rtl = rtl.wave_notes().empty()};
  if (hang) look.hang = hang->what();  // what it does alone is not what it did after other commands
  traces.set_window(look.window);
  for (const cosim::RtlWave* wave : rtl.waves()) {
    if (!look.machine_cycle && found.first_place)
      look.machine_cycle = wave->machine_cycle_of(found.first_place->cycle, job.commands);
  }
  if (look.machine_cycle) look.rtl_cycle = found.first_place->cycle;
  traces.mark(look.machine_cycle.value_or(job.commands[found.first_command_different].start_cycle));
  if (found.first_place) traces.show_lane(found.first_place->lane);
  traces.add(files, rtl.signals(), job, rtl.waves());
  return look;
}

std::string to_text(const MismatchLook& look, const std::string& wave_file) {
  const std::string hang_text =
      look.hang ? fmt::format("the first command that differs, run once more alone: {}; ", *look.hang) : "";
  const std::string marker_text = look.machine_cycle ? fmt::format(", whose cycle {} of the RTL is cycle {} there (marker)",
                                                                   look.rtl_cycle.value(), *look.machine_cycle)
                                                     : "";
  return fmt::format(
      "{0}waves of cycles {1} to {2}, of the machine{3}, around the first mismatch{5}: gtkwave --dump {4} --save {4}.gtkw",
      hang_text, look.window.from_cycle, look.window.to_cycle,
      look.has_rtl ? " and of the RTL" : " (the RTL's would be too large)", wave_file, marker_text);
}

}  // namespace vernier::flow
