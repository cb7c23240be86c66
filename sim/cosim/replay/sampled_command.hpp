// SPDX-License-Identifier: Apache-2.0
// A command of a network with the bytes that it reads, as they stand in SRAM when it starts: a copy of its operands alone.
#pragma once

#include "sim/cosim/stimulus/work.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vernier::cosim {

/// The command's operands lie closer together in its copy of the memory: their addresses are others, their places within the
/// SRAM's words and banks are the same, and so are all beats and edges. Results keep their addresses.
Work sample_command(const spec::MacCommand& command, const spec::Datapath& datapath, std::span<const std::byte> sram);

/// The same of a vector command: of the memory it gets the parts that its streams lie in (memory_parts()).
Work sample_vector(const spec::VectorCommand& command, const spec::Datapath& datapath, std::span<const std::byte> sram);

/// A part of SRAM that streams of a vector command lie in, and where it is in the memory of the sampled one.
struct MemoryPart {
  int64_t begin = 0, end = 0;  // addresses in SRAM
  int64_t place = 0;           // of its first byte in the work's memory
};
/// The parts, one after the other at the same places within words and banks; streams that share bytes have one part.
std::vector<MemoryPart> memory_parts(const spec::VectorCommand& command, const spec::Datapath& datapath);
/// Where the byte of an address in SRAM lies in the work's memory.
int64_t place_of(int64_t address, std::span<const MemoryPart> parts);

}  // namespace vernier::cosim
