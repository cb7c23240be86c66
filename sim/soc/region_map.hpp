// SPDX-License-Identifier: Apache-2.0
// Which regions of a memory are taken, and where a new one lies.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace vernier::soc {

/// Whether a region keeps something between jobs. Scratch regions may lie over each other: one job runs at a time.
enum class Sharing : uint8_t { Alone, Scratch };

class RegionMap {
 public:
  RegionMap(int64_t size_bytes, int64_t alignment_bytes) : size_bytes_(size_bytes), alignment_bytes_(alignment_bytes) {}
  /// The lowest base with so much room. UserError, naming `owner` and `memory`, where there is none.
  int64_t place(int32_t id, int64_t num_bytes, Sharing sharing, const std::string& owner, std::string_view memory);
  void free(int32_t id) { regions_.erase(id); }

 private:
  struct Region {
    int64_t begin = 0, end = 0;
    Sharing sharing = Sharing::Alone;
  };
  int64_t size_bytes_, alignment_bytes_;
  std::map<int32_t, Region> regions_;  // by id
};

}  // namespace vernier::soc
