// SPDX-License-Identifier: Apache-2.0
// numpy's .npz files: ZIP archives of .npy files, stored (numpy.savez) or deflated (numpy.savez_compressed).
#pragma once

#include "hw/base/npy.hpp"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace vernier::base {

struct NamedArray {
  std::string name;  // without ".npy"
  NpyArray array;
};

/// The arrays of a file, in the order of its directory. UserError names the file, and the array where one is at fault: for
/// what is no ZIP archive or is truncated, for encryption and other ways of compression, for archives in several parts or of
/// 4 GiB and more, for sizes and checksums that are not those of the data, for two arrays of one name, and for all that
/// read_npy_array() refuses.
std::vector<NamedArray> read_npz(const std::filesystem::path& path);
/// The same of the bytes of a file.
std::vector<NamedArray> parse_npz(const std::string& subject, std::span<const std::byte> bytes);

/// Whether a file begins as a ZIP archive does.
bool is_zip(std::span<const std::byte> bytes);

}  // namespace vernier::base
