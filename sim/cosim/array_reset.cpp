// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/array_reset.hpp"

#include <fmt/format.h>

namespace vernier::cosim {
namespace {

constexpr int kEdgesInReset = 2;

struct Output {
  std::string_view name;
  uint64_t value;
};

/// Valids and readies, and stall_o.
std::vector<Output> control_outputs(const ClockedBlock& block) {
  std::vector<Output> outputs;
  for (const spec::RtlPort& port : block.description().ports) {
    const bool is_control = port.name.ends_with("_valid_o") || port.name.ends_with("_ready_o") || port.name == "stall_o";
    if (is_control) outputs.push_back({port.name, block.port(port.name).get()});
  }
  return outputs;
}

}  // namespace

std::vector<std::string> begin_reset(ClockedBlock& block, bool has_edges) {
  std::vector<std::string> faults;
  const auto add = [&](const Output& output, std::string_view what) {
    faults.push_back(
        fmt::format("cycle {}: {} is {} while rst_ni is low, {}", block.cycle(), output.name, output.value, what));
  };
  block.port("rst_ni").set(0);
  block.settle();
  const std::vector<Output> at_once = control_outputs(block);
  for (const Output& output : at_once) {
    // No valid; stall_o is idle, which is 0.
    const bool is_zero = output.name == "stall_o" || output.name.ends_with("_valid_o");
    if (is_zero && output.value != 0) add(output, "before an edge");
  }
  for (int edge = 0; has_edges && edge < kEdgesInReset; ++edge) {
    block.edge();
    block.settle();
    const std::vector<Output> later = control_outputs(block);
    for (size_t i = 0; i < later.size(); ++i) {
      if (later[i].value != at_once[i].value) add(later[i], fmt::format("before an edge it was {}", at_once[i].value));
    }
  }
  return faults;
}

}  // namespace vernier::cosim
