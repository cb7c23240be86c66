// SPDX-License-Identifier: Apache-2.0
// The epilogue of the array: a row of accumulators, plus bias, goes out as it is or through the rescale and the table unit.
//
//   row of accumulators --+ bias, wrap --+--> [raw] ----------------------------------> out (fill 1)
//                                        +--> scale_*_o ..4 cycles.. scale_*_i -------> out (fill 4)
//                                                                    look_*_o ..2.. --> out (fill 6)
//                                        +--> npu_mac_residual, scale_*_o again ------> out (fill 12, with table 14)
//
// Slots of a row, in cycles from the one in which it stands on accumulator_i: channel 0, table 4; with a residual a cycle later
// where another row's sum has the rescale unit. All rows on their way belong to
// one command, whose fields stand in one of two sets, as those of the next command wait in the other. Parameters have two
// buffers, a channel tile each: one is free again when the last row of its channel tile has been biased.
// Everything moves at edges with move_o, and holds where a result is not taken or parameters or an addend miss.
module npu_mac_epilogue #(
  parameter int Lanes = 16,
  parameter int TagBits = 8,
  localparam int RowBits = $clog2(npu_spec_pkg::AccumulatorRows),
  localparam int ParameterBits = npu_spec_pkg::ChannelParameterBits
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                en_i,
  output logic                move_o,    // with en_i
  output logic                can_move_o,  // without
  // Fields of a command that is taken at this edge, and where they go; those of the rows that leave.
  input  logic                command_i,
  input  logic                command_set_i,
  input  logic                drained_set_i,
  input  logic [npu_spec_pkg::MacLaneSplitLog2Bits-1:0]   lane_split_log2_i,
  input  logic                accumulator_is_48_i,
  input  logic                rescale_i,
  input  logic                scale32_i,
  input  logic [npu_spec_pkg::MacRoundingBits-1:0]        rounding_i,
  input  logic [npu_spec_pkg::MacOutputTypeBits-1:0]      output_type_i,
  input  logic                output_is_unsigned_i,
  input  logic [npu_spec_pkg::MacOutputZeroPointBits-1:0] output_zero_point_i,
  input  logic [31:0]         clamp_min_i,
  input  logic [31:0]         clamp_max_i,
  input  logic                table_i,
  input  logic                table_slot_i,
  input  logic                residual_i,
  input  logic [npu_spec_pkg::MacResidualZeroPointBits-1:0] own_zero_point_i,
  input  logic [npu_spec_pkg::MacAddendZeroPointBits-1:0]   addend_zero_point_i,
  input  logic [npu_spec_pkg::MacSumZeroPointBits-1:0]      sum_zero_point_i,
  input  logic [37:0]         own_scale_i,
  input  logic [37:0]         addend_scale_i,
  input  logic [37:0]         sum_scale_i,
  input  logic [npu_spec_pkg::MacSumClampMinBits-1:0]       sum_clamp_min_i,
  input  logic [npu_spec_pkg::MacSumClampMaxBits-1:0]       sum_clamp_max_i,
  output logic                residual_o,  // rows that leave have one
  output logic                holds_row_o,  // what stands on accumulator_i is needed a cycle longer
  // A row.
  input  logic                row_valid_i,
  input  logic                row_bank_i,
  input  logic [RowBits-1:0]  row_i,
  input  logic [Lanes-1:0]    row_lanes_i,
  input  logic                row_is_last_of_tile_i,
  input  logic                row_is_last_of_channels_i,
  input  logic                row_is_last_i,
  input  logic [48*Lanes-1:0] accumulator_i,
  // Parameters.
  input  logic                prm_valid_i,
  output logic                prm_ready_o,
  input  logic [ParameterBits*Lanes-1:0] prm_i,
  // Addends.
  input  logic                add_valid_i,
  output logic                add_ready_o,
  input  logic [8*Lanes-1:0]  add_i,
  // Lanes outside.
  output logic                scale_valid_o,
  output logic [TagBits-1:0]  scale_tag_o,
  output logic [48*Lanes-1:0] scale_value_o,
  output logic [32*Lanes-1:0] scale_multiplier_o,
  output logic [6*Lanes-1:0]  scale_shift_o,
  output logic                scale_scale32_o,
  output logic [2:0]          scale_rounding_o,
  output logic [2:0]          scale_in_type_o,
  output logic [31:0]         scale_in_zero_point_o,
  output logic [2:0]          scale_out_type_o,
  output logic                scale_out_unsigned_o,
  output logic [31:0]         scale_out_zero_point_o,
  output logic [31:0]         scale_clamp_min_o,
  output logic [31:0]         scale_clamp_max_o,
  input  logic                scale_valid_i,
  input  logic [TagBits-1:0]  scale_tag_i,
  input  logic [32*Lanes-1:0] scale_result_i,
  output logic                look_valid_o,
  output logic [TagBits-1:0]  look_tag_o,
  output logic                look_slot_o,
  output logic [16*Lanes-1:0] look_value_o,
  input  logic                look_valid_i,
  input  logic [TagBits-1:0]  look_tag_i,
  input  logic [32*Lanes-1:0] look_result_i,
  // Results. command_out_o: the last row of a command is taken at this edge.
  output logic                out_valid_o,
  input  logic                out_ready_i,
  output logic [48*Lanes-1:0] out_value_o,
  output logic [Lanes-1:0]    out_mask_o,
  output logic [RowBits-1:0]  out_row_o,
  output logic                out_bank_o,
  output logic                out_last_of_tile_o,
  output logic                out_last_o,
  output logic                command_out_o
);
  localparam int ZeroPointBits = npu_spec_pkg::MacOutputZeroPointBits;
  localparam int SplitBits = npu_spec_pkg::MacLaneSplitLog2Bits;
  localparam int FieldBits = SplitBits + 1 + 1 + 1 + 3 + 3 + 1 + ZeroPointBits + 32 + 32 + 1 + 1;
  localparam int UsedBits = 70;  // of a channel's parameters

  // Fields of two commands.
  logic [FieldBits-1:0]      fields0_q, fields1_q;
  logic [FieldBits-1:0]      fields_d;
  logic                      is_48, rescale, scale32, out_unsigned, has_table, table_slot;
  logic [SplitBits-1:0]      split;
  logic [2:0]                rounding, out_type;
  logic [ZeroPointBits-1:0]  out_zero_point;
  logic [31:0]               clamp_min, clamp_max;

  assign fields_d = {lane_split_log2_i, accumulator_is_48_i, rescale_i, scale32_i, rounding_i, output_type_i, output_is_unsigned_i,
                     output_zero_point_i, clamp_min_i, clamp_max_i, table_i, table_slot_i};
  assign {split, is_48, rescale, scale32, rounding, out_type, out_unsigned, out_zero_point, clamp_min, clamp_max, has_table,
          table_slot} = drained_set_i ? fields1_q : fields0_q;

  always_ff @(posedge clk_i) begin
    if (en_i && command_i && !command_set_i) fields0_q <= fields_d;
    if (en_i && command_i && command_set_i) fields1_q <= fields_d;
  end

  // Parameters.
  logic [1:0] has_parameters_q;
  logic       next_buffer_q, buffer_q;
  logic       parameters_miss, addend_misses, free;
  logic       move, can_move, out_valid;
  logic       row_now, row_waits_q, sum_slot;

  assign prm_ready_o = !has_parameters_q[next_buffer_q];
  // A row that was read leaves the accumulators, at once or a cycle later.
  assign row_now = (row_valid_i && !sum_slot) || row_waits_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) row_waits_q <= 1'b0;
    else if (move) row_waits_q <= row_valid_i && sum_slot;
  end

  assign parameters_miss = row_now && !has_parameters_q[buffer_q];
  assign can_move = (out_ready_i || !out_valid) && !parameters_miss && !addend_misses;
  assign move = en_i && can_move;
  assign free = move && row_now && row_is_last_of_channels_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      has_parameters_q <= 2'b00;
      next_buffer_q <= 1'b0;
      buffer_q <= 1'b0;
    end else if (en_i) begin
      if (prm_valid_i && prm_ready_o) begin
        has_parameters_q[next_buffer_q] <= 1'b1;
        next_buffer_q <= ~next_buffer_q;
      end
      if (free) begin
        has_parameters_q[buffer_q] <= 1'b0;
        buffer_q <= ~buffer_q;
      end
    end
  end

  // The residual's turns.
  logic                residual, channel_scaled, sum_scaled, again;
  logic [TagBits-1:0]  again_tag;
  logic [32*Lanes-1:0] again_value;
  logic [9*Lanes-1:0]  looked;
  logic [31:0]         again_multiplier, again_in_zero_point, again_out_zero_point, again_clamp_min, again_clamp_max;
  logic [5:0]          again_shift;

  npu_mac_residual #(.Lanes(Lanes), .TagBits(TagBits)) u_residual (
    .clk_i, .rst_ni, .en_i,
    .move_i(move),
    .command_i, .command_set_i, .drained_set_i,
    .residual_i, .own_zero_point_i, .addend_zero_point_i, .sum_zero_point_i, .own_scale_i, .addend_scale_i, .sum_scale_i,
    .clamp_min_i(sum_clamp_min_i),
    .clamp_max_i(sum_clamp_max_i),
    .residual_o(residual),
    .row_valid_i,
    .channel_slot_i(row_now),
    .has_table_i(has_table),
    .sum_slot_o(sum_slot),
    .misses_o(addend_misses),
    .channel_o(channel_scaled),
    .sum_o(sum_scaled),
    .add_valid_i, .add_ready_o, .add_i,
    .scale_tag_i, .scale_result_i, .look_tag_i,
    .look_result_i(looked),
    .scale_valid_o(again),
    .scale_tag_o(again_tag),
    .scale_value_o(again_value),
    .scale_multiplier_o(again_multiplier),
    .scale_shift_o(again_shift),
    .scale_in_zero_point_o(again_in_zero_point),
    .scale_out_zero_point_o(again_out_zero_point),
    .scale_clamp_min_o(again_clamp_min),
    .scale_clamp_max_o(again_clamp_max)
  );

  logic                      raw_valid_q;
  logic [UsedBits*Lanes-1:0] parameters_of;  // the channels of a pixel

  genvar i;
  generate
    for (i = 0; i < Lanes; i = i + 1) begin : gen_lane
      // Bias and multiplier as they lie in SRAM, and the shift.
      localparam int OfHalf = i % (Lanes / 2);
      localparam int OfQuarter = i % (Lanes / 4);
      logic [UsedBits-1:0] parameters0_q, parameters1_q;
      logic [UsedBits-1:0] parameters;
      logic [47:0] bias, sum, value;
      logic [47:0] raw_q;
      logic [31:0] multiplier;

      assign parameters_of[UsedBits*i +: UsedBits] = buffer_q ? parameters1_q : parameters0_q;
      assign parameters = split == '0 ? parameters_of[UsedBits*i +: UsedBits]
                          : split == SplitBits'(1) ? parameters_of[UsedBits*OfHalf +: UsedBits] : parameters_of[UsedBits*OfQuarter +: UsedBits];
      assign bias = scale32 ? {{16{parameters[31]}}, parameters[31:0]} : parameters[47:0];
      assign sum = accumulator_i[48*i +: 48] + bias;
      assign value = is_48 ? sum : {{16{sum[31]}}, sum[31:0]};

      always_ff @(posedge clk_i) begin
        if (en_i && prm_valid_i && prm_ready_o && !next_buffer_q) parameters0_q <= prm_i[ParameterBits*i +: UsedBits];
        if (en_i && prm_valid_i && prm_ready_o && next_buffer_q) parameters1_q <= prm_i[ParameterBits*i +: UsedBits];
        if (move && row_now && !rescale && row_lanes_i[i]) raw_q <= value;
      end

      assign multiplier = scale32 ? parameters[63:32] : {16'd0, parameters[63:48]};
      assign scale_value_o[48*i +: 48] = again ? 48'($signed(again_value[32*i +: 32])) : value;
      assign scale_multiplier_o[32*i +: 32] = again ? again_multiplier : multiplier;
      assign scale_shift_o[6*i +: 6] = again ? again_shift : parameters[69:64];
      assign looked[9*i +: 9] = look_result_i[32*i +: 9];
      assign look_value_o[16*i +: 16] = scale_result_i[32*i +: 16];
      assign out_value_o[48*i +: 48] = !rescale   ? raw_q
                                       : has_table && !residual
                                                   ? {{16{look_result_i[32*i + 31]}}, look_result_i[32*i +: 32]}
                                                   : {{16{scale_result_i[32*i + 31]}}, scale_result_i[32*i +: 32]};
    end
  endgenerate

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) raw_valid_q <= 1'b0;
    else if (move) raw_valid_q <= row_now && !rescale;
  end

  assign scale_valid_o = (row_now && rescale) || again;
  assign scale_tag_o = again ? again_tag : TagBits'(row_i);
  assign scale_scale32_o = scale32 || again;
  assign scale_rounding_o = rounding;
  assign scale_in_type_o = is_48 && !again ? npu_spec_pkg::TYPE_INT48 : npu_spec_pkg::TYPE_INT32;
  assign scale_in_zero_point_o = again ? again_in_zero_point : 32'd0;
  assign scale_out_type_o = again ? npu_spec_pkg::TYPE_INT32 : out_type;
  assign scale_out_unsigned_o = out_unsigned && !again;
  assign scale_out_zero_point_o = again ? again_out_zero_point : 32'($signed(out_zero_point));
  assign scale_clamp_min_o = again ? again_clamp_min : clamp_min;
  assign scale_clamp_max_o = again ? again_clamp_max : clamp_max;
  assign look_valid_o = scale_valid_i && has_table && (!residual || channel_scaled);
  assign look_tag_o = scale_tag_i;
  assign look_slot_o = table_slot;

  // What is known of the rows on their way, in their order: bank, last of its tile, last of all, lanes.
  localparam int NumRows = 8;  // no fewer than are on their way at once: one for each stage of rescale and table lanes
  localparam int InfoBits = 3 + Lanes;
  logic [$clog2(NumRows)-1:0] write_q, read_q;
  logic [NumRows*InfoBits-1:0] info;
  logic [InfoBits-1:0]         out_info;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q <= '0;
    end else if (move) begin
      if (row_now) write_q <= write_q + $clog2(NumRows)'(1);
      if (out_valid) read_q <= read_q + $clog2(NumRows)'(1);
    end
  end

  genvar s;
  generate
    for (s = 0; s < NumRows; s = s + 1) begin : gen_row
      logic [InfoBits-1:0] info_q;

      always_ff @(posedge clk_i) begin
        if (move && row_now && write_q == $clog2(NumRows)'(s)) info_q <= {row_bank_i, row_is_last_of_tile_i, row_is_last_i, row_lanes_i};
      end

      assign info[InfoBits*s +: InfoBits] = info_q;
    end
  endgenerate

  // The row's number in its tile. Rows through the lanes outside take it from their tag: lanes that mix up vectors are seen.
  logic [RowBits-1:0] raw_row_q;

  always_ff @(posedge clk_i) begin
    if (move && row_now && !rescale) raw_row_q <= row_i;
  end

  assign out_info = info[InfoBits*32'(read_q) +: InfoBits];
  assign out_valid = !rescale ? raw_valid_q : residual ? scale_valid_i && sum_scaled : has_table ? look_valid_i : scale_valid_i;
  assign out_row_o = !rescale ? raw_row_q : has_table && !residual ? look_tag_i[RowBits-1:0] : scale_tag_i[RowBits-1:0];
  assign out_bank_o = out_info[Lanes+2];
  assign out_last_of_tile_o = out_info[Lanes+1];
  assign out_last_o = out_info[Lanes];
  assign out_mask_o = out_info[Lanes-1:0];
  // While parameters or an addend miss nothing moves, so that nothing may be taken.
  assign out_valid_o = out_valid && !parameters_miss && !addend_misses;
  assign command_out_o = out_valid_o && out_ready_i && out_info[Lanes];
  assign move_o = move;
  assign can_move_o = can_move;
  assign residual_o = residual;
  assign holds_row_o = row_waits_q;
endmodule
