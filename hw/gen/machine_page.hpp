// SPDX-License-Identifier: Apache-2.0
// docs/reference/machine.md: the contract of hw/spec, printed for people.
#pragma once

#include <string>

namespace vernier::gen {

/// The whole page, Markdown; depends on hw/spec alone, so that a committed copy can be compared.
std::string machine_page();

}  // namespace vernier::gen
