// SPDX-License-Identifier: Apache-2.0
// The rows of a convolution: where in the map, and in memory, tap (0, 0) of a row's first pixel lies.
//
//   first row --> [row] --> the next one, or that with which the row tile begins (back), or the first (channel tile)
//
// Registers: the row, and the one with which the row tile begins. Columns and rows of the map may lie outside of it.
module npu_agu_segments_row (
  input  logic        clk_i,
  input  logic        load_i,            // takes the first row
  input  logic        move_i,
  input  logic [1:0]  kind_i,            // as npu_agu_segments_runs says it: next, back, next row tile, first
  input  logic [1:0]  split_i,
  input  logic [15:0] out_columns_i,
  input  logic [13:0] stride_rows_i, stride_columns_i,
  input  logic [17:0] origin_row_i, origin_column_i,
  input  logic [31:0] row_start_i, column_start_i,   // bytes of the origin's row and column
  input  logic [31:0] line_step_i, pixel_step_i,     // bytes of a stride down, and right
  output logic [31:0] row_o, column_o, row_bytes_o, column_bytes_o,
  output logic [15:0] columns_left_o                 // output columns from the first pixel on
);
  typedef struct packed {
    logic [15:0] left;                      // output columns from the first pixel on
    logic [31:0] row_bytes, column_bytes;
    logic [31:0] row, column;
  } row_t;
  localparam logic [1:0] MoveBack = 2'd1, MoveTile = 2'd2, MoveFirst = 2'd3;

  row_t        row_q, tile_q, first, next;
  logic [15:0] pixels;

  assign pixels = 16'd1 << split_i;
  assign first = {out_columns_i, row_start_i, column_start_i, {14{origin_row_i[17]}}, origin_row_i, {14{origin_column_i[17]}}, origin_column_i};

  always_comb begin
    next = row_q;
    if (row_q.left > pixels) begin
      next.left = row_q.left - pixels;
      next.column = row_q.column + (32'(stride_columns_i) << split_i);
      next.column_bytes = row_q.column_bytes + (pixel_step_i << split_i);
    end else begin
      next.left = out_columns_i;
      next.column = first.column;
      next.column_bytes = column_start_i;
      next.row = row_q.row + 32'(stride_rows_i);
      next.row_bytes = row_q.row_bytes + line_step_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      row_q <= first;
      tile_q <= first;
    end else if (move_i) begin
      row_q <= kind_i == MoveBack ? tile_q : kind_i == MoveFirst ? first : next;
      if (kind_i == MoveTile) tile_q <= next;
      if (kind_i == MoveFirst) tile_q <= first;
    end
  end

  assign column_o = row_q.column;
  assign row_o = row_q.row;
  assign column_bytes_o = row_q.column_bytes;
  assign row_bytes_o = row_q.row_bytes;
  assign columns_left_o = row_q.left;
endmodule
