// SPDX-License-Identifier: Apache-2.0
// A small network for tests that damage its package: every unit and every kind of constant takes part, the inner results
// that matter are graph outputs, and each layer has a location of its own.
#pragma once

#include "compiler/ir/graph.hpp"

namespace vernier::tests {

ir::Graph flip_network();

}  // namespace vernier::tests
