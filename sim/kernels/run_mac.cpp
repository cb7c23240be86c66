// SPDX-License-Identifier: Apache-2.0
#include "hw/model/wrap.hpp"
#include "sim/kernels/mac_kernels.hpp"

#include <algorithm>

namespace vernier::kernels {
namespace {

/// Accumulators of a tile and those kept between slices differ in their pitch only.
void copy_pixels(int64_t num_pixels, int64_t channels, const int64_t* from, int64_t from_pitch, int64_t* to,
                 int64_t to_pitch) {
  for (int64_t p = 0; p < num_pixels; ++p) std::copy_n(from + p * from_pitch, channels, to + p * to_pitch);
}

/// The sums of a tile that begins with that pixel, [pixel][pitch].
void probe_tile(const SumsProbe& probe, int64_t first_pixel, int64_t num_pixels, int64_t channels,
                std::vector<int64_t>& tile, int64_t pitch) {
  if (probe.flip && probe.flip->index / channels >= first_pixel && probe.flip->index / channels < first_pixel + num_pixels) {
    const int64_t pixel = probe.flip->index / channels - first_pixel;
    int64_t& sum = tile[static_cast<size_t>(pixel * pitch + probe.flip->index % channels)];
    sum = model::wrap48(sum ^ (int64_t{1} << probe.flip->bit));
  }
  if (probe.copy == nullptr) return;
  int64_t* const to = probe.copy->data() + first_pixel * channels;
  copy_pixels(num_pixels, channels, tile.data(), pitch, to, channels);
  std::transform(to, to + num_pixels * channels, to, model::wrap48);
}

}  // namespace

void run_mac(const spec::MacCommand& command, const spec::Datapath& datapath, std::span<const std::byte> sram,
             const TableMemory& tables, Accumulators& accumulators, WriteSet& writes, const SumsProbe& probe) {
  const MacContext context{command, datapath.lanes, sram};
  const int64_t channels = command.out_channels, pitch = context.accumulator_pitch();
  const auto num_values = static_cast<size_t>(context.num_pixels() * channels);
  if (command.first) {
    accumulators.values.assign(command.last ? 0 : num_values, 0);
  } else {
    VERNIER_CHECK(accumulators.is_valid && accumulators.values.size() == num_values,
                  "a continued reduction of {} accumulators finds {}", num_values, accumulators.values.size());
  }
  const auto kernel = command.mode == spec::MacMode::Conv ? make_conv_kernel(context) : make_depthwise_kernel(context);
  std::optional<Epilogue> epilogue;
  if (command.last) epilogue.emplace(context, tables, writes);

  if (probe.copy != nullptr) probe.copy->resize(num_values);
  std::vector<int64_t> tile(static_cast<size_t>(std::min(kTilePixels, context.num_pixels()) * pitch));
  for (int64_t pixel = 0; pixel < context.num_pixels(); pixel += kTilePixels) {
    const int64_t count = std::min(kTilePixels, context.num_pixels() - pixel);
    std::ranges::fill(tile, 0);
    if (!command.first) {
      copy_pixels(count, channels, accumulators.values.data() + pixel * channels, channels, tile.data(), pitch);
    }
    kernel->accumulate(pixel, count, tile.data());
    probe_tile(probe, pixel, count, channels, tile, pitch);
    if (command.last) {
      epilogue->finish(pixel, count, tile.data());
    } else {
      for (int64_t& value : tile) value = model::wrap48(value);
      copy_pixels(count, channels, tile.data(), pitch, accumulators.values.data() + pixel * channels, channels);
    }
  }
  accumulators.is_valid = !command.last;
  if (command.last) accumulators.values.clear();
}

}  // namespace vernier::kernels
