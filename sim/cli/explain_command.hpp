// SPDX-License-Identifier: Apache-2.0
// `vernier explain`: one layer's story.
#pragma once

#include "sim/cli/options.hpp"

namespace vernier::cli {

int explain(const ExplainCommand& command);

}  // namespace vernier::cli
