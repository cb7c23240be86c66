// SPDX-License-Identifier: Apache-2.0
// One layer's story: what it was in the source network, what became of it, where its operands lay, where its cycles went and
// what would make it faster. Plain data and its writers; docs/reference/explain.md defines every field.
#pragma once

#include "hw/base/tensor.hpp"
#include "sim/report/report.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vernier::report {

struct StoryOperand {
  std::string name, type;  // of the tensor
  base::Shape shape;
  bool is_constant = false;
};
/// An operator of the source network.
struct StoryOperator {
  std::string name;         // TOSA's
  std::string source_name;  // its location; empty: it has none
  std::vector<StoryOperand> inputs;
  std::vector<StoryOperand> outputs;
  std::string becomes;  // what became of its results: "made by command 12", "fused into CONV2D layer_70"
};

/// A choice of the compiler for a step of the layer, as `compile --dump schedule` prints it.
struct StoryWay {
  std::string what;
  std::optional<int64_t> cycles;  // none: not estimated
  bool is_chosen = false;
};
struct StoryChoice {
  std::string step, of, rule;  // rule: what decided; empty: the least cycles
  std::vector<StoryWay> ways;  // the one chosen first, the others by their cycles
};

/// Where an operand of the layer's commands lay, and from when to when the place was its own.
struct StoryPlace {
  std::string tensor, role;                 // role: "input", "weights", "output", "source" of a copy, ...
  bool is_sram = true, is_written = false;  // is_written: by the layer; else it only reads it
  int64_t begin_byte = 0, end_byte = 0;     // around all that its commands touch of it
  int64_t first_cycle = 0, end_cycle = 0;   // exclusive
  int64_t num_places = 1;                   // of parts, that the figures are around
};

/// What would make the layer faster.
struct StorySaving {
  std::string words;
  /// The cycles by which the run gets shorter at most when it costs nothing more; none where that cannot be said.
  std::optional<int64_t> most_cycles;
};

struct StoryUnit {
  std::string unit;
  int64_t commands = 0, busy_cycles = 0;
  std::vector<std::pair<std::string, int64_t>> stall_cycles, wait_cycles;  // those above zero, the largest first
};

struct LayerStory {
  Report report;  // of the run
  int64_t layer_idx = 0;
  std::string short_name;
  std::vector<StoryOperator> operators;
  std::vector<StoryChoice> choices;
  std::string choices_note;  // why there are none; else empty
  std::vector<StoryPlace> places;
  std::vector<StoryUnit> units;
  std::vector<StorySaving> savings;  // the largest first

  [[nodiscard]] const Layer& layer() const { return report.layers[layer_idx]; }
};

/// Schema vernier-explain/1, with a newline at the end.
std::string to_json(const LayerStory& story);
/// For people: what would help comes first. Of `has_all` nothing is cut; else the longest parts are, so that it has at most
/// kMostStoryLines lines.
std::string to_text(const LayerStory& story, const TextStyle& style, bool has_all);
inline constexpr size_t kMostStoryLines = 60;

}  // namespace vernier::report
