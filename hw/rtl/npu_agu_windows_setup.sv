// SPDX-License-Identifier: Apache-2.0
// Preparation of a depthwise command: the products that steps, strides and the begin of the reduction need, up to three a cycle,
// and how many taps a stride is, along the columns for 1 to 7 pixels, two a cycle, along the rows for one.
//
//   cycle   product 0                     product 1                    product 2
//   0       dilation x row pitch          dilation x pixel pitch       origin x row pitch
//   1       kernel columns x tap step     origin x pixel pitch         stride x row pitch
//   2       kernel columns x dilation     stride x pixel pitch
//   33      quotient x kernel row step                                 quotient x dilation
//   34                                    remainder x tap step         remainder x dilation
//
// A reduction that begins at tap 0 takes 3 cycles; another one 36, since its first tap's row and column are a quotient and a
// remainder of 32 cycles. Strides of 7 pixels are known a cycle later than the rest, and are needed then.
module npu_agu_windows_setup #(
  parameter int Lanes = 16,
  localparam int TapBits = $clog2(Lanes)
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,    // the fields stand from this cycle on: it is cycle 0
  output logic        done_o,     // the last of these cycles
  input  logic [31:0] base_i, row_pitch_i, pixel_pitch_i,
  input  logic [13:0] kernel_columns_i, stride_rows_i, stride_columns_i, dilation_rows_i, dilation_columns_i,
  input  logic signed [17:0] origin_row_i, origin_column_i,
  input  logic [31:0] reduction_begin_i,
  // Bytes from a tap to the next one; from an output pixel to the one below it, and right of it.
  output logic [31:0] tap_step_o, stride_row_step_o, stride_column_step_o,
  output logic [31:0] wrap_step_o,     // what the first tap of a kernel row has more than the tap behind the row before
  output logic [31:0] wrap_columns_o,  // columns of the map that it has less
  output logic [31:0] first_address_o, // of tap (0, 0) of output pixel (0, 0)
  // The first tap: its column of the kernel, and what it has more than tap (0, 0).
  output logic [13:0] begin_tap_column_o,
  output logic [31:0] begin_address_o, begin_row_o, begin_column_o,
  // Strides in taps: bit and field d of d pixels to the right; rows: of one pixel down.
  output logic [7:0]  columns_valid_o,
  output logic [8*TapBits-1:0] columns_taps_o,
  output logic        rows_valid_o,
  output logic [TapBits-1:0] rows_taps_o
);
  localparam int LastStride = 3, LastProduct = 2, LastOfBegin = 35;
  localparam logic [5:0] FirstOfBegin = 6'd33;

  logic        is_busy_q, is_busy, is_dividing;
  logic [5:0]  cycle_q, cycle, last;
  logic [16:0] strides_q, strides, stride_a, stride_b;   // columns of as many pixels as have been done, of the next two
  logic [31:0] quotient_q;     // the dividend's bits leave on top
  logic [13:0] remainder_q;
  logic [14:0] remainder, remainder_less;
  logic [31:0] row_step_q;     // bytes from a kernel row to the next one
  logic [13:0] factor0;
  logic signed [17:0] factor1, factor2;
  logic [31:0] other0, other1, other2, product0, product1, product2;
  logic        is_begin;
  logic [TapBits-1:0] taps_a, taps_b, row_taps;
  logic        is_a, is_b, row_is_equal;
  logic [TapBits+13:0] taps_of_rows;

  assign is_begin = reduction_begin_i == 32'd0;
  assign is_busy = start_i || is_busy_q;
  assign cycle = start_i ? 6'd0 : cycle_q;
  assign last = is_begin ? 6'(LastStride) : 6'(LastOfBegin);
  assign is_dividing = is_busy_q && !start_i && cycle_q < FirstOfBegin;
  assign done_o = is_busy && cycle == (is_begin ? 6'(LastProduct) : 6'(LastOfBegin));

  always_comb begin
    factor0 = dilation_rows_i;
    other0 = row_pitch_i;
    factor1 = {4'd0, dilation_columns_i};
    other1 = pixel_pitch_i;
    factor2 = origin_row_i;
    other2 = row_pitch_i;
    case (cycle)
      6'd0: ;
      6'd1: begin
        factor0 = kernel_columns_i;
        other0 = tap_step_o;
        factor1 = origin_column_i;
        factor2 = {4'd0, stride_rows_i};
      end
      6'd2: begin
        factor0 = kernel_columns_i;
        other0 = {18'd0, dilation_columns_i};
        factor1 = {4'd0, stride_columns_i};
      end
      FirstOfBegin: begin
        factor0 = quotient_q[13:0];
        other0 = row_step_q;
        factor2 = {4'd0, quotient_q[13:0]};
        other2 = {18'd0, dilation_rows_i};
      end
      default: begin
        factor1 = {4'd0, remainder_q};
        other1 = tap_step_o;
        factor2 = {4'd0, remainder_q};
        other2 = {18'd0, dilation_columns_i};
      end
    endcase
  end
  assign product0 = {18'd0, factor0} * other0;
  assign product1 = {{14{factor1[17]}}, factor1} * other1;
  assign product2 = {{14{factor2[17]}}, factor2} * other2;

  // A stride is a number of taps less than N, or none.
  assign strides = start_i ? 17'd0 : strides_q;
  assign stride_a = strides + {3'd0, stride_columns_i};
  assign stride_b = strides + {2'd0, stride_columns_i, 1'b0};
  always_comb begin
    is_a = 1'b0;
    taps_a = '0;
    is_b = 1'b0;
    taps_b = '0;
    row_is_equal = 1'b0;
    row_taps = '0;
    for (int t = 1; t < Lanes; t = t + 1) begin
      if (32'(t) * 32'(dilation_columns_i) == 32'(stride_a)) begin
        is_a = 1'b1;
        taps_a = TapBits'(t);
      end
      if (32'(t) * 32'(dilation_columns_i) == 32'(stride_b)) begin
        is_b = 1'b1;
        taps_b = TapBits'(t);
      end
      if (32'(t) * 32'(dilation_rows_i) == 32'(stride_rows_i)) begin
        row_is_equal = 1'b1;
        row_taps = TapBits'(t);
      end
    end
  end
  assign taps_of_rows = (TapBits+14)'(row_taps) * (TapBits+14)'(kernel_columns_i);

  assign remainder = {remainder_q, quotient_q[31]};
  assign remainder_less = remainder - {1'b0, kernel_columns_i};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      is_busy_q <= 1'b0;
      cycle_q <= 6'd0;
    end else if (is_busy) begin
      is_busy_q <= cycle != last;
      cycle_q <= cycle + 6'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      remainder_q <= 14'd0;
      quotient_q <= reduction_begin_i;
    end else if (is_dividing) begin
      remainder_q <= remainder_less[14] ? remainder[13:0] : remainder_less[13:0];
      quotient_q <= {quotient_q[30:0], !remainder_less[14]};
    end
    if (is_busy) begin
      case (cycle)
        6'd0: begin
          row_step_q <= product0;
          tap_step_o <= product1;
          first_address_o <= base_i + product2;
          rows_valid_o <= row_is_equal && taps_of_rows < (TapBits+14)'(Lanes);
          rows_taps_o <= taps_of_rows[TapBits-1:0];
          begin_tap_column_o <= 14'd0;
          begin_address_o <= 32'd0;
          begin_row_o <= 32'd0;
          begin_column_o <= 32'd0;
        end
        6'd1: begin
          wrap_step_o <= row_step_q - product0;
          first_address_o <= first_address_o + product1;
          stride_row_step_o <= product2;
        end
        6'd2: begin
          wrap_columns_o <= product0;
          stride_column_step_o <= product1;
        end
        FirstOfBegin: begin
          begin_tap_column_o <= remainder_q;
          begin_address_o <= product0;
          begin_row_o <= product2;
        end
        FirstOfBegin + 6'd1: begin
          begin_address_o <= begin_address_o + product1;
          begin_column_o <= product2;
        end
        default: ;
      endcase
      if (cycle == 6'd0) begin
        columns_valid_o <= 8'd0;
        columns_taps_o <= '0;
      end
      strides_q <= stride_b;
      for (int d = 0; d <= LastStride; d = d + 1) begin
        if (cycle == 6'(d)) begin
          columns_valid_o[2*d+1] <= is_a;
          columns_taps_o[TapBits*(2*d+1) +: TapBits] <= taps_a;
          if (d != LastStride) begin
            columns_valid_o[(2*d+2)&7] <= is_b;
            columns_taps_o[TapBits*((2*d+2)&7) +: TapBits] <= taps_b;
          end
        end
      end
    end
  end
endmodule
