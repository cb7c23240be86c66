// SPDX-License-Identifier: Apache-2.0
// What takes the room when a schedule needs most of it.
#pragma once

#include "compiler/schedule/schedule.hpp"
#include "hw/package/package.hpp"

namespace vernier::emit {

/// The blocks that live at the command where most bytes do, among those commands at which a block that ends highest lives.
/// Linear in commands and blocks.
package::SramPeak sram_peak_of(const schedule::Schedule& schedule);

}  // namespace vernier::emit
