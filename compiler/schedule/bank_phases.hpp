// SPDX-License-Identifier: Apache-2.0
// In which bank each block of SRAM starts.
//
// The streams of a command walk through the banks side by side, and maps whose rows or pixels lie a multiple of all banks
// apart stay in theirs: if input and output start in the same one, each word that is written meets one that is read. So the
// operands of a command start in banks that lie apart (decision 0024).
#pragma once

#include "compiler/schedule/constants.hpp"
#include "compiler/schedule/known_times.hpp"
#include "compiler/schedule/layout.hpp"
#include "compiler/schedule/order.hpp"
#include "hw/config/machine_config.hpp"

namespace vernier::schedule {

/// Sets the phases of all blocks but the image's, command by command: a block that has none yet starts where it is farthest
/// from what the command's other operands start in. Where a command of the array would still wait for banks, its output
/// starts where it waits least.
void spread_over_banks(Layout& layout, const Sequence& sequence, const Image& image, const config::MachineConfig& config,
                       KnownTimes& times);

}  // namespace vernier::schedule
