// SPDX-License-Identifier: Apache-2.0
// Tensors in simulated memory: how a host puts inputs there, and how outputs and captured pieces are read back.
#pragma once

#include "hw/base/tensor.hpp"
#include "hw/package/package.hpp"
#include "sim/mem/memory.hpp"

namespace vernier::soc {

/// Writes the whole tensor. InternalError when a part of it lies outside the memory.
void write_tensor(mem::MemoryIf& memory, const package::Placement& placement, const base::Tensor& tensor);
/// Reads `extent` elements from `begin`, every step-th of each dimension but the last (empty: all), of a tensor of that
/// element type; bytes nobody has written read as 0.
base::Tensor read_box(const mem::StorageView& storage, const package::Placement& placement, base::ElementType type,
                      const base::Shape& begin, const base::Shape& extent, const base::Shape& step = {});

}  // namespace vernier::soc
