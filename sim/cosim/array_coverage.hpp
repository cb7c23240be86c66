// SPDX-License-Identifier: Apache-2.0
// Which kinds of commands npu_mac_array has had, and what a command is called.
#pragma once

#include "hw/spec/command.hpp"
#include "hw/spec/machine.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::cosim {

/// Order x signs x rounding x output type x multiplier x table x residual, and first x last x parity of the row tiles, of
/// each of two neighbours; order x types of the operands x end; lane split x order x types, and lane split x end x whether
/// the last group of a row is filled up; depthwise: lane split x direction x types, order, end, and what windows can have.
/// A bin is legal when package::check takes a command in it, and counted when such a command has RTL.
class ArrayCoverage {
 public:
  explicit ArrayCoverage(const spec::Datapath& datapath);
  void count(const spec::MacCommand& command);
  [[nodiscard]] int64_t num_legal() const;
  [[nodiscard]] int64_t num_hit() const;
  [[nodiscard]] std::vector<std::string> missing() const;

 private:
  struct Bin {
    std::string name;
    bool is_legal = false, is_hit = false;
  };
  [[nodiscard]] size_t operand_bin(const spec::MacCommand& command) const;
  [[nodiscard]] size_t tile_bin(const spec::MacCommand& command) const;
  [[nodiscard]] size_t type_bin(const spec::MacCommand& command) const;
  [[nodiscard]] size_t split_bin(const spec::MacCommand& command) const;
  [[nodiscard]] size_t group_bin(const spec::MacCommand& command) const;
  void count_windows(const spec::MacCommand& command);
  spec::Datapath datapath_;
  std::vector<Bin> bins_;
  size_t first_type_bin_ = 0, first_split_bin_ = 0, first_group_bin_ = 0, first_window_bin_ = 0, first_tile_bin_ = 0;
};

/// "tiles", "lane major", "tap major".
std::string_view order_name(spec::WeightOrder order);
/// "tiles, raw", "depthwise, tiles, 2 pixels a row, raw" and so on: the group of a command's rows, and all of them.
int group_of(const spec::MacCommand& command);
std::vector<std::string> array_groups();
std::string describe(const spec::MacCommand& command);

}  // namespace vernier::cosim
