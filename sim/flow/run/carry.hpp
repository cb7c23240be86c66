// SPDX-License-Identifier: Apache-2.0
// State that a streaming network hands from one iteration to the next: outputs that become inputs.
#pragma once

#include "hw/base/tensor.hpp"
#include "sim/flow/model/ends.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace vernier::flow {

struct Carry {
  size_t output = 0, input = 0;  // their numbers
};

/// `specs` are OUTPUT=INPUT. UserError naming --carry: for a name that is none, an input that is given twice, and for ends
/// whose elements are not the same: another type, another shape, or codes of another scale.
std::vector<Carry> carries_of(const std::vector<std::string>& specs, const Ends& ends);

/// Puts what an iteration gave into the inputs of the next one.
void carry(const std::vector<Carry>& carries, const std::vector<base::Tensor>& outputs, std::vector<base::Tensor>& inputs);

/// "input 'state' is output 'next_state' of the iteration before", for the report.
std::string note_of(const Carry& one, const Ends& ends);

}  // namespace vernier::flow
