// SPDX-License-Identifier: Apache-2.0
// Whose values each command reads, and how many bytes of SRAM hold something that is still wanted: what a job did with
// memory, byte by byte, from the ranges of its commands (hw/package/range.hpp) and the cycles in which they ran.
//
// A byte is in use from the start of the command that writes it (what is there before the job: from cycle 0) to the end of
// the last command that reads it before it is written anew; what nobody reads, to the end of the command that writes it. Of
// outputs that lie in SRAM: to the end of the job. The command stream, where it lies in SRAM, is in use until the last
// command is dispatched. In-place work holds a byte once.
#pragma once

#include "hw/package/package.hpp"
#include "sim/soc/npu.hpp"

#include <cstdint>
#include <vector>

namespace vernier::explain {

/// From this cycle on, so many bytes.
struct BytesInUse {
  int64_t cycle = 0, bytes = 0;
  bool operator==(const BytesInUse&) const = default;
};

/// Bytes in SRAM or external memory that a command reads, and who wrote them.
struct DataSource {
  int32_t writer_idx = -1;
  int64_t bytes = 0;
  bool operator==(const DataSource&) const = default;
};

struct DataUse {
  std::vector<BytesInUse> sram;                  // from cycle 0 on, each figure another than the one before
  std::vector<std::vector<DataSource>> sources;  // by command: its writers in ascending order; not what no command wrote
};

/// Of the commands that started, in the order of JobResult::commands. Where the machine stopped, a command in flight is
/// taken to end with the job, and writes nothing.
DataUse data_use_of(const package::Package& package, const soc::JobResult& job);

}  // namespace vernier::explain
