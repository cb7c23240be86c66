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

/// What decides where everything lies. All is kept by reference.
struct Placing {
  const passes::Program& program;
  const Sequence& sequence;
  const Layout& layout;  // allocated
  const std::vector<bool>& is_outside;
  ImagePlace image;
  /// Feature maps outside and the graph's inputs and outputs get a place in external memory, behind the image.
  bool has_homes;
  base::Address image_address;
};

/// The commands of the sequence with their final addresses. Throws TooMuchOutside when external memory does not reach so
/// far.
std::vector<spec::Command> placed_commands(const Placing& placing);
/// Fills in all that a schedule says of places: commands (those of placed_commands(), linked by tokens), placements,
/// placed, buffer_address, image_address, external_bytes.
void place(Schedule& schedule, const Placing& placing, const std::vector<spec::Command>& commands);

}  // namespace vernier::schedule
