// SPDX-License-Identifier: Apache-2.0
// The contract of hw/spec as the firmware and its authors see it: registers, the system around the control CPU, and the C
// header of both.
#pragma once

#include <string>

namespace vernier::gen {

/// The memory map, the NPU's registers, and the system of the control CPU: sections of docs/reference/machine.md.
void print_system(std::string& text);

/// firmware/gen/vernier_system.h: names and numbers alone, for C, assembler and linker scripts.
std::string firmware_header();

}  // namespace vernier::gen
