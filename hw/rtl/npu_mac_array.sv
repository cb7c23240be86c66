// SPDX-License-Identifier: Apache-2.0
// Long because: most of it is ports and the wires between its parts.
// The MAC array: Lanes dot products of Lanes pairs a cycle into two banks of accumulators, one of which is drained through
// rescale and table lanes outside.
//
//   cmd --> sequencer ------------- rows ------+--> drain sequencer --+
//   wgt --> shadow, active tile --> weights --+|                      v
//   act --> row assembler ------> operand ----++--> lanes, 2 banks --> epilogue --> out
//                                                                     ^ |    ^
//                                                          prm, add --+ +-- scale, look
//
// Contract: hw/spec/rtl_ports.hpp (docs/reference/rtl-ports.md) and docs/architecture/mac-array.md. Beats come in the order of
// MacCommand's sequence; those of a command not before its handshake. Depthwise windows hold what beats put into their
// registers.
// Two enables: rows that were taken, up to the accumulators (flow); and the drain with all behind it (move). The drain moves
// unless a result waits to be taken or parameters or an addend miss. Rows flow while the drain does not, unless they could overtake what
// still has to be read from their bank. en_i low stops both.
module npu_mac_array #(
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
  localparam int ParameterBits = npu_spec_pkg::ChannelParameterBits
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
  output logic                          scale_en_o,
  output logic                          scale_valid_o,
  output logic [TagBits-1:0]            scale_tag_o,
  output logic [48*Lanes-1:0]           scale_value_o,
  output logic [32*Lanes-1:0]           scale_multiplier_o,
  output logic [6*Lanes-1:0]            scale_shift_o,
  output logic                          scale_scale32_o,
  output logic [2:0]                    scale_rounding_o,
  output logic [2:0]                    scale_in_type_o,
  output logic                          scale_in_unsigned_o,
  output logic [31:0]                   scale_in_zero_point_o,
  output logic [2:0]                    scale_out_type_o,
  output logic                          scale_out_unsigned_o,
  output logic [31:0]                   scale_out_zero_point_o,
  output logic [31:0]                   scale_clamp_min_o,
  output logic [31:0]                   scale_clamp_max_o,
  input  logic                          scale_valid_i,
  input  logic [TagBits-1:0]            scale_tag_i,
  input  logic [32*Lanes-1:0]           scale_result_i,
  output logic                          look_en_o,
  output logic                          look_valid_o,
  output logic [TagBits-1:0]            look_tag_o,
  output logic                          look_slot_o,
  output logic [16*Lanes-1:0]           look_value_o,
  input  logic                          look_valid_i,
  input  logic [TagBits-1:0]            look_tag_i,
  input  logic [32*Lanes-1:0]           look_result_i,
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

  // Stages of npu_mac_lane and of the drain's way to the accumulators: a change of the latency is a change of both.
  generate
    if (npu_spec_pkg::MacPipelineCycles != 5) begin : gen_wrong_latency
      npu_mac_lane_has_five_stages u_wrong ();
    end
  endgenerate

  localparam int SplitBits = npu_spec_pkg::MacLaneSplitLog2Bits;

  logic               command, is_running;
  logic               move, can_move, flow, shadow_full;
  logic               swap, beat, low, high, high_is_due, is_16, weight_is_16, from_zero;
  logic [1:0]         byte_shift;
  logic [RowBits-1:0] row;
  logic [1:0]         tile_number;
  logic [Lanes-1:0]   lanes;
  logic               tile_end, is_last_of_channels, is_last;
  logic [RowBits-1:0] last_row;
  logic [1:0]         undrained;
  logic               drained, settled, is_behind, holds_row, command_set, drained_set, command_out;
  logic [SplitBits-1:0] lane_split_log2;
  logic [npu_spec_pkg::MacOutColumnsBits-1:0] out_columns;
  logic               is_depthwise;
  logic [2:0]         weight_order;

  assign command = en_i && cmd_valid_i && cmd_ready_o;
  assign flow = can_move || !(is_behind || holds_row);
  assign beat = en_i && act_valid_i && act_ready_o;
  assign lane_split_log2 = cmd_i[npu_spec_pkg::MacLaneSplitLog2Lsb +: SplitBits];
  assign out_columns = cmd_i[npu_spec_pkg::MacOutColumnsLsb +: npu_spec_pkg::MacOutColumnsBits];
  assign is_depthwise = 3'(cmd_i[npu_spec_pkg::MacModeLsb +: npu_spec_pkg::MacModeBits]) == npu_spec_pkg::MODE_DEPTHWISE;
  assign weight_order = 3'(cmd_i[npu_spec_pkg::MacWeightOrderLsb +: npu_spec_pkg::MacWeightOrderBits]);
  assign is_16 = cmd_i[npu_spec_pkg::MacInputTypeLsb +: npu_spec_pkg::MacInputTypeBits] == npu_spec_pkg::TYPE_INT16;
  assign weight_is_16 = cmd_i[npu_spec_pkg::MacWeightTypeLsb +: npu_spec_pkg::MacWeightTypeBits] == npu_spec_pkg::TYPE_INT16;

  npu_mac_sequencer #(.Lanes(Lanes)) u_sequencer (
    .clk_i, .rst_ni, .en_i,
    .cmd_valid_i, .cmd_ready_o,
    .first_i(cmd_i[npu_spec_pkg::MacFirstLsb]),
    .last_i(cmd_i[npu_spec_pkg::MacLastLsb]),
    .lane_split_log2_i(lane_split_log2),
    .row_tile_rows_i(cmd_i[npu_spec_pkg::MacRowTileRowsLsb +: npu_spec_pkg::MacRowTileRowsBits]),
    .out_rows_i(cmd_i[npu_spec_pkg::MacOutRowsLsb +: npu_spec_pkg::MacOutRowsBits]),
    .out_columns_i(out_columns),
    .out_channels_i(cmd_i[npu_spec_pkg::MacOutChannelsLsb +: npu_spec_pkg::MacOutChannelsBits]),
    .reduction_begin_i(cmd_i[npu_spec_pkg::MacReductionBeginLsb +: npu_spec_pkg::MacReductionBeginBits]),
    .reduction_end_i(cmd_i[npu_spec_pkg::MacReductionEndLsb +: npu_spec_pkg::MacReductionEndBits]),
    .is_16_i(is_16),
    .weight_is_16_i(weight_is_16),
    .is_running_o(is_running),
    .shadow_full_i(shadow_full),
    .swap_o(swap),
    .act_valid_i, .act_last_i, .act_ready_o,
    .flow_i(flow),
    .low_o(low),
    .high_o(high),
    .high_is_due_o(high_is_due),
    .row_o(row),
    .tile_number_o(tile_number),
    .from_zero_o(from_zero),
    .byte_shift_o(byte_shift),
    .lanes_o(lanes),
    .tile_end_o(tile_end),
    .last_row_o(last_row),
    .is_last_of_channels_o(is_last_of_channels),
    .is_last_o(is_last),
    .undrained_i(undrained),
    .drained_i(drained),
    .settled_i(settled),
    .stall_o
  );

  // Fields that all rows of the command share.
  logic       is_unsigned_q, element_wise_q, is_16_q, weight_is_16_q, is_depthwise_q;
  logic [8:0] input_zero_point_q, weight_zero_point_q;
  logic [SplitBits-1:0] split_q;

  always_ff @(posedge clk_i) begin
    if (command) begin
      is_unsigned_q <= cmd_i[npu_spec_pkg::MacInputIsUnsignedLsb];
      split_q <= lane_split_log2;
      is_16_q <= is_16;
      weight_is_16_q <= weight_is_16;
      is_depthwise_q <= is_depthwise;
      // Tap after tap in the packed weights of a depthwise command, too.
      element_wise_q <= weight_order == npu_spec_pkg::WEIGHTS_TAP_MAJOR || (is_depthwise && weight_order == npu_spec_pkg::WEIGHTS_TILES);
      input_zero_point_q <= cmd_i[npu_spec_pkg::MacInputZeroPointLsb +: 9];
      weight_zero_point_q <= cmd_i[npu_spec_pkg::MacWeightZeroPointLsb +: 9];
    end
  end

  // Weights.
  logic [Words-1:0]         word_en;
  logic [9*Words*Lanes-1:0] word_data, word_mask;
  logic [Words*Lanes-1:0]   row_words;

  npu_weight_words #(.Lanes(Lanes)) u_words (
    .clk_i, .rst_ni, .en_i,
    .command_i(command),
    .is_running_i(is_running),
    .swap_i(swap),
    .is_16_i(weight_is_16_q),
    .zero_point_i(weight_zero_point_q),
    .wgt_valid_i, .wgt_ready_o, .wgt_word_valid_i, .wgt_row_i, .wgt_data_i, .wgt_mask_i, .wgt_last_i,
    .shadow_full_o(shadow_full),
    .word_en_o(word_en),
    .word_data_o(word_data),
    .word_mask_o(word_mask),
    .row_words_o(row_words)
  );

  // Activations.
  logic [9*Lanes*Lanes-1:0] operands;  // of each lane

  npu_mac_activation #(.Lanes(Lanes)) u_activation (
    .clk_i, .rst_ni,
    .valid_i(act_valid_i),
    .beat_i(beat),
    .low_i(en_i && low),
    .high_i(high_is_due),
    .split_i(split_q),
    .is_depthwise_i(is_depthwise_q),
    .is_16_i(is_16_q),
    .is_unsigned_i(is_unsigned_q),
    .zero_point_i(input_zero_point_q),
    .data_i(act_data_i),
    .offset_i(act_offset_i),
    .length_i(act_length_i),
    .to_i(act_to_i),
    .mask_i(act_mask_i),
    .win_offset_i, .win_length_i, .win_to_i, .win_pixel_i, .win_register_i, .win_element_i,
    .operands_o(operands)
  );

  // Rows in the lanes' pipeline: byte shift, from zero, bank and row as far as stage 4.
  localparam int RowInfoBits = 4 + RowBits;
  logic [3:0]               valid_q;
  logic [RowInfoBits-1:0]   info0_q, info1_q, info2_q, info3_q;
  logic [Lanes-1:0]         lanes0_q, lanes1_q, lanes2_q, lanes3_q;
  logic                     flows, pass, forward_q;
  logic [4:0]               advance;

  assign flows = en_i && flow;
  assign pass = low || high;
  assign advance = {5{flows}} & {valid_q, pass};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 4'd0;
    else if (flows) valid_q <= {valid_q[2:0], pass};
  end

  always_ff @(posedge clk_i) begin
    if (advance[0]) begin
      info0_q <= {byte_shift, from_zero, tile_number[0], row};
      lanes0_q <= lanes;
    end
    if (advance[1]) begin
      info1_q <= info0_q;
      lanes1_q <= lanes0_q;
    end
    if (advance[2]) begin
      info2_q <= info1_q;
      lanes2_q <= lanes1_q;
    end
    if (advance[3]) begin
      info3_q <= info2_q;
      lanes3_q <= lanes2_q;
      // The row of the cycle before is the same one: its sum is not in the memory yet.
      forward_q <= valid_q[3] && info3_q[RowBits:0] == info2_q[RowBits:0];
    end
  end

  logic                read, read_bank;
  logic [RowBits-1:0]  read_row;
  logic [48*Lanes-1:0] accumulators;

  genvar i;
  generate
    for (i = 0; i < Lanes; i = i + 1) begin : gen_lane
      logic [9*Lanes-1:0] weight;

      npu_weight_lane #(.Lanes(Lanes), .Lane(i)) u_weights (
        .clk_i,
        .split_i(split_q),
        .element_wise_i(element_wise_q),
        .word_en_i(word_en),
        .word_data_i(word_data),
        .word_mask_i(word_mask),
        .row_words_i(row_words),
        .swap_i(en_i && swap),
        .weight_o(weight)
      );

      npu_mac_lane #(.Operands(Lanes)) u_lane (
        .clk_i,
        .advance_i(advance & {lanes3_q[i], lanes2_q[i], lanes1_q[i], lanes0_q[i], lanes[i]}),
        .activation_i(operands[9*Lanes*i +: 9*Lanes]),
        .weight_i(weight),
        .bank_i(info2_q[RowBits]),
        .row_i(info2_q[RowBits-1:0]),
        .read_i(!info2_q[RowBits+1]),
        .byte_shift_i(info3_q[RowBits+2 +: 2]),
        .from_zero_i(info3_q[RowBits+1]),
        .forward_i(forward_q),
        .drain_en_i(read),
        .drain_bank_i(read_bank),
        .drain_row_i(read_row),
        .accumulator_o(accumulators[48*i +: 48])
      );
    end
  endgenerate

  // Drain and epilogue.
  logic               row_valid, row_bank, row_is_last_of_tile, row_is_last_of_channels, row_is_last;
  logic [RowBits-1:0] drained_row;
  logic [Lanes-1:0]   row_lanes;
  logic               drained_command, residual;

  assign drained_command = command && cmd_i[npu_spec_pkg::MacLastLsb];

  npu_mac_drain #(.Lanes(Lanes)) u_drain (
    .clk_i, .rst_ni, .en_i,
    .move_i(move),
    .can_move_i(can_move),
    .command_i(drained_command),
    .lane_split_log2_i(lane_split_log2),
    .is_depthwise_i(is_depthwise),
    .slide_rows_i(cmd_i[npu_spec_pkg::MacSlideRowsLsb]),
    .out_rows_i(cmd_i[npu_spec_pkg::MacOutRowsLsb +: npu_spec_pkg::MacOutRowsBits]),
    .out_columns_i(out_columns),
    .command_out_i(command_out),
    .settled_o(settled),
    .command_set_o(command_set),
    .drained_set_o(drained_set),
    .residual_i(residual),
    .tile_end_i(tile_end),
    .tile_number_i(tile_number),
    .last_row_i(last_row),
    .is_last_of_channels_i(is_last_of_channels),
    .is_last_i(is_last),
    .lanes_i(lanes),
    .undrained_o(undrained),
    .drained_o(drained),
    .is_behind_o(is_behind),
    .read_o(read),
    .read_bank_o(read_bank),
    .read_row_o(read_row),
    .row_valid_o(row_valid),
    .row_bank_o(row_bank),
    .row_o(drained_row),
    .row_lanes_o(row_lanes),
    .row_is_last_of_tile_o(row_is_last_of_tile),
    .row_is_last_of_channels_o(row_is_last_of_channels),
    .row_is_last_o(row_is_last)
  );

  npu_mac_epilogue #(.Lanes(Lanes), .TagBits(TagBits)) u_epilogue (
    .clk_i, .rst_ni, .en_i,
    .move_o(move),
    .can_move_o(can_move),
    .command_i(drained_command),
    .command_set_i(command_set),
    .drained_set_i(drained_set),
    .lane_split_log2_i(lane_split_log2),
    .accumulator_is_48_i(cmd_i[npu_spec_pkg::MacAccumulatorIs48Lsb]),
    .rescale_i(cmd_i[npu_spec_pkg::MacRescaleLsb]),
    .scale32_i(cmd_i[npu_spec_pkg::MacScale32Lsb]),
    .rounding_i(cmd_i[npu_spec_pkg::MacRoundingLsb +: npu_spec_pkg::MacRoundingBits]),
    .output_type_i(cmd_i[npu_spec_pkg::MacOutputTypeLsb +: npu_spec_pkg::MacOutputTypeBits]),
    .output_is_unsigned_i(cmd_i[npu_spec_pkg::MacOutputIsUnsignedLsb]),
    .output_zero_point_i(cmd_i[npu_spec_pkg::MacOutputZeroPointLsb +: npu_spec_pkg::MacOutputZeroPointBits]),
    .clamp_min_i(cmd_i[npu_spec_pkg::MacClampMinLsb +: npu_spec_pkg::MacClampMinBits]),
    .clamp_max_i(cmd_i[npu_spec_pkg::MacClampMaxLsb +: npu_spec_pkg::MacClampMaxBits]),
    .table_i(cmd_i[npu_spec_pkg::MacTableLsb]),
    .table_slot_i(cmd_i[npu_spec_pkg::MacTableSlotLsb]),
    .residual_i(cmd_i[npu_spec_pkg::MacResidualLsb]),
    .own_zero_point_i(cmd_i[npu_spec_pkg::MacResidualZeroPointLsb +: npu_spec_pkg::MacResidualZeroPointBits]),
    .addend_zero_point_i(cmd_i[npu_spec_pkg::MacAddendZeroPointLsb +: npu_spec_pkg::MacAddendZeroPointBits]),
    .sum_zero_point_i(cmd_i[npu_spec_pkg::MacSumZeroPointLsb +: npu_spec_pkg::MacSumZeroPointBits]),
    .own_scale_i(cmd_i[npu_spec_pkg::MacOwnMultiplierLsb +: 38]),
    .addend_scale_i(cmd_i[npu_spec_pkg::MacAddendMultiplierLsb +: 38]),
    .sum_scale_i(cmd_i[npu_spec_pkg::MacSumMultiplierLsb +: 38]),
    .sum_clamp_min_i(cmd_i[npu_spec_pkg::MacSumClampMinLsb +: npu_spec_pkg::MacSumClampMinBits]),
    .sum_clamp_max_i(cmd_i[npu_spec_pkg::MacSumClampMaxLsb +: npu_spec_pkg::MacSumClampMaxBits]),
    .residual_o(residual),
    .holds_row_o(holds_row),
    .row_valid_i(row_valid),
    .row_bank_i(row_bank),
    .row_i(drained_row),
    .row_lanes_i(row_lanes),
    .row_is_last_of_tile_i(row_is_last_of_tile),
    .row_is_last_of_channels_i(row_is_last_of_channels),
    .row_is_last_i(row_is_last),
    .accumulator_i(accumulators),
    .prm_valid_i, .prm_ready_o, .prm_i,
    .add_valid_i, .add_ready_o, .add_i,
    .scale_valid_o, .scale_tag_o, .scale_value_o, .scale_multiplier_o, .scale_shift_o, .scale_scale32_o, .scale_rounding_o,
    .scale_in_type_o, .scale_in_zero_point_o, .scale_out_type_o, .scale_out_unsigned_o, .scale_out_zero_point_o, .scale_clamp_min_o, .scale_clamp_max_o,
    .scale_valid_i, .scale_tag_i, .scale_result_i,
    .look_valid_o, .look_tag_o, .look_slot_o, .look_value_o, .look_valid_i, .look_tag_i, .look_result_i,
    .out_valid_o, .out_ready_i, .out_value_o, .out_mask_o, .out_row_o, .out_bank_o, .out_last_of_tile_o, .out_last_o,
    .command_out_o(command_out)
  );

  assign scale_en_o = move;
  assign look_en_o = move;
  assign scale_in_unsigned_o = 1'b0;
endmodule
