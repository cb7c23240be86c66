// SPDX-License-Identifier: Apache-2.0
// What an import says of networks that are nearly those of a test: an attribute, a constant, a shape or an edge is another
// one. Such a network is taken or refused, and what it becomes is kept as a row (tests/support/recorded.hpp).
#pragma once

#include "compiler/import/import.hpp"
#include "compiler/import/quantized/network.hpp"

namespace vernier::tests {

/// Keeps, for the running test case, what becomes of networks that have one change. A file could hold every one of them.
/// The first networks of a case are taken, each once.
void check_changed_networks(const import::quantized::Network& network, const import::Options& options);

}  // namespace vernier::tests
