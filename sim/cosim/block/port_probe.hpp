// SPDX-License-Identifier: Apache-2.0
// What moves inside a cycle: a handshake is safe when no valid and no data of a result follows an input of the same cycle,
// and a ready or stall_o only the inputs that docs/reference/rtl-ports.md names (docs/decisions/0013 says why they do). No
// output of a pipe follows an input.
#pragma once

#include "sim/cosim/block/clocked_block.hpp"
#include "sim/cosim/block/held_ports.hpp"
#include "sim/cosim/block/mismatch.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::cosim {

class PortProbe {
 public:
  /// A unit of hw/spec/rtl_ports.hpp. `block` outlives this.
  explicit PortProbe(ClockedBlock& block);
  /// Another one, with these control inputs of one bit, and the paths that its contract has.
  using MayFollow = bool (*)(std::string_view output, std::string_view input);
  PortProbe(ClockedBlock& block, std::span<const std::string_view> inputs, MayFollow may_follow);
  /// Toggles the first input and one other, each call another one, without an edge, and puts both back. Of an output that
  /// moved where it must not, the first one of each input.
  std::vector<Mismatch> probe();

 private:
  struct Input {
    std::string name;
    Port port;
  };
  void add(std::string_view input) { inputs_.push_back({std::string(input), block_.port(input)}); }
  void toggle(Input& input, std::vector<Mismatch>& found);

  ClockedBlock& block_;
  MayFollow may_follow_;
  std::vector<Input> inputs_;  // of the array and the vector unit, the ready of results is the first
  HeldPorts outputs_;
  size_t next_ = 1;
};

}  // namespace vernier::cosim
