// SPDX-License-Identifier: Apache-2.0
#include "sim/units/layer_ledger.hpp"

#include "hw/base/error.hpp"

namespace vernier::units {

timing::Traffic& operator+=(timing::Traffic& sum, const timing::Traffic& traffic) {
  sum.sram_read_bytes += traffic.sram_read_bytes;
  sum.sram_write_bytes += traffic.sram_write_bytes;
  sum.external_read_bytes += traffic.external_read_bytes;
  sum.external_write_bytes += traffic.external_write_bytes;
  return sum;
}

LayerLedger::LayerLedger(std::span<const int32_t> command_layers, size_t num_layers)
    : command_layers_(command_layers), counts_(num_layers), progress_(num_layers), is_copy_(command_layers.size()) {
  for (const int32_t layer : command_layers) {
    VERNIER_CHECK(layer >= 0 && static_cast<size_t>(layer) < num_layers, "layer {} of {}", layer, num_layers);
    if (progress_[static_cast<size_t>(layer)].commands_left++ == 0) order_.push_back(layer);
  }
}

int32_t LayerLedger::layer_of(int32_t command_idx) const {
  const auto index = static_cast<size_t>(command_idx);
  return index < command_layers_.size() ? command_layers_[index] : -1;
}

void LayerLedger::add_traffic(int32_t command_idx, const timing::Traffic& traffic) {
  const int32_t layer = layer_of(command_idx);
  if (layer >= 0) counts_[static_cast<size_t>(layer)].traffic += traffic;
}

void LayerLedger::started(int32_t command_idx, spec::Queue queue, int64_t now) {
  const int32_t layer = layer_of(command_idx);
  if (layer < 0) return;
  LayerCount& count = counts_[static_cast<size_t>(layer)];
  Progress& progress = progress_[static_cast<size_t>(layer)];
  if (count.first_cycle < 0) count.first_cycle = now;
  if (progress.in_flight++ == 0) progress.in_flight_since = now;
  const bool is_copy = queue == spec::Queue::Dma0 || queue == spec::Queue::Dma1;
  is_copy_[static_cast<size_t>(command_idx)] = is_copy;
  if (!is_copy) ++progress.computing;
  settle(layer, now);
}

void LayerLedger::settle(int32_t layer, int64_t now) {
  Progress& progress = progress_[static_cast<size_t>(layer)];
  if (progress.working_since) counts_[static_cast<size_t>(layer)].working_cycles += now - *progress.working_since;
  progress.working_since.reset();
  if (progress.computing > 0 || (progress.in_flight > 0 && is_oldest(layer))) progress.working_since = now;
}

void LayerLedger::ended(int32_t command_idx, int64_t now) {
  const int32_t layer = layer_of(command_idx);
  if (layer < 0) return;
  LayerCount& count = counts_[static_cast<size_t>(layer)];
  Progress& progress = progress_[static_cast<size_t>(layer)];
  count.last_cycle = now;
  if (--progress.in_flight == 0) count.in_flight_cycles += now - progress.in_flight_since;
  if (!is_copy_[static_cast<size_t>(command_idx)]) --progress.computing;
  if (--progress.commands_left == 0) attribute(now);
  settle(layer, now);
}

void LayerLedger::attribute(int64_t now) {
  if (order_.empty()) return;
  // Commands beyond the package's own (a stream that was tampered with) belong to the last layer's time.
  const int32_t layer = oldest_ < order_.size() ? order_[oldest_] : order_.back();
  counts_[static_cast<size_t>(layer)].attributed_cycles += now - since_;
  since_ = now;
  while (oldest_ < order_.size() && progress_[static_cast<size_t>(order_[oldest_])].commands_left == 0) ++oldest_;
  if (oldest_ < order_.size()) settle(order_[oldest_], now);
}

void LayerLedger::finish(int64_t now) {
  for (size_t layer = 0; layer < progress_.size(); ++layer) {
    if (progress_[layer].in_flight > 0) counts_[layer].in_flight_cycles += now - progress_[layer].in_flight_since;
    progress_[layer].in_flight = progress_[layer].computing = 0;
    settle(static_cast<int32_t>(layer), now);
  }
  attribute(now);
}

}  // namespace vernier::units
