// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/block/verilated_ports.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <regex>

namespace vernier::cosim {
namespace {

constexpr size_t kMostMistakes = 4;  // of ports, in one message

}  // namespace

std::vector<VerilatedPort> ports_of_header(const std::string& header) {
  static const std::regex kPort(R"(VL_(IN|OUT|INOUT)(?:8|16|64|W)?\(&?(\w+),\s*(\d+),\s*(\d+))");
  std::vector<VerilatedPort> ports;
  for (std::sregex_iterator at(header.begin(), header.end(), kPort), end; at != end; ++at)
    ports.push_back({(*at)[2], (*at)[1] != "IN", std::stoi((*at)[3]) - std::stoi((*at)[4]) + 1});
  return ports;
}

std::string port_mistakes(const spec::RtlBlock& block, int lanes, const std::vector<VerilatedPort>& ports) {
  std::vector<std::string> mistakes;
  const auto direction = [](bool is_output) { return is_output ? "output" : "input"; };
  for (const spec::RtlPort& wanted : block.ports) {
    const auto found = std::ranges::find(ports, wanted.name, &VerilatedPort::name);
    const int bits = wanted.bits(lanes);
    if (found == ports.end()) {
      mistakes.push_back(fmt::format("has no {} {} of {} bits", direction(wanted.is_output), wanted.name, bits));
    } else if (found->is_output != wanted.is_output) {
      mistakes.push_back(fmt::format("has {} as an {}, wanted is an {}", wanted.name, direction(found->is_output),
                                     direction(wanted.is_output)));
    } else if (found->bits != bits) {
      mistakes.push_back(fmt::format("has {} bits of {}, wanted are {}", found->bits, wanted.name, bits));
    }
  }
  for (const VerilatedPort& port : ports) {
    const auto wanted = std::ranges::find(block.ports, port.name, &spec::RtlPort::name);
    if (wanted == block.ports.end() && !port.is_output)
      mistakes.push_back(fmt::format("has an input {}, which nobody drives", port.name));
  }
  const size_t num_mistakes = mistakes.size();
  if (num_mistakes > kMostMistakes) {
    mistakes.resize(kMostMistakes);
    mistakes.push_back(fmt::format("and {} more", num_mistakes - kMostMistakes));
  }
  return fmt::format("{}", fmt::join(mistakes, ", "));
}

}  // namespace vernier::cosim
