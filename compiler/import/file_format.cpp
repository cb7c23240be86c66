// SPDX-License-Identifier: Apache-2.0
// Also what people have in hand who took a step too few, or come from elsewhere.
#include "compiler/import/file_format.hpp"

#include "hw/base/error.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

namespace vernier::import {

namespace {

constexpr std::string_view kGuide = "docs/guides/your-own-network.md";

/// A base-128 number of a protobuf, taken off the front.
std::optional<uint64_t> take_varint(std::span<const std::byte>& bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < std::min<size_t>(bytes.size(), 10); ++i) {
    value |= (static_cast<uint64_t>(bytes[i]) & 0x7f) << (7 * i);
    if (static_cast<unsigned char>(bytes[i]) < 0x80) {
      bytes = bytes.subspan(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

/// Whether a protobuf begins as onnx.ModelProto does: an ir_version (field 1), then fields of that message up to a graph
/// (field 7). What comes behind is not looked at, so that a truncated file is known too.
bool is_onnx(std::span<const std::byte> bytes) {
  constexpr uint64_t kVarint = 0, kBytes = 2;
  constexpr uint64_t kIrVersion = 1, kModelVersion = 5, kGraph = 7, kLast = 25;
  bool has_version = false;
  while (const auto tag = take_varint(bytes)) {
    const uint64_t field = *tag >> 3U, type = *tag & 7U;
    const bool is_number = field == kIrVersion || field == kModelVersion;
    if (field == 0 || field > kLast || type != (is_number ? kVarint : kBytes)) return false;
    const auto value = take_varint(bytes);
    if (!value || (field == kIrVersion && *value > 1000)) return false;
    has_version = has_version || field == kIrVersion;
    if (field == kGraph) return has_version;
    if (is_number) continue;
    if (*value > bytes.size()) return false;
    bytes = bytes.subspan(*value);
  }
  return false;
}

}  // namespace

FileFormat format_of(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), std::min<size_t>(bytes.size(), 4096));
  const std::string_view identifier = text.size() >= 8 ? text.substr(4, 4) : "";  // of a flatbuffer
  if (identifier == "TOSA") return FileFormat::Tosa;
  if (identifier == "TFL3") return FileFormat::TfLite;
  if (text.starts_with("ML\xefR")) return FileFormat::MlirBytecode;
  if (text.find("module") != std::string_view::npos || text.find("func.func") != std::string_view::npos)
    return FileFormat::MlirText;
  return is_onnx(bytes) ? FileFormat::Onnx : FileFormat::Unknown;
}

std::string what_takes(FileFormat format) {
  switch (format) {
    case FileFormat::TfLite:
      return fmt::format(
          "is a TensorFlow Lite network, expected a TOSA flatbuffer: './dev tosa IN.tflite OUT.tosa' makes one ({})",
          kGuide);
    case FileFormat::MlirText:
    case FileFormat::MlirBytecode:
      return fmt::format(
          "is MLIR {}, expected a TOSA flatbuffer: './dev tosa IN.mlir OUT.tosa' makes one of TOSA's MLIR ({})",
          format == FileFormat::MlirBytecode ? "bytecode" : "text", kGuide);
    default: break;
  }
  VERNIER_CHECK(false, "format {} is known and not read", static_cast<int>(format));
  return "";
}

}  // namespace vernier::import
