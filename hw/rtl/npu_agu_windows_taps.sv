// SPDX-License-Identifier: Apache-2.0
// From the first tap of a row's step to each tap: where it lies, in memory and in the map, and in which kernel row. One stage, a
// row a cycle.
//
//   row --> [taps: kernel row, address, map row and column]
//
// The taps of a step are numbered in the order of the reduction, so that they ascend by row and column.
module npu_agu_windows_taps #(
  parameter int Lanes = 16,
  localparam int TapBits = $clog2(Lanes),
  localparam int CountBits = $clog2(Lanes+1),
  localparam int BytesBits = $clog2(2*Lanes+1),
  localparam int WrapBits = CountBits + 1
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        go_i,       // rows move on
  // The command and its preparation.
  input  logic [13:0] kernel_columns_i, dilation_rows_i, dilation_columns_i,
  input  logic [31:0] tap_step_i, wrap_step_i, wrap_columns_i,
  // The row, as npu_agu_windows_walk has it.
  input  logic        valid_i,
  input  logic [31:0] address_i, row_i, column_i,
  input  logic [13:0] tap_column_i,
  input  logic [CountBits-1:0] taps_i,
  input  logic [BytesBits-1:0] bytes_i,
  input  logic [3:0]  pixels_i,
  input  logic        all_enter_i, moves_rows_i, moves_back_i, is_back_i, last_i,
  output logic        valid_o,
  output logic [CountBits-1:0] taps_o,
  // Each tap, for pixel 0: where it lies; of its kernel row in the step the first tap and the one behind the last.
  output logic [32*Lanes-1:0]  address_o, map_row_o, map_column_o,
  output logic [TapBits*Lanes-1:0]   begin_o,
  output logic [CountBits*Lanes-1:0] end_o,
  // Taps of a kernel row before a tap, at most N, and the first one of the next kernel row, which the step may not have.
  output logic [CountBits*Lanes-1:0] left_o,
  output logic [WrapBits*Lanes-1:0]  wrap_o,
  output logic [BytesBits-1:0] bytes_o,
  output logic [3:0]  pixels_o,
  output logic        all_enter_o, moves_rows_o, moves_back_o, is_back_o, last_o
);
  // Bounds of kernel rows in the step.
  logic [CountBits-1:0] first_wrap, wrap_taps;
  logic [2*CountBits:0] bound;
  logic [TapBits*Lanes-1:0]   kernel_row, begin_d;
  logic [CountBits*Lanes-1:0] left_d, end_d;
  logic [WrapBits*Lanes-1:0]  wrap_d;
  logic [32*Lanes-1:0]        address_d, map_row_d, map_column_d;

  // Not more than N: so far the step reaches.
  assign wrap_taps = kernel_columns_i > 14'(Lanes) ? CountBits'(Lanes) : kernel_columns_i[CountBits-1:0];
  assign first_wrap = kernel_columns_i - tap_column_i > 14'(Lanes) ? CountBits'(Lanes) : CountBits'(kernel_columns_i - tap_column_i);

  always_comb begin
    kernel_row = '0;
    begin_d = '0;
    wrap_d = '1;
    bound = '0;
    for (int m = 0; m < Lanes; m = m + 1) begin
      bound = (2*CountBits+1)'(first_wrap) + (2*CountBits+1)'(m) * (2*CountBits+1)'(wrap_taps);
      for (int t = 0; t < Lanes; t = t + 1) begin
        if (bound <= (2*CountBits+1)'(t)) begin
          kernel_row[TapBits*t +: TapBits] = TapBits'(m + 1);
          begin_d[TapBits*t +: TapBits] = bound[TapBits-1:0];
        end else if (bound < (2*CountBits+1)'(wrap_d[WrapBits*t +: WrapBits])) begin
          wrap_d[WrapBits*t +: WrapBits] = bound[WrapBits-1:0];
        end
      end
    end
  end

  genvar t;
  generate
    for (t = 0; t < Lanes; t = t + 1) begin : gen_tap
      logic [31:0] wraps;
      logic [14:0] column;       // of the kernel, if it is of the first kernel row
      assign column = 15'(tap_column_i) + 15'(t);
      assign left_d[CountBits*t +: CountBits] = kernel_row[TapBits*t +: TapBits] != '0
          ? CountBits'(t) - CountBits'(begin_d[TapBits*t +: TapBits])
          : column > 15'(Lanes) ? CountBits'(Lanes) : column[CountBits-1:0];
      assign end_d[CountBits*t +: CountBits] = wrap_d[WrapBits*t +: WrapBits] < WrapBits'(taps_i)
          ? wrap_d[WrapBits*t +: CountBits] : taps_i;
      assign wraps = 32'(kernel_row[TapBits*t +: TapBits]);
      assign address_d[32*t +: 32] = address_i + 32'(t) * tap_step_i + wraps * wrap_step_i;
      assign map_row_d[32*t +: 32] = row_i + wraps * 32'(dilation_rows_i);
      assign map_column_d[32*t +: 32] = column_i + 32'(t) * 32'(dilation_columns_i) - wraps * wrap_columns_i;
    end
  endgenerate

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_o <= 1'b0;
    else if (go_i) valid_o <= valid_i;
  end

  always_ff @(posedge clk_i) begin
    if (go_i && valid_i) begin
      taps_o <= taps_i;
      address_o <= address_d;
      map_row_o <= map_row_d;
      map_column_o <= map_column_d;
      begin_o <= begin_d;
      end_o <= end_d;
      left_o <= left_d;
      wrap_o <= wrap_d;
      bytes_o <= bytes_i;
      pixels_o <= pixels_i;
      all_enter_o <= all_enter_i;
      moves_rows_o <= moves_rows_i;
      moves_back_o <= moves_back_i;
      is_back_o <= is_back_i;
      last_o <= last_i;
    end
  end
endmodule
