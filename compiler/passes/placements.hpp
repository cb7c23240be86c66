// SPDX-License-Identifier: Apache-2.0
// Where the elements of a tensor lie inside its buffer: the layouts, and the views on them.
//   dense   row-major, as TOSA has it
//   planes  rank 4, NHWC: blocks of N channels, each block a plane of rows, a pixel of a plane one SRAM word (int16: two)
#pragma once

#include "hw/base/tensor.hpp"
#include "hw/package/package.hpp"
#include "hw/spec/command.hpp"

#include <cstdint>
#include <optional>

namespace vernier::passes {

package::Placement dense_placement(const base::Shape& shape, base::ElementType type);
/// Int8 or int16, channels a multiple of `lanes`. The row pitch in words is not 0 or 4 modulo the number of banks, so that
/// neighbours across the rows meet in different banks. `window_stride`: of the depthwise windows that read the map, 0: none.
/// For int8 the pitch is then 3 modulo the banks (or 5, at stride 1), so that no fetch of a 3x3 window meets itself: neither
/// the first nine words, four a cycle, nor the three that enter along a row or a column, nor, with 3, the six of stride 2.
/// nullopt: rows side by side, whatever comes of it.
package::Placement planes_placement(const base::Shape& shape, base::ElementType type, int64_t lanes,
                                    std::optional<int64_t> window_stride = 0);

/// Bytes from the start of the buffer to one past the last element.
int64_t placed_bytes(const package::Placement& placement, const base::Shape& shape, base::ElementType type);
/// Whether the elements lie side by side, in row-major order.
bool is_dense(const package::Placement& placement, const base::Shape& shape, base::ElementType type);
/// Whether the last dimension is cut into blocks that are apart.
bool has_planes(const package::Placement& placement, const base::Shape& shape, base::ElementType type);
/// The part of a placed tensor that starts at `begin`. Planes may not be cut along channels.
package::Placement slice_placement(const package::Placement& placement, const base::Shape& begin, base::ElementType type);

/// The same bytes in a shape that differs in dimensions of one element only, the last one not among them; a dense tensor
/// takes any shape.
package::Placement renamed_placement(const package::Placement& placement, const base::Shape& from, const base::Shape& to,
                                     base::ElementType type);
/// Whether two shapes differ in dimensions of one element only, and not in their last one.
bool is_renaming(const base::Shape& from, const base::Shape& to);

/// Dimension i of the result is dimension perms[i] of the tensor, which is not in planes. Where the last one moves, elements
/// of the result's last dimension are blocks of one channel.
package::Placement transposed_placement(const package::Placement& placement, const std::vector<int64_t>& perms,
                                        base::ElementType type);

/// Image `image` of a rank-4 tensor, as the MAC array reads and writes it.
spec::FeatureMap feature_map(const package::Placement& placement, const base::Shape& shape, base::ElementType type,
                             int64_t image, int64_t lanes);

}  // namespace vernier::passes
