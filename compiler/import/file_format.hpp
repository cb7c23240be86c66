// SPDX-License-Identifier: Apache-2.0
// Which format a file has: told by its content, never by its name. Structure first (identifiers, fields of a protobuf), text
// last: names in a binary file may be any words.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace vernier::import {

enum class FileFormat { Tosa, TfLite, MlirText, MlirBytecode, Onnx, Unknown };

/// A truncated file is known too, as far as its beginning goes.
FileFormat format_of(std::span<const std::byte> bytes);

/// What a file of a known format is that is not read, and what makes a .tosa of it.
std::string what_takes(FileFormat format);

}  // namespace vernier::import
