// SPDX-License-Identifier: Apache-2.0
// The blocks of a network in C++, right or with a flaw, and the vector unit's own RTL.
#pragma once

#include "sim/cosim/network/cosim.hpp"
#include "tests/cosim/array_model_block.hpp"
#include "tests/cosim/model_block.hpp"

#include <string>

namespace vernier::cosim {

/// `lanes_flaw` is that of the rescale and of the table unit.
inline BlockMaker flawed_blocks(Flaw lanes_flaw, ArrayFlaw array_flaw) {
  return [=](std::string_view unit, int lanes) {
    if (unit == "datapath") return make_array_model(lanes, array_flaw);
    if (unit == "vector") return make_unit(unit, lanes);
    return make_model_block("npu_" + std::string(unit) + "_unit", lanes, lanes_flaw);
  };
}

}  // namespace vernier::cosim
