// SPDX-License-Identifier: Apache-2.0
// Reports that a seed draws: every field has a value that matters, and rare ones too (0, none, one more than another).
#pragma once

#include "sim/report/layer_story.hpp"
#include "sim/report/report.hpp"
#include "sim/report/run_table.hpp"
#include "tests/support/random.hpp"

#include <string>
#include <utility>
#include <vector>

namespace vernier::report {

class ReportDrawer {
 public:
  explicit ReportDrawer(uint64_t seed) : random_(seed) {}

  /// `num_layers` of names that layers of converters have.
  Report report(int64_t num_layers);
  /// The story of one of the report's layers.
  LayerStory story();
  RunTable table();
  TextStyle style();

 private:
  template <typename T>
  T pick(const std::vector<T>& items) {
    return random_.pick(items);
  }
  /// Often 0 or next to a power of ten.
  int64_t count();
  double percent();
  std::string name();
  std::string words();
  base::Shape shape();
  Traffic traffic();
  std::vector<std::pair<std::string, int64_t>> named_cycles();
  Layer layer(int64_t idx, int64_t cycles);
  Command command(int64_t num_layers, int64_t cycles);
  Check check();
  RtlUse rtl();
  config::MachineConfig config();
  SourceGraph source_graph(const Report& report);
  void add_lists(Report& report);
  std::vector<StoryOperand> operands();
  TableRow row();

  tests::Random random_;
};

}  // namespace vernier::report
