// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/constants.hpp"

#include "compiler/schedule/cut.hpp"
#include "hw/base/quantity.hpp"

#include <algorithm>

namespace vernier::schedule {
namespace {

void append(Image& image, const passes::Program& program, passes::BufferId id) {
  const passes::Buffer& buffer = program.buffers[static_cast<size_t>(id)];
  int64_t& offset = image.offset_bytes[static_cast<size_t>(id)];
  if (!buffer.is_constant() || offset >= 0) return;
  offset = base::round_up(static_cast<int64_t>(image.bytes.size()), kConstantAlignBytes);
  image.bytes.resize(static_cast<size_t>(offset));
  image.bytes.insert(image.bytes.end(), buffer.contents.begin(), buffer.contents.end());
  if (buffer.kind == passes::BufferKind::Weights || buffer.kind == passes::BufferKind::Parameters)
    image.weight_bytes += buffer.size_bytes;
}

/// The bytes of its buffer that a constant operand reads.
Span bytes_read(const passes::Step& step, const passes::Operand& operand, const passes::Buffer& buffer,
                const spec::Datapath& datapath) {
  if (const auto* mac = std::get_if<spec::MacCommand>(&step.command.body);
      mac != nullptr && mac->weight_order == spec::WeightOrder::Tiles) {
    if (operand.field == passes::AddressField::Weights) {
      return {mac->weight_base, mac->weight_base + weight_bytes(*mac, mac->out_channels, datapath)};
    }
    if (operand.field == passes::AddressField::Parameters) {
      return {mac->parameter_base, mac->parameter_base + mac->out_channels * spec::kChannelParameterBytes};
    }
  }
  return {0, buffer.size_bytes};
}

}  // namespace

Image make_image(const passes::Program& program) {
  Image image;
  image.offset_bytes.assign(program.buffers.size(), -1);
  for (const passes::Step& step : program.steps) {
    for (const passes::Operand& operand : step.operands) append(image, program, operand.buffer);
    for (const passes::BufferId table : step.tables) append(image, program, table);
  }
  for (size_t id = 0; id < program.buffers.size(); ++id) append(image, program, static_cast<passes::BufferId>(id));
  image.stream_offset_bytes = base::round_up(static_cast<int64_t>(image.bytes.size()), kConstantAlignBytes);
  image.bytes.resize(static_cast<size_t>(image.stream_offset_bytes));
  return image;
}

bool reaches_outside(const passes::Step& step, const passes::Operand& operand) {
  const auto* dma = std::get_if<spec::DmaCommand>(&step.command.body);
  if (dma == nullptr) return false;
  return (dma->kind == spec::DmaKind::Gather && operand.field == passes::AddressField::Source) ||
         (dma->kind == spec::DmaKind::Scatter && operand.field == passes::AddressField::Destination);
}

void reach_outside(passes::Step& step, const passes::Operand& operand) {
  auto& dma = std::get<spec::DmaCommand>(step.command.body);
  spec::DmaSide& side = operand.field == passes::AddressField::Source ? dma.src : dma.dst;
  side.base.space = base::MemorySpace::External;
}

std::vector<Span> spans_of(const passes::Step& step, const passes::Program& program, const Image& image,
                           const spec::Datapath& datapath) {
  std::vector<Span> parts;
  for (const passes::Operand& operand : step.operands) {
    const int64_t offset = image.offset_bytes[static_cast<size_t>(operand.buffer)];
    if (offset < 0 || reaches_outside(step, operand)) continue;
    const Span part = bytes_read(step, operand, program.buffers[static_cast<size_t>(operand.buffer)], datapath);
    parts.push_back({offset + part.begin, offset + part.end});
  }
  std::sort(parts.begin(), parts.end());
  std::vector<Span> spans;
  for (const Span& part : parts) {
    if (!spans.empty() && part.begin - spans.back().end < kConstantAlignBytes) {
      spans.back().end = std::max(spans.back().end, part.end);
    } else {
      spans.push_back(part);
    }
  }
  return spans;
}

}  // namespace vernier::schedule
