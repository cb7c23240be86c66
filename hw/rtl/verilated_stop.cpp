// SPDX-License-Identifier: Apache-2.0
// A failing assertion of the RTL becomes an exception instead of an abort.
#include <stdexcept>
#include <string>
#include <verilated.h>

/// Called by Verilated code, whose run-time library leaves it to us (VL_USER_STOP).
void vl_stop(const char* file, int line, const char* hierarchy) {
  throw std::runtime_error(std::string("assertion of the RTL failed: ") + file + ":" + std::to_string(line) + " in " +
                           hierarchy);
}
