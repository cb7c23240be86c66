// SPDX-License-Identifier: Apache-2.0
// The numbers of one grid, checked against each other.
#pragma once

#include "compiler/import/aimet/encodings.hpp"
#include "compiler/import/aimet/findings.hpp"

#include <cstdint>
#include <optional>

namespace vernier::import::aimet {

/// What a file says of one grid; nothing where it says nothing. Each number is legal by itself.
struct StatedGrid {
  int64_t line = 0;
  std::optional<double> scale;  // above 0
  std::optional<int64_t> offset;
  std::optional<double> min, max;  // the reals of the first and of the last code
};

/// The grid; nothing after an error finding. What is missing follows from the rest: scale and offset from min and max.
/// Tolerances: files carry numbers that went through float32. scale and (max - min) / steps may differ by 1e-5 of
/// themselves; min / scale may differ from the offset by 1e-3 of a step at 8 bits, at more bits by 1e-6 of all steps.
/// An offset that is the zero point (min says so), or the zero point less one, as old TensorFlow files have it, is turned
/// into the negative one, with a warning.
std::optional<Grid> grid_of(const Place& place, int bits, bool is_symmetric, const StatedGrid& stated);

}  // namespace vernier::import::aimet
