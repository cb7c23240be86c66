// SPDX-License-Identifier: Apache-2.0
// A command of the array before its operands have places. Its address fields are offsets in buffers, most of them 0, as if
// all started in the first bank; buffers will start in banks that lie apart (compiler/schedule/bank_phases.hpp).
#pragma once

#include "hw/config/machine_config.hpp"
#include "hw/spec/command.hpp"

namespace vernier::cost {

/// The command with its operands in banks that lie apart, as it will be timed once it is placed.
spec::MacCommand operands_apart(spec::MacCommand command, const spec::Datapath& datapath);

}  // namespace vernier::cost
