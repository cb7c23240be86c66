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

/// Whether a protobuf is an onnx.ModelProto as far as it goes: an ir_version (field 1) and a graph (field 7), in any order,
/// and of the other fields those of that message. What comes after both is not looked at, so that a truncated file is known
/// too.
bool is_onnx(std::span<const std::byte> bytes) {
  constexpr uint64_t kVarint = 0, kBytes = 2;
  constexpr uint64_t kIrVersion = 1, kModelVersion = 5, kGraph = 7, kLast = 31;  // 26 are in use
  bool has_version = false, has_graph = false;
  while (const auto tag = take_varint(bytes)) {
    const uint64_t field = *tag >> 3U, type = *tag & 7U;
    const bool is_number = field == kIrVersion || field == kModelVersion;
    if (field == 0 || field > kLast || type != (is_number ? kVarint : kBytes)) return false;
    const auto value = take_varint(bytes);
    if (!value || (field == kIrVersion && *value > 1000)) return false;
    has_version = has_version || field == kIrVersion;
    has_graph = has_graph || field == kGraph;
    if (has_version && has_graph) return true;
    if (is_number) continue;
    if (*value > bytes.size()) return false;
    bytes = bytes.subspan(*value);
  }
  return false;
}

/// Whether text has a line that begins with an operator of MLIR which holds a whole program. Bytes of other formats hold
/// such words too, in names; they have also bytes that no text has.
bool is_mlir_text(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n";
  const auto is_of_text = [&](char c) {
    return static_cast<unsigned char>(c) >= 0x20 || kSpaces.find(c) != std::string_view::npos;
  };
  if (!std::all_of(text.begin(), text.end(), is_of_text)) return false;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(kSpaces), line.size()));
    if (line.starts_with('"')) line.remove_prefix(1);  // the generic form
    if (line.starts_with("builtin.")) line.remove_prefix(8);
    if (line.starts_with("module") || line.starts_with("func.func")) return true;
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
  if (is_onnx(bytes)) return FileFormat::Onnx;
  return is_mlir_text(text) ? FileFormat::MlirText : FileFormat::Unknown;
}

std::string what_takes(FileFormat format) {
  VERNIER_CHECK(format == FileFormat::MlirBytecode, "format {} is known and not read", static_cast<int>(format));
  return fmt::format("is MLIR bytecode, expected MLIR text: 'tosa-opt IN.mlirbc -o OUT.mlir' makes it ({})", kGuide);
}

}  // namespace vernier::import
