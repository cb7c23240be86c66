// SPDX-License-Identifier: Apache-2.0
// Which layer each cycle and each byte belongs to. Every cycle goes to the oldest unfinished layer in program order (the
// order in which layers own their first command); a layer is finished when all its commands have ended. SystemC-free.
#pragma once

#include "hw/timing/unit_timing.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace vernier::units {

timing::Traffic& operator+=(timing::Traffic& sum, const timing::Traffic& traffic);

struct LayerCount {
  int64_t attributed_cycles = 0;
  int64_t first_cycle = -1, last_cycle = -1;  // its first start, its last end so far
  int64_t in_flight_cycles = 0;               // cycles with at least one command of it in flight
  int64_t working_cycles = 0;                 // of these, without copies beside an older layer that is not finished
  timing::Traffic traffic;
};

class LayerLedger {
 public:
  /// `command_layers`: layer of each command, END included, each below num_layers.
  LayerLedger(std::span<const int32_t> command_layers, size_t num_layers);
  /// Commands past the end of command_layers belong to no layer.
  void add_traffic(int32_t command_idx, const timing::Traffic& traffic);
  void started(int32_t command_idx, spec::Queue queue, int64_t now);
  void ended(int32_t command_idx, int64_t now);
  /// Attributes what is left up to `now`.
  void finish(int64_t now);
  [[nodiscard]] const std::vector<LayerCount>& layers() const { return counts_; }
  /// -1 when the command belongs to none.
  [[nodiscard]] int32_t layer_of(int32_t command_idx) const;

 private:
  struct Progress {
    int64_t commands_left = 0;
    int64_t in_flight = 0;
    int64_t in_flight_since = 0;
    int64_t computing = 0;  // of those in flight, the ones that are no copies
    std::optional<int64_t> working_since;
  };
  void attribute(int64_t now);
  [[nodiscard]] bool is_oldest(int32_t layer) const { return oldest_ < order_.size() && order_[oldest_] == layer; }
  /// Counts the layer's work up to `now`, and begins or ends it.
  void settle(int32_t layer, int64_t now);
  std::span<const int32_t> command_layers_;
  std::vector<LayerCount> counts_;
  std::vector<Progress> progress_;
  std::vector<bool> is_copy_;   // of each command that has started
  std::vector<int32_t> order_;  // layers by their first command
  size_t oldest_ = 0;           // into order_
  int64_t since_ = 0;
};

}  // namespace vernier::units
