// SPDX-License-Identifier: Apache-2.0
// Long because: it lists the ports of all blocks.
//
// The ports of the blocks in SystemVerilog: names, directions and widths, for a datapath of N lanes. They are what a
// co-simulation drives, and what other RTL has to have in order to be driven by it.
//
// Cycles: a beat is taken at a rising edge of clk_i with en_i and its valid (and ready, where there is one). "Latency L":
// the result of a beat taken at edge E can be taken at edge E + L, counted in edges with en_i.
#pragma once

#include "hw/spec/command_ports.hpp"
#include "hw/spec/latency.hpp"
#include "hw/spec/machine.hpp"
#include "hw/spec/table_format.hpp"
#include "hw/spec/windows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <string_view>

namespace vernier::spec {

/// Raised by one when a port changes its name, width or meaning [decision 0017].
inline constexpr int kRtlInterfaceVersion = 9;
/// Lanes that RTL is built for: those of the presets [decision 0002].
inline constexpr std::array<int, 3> kRtlLanes{8, 16, 32};
/// A tag comes out with the result of the beat that it came in with [decision 0018].
inline constexpr int kRtlTagBits = 8;

struct RtlPort {
  std::string_view name;
  bool is_output;
  int (*bits)(int lanes);
  std::string_view meaning;
};

/// Words of a table of `bytes` bytes when it is filled.
constexpr int table_fill_words(int bytes, int lanes) { return (bytes + lanes - 1) / lanes; }
/// Bits that hold `values` different values.
constexpr int bits_to_count(int values) { return std::bit_width(static_cast<unsigned>(values - 1)); }

/// A row with a residual takes the rescale unit four times: for the channel's scale, the value so far, the addend, their
/// sum. Rows come every kResidualPaceCycles. The sum has its turn so many cycles after the row was read that it ends with
/// the fill of three rescales after the cycles of the row; the other turns are where the unit is free
/// [decision 0013; measured on RTL, tests/cosim/array_test.cpp].
inline constexpr int64_t kResidualPaceCycles = 4;
inline constexpr int64_t kResidualSumSlot = kResidualPaceCycles - 1 + 2 * kRescalePipelineCycles;  // [decision 0013]
inline constexpr int64_t kResidualTableSumSlot = kResidualSumSlot + kTablePipelineCycles;

/// What the array does in a cycle of a command's main phase, on stall_o [decision 0018].
enum class ArrayState : uint8_t {
  Idle = 0,
  Busy = 1,               // takes a beat of a row
  Fill = 2,               // the first words are on their way; behind a slice: its last rows are in the pipeline
  WeightLoad = 3,         // the weight tile is not there
  RescaleContention = 4,  // the bank is not free, or another drain comes before the last one; also when weights miss as well
  InputWait = 5,          // act_valid_i is low
  OutputWait = 6,         // out_ready_i is low, and the row would get ahead of what leaves its bank
};
inline constexpr int kArrayStateBits = 3;  // [decision 0018]
inline constexpr std::array<std::string_view, 7> kArrayStateNames{
    "idle", "busy", "fill", "weight_load", "rescale_contention", "input_wait", "output_wait"};

/// Segments of an activation beat and the words that each lies in: two neighbours [from kActivationSegments].
inline constexpr int kActivationWords = 2 * kActivationSegments;
/// Most pixels of an accumulator row [from kMaxLaneSplitLog2], and what a beat can have at most: a run of bytes for each
/// pixel and segment.
inline constexpr int kMaxRowPixels = 1 << kMaxLaneSplitLog2;
inline constexpr int kActivationRuns = kMaxRowPixels * kActivationSegments;
/// Depthwise: a run for each word and position that it serves.
inline constexpr int kWindowRuns = kWindowWords * kMaxRowPixels;
static_assert(kWindowWords == kActivationWords, "words of windows come where those of segments do");

namespace detail {
template <int kBits>
constexpr int fixed(int) {
  return kBits;
}
template <int kBits>
constexpr int each_lane(int lanes) {
  return kBits * lanes;
}
template <int kCount>
constexpr int lane_number(int lanes) {
  return kCount * bits_to_count(lanes);
}
template <int kCount>
constexpr int byte_number(int lanes) {
  return kCount * bits_to_count(2 * lanes);  // [from kActivationWords]
}
template <int kCount>
constexpr int lane_count(int lanes) {
  return kCount * bits_to_count(lanes + 1);
}
constexpr int element_number(int lanes) { return kMaxRowPixels * lanes * bits_to_count(lanes); }
/// [from kTable16Entries]
constexpr int fill_word_bits(int lanes) { return bits_to_count(table_fill_words(2 * kTable16Entries, lanes)); }
}  // namespace detail

inline constexpr std::array kRescaleUnitPorts{
    RtlPort{"clk_i", false, detail::fixed<1>, "clock"},  // [RTL hw/rtl/npu_rescale_unit.sv]
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
    RtlPort{"clk_i", false, detail::fixed<1>, "clock"},  // [RTL hw/rtl/npu_table_unit.sv]
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

inline constexpr std::array kMacArrayPorts{
    RtlPort{"clk_i", false, detail::fixed<1>, "clock"},  // [RTL hw/rtl/npu_mac_array.sv]
    RtlPort{"rst_ni", false, detail::fixed<1>, "reset, low; asserted at any time, released after a falling edge"},
    RtlPort{"en_i", false, detail::fixed<1>, "low: nothing is taken and nothing moves"},
    RtlPort{"cmd_valid_i", false, detail::fixed<1>, "a command is there"},
    RtlPort{"cmd_ready_o", true, detail::fixed<1>,
            "it is taken at this edge; follows act_* and out_ready_i of the same cycle"},
    RtlPort{"cmd_i", false, detail::fixed<port_bits<MacCommand>(PortFields::OfDatapath)>, "its fields, see below"},
    RtlPort{"wgt_valid_i", false, detail::fixed<1>,
            "a beat of weights is there, two cycles after its command at the earliest"},
    RtlPort{"wgt_ready_o", true, detail::fixed<1>,
            "it is taken at this edge; follows act_* and out_ready_i of the same cycle"},
    RtlPort{"wgt_word_valid_i", false, detail::fixed<kWeightLoadWords>,
            "which of the words are there; each is of another tile row"},
    RtlPort{"wgt_row_i", false, detail::lane_number<kWeightLoadWords>,
            "a word: tile row, the lane of a pixel whose cells it has; of weights in TapMajor order the element"},
    RtlPort{
        "wgt_data_i", false, detail::each_lane<8 * kWeightLoadWords>,
        "a word: N bytes, that of the step's element 0 low, in TapMajor order that of lane 0; an int4 weight is a byte with "
        "its sign"},
    RtlPort{"wgt_mask_i", false, detail::each_lane<kWeightLoadWords>, "a word: which of its bytes are written"},
    RtlPort{"wgt_last_i", false, detail::fixed<1>, "last beat of the weight tile"},
    RtlPort{"act_valid_i", false, detail::fixed<1>, "a beat of activations is there"},
    RtlPort{"act_ready_o", true, detail::fixed<1>,
            "it is taken at this edge; follows act_last_i and out_ready_i of the same cycle"},
    RtlPort{"act_data_i", false, detail::each_lane<8 * kActivationWords>,
            "a segment: two neighbouring words; depthwise: each word by itself"},
    RtlPort{
        "act_offset_i", false, detail::byte_number<kActivationRuns>,
        "a run of bytes, those of pixel 0 low, of each pixel that of segment 0 low: its first byte in the segment's words"},
    RtlPort{"act_length_i", false, detail::lane_count<kActivationRuns>, "a run: its bytes, 0 to N"},
    RtlPort{"act_to_i", false, detail::byte_number<kActivationRuns>,
            "a run: byte of the step that its first byte is: element, or two times the element for int16"},
    RtlPort{"act_mask_i", false, detail::each_lane<kMaxRowPixels>,
            "an element of a pixel: it lies in padding, or the pixel fills up the row, and adds nothing"},
    RtlPort{"win_offset_i", false, detail::lane_number<kWindowRuns>,
            "act_*, depthwise: a run of bytes, those of word 0 low, for each position that the word serves: its first byte "
            "in the word"},
    RtlPort{"win_length_i", false, detail::lane_count<kWindowRuns>, "a run: its bytes, 0 to N"},
    RtlPort{"win_to_i", false, detail::byte_number<kWindowRuns>,
            "a run: byte of a pixel's lanes that its first byte is: lane, or two times the lane for int16"},
    RtlPort{"win_pixel_i", false, detail::fixed<kWindowRuns * kMaxRowPixels>, "a pixel of a run: its lanes take it"},
    RtlPort{"win_register_i", false, detail::lane_number<kWindowRuns * kMaxRowPixels>,
            "a pixel of a run: register of the window that it is written to"},
    RtlPort{"win_element_i", false, detail::element_number,
            "an element of a pixel, with the last beat: register of the window that it is"},
    RtlPort{"act_last_i", false, detail::fixed<1>, "last beat of the row"},
    RtlPort{"prm_valid_i", false, detail::fixed<1>, "the parameters of a channel tile are there"},
    RtlPort{"prm_ready_o", true, detail::fixed<1>, "they are taken at this edge"},
    RtlPort{"prm_i", false, detail::each_lane<8 * kChannelParameterBytes>,
            "a lane of a pixel: bias, multiplier, shift as in SRAM"},
    RtlPort{"add_valid_i", false, detail::fixed<1>, "the addends of a row with a residual are there"},
    RtlPort{"add_ready_o", true, detail::fixed<1>, "they are taken at this edge"},
    RtlPort{"add_i", false, detail::each_lane<8>, "a lane: its addend, int8"},
    RtlPort{"out_valid_o", true, detail::fixed<1>, "a row of results is there"},
    RtlPort{"out_ready_i", false, detail::fixed<1>, "it is taken at this edge"},
    RtlPort{"out_value_o", true, detail::each_lane<kAccumulatorBits>,
            "a lane: the result, a signed number; any where out_mask_o is 0"},
    RtlPort{"out_mask_o", true, detail::each_lane<1>, "lanes that have a pixel and a channel"},
    RtlPort{"out_row_o", true, detail::fixed<bits_to_count(kAccumulatorRows)>, "its number in the row tile"},
    RtlPort{"out_bank_o", true, detail::fixed<1>, "bank of the row tile: 0 for the first one after reset, then alternating"},
    RtlPort{"out_last_of_tile_o", true, detail::fixed<1>, "last row of the row tile"},
    RtlPort{"out_last_o", true, detail::fixed<1>, "last row of the command"},
    RtlPort{"scale_en_o", true, detail::fixed<1>,
            "en_i of the rescale unit; follows en_i and out_ready_i of the same cycle"},
    RtlPort{"scale_valid_o", true, detail::fixed<1>, "scale_*_o: operands of npu_rescale_unit, as scale_*_i there"},
    RtlPort{"scale_tag_o", true, detail::fixed<kRtlTagBits>, "row of the tile"},
    RtlPort{"scale_value_o", true, detail::each_lane<48>,
            "accumulator and bias; with a residual then the value so far, the addend, their sum"},
    RtlPort{"scale_multiplier_o", true, detail::each_lane<32>, "multiplier"},
    RtlPort{"scale_shift_o", true, detail::each_lane<6>, "shift"},
    RtlPort{"scale_scale32_o", true, detail::fixed<1>, "32 x 32 bits"},
    RtlPort{"scale_rounding_o", true, detail::fixed<3>, "rounding"},
    RtlPort{"scale_in_type_o", true, detail::fixed<3>, "int32 or int48"},
    RtlPort{"scale_in_unsigned_o", true, detail::fixed<1>, "0"},
    RtlPort{"scale_in_zero_point_o", true, detail::fixed<32>, "zero point of the value so far, of the addend; else 0"},
    RtlPort{"scale_out_type_o", true, detail::fixed<3>, "output type; of a residual's operands and sum int32"},
    RtlPort{"scale_out_unsigned_o", true, detail::fixed<1>, "output is unsigned"},
    RtlPort{"scale_out_zero_point_o", true, detail::fixed<32>, "output zero point, of a sum its own; else 0"},
    RtlPort{"scale_clamp_min_o", true, detail::fixed<32>, "lower limit"},
    RtlPort{"scale_clamp_max_o", true, detail::fixed<32>, "upper limit"},
    RtlPort{"scale_valid_i", false, detail::fixed<1>, "scale_*_i: results of npu_rescale_unit, as scale_*_o there"},
    RtlPort{"scale_tag_i", false, detail::fixed<kRtlTagBits>, "tag of the vector"},
    RtlPort{"scale_result_i", false, detail::each_lane<32>, "results"},
    RtlPort{"look_en_o", true, detail::fixed<1>, "en_i of the table unit; follows en_i and out_ready_i of the same cycle"},
    RtlPort{"look_valid_o", true, detail::fixed<1>, "look_*_o: operands of npu_table_unit, as look_*_i there"},
    RtlPort{"look_tag_o", true, detail::fixed<kRtlTagBits>, "row of the tile"},
    RtlPort{"look_slot_o", true, detail::fixed<1>, "slot"},
    RtlPort{"look_value_o", true, detail::each_lane<16>, "operands"},
    RtlPort{"look_valid_i", false, detail::fixed<1>, "look_*_i: results of npu_table_unit, as look_*_o there"},
    RtlPort{"look_tag_i", false, detail::fixed<kRtlTagBits>, "tag of the vector"},
    RtlPort{"look_result_i", false, detail::each_lane<32>, "results"},
    RtlPort{"stall_o", true, detail::fixed<kArrayStateBits>,
            "what it does in this cycle, see below; follows act_* and out_ready_i"},
};

inline constexpr std::array kVectorUnitPorts{
    RtlPort{"clk_i", false, detail::fixed<1>, "clock"},  // [RTL hw/rtl/npu_vector_unit.sv]
    RtlPort{"rst_ni", false, detail::fixed<1>, "reset, low; asserted at any time, released after a falling edge"},
    RtlPort{"en_i", false, detail::fixed<1>, "low: nothing is taken and nothing moves"},
    RtlPort{"cmd_valid_i", false, detail::fixed<1>, "a command is there"},
    RtlPort{"cmd_ready_o", true, detail::fixed<1>,
            "it is taken at this edge; follows en_i, ld_valid_i, st_ready_i and *_ready_i of the same cycle"},
    RtlPort{"cmd_i", false, detail::fixed<port_bits<VectorCommand>(PortFields::OfDatapath)>, "its fields, see below"},
    RtlPort{"ld_valid_i", false, detail::fixed<1>,
            "elements of a load are there; they can be taken three edges after the command at the earliest"},
    RtlPort{"ld_ready_o", true, detail::fixed<1>,
            "they are taken at this edge; follows en_i, st_ready_i and *_ready_i of the same cycle"},
    RtlPort{
        "ld_data_i", false, detail::each_lane<64>,
        "32 bits a lane: stored bits of its element, low ones first; then 32 bits a lane of the second vector of a pair. "
        "Of int48 a beat has the low 32 bits, the next one the high 16"},
    RtlPort{"st_valid_o", true, detail::fixed<1>, "elements of a store are there; does not depend on st_ready_i"},
    RtlPort{"st_ready_i", false, detail::fixed<1>, "they are taken at this edge"},
    RtlPort{"st_data_o", true, detail::each_lane<32>,
            "a lane: its element's low bits. Of int48 a beat has the low 32 bits, the next one the high 32 of 64"},
    RtlPort{"st_mask_o", true, detail::each_lane<1>, "lanes that have an element"},
    RtlPort{"scale_en_o", true, detail::fixed<1>,
            "the unit moves at this edge: a vector is taken and a result is used; follows en_i, ld_valid_i, st_ready_i and "
            "*_ready_i of the same cycle"},
    RtlPort{"scale_valid_o", true, detail::fixed<1>, "scale_*_o: operands of npu_rescale_unit, as scale_*_i there"},
    RtlPort{"scale_tag_o", true, detail::fixed<kRtlTagBits>, "register of the result, and which lanes take part"},
    RtlPort{"scale_value_o", true, detail::each_lane<48>, "values"},
    RtlPort{"scale_multiplier_o", true, detail::each_lane<32>, "multipliers"},
    RtlPort{"scale_shift_o", true, detail::each_lane<6>, "shifts"},
    RtlPort{"scale_scale32_o", true, detail::fixed<1>, "32 x 32 bits"},
    RtlPort{"scale_rounding_o", true, detail::fixed<3>, "rounding"},
    RtlPort{"scale_in_type_o", true, detail::fixed<3>, "int32 or int48"},
    RtlPort{"scale_in_unsigned_o", true, detail::fixed<1>, "0"},
    RtlPort{"scale_in_zero_point_o", true, detail::fixed<32>, "0"},
    RtlPort{"scale_out_type_o", true, detail::fixed<3>, "type of the step; of a product int32"},
    RtlPort{"scale_out_unsigned_o", true, detail::fixed<1>, "output is unsigned"},
    RtlPort{"scale_out_zero_point_o", true, detail::fixed<32>, "output zero point"},
    RtlPort{"scale_clamp_min_o", true, detail::fixed<32>, "the least number"},
    RtlPort{"scale_clamp_max_o", true, detail::fixed<32>, "the greatest number"},
    RtlPort{"scale_valid_i", false, detail::fixed<1>, "scale_*_i: results of npu_rescale_unit, as scale_*_o there"},
    RtlPort{"scale_tag_i", false, detail::fixed<kRtlTagBits>, "tag of the vector"},
    RtlPort{"scale_result_i", false, detail::each_lane<32>, "results"},
    RtlPort{"scale_ready_i", false, detail::fixed<1>,
            "low: the vector unit stands still in this cycle, as the lanes take no vector now or have not yet the result "
            "that is "
            "due; may follow scale_valid_o of the same cycle"},
    RtlPort{"look_en_o", true, detail::fixed<1>,
            "the unit moves at this edge: a vector is taken and a result is used; follows en_i, ld_valid_i, st_ready_i and "
            "*_ready_i of the same cycle"},
    RtlPort{"look_valid_o", true, detail::fixed<1>, "look_*_o: operands of npu_table_unit, as look_*_i there"},
    RtlPort{"look_tag_o", true, detail::fixed<kRtlTagBits>, "register of the result, and which lanes take part"},
    RtlPort{"look_slot_o", true, detail::fixed<1>, "slot"},
    RtlPort{"look_value_o", true, detail::each_lane<16>, "operands"},
    RtlPort{"look_valid_i", false, detail::fixed<1>, "look_*_i: results of npu_table_unit, as look_*_o there"},
    RtlPort{"look_tag_i", false, detail::fixed<kRtlTagBits>, "tag of the vector"},
    RtlPort{"look_result_i", false, detail::each_lane<32>, "results"},
    RtlPort{"look_ready_i", false, detail::fixed<1>, "the same of the table unit"},
};

/// The array with its lanes: what those and the array have outside.
constexpr bool is_lane_port(const RtlPort& port) {
  return port.name.starts_with("scale_") || port.name.starts_with("look_");
}
constexpr bool is_fill_port(const RtlPort& port) { return port.name.starts_with("tbl_") || port.name.starts_with("slot_"); }
inline constexpr auto kDatapathPorts = [] {
  constexpr auto kOfArray = std::count_if(kMacArrayPorts.begin(), kMacArrayPorts.end(), is_lane_port);
  constexpr auto kOfTables = std::count_if(kTableUnitPorts.begin(), kTableUnitPorts.end(), is_fill_port);
  std::array<RtlPort, kMacArrayPorts.size() - kOfArray + kOfTables> ports{};
  auto* const end = std::remove_copy_if(kMacArrayPorts.begin(), kMacArrayPorts.end(), ports.begin(), is_lane_port);
  std::copy_if(kTableUnitPorts.begin(), kTableUnitPorts.end(), end, is_fill_port);
  return ports;
}();

/// Array and vector unit with the lanes that they share: the ports of both but those of the lanes, the vector unit's command
/// with a name of its own. What the harness has to see of the sharing is said in two outputs [RTL hw/rtl/npu_core.sv].
inline constexpr auto kCorePorts = [] {
  constexpr auto kOfVectors = std::count_if(kVectorUnitPorts.begin(), kVectorUnitPorts.end(), [](const RtlPort& port) {
    return !is_lane_port(port) && port.name != "clk_i" && port.name != "rst_ni" && port.name != "en_i";
  });
  std::array<RtlPort, kDatapathPorts.size() + kOfVectors + 2> ports{};
  auto* end = std::copy(kDatapathPorts.begin(), kDatapathPorts.end(), ports.begin());
  for (RtlPort port : kVectorUnitPorts) {
    if (is_lane_port(port) || port.name == "clk_i" || port.name == "rst_ni" || port.name == "en_i") continue;
    if (port.name == "cmd_valid_i") port.name = "vec_cmd_valid_i";
    if (port.name == "cmd_ready_o") {
      port.name = "vec_cmd_ready_o";
      port.meaning = "it is taken at this edge; follows en_i, ld_valid_i, st_ready_i and out_ready_i of the same cycle";
    }
    if (port.name == "ld_ready_o")
      port.meaning = "they are taken at this edge; follows en_i, st_ready_i and out_ready_i of the same cycle";
    if (port.name == "cmd_i") port.name = "vec_cmd_i";
    *end++ = port;
  }
  *end++ = {"lanes_array_o", true, detail::fixed<2>,
            "the array takes a cycle of the rescale lanes (bit 0), of the table lanes; follows en_i and out_ready_i of the "
            "same cycle"};
  *end++ = {"lanes_wait_o", true, detail::fixed<2>,
            "the vector unit stands still for one of them; follows en_i and out_ready_i of the same cycle"};
  return ports;
}();

/// How a block is driven: vectors into a pipe without ready, or commands with valid and ready on every port.
enum class RtlKind : uint8_t { Pipe, Array, VectorUnit, Core };

struct RtlBlock {
  std::string_view name;     // of the SystemVerilog module; parameters Lanes and TagBits
  std::string_view unit;     // on the command line
  std::string_view results;  // the port group whose beats are compared
  RtlKind kind;
  int64_t latency_cycles;  // of a pipe; 0 of the others
  std::span<const RtlPort> ports;
};

inline constexpr std::array<RtlBlock, 6> kRtlBlocks{{
    {"npu_rescale_unit", "rescale", "scale", RtlKind::Pipe, kRescalePipelineCycles, kRescaleUnitPorts},
    {"npu_table_unit", "table", "look", RtlKind::Pipe, kTablePipelineCycles, kTableUnitPorts},
    {"npu_mac_array", "mac_array", "out", RtlKind::Array, 0, kMacArrayPorts},  // [decision 0013]
    {"npu_datapath", "datapath", "out", RtlKind::Array, 0, kDatapathPorts},
    {"npu_vector_unit", "vector", "st", RtlKind::VectorUnit, 0, kVectorUnitPorts},
    {"npu_core", "core", "out", RtlKind::Core, 0, kCorePorts},
}};

/// The block of a unit, as it is named on the command line; null where there is none.
constexpr const RtlBlock* rtl_block_of_unit(std::string_view unit) {
  const auto* const found = std::ranges::find(kRtlBlocks, unit, &RtlBlock::unit);
  return found == kRtlBlocks.end() ? nullptr : found;
}
/// The block whose module has that name; null where there is none.
constexpr const RtlBlock* rtl_block_of_module(std::string_view module) {
  const auto* const found = std::ranges::find(kRtlBlocks, module, &RtlBlock::name);
  return found == kRtlBlocks.end() ? nullptr : found;
}

}  // namespace vernier::spec
