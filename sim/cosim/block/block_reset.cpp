// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/block/block_reset.hpp"

#include <fmt/format.h>

namespace vernier::cosim {
namespace {

constexpr int kEdgesInReset = 2;

struct Output {
  std::string_view name;
  uint64_t value;
};

/// Whether a port is 0 when nothing is left: no result is there, stall_o is idle, and every slot of tables is empty.
bool is_zero_in_reset(std::string_view port) {
  return port.ends_with("_valid_o") || port == "stall_o" || port == "slot_format_o";
}

/// These, and readies.
std::vector<Output> control_outputs(const ClockedBlock& block) {
  std::vector<Output> outputs;
  for (const spec::RtlPort& port : block.description().ports) {
    const bool is_control = port.is_output && (is_zero_in_reset(port.name) || port.name.ends_with("_ready_o"));
    if (is_control) outputs.push_back({port.name, block.port(port.name).get()});
  }
  return outputs;
}

Mismatch mismatch_of(const ClockedBlock& block, const Output& output, std::string_view what) {
  return block.seen_now({.kind = MismatchKind::Reset,
                         .port = std::string(output.name),
                         .words = fmt::format("is {} while rst_ni is low, {}", output.value, what)});
}

}  // namespace

std::optional<Mismatch> left_in_reset(const ClockedBlock& block, int64_t edges) {
  for (const Output& output : control_outputs(block)) {
    if (is_zero_in_reset(output.name) && output.value != 0)
      return mismatch_of(block, output, edges == 0 ? "before an edge" : "after an edge");
  }
  return std::nullopt;
}

std::vector<Mismatch> begin_reset(ClockedBlock& block, bool has_edges) {
  std::vector<Mismatch> faults;
  block.port("rst_ni").set(0);
  block.settle();
  const std::vector<Output> at_once = control_outputs(block);
  for (const Output& output : at_once) {
    if (is_zero_in_reset(output.name) && output.value != 0) faults.push_back(mismatch_of(block, output, "before an edge"));
  }
  for (int edge = 0; has_edges && edge < kEdgesInReset; ++edge) {
    block.edge();
    block.settle();
    const std::vector<Output> later = control_outputs(block);
    for (size_t i = 0; i < later.size(); ++i) {
      if (later[i].value != at_once[i].value)
        faults.push_back(mismatch_of(block, later[i], fmt::format("before an edge it was {}", at_once[i].value)));
    }
  }
  return faults;
}

}  // namespace vernier::cosim
