// SPDX-License-Identifier: Apache-2.0
// The ports of the address generators: which words of SRAM each beat of a stream is made of, in the order of hw/sequence.
//
// A generator takes a command before it starts, prepares it within kIssueCycles, and offers its beats one after the other;
// at what pace is the ready's affair. While the beats of a command go, the next one is prepared. What it says of a beat
// besides is what npu_mac_array wants of it, on ports of the same names.
#pragma once

#include "hw/spec/rtl_ports.hpp"

#include <array>

namespace vernier::spec {

/// Bits of the address of a byte in SRAM, and of a word: modulo 2^32, since addresses of masked bytes may lie anywhere
/// [decision 0020].
inline constexpr int kAguAddressBits = 32;

namespace detail {
/// Bytes of a row of a weight tile: elements of two bytes [from kWeightLoadRows].
constexpr int tile_row_bytes(int lanes) { return kWeightLoadRows * bits_to_count(2 * lanes + 1); }
/// [from kWeightLoadRows]
constexpr int tile_row_byte(int lanes) { return kWeightLoadRows * bits_to_count(2 * lanes); }
constexpr int parameter_bytes(int lanes) { return bits_to_count(kChannelParameterBytes * lanes + 1); }
/// Elements of at most 8 bytes, those of int48 [decision 0002].
constexpr int pixel_bytes(int lanes) { return bits_to_count(8 * lanes + 1); }
}  // namespace detail

inline constexpr std::array kAguPorts{
    RtlPort{"clk_i", false, detail::fixed<1>, "clock"},  // [RTL hw/rtl/npu_agu.sv]
    RtlPort{"rst_ni", false, detail::fixed<1>, "reset, low; asserted at any time, released after a falling edge"},
    RtlPort{"mac_valid_i", false, detail::fixed<1>, "a command of the array is there"},
    RtlPort{"mac_ready_o", true, detail::fixed<1>,
            "it is taken at this edge: all beats of the one before the last are gone"},
    RtlPort{"mac_i", false, detail::fixed<port_bits<MacCommand>(PortFields::All)>,
            "all of its fields, in the order of its encoding"},
    RtlPort{"vec_valid_i", false, detail::fixed<1>, "a command of the vector unit is there"},
    RtlPort{"vec_ready_o", true, detail::fixed<1>,
            "it is taken at this edge: all beats of the one before the last are gone"},
    RtlPort{"vec_i", false, detail::fixed<port_bits<VectorCommand>(PortFields::All)>,
            "all of its fields, in the order of its encoding"},
    RtlPort{"wgt_most_i", false, detail::fixed<3>, "words of a beat at most, 1 to 4; does not change"},
    RtlPort{"wgt_set_o", true, detail::fixed<1>, "set whose command the beats of weights belong to: commands take turns"},
    RtlPort{"wgt_valid_o", true, detail::fixed<1>, "a beat is there"},
    RtlPort{"wgt_ready_i", false, detail::fixed<1>, "it is taken at this edge"},
    RtlPort{"wgt_read_o", true, detail::fixed<kWeightLoadWords>, "which of the words are read"},
    RtlPort{"wgt_word_o", true, detail::fixed<kAguAddressBits * kWeightLoadWords>,
            "a word: its number; they are read in their order"},
    RtlPort{"wgt_row_valid_o", true, detail::fixed<kWeightLoadRows>, "which of the pieces of tile rows are there"},
    RtlPort{"wgt_row_o", true, detail::lane_number<kWeightLoadRows>, "a piece: its tile row"},
    RtlPort{"wgt_address_o", true, detail::fixed<kAguAddressBits * kWeightLoadRows>, "a piece: address of its first byte"},
    RtlPort{"wgt_length_o", true, detail::tile_row_bytes, "a piece: its bytes, of int4 with two weights each"},
    RtlPort{"wgt_to_o", true, detail::tile_row_byte, "a piece: byte of the tile row that its first byte is"},
    RtlPort{"wgt_byte_o", true, detail::fixed<1>, "which byte of each weight the tile has: of int16 0 is the low one"},
    RtlPort{"wgt_last_o", true, detail::fixed<1>, "last beat of the weight tile"},
    RtlPort{"act_set_o", true, detail::fixed<1>,
            "set whose command the beats of activations belong to: commands take turns"},
    RtlPort{"act_valid_o", true, detail::fixed<1>, "a beat is there"},
    RtlPort{"act_ready_i", false, detail::fixed<1>, "it is taken at this edge"},
    RtlPort{"act_read_o", true, detail::fixed<kActivationWords>,
            "which of the words are read, of a depthwise command the low ones"},
    RtlPort{"act_word_o", true, detail::fixed<kAguAddressBits * kActivationWords>,
            "a word: its number; of a convolution two a segment"},
    RtlPort{"act_offset_o", true, detail::byte_number<kActivationRuns>, "as act_offset_i of npu_mac_array"},
    RtlPort{"act_length_o", true, detail::lane_count<kActivationRuns>, "as act_length_i"},
    RtlPort{"act_to_o", true, detail::byte_number<kActivationRuns>, "as act_to_i"},
    RtlPort{"act_mask_o", true, detail::each_lane<kMaxRowPixels>,
            "as act_mask_i, of the elements that the beat brings, of a depthwise command with the row's last beat"},
    RtlPort{"win_offset_o", true, detail::lane_number<kWindowRuns>, "as win_offset_i"},
    RtlPort{"win_length_o", true, detail::lane_count<kWindowRuns>, "as win_length_i"},
    RtlPort{"win_to_o", true, detail::byte_number<kWindowRuns>, "as win_to_i"},
    RtlPort{"win_pixel_o", true, detail::fixed<kWindowRuns * kMaxRowPixels>, "as win_pixel_i"},
    RtlPort{"win_register_o", true, detail::lane_number<kWindowRuns * kMaxRowPixels>, "as win_register_i"},
    RtlPort{"win_element_o", true, detail::element_number, "as win_element_i, with the last beat"},
    RtlPort{"act_last_o", true, detail::fixed<1>, "last beat of the row"},
    RtlPort{"prm_set_o", true, detail::fixed<1>, "set whose command the beats of parameters belong to: commands take turns"},
    RtlPort{"prm_valid_o", true, detail::fixed<1>, "the parameters of a channel tile are next"},
    RtlPort{"prm_ready_i", false, detail::fixed<1>, "they are taken at this edge"},
    RtlPort{"prm_address_o", true, detail::fixed<kAguAddressBits>, "address of their first byte"},
    RtlPort{"prm_bytes_o", true, detail::parameter_bytes, "their bytes"},
    RtlPort{"add_set_o", true, detail::fixed<1>, "set whose command the beats of addends belong to: commands take turns"},
    RtlPort{"add_valid_o", true, detail::fixed<1>, "a row of addends is next"},
    RtlPort{"add_ready_i", false, detail::fixed<1>, "it is taken at this edge"},
    RtlPort{"add_pixels_o", true, detail::fixed<3>, "its pixels, 1 to 4"},
    RtlPort{"add_address_o", true, detail::fixed<kAguAddressBits * kMaxRowPixels>, "a pixel: address of its first byte"},
    RtlPort{"add_bytes_o", true, detail::pixel_bytes, "bytes of each pixel"},
    RtlPort{"out_set_o", true, detail::fixed<1>, "set whose command the beats of results belong to: commands take turns"},
    RtlPort{"out_valid_o", true, detail::fixed<1>, "a row of results is next"},
    RtlPort{"out_ready_i", false, detail::fixed<1>, "it is taken at this edge"},
    RtlPort{"out_pixels_o", true, detail::fixed<3>, "its pixels, 1 to 4"},
    RtlPort{"out_address_o", true, detail::fixed<kAguAddressBits * kMaxRowPixels>, "a pixel: address of its first byte"},
    RtlPort{"out_bytes_o", true, detail::pixel_bytes, "bytes of each pixel"},
    RtlPort{"out_last_o", true, detail::fixed<1>, "last row of the command"},
    RtlPort{"vec_set_o", true, detail::fixed<1>, "set whose command loads and stores belong to"},
    RtlPort{"ld_valid_o", true, detail::fixed<1>, "a beat of a load is next"},
    RtlPort{"ld_ready_i", false, detail::fixed<1>, "it is taken at this edge"},
    RtlPort{"ld_step_o", true, detail::fixed<bits_to_count(kMaxVectorSteps)>, "number of its step"},
    RtlPort{"ld_part_o", true, detail::fixed<1>, "of int48: the high 32 bits"},
    RtlPort{"ld_address_o", true, detail::fixed<kAguAddressBits>, "address of the element of lane 0"},
    RtlPort{"ld_stride_o", true, detail::fixed<24>, "bytes from lane to lane, signed; 0: one element for all lanes"},
    RtlPort{"ld_count_o", true, detail::lane_count<1>, "lanes that have an element"},
    RtlPort{"ld_second_address_o", true, detail::fixed<kAguAddressBits>, "the same of the second vector of a pair"},
    RtlPort{"ld_second_count_o", true, detail::lane_count<1>, "its lanes; 0: there is none"},
    RtlPort{"st_valid_o", true, detail::fixed<1>, "a beat of a store is next"},
    RtlPort{"st_ready_i", false, detail::fixed<1>, "it is taken at this edge"},
    RtlPort{"st_step_o", true, detail::fixed<bits_to_count(kMaxVectorSteps)>, "number of its step"},
    RtlPort{"st_part_o", true, detail::fixed<1>, "of int48: the high 32 bits"},
    RtlPort{"st_address_o", true, detail::fixed<kAguAddressBits>, "address of the element of lane 0"},
    RtlPort{"st_stride_o", true, detail::fixed<24>, "bytes from lane to lane, signed"},
    RtlPort{"st_count_o", true, detail::lane_count<1>, "lanes that have an element"},
};

/// Every address generator, those of the array and those of the vector unit [RTL hw/rtl/npu_agu.sv].
inline constexpr RtlBlock kAguBlock{"npu_agu", "agu", "wgt", RtlKind::Pipe, 0, kAguPorts};

}  // namespace vernier::spec
