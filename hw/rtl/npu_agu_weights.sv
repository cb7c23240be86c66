// SPDX-License-Identifier: Apache-2.0
// Addresses of the weight stream: which words of SRAM each beat of a weight tile is made of, in the three orders of weights.
//
//   tile (first address, pitch of its rows) --> row, byte in the row --> up to four pieces of tile rows --> words
//
// A tile row is a lane or, in TapMajor order and of depthwise commands, an element; a beat has pieces of at most
// WeightLoadRows of them, in at most wgt_most_i words. Words follow the pieces; the one that the beat before read last is not
// read again. Packed tiles follow each other in memory, so that the end of one is the address of the next.
//
// Registers: three addresses and two numbers of the loops, the place in the tile, the word that was read last. A command is
// prepared in two cycles: products of its fields.
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
  localparam int CountBits = $clog2(Lanes+1);
  localparam int LengthBits = $clog2(2*Lanes+1);
  localparam int ToBits = $clog2(2*Lanes);
  localparam int NumRows = npu_agu_pkg::WeightLoadRows;

  // The command.
  logic [31:0] rbegin_q, rend_q, base_q, pitch_q, num_rows_q;
  logic [15:0] channels_q;
  logic [6:0]  row_tile_rows_q;
  logic [1:0]  split_q;
  logic        is_conv_q, is_lane_major_q, is_tap_major_q, is_16_q;
  logic        is_prepared_q, is_running_q;

  logic [15:0] groups;  // accumulator rows of a row of pixels
  logic [15:0] columns;
  logic [1:0]  split;

  assign columns = cmd_i[npu_agu_pkg::MacOutColumnsLsb +: npu_agu_pkg::MacOutColumnsBits];
  assign split = cmd_i[npu_agu_pkg::MacLaneSplitLog2Lsb +: npu_agu_pkg::MacLaneSplitLog2Bits];
  assign groups = (columns + (16'd1 << split) - 16'd1) >> split;

  // The loops.
  logic [31:0] ct_start_q, tile_start_q, r_left_q, rows_left_q;
  logic [15:0] channels_left_q;
  logic        byte_q;
  // The place in the tile.
  logic [CountBits-1:0]   row_q;
  logic [ToBits-1:0]      pos_q;
  logic [npu_agu_pkg::AddressBits-1:0] row_address_q, kept_word_q;
  logic                   has_kept_q;

  // The tile.
  logic [CountBits-1:0]  lanes, elements, tile_rows;
  logic [LengthBits-1:0] row_bytes;
  logic [31:0]           row_pitch;
  logic                  is_packed, is_lane_wise;
  logic [5:0]            tile_channels;

  assign tile_channels = 6'(Lanes) >> split_q;
  assign is_packed = !is_lane_major_q && !is_tap_major_q;
  assign is_lane_wise = is_lane_major_q || (is_packed && is_conv_q);
  assign lanes = channels_left_q > {10'd0, tile_channels} ? tile_channels[CountBits-1:0] : channels_left_q[CountBits-1:0];
  assign elements = (is_packed && is_conv_q) || r_left_q > 32'(Lanes) ? CountBits'(Lanes) : r_left_q[CountBits-1:0];
  assign tile_rows = is_lane_wise ? lanes : elements;
  assign row_bytes = {1'b0, is_lane_wise ? elements : lanes} << is_16_q;
  assign row_pitch = is_packed ? 32'(row_bytes) : pitch_q;

  // A beat: up to four pieces.
  logic [CountBits-1:0]   row;
  logic [ToBits-1:0]      pos;
  logic [npu_agu_pkg::AddressBits-1:0] row_address, at, first, last, last_word, beat_word;
  logic                   has_last, is_full, is_shared;
  logic [2:0]             num_used, num_free, num_words, num_read;
  logic [LengthBits-1:0]  left, take;
  logic [LengthBits:0]    room;

  always_comb begin
    row = row_q;
    pos = pos_q;
    row_address = row_address_q;
    last_word = kept_word_q;
    has_last = has_kept_q;
    beat_word = '0;
    is_full = 1'b0;
    is_shared = 1'b0;
    num_used = 3'd0;
    num_free = 3'd0;
    num_words = 3'd0;
    num_read = 3'd0;
    at = '0;
    first = '0;
    last = '0;
    left = '0;
    take = '0;
    room = '0;
    wgt_read_o = '0;
    wgt_word_o = '0;
    wgt_row_valid_o = '0;
    wgt_row_o = '0;
    wgt_address_o = '0;
    wgt_length_o = '0;
    wgt_to_o = '0;
    for (int k = 0; k < NumRows; k = k + 1) begin
      at = row_address + npu_agu_pkg::AddressBits'(pos);
      first = $signed(at) >>> LaneBits;
      is_shared = k != 0 && first == beat_word;
      num_free = wgt_most_i - num_used + 3'(is_shared);
      if (is_running_q && !is_full && row != tile_rows && num_free != 3'd0) begin
        left = row_bytes - LengthBits'(pos);
        room = (num_free > 3'd3 ? (LengthBits+1)'(3*Lanes) : (LengthBits+1)'(num_free) << LaneBits) -
               (LengthBits+1)'(at[LaneBits-1:0]);
        take = (LengthBits+1)'(left) > room ? room[LengthBits-1:0] : left;
        last = $signed(at + npu_agu_pkg::AddressBits'(take) - 1) >>> LaneBits;
        num_words = 3'(last - first) + 3'd1;
        num_used = num_used + num_words - 3'(is_shared);
        for (int w = 0; w < 3; w = w + 1) begin
          if (3'(w) < num_words) begin
            if (!has_last || last_word != first + npu_agu_pkg::AddressBits'(w)) begin
              wgt_read_o[num_read[1:0]] = 1'b1;
              wgt_word_o[npu_agu_pkg::AddressBits*num_read[1:0] +: npu_agu_pkg::AddressBits] = first + npu_agu_pkg::AddressBits'(w);
              num_read = num_read + 3'd1;
            end
            has_last = 1'b1;
            last_word = first + npu_agu_pkg::AddressBits'(w);
          end
        end
        beat_word = last;
        wgt_row_valid_o[k] = 1'b1;
        wgt_row_o[LaneBits*k +: LaneBits] = row[LaneBits-1:0];
        wgt_address_o[npu_agu_pkg::AddressBits*k +: npu_agu_pkg::AddressBits] = at;
        wgt_length_o[LengthBits*k +: LengthBits] = take;
        wgt_to_o[ToBits*k +: ToBits] = pos;
        if (take == left) begin
          row = row + 1'b1;
          pos = '0;
          row_address = row_address + row_pitch;
        end else begin
          pos = pos + ToBits'(take);
          is_full = 1'b1;
        end
      end else begin
        is_full = 1'b1;
      end
    end
  end

  assign wgt_valid_o = is_running_q;
  assign wgt_byte_o = byte_q;
  assign wgt_last_o = row == tile_rows;
  assign cmd_ready_o = !is_prepared_q && !is_running_q;

  // After a tile.
  logic        is_last_byte, is_last_step, is_last_rows, is_last_channels, is_kept;
  logic [31:0] next_start, next_ct_start, channel_step;

  assign is_last_byte = !is_16_q || byte_q;
  assign is_last_step = r_left_q <= 32'(Lanes);
  // A tile that stays is not loaded again for the next row tile.
  assign is_kept = !is_16_q && rend_q - rbegin_q <= 32'(Lanes);
  assign is_last_rows = is_kept || rows_left_q <= 32'(row_tile_rows_q);
  assign is_last_channels = channels_left_q <= {10'd0, tile_channels};
  assign next_start = is_packed ? row_address
                    : is_tap_major_q ? tile_start_q + (pitch_q << LaneBits) : tile_start_q + (32'(Lanes) << is_16_q);
  assign channel_step = is_tap_major_q ? 32'(tile_channels) << is_16_q : (pitch_q << LaneBits) >> split_q;
  assign next_ct_start = is_packed ? row_address : ct_start_q + channel_step;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      is_prepared_q <= 1'b0;
      is_running_q <= 1'b0;
    end else if (cmd_valid_i && cmd_ready_o) begin
      is_prepared_q <= 1'b1;
    end else if (is_prepared_q) begin
      is_prepared_q <= 1'b0;
      is_running_q <= 1'b1;
    end else if (wgt_valid_o && wgt_ready_i && wgt_last_o && is_last_byte && is_last_step && is_last_rows &&
                 is_last_channels) begin
      is_running_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (cmd_valid_i && cmd_ready_o) begin
      rbegin_q <= cmd_i[npu_agu_pkg::MacReductionBeginLsb +: npu_agu_pkg::MacReductionBeginBits];
      rend_q <= cmd_i[npu_agu_pkg::MacReductionEndLsb +: npu_agu_pkg::MacReductionEndBits];
      base_q <= cmd_i[npu_agu_pkg::MacWeightBaseLsb +: npu_agu_pkg::MacWeightBaseBits];
      pitch_q <= cmd_i[npu_agu_pkg::MacWeightPitchLsb +: npu_agu_pkg::MacWeightPitchBits];
      channels_q <= cmd_i[npu_agu_pkg::MacOutChannelsLsb +: npu_agu_pkg::MacOutChannelsBits];
      row_tile_rows_q <= cmd_i[npu_agu_pkg::MacRowTileRowsLsb +: npu_agu_pkg::MacRowTileRowsBits];
      split_q <= split;
      is_conv_q <= cmd_i[npu_agu_pkg::MacModeLsb +: npu_agu_pkg::MacModeBits] == npu_spec_pkg::MODE_CONV[npu_agu_pkg::MacModeBits-1:0];
      is_lane_major_q <= cmd_i[npu_agu_pkg::MacWeightOrderLsb +: npu_agu_pkg::MacWeightOrderBits] == npu_spec_pkg::WEIGHTS_LANE_MAJOR[1:0];
      is_tap_major_q <= cmd_i[npu_agu_pkg::MacWeightOrderLsb +: npu_agu_pkg::MacWeightOrderBits] == npu_spec_pkg::WEIGHTS_TAP_MAJOR[1:0];
      is_16_q <= cmd_i[npu_agu_pkg::MacWeightTypeLsb +: npu_agu_pkg::MacWeightTypeBits] == npu_spec_pkg::TYPE_INT16;
      num_rows_q <= 32'(cmd_i[npu_agu_pkg::MacOutRowsLsb +: npu_agu_pkg::MacOutRowsBits]) * 32'(groups);
    end
    if (is_prepared_q) begin
      ct_start_q <= base_q + (is_tap_major_q ? rbegin_q * pitch_q : is_lane_major_q ? rbegin_q << is_16_q : 32'd0);
      tile_start_q <= base_q + (is_tap_major_q ? rbegin_q * pitch_q : is_lane_major_q ? rbegin_q << is_16_q : 32'd0);
      row_address_q <= base_q + (is_tap_major_q ? rbegin_q * pitch_q : is_lane_major_q ? rbegin_q << is_16_q : 32'd0);
      r_left_q <= rend_q - rbegin_q;
      rows_left_q <= num_rows_q;
      channels_left_q <= channels_q;
      byte_q <= 1'b0;
      row_q <= '0;
      pos_q <= '0;
      has_kept_q <= 1'b0;
    end
    if (wgt_valid_o && wgt_ready_i) begin
      row_q <= row;
      pos_q <= pos;
      row_address_q <= row_address;
      kept_word_q <= last_word;
      has_kept_q <= 1'b1;
      if (wgt_last_o) begin
        row_q <= '0;
        has_kept_q <= 1'b0;
        byte_q <= !is_last_byte;
        if (!is_last_byte) begin
          row_address_q <= tile_start_q;
        end else if (!is_last_step) begin
          r_left_q <= r_left_q - 32'(Lanes);
          tile_start_q <= next_start;
          row_address_q <= next_start;
        end else begin
          r_left_q <= rend_q - rbegin_q;
          if (!is_last_rows) begin
            rows_left_q <= rows_left_q - 32'(row_tile_rows_q);
            tile_start_q <= ct_start_q;
            row_address_q <= ct_start_q;
          end else begin
            rows_left_q <= num_rows_q;
            channels_left_q <= channels_left_q - {10'd0, tile_channels};
            ct_start_q <= next_ct_start;
            tile_start_q <= next_ct_start;
            row_address_q <= next_ct_start;
          end
        end
      end
    end
  end
endmodule
