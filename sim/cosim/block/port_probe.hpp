// SPDX-License-Identifier: Apache-2.0
// What moves inside a cycle, of the array and of the vector unit: a handshake is safe when no valid and no data of a result
// follows an input of the same cycle, and a ready or stall_o only the inputs that docs/reference/rtl-ports.md names
// (docs/decisions/0013 says why they do).
#pragma once

#include "sim/cosim/block/clocked_block.hpp"
#include "sim/cosim/block/mismatch.hpp"

#include <string_view>
#include <vector>

namespace vernier::cosim {

class PortProbe {
 public:
  explicit PortProbe(ClockedBlock& block);
  /// Toggles out_ready_i or st_ready_i and one other control pin, each call another one, without an edge, and puts both
  /// back. Of an output that moved where it must not, the first one of each pin.
  std::vector<Mismatch> probe();

 private:
  struct Input {
    std::string_view name;
    Port port;
  };
  struct Output {
    std::string_view name;
    Port port;
    std::vector<std::byte> before;
  };
  void toggle(Input& input, std::vector<Mismatch>& found);

  ClockedBlock& block_;
  bool (*may_follow_)(std::string_view output, std::string_view input);
  std::vector<Input> inputs_;  // the ready of results is the first
  std::vector<Output> outputs_;
  size_t next_ = 1;
};

}  // namespace vernier::cosim
