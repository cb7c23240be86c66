// SPDX-License-Identifier: Apache-2.0
// `vernier disasm`, and what `compile --dump stream` prints.
#pragma once

#include "hw/package/package.hpp"
#include "sim/cli/options.hpp"

#include <cstdio>
#include <string>

namespace vernier::cli {

int disasm(const DisasmCommand& command);
/// All commands with a legend, as wide as that stream is.
std::string disassembly(const package::Package& package, FILE* stream);

}  // namespace vernier::cli
