// SPDX-License-Identifier: Apache-2.0
// numpy's .npy files.
#include "hw/base/npy.hpp"

#include "tests/libfuzzer/harness.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return vernier::tests::read_file(data, size,
                                   [](const std::filesystem::path& path) { (void)vernier::base::read_npy_array(path); });
}
