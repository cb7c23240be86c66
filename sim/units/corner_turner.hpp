// SPDX-License-Identifier: Apache-2.0
// The values of a Transpose: read by whole rows, turned on the host, written by whole columns. SystemC-free.
#pragma once

#include "hw/spec/command.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace vernier::units {

/// The copy that has the rows of all matrices as its source runs, in order; its destination means nothing.
spec::DmaCommand source_rows(const spec::DmaCommand& transpose);
/// The copy that has the columns of all matrices as its destination runs, in order; its source means nothing.
spec::DmaCommand destination_columns(const spec::DmaCommand& transpose);

/// The bytes of all source runs of source_rows(), in the order of the destination runs of destination_columns().
std::vector<std::byte> turn_corners(const spec::DmaCommand& transpose, std::span<const std::byte> rows);

}  // namespace vernier::units
