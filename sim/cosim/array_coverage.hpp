// SPDX-License-Identifier: Apache-2.0
// Which kinds of commands npu_mac_array has had, and what a command is called.
#pragma once

#include "hw/spec/command.hpp"
#include "hw/spec/machine.hpp"
#include "sim/cosim/array_bins.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::cosim {

/// The bins of array_bins.hpp. A bin is legal when package::check takes its example.
class ArrayCoverage {
 public:
  explicit ArrayCoverage(const spec::Datapath& datapath);
  /// A command that the RTL ran.
  void count(const spec::MacCommand& command);
  [[nodiscard]] int64_t num_legal() const;
  [[nodiscard]] int64_t num_hit() const;
  [[nodiscard]] std::vector<std::string> missing() const;

 private:
  struct Bin {
    std::string name;
    bool is_legal;
    bool is_hit;
  };
  spec::Datapath datapath_;
  std::vector<ArrayBinFamily> families_;
  std::vector<size_t> first_bins_;  // of each family
  std::vector<Bin> bins_;
};

/// "tiles", "lane major", "tap major".
std::string_view order_name(spec::WeightOrder order);
/// "tiles, raw", "depthwise, tiles, 2 pixels a row, raw" and so on: the group of a command's rows, and all of them.
int group_of(const spec::MacCommand& command);
std::vector<std::string> array_groups();
std::string describe(const spec::MacCommand& command);

}  // namespace vernier::cosim
