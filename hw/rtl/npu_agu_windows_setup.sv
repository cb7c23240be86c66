// SPDX-License-Identifier: Apache-2.0
// Preparation of a depthwise command: the products that steps, strides and the begin of the reduction need, one a cycle from
// one multiplier, and how many taps a stride is, along the columns for 1 to 7 pixels, along the rows for one.
//
// A reduction that begins at tap 0 takes 8 cycles; another one 45, since its first tap's row and column are a quotient and a
// remainder of 32 cycles.
module npu_agu_windows_setup #(
  parameter int Lanes = 16,
  parameter int TapBits = $clog2(Lanes)
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,    // the fields stand from the next cycle on
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
  localparam int LastProduct = 7, LastOfBegin = 11;

  logic        is_busy_q, is_dividing_q;
  logic [3:0]  step_q;
  logic [4:0]  bit_q;
  logic [16:0] strides_q;      // of d pixels
  logic [31:0] quotient_q;     // the dividend's bits leave on top
  logic [13:0] remainder_q;
  logic [14:0] remainder, remainder_less;
  logic signed [17:0] factor;
  logic [31:0] row_step_q;     // bytes from a kernel row to the next one
  logic [31:0] other, product;
  logic        is_begin, is_equal;
  logic [TapBits-1:0] taps, row_taps;
  logic        row_is_equal;
  logic [TapBits+13:0] taps_of_rows;

  assign is_begin = reduction_begin_i == 32'd0;
  assign done_o = is_busy_q && !is_dividing_q && step_q == (is_begin ? 4'(LastProduct) : 4'(LastOfBegin));

  always_comb begin
    factor = {4'd0, dilation_rows_i};
    other = row_pitch_i;
    case (step_q)
      4'd0: ;
      4'd1: begin factor = {4'd0, dilation_columns_i}; other = pixel_pitch_i; end
      4'd2: factor = {4'd0, stride_rows_i};
      4'd3: begin factor = {4'd0, stride_columns_i}; other = pixel_pitch_i; end
      4'd4: factor = origin_row_i;
      4'd5: begin factor = origin_column_i; other = pixel_pitch_i; end
      4'd6: begin factor = {4'd0, kernel_columns_i}; other = tap_step_o; end
      4'd7: begin factor = {4'd0, kernel_columns_i}; other = {18'd0, dilation_columns_i}; end
      4'd8: begin factor = {4'd0, quotient_q[13:0]}; other = row_step_q; end
      4'd9: begin factor = {4'd0, remainder_q}; other = tap_step_o; end
      4'd10: begin factor = {4'd0, quotient_q[13:0]}; other = {18'd0, dilation_rows_i}; end
      default: begin factor = {4'd0, remainder_q}; other = {18'd0, dilation_columns_i}; end
    endcase
  end
  assign product = {{14{factor[17]}}, factor} * other;

  // A stride is a number of taps less than N, or none.
  always_comb begin
    is_equal = 1'b0;
    taps = '0;
    row_is_equal = 1'b0;
    row_taps = '0;
    for (int t = 1; t < Lanes; t = t + 1) begin
      if (32'(t) * 32'(dilation_columns_i) == 32'(strides_q)) begin
        is_equal = 1'b1;
        taps = TapBits'(t);
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
      is_dividing_q <= 1'b0;
      step_q <= 4'd0;
      bit_q <= 5'd0;
    end else if (start_i) begin
      is_busy_q <= 1'b1;
      step_q <= 4'd0;
      bit_q <= 5'd0;
    end else if (is_busy_q) begin
      if (is_dividing_q) begin
        bit_q <= bit_q + 5'd1;
        if (bit_q == 5'd31) is_dividing_q <= 1'b0;
      end else begin
        step_q <= step_q + 4'd1;
        if (done_o) is_busy_q <= 1'b0;
        else if (step_q == 4'(LastProduct)) is_dividing_q <= 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (is_busy_q && is_dividing_q) begin
      remainder_q <= remainder_less[14] ? remainder[13:0] : remainder_less[13:0];
      quotient_q <= {quotient_q[30:0], !remainder_less[14]};
    end
    if (is_busy_q && !is_dividing_q) begin
      case (step_q)
        4'd0: begin
          row_step_q <= product;
          strides_q <= {3'd0, stride_columns_i};
          columns_valid_o <= 8'd0;
          columns_taps_o <= '0;
          rows_valid_o <= row_is_equal && taps_of_rows < (TapBits+14)'(Lanes);
          rows_taps_o <= taps_of_rows[TapBits-1:0];
          begin_tap_column_o <= 14'd0;
          begin_address_o <= 32'd0;
          begin_row_o <= 32'd0;
          begin_column_o <= 32'd0;
        end
        4'd1: tap_step_o <= product;
        4'd2: stride_row_step_o <= product;
        4'd3: stride_column_step_o <= product;
        4'd4: first_address_o <= base_i + product;
        4'd5: first_address_o <= first_address_o + product;
        4'd6: wrap_step_o <= row_step_q - product;
        4'd7: begin
          wrap_columns_o <= product;
          remainder_q <= 14'd0;
          quotient_q <= reduction_begin_i;
        end
        4'd8: begin
          begin_tap_column_o <= remainder_q;
          begin_address_o <= product;
        end
        4'd9: begin_address_o <= begin_address_o + product;
        4'd10: begin_row_o <= product;
        default: begin_column_o <= product;
      endcase
      if (step_q >= 4'd1 && step_q <= 4'd7) begin
        strides_q <= strides_q + {3'd0, stride_columns_i};
        columns_valid_o[step_q[2:0]] <= is_equal;
        columns_taps_o[TapBits*32'(step_q[2:0]) +: TapBits] <= taps;
      end
    end
  end
endmodule
