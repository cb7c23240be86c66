// SPDX-License-Identifier: Apache-2.0
// A command of a network with the bytes that it reads, as they stand in SRAM when it starts: a copy of its operands alone.
#pragma once

#include "sim/cosim/stimulus/array_vectors.hpp"
#include "sim/cosim/stimulus/vector_vectors.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vernier::cosim {

/// The command's operands lie closer together in its copy of the memory: their addresses are others, their places within the
/// SRAM's words and banks are the same, and so are all beats and edges. Results keep their addresses.
ArrayCommand sample_command(const spec::MacCommand& command, const spec::Datapath& datapath,
                            std::span<const std::byte> sram);

/// The same of a vector command, with where its results go: of the memory it gets the parts that its streams lie in, one
/// after the other at the same places within words and banks; streams that share bytes have one part.
struct SampledVector {
  struct Part {
    int64_t begin = 0, end = 0;  // addresses in SRAM
    int64_t place = 0;           // of its first byte in the job's memory
  };
  VectorJob job;
  std::vector<Part> parts;
  /// Where the byte of an address in SRAM lies in the job's memory.
  [[nodiscard]] int64_t place_of(int64_t address) const;
};
SampledVector sample_vector(const spec::VectorCommand& command, const spec::Datapath& datapath,
                            std::span<const std::byte> sram);

}  // namespace vernier::cosim
