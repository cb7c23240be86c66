// SPDX-License-Identifier: Apache-2.0
// A run of one of the streams of a job with control flow.
#pragma once

#include <cstdint>

namespace vernier::soc {

/// One run of a stream by a job with control flow.
struct StreamRun {
  int32_t stream = 0;        // of the package
  int32_t step = 0;          // of the package's steps
  int64_t first_record = 0;  // of JobResult::commands; the records up to those of the next run are its own
  int64_t start_cycle = 0;   // of JobResult::cycles
  int64_t cycles = 0;
  int64_t wait_cycles = 0;  // from the end of the stream before it to its start, in which the firmware chose it; the NPU's
                            // clock does not count them
  bool operator==(const StreamRun&) const = default;
};

}  // namespace vernier::soc
