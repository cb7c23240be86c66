// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/dead_region.hpp"

#include <memory>

namespace vernier::emit {

ir::Graph dead_region(const ir::Graph& region) {
  ir::Graph zeros;
  for (const ir::TensorId id : region.inputs) {
    zeros.inputs.push_back(static_cast<ir::TensorId>(zeros.tensors.size()));
    zeros.tensors.push_back(region.tensor(id));
  }
  for (const ir::TensorId id : region.outputs) {
    const ir::TensorInfo& info = region.tensor(id);
    zeros.outputs.push_back(static_cast<ir::TensorId>(zeros.tensors.size()));
    zeros.tensors.push_back({info.name, info.type, info.shape, std::make_shared<const base::Tensor>(info.type, info.shape)});
  }
  return zeros;
}

}  // namespace vernier::emit
