// SPDX-License-Identifier: Apache-2.0
// Dumps as text: for people, and as Verilog's $readmemh reads them.
#pragma once

#include "hw/base/npy.hpp"
#include "sim/flow/look/memory_dump.hpp"

#include <string>

namespace vernier::flow {

/// "tensor layer_63 int8 [1, 8, 8, 16], of commands 1 to 4, the last ended in cycle 512"; with what nobody wrote, if any.
std::string heading_of(const DumpedTensor& tensor);
/// "SRAM 0x100 to 0x200 at the end of cycle 512"; with what nobody wrote, if any.
std::string heading_of(const SramDump& dump, int64_t cycle);

/// The heading after "# ", then a line a row: its coordinates in brackets, its elements.
std::string to_text(const DumpedTensor& tensor);
/// The heading after "// ", then a line a row of elements in hexadecimal, two's complement of the bytes that an element
/// takes.
std::string to_hex(const DumpedTensor& tensor);
/// The source's codes; the machine's integers where the source has none.
base::NpyArray to_array(const DumpedTensor& tensor);
/// The same as a .npy file.
std::string to_npy(const DumpedTensor& tensor);
/// The heading after "# ", then a line for 16 bytes: the address of the first, the bytes in hexadecimal, -- for those that
/// nobody wrote.
std::string to_text(const SramDump& dump, int64_t cycle);
/// The heading after "// ", then a line for 16 bytes, after @ the address of the first; xx for those that nobody wrote.
std::string to_hex(const SramDump& dump, int64_t cycle);

}  // namespace vernier::flow
