// SPDX-License-Identifier: Apache-2.0
// Tensors, and arrays of other numbers, in numpy's .npy files (format 1.0, C order, little-endian).
#pragma once

#include "hw/base/tensor.hpp"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace vernier::base {

/// Reads a file that must hold `type` (as numpy's info(type).npy_name) in exactly `shape`. UserError names the file, what
/// it holds and what is expected; also for Fortran order, truncated or surplus data, format 2 and above with wrong headers,
/// and values outside an int4, int48 or bool.
Tensor read_npy(const std::filesystem::path& path, ElementType type, const Shape& shape);
/// The bytes of a file: format 1.0, C order.
std::string to_npy(const Tensor& tensor);
void write_npy(const std::filesystem::path& path, const Tensor& tensor);

/// An array of any plain number type, also of those that no Tensor has: float32, uint8, uint16.
struct NpyArray {
  std::string dtype;  // numpy's name: "float32"
  Shape shape;
  std::vector<std::byte> data;  // row-major, little-endian

  /// The elements as an array of T, which must be what `dtype` says.
  template <typename T>
  [[nodiscard]] std::span<const T> as() const {
    return {reinterpret_cast<const T*>(data.data()), data.size() / sizeof(T)};
  }
};

/// Reads a file that holds `dtype` in whatever shape; also rank 0 and no elements at all. UserError as of read_npy().
NpyArray read_npy_array(const std::filesystem::path& path, const std::string& dtype);
/// The same for a file of any type; `data` stays empty where it is none that there is a name for above.
NpyArray read_npy_array(const std::filesystem::path& path);
/// The same of the bytes of a file, which `subject` names in messages.
NpyArray parse_npy_array(const std::string& subject, std::span<const std::byte> bytes);
/// The bytes of a file: format 1.0, C order.
std::string to_npy(const NpyArray& array);

/// UserError, naming `subject`, where the data are not those of the shape; of a type that has no name above nothing is
/// known.
void check_array(const std::string& subject, const NpyArray& array);
/// What read_npy() gives of a file with that array, which check_array() has seen. The UserError names `subject`.
Tensor to_tensor(const std::string& subject, const NpyArray& array, ElementType type, const Shape& shape);
/// An array with a type and a shape of numpy.
NpyArray to_array(const Tensor& tensor);

}  // namespace vernier::base
