// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/placements.hpp"

#include "hw/base/error.hpp"
#include "hw/spec/machine.hpp"

namespace vernier::passes {

package::Placement dense_placement(const base::Shape& shape, base::ElementType type) {
  package::Placement placement;
  const int64_t element = base::stored_bytes(type);
  placement.channel_block = shape.empty() ? 1 : shape.back();
  placement.block_pitch_bytes = placement.channel_block * element;
  if (shape.empty()) return placement;
  placement.strides_bytes.resize(shape.size() - 1);
  int64_t stride = placement.block_pitch_bytes;
  for (size_t i = shape.size() - 1; i-- > 0;) {
    placement.strides_bytes[i] = stride;
    stride *= shape[i];
  }
  return placement;
}

namespace {

/// Whether rows of that many words keep neighbours across the rows out of each other's banks.
bool is_free_of_conflicts(int64_t row_words, base::ElementType type, int64_t window_stride) {
  const int64_t phase = row_words % spec::kNumSramBanks;
  if (window_stride == 0 || type != base::ElementType::Int8) return phase % (spec::kNumSramBanks / 2) != 0;
  return phase == 3 || (phase == 5 && window_stride == 1);
}

}  // namespace

package::Placement planes_placement(const base::Shape& shape, base::ElementType type, int64_t lanes,
                                    std::optional<int64_t> window_stride) {
  VERNIER_CHECK(shape.size() == 4 && shape[3] % lanes == 0, "planes of {} channels for {}", lanes, base::to_string(shape));
  const int64_t pixel_words = base::stored_bytes(type);
  int64_t row_pixels = shape[2];
  while (window_stride && !is_free_of_conflicts(row_pixels * pixel_words, type, *window_stride)) ++row_pixels;
  const int64_t pixel_bytes = pixel_words * lanes;
  package::Placement placement;
  placement.channel_block = lanes;
  placement.block_pitch_bytes = shape[1] * row_pixels * pixel_bytes;
  placement.strides_bytes = {shape[3] / lanes * placement.block_pitch_bytes, row_pixels * pixel_bytes, pixel_bytes};
  return placement;
}

int64_t placed_bytes(const package::Placement& placement, const base::Shape& shape, base::ElementType type) {
  base::Shape last = shape;
  for (int64_t& i : last) --i;
  return package::offset_of(placement, last, type) + base::stored_bytes(type);
}

bool has_planes(const package::Placement& placement, const base::Shape& shape, base::ElementType type) {
  return !shape.empty() && shape.back() > placement.channel_block &&
         placement.block_pitch_bytes != placement.channel_block * base::stored_bytes(type);
}

bool is_dense(const package::Placement& placement, const base::Shape& shape, base::ElementType type) {
  if (has_planes(placement, shape, type)) return false;
  const package::Placement dense = dense_placement(shape, type);
  for (size_t i = 0; i < dense.strides_bytes.size(); ++i) {
    if (shape[i] > 1 && placement.strides_bytes[i] != dense.strides_bytes[i]) return false;
  }
  return true;
}

package::Placement slice_placement(const package::Placement& placement, const base::Shape& begin, base::ElementType type) {
  package::Placement part = placement;
  if (!begin.empty()) {
    const bool has_blocks = placement.block_pitch_bytes != placement.channel_block * base::stored_bytes(type);
    VERNIER_CHECK(begin.back() == 0 || !has_blocks, "planes cut at channel {}", begin.back());
  }
  part.base.offset = static_cast<uint64_t>(package::offset_of(placement, begin, type));
  return part;
}

bool is_renaming(const base::Shape& from, const base::Shape& to) {
  base::Shape a = from, b = to;
  if (a.empty() || b.empty()) return a == b;
  std::erase(a, 1);
  std::erase(b, 1);
  return a == b && from.back() == to.back();
}

package::Placement renamed_placement(const package::Placement& placement, const base::Shape& from, const base::Shape& to,
                                     base::ElementType type) {
  if (from == to) return placement;
  package::Placement result = placement;
  if (is_dense(placement, from, type)) {
    result = dense_placement(to, type);
    result.base = placement.base;
    return result;
  }
  VERNIER_CHECK(is_renaming(from, to), "a view of {} as {}", base::to_string(from), base::to_string(to));
  result.strides_bytes.resize(to.size() - 1);
  size_t at = from.size() - 1;
  int64_t inside = to.back() * base::stored_bytes(type);  // where nothing is stepped over
  for (size_t d = to.size() - 1; d-- > 0;) {
    result.strides_bytes[d] = inside;
    if (to[d] == 1) continue;
    do --at;
    while (from[at] == 1);
    result.strides_bytes[d] = placement.strides_bytes[at];
    inside = result.strides_bytes[d] * to[d];
  }
  return result;
}

package::Placement transposed_placement(const package::Placement& placement, const std::vector<int64_t>& perms,
                                        base::ElementType type) {
  package::Placement result = placement;
  const int64_t element = base::stored_bytes(type);
  const auto stride_of = [&](int64_t dim) {
    return static_cast<size_t>(dim) + 1 == perms.size() ? element : placement.strides_bytes[static_cast<size_t>(dim)];
  };
  for (size_t d = 0; d + 1 < perms.size(); ++d) result.strides_bytes[d] = stride_of(perms[d]);
  if (perms.back() + 1 != static_cast<int64_t>(perms.size())) {
    result.channel_block = 1;
    result.block_pitch_bytes = stride_of(perms.back());
  }
  return result;
}

spec::FeatureMap feature_map(const package::Placement& placement, const base::Shape& shape, base::ElementType type,
                             int64_t image, int64_t lanes) {
  VERNIER_CHECK(shape.size() == 4, "a feature map of shape {}", base::to_string(shape));
  spec::FeatureMap map;
  map.type = type;
  map.base = static_cast<int64_t>(placement.base.offset) + image * placement.strides_bytes[0];
  map.row_pitch_bytes = placement.strides_bytes[1];
  map.pixel_pitch_bytes = placement.strides_bytes[2];
  map.block_pitch_bytes = lanes * base::stored_bytes(type);
  if (has_planes(placement, shape, type)) {
    VERNIER_CHECK(placement.channel_block == lanes, "planes of {} channels", placement.channel_block);
    map.block_pitch_bytes = placement.block_pitch_bytes;
  }
  return map;
}

}  // namespace vernier::passes
