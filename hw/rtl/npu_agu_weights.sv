// SPDX-License-Identifier: Apache-2.0
// Addresses of the weight stream: which words of SRAM each beat of a weight tile is made of, in the three orders of weights.
//
//   command --> [setup: products] --> [tiles: loops, size, start] --> [beats: pieces of tile rows] --> words, pieces
//
// A tile row is a lane or, in TapMajor order and of depthwise commands, an element; a beat has pieces of at most
// WeightLoadRows of them, in at most wgt_most_i words. Words follow the pieces; the one that the beat before read last is not
// read again. Packed tiles follow each other in memory, so that the end of one is the address of the next; lines of the other
// orders do not overlap.
//
// Tiles and beats are pipelines: a beat comes in each cycle from the first to the last one, whatever tiles end between them. The
// first beat is there 10 cycles after the command: 4 of setup, 3 up to the first tile, 3 up to the beat at the ports.
//
// Registers here: the fields of the command and what the setup makes of them with one multiplier of 16 x 32 bits, a product in a
// cycle. The rows are the rows of the output times the groups of its columns. The first address is the base plus the begin of
// the reduction, its low and then its high half, times the pitch (TapMajor), the bytes of a weight (LaneMajor) or 0 (packed).
module npu_agu_weights #(
  parameter int Lanes = 16
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        cmd_valid_i,
  output logic        cmd_ready_o,
  /* verilator lint_off UNUSEDSIGNAL */  // fields of other streams
  input  logic [npu_agu_pkg::MacCommandBits-1:0] cmd_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [2:0]  wgt_most_i,
  output logic        wgt_valid_o,
  input  logic        wgt_ready_i,
  output logic [npu_spec_pkg::WeightLoadWords-1:0]                              wgt_read_o,
  output logic [npu_agu_pkg::AddressBits*npu_spec_pkg::WeightLoadWords-1:0]     wgt_word_o,
  output logic [npu_agu_pkg::WeightLoadRows-1:0]                                wgt_row_valid_o,
  output logic [npu_agu_pkg::WeightLoadRows*$clog2(Lanes)-1:0]                  wgt_row_o,
  output logic [npu_agu_pkg::AddressBits*npu_agu_pkg::WeightLoadRows-1:0]       wgt_address_o,
  output logic [npu_agu_pkg::WeightLoadRows*$clog2(2*Lanes+1)-1:0]              wgt_length_o,
  output logic [npu_agu_pkg::WeightLoadRows*$clog2(2*Lanes)-1:0]                wgt_to_o,
  output logic        wgt_byte_o,
  output logic        wgt_last_o
);
  localparam int LaneBits = $clog2(Lanes);

  // The command.
  logic [31:0] rbegin_q, taps_q, base_q, pitch_q, pitch3_q;
  logic [15:0] channels_q, out_rows_q, groups_q;
  logic [6:0]  row_tile_rows_q;
  logic [2:0]  most_q;
  logic [1:0]  split_q;
  logic        is_conv_q, is_lane_major_q, is_tap_major_q, is_16_q, is_4_q;
  logic        is_busy_q, is_command, is_done;
  logic [3:0]  setup_q;  // one bit at a time: its cycles

  logic [15:0] columns;
  logic [1:0]  split;

  assign columns = cmd_i[npu_agu_pkg::MacOutColumnsLsb +: npu_agu_pkg::MacOutColumnsBits];
  assign split = cmd_i[npu_agu_pkg::MacLaneSplitLog2Lsb +: npu_agu_pkg::MacLaneSplitLog2Bits];
  assign cmd_ready_o = !is_busy_q;
  assign is_command = cmd_valid_i && cmd_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      is_busy_q <= 1'b0;
      setup_q <= '0;
    end else begin
      is_busy_q <= is_command || (is_busy_q && !is_done);
      setup_q <= {setup_q[2:0], is_command};
    end
  end

  always_ff @(posedge clk_i) begin
    if (is_command) begin
      rbegin_q <= cmd_i[npu_agu_pkg::MacReductionBeginLsb +: npu_agu_pkg::MacReductionBeginBits];
      taps_q <= cmd_i[npu_agu_pkg::MacReductionEndLsb +: npu_agu_pkg::MacReductionEndBits] -
                cmd_i[npu_agu_pkg::MacReductionBeginLsb +: npu_agu_pkg::MacReductionBeginBits];
      base_q <= cmd_i[npu_agu_pkg::MacWeightBaseLsb +: npu_agu_pkg::MacWeightBaseBits];
      pitch_q <= cmd_i[npu_agu_pkg::MacWeightPitchLsb +: npu_agu_pkg::MacWeightPitchBits];
      channels_q <= cmd_i[npu_agu_pkg::MacOutChannelsLsb +: npu_agu_pkg::MacOutChannelsBits];
      out_rows_q <= cmd_i[npu_agu_pkg::MacOutRowsLsb +: npu_agu_pkg::MacOutRowsBits];
      groups_q <= (columns + (16'd1 << split) - 16'd1) >> split;  // accumulator rows of a row of pixels
      row_tile_rows_q <= cmd_i[npu_agu_pkg::MacRowTileRowsLsb +: npu_agu_pkg::MacRowTileRowsBits];
      split_q <= split;
      is_conv_q <= cmd_i[npu_agu_pkg::MacModeLsb +: npu_agu_pkg::MacModeBits] == npu_spec_pkg::MODE_CONV[npu_agu_pkg::MacModeBits-1:0];
      is_lane_major_q <= cmd_i[npu_agu_pkg::MacWeightOrderLsb +: npu_agu_pkg::MacWeightOrderBits] == npu_spec_pkg::WEIGHTS_LANE_MAJOR[1:0];
      is_tap_major_q <= cmd_i[npu_agu_pkg::MacWeightOrderLsb +: npu_agu_pkg::MacWeightOrderBits] == npu_spec_pkg::WEIGHTS_TAP_MAJOR[1:0];
      is_16_q <= cmd_i[npu_agu_pkg::MacWeightTypeLsb +: npu_agu_pkg::MacWeightTypeBits] == npu_spec_pkg::TYPE_INT16;
      is_4_q <= cmd_i[npu_agu_pkg::MacWeightTypeLsb +: npu_agu_pkg::MacWeightTypeBits] == npu_spec_pkg::TYPE_INT4;
    end
    if (setup_q[0]) begin
      pitch3_q <= pitch_q + (pitch_q << 1);
      most_q <= wgt_most_i;
    end
  end

  // Products.
  logic [15:0] factor;
  logic [31:0] other, product_q, rows_q, first_q;

  always_comb begin
    factor = setup_q[0] ? groups_q : setup_q[1] ? rbegin_q[15:0] : rbegin_q[31:16];
    other = setup_q[0] ? 32'(out_rows_q) : is_tap_major_q ? pitch_q : is_lane_major_q ? 32'd1 << is_16_q : 32'd0;
  end

  always_ff @(posedge clk_i) begin
    if (|setup_q[2:0]) product_q <= 32'(factor) * other;
    if (setup_q[1]) rows_q <= product_q;
    if (setup_q[2]) first_q <= base_q + product_q;
    if (setup_q[3]) first_q <= first_q + (product_q << 16);
  end

  logic                 tile_valid, tile_take, tile_near, tile_byte, tile_last;
  logic [31:0]          tile_start, tile_pitch, tile_pitch3;
  logic [LaneBits:0]    tile_rows, tile_row_last;
  logic [LaneBits-1:0]  tile_gap;

  npu_agu_weights_tiles #(.Lanes(Lanes)) u_tiles (
    .clk_i, .rst_ni, .start_i(setup_q[3]), .first_i(first_q), .pitch_i(pitch_q), .pitch3_i(pitch3_q), .taps_i(taps_q),
    .rows_i(rows_q), .channels_i(channels_q), .row_tile_rows_i(row_tile_rows_q), .split_i(split_q),
    .is_conv_i(is_conv_q), .is_lane_major_i(is_lane_major_q), .is_tap_major_i(is_tap_major_q), .is_16_i(is_16_q), .is_4_i(is_4_q),
    .tile_valid_o(tile_valid), .tile_take_i(tile_take), .tile_start_o(tile_start), .tile_pitch_o(tile_pitch),
    .tile_pitch3_o(tile_pitch3), .tile_rows_o(tile_rows), .tile_row_last_o(tile_row_last), .tile_near_o(tile_near),
    .tile_gap_o(tile_gap), .tile_byte_o(tile_byte), .tile_last_o(tile_last)
  );

  npu_agu_weights_beats #(.Lanes(Lanes)) u_beats (
    .clk_i, .rst_ni, .most_i(most_q), .done_o(is_done),
    .tile_valid_i(tile_valid), .tile_take_o(tile_take), .tile_start_i(tile_start), .tile_pitch_i(tile_pitch),
    .tile_pitch3_i(tile_pitch3), .tile_rows_i(tile_rows), .tile_row_last_i(tile_row_last), .tile_near_i(tile_near),
    .tile_gap_i(tile_gap), .tile_byte_i(tile_byte), .tile_last_i(tile_last),
    .wgt_valid_o, .wgt_ready_i, .wgt_read_o, .wgt_word_o, .wgt_row_valid_o, .wgt_row_o, .wgt_address_o, .wgt_length_o,
    .wgt_to_o, .wgt_byte_o, .wgt_last_o
  );
endmodule
