// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/cliffs.hpp"

#include "hw/spec/machine.hpp"
#include "tests/fuzz/makers.hpp"

#include <vector>

namespace vernier::tests::fuzz {

using ir::OpKind;
using ir::TensorId;

namespace {

/// All banks of 8 lanes once, in bytes.
constexpr int64_t kLineBytes = int64_t{spec::kNumSramBanks} * 8;

class CliffMaker {
 public:
  explicit CliffMaker(uint64_t seed) : m_(seed, false, false) {}

  RandomGraph run(GraphKind kind) {
    switch (kind) {
      case GraphKind::Banks:
        if (m_.random.chance(50)) {
          array_with_rows_of_a_line();
        } else {
          vector_with_rows_of_a_line();
        }
        break;
      case GraphKind::Meetings:
        array_with_rows_of_a_line();
        vector_with_rows_of_a_line();
        if (m_.random.chance(30)) vector_with_rows_of_a_line();
        break;
      case GraphKind::Ports:
        wide_sums_of_the_array();
        wide_sums_of_the_vector_unit();
        if (m_.random.chance(50)) copies();
        break;
      default: results_through_the_lanes(); lanes_of_the_vector_unit();
    }
    return {m_.b.build(outputs_), m_.input_ranges()};
  }

 private:
  int64_t rows_of_a_line() { return kLineBytes * m_.random.within(1, 3); }
  Shape map(int64_t channels) { return {1, m_.random.within(3, 9), m_.random.within(3, 9), channels}; }
  void ends(TensorId id) { outputs_.push_back(id); }

  TensorId rescaled(TensorId x, ElementType to) {
    return make_rescale(m_, find_mode(OpKind::Rescale, m_.b.type_of(x), to), x);
  }

  TensorId convolved(TensorId x, int64_t channels, int64_t kernel, int64_t stride = 1) {
    const bool is_wide = m_.b.type_of(x) == ElementType::Int16;
    const TensorId weights = m_.constant(ElementType::Int8, {channels, kernel, kernel, m_.shape(x)[3]});
    const TensorId bias = m_.constant(is_wide ? ElementType::Int48 : ElementType::Int32, {channels}, {-1000, 1000});
    const int64_t pad = kernel / 2;
    GraphBuilder::Window window;
    window.stride = {stride, stride};
    // The padding behind the map has what the stride leaves over, so that windows divide.
    const auto behind = [&](int64_t in) { return pad + (stride - (in - 1) % stride) % stride; };
    window.pad = {pad, behind(m_.shape(x)[1]), pad, behind(m_.shape(x)[2])};
    return m_.b.conv2d(x, weights, bias, window);
  }

  void array_with_rows_of_a_line() {
    const int64_t channels = rows_of_a_line();
    switch (m_.random.within(0, 3)) {
      case 0: {  // pixels of a beat lie in one bank
        const TensorId x = m_.new_input(ElementType::Int8, map(channels));
        return ends(rescaled(convolved(x, 8 * m_.random.within(1, 6), 1, m_.random.within(1, 2)), ElementType::Int8));
      }
      case 1: {
        const TensorId x = m_.new_input(ElementType::Int8, map(kLineBytes));
        return ends(rescaled(convolved(x, 8 * m_.random.within(1, 2), 3), ElementType::Int8));
      }
      case 2: {  // results of a channel tile lie in one bank
        const TensorId x = m_.new_input(ElementType::Int8, map(channels));
        return ends(rescaled(make_same_conv(m_, OpKind::DepthwiseConv2d, x, channels), ElementType::Int8));
      }
      default: {  // columns of the second operand, and rows of both
        const int64_t rows = m_.random.within(4, 40), columns = m_.random.chance(50) ? kLineBytes : m_.random.within(4, 40);
        const TensorId a = m_.new_input(ElementType::Int8, {1, rows, kLineBytes});
        const TensorId b = m_.new_input(ElementType::Int8, {1, kLineBytes, columns});
        const TensorId a_zero = m_.b.scalar(ElementType::Int8, 0), b_zero = m_.b.scalar(ElementType::Int8, 0);
        return ends(m_.b.op(OpKind::MatMul, {a, b, a_zero, b_zero}, ElementType::Int32, {1, rows, columns}));
      }
    }
  }

  void vector_with_rows_of_a_line() {
    const Shape shape = map(rows_of_a_line());
    const TensorId x = m_.new_input(ElementType::Int8, shape);
    switch (m_.random.within(0, 4)) {
      case 0: {  // both operands begin in the bank of the result
        const TensorId y = m_.new_input(ElementType::Int8, shape);
        const TensorId sum = m_.b.binary(OpKind::Add, rescaled(x, ElementType::Int32), rescaled(y, ElementType::Int32));
        return ends(rescaled(sum, ElementType::Int8));
      }
      case 1: {
        Shape out = shape;
        out[1] -= 1;
        out[2] -= 1;
        return ends(
            m_.b.op(OpKind::MaxPool2d, {x}, ElementType::Int8, out, ir::PoolAttributes{{2, 2}, {1, 1}, {0, 0, 0, 0}}));
      }
      case 2: return ends(m_.b.reduce(OpKind::ReduceMax, x, m_.random.within(1, 3)));
      case 3: {  // a column of the operand is one bank
        const Shape flat{shape[1] * shape[2], shape[3]};
        const TensorId y = m_.b.reshape(x, flat);
        return ends(m_.b.op(OpKind::Transpose, {y}, ElementType::Int8, {flat[1], flat[0]}, ir::TransposeAttributes{{1, 0}}));
      }
      default: {  // a row that every pixel reads
        const TensorId row = m_.new_input(ElementType::Int32, {1, 1, 1, shape[3]});
        return ends(m_.b.binary(OpKind::Add, rescaled(x, ElementType::Int32), row));
      }
    }
  }

  void wide_sums_of_the_array() {
    const bool is_wide = m_.random.chance(40);
    const TensorId x = m_.new_input(is_wide ? ElementType::Int16 : ElementType::Int8, map(8 * m_.random.within(1, 4)));
    ends(convolved(x, 8 * m_.random.within(1, 8), m_.random.chance(70) ? 1 : 3));  // 32 or 48 bits a sum
  }

  void wide_sums_of_the_vector_unit() {
    const Shape shape = map(8 * m_.random.within(1, 16));
    const TensorId a = m_.new_input(ElementType::Int32, shape), b = m_.new_input(ElementType::Int32, shape);
    const OpKind kind = m_.random.pick<OpKind>({OpKind::Add, OpKind::Sub, OpKind::Maximum, OpKind::BitwiseXor});
    ends(m_.b.binary(kind, a, b));
  }

  void copies() {
    const Shape shape = map(8 * m_.random.within(1, 16));
    const TensorId a = m_.new_input(ElementType::Int16, shape), b = m_.new_input(ElementType::Int16, shape);
    Shape both = shape;
    both[1] *= 2;
    ends(m_.b.op(OpKind::Concat, {a, b}, ElementType::Int16, both, ir::AxisAttributes{1}));
  }

  /// As few products for each result as the array can do, so that a row of results comes in nearly each cycle.
  void results_through_the_lanes() {
    const TensorId x = m_.new_input(ElementType::Int8, map(m_.random.within(1, 8)));
    const TensorId y = rescaled(convolved(x, 8 * m_.random.within(1, 12), 1), ElementType::Int8);
    ends(m_.random.chance(50) ? y : m_.b.table(y, m_.constant(ElementType::Int8, {256})));
  }

  void lanes_of_the_vector_unit() {
    const bool is_wide = m_.random.chance(40);
    const ElementType type = is_wide ? ElementType::Int16 : ElementType::Int8;
    const TensorId x = m_.new_input(type, map(8 * m_.random.within(1, 12)));
    const TensorId scaled = m_.random.chance(60) ? rescaled(x, type) : x;
    if (m_.random.chance(30)) return ends(rescaled(rescaled(x, ElementType::Int32), type));
    ends(m_.b.table(
        scaled, is_wide ? m_.constant(ElementType::Int16, {513}, {-16384, 16383}) : m_.constant(ElementType::Int8, {256})));
  }

  GraphMaker m_;
  std::vector<TensorId> outputs_;
};

}  // namespace

RandomGraph cliff_graph(GraphKind kind, uint64_t seed) { return CliffMaker(seed).run(kind); }

}  // namespace vernier::tests::fuzz
