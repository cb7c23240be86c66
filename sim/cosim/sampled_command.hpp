// SPDX-License-Identifier: Apache-2.0
// A command of a network with the bytes that it reads, as they stand in SRAM when it starts: a copy of its operands alone.
#pragma once

#include "sim/cosim/array_vectors.hpp"
#include "sim/cosim/vector_vectors.hpp"

#include <cstddef>
#include <span>

namespace vernier::cosim {

/// The command's operands lie closer together in its copy of the memory: their addresses are others, their places within the
/// SRAM's words and banks are the same, and so are all beats and edges. Results keep their addresses.
ArrayCommand sample_command(const spec::MacCommand& command, const spec::Datapath& datapath,
                            std::span<const std::byte> sram);

/// The same of a vector command, with its results: of the memory it gets the part from its lowest byte to its highest one.
struct SampledVector {
  VectorJob job;
  int64_t begin = 0;  // address in SRAM of the job's byte 0
};
SampledVector sample_vector(const spec::VectorCommand& command, const spec::Datapath& datapath,
                            std::span<const std::byte> sram);

}  // namespace vernier::cosim
