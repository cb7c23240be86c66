// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/pack_weights.hpp"

#include "hw/base/error.hpp"
#include "hw/spec/machine.hpp"
#include "hw/spec/packed_weights.hpp"

#include <algorithm>

namespace vernier::passes {
namespace {

/// Weight of output channel oc at reduction index r, wherever the tensor has it.
class WeightReader {
 public:
  WeightReader(const base::Tensor& weights, bool is_depthwise)
      : weights_(weights.as<int8_t>()), is_depthwise_(is_depthwise) {
    const base::Shape& shape = weights.shape();
    VERNIER_CHECK(shape.size() == 4, "weights of shape {}", base::to_string(shape));
    channels_ = is_depthwise ? shape[2] * shape[3] : shape[0];
    taps_ = is_depthwise ? shape[0] * shape[1] : shape[1] * shape[2] * shape[3];
  }
  [[nodiscard]] int64_t channels() const { return channels_; }
  /// Reduction elements an output channel; a depthwise one has taps only.
  [[nodiscard]] int64_t reduction() const { return taps_; }
  /// 0 behind the end of the reduction.
  [[nodiscard]] std::byte at(int64_t oc, int64_t r) const {
    if (r >= taps_) return std::byte{0};
    const int64_t index = is_depthwise_ ? r * channels_ + oc : oc * taps_ + r;
    return static_cast<std::byte>(weights_[static_cast<size_t>(index)]);
  }

 private:
  std::span<const int8_t> weights_;
  bool is_depthwise_;
  int64_t channels_ = 0, taps_ = 0;
};

void put(std::vector<std::byte>& bytes, int64_t value, int num_bytes) {
  for (int i = 0; i < num_bytes; ++i) bytes.push_back(static_cast<std::byte>(static_cast<uint64_t>(value) >> (8 * i)));
}

/// Appends a tile row, of int4 two weights a byte.
void put_row(std::vector<std::byte>& bytes, std::span<const std::byte> weights, base::ElementType type) {
  if (type != base::ElementType::Int4) {
    bytes.insert(bytes.end(), weights.begin(), weights.end());
    return;
  }
  constexpr std::byte kHalf{0x0f};
  for (size_t i = 0; i < weights.size(); i += spec::kInt4sPerByte) {
    const std::byte high = i + 1 < weights.size() ? weights[i + 1] & kHalf : std::byte{0};
    bytes.push_back((weights[i] & kHalf) | high << 4);
  }
}

}  // namespace

std::vector<std::byte> pack_weights(const base::Tensor& weights, bool is_depthwise, spec::MacMode mode, int64_t lanes,
                                    int64_t tile_lanes) {
  const WeightReader reader(weights, is_depthwise);
  std::vector<std::byte> packed, row;
  const auto put_row_of = [&](int64_t elements, auto at) {
    row.clear();
    for (int64_t i = 0; i < elements; ++i) row.push_back(at(i));
    put_row(packed, row, weights.type());
  };
  for (int64_t tile = 0; tile < reader.channels(); tile += tile_lanes) {
    const int64_t end = std::min(tile + tile_lanes, reader.channels());
    if (mode == spec::MacMode::Depthwise) {
      for (int64_t tap = 0; tap < reader.reduction(); ++tap) {
        put_row_of(end - tile, [&](int64_t lane) { return reader.at(tile + lane, tap); });
      }
      continue;
    }
    for (int64_t step = 0; step < reader.reduction(); step += lanes) {
      for (int64_t oc = tile; oc < end; ++oc) {
        put_row_of(lanes, [&](int64_t element) { return reader.at(oc, step + element); });
      }
    }
  }
  return packed;
}

std::vector<std::byte> pack_parameters(const std::vector<ChannelParameters>& channels, bool scale32) {
  std::vector<std::byte> packed;
  for (const ChannelParameters& channel : channels) {
    put(packed, channel.bias, static_cast<int>(parameter_bias_bytes(scale32)));
    put(packed, channel.multiplier, scale32 ? 4 : 2);
    put(packed, channel.shift, 1);
    put(packed, 0, 1);
  }
  VERNIER_CHECK(packed.size() == channels.size() * spec::kChannelParameterBytes, "{} bytes of parameters", packed.size());
  return packed;
}

}  // namespace vernier::passes
