// SPDX-License-Identifier: Apache-2.0
// A package in the memories of a machine: how a host puts it there, and what it needs of them.
#pragma once

#include "hw/base/tensor.hpp"
#include "hw/package/package.hpp"
#include "sim/mem/memory.hpp"

#include <vector>

namespace vernier::soc {

/// The two memories as a job sees them: offsets of the package are offsets here.
struct JobMemory {
  mem::MemoryIf* sram = nullptr;
  mem::MemoryIf* external = nullptr;
  [[nodiscard]] mem::MemoryIf& of(base::MemorySpace space) const {
    return space == base::MemorySpace::Sram ? *sram : *external;
  }
};

/// Bytes of each memory that a package needs from its region's start on, and how many of the first ones no command writes.
struct PackageExtents {
  int64_t sram_bytes = 0, sram_read_only_bytes = 0;
  int64_t external_bytes = 0, external_read_only_bytes = 0;
};
/// The stream is decoded for it; where it is damaged, what comes before the damage counts.
PackageExtents extents_of(const package::Package& package);

/// One past the last byte of image and stream in a memory; 0 where it has none there.
int64_t image_end(const package::Package& package, base::MemorySpace space);

/// Image and stream. InternalError where a part of them lies outside.
void load_image(const JobMemory& memory, const package::Package& package);
/// What is neither image nor stream, in the region's first bytes that the package uses, counts as unwritten.
void forget_all_but_image(const JobMemory& memory, const package::Package& package, const PackageExtents& extents);
/// In the order of package.inputs. InternalError where they do not fit the package.
void write_inputs(const JobMemory& memory, const package::Package& package, const std::vector<base::Tensor>& inputs);
/// The values that the package has of them, where a job reads them.
void write_variables(const JobMemory& memory, const package::Package& package);
/// Where a byte of an output, or of a variable that the job leaves, has a wrong parity bit: one line.
std::optional<std::string> unreadable_output(const JobMemory& memory, const package::Package& package);
std::vector<base::Tensor> read_outputs(const JobMemory& memory, const package::Package& package);
/// In the order of package.variables; one that no job writes has the value that it had.
std::vector<base::Tensor> read_variables(const JobMemory& memory, const package::Package& package);

}  // namespace vernier::soc
