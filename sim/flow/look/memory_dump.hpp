// SPDX-License-Identifier: Apache-2.0
// What stands in the simulated memory while a job runs: tensors as the commands that make them end, and bytes of SRAM at the
// end of a cycle.
#pragma once

#include "hw/base/tensor.hpp"
#include "hw/package/boundary.hpp"
#include "hw/package/package.hpp"
#include "sim/soc/npu.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vernier::flow {

struct DumpedTensor {
  std::string name;
  base::Tensor values;
  int64_t unwritten_elems = 0;                            // that no command made, and that are 0 in `values`
  int64_t first_command_idx = -1, last_command_idx = -1;  // that made a part of it; -1: it was there at cycle 0
  int64_t last_cycle = 0;                                 // in which the last of them ended
  std::string what = "tensor";                            // how headings call it
  std::string note{};                                     // what else is to be known; empty: nothing
  std::optional<package::BoundaryEnd> codes{};            // how the source's codes lie in `values`; none: as they are

  /// A command made a part of it and ended in `cycle`. Commands may come in any order: pieces end as their queues do.
  void add_maker(int64_t command_idx, int64_t cycle);
};
struct TensorDump {
  soc::JobResult job;                 // a job that is not done has what was made until then
  std::vector<DumpedTensor> tensors;  // as asked for
};
/// Runs the package and keeps these tensors of it, by index of Package::tensors.
TensorDump dump_tensors(const package::Package& package, const std::vector<base::Tensor>& inputs,
                        const std::vector<int32_t>& tensor_idxs);
/// Whether it is an input or a command of the package makes it: only then does dump_tensors() have it.
bool is_dumped(const package::Package& package, int32_t tensor_idx);

struct SramDump {
  soc::JobResult job;
  int64_t from_bytes = 0;
  std::vector<std::byte> bytes;  // from there on; empty where the job ended before the cycle
  std::vector<bool> is_written;  // by byte: at cycle 0 or by a command that has ended
};
/// SRAM from `from_bytes` to before `to_bytes`, which lie inside, at the end of a cycle: what commands that end in it write
/// is there. Runs the package twice, first without values to know when commands end.
SramDump dump_sram(const package::Package& package, const std::vector<base::Tensor>& inputs, int64_t from_bytes,
                   int64_t to_bytes, int64_t cycle);

}  // namespace vernier::flow
