// SPDX-License-Identifier: Apache-2.0
// Addresses of the rows of a map that the epilogue reads (addends) or writes (results): channel tile after channel tile, the
// accumulator rows in their order, of which those of every second line of a depthwise command run backwards.
//
// A row has up to MaxRowPixels pixels; the bytes of a pixel's channels follow each other. Only sums: the first pixel's address
// moves along the line by a pitch, from line to line by the other one, from channel tile to channel tile by T elements and
// from block to block by the block's pitch.
module npu_agu_rows_walker #(
  parameter int Lanes = 16
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,   // a command begins; what follows belongs to it and stays until its last row is gone
  input  logic [31:0] base_i,
  input  logic [31:0] row_pitch_i,
  input  logic [31:0] pixel_pitch_i,
  input  logic [31:0] block_pitch_i,
  input  logic [1:0]  element_log2_i,
  input  logic [1:0]  split_i,
  input  logic        is_depthwise_i,
  input  logic        slide_rows_i,
  input  logic [15:0] rows_i,
  input  logic [15:0] columns_i,
  input  logic [15:0] channels_i,
  output logic        valid_o,
  input  logic        ready_i,
  output logic [2:0]  pixels_o,
  output logic [4*npu_agu_pkg::AddressBits-1:0] address_o,
  output logic [$clog2(8*Lanes+1)-1:0]          bytes_o,
  output logic        last_o
);
  localparam int CountBits = $clog2(Lanes+1);
  localparam int LaneBits = $clog2(Lanes);
  localparam int BytesBits = $clog2(8*Lanes+1);
  localparam int NumPixels = npu_spec_pkg::MaxRowPixels;

  logic        is_running_q, is_backward_q;
  logic [15:0] channels_left_q, along_left_q, lines_left_q;
  logic [15:0] column_q;               // of the row's first pixel
  logic [LaneBits-1:0] in_block_q;     // channel of the block that the channel tile begins with
  logic [31:0] block_q, tile_q;        // addresses: of the block and the channel tile of the map's first pixel
  logic [31:0] line_q, at_q;           // of the line's first row, of the row

  logic [15:0] groups, line_rows, num_lines, pixels_a_row, left;
  logic [5:0]  tile_channels;
  logic [CountBits-1:0] lanes;
  logic [31:0] group_pitch, along_pitch, line_pitch;
  logic        is_last_along, is_last_line, is_last_tile;

  assign pixels_a_row = 16'd1 << split_i;
  assign groups = (columns_i + pixels_a_row - 16'd1) >> split_i;
  assign line_rows = slide_rows_i ? rows_i : groups;
  assign num_lines = slide_rows_i ? groups : rows_i;
  assign tile_channels = 6'(Lanes) >> split_i;
  assign lanes = channels_left_q > {10'd0, tile_channels} ? tile_channels[CountBits-1:0] : channels_left_q[CountBits-1:0];
  assign group_pitch = pixel_pitch_i << split_i;
  assign along_pitch = slide_rows_i ? row_pitch_i : group_pitch;
  assign line_pitch = slide_rows_i ? group_pitch : row_pitch_i;
  assign is_last_along = along_left_q == 16'd1;
  assign is_last_line = lines_left_q == 16'd1;
  assign is_last_tile = channels_left_q <= {10'd0, tile_channels};

  assign valid_o = is_running_q;
  assign left = columns_i - column_q;
  assign pixels_o = left < pixels_a_row ? left[2:0] : pixels_a_row[2:0];
  assign bytes_o = BytesBits'(lanes) << element_log2_i;
  assign last_o = is_last_along && is_last_line && is_last_tile;

  genvar p;
  generate
    for (p = 0; p < NumPixels; p = p + 1) begin : gen_pixel
      assign address_o[32*p +: 32] = at_q + (p[0] ? pixel_pitch_i : 32'd0) + (p[1] ? pixel_pitch_i << 1 : 32'd0);
    end
  endgenerate

  // The next channel tile.
  logic [LaneBits:0] in_block;
  logic        is_next_block;
  logic [31:0] next_block, next_tile;

  assign in_block = {1'b0, in_block_q} + (LaneBits+1)'(tile_channels);
  assign is_next_block = in_block[LaneBits];
  assign next_block = block_q + (is_next_block ? block_pitch_i : 32'd0);
  assign next_tile = is_next_block ? next_block : tile_q + (32'(tile_channels) << element_log2_i);

  // The next row of the same channel tile.
  logic [31:0] next_line, next_at;
  logic [15:0] next_column;

  assign next_line = line_q + line_pitch;
  assign next_at = !is_last_along ? (is_backward_q ? at_q - along_pitch : at_q + along_pitch)
                 : is_depthwise_i ? at_q + line_pitch : next_line;
  always_comb begin
    next_column = column_q;
    if (!is_last_along) begin
      if (!slide_rows_i) next_column = is_backward_q ? column_q - pixels_a_row : column_q + pixels_a_row;
    end else if (slide_rows_i) begin
      next_column = column_q + pixels_a_row;
    end else if (!is_depthwise_i) begin
      next_column = 16'd0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) is_running_q <= 1'b0;
    else if (start_i) is_running_q <= 1'b1;
    else if (valid_o && ready_i && last_o) is_running_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      channels_left_q <= channels_i;
      in_block_q <= '0;
      block_q <= base_i;
      tile_q <= base_i;
      line_q <= base_i;
      at_q <= base_i;
      column_q <= 16'd0;
      is_backward_q <= 1'b0;
      along_left_q <= line_rows;
      lines_left_q <= num_lines;
    end else if (valid_o && ready_i) begin
      along_left_q <= is_last_along ? line_rows : along_left_q - 16'd1;
      at_q <= next_at;
      column_q <= next_column;
      if (is_last_along) begin
        lines_left_q <= lines_left_q - 16'd1;
        line_q <= next_line;
        is_backward_q <= is_depthwise_i && !is_backward_q;
        if (is_last_line) begin
          lines_left_q <= num_lines;
          is_backward_q <= 1'b0;
          channels_left_q <= channels_left_q - {10'd0, tile_channels};
          in_block_q <= in_block[LaneBits-1:0];
          block_q <= next_block;
          tile_q <= next_tile;
          line_q <= next_tile;
          at_q <= next_tile;
          column_q <= 16'd0;
        end
      end
    end
  end
endmodule
