// SPDX-License-Identifier: Apache-2.0
// The numbers of a grid against each other.
#include "compiler/import/aimet/check_grid.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace vernier::import::aimet;

namespace {

struct Outcome {
  std::optional<Grid> grid;
  std::vector<std::string> said;  // "error: ..."
};

Outcome check(int bits, bool is_symmetric, const StatedGrid& stated) {
  Findings findings;
  Outcome outcome{grid_of(Place{&findings, "t"}, bits, is_symmetric, stated), {}};
  for (const Finding& finding : findings.sorted())
    outcome.said.push_back(std::string(name_of(finding.severity)) + ": " + finding.text);
  return outcome;
}

StatedGrid stated(std::optional<double> scale, std::optional<int64_t> offset, std::optional<double> min,
                  std::optional<double> max) {
  return {3, scale, offset, min, max};
}

void check_taken(int bits, bool is_symmetric, const StatedGrid& what, const Grid& expected) {
  const Outcome outcome = check(bits, is_symmetric, what);
  CHECK(outcome.said == std::vector<std::string>{});
  REQUIRE(outcome.grid);
  CHECK(outcome.grid->offset == expected.offset);
  CHECK(std::abs(outcome.grid->scale - expected.scale) <= 1e-12 * expected.scale);
}

std::string refusal(int bits, bool is_symmetric, const StatedGrid& what) {
  const Outcome outcome = check(bits, is_symmetric, what);
  CHECK(!outcome.grid);
  REQUIRE(outcome.said.size() == 1);
  return outcome.said.front();
}

/// The one warning of a grid that is taken with this offset.
std::string warning(int64_t offset, int bits, bool is_symmetric, const StatedGrid& what) {
  const Outcome outcome = check(bits, is_symmetric, what);
  REQUIRE(outcome.grid);
  CHECK(outcome.grid->offset == offset);
  REQUIRE(outcome.said.size() == 1);
  return outcome.said.front();
}

}  // namespace

TEST_CASE("Numbers that agree are taken") {
  check_taken(8, false, stated(0.5, -10, -5.0, 122.5), {0.5, -10});
  check_taken(8, false, stated(0.5, -10, {}, {}), {0.5, -10});
  check_taken(8, false, stated(0.5, -10, -5.0, {}), {0.5, -10});
  check_taken(8, false, stated(0.5, -10, {}, 122.5), {0.5, -10});
  check_taken(8, false, stated(0.5, 0, 0.0, 127.5), {0.5, 0});
  check_taken(8, false, stated(0.5, -255, -127.5, 0.0), {0.5, -255});
  check_taken(16, false, stated(0.25, -34204, -8551.0, 7832.75), {0.25, -34204});
  check_taken(32, true, stated(0x1p-20, -(int64_t{1} << 31), -2048.0, 2048.0 - 0x1p-20), {0x1p-20, -(int64_t{1} << 31)});
  // As numbers that went through float32.
  check_taken(8, false, stated(0.030469177, -126, -3.8391163, 3.9305239), {0.030469177, -126});
  check_taken(16, false, stated(8.0872816e-05, -3710, -0.30003815, 4.99996185), {8.0872816e-05, -3710});
}

TEST_CASE("Symmetric grids: signed, strict with either max, unsigned") {
  check_taken(8, true, stated(0.5, -128, -64.0, 63.5), {0.5, -128});
  check_taken(8, true, stated(0.5, -127, -63.5, 63.5), {0.5, -127});
  check_taken(8, true, stated(0.5, -127, -63.5, 64.0), {0.5, -127});
  check_taken(8, true, stated(0.5, 0, 0.0, 127.5), {0.5, 0});
  CHECK(refusal(8, true, stated(0.5, -5, {}, {})) == "error: t: is symmetric, yet offset -5 is none of -128, -127 and 0");
  CHECK(refusal(8, false, stated(0.5, -127, -63.5, 63.5)) ==
        "error: t: scale is 0.5, (max - min) / 255 is 0.4980392156862745: they differ by 0.394 %");
}

TEST_CASE("What is missing follows from min and max") {
  check_taken(8, false, stated({}, {}, -1.0, 1.55), {0.01, -100});
  check_taken(8, false, stated(0.01, {}, -1.0, 1.55), {0.01, -100});
  check_taken(8, false, stated({}, -100, -1.0, 1.55), {0.01, -100});
  check_taken(8, true, stated({}, {}, -2.0, 2.0), {2.0 / 127, -127});
  check_taken(8, true, stated({}, {}, -1.28, 1.27), {0.01, -128});
  CHECK(refusal(8, false, stated({}, -100, -1.0, {})) == "error: t: scale is missing");
  CHECK(refusal(8, false, stated(0.01, {}, {}, {})) == "error: t: offset is missing");
}

TEST_CASE("Numbers that contradict each other") {
  CHECK(refusal(8, false, stated(0.5, -10, 0.5, 128.0)) == "error: t: min is 0.5, above 0: real 0 would have no code");
  CHECK(refusal(8, false, stated(0.5, -10, -5.0, -1.0)) == "error: t: max is -1, below 0: real 0 would have no code");
  CHECK(refusal(8, false, stated(0.5, 0, 0.0, 0.0)) ==
        "error: t: min and max are both 0, allowed is a range that is not empty");
  CHECK(refusal(8, false, stated(0.5, -15, -5.0, 122.5)) ==
        "error: t: offset is -15, round(min / scale) is -10: they differ by 5");
  CHECK(refusal(8, false, stated(0.55, -10, -5.0, 122.5)) ==
        "error: t: scale is 0.55, (max - min) / 255 is 0.5: they differ by 10 %");
  CHECK(refusal(8, false, stated(0.5, -300, {}, {})) == "error: t: offset is -300, allowed are -255 to 0");
  CHECK(refusal(8, false, stated(0.5, 12, {}, {})) == "error: t: offset is 12, allowed are -255 to 0");
  CHECK(refusal(4, false, stated(0.5, -16, {}, {})) == "error: t: offset is -16, allowed are -15 to 0");
  CHECK(refusal(8, false, stated(1e-30, -10, -5.0, {})) == "error: t: min / scale is -5e+30, allowed are -255 to 0");
}

TEST_CASE("Offsets of other conventions are turned, with a warning") {
  CHECK(warning(-10, 8, false, stated(0.5, 10, -5.0, 122.5)) == "warning: t: offset is 10, the zero point; read as -10");
  CHECK(warning(-12, 8, false, stated(0.5, 11, -6.0, 121.5)) ==
        "warning: t: offset is 11, the zero point less one, as in old files of TensorFlow; read as -12");
  CHECK(warning(-10, 8, false, stated(0.5, -10, -5.1, 122.4)) ==
        "warning: t: min / scale is -10.2, no whole number: offset -10 counts");
  CHECK(warning(0, 8, false, stated(0x1p-23, 0, {}, {}))
            .ends_with("the least that calibration gives: the tensor was constant"));
  CHECK(check(32, true, stated(0x1p-30, -(int64_t{1} << 31), {}, {})).said.empty());  // a bias
}
