// SPDX-License-Identifier: Apache-2.0
// Which kinds of commands npu_mac_array has had, and what a command is called.
#pragma once

#include "hw/spec/command.hpp"
#include "hw/spec/machine.hpp"
#include "sim/cosim/stimulus/array_bins.hpp"
#include "sim/cosim/stimulus/array_vectors.hpp"

#include <cstdint>
#include <optional>
#include <span>
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
  /// The classes of a command that was drawn.
  void count_drawn(const DrawnWork& drawn);
  /// Classes of activations x of weights x mapping x types of commands that are drawn are bins too.
  void count_operands() { counts_operands_ = true; }
  /// A command of a bin that has not been hit and that a command alone can hit, while there is one.
  [[nodiscard]] std::optional<DrawnWork> draw_missing(Random& random) const;
  [[nodiscard]] int64_t num_legal() const;
  [[nodiscard]] int64_t num_hit() const;
  [[nodiscard]] std::vector<std::string> missing() const;

 private:
  struct Bin {
    std::string name;
    bool is_legal;
    bool is_hit;
  };
  [[nodiscard]] std::span<const Bin> bins() const;
  [[nodiscard]] spec::MacCommand example(size_t bin) const;
  spec::Datapath datapath_;
  std::vector<ArrayBinFamily> families_;
  std::vector<size_t> first_bins_;  // of each family
  std::vector<Bin> bins_;
  size_t first_operand_bin_ = 0;
  bool counts_operands_ = false;
};

/// "tiles", "lane major", "tap major".
std::string_view order_name(spec::WeightOrder order);
/// "tiles, raw", "depthwise, tiles, 2 pixels a row, raw" and so on: the group of a command's rows, and all of them.
int group_of(const spec::MacCommand& command);
std::vector<std::string> array_groups();
std::string describe(const spec::MacCommand& command);

}  // namespace vernier::cosim
