// SPDX-License-Identifier: Apache-2.0
// Bins of commands for npu_mac_array: families, each the cross product of some axes. An axis says where a command lies on
// it, and puts an example there; a bin of a family has an example of its own, and what the example cannot be is no bin.
//
//   order x signs x multiplier x accumulators x rescale x table x residual x output type x rounding
//   order x types x end; end x pixels a row x whether the last group of a row is filled up
//   mapping x pixels a row x bits of activations x bits of weights x order
//   depthwise: types x pixels a row x direction; steps; dilation along the line; lines to and fro; order; end
//   first x last x parity of the row tiles
#pragma once

#include "hw/spec/command.hpp"
#include "hw/spec/machine.hpp"

#include <functional>
#include <string>
#include <vector>

namespace vernier::cosim {

struct ArrayBinAxis {
  std::vector<std::string> names;
  std::function<size_t(const spec::MacCommand&, const spec::Datapath&)> of;
  std::function<void(spec::MacCommand&, size_t, const spec::Datapath&)> put;
};

struct ArrayBinFamily {
  std::vector<ArrayBinAxis> axes;
  bool is_of_results = false;    // commands that are not the last slice do not count
  bool is_of_depthwise = false;  // commands of other modes do not count

  [[nodiscard]] bool is_counted(const spec::MacCommand& command) const;
  [[nodiscard]] size_t number_of(const spec::MacCommand& command, const spec::Datapath& datapath) const;
  [[nodiscard]] std::string name_of(size_t number) const;
  /// A small command; where the bin cannot be, it lies in another one or is not legal.
  [[nodiscard]] spec::MacCommand example(size_t number, const spec::Datapath& datapath) const;
};

std::vector<ArrayBinFamily> array_bin_families();

}  // namespace vernier::cosim
