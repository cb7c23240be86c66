// SPDX-License-Identifier: Apache-2.0
// Rounding between formats, against float arithmetic of the test's own.
#include "compiler/import/quantized/functions/requantize.hpp"

#include "tests/unit/compiler_import_quantized/network_builder.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace vernier;
using namespace vernier::tests;
using Codes = std::vector<int64_t>;

namespace {

/// All codes of 8 bits.
Codes all_codes() {
  Codes codes(256);
  std::iota(codes.begin(), codes.end(), -128);
  return codes;
}

int64_t half_even(double value, int64_t zero_point) {
  return std::clamp<int64_t>(static_cast<int64_t>(std::nearbyint(value)) + zero_point, -128, 127);
}

int64_t count_of(const ir::Graph& graph, ir::OpKind kind) {
  return std::count_if(graph.operators.begin(), graph.operators.end(),
                       [&](const ir::Operator& op) { return op.kind == kind; });
}

/// x times one weight, with a quantizer behind it: sums from -128 * weight to 127 * weight.
NetworkBuilder times(double weight, double weight_scale, double out_scale, int64_t out_zero_point) {
  NetworkBuilder b({256, 1});
  const std::string x = b.quantized("x", 1, 0);
  b.output(b.quantized(b.node("MatMul", {x, b.weights({1, 1}, {weight}, {weight_scale})}), out_scale, out_zero_point));
  return b;
}

}  // namespace

TEST_CASE("sums by a power of two round half to even, whatever the zero point") {
  for (int k = -3; k <= 9; ++k) {
    for (const int64_t zero_point : {0, 5, -8}) {
      const double weight = k >= 5 ? 127 : 3;
      const Codes found = times(weight, 1, std::ldexp(1, k), zero_point).run(all_codes());
      for (int64_t code = -128; code < 128; ++code) {
        INFO("2^-" << k << ", zero point " << zero_point << ", code " << code);
        CHECK(found[static_cast<size_t>(code + 128)] ==
              half_even(static_cast<double>(code) * weight / std::ldexp(1, k), zero_point));
      }
    }
  }
}

TEST_CASE("channels with a power of two and channels without one stand side by side") {
  NetworkBuilder b({256, 1});
  const std::string w = b.weights({1, 3}, {3, 5, 7}, {0.25, 0.3, 0.5}, 1);
  b.output(b.quantized(b.node("MatMul", {b.quantized("x", 1, 0), w}), 1, 0));
  const Codes found = b.run(all_codes());
  for (int64_t code = -128; code < 128; ++code) {
    const auto at = static_cast<size_t>(3 * (code + 128));
    const auto x = static_cast<double>(code);
    CHECK(found[at] == half_even(x * 3 * 0.25, 0));
    CHECK(found[at + 1] == half_even(x * 5 * static_cast<double>(0.3F), 0));
    CHECK(found[at + 2] == half_even(x * 7 * 0.5, 0));
  }
}

TEST_CASE("scales that are no power of two take one RESCALE, which rounds as float arithmetic does") {
  const NetworkBuilder b = times(113, 0.0173, 3.1, 7);
  import::ImportResult result = b.lowered();
  const ir::Graph graph = import::take_graph(result);
  CHECK(count_of(graph, ir::OpKind::Rescale) == 1);
  CHECK(count_of(graph, ir::OpKind::Add) == 0);
  const Codes found = b.run(all_codes());
  const double ratio = static_cast<double>(0.0173F) / static_cast<double>(3.1F);
  for (int64_t code = -128; code < 128; ++code)
    CHECK(found[static_cast<size_t>(code + 128)] == half_even(static_cast<double>(113 * code) * ratio, 7));
}

TEST_CASE("codes to codes of another format go through one table, exactly") {
  NetworkBuilder b({256});
  b.output(b.quantized(b.quantized("x", 0.5, 3), 0.3, -100));
  const Codes found = b.run(all_codes());
  for (int64_t code = -128; code < 128; ++code) {
    const float real = static_cast<float>(code - 3) * 0.5F;
    CHECK(found[static_cast<size_t>(code + 128)] == half_even(static_cast<double>(real / 0.3F), -100));
  }
  import::ImportResult result = b.lowered();
  CHECK(import::take_graph(result).operators.size() == 1);
}

TEST_CASE("a quantizer that repeats the one before is nothing, a Relu on the same codes a CLAMP") {
  NetworkBuilder b({256});
  b.output(b.quantized(b.node("Relu", {b.quantized(b.quantized("x", 0.5, 3), 0.5, 3)}), 0.5, 3));
  import::ImportResult result = b.lowered();
  const ir::Graph graph = import::take_graph(result);
  REQUIRE(graph.operators.size() == 1);
  CHECK(graph.operators[0].kind == ir::OpKind::Clamp);
  const Codes found = b.run(all_codes());
  for (int64_t code = -128; code < 128; ++code) CHECK(found[static_cast<size_t>(code + 128)] == std::max<int64_t>(code, 3));
}

TEST_CASE("Relu and Clip between sums and their quantizer clamp the codes") {
  NetworkBuilder b({256, 1});
  const std::string sums = b.node("MatMul", {b.quantized("x", 1, 0), b.weights({1, 1}, {3}, {0.4})});
  const std::string clipped =
      b.node("Clip", {b.node("Relu", {sums}), b.constant(kFloat, {}, {-5}), b.constant(kFloat, {}, {20})});
  b.output(b.quantized(clipped, 0.7, -20));
  const Codes found = b.run(all_codes());
  for (int64_t code = -128; code < 128; ++code) {
    const double real = std::clamp(static_cast<double>(code) * 3 * static_cast<double>(0.4F), 0.0, 20.0);
    CHECK(found[static_cast<size_t>(code + 128)] == half_even(real / static_cast<double>(0.7F), -20));
  }
}

TEST_CASE("unsigned codes lie in the graph less 128, and the boundary says so") {
  NetworkBuilder b({256});
  b.output(b.quantized(b.node("Neg", {b.quantized("x", 0.5, 130, kUint8)}), 0.5, 120, kUint8));
  const import::ImportResult result = b.lowered();
  REQUIRE(result.graph);
  CHECK(result.boundary.inputs == std::vector<package::BoundaryEnd>{{"x", true, false, 0.5F, 130}});
  CHECK(result.boundary.outputs == std::vector<package::BoundaryEnd>{{b.network.outputs[0].name, true, false, 0.5F, 120}});
  const Codes found = b.run(all_codes());
  for (int64_t code = 0; code < 256; ++code)
    CHECK(found[static_cast<size_t>(code)] + 128 == std::clamp<int64_t>(-(code - 130) + 120, 0, 255));
}

TEST_CASE("sums that do not fit 32 bits after the scale saturate") {
  const Codes found = times(127, 1, 1e-8, 0).run(all_codes());
  CHECK(Codes(found.begin() + 127, found.begin() + 130) == Codes{-128, 0, 127});  // of -1, 0 and 1
}

TEST_CASE(
    "a bias of other steps than the products' is added as it is, and rounded with a warning where no rescale adds it") {
  const auto biased = [](double scale, double code, bool is_rescaled = true) {
    NetworkBuilder b({1, 1, 1, 1});
    const std::string w = b.weights({1, 1, 1, 1}, {2}, {0.5});
    const std::string bias = b.weights({1}, {code}, {scale}, 0, kInt32);
    const std::string sums = b.node("Conv", {b.quantized("x", 0.5, 0), w, bias});
    b.output(is_rescaled ? b.quantized(sums, 0.25, 0) : sums);
    return b;
  };
  CHECK(biased(0.25, 7).run({1}) == Codes{9});
  CHECK(biased(0.25, 7).complaints().empty());
  CHECK(biased(1, 2).run({1}) == Codes{10});  // 2 / 0.25 steps, a whole number
  CHECK(biased(1, 2).complaints().empty());
  CHECK(biased(0.1, 3).run({1}) == Codes{3});
  CHECK(biased(0.1, 3).complaints() ==
        "a bias is no whole number of steps (input scale * weight scale) in 'n_v4': what is beyond whole steps is added to "
        "the sums in 32 bits, two operations more for each number; biases of int32 in these steps save them");
  CHECK(
      biased(0.1, 3, false).complaints() ==
      "node 'n_v4' (Conv): the bias 'v1' has steps of 0.4 times those of the products; it is rounded to whole steps of the "
      "products, by up to 0.2 of one");
}

TEST_CASE("how layers are rescaled is told: ratios, powers of two, errors of multipliers") {
  NetworkBuilder b({1, 1});
  const std::string first =
      b.quantized(b.node("MatMul", {b.quantized("x", 0.5, 0), b.weights({1, 2}, {1, 2}, {0.5, 0.3}, 1)}), 1, 0);
  b.output(b.quantized(b.node("MatMul", {first, b.weights({2, 1}, {1, 2}, {0.25})}), 0.7, 0));
  const auto rescalings = b.lowered().rescalings;
  REQUIRE(rescalings.size() == 2);
  CHECK(rescalings[0].num_ratios == 2);
  CHECK(rescalings[0].num_powers_of_two == 1);
  CHECK(rescalings[0].greatest_error == 0);  // 0.15 of two float32 has 25 bits
  CHECK(rescalings[1].num_powers_of_two == 0);
  CHECK(rescalings[1].greatest_error > 0);
  CHECK(rescalings[1].greatest_error < 0x1p-30);
  CHECK(rescalings[1].rounds_to_even);
}

TEST_CASE("a ratio is a power of two where it is so but for the rounding of doubles") {
  using import::quantized::halvings_of;
  for (const int k : {0, 1, 5, 31}) {
    const double power = std::ldexp(1.0, -k);
    CHECK(halvings_of(power) == k);
    CHECK(halvings_of(power * (1 - 0x1p-50)) == k);
    CHECK(halvings_of(power * (1 + 0x1p-50)) == k);
    // A float that is the next one to a power of two is another ratio, which has no ties.
    CHECK(!halvings_of(power * (1 - 0x1p-24)));
    CHECK(!halvings_of(power * (1 + 0x1p-23)));
  }
  CHECK(halvings_of(8.0) == -3);
  CHECK(halvings_of(0x1p31) == -31);
  CHECK(!halvings_of(0x1p32));
  CHECK(!halvings_of(0x1p-32));
  CHECK(!halvings_of(0.75));
}
