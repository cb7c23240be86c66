// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/graph_maker.hpp"

#include <algorithm>

namespace vernier::tests::fuzz {

using TensorId = ir::TensorId;

ValueRange whole_range(ElementType type) { return {base::min_value(type), base::max_value(type)}; }

base::Tensor odd_values(ElementType type, const Shape& shape, uint64_t seed, ValueRange range) {
  Random random(seed);
  const int64_t style = random.within(0, 9);
  if (style == 0) return random_tensor(type, shape, seed, range.least, range.least);
  if (style == 1) return random_tensor(type, shape, seed, range.most, range.most);
  if (style == 2) {
    const int64_t middle = std::clamp<int64_t>(0, range.least, range.most);
    return random_tensor(type, shape, seed, std::max(range.least, middle - 3), std::min(range.most, middle + 3));
  }
  base::Tensor tensor = random_tensor(type, shape, seed, range.least, range.most);
  // Ends of the range among the others, or nothing but them.
  const int64_t percent = style == 3 ? 100 : style < 7 ? 5 : 0;
  if (percent == 0) return tensor;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (random.chance(percent)) tensor.set(i, random.chance(50) ? range.least : range.most);
  }
  return tensor;
}

Shape GraphMaker::first_shape(const OpMode& mode) {
  if (mode.kind == ir::OpKind::DepthwiseConv2d && random.chance(20)) return deep_image();
  if (mode.least_rank == 4 && mode.most_rank == 4) return image();
  Shape shape;
  const int64_t rank = random.within(mode.least_rank, mode.most_rank);
  if (mode.least_rank == mode.most_rank) {  // of MATMUL, GATHER, SCATTER, CONV3D
    shape.push_back(random.within(1, 3));
    for (int64_t i = 1; i + 1 < rank; ++i) shape.push_back(is_large_ ? random.within(10, 100) : random.within(1, 9));
    shape.push_back(channels());
    if (rank > 3) shape = {shape[0], random.within(1, 6), random.within(1, 8), random.within(1, 8), shape.back()};
    return shape;
  }
  if (is_large_ && random.chance(50) && mode.most_rank >= 4) return image();
  for (int64_t i = 0; i < rank; ++i) shape.push_back(random.pick<int64_t>({1, 1, 2, 3, 4, 5, 7, 9, 16, 17}));
  if (rank > 0 && random.chance(60)) shape.back() = channels();
  if (rank > 0 && is_large_) shape[static_cast<size_t>(random.within(0, rank - 1))] = random.within(20, 300);
  while (base::num_elements(shape) > kMostElements / 2)
    shape[static_cast<size_t>(random.within(0, rank - 1))] = random.within(1, 3);
  return shape;
}

Shape GraphMaker::image() {
  const int64_t batch = random.chance(25) ? random.within(2, 3) : 1;
  const auto extent = [&] {
    if (random.chance(10)) return int64_t{1};
    return is_large_ ? random.within(8, 28) : random.within(1, 12);
  };
  Shape shape{batch, extent(), extent(), channels()};
  if (random.chance(8)) {  // long and thin
    shape = {1, random.within(1, 3), random.within(1, 3), random.within(1, 9)};
    shape[static_cast<size_t>(random.within(1, 3))] = random.within(60, 1500);
    if (random.chance(50)) std::swap(shape[1], shape[2]);
  }
  while (base::num_elements(shape) > kMostElements / 2) shape[random.chance(50) ? 1 : 3] = random.within(1, 12);
  return shape;
}

/// Channels a multiple of four blocks of one machine or another: a depthwise layer then has the map copied where it is
/// dense.
Shape GraphMaker::deep_image() {
  Shape shape{random.chance(15) ? 2 : 1, random.within(3, 14), random.within(3, 14),
              random.pick<int64_t>({32, 64, 64, 64, 96, 128, 128, 192, 256, random.within(64, 256)})};
  while (base::num_elements(shape) > kMostElements / 2) shape[1] = shape[2] = random.within(3, 9);
  return shape;
}

int64_t GraphMaker::channels() {
  if (random.chance(25)) return random.within(1, 70);
  return random.pick<int64_t>({1, 2, 3, 4, 7, 8, 8, 9, 15, 16, 16, 16, 17, 24, 31, 32, 32, 33, 48, 63, 64, 65});
}

int64_t GraphMaker::zero_point(ElementType type) {
  if (type != ElementType::Int8 || random.chance(40)) return 0;
  return random.chance(40) ? random.pick<int64_t>({-128, 127}) : random.within(-128, 127);
}

TensorId GraphMaker::new_input(ElementType type, const Shape& shape) { return new_input(type, shape, whole_range(type)); }

TensorId GraphMaker::new_input(ElementType type, const Shape& shape, ValueRange range) {
  const TensorId id = b.input(fmt::format("input{}", input_ranges_.size()), type, shape);
  input_ranges_.push_back(range);
  pool_.push_back(id);
  return id;
}

TensorId GraphMaker::constant(ElementType type, const Shape& shape) { return constant(type, shape, whole_range(type)); }

TensorId GraphMaker::constant(ElementType type, const Shape& shape, ValueRange range) {
  return b.constant(odd_values(type, shape, random.seed(), range));
}

TensorId GraphMaker::operand(ElementType type, const Shape& shape, bool must_be_computed) {
  if (random.chance(is_connected_ ? 80 : 15)) {
    std::vector<TensorId> suiting;
    for (const TensorId id : pool_) {
      if (b.type_of(id) == type && b.shape_of(id) == shape) suiting.push_back(id);
    }
    if (!suiting.empty()) return random.pick(suiting);
  }
  if (!must_be_computed && random.chance(40)) return constant(type, shape);
  return new_input(type, shape);
}

TensorId GraphMaker::operand(ElementType type, const Shape& shape, ValueRange range) {
  return random.chance(50) ? constant(type, shape, range) : new_input(type, shape, range);
}

Shape GraphMaker::broadcast_of(const Shape& shape) {
  if (random.chance(35)) return shape;
  Shape other = shape;
  if (random.chance(20)) return Shape(shape.size(), 1);
  int64_t elements = base::num_elements(shape);
  for (int64_t& extent : other) {
    if (extent > 1 && random.chance(35)) {
      extent = 1;
    } else if (extent == 1 && random.chance(20)) {
      const int64_t grown = random.pick<int64_t>({2, 3, 5, 16, 17});
      if (elements * grown <= kMostElements / 2) elements *= extent = grown;
    }
  }
  return other;
}

}  // namespace vernier::tests::fuzz
