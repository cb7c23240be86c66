// SPDX-License-Identifier: Apache-2.0
// MLIR text to a graph, and what was read to text that is read again.
#include "compiler/import/mlir/mlir.hpp"

#include "compiler/export/mlir/to_mlir.hpp"
#include "compiler/import/import.hpp"
#include "tests/libfuzzer/harness.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return vernier::tests::read_bytes(data, size, [](std::span<const std::byte> bytes) {
    const vernier::import::ImportResult result = vernier::import::import_mlir("input", bytes, {});
    if (!result.graph) return;
    const std::string text = vernier::exporter::to_mlir(*result.graph, "output");
    const auto again = vernier::import::import_mlir("output", std::as_bytes(std::span(text.data(), text.size())), {});
    VERNIER_CHECK(again.graph, "what was printed is read: {}", again.findings.empty() ? "" : again.findings.front().text);
  });
}
