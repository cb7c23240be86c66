// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/system/image_map.hpp"

#include "hw/base/error.hpp"
#include "tests/support/graph_builder.hpp"

namespace vernier::tests {
namespace {

using ir::OpKind;

/// The operator of that kind in a layer, or nothing.
const ir::Operator* find(const ir::Graph& graph, const std::string& layer, const std::vector<OpKind>& kinds) {
  for (const ir::Operator& op : graph.operators) {
    if (op.location == layer && std::find(kinds.begin(), kinds.end(), op.kind) != kinds.end()) return &op;
  }
  return nullptr;
}

}  // namespace

void ImageMap::add_mac(const ir::Operator& conv, const ir::Operator& rescale, const spec::MacCommand& c, int64_t lanes) {
  const bool depthwise = c.mode == spec::MacMode::Depthwise;
  const ir::TensorId weight = conv.inputs[1];
  const int64_t tile = lanes >> c.lane_split_log2;
  const int64_t taps = c.kernel_rows * c.kernel_columns;
  const int64_t length = depthwise ? taps : taps * c.in_channels;  // of the reduction of a channel
  int64_t at = c.weight_base;
  for (int64_t first = 0; first < c.out_channels; first += tile) {
    const int64_t used = std::min(tile, c.out_channels - first);
    const int64_t step = depthwise ? 1 : lanes;
    for (int64_t r0 = 0; r0 < length; r0 += step) {
      for (int64_t lane = 0; lane < used; ++lane) {
        for (int64_t r = r0; r < r0 + step; ++r, ++at) {
          const int64_t oc = first + lane;
          const int64_t index = depthwise ? r * c.out_channels + oc : oc * length + r;
          put(at, r < length ? Place{Kind::Element, "weights", weight, index, 0}
                             : Place{Kind::Padding, "zero fill of weights", -1, 0, 0});
        }
      }
    }
  }
  for (int64_t oc = 0; oc < c.out_channels; ++oc) {
    const int64_t record = c.parameter_base + oc * spec::kChannelParameterBytes;
    for (int64_t byte = 0; byte < 4; ++byte) {
      put(record + byte, {Kind::Element, "biases", conv.inputs[2], oc, byte});
      put(record + 4 + byte, {Kind::Element, "multipliers", rescale.inputs[1], oc, byte});
    }
    put(record + 8, {Kind::Element, "shifts", rescale.inputs[2], oc, 0});
    put(record + 9, {Kind::Padding, "reserved byte of parameters", -1, 0, 0});
  }
}

ImageMap::ImageMap(const ir::Graph& graph, const package::Package& package, const std::vector<spec::Command>& commands,
                   const std::vector<std::vector<package::Range>>& ranges)
    : graph_(graph), base_(static_cast<int64_t>(package.image.at(0).address.offset)) {
  for (const auto& of_command : ranges) {
    for (const package::Range& range : of_command) {
      if (range.storage != package::Storage::Sram || range.is_write) continue;
      package::for_each_run(range, [&](int64_t offset, int64_t bytes) {
        for (int64_t at = offset; at < offset + bytes; ++at)
          put(at, {Kind::Unknown, "read, by nothing that is known", -1, 0, 0});
      });
    }
  }
  for (size_t i = 0; i < commands.size(); ++i) {
    const std::string& layer = package.layers.at(package.command_layers[i]).name;
    if (const auto* mac = std::get_if<spec::MacCommand>(&commands[i].body)) {
      const ir::Operator* conv = find(graph, layer, {OpKind::Conv2d, OpKind::DepthwiseConv2d});
      const ir::Operator* rescale = find(graph, layer, {OpKind::Rescale});
      VERNIER_CHECK(conv != nullptr && rescale != nullptr && mac->out_channels == graph.tensor(conv->outputs[0]).shape[3],
                    "layer '{}' is no whole convolution", layer);
      add_mac(*conv, *rescale, *mac, package.config.datapath.lanes);
    }
    const auto* dma = std::get_if<spec::DmaCommand>(&commands[i].body);
    if (dma == nullptr || dma->kind != spec::DmaKind::TableFill) continue;
    const ir::Operator* table = nullptr;
    for (const ir::Operator& op : graph.operators) {  // a fill may belong to the layer of what it is fused with
      if (op.kind == OpKind::Table && graph.tensor(op.inputs[1]).type == dma->table_type) table = &op;
    }
    VERNIER_CHECK(table != nullptr, "no table of that type");
    const int64_t size = base::stored_bytes(dma->table_type);
    for (int64_t byte = 0; byte < dma->run_bytes; ++byte) {
      put(static_cast<int64_t>(dma->src.base.offset) + byte,
          {Kind::Element, "tables", table->inputs[1], byte / size, byte % size});
    }
  }
}

ImageMap::Place ImageMap::place_of(size_t byte) const {
  const auto it = places_.find(base_ + static_cast<int64_t>(byte));
  return it == places_.end() ? Place{Kind::Padding, "between constants", -1, 0, 0} : it->second;
}

ir::Graph ImageMap::with_flip(const Place& place, int bit) const {
  ir::Graph changed = graph_;
  ir::TensorInfo& tensor = changed.tensors.at(place.tensor);
  base::Tensor value = *tensor.constant;
  const int64_t width = 8 * base::stored_bytes(value.type());
  auto bits = static_cast<uint64_t>(value.at(place.index)) ^ (uint64_t{1} << (8 * place.byte + bit));
  bits <<= 64 - width;  // to sign-extend
  value.set(place.index, static_cast<int64_t>(bits) >> (64 - width));
  tensor.constant = std::make_shared<const base::Tensor>(value);
  return changed;
}

}  // namespace vernier::tests
