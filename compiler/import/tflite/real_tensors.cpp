// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/real_tensors.hpp"

#include <numeric>
#include <utility>

namespace vernier::import::lite {

std::vector<RealTensor> real_tensors(const LiteNetwork& network, const LiteLowering& lowering, const ir::Graph& graph) {
  std::vector<RealTensor> result;
  for (size_t i = 0; i < network.tensors.size(); ++i) {
    const LiteTensor& tensor = network.tensors[i];
    const auto id = lowering.find(static_cast<int32_t>(i));
    if (!id || tensor.is_constant || tensor.scales.size() != 1 || graph.tensor(*id).shape != tensor.shape) continue;
    std::vector<int64_t> order(tensor.shape.size());
    std::iota(order.begin(), order.end(), 0);
    result.push_back(
        {tensor.name, graph.tensor(*id).name, tensor.shape, std::move(order), {scale_of(tensor)}, tensor.zero_points, 0});
  }
  return result;
}

}  // namespace vernier::import::lite
