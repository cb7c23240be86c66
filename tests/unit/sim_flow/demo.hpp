// SPDX-License-Identifier: Apache-2.0
// The network that most tests of this folder run.
#pragma once

#include "tests/support/source_tree.hpp"

#include <string>

namespace vernier::tests {

inline std::string demo_file() { return source_path("tests/e2e/demo/demo.tosa").string(); }

}  // namespace vernier::tests
