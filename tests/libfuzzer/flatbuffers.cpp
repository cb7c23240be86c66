// SPDX-License-Identifier: Apache-2.0
// TOSA and TensorFlow Lite flatbuffers to graphs, and what was read to a .tosa file.
#include "compiler/export/export.hpp"
#include "compiler/import/import.hpp"
#include "tests/libfuzzer/harness.hpp"

#include <cstring>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const bool is_flatbuffer = size >= 8 && (std::memcmp(data + 4, "TOSA", 4) == 0 || std::memcmp(data + 4, "TFL3", 4) == 0);
  if (!is_flatbuffer) return 0;
  return vernier::tests::read_bytes(data, size, [](std::span<const std::byte> bytes) {
    const vernier::import::ImportResult result = vernier::import::import_network("input", bytes, {});
    if (result.graph) vernier::exporter::to_tosa(*result.graph, "output");
  });
}
