// SPDX-License-Identifier: Apache-2.0
// The datapath of the array: npu_mac_array with its rescale and table lanes.
//
//   cmd, wgt, act, prm, add --> npu_mac_array ------------------------------------> out
//                                 | scale_*_o      ^ scale_*_i  | look_*_o   ^ look_*_i
//                                 v                |            v            |
//                               npu_rescale_unit --+   tbl --> npu_table_unit
//
// Contract: the ports of its three parts, as they are there. tbl_* fills the slots at any time, also while en_i is low; a command
// that uses a slot comes after its fill.
module npu_datapath #(
  parameter int Lanes = 16,
  parameter int TagBits = 8,
  localparam int RowBits = $clog2(npu_spec_pkg::AccumulatorRows),
  localparam int CommandBits = npu_spec_pkg::MacCommandBits,
  localparam int LaneBits = $clog2(Lanes),
  localparam int RingBits = $clog2(2*Lanes),
  localparam int LengthBits = $clog2(Lanes+1),
  localparam int Words = npu_spec_pkg::WeightLoadWords,
  localparam int Segments = npu_spec_pkg::ActivationSegments,
  localparam int Pixels = npu_spec_pkg::MaxRowPixels,
  localparam int Runs = Pixels*Segments,
  localparam int WindowRuns = npu_spec_pkg::WindowRuns,
  localparam int ParameterBits = npu_spec_pkg::ChannelParameterBits,
  localparam int WordIdxBits = $clog2((2 * npu_spec_pkg::Table16Entries + Lanes - 1) / Lanes)
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  input  logic                          en_i,
  input  logic                          cmd_valid_i,
  output logic                          cmd_ready_o,
  input  logic [CommandBits-1:0]        cmd_i,
  input  logic                          wgt_valid_i,
  output logic                          wgt_ready_o,
  input  logic [Words-1:0]              wgt_word_valid_i,
  input  logic [Words*LaneBits-1:0]     wgt_row_i,
  input  logic [8*Words*Lanes-1:0]      wgt_data_i,
  input  logic [Words*Lanes-1:0]        wgt_mask_i,
  input  logic                          wgt_last_i,
  input  logic                          act_valid_i,
  output logic                          act_ready_o,
  input  logic [16*Segments*Lanes-1:0]  act_data_i,
  input  logic [Runs*RingBits-1:0]      act_offset_i,
  input  logic [Runs*LengthBits-1:0]    act_length_i,
  input  logic [Runs*RingBits-1:0]      act_to_i,
  input  logic [Pixels*Lanes-1:0]       act_mask_i,
  input  logic [WindowRuns*LaneBits-1:0] win_offset_i,
  input  logic [WindowRuns*LengthBits-1:0] win_length_i,
  input  logic [WindowRuns*RingBits-1:0] win_to_i,
  input  logic [WindowRuns*Pixels-1:0]  win_pixel_i,
  input  logic [WindowRuns*Pixels*LaneBits-1:0] win_register_i,
  input  logic [Pixels*Lanes*LaneBits-1:0] win_element_i,
  input  logic                          act_last_i,
  input  logic                          prm_valid_i,
  output logic                          prm_ready_o,
  input  logic [ParameterBits*Lanes-1:0] prm_i,
  input  logic                          add_valid_i,
  output logic                          add_ready_o,
  input  logic [8*Lanes-1:0]            add_i,
  output logic                          out_valid_o,
  input  logic                          out_ready_i,
  output logic [48*Lanes-1:0]           out_value_o,
  output logic [Lanes-1:0]              out_mask_o,
  output logic [RowBits-1:0]            out_row_o,
  output logic                          out_bank_o,
  output logic                          out_last_of_tile_o,
  output logic                          out_last_o,
  input  logic                          tbl_valid_i,
  output logic                          tbl_ready_o,
  input  logic                          tbl_slot_i,
  input  logic [2:0]                    tbl_type_i,
  input  logic [WordIdxBits-1:0]        tbl_word_i,
  input  logic [8*Lanes-1:0]            tbl_data_i,
  output logic [5:0]                    slot_format_o,
  output logic [2:0]                    stall_o
);
  // Parameters that are not supported stop elaboration, in every tool: there is no such module.
  generate
    if (Lanes != 8 && Lanes != 16 && Lanes != 32) begin : gen_wrong_lanes
      npu_lanes_must_be_8_16_or_32 u_wrong ();
    end
    if (TagBits < 8) begin : gen_wrong_tag_bits
      npu_tag_bits_must_be_at_least_8 u_wrong ();
    end
  endgenerate

  logic                scale_en, scale_valid, scale_scale32, scale_in_unsigned, scale_out_unsigned, scaled_valid;
  logic [TagBits-1:0]  scale_tag, scaled_tag;
  logic [48*Lanes-1:0] scale_value;
  logic [32*Lanes-1:0] scale_multiplier, scaled;
  logic [6*Lanes-1:0]  scale_shift;
  logic [2:0]          scale_rounding, scale_in_type, scale_out_type;
  logic [31:0]         scale_in_zero_point, scale_out_zero_point, scale_clamp_min, scale_clamp_max;
  logic                look_en, look_valid, look_slot, looked_valid;
  logic [TagBits-1:0]  look_tag, looked_tag;
  logic [16*Lanes-1:0] look_value;
  logic [32*Lanes-1:0] looked;

  npu_mac_array #(.Lanes(Lanes), .TagBits(TagBits)) u_array (
    .clk_i, .rst_ni, .en_i,
    .cmd_valid_i, .cmd_ready_o, .cmd_i,
    .wgt_valid_i, .wgt_ready_o, .wgt_word_valid_i, .wgt_row_i, .wgt_data_i, .wgt_mask_i, .wgt_last_i,
    .act_valid_i, .act_ready_o, .act_data_i, .act_offset_i, .act_length_i, .act_to_i, .act_mask_i, .act_last_i,
    .win_offset_i, .win_length_i, .win_to_i, .win_pixel_i, .win_register_i, .win_element_i,
    .prm_valid_i, .prm_ready_o, .prm_i,
    .add_valid_i, .add_ready_o, .add_i,
    .out_valid_o, .out_ready_i, .out_value_o, .out_mask_o, .out_row_o, .out_bank_o, .out_last_of_tile_o, .out_last_o,
    .scale_en_o(scale_en),
    .scale_valid_o(scale_valid),
    .scale_tag_o(scale_tag),
    .scale_value_o(scale_value),
    .scale_multiplier_o(scale_multiplier),
    .scale_shift_o(scale_shift),
    .scale_scale32_o(scale_scale32),
    .scale_rounding_o(scale_rounding),
    .scale_in_type_o(scale_in_type),
    .scale_in_unsigned_o(scale_in_unsigned),
    .scale_in_zero_point_o(scale_in_zero_point),
    .scale_out_type_o(scale_out_type),
    .scale_out_unsigned_o(scale_out_unsigned),
    .scale_out_zero_point_o(scale_out_zero_point),
    .scale_clamp_min_o(scale_clamp_min),
    .scale_clamp_max_o(scale_clamp_max),
    .scale_valid_i(scaled_valid),
    .scale_tag_i(scaled_tag),
    .scale_result_i(scaled),
    .look_en_o(look_en),
    .look_valid_o(look_valid),
    .look_tag_o(look_tag),
    .look_slot_o(look_slot),
    .look_value_o(look_value),
    .look_valid_i(looked_valid),
    .look_tag_i(looked_tag),
    .look_result_i(looked),
    .stall_o
  );

  npu_rescale_unit #(.Lanes(Lanes), .TagBits(TagBits)) u_rescale (
    .clk_i, .rst_ni,
    .en_i(scale_en),
    .scale_valid_i(scale_valid),
    .scale_tag_i(scale_tag),
    .scale_value_i(scale_value),
    .scale_multiplier_i(scale_multiplier),
    .scale_shift_i(scale_shift),
    .scale_scale32_i(scale_scale32),
    .scale_rounding_i(scale_rounding),
    .scale_in_type_i(scale_in_type),
    .scale_in_unsigned_i(scale_in_unsigned),
    .scale_in_zero_point_i(scale_in_zero_point),
    .scale_out_type_i(scale_out_type),
    .scale_out_unsigned_i(scale_out_unsigned),
    .scale_out_zero_point_i(scale_out_zero_point),
    .scale_clamp_min_i(scale_clamp_min),
    .scale_clamp_max_i(scale_clamp_max),
    .scale_valid_o(scaled_valid),
    .scale_tag_o(scaled_tag),
    .scale_result_o(scaled)
  );

  npu_table_unit #(.Lanes(Lanes), .TagBits(TagBits)) u_table (
    .clk_i, .rst_ni,
    .en_i(look_en),
    .tbl_valid_i, .tbl_ready_o, .tbl_slot_i, .tbl_type_i, .tbl_word_i, .tbl_data_i,
    .slot_format_o,
    .look_valid_i(look_valid),
    .look_tag_i(look_tag),
    .look_slot_i(look_slot),
    .look_value_i(look_value),
    .look_valid_o(looked_valid),
    .look_tag_o(looked_tag),
    .look_result_o(looked)
  );
endmodule
