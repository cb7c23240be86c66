// SPDX-License-Identifier: Apache-2.0
// Packages by hand: commands and memory contents in, a package out, so that a test of the machine needs no compiler.
#pragma once

#include "hw/base/error.hpp"
#include "hw/config/machine_config.hpp"
#include "hw/package/command_codec.hpp"
#include "hw/package/package.hpp"
#include "hw/spec/command.hpp"
#include "hw/spec/vector_schedule.hpp"

#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace vernier::support {

using spec::Queue;

inline constexpr int64_t kStreamBase = 0x100000;  // in SRAM, above what tests use

inline base::Address sram(int64_t offset) { return {base::MemorySpace::Sram, static_cast<uint64_t>(offset)}; }
inline base::Address external(int64_t offset) { return {base::MemorySpace::External, static_cast<uint64_t>(offset)}; }
/// A mask of queues for wait and signal.
inline uint8_t tokens(std::initializer_list<Queue> queues) {
  uint8_t mask = 0;
  for (const Queue queue : queues) mask = static_cast<uint8_t>(mask | spec::queue_bit(queue));
  return mask;
}

inline spec::Command dma_copy(Queue queue, base::Address from, base::Address to, int64_t bytes) {
  spec::DmaCommand dma;
  dma.kind = spec::DmaKind::Copy;
  dma.src.base = from;
  dma.dst.base = to;
  dma.run_bytes = bytes;
  return {{queue, 0, 0}, dma};
}

inline spec::Command dma_fill(Queue queue, base::Address to, int64_t bytes, int64_t value) {
  spec::DmaCommand dma;
  dma.kind = spec::DmaKind::Fill;
  dma.dst.base = to;
  dma.run_bytes = bytes;
  dma.fill_value = value;
  return {{queue, 0, 0}, dma};
}

inline spec::Command table_fill(Queue queue, int64_t from, int64_t slot, base::ElementType type, int64_t bytes) {
  spec::DmaCommand dma;
  dma.kind = spec::DmaKind::TableFill;
  dma.src.base = sram(from);
  dma.run_bytes = bytes;
  dma.table_slot = slot;
  dma.table_type = type;
  return {{queue, 0, 0}, dma};
}

/// dst[i] = src[i] + addend over `elements` of int8, wrapped.
/// For machines with 16 lanes, and for all others where no step reduces lanes.
inline spec::VectorCommand scheduled(spec::VectorCommand command) {
  VERNIER_CHECK(spec::schedule(command, spec::kPresets[1].datapath), "no schedule");
  return command;
}

inline spec::Command vector_add(int64_t src, int64_t dst, int64_t elements, int64_t addend) {
  spec::VectorCommand vector;
  vector.lanes = elements;
  vector.streams = {{src, base::ElementType::Int8, false, 1, {}}, {dst, base::ElementType::Int8, false, 1, {}}};
  spec::VectorStep load, add, store;
  load.op = spec::VectorOp::Load;
  add.op = spec::VectorOp::Add;
  add.b_is_immediate = true;
  add.imm0 = addend;
  store.op = spec::VectorOp::Store;
  store.stream = 1;
  vector.steps = {load, add, store};
  return {{Queue::VectorUnit, 0, 0}, scheduled(vector)};
}

/// A 1x1 convolution of `rows` x `columns` pixels, N channels in and out, int8 to int8 through a rescale of one half
/// (multiplier 2^30, shift 31), dense maps.
inline spec::MacCommand pointwise(const config::MachineConfig& config, int64_t rows, int64_t columns, int64_t input,
                                  int64_t weights, int64_t parameters, int64_t output) {
  const int64_t lanes = config.datapath.lanes;
  spec::MacCommand mac;
  mac.input = {input, columns * lanes, lanes, lanes, base::ElementType::Int8};
  mac.output = {output, columns * lanes, lanes, lanes, base::ElementType::Int8};
  mac.in_rows = mac.out_rows = rows;
  mac.in_columns = mac.out_columns = columns;
  mac.in_channels = mac.out_channels = mac.reduction_end = lanes;
  mac.weight_base = weights;
  mac.parameter_base = parameters;
  mac.rescale = true;
  mac.clamp_min = -128;
  mac.clamp_max = 127;
  return mac;
}

/// Parameters of `channels` channels in scale32 form.
inline std::vector<std::byte> channel_parameters(int64_t channels, int32_t bias, int32_t multiplier, uint8_t shift) {
  std::vector<std::byte> bytes(static_cast<size_t>(channels * spec::kChannelParameterBytes));
  for (int64_t i = 0; i < channels; ++i) {
    std::byte* at = bytes.data() + i * spec::kChannelParameterBytes;
    std::memcpy(at, &bias, 4);
    std::memcpy(at + 4, &multiplier, 4);
    at[8] = static_cast<std::byte>(shift);
  }
  return bytes;
}

class StreamAssembler {
 public:
  explicit StreamAssembler(const config::MachineConfig& config) {
    package_.config = config;
    package_.stream_address = sram(kStreamBase);
    package_.layers.push_back({"layer_0", {}, 0});
  }
  package::Package& package() { return package_; }

  /// Commands from here on belong to a new layer.
  StreamAssembler& layer(const std::string& name) {
    if (package_.command_layers.empty()) {
      package_.layers.back().name = name;
    } else {
      package_.layers.push_back({name, {}, 0});
    }
    return *this;
  }
  StreamAssembler& add(spec::Command command, uint8_t wait = 0, uint8_t signal = 0) {
    command.header.wait = wait;
    command.header.signal = signal;
    package::encode(command, package_.stream);
    package_.command_layers.push_back(static_cast<int32_t>(package_.layers.size()) - 1);
    return *this;
  }
  StreamAssembler& add(const spec::MacCommand& mac, uint8_t wait = 0, uint8_t signal = 0) {
    return add(spec::Command{{Queue::MacArray, 0, 0}, mac}, wait, signal);
  }
  StreamAssembler& end() { return add(spec::Command{{}, spec::EndCommand{}}); }

  StreamAssembler& data(base::Address address, std::vector<std::byte> bytes) {
    package_.image.push_back({address, std::move(bytes)});
    return *this;
  }
  /// `bytes` bytes counting up from `first`.
  StreamAssembler& ramp(base::Address address, int64_t bytes, int first = 0) {
    std::vector<std::byte> content;
    for (int64_t i = 0; i < bytes; ++i) content.push_back(static_cast<std::byte>((first + i) & 0xFF));
    return data(address, std::move(content));
  }
  /// An int8 tensor of one dimension that is written before the job starts.
  StreamAssembler& input(base::Address address, int64_t elements) {
    package_.inputs.push_back(static_cast<int32_t>(package_.tensors.size()));
    package_.tensors.push_back({"input", base::ElementType::Int8, {elements}, {address, {}, elements, elements}});
    return *this;
  }
  /// An int8 tensor of one dimension that is read when the job is done.
  StreamAssembler& output(base::Address address, int64_t elements) {
    package_.outputs.push_back(static_cast<int32_t>(package_.tensors.size()));
    package_.tensors.push_back({"output", base::ElementType::Int8, {elements}, {address, {}, elements, elements}});
    return *this;
  }

 private:
  package::Package package_;
};

}  // namespace vernier::support
