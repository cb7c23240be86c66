// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/system/command_meaning.hpp"

#include "hw/spec/command_fields.hpp"

#include <algorithm>
#include <map>

namespace vernier::tests {
namespace {

using Meaning = std::vector<int64_t>;
constexpr int64_t kPadding = INT64_MIN;  // an input position outside the map
constexpr int64_t kMaxWalk = 1 << 16;    // steps of a loop nest that are spelled out; longer ones are given by their numbers

template <typename... Values>
void put(Meaning& meaning, Values... values) {
  (meaning.push_back(static_cast<int64_t>(values)), ...);
}

/// Offsets along one axis of the input, tap by tap.
void put_axis(Meaning& m, int64_t outs, int64_t taps, int64_t origin, int64_t stride, int64_t dilation, int64_t extent,
              int64_t pitch) {
  put(m, outs, taps);
  if (outs * taps > kMaxWalk) return put(m, origin, stride, dilation, extent, pitch);
  for (int64_t i = 0; i < outs; ++i) {
    for (int64_t k = 0; k < taps; ++k) {
      const int64_t at = origin + i * stride + k * dilation;
      put(m, at < 0 || at >= extent ? kPadding : at * pitch);
    }
  }
}

void put_channels(Meaning& m, const spec::FeatureMap& map, int64_t channels, int64_t lanes) {
  put(m, channels, map.type);
  if (channels > lanes) put(m, map.block_pitch_bytes);
}

void put_output(Meaning& m, const spec::MacCommand& c, const spec::FeatureMap& map, int64_t lanes) {
  put(m, map.base, c.out_rows > 1 ? map.row_pitch_bytes : 0, c.out_columns > 1 ? map.pixel_pitch_bytes : 0);
  put_channels(m, map, c.out_channels, lanes);
}

void put_epilogue(Meaning& m, const spec::MacCommand& c, int64_t lanes) {
  put(m, c.parameter_base, c.scale32, c.rescale, c.accumulator_is_48, c.table ? 1 + c.table_slot : 0);
  if (c.rescale) put(m, c.rounding, c.output_zero_point, c.clamp_min, c.clamp_max);
  if (c.rescale || c.residual) put(m, c.output_is_unsigned);
  put_output(m, c, c.output, lanes);
  if (!c.residual) return;
  put_output(m, c, c.addend, lanes);
  put(m, c.rounding, c.residual_zero_point, c.addend_zero_point, c.sum_zero_point, c.own_scale.multiplier, c.own_scale.shift,
      c.addend_scale.multiplier, c.addend_scale.shift, c.sum_scale.multiplier, c.sum_scale.shift, c.sum_clamp_min,
      c.sum_clamp_max);
}

void put_body(Meaning& m, const spec::MacCommand& c, int64_t lanes) {
  const bool depthwise = c.mode == spec::MacMode::Depthwise;
  put(m, c.mode, c.first, c.last, c.lane_split_log2, depthwise && c.slide_rows, c.input.base, c.input_zero_point,
      c.input_is_unsigned);
  // Taps and channels behind the end of the reduction are never reached.
  const int64_t tap_length = depthwise ? 1 : c.in_channels;
  const int64_t taps = base::ceil_div(c.reduction_end, tap_length);
  const int64_t kernel_columns = std::min(c.kernel_columns, taps);
  const int64_t kernel_rows = std::min(c.kernel_rows, base::ceil_div(taps, c.kernel_columns));
  put_axis(m, c.out_rows, kernel_rows, c.origin_row, c.stride_rows, c.dilation_rows, c.in_rows, c.input.row_pitch_bytes);
  put_axis(m, c.out_columns, kernel_columns, c.origin_column, c.stride_columns, c.dilation_columns, c.in_columns,
           c.input.pixel_pitch_bytes);
  put_channels(m, c.input, depthwise ? c.out_channels : std::min(c.in_channels, c.reduction_end), lanes);
  put(m, c.out_channels, c.reduction_begin, c.reduction_end, c.weight_base, c.weight_order, c.weight_type,
      c.weight_zero_point);
  if (c.weight_order != spec::WeightOrder::Tiles) put(m, c.weight_pitch_bytes);
  if (c.last) {
    put_epilogue(m, c, lanes);
  } else {
    put(m, c.accumulator_is_48);
  }
}

/// The offsets that a loop nest walks through, in order.
template <size_t Size>
void put_walk(Meaning& m, const std::array<int64_t, Size>& counts, const std::array<int64_t, Size>& strides) {
  std::vector<int64_t> offsets{0};
  for (size_t d = 0; d < Size; ++d) {
    if (counts[d] == 1) continue;
    if (static_cast<int64_t>(offsets.size()) * counts[d] > kMaxWalk) {
      put(m, kPadding, counts[d], strides[d]);
      continue;
    }
    std::vector<int64_t> next;
    for (const int64_t offset : offsets) {
      for (int64_t i = 0; i < counts[d]; ++i) next.push_back(offset + i * strides[d]);
    }
    offsets = std::move(next);
  }
  put(m, offsets.size());
  m.insert(m.end(), offsets.begin(), offsets.end());
}

void put_body(Meaning& m, const spec::DmaCommand& c, int64_t) {
  put(m, c.kind, c.run_bytes);
  if (c.kind == spec::DmaKind::TableFill) {
    put(m, c.src.base.offset, c.src.base.space, c.table_slot, c.table_type);
    return;
  }
  if (c.kind == spec::DmaKind::Fill) {
    put(m, c.fill_value, c.fill_bytes);
  } else {
    put(m, c.src.base.offset, c.src.base.space);
    put_walk(m, c.counts, c.src.strides_bytes);
  }
  put(m, c.dst.base.offset, c.dst.base.space);
  put_walk(m, c.counts, c.dst.strides_bytes);
}

void put_second(Meaning& m, const spec::VectorStep& s) {
  put(m, s.b_is_immediate);
  put(m, s.b_is_immediate ? s.imm0 : s.b);
}

void put_step(Meaning& m, const spec::VectorStep& s, bool has_phases) {
  using spec::VectorOp;
  put(m, s.op, has_phases ? static_cast<int64_t>(s.phase) : 0);
  if (s.op != VectorOp::Store) put(m, s.dst);
  switch (s.op) {
    case VectorOp::Load:
    case VectorOp::LoadAdd:
    case VectorOp::LoadMaximum:
    case VectorOp::LoadMinimum: return put(m, s.stream, s.imm0, s.shift);
    case VectorOp::Store: return put(m, s.stream, s.a);
    case VectorOp::Move: return put(m, s.b_is_immediate, s.b_is_immediate ? s.imm0 : s.a);
    case VectorOp::Clamp: return put(m, s.a, s.imm0, s.imm1);
    case VectorOp::Abs:
    case VectorOp::Negate:
    case VectorOp::Not:
    case VectorOp::Clz:
    case VectorOp::ReduceAdd:
    case VectorOp::ReduceMax:
    case VectorOp::ReduceMin: return put(m, s.a);
    case VectorOp::Select: put(m, s.c); break;
    case VectorOp::Wrap: return put(m, s.a, s.type);
    case VectorOp::ShiftLeft:
    case VectorOp::ShiftRightLogical: put(m, s.type); break;
    case VectorOp::ShiftRight: put(m, s.type, s.round); break;
    case VectorOp::Mul: put(m, s.shift); break;
    case VectorOp::Rescale:
      put(m, s.c_is_shift, s.c_is_shift ? s.c : s.shift, s.scale32, s.rounding, s.imm1, s.type, s.is_unsigned);
      break;
    case VectorOp::Table: return put(m, s.a, s.slot, s.type);
    default: break;
  }
  put(m, s.a);
  put_second(m, s);
}

void put_body(Meaning& m, const spec::VectorCommand& c, int64_t) {
  const bool has_phases =
      std::any_of(c.steps.begin(), c.steps.end(), [](const auto& step) { return step.phase != spec::VectorPhase::Body; });
  put(m, c.lanes, c.lanes_reduced);
  std::array<int64_t, 2> split{1, 1};  // positions that are kept, and reduced for each
  for (int64_t d = 0; d < spec::kNumVectorLoops; ++d) split[d < c.kept_loops ? 0 : 1] *= c.counts[static_cast<size_t>(d)];
  if (has_phases) put(m, split[0], split[1]);
  std::map<int64_t, bool> streams;  // those in use, and whether a load takes part
  for (const spec::VectorStep& s : c.steps) {
    put_step(m, s, has_phases);
    if (spec::is_load(s.op)) streams[s.stream] = true;
    if (s.op == spec::VectorOp::Store) streams.try_emplace(s.stream, false);
  }
  for (const auto& [index, is_loaded] : streams) {
    const spec::VectorStream& s = c.streams.at(static_cast<size_t>(index));
    put(m, index, s.base, s.type, is_loaded && s.is_unsigned, c.lanes > 1 ? s.lane_stride_bytes : 0);
    put_walk(m, c.counts, s.strides_bytes);
  }
}

void put_body(Meaning&, const spec::EndCommand&, int64_t) {}

struct FieldList {
  std::vector<std::pair<std::string, int64_t>> fields;
  template <typename T>
  void operator()(const spec::FieldInfo& field, const T& value) {
    fields.emplace_back(field.index < 0 ? std::string(field.name) : std::string(field.name) + std::to_string(field.index),
                        static_cast<int64_t>(value));
  }
};

FieldList fields_of(const spec::Command& command) {
  FieldList list;
  spec::Opcode opcode{};
  int64_t units = 0;
  spec::visit_header(list, command.header, opcode, units);
  std::visit([&](const auto& body) { spec::visit_fields(list, body); }, command.body);
  return list;
}

}  // namespace

std::vector<int64_t> meaning_of(const spec::Command& command, const spec::Datapath& datapath) {
  Meaning meaning{static_cast<int64_t>(command.body.index())};
  std::visit([&](const auto& body) { put_body(meaning, body, datapath.lanes); }, command.body);
  return meaning;
}

std::vector<std::string> differing_fields(const spec::Command& a, const spec::Command& b) {
  const FieldList first = fields_of(a), second = fields_of(b);
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(first.fields.size(), second.fields.size()); ++i) {
    if (first.fields[i] != second.fields[i]) names.push_back(first.fields[i].first);
  }
  return names;
}

}  // namespace vernier::tests
