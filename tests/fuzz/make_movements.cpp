// SPDX-License-Identifier: Apache-2.0
// Operators that move elements: CONCAT, PAD, RESHAPE, REVERSE, SLICE, TILE, TRANSPOSE, GATHER, SCATTER.
#include "tests/fuzz/makers.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace vernier::tests::fuzz {

using ir::OpKind;
using ir::TensorId;

namespace {

int64_t random_axis(GraphMaker& m, const Shape& shape) { return m.random.within(0, static_cast<int64_t>(shape.size()) - 1); }

TensorId add(GraphMaker& m, const OpMode& mode, const std::vector<TensorId>& operands, const Shape& out,
             const ir::Attributes& attributes = {}) {
  if (base::num_elements(out) > kMostElements) return kDoesNotSuit;
  return m.b.op(mode.kind, operands, mode.result, out, attributes);
}

TensorId make_concat(GraphMaker& m, const OpMode& mode, TensorId x) {
  const int64_t axis = random_axis(m, m.shape(x));
  Shape out = m.shape(x);
  int64_t& length = out[static_cast<size_t>(axis)];
  std::vector<TensorId> pieces{x};
  for (int64_t more = m.random.within(0, 3); more > 0; --more) {
    Shape other = m.shape(x);
    if (m.random.chance(50)) other[static_cast<size_t>(axis)] = m.random.within(1, 17);
    pieces.push_back(m.random.chance(15) ? x : m.operand(mode.operands[0], other));
    length += m.shape(pieces.back())[static_cast<size_t>(axis)];
  }
  if (m.random.chance(50)) std::swap(pieces.front(), pieces.back());
  return add(m, mode, pieces, out, ir::AxisAttributes{axis});
}

TensorId make_pad(GraphMaker& m, const OpMode& mode, TensorId x) {
  std::vector<int64_t> padding;
  Shape out = m.shape(x);
  for (int64_t& extent : out) {
    for (int side = 0; side < 2; ++side)
      padding.push_back(m.random.chance(50) ? 0 : m.random.within(1, m.random.chance(96) ? 4 : 60));
    extent += padding.back() + padding[padding.size() - 2];
  }
  const ValueRange range = whole_range(mode.result);
  const TensorId value = m.b.scalar(mode.result, m.random.within(range.least, range.most));
  return add(m, mode, {x, m.b.shape(padding), value}, out);
}

/// The elements in another shape: dimensions merged, split, ones added or taken out.
TensorId make_reshape(GraphMaker& m, const OpMode& mode, TensorId x) {
  Shape out = m.shape(x);
  for (int64_t change = m.random.within(0, 4); change > 0; --change) {
    const auto rank = static_cast<int64_t>(out.size());
    const auto at = m.random.within(0, std::max<int64_t>(0, rank - 1));
    const auto place = out.begin() + at;
    switch (m.random.within(0, 3)) {
      case 0:
        if (at + 1 < rank) {
          *place *= *(place + 1);
          out.erase(place + 1);
        }
        break;
      case 1:
        if (rank > 0 && rank < 6) {
          const int64_t factor = m.random.pick<int64_t>({2, 3, 4, 8, 16});
          if (*place % factor == 0) {
            *place /= factor;
            out.insert(place + m.random.within(0, 1), factor);
          }
        }
        break;
      case 2:
        if (rank < 6) out.insert(place, 1);
        break;
      default:
        if (rank > 0 && *place == 1) out.erase(place);
    }
  }
  return add(m, mode, {x, m.b.shape(out)}, out);
}

TensorId make_reverse(GraphMaker& m, const OpMode& mode, TensorId x) {
  return add(m, mode, {x}, m.shape(x), ir::AxisAttributes{random_axis(m, m.shape(x))});
}

TensorId make_slice(GraphMaker& m, const OpMode& mode, TensorId x) {
  std::vector<int64_t> start, size;
  for (const int64_t extent : m.shape(x)) {
    const bool is_whole = m.random.chance(40);
    start.push_back(is_whole ? 0 : m.random.within(0, extent - 1));
    size.push_back(is_whole ? extent : m.random.within(1, extent - start.back()));
  }
  return add(m, mode, {x, m.b.shape(start), m.b.shape(size)}, size);
}

TensorId make_tile(GraphMaker& m, const OpMode& mode, TensorId x) {
  std::vector<int64_t> times;
  Shape out = m.shape(x);
  for (int64_t& extent : out) {
    times.push_back(m.random.chance(60) ? 1 : m.random.within(2, 3));
    extent *= times.back();
  }
  return add(m, mode, {x, m.b.shape(times)}, out);
}

TensorId make_transpose(GraphMaker& m, const OpMode& mode, TensorId x) {
  const Shape& in = m.shape(x);
  std::vector<int64_t> perms(in.size());
  std::iota(perms.begin(), perms.end(), 0);
  if (in.size() == 4 && m.random.chance(30)) {
    perms = m.random.chance(50) ? std::vector<int64_t>{0, 3, 1, 2} : std::vector<int64_t>{0, 2, 3, 1};
  } else {
    for (int64_t d = 1; d < static_cast<int64_t>(in.size()); ++d)
      std::swap(perms[static_cast<size_t>(d)], perms[static_cast<size_t>(m.random.within(0, d))]);
  }
  Shape out;
  for (const int64_t d : perms) out.push_back(in[static_cast<size_t>(d)]);
  return add(m, mode, {x}, out, ir::TransposeAttributes{perms});
}

TensorId make_gather(GraphMaker& m, const OpMode& mode, TensorId values) {
  const Shape in = m.shape(values);
  const Shape index_shape{in[0], m.random.within(1, 40)};
  const TensorId indices = m.operand(ElementType::Int32, index_shape, {0, in[1] - 1});
  return add(m, mode, {values, indices}, {in[0], index_shape[1], in[2]});
}

/// Indices are all different within a batch, as TOSA requires: constants, or one a batch.
TensorId make_scatter(GraphMaker& m, const OpMode& mode, TensorId values) {
  const Shape out = m.shape(values);
  const int64_t width = m.random.chance(25) ? 1 : m.random.within(1, out[1]);
  const Shape index_shape{out[0], width};
  TensorId indices = kDoesNotSuit;
  if (width == 1 && m.random.chance(50)) {
    indices = m.new_input(ElementType::Int32, index_shape, {0, out[1] - 1});
  } else {
    std::vector<int64_t> index;
    for (int64_t n = 0; n < out[0]; ++n) {
      std::vector<int64_t> rows(static_cast<size_t>(out[1]));
      std::iota(rows.begin(), rows.end(), 0);
      for (int64_t i = 0; i < width; ++i) {
        std::swap(rows[static_cast<size_t>(i)], rows[static_cast<size_t>(m.random.within(i, out[1] - 1))]);
        index.push_back(rows[static_cast<size_t>(i)]);
      }
    }
    indices = m.b.constant(ElementType::Int32, index_shape, index);
  }
  return add(m, mode, {values, indices, m.operand(mode.operands[2], {out[0], width, out[2]})}, out);
}

constexpr std::array kMovementMakers{Maker{OpKind::Concat, 3, make_concat},       Maker{OpKind::Pad, 2, make_pad},
                                     Maker{OpKind::Reshape, 2, make_reshape},     Maker{OpKind::Reverse, 1, make_reverse},
                                     Maker{OpKind::Slice, 2, make_slice},         Maker{OpKind::Tile, 1, make_tile},
                                     Maker{OpKind::Transpose, 3, make_transpose}, Maker{OpKind::Gather, 1, make_gather},
                                     Maker{OpKind::Scatter, 1, make_scatter}};

}  // namespace

std::span<const Maker> movement_makers() { return kMovementMakers; }

}  // namespace vernier::tests::fuzz
