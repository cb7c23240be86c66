// SPDX-License-Identifier: Apache-2.0
// LSTM and GRU against the definition in double, step by step, and what they may not be.
#include "tests/unit/compiler_import_quantized/network_builder.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>

using namespace vernier;
using namespace vernier::tests;
using Catch::Matchers::Contains;
using Numbers = std::vector<double>;

namespace {

/// A node with numbers that are drawn, and its definition.
struct Recurrence {
  std::string kind = "LSTM", direction = "forward";
  int64_t steps = 16, batch = 1, inputs = 4, hidden = 5, linear = 0;
  double weight = 0.6, start = 0;  // greatest weight; greatest start of the states
  bool is_batch_first = false, has_bias = true;
  std::mt19937 random{7};
  Numbers w = {}, r = {}, b = {}, h0 = {}, c0 = {};

  [[nodiscard]] int64_t gates() const { return kind == "LSTM" ? 4 : 3; }
  [[nodiscard]] int64_t directions() const { return direction == "bidirectional" ? 2 : 1; }
  Numbers drawn(int64_t count, double most) {
    Numbers numbers;
    std::uniform_real_distribution<float> number(static_cast<float>(-most), static_cast<float>(most));
    for (int64_t i = 0; i < count; ++i) numbers.push_back(static_cast<double>(number(random)));
    return numbers;
  }
  void draw() {
    const int64_t d = directions(), rows = gates() * hidden;
    w = drawn(d * rows * inputs, weight);
    r = drawn(d * rows * hidden, weight);
    b = drawn(d * 2 * rows, has_bias ? weight : 0);
    h0 = drawn(d * batch * hidden, start);
    c0 = drawn(d * batch * hidden, 2 * start);
  }

  [[nodiscard]] double at(const Numbers& list, int64_t i) const { return list[static_cast<size_t>(i)]; }
  static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

  /// States [steps][directions][batch][hidden]; the last cells in `cells`.
  Numbers states(const Numbers& x, Numbers& cells) const {
    Numbers y(static_cast<size_t>(steps * directions() * batch * hidden));
    cells = c0;
    for (int64_t d = 0; d < directions(); ++d) {
      const bool is_reverse = direction == "reverse" || d == 1;
      for (int64_t n = 0; n < batch; ++n) {
        Numbers h(h0.begin() + (d * batch + n) * hidden, h0.begin() + (d * batch + n + 1) * hidden);
        for (int64_t i = 0; i < steps; ++i) {
          const int64_t t = is_reverse ? steps - 1 - i : i;
          const Numbers row(x.begin() + (t * batch + n) * inputs, x.begin() + (t * batch + n + 1) * inputs);
          h = kind == "LSTM" ? lstm(d, row, h, &cells[static_cast<size_t>((d * batch + n) * hidden)]) : gru(d, row, h);
          for (int64_t k = 0; k < hidden; ++k)
            y[static_cast<size_t>(((t * directions() + d) * batch + n) * hidden + k)] = at(h, k);
        }
      }
    }
    return y;
  }
  [[nodiscard]] double of_input(int64_t d, int64_t row, const Numbers& x) const {
    double sum = at(b, d * 2 * gates() * hidden + row);
    for (int64_t i = 0; i < inputs; ++i) sum += at(w, (d * gates() * hidden + row) * inputs + i) * at(x, i);
    return sum;
  }
  [[nodiscard]] double of_state(int64_t d, int64_t row, const Numbers& h) const {
    double sum = at(b, (d * 2 + 1) * gates() * hidden + row);
    for (int64_t i = 0; i < hidden; ++i) sum += at(r, (d * gates() * hidden + row) * hidden + i) * at(h, i);
    return sum;
  }
  Numbers lstm(int64_t d, const Numbers& x, const Numbers& h, double* c) const {
    Numbers next;
    for (int64_t k = 0; k < hidden; ++k) {
      const auto gate = [&](int64_t g) { return of_input(d, g * hidden + k, x) + of_state(d, g * hidden + k, h); };
      c[k] = sigmoid(gate(2)) * c[k] + sigmoid(gate(0)) * std::tanh(gate(3));
      next.push_back(sigmoid(gate(1)) * std::tanh(c[k]));
    }
    return next;
  }
  Numbers gru(int64_t d, const Numbers& x, const Numbers& h) const {
    Numbers next, reset = h, r_gate;
    for (int64_t k = 0; k < hidden; ++k) {
      r_gate.push_back(sigmoid(of_input(d, hidden + k, x) + of_state(d, hidden + k, h)));
      reset[static_cast<size_t>(k)] *= r_gate.back();
    }
    for (int64_t k = 0; k < hidden; ++k) {
      const double z = sigmoid(of_input(d, k, x) + of_state(d, k, h));
      const double sums = linear != 0 ? at(r_gate, k) * of_state(d, 2 * hidden + k, h) : of_state(d, 2 * hidden + k, reset);
      const double n = std::tanh(of_input(d, 2 * hidden + k, x) + sums);
      next.push_back((1 - z) * n + z * at(h, k));
    }
    return next;
  }
};

constexpr double kInputScale = 1.0 / 50;
constexpr int64_t kInputZero = -9;

/// The node between a quantizer of its input and one of its output of that number, 16 bits in steps of `step`.
NetworkBuilder network_of(const Recurrence& node, size_t output, double step,
                          const std::map<std::string, Attribute>& more = {}) {
  NetworkBuilder b(node.is_batch_first ? base::Shape{node.batch, node.steps, node.inputs}
                                       : base::Shape{node.steps, node.batch, node.inputs});
  const int64_t d = node.directions(), rows = node.gates() * node.hidden;
  const std::string x = b.quantized("x", kInputScale, kInputZero);
  const base::Shape state{d, node.batch, node.hidden};
  std::vector<std::string> inputs{x, b.constant(kFloat, {d, rows, node.inputs}, node.w),
                                  b.constant(kFloat, {d, rows, node.hidden}, node.r),
                                  b.constant(kFloat, {d, 2 * rows}, node.b)};
  if (node.start != 0 && !node.is_batch_first) {
    inputs.insert(inputs.end(), {"", b.constant(kFloat, state, node.h0)});
    if (node.kind == "LSTM") inputs.push_back(b.constant(kFloat, state, node.c0));
  }
  std::map<std::string, Attribute> attributes = more;
  attributes.insert({{"direction", node.direction}, {"hidden_size", node.hidden}});
  if (node.is_batch_first) attributes["layout"] = int64_t{1};
  if (node.linear != 0) attributes["linear_before_reset"] = node.linear;
  std::vector<std::string> outputs(output + 1);
  outputs.back() = "states";
  b.network.nodes.push_back({"cell", node.kind, inputs, outputs, attributes});
  b.output(b.quantized("states", step, 0, kInt16));
  return b;
}

/// As NetworkBuilder::run(), without what is recorded of the network and of those that are nearly it: these are large.
std::vector<int64_t> run_alone(const NetworkBuilder& b, const std::vector<int64_t>& codes) {
  ImportResult result = import::quantized::lower("f", b.network, {});
  const ir::Graph graph = import::take_graph(result);
  const ir::TensorInfo& input = graph.tensor(graph.inputs.at(0));
  base::Tensor tensor(input.type, input.shape);
  for (size_t i = 0; i < codes.size(); ++i) tensor.set(static_cast<int64_t>(i), codes[i]);
  const base::Tensor output = reference::run(graph, {tensor}).outputs.at(0);
  std::vector<int64_t> elements;
  for (int64_t i = 0; i < output.size(); ++i) elements.push_back(output.at(i));
  return elements;
}

std::vector<int64_t> drawn_codes(Recurrence& node) {
  std::uniform_int_distribution<int64_t> code(-128, 127);
  std::vector<int64_t> codes;
  for (int64_t i = 0; i < node.steps * node.batch * node.inputs; ++i) codes.push_back(code(node.random));
  return codes;
}

Numbers numbers_of(const std::vector<int64_t>& codes) {
  Numbers numbers;
  for (const int64_t code : codes) numbers.push_back(static_cast<double>(code - kInputZero) * kInputScale);
  return numbers;
}

/// The greatest difference of all states from the definition, beyond the rounding of the last quantizer.
double error_of(Recurrence node) {
  node.draw();
  const std::vector<int64_t> codes = drawn_codes(node);
  const double step = std::ldexp(node.start > 1 ? 4.0 : 1.0, -15);
  const std::vector<int64_t> found = run_alone(network_of(node, 0, step), codes);
  Numbers cells;
  const Numbers wanted = node.states(numbers_of(codes), cells);
  REQUIRE(found.size() == wanted.size());
  double error = 0;
  for (size_t i = 0; i < found.size(); ++i)
    error = std::max(error, std::fabs(static_cast<double>(found[i]) * step - wanted[i]) - step / 2);
  return error;
}

Recurrence gru(int64_t linear, const std::string& direction = "forward") {
  Recurrence node;
  node.kind = "GRU";
  node.linear = linear;
  node.direction = direction;
  return node;
}

/// What docs/guides/onnx.md says of 16 steps.
constexpr double kMostError = 0x1p-13;

}  // namespace

TEST_CASE("LSTM and GRU of 16 steps are their definition, within 2^-13") {
  for (const char* direction : {"forward", "reverse", "bidirectional"}) {
    Recurrence lstm;
    lstm.direction = direction;
    CHECK(error_of(lstm) < kMostError);
    lstm.batch = 3;
    lstm.has_bias = false;
    CHECK(error_of(lstm) < kMostError);
    for (const int64_t linear : {0, 1}) CHECK(error_of(gru(linear, direction)) < kMostError);
  }
}

TEST_CASE("states of LSTM and GRU start with numbers of the file, also above 1") {
  for (const double start : {0.9, 1.9}) {
    Recurrence lstm, wide = gru(0), linear = gru(1);
    for (Recurrence* node : {&lstm, &wide, &linear}) {
      node->start = start;
      node->steps = 3;
      node->batch = 2;
      CHECK(error_of(*node) < kMostError);
    }
  }
}

TEST_CASE("LSTM of large weights: gates that are 0 and 1") {
  Recurrence node;
  node.weight = 12;
  node.steps = 2;
  CHECK(error_of(node) < 8 * kMostError);  // weights have 16 bits, of 12
}

TEST_CASE("LSTM gives its last state and its last cell") {
  Recurrence node;
  node.direction = "bidirectional";
  node.batch = 2;
  node.draw();
  const std::vector<int64_t> codes = drawn_codes(node);
  Numbers cells;
  const Numbers all = node.states(numbers_of(codes), cells);
  const std::vector<int64_t> last = run_alone(network_of(node, 1, 0x1p-15), codes),
                             last_cells = run_alone(network_of(node, 2, 0x1p-12), codes);
  const int64_t size = node.batch * node.hidden;
  for (int64_t d = 0; d < 2; ++d) {
    const int64_t step = d == 0 ? node.steps - 1 : 0;
    for (int64_t i = 0; i < size; ++i) {
      CHECK(static_cast<double>(last[static_cast<size_t>(d * size + i)]) / 0x1p15 ==
            Approx(all[static_cast<size_t>((step * 2 + d) * size + i)]).margin(kMostError));
      CHECK(static_cast<double>(last_cells[static_cast<size_t>(d * size + i)]) / 0x1p12 ==
            Approx(cells[static_cast<size_t>(d * size + i)]).margin(2 * kMostError));
    }
  }
}

TEST_CASE("GRU with the batch first") {
  Recurrence node = gru(1);
  node.batch = 2;
  node.draw();
  const std::vector<int64_t> codes = drawn_codes(node);
  std::vector<int64_t> turned(codes.size());
  for (int64_t t = 0; t < node.steps; ++t) {
    for (int64_t n = 0; n < 2; ++n) {
      for (int64_t i = 0; i < node.inputs; ++i)
        turned[static_cast<size_t>((n * node.steps + t) * node.inputs + i)] =
            codes[static_cast<size_t>((t * 2 + n) * node.inputs + i)];
    }
  }
  const std::vector<int64_t> rows = run_alone(network_of(node, 0, 0x1p-15), codes);
  node.is_batch_first = true;
  const std::vector<int64_t> found = run_alone(network_of(node, 0, 0x1p-15), turned);
  for (int64_t t = 0; t < node.steps; ++t) {
    for (int64_t n = 0; n < 2; ++n) {
      for (int64_t k = 0; k < node.hidden; ++k)
        CHECK(found[static_cast<size_t>((n * node.steps + t) * node.hidden + k)] ==
              rows[static_cast<size_t>((t * 2 + n) * node.hidden + k)]);
    }
  }
}

TEST_CASE("a GRU reads the sums of a layer with weights as they are, however large they may be") {
  Recurrence node = gru(1);
  node.steps = 3;
  node.weight = 0.05;
  node.draw();
  const std::vector<int64_t> codes = drawn_codes(node);
  const Numbers matrix = node.drawn(node.inputs * node.inputs, 127);
  NetworkBuilder b = network_of(node, 0, 0x1p-15);
  Numbers rounded;
  for (const double one : matrix) rounded.push_back(std::nearbyint(one));
  const std::string weights = b.weights({node.inputs, node.inputs}, rounded, {0.1});
  b.network.nodes.push_back({"product", "MatMul", {b.network.nodes[2].inputs[0], weights}, {"product"}, {}});
  b.network.nodes[2].inputs[0] = "product";
  // Each node after those that it reads.
  std::rotate(b.network.nodes.begin() + 2, b.network.nodes.end() - 2, b.network.nodes.end());
  Numbers x;
  const Numbers numbers = numbers_of(codes);
  for (int64_t row = 0; row < node.steps; ++row) {
    for (int64_t k = 0; k < node.inputs; ++k) {
      double sum = 0;
      for (int64_t i = 0; i < node.inputs; ++i)
        sum += node.at(numbers, row * node.inputs + i) * node.at(rounded, i * node.inputs + k) * 0.1;
      x.push_back(sum);
    }
  }
  Numbers cells;
  const Numbers wanted = node.states(x, cells);
  const std::vector<int64_t> found = run_alone(b, codes);
  for (size_t i = 0; i < found.size(); ++i)
    CHECK(static_cast<double>(found[i]) / 0x1p15 == Approx(wanted[i]).margin(3 * kMostError));
}

TEST_CASE("a sequence may be longer than a CONCAT takes") {
  Recurrence node = gru(0);
  node.steps = 130;
  node.hidden = 2;
  node.inputs = 1;
  CHECK(error_of(node) < 4 * kMostError);
}

TEST_CASE("LSTM and GRU of two steps, and networks that are nearly they") {
  Recurrence lstm, small = gru(1, "bidirectional");
  for (Recurrence* node : {&lstm, &small}) {
    node->steps = 2;
    node->hidden = 2;
    node->inputs = 2;
    node->start = 0.5;
    node->draw();
    const std::vector<int64_t> codes = drawn_codes(*node);
    CHECK(network_of(*node, 0, 0x1p-15).run(codes) == run_alone(network_of(*node, 0, 0x1p-15), codes));
  }
}

TEST_CASE("what LSTM and GRU may not be is told by name") {
  Recurrence node;
  node.steps = 2;
  node.draw();
  const auto complaint = [&](const std::map<std::string, Attribute>& attributes) {
    return network_of(node, 0, 0x1p-15, attributes).complaints();
  };
  CHECK_THAT(complaint({{"clip", 3.0F}}), Contains("node 'cell' (LSTM): attribute clip is 3, allowed is none"));
  CHECK_THAT(complaint({{"input_forget", int64_t{1}}}), Contains("attribute input_forget is 1, allowed is 0"));
  CHECK_THAT(complaint({{"activations", std::string("Sigmoid Relu Tanh")}}),
             Contains("attribute activations is Sigmoid Relu Tanh, allowed is Sigmoid Tanh Tanh"));
  CHECK_THAT(complaint({{"layout", int64_t{2}}}), Contains("attribute layout is 2, allowed are 0 and 1"));
  NetworkBuilder b = network_of(node, 0, 0x1p-15);
  b.network.nodes[2].inputs.push_back(b.constant(kInt32, {1}, {1}));
  CHECK_THAT(b.complaints(), Contains("has sequences of other lengths, allowed are 2 steps of each"));
  NetworkBuilder with_peepholes = network_of(node, 0, 0x1p-15);
  with_peepholes.network.nodes[2].inputs.insert(with_peepholes.network.nodes[2].inputs.end(),
                                                {"", "", "", with_peepholes.constant(kFloat, {1, 15}, Numbers(15))});
  CHECK_THAT(with_peepholes.complaints(), Contains("gates that read the cell (input P, "));
  NetworkBuilder narrow = network_of(node, 0, 0x1p-15);
  narrow.network.constants[narrow.network.nodes[2].inputs[1]].shape = {1, 16, 5};
  CHECK_THAT(narrow.complaints(), Contains("the weights 'c2' has shape [1, 16, 5], expected [1, 20, 4]"));
}
