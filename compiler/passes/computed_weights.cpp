// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/computed_weights.hpp"

#include "compiler/passes/placements.hpp"
#include "hw/spec/machine.hpp"

namespace vernier::passes {
namespace {

/// The distance of the lines if they are contiguous and at one distance.
std::optional<int64_t> pitch_of(const CopySource& source, const base::Shape& shape, size_t num_line_dims, int64_t element) {
  int64_t expected = element;
  for (size_t d = shape.size(); d-- > num_line_dims;) {
    if (shape[d] > 1 && source.strides_bytes[d] != expected) return std::nullopt;
    expected *= shape[d];
  }
  std::optional<int64_t> pitch;
  int64_t lines = 1;
  for (size_t d = num_line_dims; d-- > 0;) {
    if (shape[d] == 1) continue;
    if (!pitch) pitch = source.strides_bytes[d];
    if (source.strides_bytes[d] != *pitch * lines) return std::nullopt;
    lines *= shape[d];
  }
  return pitch.value_or(expected);
}

}  // namespace

Lines as_lines(Lowering& lowering, ir::TensorId name, const CopySource& source, const base::Shape& shape,
               size_t num_line_dims, const std::vector<ir::OpId>& ops) {
  const base::ElementType type = lowering.type(name);
  const int64_t element = base::stored_bytes(type);
  if (const auto pitch = pitch_of(source, shape, num_line_dims, element)) {
    return {source.buffer, source.offset_bytes, *pitch};
  }
  const CopySource copy = add_scratch(lowering, name, shape, type);
  add_strided_copy(lowering, source, copy, shape, type, ops);
  return {copy.buffer, 0, *pitch_of(copy, shape, num_line_dims, element)};
}

Lines as_lines(Lowering& lowering, ir::TensorId id, size_t num_line_dims, const std::vector<ir::OpId>& ops) {
  const CopySource source = source_of(lowering.view(id), lowering.shape(id), lowering.type(id));
  return as_lines(lowering, id, source, lowering.shape(id), num_line_dims, ops);
}

void use_lines(const Lines& lines, spec::WeightOrder order, spec::MacCommand& command) {
  command.weight_order = order;
  command.weight_base = lines.offset_bytes;
  command.weight_pitch_bytes = lines.pitch_bytes;
}

BufferId add_computed_parameters(Lowering& lowering, const std::vector<ChannelParameters>& channels, bool scale32,
                                 ir::TensorId bias, const std::vector<ir::OpId>& ops) {
  using base::ElementType;
  constexpr int64_t kRecord = spec::kChannelParameterBytes;
  const auto count = static_cast<int64_t>(channels.size());
  const int64_t bias_bytes = parameter_bias_bytes(scale32);
  std::vector<std::byte> constants = pack_parameters(channels, scale32);
  const BufferId fixed = lowering.add_buffer({.name = lowering.graph.tensor(bias).name,
                                              .kind = BufferKind::Parameters,
                                              .size_bytes = count * kRecord,
                                              .contents = std::move(constants)});
  const CopySource records = add_scratch(lowering, bias, {count, kRecord}, ElementType::Int8);
  // Records as bytes: the bias of each, then what stands behind it.
  CopySource rest = records;
  rest.offset_bytes = bias_bytes;
  add_strided_copy(lowering, {fixed, bias_bytes, {kRecord, 1}}, rest, {count, kRecord - bias_bytes}, ElementType::Int8, ops);
  CopySource from = source_of(lowering.view(bias), lowering.shape(bias), lowering.type(bias));
  if (lowering.shape(bias)[0] == 1) from.strides_bytes[0] = 0;
  from.strides_bytes.push_back(1);
  add_strided_copy(lowering, from, records, {count, bias_bytes}, ElementType::Int8, ops);
  return records.buffer;
}

}  // namespace vernier::passes
