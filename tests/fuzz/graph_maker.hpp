// SPDX-License-Identifier: Apache-2.0
// What the makers of random operators share: a graph that grows, random sizes, operands and values. With is_connected,
// operands are results that are there already, where one suits.
#pragma once

#include "compiler/ir/op_table.hpp"
#include "tests/support/graph_builder.hpp"
#include "tests/support/random.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::tests::fuzz {

/// A line of an operator's types in the verifier's table.
struct OpMode {
  ir::OpKind kind{};
  std::string_view types;             // the line: "int8 * int8 int8 int8 -> int8"
  std::vector<ElementType> operands;  // of a list (CONCAT): one; in place of '*': int8
  ElementType result{};
  int64_t least_rank = 0, most_rank = 6;  // of the first operand
  [[nodiscard]] std::string name() const { return fmt::format("{} {}", ir::to_string(kind), types); }
  [[nodiscard]] bool takes(ElementType type, const Shape& shape) const {
    const auto rank = static_cast<int64_t>(shape.size());
    return type == operands[0] && rank >= least_rank && rank <= most_rank;
  }
};

/// Values that an input may take, so that data does what TOSA requires.
struct ValueRange {
  int64_t least = 0, most = 0;
};

class GraphMaker {
 public:
  using TensorId = ir::TensorId;

  GraphMaker(uint64_t seed, bool is_connected, bool is_large)
      : random(seed), is_connected_(is_connected), is_large_(is_large) {}

  Random random;
  GraphBuilder b;

  [[nodiscard]] const Shape& shape(TensorId id) const { return b.shape_of(id); }
  [[nodiscard]] bool is_large() const { return is_large_; }
  [[nodiscard]] bool is_connected() const { return is_connected_; }
  [[nodiscard]] const std::vector<TensorId>& pool() const { return pool_; }
  [[nodiscard]] const std::vector<ValueRange>& input_ranges() const { return input_ranges_; }
  void add_result(TensorId id) { pool_.push_back(id); }

  /// A shape for the first operand of that operator.
  Shape first_shape(const OpMode& mode);
  /// Channels near the lanes of one machine or another, small and odd ones.
  int64_t channels();
  int64_t zero_point(ElementType type);

  TensorId new_input(ElementType type, const Shape& shape);
  TensorId new_input(ElementType type, const Shape& shape, ValueRange range);
  TensorId constant(ElementType type, const Shape& shape);
  TensorId constant(ElementType type, const Shape& shape, ValueRange range);
  /// A tensor of that type and shape: of the pool, a constant or a new input; never a constant with must_be_computed.
  TensorId operand(ElementType type, const Shape& shape, bool must_be_computed = false);
  /// The same with values in a range (which no tensor of the pool promises): a constant or a new input.
  TensorId operand(ElementType type, const Shape& shape, ValueRange range);
  /// The shape with some dimensions 1, and some that are 1 grown: what broadcasts with it.
  Shape broadcast_of(const Shape& shape);

 private:
  Shape image();
  Shape deep_image();
  bool is_connected_, is_large_;
  std::vector<TensorId> pool_;
  std::vector<ValueRange> input_ranges_;
};

/// Uniform values, or small ones, or only the ends of the type or range, as the seed says.
base::Tensor odd_values(ElementType type, const Shape& shape, uint64_t seed, ValueRange range);
ValueRange whole_range(ElementType type);

/// The largest tensor, in elements, and the most multiplications that a graph of the fuzzer may ask of one operator.
inline constexpr int64_t kMostElements = 60'000;
inline constexpr int64_t kMostMacs = 3'000'000;

}  // namespace vernier::tests::fuzz
