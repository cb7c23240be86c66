// SPDX-License-Identifier: Apache-2.0
// Feature maps in external memory (memory mode external): what a command reads of them is copied to SRAM before it, what it
// writes is copied out after it. Graph inputs that stay in SRAM are loaded once, graph outputs stored once.
#pragma once

#include "compiler/schedule/linearise.hpp"

#include <vector>

namespace vernier::schedule {

/// Inserts the copies. `is_outside`: by BufferId. Copies into SRAM go ahead of up to `ahead` commands that do not write what
/// they read; loads are on queue dma0, stores on dma1.
LinearProgram add_copies(LinearProgram linear, const passes::Program& program, const std::vector<bool>& is_outside,
                         const spec::Datapath& datapath, int64_t ahead);

}  // namespace vernier::schedule
