// SPDX-License-Identifier: Apache-2.0
// Gives every address field its final value.
#pragma once

#include "compiler/schedule/layout.hpp"
#include "compiler/schedule/order.hpp"
#include "compiler/schedule/schedule.hpp"

#include <vector>

namespace vernier::schedule {

/// The image, and the bytes that it takes together with the commands.
struct ImagePlace {
  const Image& image;
  int64_t size_bytes;
};

/// Fills in commands, placements, placed and buffer_address of a schedule whose image_address is known. `layout` is
/// allocated. `has_homes`: feature maps outside and the graph's inputs and outputs get a place in external memory, behind
/// the image. Throws TooMuchOutside when that memory does not reach so far.
void place(Schedule& schedule, const passes::Program& program, const ir::Graph& graph, const Sequence& sequence,
           const Layout& layout, const std::vector<bool>& is_outside, const ImagePlace& image, bool has_homes);

}  // namespace vernier::schedule
