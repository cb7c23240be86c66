// SPDX-License-Identifier: Apache-2.0
// The ports that Verilator found of a block, and whether they are those of hw/spec.
#pragma once

#include "hw/spec/rtl_ports.hpp"

#include <string>
#include <vector>

namespace vernier::cosim {

/// A port of a Verilated block, as its header declares it.
struct VerilatedPort {
  std::string name;
  bool is_output = false;
  int bits = 0;
};
std::vector<VerilatedPort> ports_of_header(const std::string& header);
/// What is wrong with the ports of a block, in words; empty: nothing.
std::string port_mistakes(const spec::RtlBlock& block, int lanes, const std::vector<VerilatedPort>& ports);

}  // namespace vernier::cosim
