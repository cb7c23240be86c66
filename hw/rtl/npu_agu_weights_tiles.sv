// SPDX-License-Identifier: Apache-2.0
// The weight tiles of a command, one a cycle: where each begins, its rows, the bytes of a row and how rows follow each other.
//
//   loops_q: what is left --> size_q: rows, bytes of a row --> area_q: rows x bytes --> tile_q: start of the tile --> tile_*_o
//                                                                                       ^ |
//                                                                                       +-+ next start
// The loops, from the innermost one: the bytes of int16 weights, steps of the reduction, row tiles, channel tiles. A tile begins
// where the one before did (second byte), a step further, where the first one of its channel tile did (next row tile), or where
// the next channels do. A step of packed tiles is the size of the tile before, which the register before has made. Two int4 of a row
// share a byte, and each row begins with one.
//
// All registers move when the tile at the outputs is taken, or while there is none: the first tile is there four cycles after
// start_i, and then one is in each cycle. Registers: what is left of each loop (81 bits), rows and bytes of a row in three stages,
// the size of a tile, its start and that of the channel tile.
module npu_agu_weights_tiles #(
  parameter int Lanes = 16,
  localparam int LaneBits = $clog2(Lanes)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              start_i,      // from the next cycle on the values below stand
  // The command: stays until its last tile is taken.
  input  logic [31:0]       first_i,      // address of the first tile
  input  logic [31:0]       pitch_i, pitch3_i,
  input  logic [31:0]       taps_i,       // of the reduction
  input  logic [31:0]       rows_i,       // of the accumulators
  input  logic [15:0]       channels_i,
  input  logic [6:0]        row_tile_rows_i,
  input  logic [1:0]        split_i,
  input  logic              is_conv_i, is_lane_major_i, is_tap_major_i, is_16_i, is_4_i,
  output logic              tile_valid_o,
  input  logic              tile_take_i,
  output logic [31:0]       tile_start_o,
  output logic [31:0]       tile_pitch_o, tile_pitch3_o,  // from a row to the next one, to the third one after it
  output logic [LaneBits:0] tile_rows_o,
  output logic [LaneBits:0] tile_row_last_o,  // the number of a row's last byte
  output logic              tile_near_o,      // from a row's last byte to the next row are less than Lanes bytes, gap_o
  output logic [LaneBits-1:0] tile_gap_o,
  output logic              tile_byte_o,
  output logic              tile_last_o       // of the command
);
  localparam int CountBits = LaneBits + 1, LengthBits = LaneBits + 2, AreaBits = 2 * LaneBits + 2;
  localparam logic [1:0] BeginSame = 2'd0, BeginStep = 2'd1, BeginRows = 2'd2, BeginChannels = 2'd3;

  logic       is_packed, is_lane_wise, advance;
  logic [5:0] tile_channels;

  assign tile_channels = 6'(Lanes) >> split_i;
  assign is_packed = !is_lane_major_i && !is_tap_major_i;
  assign is_lane_wise = is_lane_major_i || (is_packed && is_conv_i);
  assign advance = !tile_valid_o || tile_take_i;

  // The loops.
  logic        loops_valid_q, loops_byte_q, starts_q;
  logic [1:0]  loops_begin_q;
  logic [31:0] taps_left_q, rows_left_q;
  logic [15:0] channels_left_q;
  logic        is_last_byte, is_last_step, is_last_rows, is_last_channels, is_last;

  assign is_last_byte = !is_16_i || loops_byte_q;
  assign is_last_step = taps_left_q <= 32'(Lanes);
  // A tile that stays is not loaded again for the next row tile.
  assign is_last_rows = (!is_16_i && taps_i <= 32'(Lanes)) || rows_left_q <= 32'(row_tile_rows_i);
  assign is_last_channels = channels_left_q <= {10'd0, tile_channels};
  assign is_last = is_last_byte && is_last_step && is_last_rows && is_last_channels;

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      loops_byte_q <= 1'b0;
      loops_begin_q <= BeginRows;
      taps_left_q <= taps_i;
      rows_left_q <= rows_i;
      channels_left_q <= channels_i;
    end else if (advance && loops_valid_q) begin
      loops_byte_q <= !is_last_byte;
      loops_begin_q <= !is_last_byte ? BeginSame : !is_last_step ? BeginStep : !is_last_rows ? BeginRows : BeginChannels;
      if (is_last_byte) taps_left_q <= is_last_step ? taps_i : taps_left_q - 32'(Lanes);
      if (is_last_byte && is_last_step) rows_left_q <= is_last_rows ? rows_i : rows_left_q - 32'(row_tile_rows_i);
      if (is_last_byte && is_last_step && is_last_rows) channels_left_q <= channels_left_q - {10'd0, tile_channels};
    end
  end

  // Rows and bytes of a row.
  logic                  size_valid_q, size_byte_q, size_last_q;
  logic [1:0]            size_begin_q;
  logic [CountBits-1:0]  lanes, elements, in_row, size_rows_q, size_row_last_q;
  logic [LengthBits-1:0] row_bytes, size_row_bytes_q;

  assign lanes = is_last_channels ? channels_left_q[CountBits-1:0] : tile_channels[CountBits-1:0];
  assign elements = (is_packed && is_conv_i) || !is_last_step ? CountBits'(Lanes) : taps_left_q[CountBits-1:0];
  assign in_row = is_lane_wise ? elements : lanes;
  assign row_bytes = is_4_i ? {2'd0, in_row[LaneBits:1]} + LengthBits'(in_row[0]) : {1'b0, in_row} << is_16_i;

  // Their product, and the way to the next row.
  logic                  area_valid_q, area_byte_q, area_last_q, area_near_q;
  logic [1:0]            area_begin_q;
  logic [CountBits-1:0]  area_rows_q, area_row_last_q;
  logic [LengthBits-1:0] area_row_bytes_q;
  logic [AreaBits-1:0]   area_q;
  logic [LaneBits-1:0]   area_gap_q;
  logic [31:0]           gap;

  assign gap = pitch_i - 32'(size_row_last_q);

  // The start.
  logic [1:0]            tile_begin;
  logic [LengthBits-1:0] tile_row_bytes_q;
  logic [LengthBits+1:0] tile_row_bytes3_q;
  logic [31:0]           tile_step_q, channels_start_q, step_start, next_channels, next_start, channel_step;

  assign tile_begin = area_begin_q;
  assign channel_step = is_tap_major_i ? 32'(tile_channels) << is_16_i : (pitch_i << LaneBits) >> split_i;
  assign step_start = tile_start_o + tile_step_q;
  assign next_channels = is_packed ? step_start : channels_start_q + channel_step;
  always_comb begin
    case (tile_begin)
      BeginSame: next_start = tile_start_o;
      BeginStep: next_start = step_start;
      BeginRows: next_start = channels_start_q;
      default:   next_start = next_channels;
    endcase
  end
  assign tile_pitch_o = is_packed ? 32'(tile_row_bytes_q) : pitch_i;
  assign tile_pitch3_o = is_packed ? 32'(tile_row_bytes3_q) : pitch3_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {starts_q, loops_valid_q, size_valid_q, area_valid_q, tile_valid_o} <= '0;
    end else begin
      starts_q <= start_i;
      if (start_i) loops_valid_q <= 1'b1;
      else if (advance && is_last) loops_valid_q <= 1'b0;
      if (advance) {size_valid_q, area_valid_q, tile_valid_o} <= {loops_valid_q, size_valid_q, area_valid_q};
    end
  end

  always_ff @(posedge clk_i) begin
    if (advance && loops_valid_q) begin
      size_begin_q <= loops_begin_q;
      size_byte_q <= loops_byte_q;
      size_last_q <= is_last;
      size_rows_q <= is_lane_wise ? lanes : elements;
      size_row_bytes_q <= row_bytes;
      size_row_last_q <= CountBits'(row_bytes - 1'b1);
    end
    if (advance && size_valid_q) begin
      area_begin_q <= size_begin_q;
      area_byte_q <= size_byte_q;
      area_last_q <= size_last_q;
      area_rows_q <= size_rows_q;
      area_row_bytes_q <= size_row_bytes_q;
      area_row_last_q <= size_row_last_q;
      area_q <= AreaBits'(size_rows_q) * AreaBits'(size_row_bytes_q);
      area_near_q <= is_packed || gap[31:LaneBits] == '0;
      area_gap_q <= is_packed ? LaneBits'(1) : gap[LaneBits-1:0];
    end
    if (advance && area_valid_q) begin
      tile_step_q <= is_packed ? 32'(area_q) : is_tap_major_i ? pitch_i << LaneBits : 32'(Lanes) << is_16_i;
      tile_byte_o <= area_byte_q;
      tile_last_o <= area_last_q;
      tile_rows_o <= area_rows_q;
      tile_row_bytes_q <= area_row_bytes_q;
      tile_row_bytes3_q <= (LengthBits+2)'(area_row_bytes_q) + ((LengthBits+2)'(area_row_bytes_q) << 1);
      tile_row_last_o <= area_row_last_q;
      tile_near_o <= area_near_q;
      tile_gap_o <= area_gap_q;
      tile_start_o <= next_start;
      if (tile_begin == BeginChannels) channels_start_q <= next_channels;
    end
    if (starts_q) channels_start_q <= first_i;
  end
endmodule
