// SPDX-License-Identifier: Apache-2.0
// Tensors in numpy's .npy files (format 1.0, C order, little-endian).
#pragma once

#include "hw/base/tensor.hpp"

#include <filesystem>
#include <string>

namespace vernier::base {

/// Reads a file that must hold `type` (as numpy's info(type).npy_name) in exactly `shape`. UserError names the file, what
/// it holds and what is expected; also for Fortran order, truncated or surplus data, format 2 and above with wrong headers,
/// and values outside an int4, int48 or bool.
Tensor read_npy(const std::filesystem::path& path, ElementType type, const Shape& shape);
/// The bytes of a file: format 1.0, C order.
std::string to_npy(const Tensor& tensor);
void write_npy(const std::filesystem::path& path, const Tensor& tensor);

}  // namespace vernier::base
