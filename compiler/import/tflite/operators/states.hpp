// SPDX-License-Identifier: Apache-2.0
// Variable tensors: what an operator keeps from one run of the network to the next.
#pragma once

#include "compiler/import/tflite/lite_lowering.hpp"

#include <string>

namespace vernier::import::lite {

struct State {
  std::string name;  // of the graph's variable
  Id value;          // before the operator
};

/// An input that is a variable tensor. It begins with zeros, one of INT8 with its zero point. LiteMistake for others.
State read_state(LiteLowering& lowering, const LiteOperator& op, size_t index);
/// Its value after the operator.
void write_state(LiteLowering& lowering, const State& state, Id value);

}  // namespace vernier::import::lite
