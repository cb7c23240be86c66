// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/runs.hpp"

#include <catch2/catch.hpp>

#include <random>
#include <set>

namespace vernier::schedule {
namespace {

std::multiset<int64_t> bytes_of(const std::vector<RunBox>& boxes) {
  std::multiset<int64_t> bytes;
  for (const RunBox& box : boxes) {
    for (int64_t i = 0; i < box.counts[0]; ++i) {
      for (int64_t j = 0; j < box.counts[1]; ++j) {
        for (int64_t b = 0; b < box.run_bytes; ++b) bytes.insert(box.begin + i * box.strides[0] + j * box.strides[1] + b);
      }
    }
  }
  return bytes;
}

TEST_CASE("rows of planes become one box") {
  std::vector<Run> runs;
  for (int64_t plane = 0; plane < 4; ++plane) {
    for (int64_t row = 0; row < 5; ++row) runs.push_back({plane * 1000 + row * 100, 80});
  }
  const std::vector<RunBox> boxes = boxes_of(runs);
  REQUIRE(boxes.size() == 1);
  CHECK(boxes[0].counts == std::array<int64_t, 2>{4, 5});
  CHECK(boxes[0].strides == std::array<int64_t, 2>{1000, 100});
  CHECK(boxes[0].end() == 3480);
}

TEST_CASE("runs that touch or overlap become one") {
  const std::vector<RunBox> boxes = boxes_of({{16, 16}, {0, 16}, {8, 30}});
  REQUIRE(boxes.size() == 1);
  CHECK(boxes[0].begin == 0);
  CHECK(boxes[0].run_bytes == 38);
}

TEST_CASE("boxes hold every byte of random runs exactly once") {
  const auto seed = GENERATE(range(0U, 200U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  std::vector<Run> runs;
  std::set<int64_t> expected;
  const int64_t step = 1 + static_cast<int64_t>(random() % 40);
  for (int i = 0; i < 30; ++i) {
    const int64_t begin =
        random() % 2 == 0 ? step * static_cast<int64_t>(random() % 20) : static_cast<int64_t>(random() % 900);
    runs.push_back({begin, 1 + static_cast<int64_t>(random() % 12)});
    for (int64_t b = 0; b < runs.back().bytes; ++b) expected.insert(begin + b);
  }
  const std::multiset<int64_t> found = bytes_of(boxes_of(runs));
  CHECK(found.size() == expected.size());
  CHECK(std::set<int64_t>(found.begin(), found.end()) == expected);
}

}  // namespace
}  // namespace vernier::schedule
