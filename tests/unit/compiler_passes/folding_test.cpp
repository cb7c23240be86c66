// SPDX-License-Identifier: Apache-2.0
// Chains that become tables, results that are computed again where they are read, reductions with what follows them: when
// they apply, when they must not, and equal values in both cases.
#include "tests/unit/compiler_passes/random_graphs.hpp"

#include <algorithm>
#include <map>

namespace vernier {
namespace {

using base::ElementType;
using base::Shape;
using ir::OpKind;
using tests::GraphBuilder;
using tests::Random;
using tests::run_on_all;

std::string reason(const passes::Program& program, const ir::Graph& graph, ir::TensorId id) {
  for (const package::FoldedTensor& tensor : program.folded) {
    if (tensor.name == graph.tensor(id).name) return tensor.reason;
  }
  return "";
}

size_t num_tables(const passes::Program& program) {
  return static_cast<size_t>(std::count_if(program.buffers.begin(), program.buffers.end(),
                                           [](const auto& b) { return b.kind == passes::BufferKind::Table; }));
}

/// Every int8 value, so often that a table pays.
base::Tensor all_values(const Shape& shape) {
  base::Tensor tensor(ElementType::Int8, shape);
  for (int64_t i = 0; i < tensor.size(); ++i) tensor.set(i, (i * 5) % 256 - 128);
  return tensor;
}

GraphBuilder::Scale left_shift(int64_t amount, int64_t zero_point) {
  return {.multipliers = {1 << 30}, .shifts = {30 - amount}, .input_zp = zero_point};
}

TEST_CASE("a chain of operators on one int8 tensor is one table, exact for every value") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {64, 128});
  const auto wide = b.rescale(x, ElementType::Int32, left_shift(20, 7));
  const auto scaled = b.rescale(wide, ElementType::Int32, {.multipliers = {1518500250}, .shifts = {33}});
  const auto square = b.mul(b.binary(OpKind::ArithmeticRightShift, scaled, b.constant(ElementType::Int32, {1, 1}, {12}),
                                     ir::ShiftAttributes{true}),
                            scaled, 12);
  const auto narrow = b.rescale(square, ElementType::Int8, {.multipliers = {1 << 30}, .shifts = {48}, .output_zp = -3});
  const auto looked_up = b.table(narrow, b.constant(tests::random_tensor(ElementType::Int8, {256}, 4)));
  const ir::Graph graph = b.build({looked_up});
  const passes::Program program = run_on_all(graph, {all_values({64, 128})});
  CHECK(program.steps.size() == 1);
  CHECK(std::get<spec::VectorCommand>(program.steps[0].command.body).steps.size() == 3);  // load, table, store
  CHECK(num_tables(program) == 1);
}

TEST_CASE("wide results are computed again where they are read, but outputs are stored") {
  const auto build = [](bool is_output) {
    GraphBuilder b;
    const auto x = b.input("x", ElementType::Int8, {4, 40}), y = b.input("y", ElementType::Int8, {4, 40});
    const auto narrow = b.rescale(b.binary(OpKind::Add, b.rescale(x, ElementType::Int32, left_shift(0, 1)),
                                           b.rescale(y, ElementType::Int32, left_shift(0, 2))),
                                  ElementType::Int8, {.multipliers = {1 << 30}, .shifts = {31}});
    const auto wide = b.rescale(narrow, ElementType::Int32, left_shift(4, 3));
    const auto turned = b.op(OpKind::Reverse, {narrow}, ElementType::Int8, {4, 40}, ir::AxisAttributes{1});
    const auto one = b.binary(OpKind::Sub, wide, b.rescale(turned, ElementType::Int32, left_shift(2, 0)));
    const auto other = b.binary(OpKind::Maximum, b.reshape(wide, {2, 80}), b.input("z", ElementType::Int32, {2, 80}));
    std::vector<ir::TensorId> outputs{one, other};
    if (is_output) outputs.push_back(wide);
    return std::pair{b.build(outputs), wide};
  };
  const auto [inner, inner_wide] = build(false);
  CHECK(reason(run_on_all(inner), inner, inner_wide) == "computed again where it is read (RESCALE)");
  const auto [outer, outer_wide] = build(true);
  CHECK(reason(run_on_all(outer), outer, outer_wide).empty());
}

/// The softmax of TFLite's int8 kernel, without its last division.
ir::TensorId exponential(GraphBuilder& b, ir::TensorId x, ir::TensorId greatest) {
  const auto difference = b.binary(OpKind::Sub, x, greatest);
  const auto index = b.rescale(difference, ElementType::Int16, {.multipliers = {1 << 30}, .shifts = {23}});
  ir::TensorId sum = -1;
  for (const int64_t shift : {17, 9, 1}) {
    const auto entries =
        b.constant(tests::random_tensor(ElementType::Int16, {513}, static_cast<uint64_t>(shift), -8192, 8191));
    const auto part =
        b.binary(OpKind::LogicalLeftShift, b.table(index, entries), b.constant(ElementType::Int32, {1, 1, 1}, {shift}));
    sum = sum < 0 ? part : b.binary(OpKind::Add, sum, part);
  }
  return sum;
}

TEST_CASE("the exponential of the difference to the maximum is one table of all 256 differences") {
  GraphBuilder b;
  const auto in = b.input("x", ElementType::Int8, {3, 30, 49});
  const auto x = b.rescale(in, ElementType::Int32, left_shift(0, -128));
  const auto sum = exponential(b, x, b.reduce(OpKind::ReduceMax, x, 2));
  const auto total = b.reduce(OpKind::ReduceSum,
                              b.binary(OpKind::ArithmeticRightShift, sum, b.constant(ElementType::Int32, {1, 1, 1}, {12}),
                                       ir::ShiftAttributes{true}),
                              2);
  const auto result = b.binary(OpKind::Sub, sum, total);
  const ir::Graph graph = b.build({result});
  // Rows that hold both ends of int8, so that every difference occurs.
  base::Tensor values = all_values({3, 30, 49});
  for (int64_t row = 0; row < 90; ++row) values.set(row * 49, row % 3 == 0 ? 127 : 127 - row);
  const passes::Program program = run_on_all(graph, {values});
  CHECK(program.steps.size() == 3);
  CHECK(num_tables(program) == 2);
  CHECK(reason(program, graph, sum) == "computed again where it is read (ADD)");
}

TEST_CASE("the difference to another tensor's maximum is no table") {
  GraphBuilder b;
  const auto x = b.rescale(b.input("x", ElementType::Int8, {3, 30, 49}), ElementType::Int32, left_shift(0, -128));
  const auto y = b.rescale(b.input("y", ElementType::Int8, {3, 30, 49}), ElementType::Int32, left_shift(0, -128));
  const auto sum = exponential(b, x, b.reduce(OpKind::ReduceMax, y, 2));
  const ir::Graph graph = b.build({sum});
  const passes::Program program = run_on_all(graph);
  CHECK(num_tables(program) == 3);  // the 16-bit ones
}

TEST_CASE("a difference of more than 256 values is no table") {
  GraphBuilder b;
  const auto x = b.rescale(b.input("x", ElementType::Int8, {3, 30, 49}), ElementType::Int32, left_shift(1, 0));
  const ir::Graph graph = b.build({exponential(b, x, b.reduce(OpKind::ReduceMax, x, 2))});
  CHECK(num_tables(run_on_all(graph)) == 3);
}

TEST_CASE("what follows a reduction runs in its command, unless it had better run by itself") {
  const auto build = [](int64_t rows, int64_t extra) {
    GraphBuilder b;
    const auto x = b.rescale(b.input("x", ElementType::Int8, {1, rows, 64}), ElementType::Int32, left_shift(0, 5));
    auto sum = b.reduce(OpKind::ReduceSum, x, 2);
    for (int64_t i = 0; i < extra; ++i) sum = b.mul(sum, b.constant(ElementType::Int32, {1, 1, 1}, {i + 3}), 2);
    return b.build({b.rescale(sum, ElementType::Int8, {.multipliers = {1 << 30}, .shifts = {36}})});
  };
  CHECK(run_on_all(build(6, 0)).steps.size() == 1);
  CHECK(run_on_all(build(49, 9)).steps.size() == 2);
  CHECK(run_on_all(build(1, 9)).steps.size() == 1);
}

TEST_CASE("layer normalisation is six commands at most") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {1, 49, 64});
  const auto sum = b.reduce(OpKind::ReduceSum, b.rescale(x, ElementType::Int32, left_shift(0, 2)), 2);
  const auto mean = b.rescale(sum, ElementType::Int8, {.multipliers = {1 << 30}, .shifts = {35}, .output_zp = -4});
  const auto left = b.rescale(x, ElementType::Int32, left_shift(19, 2));
  const auto right = b.rescale(b.rescale(mean, ElementType::Int32, left_shift(20, -4)), ElementType::Int32,
                               {.multipliers = {1205862402}, .shifts = {33}});
  const auto deviation = b.rescale(b.binary(OpKind::Sub, left, right), ElementType::Int8,
                                   {.multipliers = {1073840000}, .shifts = {50}, .output_zp = 3});
  const auto plain = b.rescale(deviation, ElementType::Int32, left_shift(0, 3));
  const auto square =
      b.rescale(b.mul(plain, plain), ElementType::Int8, {.multipliers = {1 << 30}, .shifts = {36}, .output_zp = -128});
  const auto total = b.reduce(OpKind::ReduceSum, b.rescale(square, ElementType::Int32, left_shift(0, -128)), 2);
  const auto variance = b.rescale(total, ElementType::Int8, {.multipliers = {1 << 30}, .shifts = {36}, .output_zp = -128});
  const auto inverse = b.table(variance, b.constant(tests::random_tensor(ElementType::Int8, {256}, 8)));
  const auto product = b.mul(plain, b.rescale(inverse, ElementType::Int32, left_shift(0, -128)));
  const ir::Graph graph = b.build({b.rescale(product, ElementType::Int8, {.multipliers = {1 << 30}, .shifts = {38}})});
  // Two sums of rows, and what follows each by itself, element by element: a row that waits for its sum is not in flight.
  CHECK(run_on_all(graph).steps.size() <= 6);
}

/// Elementwise operators and reductions of one shape, each reading what is there already.
ir::TensorId random_chain(GraphBuilder& b, Random& random) {
  const Shape shape{random.within(1, 3), random.pick<int64_t>({1, 5, 49}), random.pick<int64_t>({1, 7, 16, 49, 64})};
  std::vector<ir::TensorId> narrow{b.input("x", ElementType::Int8, shape), b.input("y", ElementType::Int8, shape)};
  const int64_t axis = random.within(0, 2);
  for (int64_t i = random.within(2, 6); i > 0; --i) {
    const auto widen = [&] {
      const auto from = random.pick(narrow);
      const auto wide = b.rescale(from, ElementType::Int32, left_shift(random.within(0, 12), random.within(-128, 127)));
      if (random.chance(50)) return wide;
      return b.rescale(wide, ElementType::Int32,
                       {.multipliers = {random.within(1 << 29, INT32_MAX)}, .shifts = {random.within(32, 36)}});
    };
    auto left = widen(), right = widen();
    if (random.chance(30) && b.shape_of(left) == shape)
      left = b.reduce(random.pick<OpKind>({OpKind::ReduceSum, OpKind::ReduceMax, OpKind::ReduceMin}), left, axis);
    const bool fits = b.shape_of(left) == b.shape_of(right) || b.shape_of(left) == shape || b.shape_of(right) == shape;
    auto both = !fits || random.chance(20)
                    ? left
                    : b.binary(random.pick<OpKind>({OpKind::Add, OpKind::Sub, OpKind::Maximum}), left, right);
    if (random.chance(20)) both = b.mul(both, both, random.within(1, 20));
    narrow.push_back(b.rescale(both, ElementType::Int8,
                               {.multipliers = {random.within(1 << 29, INT32_MAX)},
                                .shifts = {random.within(33, 46)},
                                .output_zp = random.within(-20, 20)}));
    if (random.chance(30))
      narrow.push_back(b.table(narrow.back(), b.constant(tests::random_tensor(ElementType::Int8, {256}, random.seed()))));
  }
  return narrow.back();
}

TEST_CASE("random chains and reductions come out as the reference computes them") {
  tests::run_family({"chains", random_chain});
}

}  // namespace
}  // namespace vernier
