// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/block/port_probe.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace vernier::cosim {
namespace {

struct Path {
  std::string_view input, output;
};

/// Every path of the contract from an input to an output of the same cycle.
constexpr std::array kPaths{
    Path{"act_valid_i", "cmd_ready_o"}, Path{"act_valid_i", "wgt_ready_o"}, Path{"act_valid_i", "stall_o"},
    Path{"act_last_i", "cmd_ready_o"},  Path{"act_last_i", "wgt_ready_o"},  Path{"act_last_i", "act_ready_o"},
    Path{"act_last_i", "stall_o"},      Path{"out_ready_i", "cmd_ready_o"}, Path{"out_ready_i", "wgt_ready_o"},
    Path{"out_ready_i", "act_ready_o"}, Path{"out_ready_i", "stall_o"},     Path{"out_ready_i", "scale_en_o"},
    Path{"out_ready_i", "look_en_o"},   Path{"en_i", "scale_en_o"},         Path{"en_i", "look_en_o"},
};
/// The vector unit's readies, and what moves its lanes, follow whatever makes it stand still, but for a load's own valid.
constexpr std::array<std::string_view, 6> kVectorInputs{"st_ready_i", "en_i",          "cmd_valid_i",
                                                        "ld_valid_i", "scale_ready_i", "look_ready_i"};
constexpr std::array<std::string_view, 4> kVectorOutputs{"cmd_ready_o", "ld_ready_o", "scale_en_o", "look_en_o"};
constexpr std::array<std::string_view, 8> kArrayInputs{"out_ready_i", "en_i",       "cmd_valid_i", "wgt_valid_i",
                                                       "act_valid_i", "act_last_i", "prm_valid_i", "add_valid_i"};
/// Additional inputs of npu_core. What makes the array take lanes makes the vector unit stand still.
constexpr std::array<std::string_view, 3> kCoreInputs{"st_ready_i", "ld_valid_i", "vec_cmd_valid_i"};
constexpr std::array<std::string_view, 2> kSharingOutputs{"lanes_array_o", "lanes_wait_o"};

bool may_follow_in_vector_unit(std::string_view output, std::string_view input) {
  if (input == "cmd_valid_i" || std::ranges::find(kVectorOutputs, output) == kVectorOutputs.end()) return false;
  return !(input == "ld_valid_i" && output == "ld_ready_o");
}

bool may_follow_in_array(std::string_view output, std::string_view input) {
  return std::ranges::any_of(kPaths, [&](const Path& path) { return path.input == input && path.output == output; });
}

bool may_follow_in_core(std::string_view output, std::string_view input) {
  const bool is_of_array = input == "out_ready_i" || input == "en_i";
  if (output == "vec_cmd_ready_o") return is_of_array || input == "st_ready_i" || input == "ld_valid_i";
  if (output == "ld_ready_o") return is_of_array || input == "st_ready_i";
  if (std::ranges::find(kSharingOutputs, output) != kSharingOutputs.end()) return is_of_array;
  return may_follow_in_array(output, input);
}

bool may_follow_in_pipe(std::string_view /*output*/, std::string_view /*input*/) { return false; }

}  // namespace

PortProbe::PortProbe(ClockedBlock& block, std::span<const std::string_view> inputs, MayFollow may_follow)
    : block_(block), may_follow_(may_follow), outputs_(block) {
  for (const std::string_view name : inputs) add(name);
}

PortProbe::PortProbe(ClockedBlock& block) : PortProbe(block, {}, may_follow_in_array) {
  const auto add_all = [&](std::span<const std::string_view> names) {
    for (const std::string_view name : names) add(name);
  };
  switch (block.description().kind) {
    case spec::RtlKind::Pipe:
      may_follow_ = may_follow_in_pipe;
      add("en_i");
      add(std::string(block.description().results) + "_valid_i");
      break;
    case spec::RtlKind::VectorUnit:
      may_follow_ = may_follow_in_vector_unit;
      add_all(kVectorInputs);
      break;
    case spec::RtlKind::Core:
      may_follow_ = may_follow_in_core;
      add_all(kArrayInputs);
      add_all(kCoreInputs);
      break;
    case spec::RtlKind::Array: add_all(kArrayInputs); break;
  }
}

std::vector<Mismatch> PortProbe::probe() {
  std::vector<Mismatch> found;
  if (inputs_.empty()) return found;
  outputs_.hold();
  toggle(inputs_.front(), found);
  if (inputs_.size() == 1) return found;
  toggle(inputs_[next_], found);
  next_ = next_ + 1 < inputs_.size() ? next_ + 1 : 1;
  return found;
}

void PortProbe::toggle(Input& input, std::vector<Mismatch>& found) {
  const uint64_t value = input.port.get();
  input.port.set(1 - value);
  block_.settle();
  if (const auto moved = outputs_.moved([&](std::string_view output) { return !may_follow_(output, input.name); })) {
    found.push_back(block_.seen_now({.kind = MismatchKind::Follows,
                                     .port = moved->port,
                                     .lane = moved->lane,
                                     .words = follows_inside_cycle(input.name)}));
  }
  input.port.set(value);
  block_.settle();
}

}  // namespace vernier::cosim
