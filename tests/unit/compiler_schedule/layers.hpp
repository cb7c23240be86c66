// SPDX-License-Identifier: Apache-2.0
// Layers that the networks of these tests are made of.
#pragma once

#include "tests/support/graph_builder.hpp"

#include <cstdint>
#include <vector>

namespace vernier::schedule {

/// Stride 1, padded to keep rows and columns, rescaled to int8.
inline tests::GraphBuilder::TensorId convolution(tests::GraphBuilder& b, tests::GraphBuilder::TensorId x, int64_t channels,
                                                 int64_t kernel) {
  using tests::ElementType;
  const auto weight = b.constant(
      tests::random_tensor(ElementType::Int8, {channels, kernel, kernel, b.shape_of(x)[3]}, static_cast<uint64_t>(kernel)));
  const auto bias = b.constant(ElementType::Int32, {channels}, std::vector<int64_t>(static_cast<size_t>(channels), 7));
  const int64_t pad = kernel / 2;
  const auto sums = b.conv2d(x, weight, bias, {{pad, pad, pad, pad}, {1, 1}, {1, 1}, 0, 0});
  return b.rescale(sums, ElementType::Int8, {{1 << 30}, {40}, 0, 0, {}});
}

/// 3x3, stride 1, padded to keep rows and columns.
inline tests::GraphBuilder::TensorId max_pool(tests::GraphBuilder& b, tests::GraphBuilder::TensorId x) {
  return b.op(ir::OpKind::MaxPool2d, {x}, b.type_of(x), b.shape_of(x),
              ir::PoolAttributes{{3, 3}, {1, 1}, {1, 1, 1, 1}, tests::ElementType::Int8});
}

}  // namespace vernier::schedule
