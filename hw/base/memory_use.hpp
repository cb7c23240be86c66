// SPDX-License-Identifier: Apache-2.0
// Words for messages about memory that the computer does not have.
#pragma once

#include <cstdint>
#include <string>

namespace vernier::base {

/// Bytes of address space that the process has now; 0 where the system does not tell. Allocates nothing.
int64_t address_space_bytes() noexcept;

/// How much the process has, and what limits it: "812 MiB of address space are in use, 'ulimit -v' allows 1,953 MiB".
/// Without such a limit the second half says so.
std::string memory_use_text(int64_t in_use_bytes);

}  // namespace vernier::base
