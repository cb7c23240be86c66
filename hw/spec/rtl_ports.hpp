// SPDX-License-Identifier: Apache-2.0
// The ports of the blocks in SystemVerilog: names, directions and widths, for a datapath of N lanes. They are what a
// co-simulation drives, and what other RTL has to have in order to be driven by it.
//
// Cycles: a beat is taken at a rising edge of clk_i with en_i and its valid (and ready, where there is one). "Latency L":
// the result of a beat taken at edge E can be taken at edge E + L, counted in edges with en_i.
#pragma once

#include "hw/spec/latency.hpp"
#include "hw/spec/machine.hpp"
#include "hw/spec/table_format.hpp"

#include <array>
#include <bit>
#include <span>
#include <string_view>

namespace vernier::spec {

/// Raised by one when a port changes its name, width or meaning.
inline constexpr int kRtlInterfaceVersion = 1;
/// Lanes that RTL is built for: those of the presets.
inline constexpr std::array<int, 3> kRtlLanes{8, 16, 32};
/// A tag comes out with the result of the beat that it came in with.
inline constexpr int kRtlTagBits = 8;

struct RtlPort {
  std::string_view name;
  bool is_output;
  int (*bits)(int lanes);
  std::string_view meaning;
};

/// Words of a table of `bytes` bytes when it is filled.
constexpr int table_fill_words(int bytes, int lanes) { return (bytes + lanes - 1) / lanes; }
constexpr int bits_to_count(int values) { return std::bit_width(static_cast<unsigned>(values - 1)); }

namespace detail {
template <int kBits>
constexpr int fixed(int) {
  return kBits;
}
template <int kBits>
constexpr int each_lane(int lanes) {
  return kBits * lanes;
}
constexpr int fill_word_bits(int lanes) { return bits_to_count(table_fill_words(2 * kTable16Entries, lanes)); }
}  // namespace detail

inline constexpr std::array kRescaleUnitPorts{
    RtlPort{"clk_i", false, detail::fixed<1>, "clock"},
    RtlPort{"rst_ni", false, detail::fixed<1>, "reset, low; asserted at any time, released after a falling edge"},
    RtlPort{"en_i", false, detail::fixed<1>, "low: every register and output holds"},
    RtlPort{"scale_valid_i", false, detail::fixed<1>, "a vector is there"},
    RtlPort{"scale_tag_i", false, detail::fixed<kRtlTagBits>, "comes out with the result"},
    RtlPort{"scale_value_i", false, detail::each_lane<48>, "a lane: stored bits of the in type, low ones first"},
    RtlPort{"scale_multiplier_i", false, detail::each_lane<32>, "a lane: multiplier; its low 16 bits without scale32"},
    RtlPort{"scale_shift_i", false, detail::each_lane<6>, "a lane: right shift"},
    RtlPort{"scale_scale32_i", false, detail::fixed<1>, "32 x 32 bits; else 48 x 16"},
    RtlPort{"scale_rounding_i", false, detail::fixed<3>, "rounding"},
    RtlPort{"scale_in_type_i", false, detail::fixed<3>, "int8, int16, int32 or int48"},
    RtlPort{"scale_in_unsigned_i", false, detail::fixed<1>, "values are unsigned"},
    RtlPort{"scale_in_zero_point_i", false, detail::fixed<32>, "subtracted from the value, a signed number"},
    RtlPort{"scale_out_type_i", false, detail::fixed<3>, "saturation to int8, int16 or int32"},
    RtlPort{"scale_out_unsigned_i", false, detail::fixed<1>, "results are unsigned"},
    RtlPort{"scale_out_zero_point_i", false, detail::fixed<32>, "added to the scaled value, modulo 2^32"},
    RtlPort{"scale_clamp_min_i", false, detail::fixed<32>, "lower limit after saturation, a signed number"},
    RtlPort{"scale_clamp_max_i", false, detail::fixed<32>, "upper limit, the stronger one"},
    RtlPort{"scale_valid_o", true, detail::fixed<1>, "a result is there"},
    RtlPort{"scale_tag_o", true, detail::fixed<kRtlTagBits>, "tag of its vector"},
    RtlPort{"scale_result_o", true, detail::each_lane<32>, "a lane: the result, a signed number"},
};

inline constexpr std::array kTableUnitPorts{
    RtlPort{"clk_i", false, detail::fixed<1>, "clock"},
    RtlPort{"rst_ni", false, detail::fixed<1>, "reset, low; asserted at any time, released after a falling edge"},
    RtlPort{"en_i", false, detail::fixed<1>, "low: every register and output of look_* holds"},
    RtlPort{"tbl_valid_i", false, detail::fixed<1>, "a word of a table is there"},
    RtlPort{"tbl_ready_o", true, detail::fixed<1>, "it is taken at this edge; does not depend on en_i or tbl_valid_i"},
    RtlPort{"tbl_slot_i", false, detail::fixed<1>, "slot that is filled"},
    RtlPort{"tbl_type_i", false, detail::fixed<3>, "format: int8, int16 or int32"},
    RtlPort{"tbl_word_i", false, detail::fill_word_bits, "number of the word, 0 first; word 0 empties the slot"},
    RtlPort{"tbl_data_i", false, detail::each_lane<8>, "N bytes of the table, low ones first"},
    RtlPort{"slot_format_o", true, detail::fixed<3 * kNumTableSlots>, "a slot, slot 0 low: its format, 0 while it is empty"},
    RtlPort{"look_valid_i", false, detail::fixed<1>, "a vector is there"},
    RtlPort{"look_tag_i", false, detail::fixed<kRtlTagBits>, "comes out with the result"},
    RtlPort{"look_slot_i", false, detail::fixed<1>, "slot that is looked up"},
    RtlPort{"look_value_i", false, detail::each_lane<16>, "a lane: the operand; its low 8 bits for int8 and int32"},
    RtlPort{"look_valid_o", true, detail::fixed<1>, "a result is there"},
    RtlPort{"look_tag_o", true, detail::fixed<kRtlTagBits>, "tag of its vector"},
    RtlPort{"look_result_o", true, detail::each_lane<32>, "a lane: the result, a signed number"},
};

struct RtlBlock {
  std::string_view name;     // of the SystemVerilog module; parameters Lanes and TagBits
  std::string_view unit;     // on the command line
  std::string_view results;  // the port group whose beats are compared
  int64_t latency_cycles;
  std::span<const RtlPort> ports;
};

inline constexpr std::array<RtlBlock, 2> kRtlBlocks{{
    {"npu_rescale_unit", "rescale", "scale", kRescalePipelineCycles, kRescaleUnitPorts},
    {"npu_table_unit", "table", "look", kTablePipelineCycles, kTableUnitPorts},
}};

}  // namespace vernier::spec
