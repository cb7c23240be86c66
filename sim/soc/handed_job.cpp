// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/handed_job.hpp"

#include "hw/spec/control_flow.hpp"

namespace vernier::soc {

HandedJob handed_job(const package::Package& package) {
  HandedJob job;
  job.stream = package.stream_address;
  job.stream_bytes = static_cast<int64_t>(package.stream.size());
  if (package.flow.steps.empty()) return job;
  job.stream = package.flow.table;
  job.stream_bytes = package::flow_table_bytes(package.flow);
  job.num_steps = static_cast<uint32_t>(job.stream_bytes / spec::kFlowStepBytes);
  job.most_commands = static_cast<uint32_t>(package.flow.most_commands);
  return job;
}

}  // namespace vernier::soc
