// SPDX-License-Identifier: Apache-2.0
// The MAC array and the vector unit with the rescale lanes and the table lanes that they share: npu_lane_share lets the array have them first.
// The array's values and cycles are those of npu_datapath, whatever the vector unit does; the vector unit stands still in the cycles in which it
// wants lanes that the array has.
module npu_core #(
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
  output logic [2:0]                    stall_o,
  input  logic                          vec_cmd_valid_i,
  output logic                          vec_cmd_ready_o,
  input  logic [npu_spec_pkg::VectorCommandBits-1:0] vec_cmd_i,
  input  logic                          ld_valid_i,
  output logic                          ld_ready_o,
  input  logic [64*Lanes-1:0]           ld_data_i,
  output logic                          st_valid_o,
  input  logic                          st_ready_i,
  output logic [32*Lanes-1:0]           st_data_o,
  output logic [Lanes-1:0]              st_mask_o,
  output logic [1:0]                    lanes_array_o,
  output logic [1:0]                    lanes_wait_o
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

  // The operands of a vector for the rescale lanes, and for the table lanes.
  typedef struct packed {
    logic [48*Lanes-1:0] value;
    logic [32*Lanes-1:0] multiplier;
    logic [6*Lanes-1:0]  shift;
    logic                scale32;
    logic [2:0]          rounding;
    logic [2:0]          in_type;
    logic                in_unsigned;
    logic [31:0]         in_zero_point;
    logic [2:0]          out_type;
    logic                out_unsigned;
    logic [31:0]         out_zero_point;
    logic [31:0]         clamp_min;
    logic [31:0]         clamp_max;
  } scale_t;
  typedef struct packed {
    logic                slot;
    logic [16*Lanes-1:0] value;
  } look_t;
  localparam int ScaleBits = 86*Lanes + 140;
  localparam int LookBits = 16*Lanes + 1;

  // What the array and the vector unit ask of each pipe, and what the pipe gets and gives.
  scale_t               array_scale, vec_scale, scale;
  look_t                array_look, vec_look, look;
  logic                 array_scale_en, array_scale_valid, array_scaled_valid, array_look_en, array_look_valid, array_looked_valid;
  logic [TagBits-1:0]   array_scale_tag, array_look_tag;
  logic                 vec_scale_en, vec_scale_valid, vec_scale_ready, vec_scaled_valid, vec_look_en, vec_look_valid, vec_look_ready, vec_looked_valid;
  logic [TagBits-1:0]   vec_scale_tag, vec_scaled_tag, vec_look_tag, vec_looked_tag;
  logic [32*Lanes-1:0]  vec_scaled, vec_looked;
  logic                 scale_valid, scaled_valid, look_valid, looked_valid;
  logic [TagBits-1:0]   scale_tag, scaled_tag, look_tag, looked_tag;
  logic [32*Lanes-1:0]  scaled, looked;

  assign lanes_array_o = {array_look_valid && array_look_en, array_scale_valid && array_scale_en};
  assign lanes_wait_o = ~{vec_look_ready, vec_scale_ready};

  npu_mac_array #(.Lanes(Lanes), .TagBits(TagBits)) u_array (
    .clk_i, .rst_ni, .en_i,
    .cmd_valid_i, .cmd_ready_o, .cmd_i,
    .wgt_valid_i, .wgt_ready_o, .wgt_word_valid_i, .wgt_row_i, .wgt_data_i, .wgt_mask_i, .wgt_last_i,
    .act_valid_i, .act_ready_o, .act_data_i, .act_offset_i, .act_length_i, .act_to_i, .act_mask_i, .act_last_i,
    .win_offset_i, .win_length_i, .win_to_i, .win_pixel_i, .win_register_i, .win_element_i,
    .prm_valid_i, .prm_ready_o, .prm_i,
    .add_valid_i, .add_ready_o, .add_i,
    .out_valid_o, .out_ready_i, .out_value_o, .out_mask_o, .out_row_o, .out_bank_o, .out_last_of_tile_o, .out_last_o,
    .scale_en_o(array_scale_en), .scale_valid_o(array_scale_valid), .scale_tag_o(array_scale_tag),
    .scale_value_o(array_scale.value),
    .scale_multiplier_o(array_scale.multiplier),
    .scale_shift_o(array_scale.shift),
    .scale_scale32_o(array_scale.scale32),
    .scale_rounding_o(array_scale.rounding),
    .scale_in_type_o(array_scale.in_type),
    .scale_in_unsigned_o(array_scale.in_unsigned),
    .scale_in_zero_point_o(array_scale.in_zero_point),
    .scale_out_type_o(array_scale.out_type),
    .scale_out_unsigned_o(array_scale.out_unsigned),
    .scale_out_zero_point_o(array_scale.out_zero_point),
    .scale_clamp_min_o(array_scale.clamp_min),
    .scale_clamp_max_o(array_scale.clamp_max),
    .scale_valid_i(array_scaled_valid), .scale_tag_i(scaled_tag), .scale_result_i(scaled),
    .look_en_o(array_look_en), .look_valid_o(array_look_valid), .look_tag_o(array_look_tag),
    .look_slot_o(array_look.slot), .look_value_o(array_look.value),
    .look_valid_i(array_looked_valid), .look_tag_i(looked_tag), .look_result_i(looked),
    .stall_o
  );

  npu_vector_unit #(.Lanes(Lanes), .TagBits(TagBits)) u_vector (
    .clk_i, .rst_ni, .en_i,
    .cmd_valid_i(vec_cmd_valid_i), .cmd_ready_o(vec_cmd_ready_o), .cmd_i(vec_cmd_i),
    .ld_valid_i, .ld_ready_o, .ld_data_i, .st_valid_o, .st_ready_i, .st_data_o, .st_mask_o,
    .scale_en_o(vec_scale_en), .scale_valid_o(vec_scale_valid), .scale_tag_o(vec_scale_tag),
    .scale_value_o(vec_scale.value),
    .scale_multiplier_o(vec_scale.multiplier),
    .scale_shift_o(vec_scale.shift),
    .scale_scale32_o(vec_scale.scale32),
    .scale_rounding_o(vec_scale.rounding),
    .scale_in_type_o(vec_scale.in_type),
    .scale_in_unsigned_o(vec_scale.in_unsigned),
    .scale_in_zero_point_o(vec_scale.in_zero_point),
    .scale_out_type_o(vec_scale.out_type),
    .scale_out_unsigned_o(vec_scale.out_unsigned),
    .scale_out_zero_point_o(vec_scale.out_zero_point),
    .scale_clamp_min_o(vec_scale.clamp_min),
    .scale_clamp_max_o(vec_scale.clamp_max),
    .scale_valid_i(vec_scaled_valid), .scale_tag_i(vec_scaled_tag), .scale_result_i(vec_scaled), .scale_ready_i(vec_scale_ready),
    .look_en_o(vec_look_en), .look_valid_o(vec_look_valid), .look_tag_o(vec_look_tag),
    .look_slot_o(vec_look.slot), .look_value_o(vec_look.value),
    .look_valid_i(vec_looked_valid), .look_tag_i(vec_looked_tag), .look_result_i(vec_looked), .look_ready_i(vec_look_ready)
  );

  npu_lane_share #(
    .OperandBits(ScaleBits), .ResultBits(32*Lanes), .TagBits(TagBits), .Latency(npu_spec_pkg::RescalePipelineCycles)
  ) u_scale_share (
    .clk_i, .rst_ni,
    .array_en_i(array_scale_en), .array_valid_i(array_scale_valid), .array_tag_i(array_scale_tag), .array_operands_i(array_scale),
    .array_valid_o(array_scaled_valid),
    .vec_en_i(vec_scale_en), .vec_valid_i(vec_scale_valid), .vec_tag_i(vec_scale_tag), .vec_operands_i(vec_scale), .vec_ready_o(vec_scale_ready),
    .vec_valid_o(vec_scaled_valid), .vec_tag_o(vec_scaled_tag), .vec_result_o(vec_scaled),
    .pipe_valid_o(scale_valid), .pipe_tag_o(scale_tag), .pipe_operands_o(scale),
    .pipe_valid_i(scaled_valid), .pipe_tag_i(scaled_tag), .pipe_result_i(scaled)
  );

  npu_lane_share #(
    .OperandBits(LookBits), .ResultBits(32*Lanes), .TagBits(TagBits), .Latency(npu_spec_pkg::TablePipelineCycles)
  ) u_look_share (
    .clk_i, .rst_ni,
    .array_en_i(array_look_en), .array_valid_i(array_look_valid), .array_tag_i(array_look_tag), .array_operands_i(array_look),
    .array_valid_o(array_looked_valid),
    .vec_en_i(vec_look_en), .vec_valid_i(vec_look_valid), .vec_tag_i(vec_look_tag), .vec_operands_i(vec_look), .vec_ready_o(vec_look_ready),
    .vec_valid_o(vec_looked_valid), .vec_tag_o(vec_looked_tag), .vec_result_o(vec_looked),
    .pipe_valid_o(look_valid), .pipe_tag_o(look_tag), .pipe_operands_o(look),
    .pipe_valid_i(looked_valid), .pipe_tag_i(looked_tag), .pipe_result_i(looked)
  );

  npu_rescale_unit #(.Lanes(Lanes), .TagBits(TagBits)) u_rescale (
    .clk_i, .rst_ni, .en_i(array_scale_en),
    .scale_valid_i(scale_valid), .scale_tag_i(scale_tag),
    .scale_value_i(scale.value),
    .scale_multiplier_i(scale.multiplier),
    .scale_shift_i(scale.shift),
    .scale_scale32_i(scale.scale32),
    .scale_rounding_i(scale.rounding),
    .scale_in_type_i(scale.in_type),
    .scale_in_unsigned_i(scale.in_unsigned),
    .scale_in_zero_point_i(scale.in_zero_point),
    .scale_out_type_i(scale.out_type),
    .scale_out_unsigned_i(scale.out_unsigned),
    .scale_out_zero_point_i(scale.out_zero_point),
    .scale_clamp_min_i(scale.clamp_min),
    .scale_clamp_max_i(scale.clamp_max),
    .scale_valid_o(scaled_valid), .scale_tag_o(scaled_tag), .scale_result_o(scaled)
  );

  npu_table_unit #(.Lanes(Lanes), .TagBits(TagBits)) u_table (
    .clk_i, .rst_ni, .en_i(array_look_en),
    .tbl_valid_i, .tbl_ready_o, .tbl_slot_i, .tbl_type_i, .tbl_word_i, .tbl_data_i, .slot_format_o,
    .look_valid_i(look_valid), .look_tag_i(look_tag), .look_slot_i(look.slot), .look_value_i(look.value),
    .look_valid_o(looked_valid), .look_tag_o(looked_tag), .look_result_o(looked)
  );
endmodule
