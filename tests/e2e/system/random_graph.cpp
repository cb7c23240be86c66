// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/system/random_graph.hpp"

#include "tests/support/graph_builder.hpp"

#include <algorithm>
#include <array>

namespace vernier::tests {
namespace {

using ir::OpKind;
using TensorId = ir::TensorId;

class Maker {
 public:
  Maker(uint64_t seed, bool large) : seed_(seed), large_(large), engine_(seed * 7919 + (large ? 1 : 0)) {}

  TensorId make() {
    using Member = TensorId (Maker::*)();
    // Convolutions are the machine's main work: they come more often.
    constexpr std::array<Member, 18> kMakers{
        &Maker::conv2d, &Maker::depthwise, &Maker::conv2d, &Maker::rescale, &Maker::depthwise, &Maker::clamp,
        &Maker::table,  &Maker::add_sub,   &Maker::mul,    &Maker::shift,   &Maker::conv2d,    &Maker::clz,
        &Maker::reduce, &Maker::avg_pool,  &Maker::slice,  &Maker::reshape, &Maker::rescale,   &Maker::reduce};
    return (this->*kMakers[seed_ % kMakers.size()])();
  }

  GraphBuilder b;

 private:
  int64_t pick(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(engine_() % static_cast<uint64_t>(most - least + 1));
  }
  bool coin() { return pick(0, 1) == 1; }
  template <typename T>
  T one_of(std::vector<T> values) {
    return values[static_cast<size_t>(pick(0, static_cast<int64_t>(values.size()) - 1))];
  }
  base::Tensor values(ElementType type, const Shape& shape, int64_t least, int64_t most) {
    return random_tensor(type, shape, engine_(), least, most);
  }
  base::Tensor values(ElementType type, const Shape& shape) { return random_tensor(type, shape, engine_()); }
  int64_t zero_point(ElementType type) { return type == ElementType::Int8 && coin() ? pick(-128, 127) : 0; }
  int64_t extent() { return large_ ? pick(17, 26) : pick(1, 12); }

  Shape any_shape(int64_t max_rank = 4) {
    if (large_) return {1, pick(20, 30), pick(20, 30), pick(9, 20)};
    Shape shape;
    const int64_t rank = pick(1, max_rank);
    for (int64_t i = 0; i < rank; ++i) shape.push_back(pick(1, 9));
    shape.back() = pick(1, 40);
    return shape;
  }

  /// A window that divides: the input's rows and columns follow from the output's, as TOSA demands.
  GraphBuilder::Window window(int64_t kernel_h, int64_t kernel_w, bool dilate, Shape& in, int64_t channels) {
    GraphBuilder::Window w;
    in = {large_ ? 1 : pick(1, 2), 0, 0, channels};
    for (size_t axis = 0; axis < 2; ++axis) {
      const int64_t kernel = axis == 0 ? kernel_h : kernel_w;
      w.stride[axis] = pick(1, 3);
      w.dilation[axis] = dilate && coin() ? pick(1, 3) : 1;
      const int64_t reach = (kernel - 1) * w.dilation[axis] + 1;
      w.pad[2 * axis] = pick(0, kernel - 1);
      w.pad[2 * axis + 1] = pick(0, kernel - 1);
      int64_t out = extent();
      const int64_t pads = w.pad[2 * axis] + w.pad[2 * axis + 1];
      while ((out - 1) * w.stride[axis] + reach - pads < kernel) ++out;
      in[1 + axis] = (out - 1) * w.stride[axis] + reach - pads;
    }
    return w;
  }

  TensorId bias(int64_t channels) {
    const Shape shape{coin() ? channels : 1};
    return b.constant(values(ElementType::Int32, shape, -100000, 100000));
  }

  TensorId conv2d() {
    const int64_t kernel_h = pick(1, 4), kernel_w = pick(1, 4);
    Shape in;
    GraphBuilder::Window w = window(kernel_h, kernel_w, true, in, one_of<int64_t>({1, 3, 4, 8, 16, 20, 32}));
    w.input_zp = zero_point(ElementType::Int8);
    w.other_zp = coin() ? 0 : pick(-128, 127);
    const int64_t channels = large_ ? pick(20, 70) : pick(1, 40);
    const TensorId x = b.input("x", ElementType::Int8, in);
    const TensorId weight = b.constant(values(ElementType::Int8, {channels, kernel_h, kernel_w, in[3]}));
    return b.conv2d(x, weight, bias(channels), w);
  }
  TensorId depthwise() {
    const int64_t kernel_h = pick(1, 5), kernel_w = pick(1, 5);
    Shape in;
    const int64_t multiplier = coin() ? 1 : pick(1, 3);
    GraphBuilder::Window w = window(kernel_h, kernel_w, true, in, large_ ? pick(17, 40) : pick(1, 24));
    w.input_zp = zero_point(ElementType::Int8);
    w.other_zp = coin() ? 0 : pick(-128, 127);
    const TensorId x = b.input("x", ElementType::Int8, in);
    const TensorId weight = b.constant(values(ElementType::Int8, {kernel_h, kernel_w, in[3], multiplier}));
    return b.depthwise_conv2d(x, weight, bias(in[3] * multiplier), w);
  }
  TensorId rescale() {
    const ElementType from = one_of<ElementType>({ElementType::Int8, ElementType::Int16, ElementType::Int32});
    const ElementType to =
        one_of<ElementType>({ElementType::Int8, ElementType::Int8, ElementType::Int16, ElementType::Int32});
    const TensorId x = b.input("x", from, any_shape());
    GraphBuilder::Scale scale;
    scale.attributes.scale32 = coin();
    scale.attributes.rounding = scale.attributes.scale32 && coin() ? spec::Rounding::Double : spec::Rounding::Single;
    scale.multipliers.clear();
    scale.shifts.clear();
    const int64_t num = coin() ? b.shape_of(x).back() : 1;
    for (int64_t i = 0; i < num; ++i) {
      scale.multipliers.push_back(scale.attributes.scale32 ? pick(1 << 30, (int64_t{1} << 31) - 1)
                                                           : pick(1 << 14, (1 << 15) - 1));
      const int64_t unit = scale.attributes.scale32 ? 30 : 14;  // a shift of that much keeps the value's size
      scale.shifts.push_back(from == ElementType::Int32 ? pick(unit + 8, std::min<int64_t>(unit + 26, 62))
                                                        : pick(unit + 1, unit + 6));
    }
    scale.input_zp = zero_point(from);
    scale.output_zp = zero_point(to);
    return b.rescale(x, to, scale);
  }
  TensorId clamp() {
    const ElementType type = one_of<ElementType>({ElementType::Int8, ElementType::Int16});
    const int64_t low = pick(base::min_value(type), 10);
    return b.clamp(b.input("x", type, any_shape()), low, pick(low, base::max_value(type)));
  }
  TensorId table() {
    const bool is_small = coin();
    const TensorId x = b.input("x", is_small ? ElementType::Int8 : ElementType::Int16, any_shape());
    if (is_small) return b.table(x, b.constant(values(ElementType::Int8, {256})));
    return b.table(x, b.constant(values(ElementType::Int16, {513}, -16384, 16383)));  // slopes stay in 16 bits
  }
  /// Two inputs of one shape, or one that is broadcast along some axes.
  std::pair<TensorId, TensorId> two_operands(ElementType type) {
    const Shape shape = any_shape();
    Shape other = shape;
    if (coin()) {
      for (int64_t& size : other) size = pick(0, 2) == 0 ? 1 : size;
    }
    const TensorId first = b.input("a", type, shape);
    const TensorId second = coin() ? b.input("b", type, other) : b.constant(values(type, other));
    return {first, second};
  }
  TensorId add_sub() {
    const auto [first, second] = two_operands(ElementType::Int32);
    return b.binary(coin() ? OpKind::Add : OpKind::Sub, first, second);
  }
  TensorId mul() {
    const ElementType type = one_of<ElementType>({ElementType::Int8, ElementType::Int16, ElementType::Int32});
    const auto [first, second] = two_operands(type);
    return b.mul(first, second, type == ElementType::Int32 ? pick(0, 63) : 0);
  }
  TensorId shift() {
    const ElementType type = one_of<ElementType>({ElementType::Int8, ElementType::Int16, ElementType::Int32});
    const int64_t bits = 8 * base::stored_bytes(type);
    const Shape shape = any_shape();
    const TensorId x = b.input("x", type, shape);
    const TensorId amount = b.constant(values(type, coin() ? shape : Shape(shape.size(), 1), 1, bits - 1));
    switch (pick(0, 2)) {
      case 0: return b.binary(OpKind::ArithmeticRightShift, x, amount, ir::ShiftAttributes{coin()});
      case 1: return b.binary(OpKind::LogicalLeftShift, x, amount);
      default: return b.binary(OpKind::LogicalRightShift, x, amount);
    }
  }
  TensorId clz() { return b.unary(OpKind::Clz, b.input("x", ElementType::Int32, any_shape())); }
  TensorId reduce() {
    const TensorId x = b.input("x", ElementType::Int32, any_shape());
    const int64_t axis = pick(0, static_cast<int64_t>(b.shape_of(x).size()) - 1);
    return b.reduce(coin() ? OpKind::ReduceMax : OpKind::ReduceSum, x, axis);
  }
  TensorId avg_pool() {
    const int64_t kernel_h = pick(1, 5), kernel_w = pick(1, 5);
    Shape in;
    GraphBuilder::Window w = window(kernel_h, kernel_w, false, in, large_ ? pick(17, 40) : pick(1, 24));
    w.input_zp = zero_point(ElementType::Int8);
    w.other_zp = zero_point(ElementType::Int8);
    return b.avg_pool2d(b.input("x", ElementType::Int8, in), {kernel_h, kernel_w}, w);
  }
  TensorId slice() {
    const TensorId x = b.input("x", one_of<ElementType>({ElementType::Int8, ElementType::Int32}), any_shape());
    std::vector<int64_t> start, size;
    for (const int64_t extent : b.shape_of(x)) {
      start.push_back(pick(0, extent / 3));
      size.push_back(pick(std::max<int64_t>(1, extent / 2), extent - start.back()));
    }
    return b.slice(x, start, size);
  }
  TensorId reshape() {
    const TensorId x = b.input("x", one_of<ElementType>({ElementType::Int8, ElementType::Int16}), any_shape());
    Shape to{1};
    for (const int64_t size : b.shape_of(x)) to[0] *= size;
    if (coin()) to.insert(to.begin(), 1);
    if (coin()) to.push_back(1);
    return b.reshape(x, to);
  }

  uint64_t seed_;
  bool large_;
  std::mt19937_64 engine_;
};

}  // namespace

RandomGraph random_graph(uint64_t seed, bool large) {
  Maker maker(seed, large);
  const TensorId result = maker.make();
  RandomGraph made{maker.b.build({result}), ""};
  const ir::Operator& op = made.graph.operators.back();
  made.what = fmt::format("seed {} {}", seed, ir::to_string(op.kind));
  for (const TensorId id : op.inputs)
    made.what +=
        fmt::format(" {}{}", base::to_string(made.graph.tensor(id).type), base::to_string(made.graph.tensor(id).shape));
  made.what += fmt::format(" -> {}", base::to_string(made.graph.tensor(result).shape));
  return made;
}

}  // namespace vernier::tests
