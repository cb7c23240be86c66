// SPDX-License-Identifier: Apache-2.0
#include "hw/base/error.hpp"

#include <catch2/catch.hpp>

namespace vernier::base {

TEST_CASE("a user's error is one line whatever names stand in it") {
  CHECK(std::string(UserError("a\nb.tosa", "tensor '{}' is missing", "x\ty\x7f").what()) ==
        "a\\x0ab.tosa: tensor 'x\\x09y\\x7f' is missing");
  CHECK(std::string(UserError("f", "{not a format}: gr\xc3\xbcn").what()) == "f: {not a format}: gr\xc3\xbcn");
}

}  // namespace vernier::base
