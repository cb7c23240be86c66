// SPDX-License-Identifier: Apache-2.0
#include "hw/gen/system_texts.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <sstream>

using Catch::Matchers::Contains;

TEST_CASE("the firmware's header has addresses, offsets and values, each name once") {
  const std::string header = vernier::gen::firmware_header();
  CHECK_THAT(header, Contains("#define VERNIER_NPU_BASE 0x10000000\n"));
  CHECK_THAT(header, Contains("#define VERNIER_FIRMWARE_BASE 0x10010000\n#define VERNIER_FIRMWARE_BYTES 0x8000\n"));
  CHECK_THAT(header, Contains("#define VERNIER_INTERRUPTS_CLAIM 0x8\n"));
  CHECK_THAT(header, Contains("#define VERNIER_JOB_OUTCOME 0x40\n"));
  CHECK_THAT(header, Contains("#define VERNIER_MCAUSE_EXTERNAL 0x8000000b\n"));
  std::set<std::string> names;
  std::istringstream lines(header);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("#define ")) continue;
    INFO(line);
    CHECK(names.insert(line.substr(0, line.rfind(' '))).second);
  }
  CHECK(names.size() > 40);
}
