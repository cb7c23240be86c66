// SPDX-License-Identifier: Apache-2.0
// Random graphs of one operator, and random chains, on all machines: shapes, broadcasts, strides, padding, zero points.
#include "tests/support/graph_builder.hpp"
#include "tests/unit/compiler_passes/program_runner.hpp"

#include <catch2/catch.hpp>

namespace vernier {
namespace {

using base::ElementType;
using base::Shape;
using ir::OpKind;
using tests::GraphBuilder;

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  int64_t within(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(engine_() % static_cast<uint64_t>(most - least + 1));
  }
  bool chance(int64_t percent) { return within(1, 100) <= percent; }
  template <typename T>
  T pick(const std::vector<T>& items) {
    return items[static_cast<size_t>(within(0, static_cast<int64_t>(items.size()) - 1))];
  }
  Shape shape(int64_t least_rank) {
    Shape result;
    for (int64_t rank = within(least_rank, 6); rank > 0; --rank) result.push_back(pick<int64_t>({1, 1, 2, 3, 5, 16, 17}));
    while (base::num_elements(result) > 20000) result[static_cast<size_t>(within(0, 5)) % result.size()] = 1;
    return result;
  }
  uint64_t seed() { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

ir::TensorId random_constant(GraphBuilder& b, Random& random, ElementType type, const Shape& shape, int64_t least,
                             int64_t most) {
  return b.constant(tests::random_tensor(type, shape, random.seed(), least, most));
}

GraphBuilder::Scale random_scale(Random& random, ElementType from, ElementType to, int64_t channels) {
  GraphBuilder::Scale scale;
  scale.attributes.scale32 = from != ElementType::Int48 && random.chance(70);
  scale.attributes.rounding =
      scale.attributes.scale32 && random.chance(50) ? spec::Rounding::Double : spec::Rounding::Single;
  const int64_t most = scale.attributes.scale32 ? INT32_MAX : INT16_MAX;
  const int64_t n = channels > 1 && random.chance(50) ? channels : 1;
  scale.multipliers.clear();
  scale.shifts.clear();
  for (int64_t i = 0; i < n; ++i) {
    scale.multipliers.push_back(random.within(most / 2, most));
    scale.shifts.push_back(scale.attributes.scale32 ? random.within(33, 45) : random.within(16, 40));
  }
  const bool is_narrow_in = from == ElementType::Int8, is_narrow_out = to == ElementType::Int8;
  scale.attributes.input_unsigned = is_narrow_in && to != ElementType::Int32 && random.chance(20);
  scale.attributes.output_unsigned = is_narrow_out && !scale.attributes.input_unsigned && from != ElementType::Int32 &&
                                     from != ElementType::Int48 && random.chance(20);
  if (is_narrow_in) scale.input_zp = random.within(-128, 127);
  if (is_narrow_out) scale.output_zp = random.within(-128, 127);
  return scale;
}

ir::TensorId random_convolution(GraphBuilder& b, Random& random) {
  const bool is_depthwise = random.chance(40);
  const int64_t channels = random.pick<int64_t>({1, 3, 4, 8, 16, 17, 32, 64});
  const Shape in{random.within(1, 2), random.within(1, 9), random.within(1, 9), channels};
  GraphBuilder::Window window;
  window.input_zp = random.within(-128, 127);
  window.other_zp = random.chance(30) ? random.within(-20, 20) : 0;
  int64_t kernel[2];
  for (size_t axis = 0; axis < 2; ++axis) {
    kernel[axis] = random.within(1, 4);
    window.dilation[axis] = random.within(1, 2);
    window.stride[axis] = random.within(1, 3);
    const int64_t reach = (kernel[axis] - 1) * window.dilation[axis];
    window.pad[2 * axis] = random.within(0, 3);
    int64_t after = std::max<int64_t>(0, reach - in[1 + axis] + 1 - window.pad[2 * axis]);
    while ((in[1 + axis] - 1 + window.pad[2 * axis] + after - reach) % window.stride[axis] != 0) ++after;
    window.pad[2 * axis + 1] = after;
  }
  const int64_t out_channels = is_depthwise ? random.within(1, 3) : random.pick<int64_t>({1, 2, 3, 4, 7, 8, 9, 16, 33, 64});
  const Shape weights = is_depthwise ? Shape{kernel[0], kernel[1], channels, out_channels}
                                     : Shape{out_channels, kernel[0], kernel[1], channels};
  const int64_t results = is_depthwise ? channels * out_channels : out_channels;
  const auto x = b.input("x", ElementType::Int8, in);
  const auto w = random_constant(b, random, ElementType::Int8, weights, -128, 127);
  const auto bias = random_constant(b, random, ElementType::Int32, {random.chance(20) ? 1 : results}, -100000, 100000);
  const auto y = is_depthwise ? b.depthwise_conv2d(x, w, bias, window) : b.conv2d(x, w, bias, window);
  if (random.chance(25)) return y;
  const auto type = random.pick<ElementType>({ElementType::Int8, ElementType::Int8, ElementType::Int16, ElementType::Int32});
  auto z = b.rescale(y, type, random_scale(random, ElementType::Int32, type, results));
  if (type == ElementType::Int8 && random.chance(40)) z = b.clamp(z, random.within(-128, 0), random.within(0, 127));
  if (random.chance(20)) z = b.reshape(z, {base::num_elements(b.shape_of(z)) / results, results});
  if (type == ElementType::Int8 && random.chance(40)) z = b.clamp(z, random.within(-128, 0), random.within(0, 127));
  if (type == ElementType::Int8 && random.chance(30)) {
    z = b.table(z, random_constant(b, random, ElementType::Int8, {256}, -128, 127));
  }
  return z;
}

/// An input or a constant that broadcasts to `shape`.
ir::TensorId random_operand(GraphBuilder& b, Random& random, const std::string& name, ElementType type, Shape shape,
                            int64_t least, int64_t most, bool may_be_constant) {
  for (int64_t& extent : shape) {
    if (random.chance(25)) extent = 1;
  }
  if (may_be_constant && random.chance(40)) return random_constant(b, random, type, shape, least, most);
  if (least == base::min_value(type)) return b.input(name, type, shape);
  // Inputs are over their whole type: bring them into range.
  const auto x = b.input(name, type, shape);
  const auto mask = b.constant(type, Shape(shape.size(), 1), {most});
  return b.binary(OpKind::BitwiseAnd, x, mask);
}

ir::TensorId random_binary(GraphBuilder& b, Random& random) {
  const auto kind = random.pick<OpKind>({OpKind::Add, OpKind::Sub, OpKind::Mul, OpKind::Maximum, OpKind::Minimum,
                                         OpKind::ArithmeticRightShift, OpKind::LogicalLeftShift, OpKind::LogicalRightShift,
                                         OpKind::BitwiseAnd, OpKind::BitwiseOr, OpKind::BitwiseXor});
  const bool is_shift =
      kind == OpKind::ArithmeticRightShift || kind == OpKind::LogicalLeftShift || kind == OpKind::LogicalRightShift;
  const bool takes_all = is_shift || kind == OpKind::Mul || kind == OpKind::BitwiseAnd || kind == OpKind::BitwiseOr ||
                         kind == OpKind::BitwiseXor;
  const auto type =
      takes_all ? random.pick<ElementType>({ElementType::Int8, ElementType::Int16, ElementType::Int32}) : ElementType::Int32;
  const Shape shape = random.shape(0);
  const int64_t least = base::min_value(type), most = base::max_value(type);
  const auto x = random_operand(b, random, "x", type, shape, least, most, true);
  const auto y = is_shift
                     ? random_operand(b, random, "y", type, shape, 0, base::info(type).bits - 1, b.graph().inputs.size() > 0)
                     : random_operand(b, random, "y", type, shape, least, most, b.graph().inputs.size() > 0);
  if (kind == OpKind::Mul) return b.mul(x, y, type == ElementType::Int32 ? random.within(0, 63) : 0);
  ir::Attributes attributes;
  if (kind == OpKind::ArithmeticRightShift) attributes = ir::ShiftAttributes{random.chance(50)};
  return b.binary(kind, x, y, attributes);
}

ir::TensorId random_unary(GraphBuilder& b, Random& random) {
  switch (random.within(0, 7)) {
    case 0: return b.unary(OpKind::Abs, b.input("x", ElementType::Int32, random.shape(0)));
    case 1: return b.unary(OpKind::Clz, b.input("x", ElementType::Int32, random.shape(0)));
    case 2: return b.unary(OpKind::BitwiseNot, b.input("x", ElementType::Int16, random.shape(0)));
    case 3: {
      const auto x = b.input("x", ElementType::Int8, random.shape(0));
      const auto zp = b.scalar(ElementType::Int8, random.within(-128, 127)),
                 out = b.scalar(ElementType::Int8, random.within(-128, 127));
      return b.op(OpKind::Negate, {x, zp, out}, ElementType::Int8, b.shape_of(x));
    }
    case 4: {
      const auto x = b.input("x", ElementType::Int16, random.shape(0));
      return b.table(x, random_constant(b, random, ElementType::Int16, {513}, -16000, 16000));
    }
    case 5: {
      const auto x = b.input("x", random.pick<ElementType>({ElementType::Int8, ElementType::Int16}), random.shape(0));
      return b.clamp(x, random.within(-128, 0), random.within(0, 127));
    }
    default: {
      const auto from =
          random.pick<ElementType>({ElementType::Int8, ElementType::Int16, ElementType::Int32, ElementType::Int48});
      const auto to = random.pick<ElementType>({ElementType::Int8, ElementType::Int16, ElementType::Int32});
      const auto x = b.input("x", from, random.shape(1));
      auto scale = random_scale(random, from, to, b.shape_of(x).back());
      if (random.chance(10))
        scale.shifts.assign(scale.shifts.size(), random.pick<int64_t>({1, 63}));  // not what TOSA REQUIREs
      const auto y = b.rescale(x, to, scale);
      return to != ElementType::Int32 && random.chance(50) ? b.clamp(y, -100, 100) : y;
    }
  }
}

ir::TensorId random_reduction(GraphBuilder& b, Random& random) {
  const auto kind = random.pick<OpKind>({OpKind::ReduceMax, OpKind::ReduceMin, OpKind::ReduceSum});
  const auto type = kind == OpKind::ReduceSum
                        ? ElementType::Int32
                        : random.pick<ElementType>({ElementType::Int8, ElementType::Int16, ElementType::Int32});
  auto x = b.input("x", type, random.shape(1));
  if (random.chance(50) && type == ElementType::Int32) x = b.unary(OpKind::Clz, x);
  const int64_t axis = random.within(0, static_cast<int64_t>(b.shape_of(x).size()) - 1);
  auto y = b.reduce(kind, x, axis);
  if (random.chance(50) && type == ElementType::Int32) y = b.binary(OpKind::Sub, x, y);
  return y;
}

ir::TensorId random_pool(GraphBuilder& b, Random& random) {
  const auto type = random.pick<ElementType>({ElementType::Int8, ElementType::Int8, ElementType::Int16});
  const Shape in{random.within(1, 2), random.within(1, 9), random.within(1, 9), random.pick<int64_t>({1, 3, 16, 32, 33})};
  std::vector<int64_t> kernel(2);
  GraphBuilder::Window window;
  for (size_t axis = 0; axis < 2; ++axis) {
    kernel[axis] = random.within(1, in[1 + axis] + 1);
    window.stride[axis] = random.within(1, 3);
    window.pad[2 * axis] = random.within(0, kernel[axis] - 1);
    window.pad[2 * axis + 1] = std::max<int64_t>(0, kernel[axis] - in[1 + axis] - window.pad[2 * axis]);
    int64_t& after = window.pad[2 * axis + 1];
    while ((in[1 + axis] + window.pad[2 * axis] + after - kernel[axis]) % window.stride[axis] != 0) ++after;
    if (after >= kernel[axis])
      window.stride[axis] = 1, after = std::max<int64_t>(0, kernel[axis] - in[1 + axis] - window.pad[2 * axis]);
  }
  if (type == ElementType::Int8) {
    window.input_zp = random.within(-128, 127);
    window.other_zp = random.within(-128, 127);
  }
  return b.avg_pool2d(b.input("x", type, in), kernel, window);
}

ir::TensorId random_movement(GraphBuilder& b, Random& random) {
  const auto type = random.pick<ElementType>({ElementType::Bool, ElementType::Int8, ElementType::Int16, ElementType::Int32});
  const auto x = b.input("x", type, random.shape(1));
  if (random.chance(30)) return b.reshape(x, {base::num_elements(b.shape_of(x))});
  if (random.chance(20)) return b.unary(OpKind::Identity, x);
  std::vector<int64_t> start, size;
  for (const int64_t extent : b.shape_of(x)) {
    start.push_back(random.within(0, extent - 1));
    size.push_back(random.within(1, extent - start.back()));
  }
  const auto part = b.slice(x, start, size);
  if (type != ElementType::Int32 || random.chance(30)) return part;
  const auto y = b.unary(OpKind::Clz, part);
  return random.chance(50) ? y : b.reshape(y, {1, base::num_elements(b.shape_of(y))});
}

/// A feature map that lies in planes, read by a pool or reduced, perhaps with a part of it cut out first.
ir::TensorId random_planes(GraphBuilder& b, Random& random) {
  const Shape in{1, random.within(1, 9), random.within(1, 9), random.pick<int64_t>({3, 16, 32})};
  const int64_t channels = random.pick<int64_t>({16, 32, 64});
  const auto x = b.input("x", ElementType::Int8, in);
  const auto w = random_constant(b, random, ElementType::Int8, {channels, 1, 1, in[3]}, -128, 127);
  const auto bias = random_constant(b, random, ElementType::Int32, {channels}, -1000, 1000);
  auto y = b.rescale(b.conv2d(x, w, bias, {}), ElementType::Int8,
                     random_scale(random, ElementType::Int32, ElementType::Int8, channels));
  if (random.chance(40)) {
    const Shape& shape = b.shape_of(y);
    const std::vector<int64_t> start{0, random.within(0, shape[1] - 1), random.within(0, shape[2] - 1), 0};
    y = b.slice(y, start, {1, random.within(1, shape[1] - start[1]), random.within(1, shape[2] - start[2]), channels});
  }
  if (random.chance(30)) return b.reshape(y, {base::num_elements(b.shape_of(y))});
  if (random.chance(40))
    y = b.rescale(y, ElementType::Int32, random_scale(random, ElementType::Int8, ElementType::Int32, channels));
  if (random.chance(60)) return b.reduce(OpKind::ReduceMax, y, random.within(0, 3));
  const auto other =
      random_constant(b, random, b.type_of(y), random.chance(50) ? Shape{1, 1, 1, channels} : b.shape_of(y), 0, 9);
  return b.binary(OpKind::BitwiseXor, y, other);
}

using Maker = ir::TensorId (*)(GraphBuilder&, Random&);
struct Family {
  std::string name;
  Maker make;
};

TEST_CASE("random operators come out as the reference computes them") {
  const auto family =
      GENERATE(Family{"convolution", random_convolution}, Family{"binary", random_binary}, Family{"unary", random_unary},
               Family{"reduction", random_reduction}, Family{"pool", random_pool}, Family{"movement", random_movement},
               Family{"planes", random_planes});
  for (uint64_t seed = 1; seed <= 120; ++seed) {
    INFO("family " << family.name << ", seed " << seed);
    Random random(seed);
    GraphBuilder b;
    const auto result = family.make(b, random);
    const ir::Graph graph = b.build({result});
    INFO(ir::print(graph).substr(0, 2000));
    const auto inputs = tests::random_inputs(graph, seed);
    const std::vector<std::string> machines{"v64", "v256", "v1024"};
    const std::string machine = machines[seed % 3];
    for (const int64_t optimize : {0, 1}) {
      for (const uint64_t cut_seed : {uint64_t{0}, seed}) {
        const auto run = tests::lower_and_run(graph, inputs, machine, {optimize, cut_seed});
        REQUIRE(run.differences == std::vector<std::string>{});
        REQUIRE(run.elements_compared > 0);
      }
    }
  }
}

}  // namespace
}  // namespace vernier
