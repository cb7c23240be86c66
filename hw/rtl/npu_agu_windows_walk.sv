// SPDX-License-Identifier: Apache-2.0
// The rows of a depthwise command in the order of hw/sequence/mac_order: for channel tile, for row tile, for step of N taps,
// for row, lines to and fro. A row a cycle; all of its registers are sums and counters, with a copy of the place where the row
// tile began, to which each step returns. A second stage has their sums.
module npu_agu_windows_walk #(
  parameter int Lanes = 16,
  localparam int CountBits = $clog2(Lanes+1),
  localparam int BytesBits = $clog2(2*Lanes+1)
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,     // what the command says and its preparation stands from now on
  input  logic        ready_i,     // the row is taken at this edge
  output logic        valid_o,
  // The command.
  input  logic [1:0]  split_i,
  input  logic        slide_rows_i,
  input  logic        is_16_i,
  input  logic [6:0]  row_tile_rows_i,
  input  logic [31:0] block_pitch_i,
  input  logic [13:0] kernel_columns_i, stride_rows_i, stride_columns_i, dilation_rows_i, dilation_columns_i,
  input  logic signed [17:0] origin_row_i, origin_column_i,
  input  logic [15:0] out_rows_i, out_columns_i, out_channels_i,
  input  logic [31:0] taps_i,      // of the reduction
  // Its preparation.
  input  logic [31:0] tap_step_i, stride_row_step_i, stride_column_step_i, wrap_step_i, wrap_columns_i, first_address_i,
  input  logic [13:0] begin_tap_column_i,
  input  logic [31:0] begin_address_i, begin_row_i, begin_column_i,
  // The row: its step's first tap for its first pixel, and that tap's column of the kernel.
  output logic [31:0] address_o, row_o, column_o,
  output logic [13:0] tap_column_o,
  output logic [CountBits-1:0] taps_o,   // of the step
  output logic [BytesBits-1:0] bytes_o,  // of a position
  output logic [3:0]  pixels_o,          // those that are in the output map
  output logic        all_enter_o, moves_rows_o, moves_back_o,  // what the row before left of the window
  output logic        is_back_o,         // a line of an odd number
  output logic        last_o             // row of the command
);
  localparam int WrapBits = CountBits;

  logic        valid_q;
  // Of a row, and of the first one of the row tile.
  logic [15:0] along_q, line_q, first_column_q, start_along_q, start_line_q, start_first_column_q;
  logic [31:0] address_q, row_q, column_q, start_address_q, start_row_q, start_column_q;
  logic [15:0] along_d, line_d, first_column_d;
  logic [31:0] address_d, row_d, column_d;
  logic [6:0]  row_of_tile_q;
  logic        is_first_tile_q;
  // Of the step.
  logic [13:0] tap_column_q;
  logic [31:0] taps_left_q, tap_address_q, tap_row_q, tap_map_column_q;
  // Of the channel tile.
  logic [15:0] channels_left_q;
  logic [31:0] channel_address_q;
  logic [CountBits-1:0] channel_of_block_q;

  logic [2:0]  pixels;
  logic [15:0] groups, last_along, last_line;
  logic [31:0] along_columns, along_address;
  logic [CountBits-1:0] tile_channels, channels;
  logic        is_end_of_line, is_end_of_rows, is_end_of_tile, is_last_step, is_last_channels, is_one_step, has_dilation;
  logic [WrapBits-1:0] whole_rows, wraps;
  logic [14:0] rest, tap_column;
  logic        has_carry, is_last_row;
  logic [3:0]  is_in_map;

  assign pixels = 3'd1 << split_i;
  assign groups = split_i == 2'd0 ? out_columns_i : split_i == 2'd1 ? {1'b0, out_columns_i[15:1]} + {15'd0, out_columns_i[0]}
                                  : {2'd0, out_columns_i[15:2]} + {15'd0, |out_columns_i[1:0]};
  assign last_along = (slide_rows_i ? out_rows_i : groups) - 16'd1;
  assign last_line = (slide_rows_i ? groups : out_rows_i) - 16'd1;
  assign along_columns = 32'(stride_columns_i) << split_i;
  assign along_address = stride_column_step_i << split_i;
  assign tile_channels = CountBits'(Lanes) >> split_i;

  assign is_end_of_line = along_q == last_along;
  assign is_end_of_rows = is_end_of_line && line_q == last_line;
  assign is_end_of_tile = row_of_tile_q == row_tile_rows_i - 7'd1 || is_end_of_rows;
  assign is_last_step = taps_left_q <= 32'(Lanes);
  assign is_last_row = is_end_of_rows && is_last_step && is_last_channels;
  assign is_one_step = taps_i <= 32'(Lanes);
  assign is_last_channels = channels_left_q <= 16'(tile_channels);
  assign channels = is_last_channels ? channels_left_q[CountBits-1:0] : tile_channels;
  assign has_dilation = (slide_rows_i ? dilation_rows_i : dilation_columns_i) != 14'd1;

  // The row after this one, of the same step.
  always_comb begin
    along_d = along_q + 16'd1;
    line_d = line_q;
    first_column_d = first_column_q;
    row_d = row_q;
    column_d = column_q;
    address_d = address_q;
    if (is_end_of_line) begin
      along_d = 16'd0;
      line_d = line_q + 16'd1;
    end
    if (is_end_of_line != slide_rows_i) begin
      if (!is_end_of_line && line_q[0]) begin
        row_d = row_q - 32'(stride_rows_i);
        address_d = address_q - stride_row_step_i;
      end else begin
        row_d = row_q + 32'(stride_rows_i);
        address_d = address_q + stride_row_step_i;
      end
    end else if (!is_end_of_line && line_q[0]) begin
      first_column_d = first_column_q - 16'(pixels);
      column_d = column_q - along_columns;
      address_d = address_q - along_address;
    end else begin
      first_column_d = first_column_q + 16'(pixels);
      column_d = column_q + along_columns;
      address_d = address_q + along_address;
    end
  end

  // N taps on: so many kernel rows, and one more where the rest goes over a row's end.
  always_comb begin
    whole_rows = '0;
    rest = 15'(Lanes);
    for (int m = 1; m <= Lanes; m = m + 1) begin
      if (32'(m) * 32'(kernel_columns_i) <= 32'(Lanes)) begin
        whole_rows = WrapBits'(m);
        rest = 15'(Lanes) - 15'(m) * {1'b0, kernel_columns_i};
      end
    end
  end
  assign tap_column = {1'b0, tap_column_q} + rest;
  assign has_carry = tap_column >= {1'b0, kernel_columns_i};
  assign wraps = whole_rows + WrapBits'(has_carry);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else if (start_i) valid_q <= 1'b1;
    else if (valid_q && ready_i && is_last_row) valid_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (valid_q && ready_i) begin
      row_of_tile_q <= row_of_tile_q + 7'd1;
      along_q <= along_d;
      line_q <= line_d;
      first_column_q <= first_column_d;
      row_q <= row_d;
      column_q <= column_d;
      address_q <= address_d;
      if (is_end_of_tile) begin
        row_of_tile_q <= 7'd0;
        if (is_last_step) begin
          is_first_tile_q <= is_end_of_rows;
          start_along_q <= along_d;
          start_line_q <= line_d;
          start_first_column_q <= first_column_d;
          start_row_q <= row_d;
          start_column_q <= column_d;
          start_address_q <= address_d;
        end else begin
          along_q <= start_along_q;
          line_q <= start_line_q;
          first_column_q <= start_first_column_q;
          row_q <= start_row_q;
          column_q <= start_column_q;
          address_q <= start_address_q;
          taps_left_q <= taps_left_q - 32'(Lanes);
          tap_column_q <= has_carry ? 14'(tap_column - {1'b0, kernel_columns_i}) : tap_column[13:0];
          tap_address_q <= tap_address_q + (tap_step_i << $clog2(Lanes)) + 32'(wraps) * wrap_step_i;
          tap_row_q <= tap_row_q + 32'(wraps) * 32'(dilation_rows_i);
          tap_map_column_q <= tap_map_column_q + (32'(dilation_columns_i) << $clog2(Lanes)) - 32'(wraps) * wrap_columns_i;
        end
        if (is_last_step && is_end_of_rows) begin
          channels_left_q <= channels_left_q - 16'(tile_channels);
          channel_of_block_q <= channel_of_block_q + tile_channels;
          channel_address_q <= channel_address_q + (32'(tile_channels) << is_16_i);
          if (channel_of_block_q + tile_channels == CountBits'(Lanes)) begin
            channel_of_block_q <= '0;
            channel_address_q <= channel_address_q + block_pitch_i - ((32'(Lanes) - 32'(tile_channels)) << is_16_i);
          end
        end
      end
    end
    if (start_i) begin
      channels_left_q <= out_channels_i;
      channel_address_q <= 32'd0;
      channel_of_block_q <= '0;
    end
    if (start_i || (valid_q && ready_i && is_end_of_tile && is_last_step)) begin
      taps_left_q <= taps_i;
      tap_column_q <= begin_tap_column_i;
      tap_address_q <= begin_address_i;
      tap_row_q <= begin_row_i;
      tap_map_column_q <= begin_column_i;
    end
    if (start_i || (valid_q && ready_i && is_end_of_rows && is_last_step)) begin
      is_first_tile_q <= 1'b1;
      row_of_tile_q <= 7'd0;
      along_q <= 16'd0;
      line_q <= 16'd0;
      first_column_q <= 16'd0;
      row_q <= 32'(origin_row_i);
      column_q <= 32'(origin_column_i);
      address_q <= first_address_i;
      start_along_q <= 16'd0;
      start_line_q <= 16'd0;
      start_first_column_q <= 16'd0;
      start_row_q <= 32'(origin_row_i);
      start_column_q <= 32'(origin_column_i);
      start_address_q <= first_address_i;
    end
  end

  // The row.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_o <= 1'b0;
    else if (ready_i) valid_o <= valid_q;
  end

  always_ff @(posedge clk_i) begin
    if (ready_i && valid_q) begin
      address_o <= address_q + tap_address_q + channel_address_q;
      row_o <= row_q + tap_row_q;
      column_o <= column_q + tap_map_column_q;
      tap_column_o <= tap_column_q;
      taps_o <= is_last_step ? taps_left_q[CountBits-1:0] : CountBits'(Lanes);
      bytes_o <= BytesBits'(channels) << is_16_i;
      pixels_o <= is_in_map;
      is_back_o <= line_q[0];
      last_o <= is_last_row;
      // A window begins, or its rows bring all; else the row before was one along the line, or the last one of the line before.
      all_enter_o <= has_dilation || (row_of_tile_q == 7'd0 && (is_first_tile_q || !is_one_step));
      moves_rows_o <= (along_q == 16'd0) != slide_rows_i;
      moves_back_o <= along_q != 16'd0 && line_q[0];
    end
  end

  genvar p;
  generate
    for (p = 0; p < 4; p = p + 1) begin : gen_pixel
      assign is_in_map[p] = 3'(p) < pixels && 17'(first_column_q) + 17'(p) < 17'(out_columns_i);
    end
  endgenerate
endmodule
