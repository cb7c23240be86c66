// SPDX-License-Identifier: Apache-2.0
// The ports of the core with its memory: commands, the SRAM from outside, tables, and what goes on inside.
//
// A command comes twice: with all of its fields, so that the address generators prepare it, and as the datapath takes it,
// when it starts.
#pragma once

#include "hw/spec/agu_ports.hpp"

#include <array>
#include <cstdint>

namespace vernier::spec {

/// Words that the outer port of the SRAM reads or writes in a cycle: a copy inside the SRAM reads two words and writes two
/// [decision 0038].
inline constexpr int kSramOuterWords = 4;

/// Words that its streams read and write in a cycle, and the bytes of its SRAM: defaults of parameters.
inline constexpr int kCoreReadWords = 4, kCoreWriteWords = 2;  // [RTL hw/rtl/npu_core_sram.sv]
inline constexpr int64_t kCoreSramBytes = int64_t{64} << 20;   // [RTL hw/rtl/npu_core_sram.sv]

inline constexpr std::array kCoreSramPorts{
    RtlPort{"clk_i", false, detail::fixed<1>, "clock"},  // [RTL hw/rtl/npu_core_sram.sv]
    RtlPort{"rst_ni", false, detail::fixed<1>, "reset, low; asserted at any time, released after a falling edge"},
    RtlPort{"mac_valid_i", false, detail::fixed<1>, "a command of the array is to be prepared"},
    RtlPort{"mac_ready_o", true, detail::fixed<1>,
            "it is taken at this edge; two can be prepared before the first one starts"},
    RtlPort{"mac_i", false, detail::fixed<port_bits<MacCommand>(PortFields::All)>, "all of its fields, as mac_i of npu_agu"},
    RtlPort{"vec_valid_i", false, detail::fixed<1>, "a command of the vector unit is to be prepared"},
    RtlPort{"vec_ready_o", true, detail::fixed<1>,
            "it is taken at this edge; two can be prepared before the first one starts"},
    RtlPort{"vec_i", false, detail::fixed<port_bits<VectorCommand>(PortFields::All)>,
            "all of its fields, as vec_i of npu_agu"},
    RtlPort{"cmd_valid_i", false, detail::fixed<1>, "the next prepared command of the array is to start"},
    RtlPort{"cmd_ready_o", true, detail::fixed<1>, "it starts at this edge: it is prepared, and the array takes it"},
    RtlPort{"cmd_i", false, detail::fixed<port_bits<MacCommand>(PortFields::OfDatapath)>,
            "its fields, as cmd_i of npu_core"},
    RtlPort{"vec_cmd_valid_i", false, detail::fixed<1>, "the next prepared command of the vector unit is to start"},
    RtlPort{"vec_cmd_ready_o", true, detail::fixed<1>, "it starts at this edge: it is prepared, and the unit takes it"},
    RtlPort{"vec_cmd_i", false, detail::fixed<port_bits<VectorCommand>(PortFields::OfDatapath)>,
            "its fields, as vec_cmd_i of npu_core"},
    RtlPort{"mem_valid_i", false, detail::fixed<kSramOuterWords>, "a word of the SRAM is read or written from outside"},
    RtlPort{"mem_ready_o", true, detail::fixed<kSramOuterWords>, "it is served in this cycle; follows all streams"},
    RtlPort{"mem_write_i", false, detail::fixed<kSramOuterWords>, "it is written"},
    RtlPort{"mem_word_i", false, detail::fixed<kSramOuterWords * kAguAddressBits>, "its number"},
    RtlPort{"mem_mask_i", false, detail::each_lane<kSramOuterWords>, "its bytes that are written"},
    RtlPort{"mem_wdata_i", false, detail::each_lane<8 * kSramOuterWords>, "its bytes"},
    RtlPort{"mem_rdata_o", true, detail::each_lane<8 * kSramOuterWords>, "the word that was read in the cycle before"},
    RtlPort{"tbl_valid_i", false, detail::fixed<1>, "tbl_*: as at npu_table_unit"},
    RtlPort{"tbl_ready_o", true, detail::fixed<1>, "it is taken at this edge"},
    RtlPort{"tbl_slot_i", false, detail::fixed<1>, "slot that is filled"},
    RtlPort{"tbl_type_i", false, detail::fixed<3>, "format"},
    RtlPort{"tbl_word_i", false, detail::fill_word_bits, "number of the word"},
    RtlPort{"tbl_data_i", false, detail::each_lane<8>, "N bytes of the table"},
    RtlPort{"slot_format_o", true, detail::fixed<6>, "a slot, slot 0 low: its format, 0 while it is empty"},
    RtlPort{"stall_o", true, detail::fixed<kArrayStateBits>, "what the array does in this cycle, as at npu_mac_array"},
    RtlPort{"mac_free_o", true, detail::fixed<1>, "the array would take another command in this cycle"},
    RtlPort{"mac_take_o", true, detail::fixed<1>, "the array takes a beat of a stream in this cycle"},
    RtlPort{"mac_wait_o", true, detail::fixed<1>, "results of the array are not in the SRAM yet"},
    RtlPort{"mac_end_o", true, detail::fixed<1>, "the last result of a command of the array is written in this cycle"},
    RtlPort{"vec_free_o", true, detail::fixed<1>, "the vector unit would take another command in this cycle"},
    RtlPort{"vec_wait_o", true, detail::fixed<1>, "stores of the vector unit are not in the SRAM yet"},
    RtlPort{"lanes_array_o", true, detail::fixed<2>, "as at npu_core"},
    RtlPort{"lanes_wait_o", true, detail::fixed<2>, "as at npu_core"},
};

/// The core with its memory [RTL hw/rtl/npu_core_sram.sv].
inline constexpr RtlBlock kCoreSramBlock{"npu_core_sram", "core_sram", "mem", RtlKind::Core, 0, kCoreSramPorts};

}  // namespace vernier::spec
