// SPDX-License-Identifier: Apache-2.0
// Commands as text: key=value, so that people read it and scripts can take it apart.
#include "hw/package/command_codec.hpp"
#include "hw/package/names.hpp"

#include <fmt/ranges.h>

#include <array>
#include <iterator>

namespace vernier::package {
namespace {

using spec::DmaKind;
using Text = std::back_insert_iterator<std::string>;

std::string queues_text(uint8_t mask) {
  std::string text;
  for (int q = 0; q < spec::kNumQueues; ++q) {
    if ((mask >> q & 1) == 0) continue;
    if (!text.empty()) text += '+';
    text += spec::kQueueNames[static_cast<size_t>(q)];
  }
  return text;
}

std::string type_text(base::ElementType type, bool is_unsigned) {
  return fmt::format("{}{}", is_unsigned ? "u" : "", base::to_string(type));
}

void print_map(std::string& text, std::string_view name, const spec::FeatureMap& map, bool is_unsigned) {
  fmt::format_to(Text(text), " {}=0x{:x}:{} {}_pitch={},{},{}", name, map.base, type_text(map.type, is_unsigned), name,
                 map.row_pitch_bytes, map.pixel_pitch_bytes, map.block_pitch_bytes);
}

void print_side(std::string& text, std::string_view name, const spec::DmaSide& side) {
  fmt::format_to(Text(text), " {}={} {}_strides={}", name, side.base, name, fmt::join(side.strides_bytes, ","));
}

void print_body(std::string&, const spec::EndCommand&) {}

void print_body(std::string& text, const spec::DmaCommand& c) {
  fmt::format_to(Text(text), " {}", name_of(kDmaKindNames, c.kind));
  fmt::format_to(Text(text), " counts={} run_bytes={}", fmt::join(c.counts, "x"), c.run_bytes);
  if (c.kind != DmaKind::Fill) print_side(text, "src", c.src);
  if (c.kind != DmaKind::TableFill) print_side(text, "dst", c.dst);
  if (c.kind == DmaKind::Fill) fmt::format_to(Text(text), " value={} fill_bytes={}", c.fill_value, c.fill_bytes);
  if (c.kind == DmaKind::Gather || c.kind == DmaKind::Scatter)
    fmt::format_to(Text(text), " indices=0x{:x} limit={}", c.index_base, c.index_limit);
  if (c.kind == DmaKind::TableFill)
    fmt::format_to(Text(text), " slot={} type={}", c.table_slot, base::to_string(c.table_type));
}

void print_epilogue(std::string& text, const spec::MacCommand& c) {
  fmt::format_to(Text(text), " parameters=0x{:x}", c.parameter_base);
  if (c.rescale) {
    fmt::format_to(Text(text), " rescale={}:{} out_zp={} clamp={}..{}", c.scale32 ? "32" : "16",
                   name_of(kRoundingNames, c.rounding), c.output_zero_point, c.clamp_min, c.clamp_max);
  }
  if (c.table) fmt::format_to(Text(text), " table={}", c.table_slot);
  if (c.residual) {
    print_map(text, "addend", c.addend, c.output_is_unsigned);
    fmt::format_to(Text(text), " own={}>>{} zp={} other={}>>{} zp={} sum={}>>{} zp={} sum_clamp={}..{}",
                   c.own_scale.multiplier, c.own_scale.shift, c.residual_zero_point, c.addend_scale.multiplier,
                   c.addend_scale.shift, c.addend_zero_point, c.sum_scale.multiplier, c.sum_scale.shift, c.sum_zero_point,
                   c.sum_clamp_min, c.sum_clamp_max);
  }
  print_map(text, "out", c.output, c.output_is_unsigned);
}

void print_body(std::string& text, const spec::MacCommand& c) {
  fmt::format_to(Text(text), " {} k={}x{}", name_of(kMacModeNames, c.mode), c.kernel_rows, c.kernel_columns);
  fmt::format_to(Text(text), " out_shape={}x{}x{}", c.out_rows, c.out_columns, c.out_channels);
  fmt::format_to(Text(text), " in_shape={}x{}x{}", c.in_rows, c.in_columns, c.in_channels);
  fmt::format_to(Text(text), " stride={},{} dilation={},{} origin={},{}", c.stride_rows, c.stride_columns, c.dilation_rows,
                 c.dilation_columns, c.origin_row, c.origin_column);
  fmt::format_to(Text(text), " reduction={}..{}{}{}", c.reduction_begin, c.reduction_end, c.first ? " first" : "",
                 c.last ? " last" : "");
  fmt::format_to(Text(text), " split={} tile={}{}{}", 1 << c.lane_split_log2, c.row_tile_rows,
                 c.slide_rows ? " slide_rows" : "", c.accumulator_is_48 ? " acc48" : "");
  print_map(text, "in", c.input, c.input_is_unsigned);
  fmt::format_to(Text(text), " in_zp={}", c.input_zero_point);
  fmt::format_to(Text(text), " weights=0x{:x}:{} order={}", c.weight_base, base::to_string(c.weight_type),
                 name_of(kWeightOrderNames, c.weight_order));
  if (c.weight_order != spec::WeightOrder::Tiles) fmt::format_to(Text(text), " weight_pitch={}", c.weight_pitch_bytes);
  fmt::format_to(Text(text), " weight_zp={}", c.weight_zero_point);
  if (c.last) print_epilogue(text, c);
}

std::string second_operand(const spec::VectorStep& s) {
  return s.b_is_immediate ? fmt::format("#{}", s.imm0) : fmt::format("r{}", s.b);
}

void print_step(std::string& text, const spec::VectorStep& s) {
  using spec::VectorOp;
  fmt::format_to(Text(text), "\n    {:5} @{} {}", name_of(kPhaseNames, s.phase), s.offset, name_of(kVectorOpNames, s.op));
  const std::string type = type_text(s.type, s.is_unsigned);
  switch (s.op) {
    case VectorOp::Load:
    case VectorOp::LoadAdd:
    case VectorOp::LoadMaximum:
    case VectorOp::LoadMinimum:
      fmt::format_to(Text(text), " r{}, stream{} - {}", s.dst, s.stream, s.imm0);
      if (s.shift != 0) fmt::format_to(Text(text), " << {}", s.shift);
      return;
    case VectorOp::Store: fmt::format_to(Text(text), " stream{}, r{}", s.stream, s.a); return;
    case VectorOp::Move:
      fmt::format_to(Text(text), " r{}, {}", s.dst, s.b_is_immediate ? fmt::format("#{}", s.imm0) : fmt::format("r{}", s.a));
      return;
    case VectorOp::Clamp: fmt::format_to(Text(text), " r{}, r{}, {}..{}", s.dst, s.a, s.imm0, s.imm1); return;
    case VectorOp::Abs:
    case VectorOp::Negate:
    case VectorOp::Not:
    case VectorOp::Clz:
    case VectorOp::ReduceAdd:
    case VectorOp::ReduceMax:
    case VectorOp::ReduceMin: fmt::format_to(Text(text), " r{}, r{}", s.dst, s.a); return;
    case VectorOp::Select: fmt::format_to(Text(text), " r{}, r{} ? r{} : {}", s.dst, s.c, s.a, second_operand(s)); return;
    case VectorOp::Wrap: fmt::format_to(Text(text), " r{}, r{} as {}", s.dst, s.a, type); return;
    case VectorOp::Mul: fmt::format_to(Text(text), " r{}, r{}, {} >> {}", s.dst, s.a, second_operand(s), s.shift); return;
    case VectorOp::Rescale:
      fmt::format_to(Text(text), " r{}, r{}, {} >> {} scale={}:{} zp={} as {}", s.dst, s.a, second_operand(s),
                     s.c_is_shift ? fmt::format("r{}", s.c) : fmt::format("{}", s.shift), s.scale32 ? "32" : "16",
                     name_of(kRoundingNames, s.rounding), s.imm1, type);
      return;
    case VectorOp::Table: fmt::format_to(Text(text), " r{}, r{} slot={} as {}", s.dst, s.a, s.slot, type); return;
    case VectorOp::ShiftLeft:
    case VectorOp::ShiftRightLogical:
    case VectorOp::ShiftRight:
      fmt::format_to(Text(text), " r{}, r{}, {} as {}{}", s.dst, s.a, second_operand(s), type, s.round ? " round" : "");
      return;
    default: fmt::format_to(Text(text), " r{}, r{}, {}", s.dst, s.a, second_operand(s));
  }
}

void print_body(std::string& text, const spec::VectorCommand& c) {
  fmt::format_to(Text(text), " counts={} lanes={} kept={}{} steps={} interval={} rotating={}", fmt::join(c.counts, "x"),
                 c.lanes, c.kept_loops, c.lanes_reduced ? " lanes_reduced" : "", c.steps.size(), c.interval,
                 c.rotating_registers);
  for (size_t i = 0; i < c.streams.size(); ++i) {
    const spec::VectorStream& s = c.streams[i];
    fmt::format_to(Text(text), "\n    stream{}=0x{:x}:{} lane_stride={} strides={}", i, s.base,
                   type_text(s.type, s.is_unsigned), s.lane_stride_bytes, fmt::join(s.strides_bytes, ","));
  }
  for (const spec::VectorStep& step : c.steps) print_step(text, step);
}

}  // namespace

std::string_view mnemonic(const spec::Command& command) {
  constexpr std::array<std::string_view, 4> kMnemonics{"end", "dma", "mac", "vec"};
  static_assert(std::variant_size_v<spec::CommandBody> == kMnemonics.size());
  return kMnemonics[command.body.index()];
}

std::string print(const spec::Command& command) {
  std::string text(mnemonic(command));
  const spec::Header& header = command.header;
  fmt::format_to(Text(text), " q={}", name_of(spec::kQueueNames, header.queue));
  if (header.wait != 0) fmt::format_to(Text(text), " wait={}", queues_text(header.wait));
  if (header.signal != 0) fmt::format_to(Text(text), " signal={}", queues_text(header.signal));
  if (header.queue_limit != 0) fmt::format_to(Text(text), " queue_limit={}", spec::kQueueLimits.at(header.queue_limit));
  std::visit([&](const auto& body) { print_body(text, body); }, command.body);
  return text;
}

}  // namespace vernier::package
