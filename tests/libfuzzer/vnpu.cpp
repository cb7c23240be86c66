// SPDX-License-Identifier: Apache-2.0
// Packages. The checksum is made to fit, since it keeps damaged bytes from all that lies behind it.
#include "hw/package/package.hpp"
#include "hw/package/stream_check.hpp"
#include "tests/libfuzzer/harness.hpp"

#include <cstring>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  std::vector<std::byte> mended(size);
  std::memcpy(mended.data(), data, size);
  vernier::package::mend_checksum(mended);
  return vernier::tests::read_bytes(reinterpret_cast<const uint8_t*>(mended.data()), size,
                                    [](std::span<const std::byte> bytes) {
                                      const vernier::package::Package package = vernier::package::from_bytes("input", bytes);
                                      vernier::package::check_streams("input", package);
                                    });
}
