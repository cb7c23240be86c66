// SPDX-License-Identifier: Apache-2.0
// AIMET's encodings files, which are the JSON that people hand in.
#include "compiler/import/aimet/read_encodings.hpp"
#include "tests/libfuzzer/harness.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return vernier::tests::read_bytes(data, size, [](std::span<const std::byte> bytes) {
    (void)vernier::import::aimet::read_encodings({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  });
}
