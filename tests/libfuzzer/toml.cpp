// SPDX-License-Identifier: Apache-2.0
// Configurations of a machine.
#include "hw/config/machine_config.hpp"
#include "tests/libfuzzer/harness.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return vernier::tests::read_file(
      data, size, [](const std::filesystem::path& path) { (void)vernier::config::load_config(path.string()); });
}
