// SPDX-License-Identifier: Apache-2.0
// The one home of the command formats: width, signedness and order of every field. Encoder, decoder, disassembler, the
// printed reference and the tests walk the same functions.
//
// Packing: fields stand in the order visited, from bit 0 of 32-bit little-endian words; a field that would cross the end of
// a word starts the next one; a command is padded with zeros to kCommandUnitBytes. Padding that is not zero is
// ReservedEncoding.
#pragma once

#include "hw/base/division.hpp"
#include "hw/spec/command.hpp"
#include "hw/spec/machine.hpp"

#include <cstddef>
#include <string_view>
#include <type_traits>

namespace vernier::spec {

inline constexpr int kCommandUnitBytes = 16;  // [decision 0018]
inline constexpr int kCommandLengthBits = 8;  // units of kCommandUnitBytes: a command has at most 255 [decision 0018]

/// One field. `index` tells the members of an array apart (-1: not an array). width_bits is 1 to 32.
struct FieldInfo {
  std::string_view name;
  int width_bits;
  bool is_signed;
  std::string_view unit;  // "byte", "element", "" ...
  int index = -1;
  /// True for a field of a MAC or vector command that only addresses and masks of beats depend on: cmd_i of the RTL leaves
  /// it out.
  bool is_address_only = false;
};

namespace detail {
template <typename Visitor, typename T>
constexpr void put(Visitor& v, std::string_view name, int width, bool is_signed, std::string_view unit, T& value,
                   int index = -1) {
  v(FieldInfo{name, width, is_signed, unit, index}, value);
}
template <typename Visitor, typename T>
constexpr void put_address(Visitor& v, std::string_view name, int width, bool is_signed, std::string_view unit, T& value,
                           int index = -1) {
  v(FieldInfo{name, width, is_signed, unit, index, true}, value);
}
}  // namespace detail

/// Visits (FieldInfo, member&) for the word that every command starts with. `Opcode`, `units` (length) are passed in, since
/// they follow from the body.
template <typename Visitor, typename H, typename O, typename L>
constexpr void visit_header(Visitor& v, H& header, O& opcode, L& units) {
  using detail::put;
  put(v, "opcode", 8, false, "", opcode);  // [decision 0018]
  put(v, "length", kCommandLengthBits, false, "16 bytes", units);
  put(v, "queue", 4, false, "", header.queue);
  put(v, "wait", kNumQueues, false, "queue mask", header.wait);
  put(v, "signal", kNumQueues, false, "queue mask", header.signal);
  put(v, "queue_limit", kQueueLimitBits, false, "code: depth, 4, 8, 16", header.queue_limit);
}

template <typename Visitor, typename Side>
constexpr void visit_dma_side(Visitor& v, Side& side, bool is_source) {
  using detail::put;
  put(v, is_source ? "src_base" : "dst_base", 32, false, "byte", side.base.offset);  // [decision 0018]
  for (int i = 0; i < kNumDmaLoops; ++i) {
    put(v, is_source ? "src_stride" : "dst_stride", 32, true, "byte", side.strides_bytes[static_cast<size_t>(i)], i);
  }
}

template <typename Visitor, typename C>
requires std::is_same_v<std::remove_const_t<C>, DmaCommand>
constexpr void visit_fields(Visitor& v, C& c) {
  using detail::put;
  put(v, "kind", 4, false, "", c.kind);  // [decision 0018]
  put(v, "table_slot", 1, false, "", c.table_slot);
  put(v, "table_type", 3, false, "", c.table_type);
  put(v, "fill_bytes", 4, false, "byte", c.fill_bytes);
  put(v, "src_space", 1, false, "", c.src.base.space);
  put(v, "dst_space", 1, false, "", c.dst.base.space);
  put(v, "run_bytes", 32, false, "byte", c.run_bytes);
  for (int i = 0; i < kNumDmaLoops; ++i) put(v, "count", 24, false, "run", c.counts[static_cast<size_t>(i)], i);
  visit_dma_side(v, c.src, true);
  visit_dma_side(v, c.dst, false);
  put(v, "fill_value", 32, true, "", c.fill_value);
  put(v, "index_base", 32, false, "byte", c.index_base);
  put(v, "index_limit", 32, false, "position", c.index_limit);
}

template <typename Visitor, typename M>
constexpr void visit_feature_map(Visitor& v, M& map, int which) {
  using detail::put, detail::put_address;
  constexpr std::string_view kNames[3][5] = {
      {"input_base", "input_row_pitch", "input_pixel_pitch", "input_block_pitch", "input_type"},
      {"output_base", "output_row_pitch", "output_pixel_pitch", "output_block_pitch", "output_type"},
      {"addend_base", "addend_row_pitch", "addend_pixel_pitch", "addend_block_pitch", "addend_type"}};
  const auto& names = kNames[which];
  put_address(v, names[0], 32, false, "byte", map.base);  // [decision 0018]
  put_address(v, names[1], 32, true, "byte", map.row_pitch_bytes);
  put_address(v, names[2], 32, true, "byte", map.pixel_pitch_bytes);
  put_address(v, names[3], 32, true, "byte", map.block_pitch_bytes);
  put(v, names[4], 3, false, "", map.type);
}

template <typename Visitor, typename S>
constexpr void visit_scale(Visitor& v, S& scale, int which) {
  constexpr std::string_view kNames[3][2] = {
      {"own_multiplier", "own_shift"}, {"addend_multiplier", "addend_shift"}, {"sum_multiplier", "sum_shift"}};
  detail::put(v, kNames[which][0], 32, true, "", scale.multiplier);  // [decision 0018]
  detail::put(v, kNames[which][1], 6, false, "bit", scale.shift);
}

template <typename Visitor, typename C>
requires std::is_same_v<std::remove_const_t<C>, MacCommand>
constexpr void visit_fields(Visitor& v, C& c) {
  using detail::put, detail::put_address;
  put(v, "mode", 2, false, "", c.mode);  // [decision 0018]
  put(v, "first", 1, false, "", c.first);
  put(v, "last", 1, false, "", c.last);
  put(v, "lane_split_log2", 2, false, "", c.lane_split_log2);
  put(v, "slide_rows", 1, false, "", c.slide_rows);
  put(v, "row_tile_rows", 7, false, "", c.row_tile_rows);
  put(v, "weight_order", 2, false, "", c.weight_order);
  put(v, "weight_type", 3, false, "", c.weight_type);
  put(v, "input_is_unsigned", 1, false, "", c.input_is_unsigned);
  put(v, "accumulator_is_48", 1, false, "", c.accumulator_is_48);
  put(v, "rescale", 1, false, "", c.rescale);
  put(v, "scale32", 1, false, "", c.scale32);
  put(v, "rounding", 3, false, "", c.rounding);
  put(v, "output_is_unsigned", 1, false, "", c.output_is_unsigned);
  put(v, "table", 1, false, "", c.table);
  put(v, "table_slot", 1, false, "", c.table_slot);
  put(v, "residual", 1, false, "", c.residual);
  visit_feature_map(v, c.input, 0);
  put(v, "input_zero_point", 17, true, "", c.input_zero_point);
  put_address(v, "in_rows", 16, false, "element", c.in_rows);
  put_address(v, "in_columns", 16, false, "element", c.in_columns);
  put_address(v, "in_channels", 20, false, "element", c.in_channels);
  put_address(v, "kernel_rows", 14, false, "element", c.kernel_rows);
  put_address(v, "kernel_columns", 14, false, "element", c.kernel_columns);
  put_address(v, "stride_rows", 14, false, "element", c.stride_rows);
  put_address(v, "stride_columns", 14, false, "element", c.stride_columns);
  put_address(v, "dilation_rows", 14, false, "element", c.dilation_rows);
  put_address(v, "dilation_columns", 14, false, "element", c.dilation_columns);
  put_address(v, "origin_row", 18, true, "element", c.origin_row);
  put_address(v, "origin_column", 18, true, "element", c.origin_column);
  put_address(v, "weight_base", 32, false, "byte", c.weight_base);
  put_address(v, "weight_pitch", 32, true, "byte", c.weight_pitch_bytes);
  put(v, "weight_zero_point", 9, true, "", c.weight_zero_point);
  put(v, "out_rows", 16, false, "element", c.out_rows);
  put(v, "out_columns", 16, false, "element", c.out_columns);
  put(v, "out_channels", 16, false, "element", c.out_channels);
  put(v, "reduction_begin", 32, false, "element", c.reduction_begin);
  put(v, "reduction_end", 32, false, "element", c.reduction_end);
  put_address(v, "parameter_base", 32, false, "byte", c.parameter_base);
  visit_feature_map(v, c.output, 1);
  put(v, "output_zero_point", 17, true, "", c.output_zero_point);
  put(v, "clamp_min", 32, true, "", c.clamp_min);
  put(v, "clamp_max", 32, true, "", c.clamp_max);
  if (!c.residual) return;  // the residual part stands in the command only when it is used
  visit_feature_map(v, c.addend, 2);
  put(v, "residual_zero_point", 17, true, "", c.residual_zero_point);
  put(v, "addend_zero_point", 17, true, "", c.addend_zero_point);
  put(v, "sum_zero_point", 17, true, "", c.sum_zero_point);
  visit_scale(v, c.own_scale, 0);
  visit_scale(v, c.addend_scale, 1);
  visit_scale(v, c.sum_scale, 2);
  put(v, "sum_clamp_min", 17, true, "", c.sum_clamp_min);
  put(v, "sum_clamp_max", 17, true, "", c.sum_clamp_max);
}

template <typename Visitor, typename S>
constexpr void visit_stream(Visitor& v, S& s, int index) {
  using detail::put, detail::put_address;
  put_address(v, "stream_base", 32, false, "byte", s.base, index);  // [decision 0018]
  put(v, "stream_type", 3, false, "", s.type, index);
  put(v, "stream_is_unsigned", 1, false, "", s.is_unsigned, index);
  put_address(v, "stream_lane_stride", 24, true, "byte", s.lane_stride_bytes, index);
  for (size_t i = 0; i < static_cast<size_t>(kNumVectorLoops); ++i) {
    put_address(v, "stream_stride", 32, true, "byte", s.strides_bytes[i], index * kNumVectorLoops + static_cast<int>(i));
  }
}

template <typename Visitor, typename S>
constexpr void visit_step(Visitor& v, S& s, int index) {
  using detail::put;
  put(v, "step_op", 6, false, "", s.op, index);  // [decision 0018]
  put(v, "step_phase", 2, false, "", s.phase, index);
  put(v, "step_dst", 4, false, "register", s.dst, index);
  put(v, "step_a", 4, false, "register", s.a, index);
  put(v, "step_b", 4, false, "register", s.b, index);
  put(v, "step_c", 4, false, "register", s.c, index);
  put(v, "step_b_is_immediate", 1, false, "", s.b_is_immediate, index);
  put(v, "step_c_is_shift", 1, false, "", s.c_is_shift, index);
  put(v, "step_stream", 3, false, "", s.stream, index);
  put(v, "step_slot", 1, false, "", s.slot, index);
  put(v, "step_round", 1, false, "", s.round, index);
  put(v, "step_type", 3, false, "", s.type, index);
  put(v, "step_is_unsigned", 1, false, "", s.is_unsigned, index);
  put(v, "step_scale32", 1, false, "", s.scale32, index);
  put(v, "step_rounding", 3, false, "", s.rounding, index);
  put(v, "step_shift", 6, false, "bit", s.shift, index);
  put(v, "step_offset", kVectorOffsetBits, false, "cycle", s.offset, index);
  put(v, "step_imm0", 32, true, "", s.imm0, index);
  put(v, "step_imm1", 32, true, "", s.imm1, index);
}

/// Only the streams and steps that the command has are encoded; their numbers come first. A decoder sizes the two vectors
/// from num_streams and num_steps before it visits what follows (`resize` is the visitor's: it may be a no-op).
template <typename Visitor, typename C>
requires std::is_same_v<std::remove_const_t<C>, VectorCommand>
constexpr void visit_fields(Visitor& v, C& c) {
  using detail::put, detail::put_address;
  auto num_streams = static_cast<int64_t>(c.streams.size());
  auto num_steps = static_cast<int64_t>(c.steps.size());
  put_address(v, "num_streams", 3, false, "", num_streams);  // [decision 0018]
  put(v, "num_steps", 5, false, "", num_steps);
  put(v, "kept_loops", 3, false, "", c.kept_loops);
  put(v, "lanes_reduced", 1, false, "", c.lanes_reduced);
  put(v, "interval", kVectorOffsetBits, false, "cycle", c.interval);
  put(v, "rotating_registers", 5, false, "register", c.rotating_registers);
  put(v, "lanes", 32, false, "element", c.lanes);
  for (int i = 0; i < kNumVectorLoops; ++i) put(v, "count", 24, false, "", c.counts[static_cast<size_t>(i)], i);
  if constexpr (!std::is_const_v<C>) {
    c.streams.resize(static_cast<size_t>(num_streams));
    c.steps.resize(static_cast<size_t>(num_steps));
  }
  for (size_t i = 0; i < c.streams.size(); ++i) visit_stream(v, c.streams[i], static_cast<int>(i));
  for (size_t i = 0; i < c.steps.size(); ++i) visit_step(v, c.steps[i], static_cast<int>(i));
}

template <typename Visitor, typename C>
requires std::is_same_v<std::remove_const_t<C>, EndCommand>
constexpr void visit_fields(Visitor&, C&) {}

/// Opcode of a body.
constexpr Opcode opcode_of(const EndCommand&) { return Opcode::End; }
constexpr Opcode opcode_of(const DmaCommand&) { return Opcode::Dma; }
constexpr Opcode opcode_of(const MacCommand&) { return Opcode::Mac; }
constexpr Opcode opcode_of(const VectorCommand&) { return Opcode::Vector; }

/// Counts bits as the packing rule places them.
struct BitCounter {
  int64_t bits = 0;
  template <typename T>
  constexpr void operator()(const FieldInfo& field, const T&) {
    if (bits % 32 + field.width_bits > 32) bits = (bits + 31) / 32 * 32;  // [decision 0018]
    bits += field.width_bits;
  }
};

/// Length of a command in units of kCommandUnitBytes, header included.
template <typename C>
constexpr int64_t length_units(const C& body) {
  BitCounter counter;
  Header header;
  Opcode opcode = opcode_of(body);
  int64_t units = 0;
  visit_header(counter, header, opcode, units);
  counter.bits = (counter.bits + 31) / 32 * 32;  // [decision 0018]
  visit_fields(counter, body);
  return base::ceil_div(base::ceil_div(counter.bits, 8), kCommandUnitBytes);
}

}  // namespace vernier::spec
