// SPDX-License-Identifier: Apache-2.0
// The sums that stand in the accumulators of the MAC array: after a command's last product, before bias and rescale. A
// command's sums are known as a whole; what they are in the middle of it is not modelled (D-022).
#pragma once

#include "hw/package/package.hpp"
#include "sim/flow/look/memory_dump.hpp"
#include "sim/soc/npu.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace vernier::flow {

/// The command whose sums grow on the array in that cycle of the job, else the one whose results leave it; -1: none.
int32_t command_on_array(const soc::JobResult& job, int64_t cycle);

/// Where in SRAM the command puts what becomes of sum number `index` of [out_row][out_column][out_channel].
int64_t output_address(const spec::MacCommand& mac, int64_t lanes, int64_t index);

struct AccumulatorDump {
  soc::JobResult job;
  /// int48; absent where the job ended before. The cycle is the one in which the last command ended.
  std::optional<DumpedTensor> sums;
};
/// Of one command, which is a MAC command: [out_rows, out_columns, out_channels], with the slices of its reduction before
/// it.
AccumulatorDump dump_command_sums(const package::Package& package, const std::vector<base::Tensor>& inputs,
                                  int32_t command_idx);
/// Of all elements of a tensor, in its shape, each from the command that ends its reduction.
AccumulatorDump dump_tensor_sums(const package::Package& package, const std::vector<base::Tensor>& inputs,
                                 int32_t tensor_idx);
/// Whether the MAC array makes the tensor: only then has it sums.
bool has_sums(const package::Package& package, int32_t tensor_idx);

}  // namespace vernier::flow
