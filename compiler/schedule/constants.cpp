// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/constants.hpp"

#include "hw/base/division.hpp"

namespace vernier::schedule {
namespace {

void append(Image& image, const passes::Program& program, passes::BufferId id) {
  const passes::Buffer& buffer = program.buffers[id];
  int64_t& offset = image.offset_bytes[id];
  if (!buffer.is_constant() || offset >= 0) return;
  offset = base::round_up(static_cast<int64_t>(image.bytes.size()), kConstantAlignBytes);
  image.bytes.resize(static_cast<size_t>(offset));
  image.bytes.insert(image.bytes.end(), buffer.contents.begin(), buffer.contents.end());
  if (buffer.kind == passes::BufferKind::Weights || buffer.kind == passes::BufferKind::Parameters)
    image.weight_bytes += buffer.size_bytes;
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

}  // namespace vernier::schedule
