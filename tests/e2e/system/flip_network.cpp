// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/system/flip_network.hpp"

#include "tests/support/graph_builder.hpp"

namespace vernier::tests {
namespace {

using TensorId = ir::TensorId;
constexpr auto kInt8 = ElementType::Int8;
constexpr auto kInt32 = ElementType::Int32;

class Network {
 public:
  GraphBuilder b;

  /// A convolution with its per-channel RESCALE and CLAMP under one location.
  TensorId conv(const std::string& name, TensorId x, const Shape& weight_shape, bool depthwise, int64_t pad, int64_t shift) {
    b.set_location(name);
    const int64_t channels = depthwise ? weight_shape[2] * weight_shape[3] : weight_shape[0];
    const TensorId weight = b.constant(random_tensor(kInt8, weight_shape, ++seed));
    const TensorId bias = b.constant(random_tensor(kInt32, {channels}, ++seed, -3000, 3000));
    GraphBuilder::Window w;
    w.pad = {pad, pad, pad, pad};
    w.input_zp = -3;
    const TensorId sum = depthwise ? b.depthwise_conv2d(x, weight, bias, w) : b.conv2d(x, weight, bias, w);
    GraphBuilder::Scale scale;
    scale.multipliers.clear();
    scale.shifts.clear();
    for (int64_t i = 0; i < channels; ++i) {
      scale.multipliers.push_back((1 << 30) + 12345677 * (i + 1));
      scale.shifts.push_back(shift + i % 2);
    }
    scale.output_zp = 5;
    scale.attributes.rounding = spec::Rounding::Double;
    return b.clamp(b.rescale(sum, kInt8, scale), -120, 122);
  }
  TensorId to_int32(TensorId x, int64_t zero_point) {
    GraphBuilder::Scale scale{{1 << 30}, {20}, zero_point, 0, {}};
    return b.rescale(x, kInt32, scale);
  }
  uint64_t seed = 100;
};

}  // namespace

ir::Graph flip_network() {
  Network n;
  GraphBuilder& b = n.b;
  const TensorId x = b.input("x", kInt8, {1, 6, 6, 3});
  const TensorId first = n.conv("first", x, {20, 3, 3, 3}, false, 1, 38);
  const TensorId second = n.conv("second", first, {3, 3, 20, 1}, true, 1, 37);
  b.set_location("add");
  const TensorId both = b.binary(ir::OpKind::Add, n.to_int32(first, 5), n.to_int32(second, 5));
  const TensorId sum = b.rescale(both, kInt8, {{1717986918}, {42}, 0, -7, {}});
  b.set_location("small table");
  const TensorId looked_up = b.table(sum, b.constant(random_tensor(kInt8, {256}, 7)));
  b.set_location("pool");
  const TensorId pooled = b.avg_pool2d(looked_up, {2, 2}, {{0, 0, 0, 0}, {2, 2}, {1, 1}, 0, 0});
  const TensorId third = n.conv("third", pooled, {12, 1, 1, 20}, false, 0, 38);
  const TensorId fourth = n.conv("fourth", pooled, {12, 1, 1, 20}, false, 0, 37);
  b.set_location("large table");
  // Of two tensors: a function of one int8 tensor alone would be folded into a table that the graph does not have.
  const TensorId wide = b.rescale(b.binary(ir::OpKind::Add, n.to_int32(third, 0), n.to_int32(fourth, 0)), ElementType::Int16,
                                  {{1 << 30}, {33}, 0, 0, {}});
  const TensorId curve = b.table(wide, b.constant(random_tensor(ElementType::Int16, {513}, 9, -9000, 9000)));
  b.set_location("rows");
  const TensorId rows = b.reduce(ir::OpKind::ReduceSum, curve, 1);
  const TensorId most = b.reduce(ir::OpKind::ReduceMax, curve, 3);
  return b.build({rows, most, sum, third, looked_up});
}

}  // namespace vernier::tests
