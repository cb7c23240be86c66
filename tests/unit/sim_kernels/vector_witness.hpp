// SPDX-License-Identifier: Apache-2.0
// What a vector command means, one vector at a time in the order of hw/spec/command.hpp, with one register file that keeps
// its values; and random commands.
#pragma once

#include "hw/spec/command.hpp"
#include "tests/unit/sim_kernels/memory_image.hpp"
#include "tests/unit/sim_kernels/random.hpp"

#include <vector>

namespace vernier::kernels::tests {

struct VectorCase {
  spec::VectorCommand command;
  spec::Datapath datapath{};
  std::vector<std::byte> sram;
  TableMemory tables;
};

VectorCase random_vector_case(Random& random);
Image witness_vector(const VectorCase& vector);

}  // namespace vernier::kernels::tests
