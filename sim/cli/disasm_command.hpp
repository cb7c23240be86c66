// SPDX-License-Identifier: Apache-2.0
// `vernier disasm`.
#pragma once

#include "sim/cli/options.hpp"

namespace vernier::cli {

int disasm(const DisasmCommand& command);

}  // namespace vernier::cli
