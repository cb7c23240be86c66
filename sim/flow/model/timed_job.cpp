// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/model/timed_job.hpp"

#include "sim/flow/model/ends.hpp"
#include "sim/flow/model/inputs.hpp"
#include "sim/soc/kept.hpp"

namespace vernier::flow {

soc::JobResult timed_job(const package::Package& package) {
  soc::JobOptions options;
  options.values = false;
  return soc::run_kept(package, zero_inputs(ends_of(package).inputs), options);
}

}  // namespace vernier::flow
