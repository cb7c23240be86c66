// SPDX-License-Identifier: Apache-2.0
// Which elements of a row's operand lie outside of the map. Three stages, at the same time as those of npu_agu_segments_takes.
//
//   tap, row --> [place in the map] --> [outside; bytes of the line inside] --> mask of elements
//
// All bytes of a run in one tap lie inside of the map, or all outside. Of joined taps the bytes of a line from 0 to its end are inside.
module npu_agu_segments_mask #(
  parameter int Lanes = 16,
  localparam int RingBits = $clog2(2*Lanes),
  localparam int CountBits = $clog2(Lanes+1)
) (
  input  logic        clk_i,
  input  logic [2:0]  enable_i,                  // of the stages
  input  logic        is_16_i, is_joined_i, is_along_rows_i,
  input  logic [15:0] in_rows_i, in_columns_i,
  input  logic [13:0] stride_columns_i,
  input  logic [31:0] pixel_step_i,              // bytes from a pixel to the next one
  input  logic [31:0] inner_bytes_i,             // of the map along the inner taps
  // The row.
  input  logic [31:0] row_i, column_i, row_bytes_i, column_bytes_i,
  input  logic [15:0] columns_left_i,
  // Runs, by segment.
  input  logic [63:0] inner_i, outer_i, taken_i,
  input  logic [2*RingBits-1:0]  run_to_i,
  // Of the second stage, as npu_agu_segments_takes has it.
  input  logic [8*RingBits-1:0]  to_i,
  input  logic [8*CountBits-1:0] length_i,
  output logic [4*Lanes-1:0] act_mask_o
);
  localparam int TimesBits = RingBits + 1;       // bytes of the step, and one of the step after it

  // A byte of the line as a byte of the step: 0 where it is before, 2 N or more where it is after.
  function automatic logic [TimesBits-1:0] in_step(input logic [31:0] line_byte, input logic [RingBits-1:0] to);
    if (line_byte[31]) in_step = '0;
    else if (line_byte[30:RingBits] != '0) in_step = TimesBits'(2*Lanes);
    else in_step = {1'b0, line_byte[RingBits-1:0]} + {1'b0, to};
  endfunction

  genvar s, p, e;
  generate
    for (p = 0; p < 4; p = p + 1) begin : gen_pixel
      logic [1:0] outside, outside2_q;
      logic [4*Lanes-1:0] bytes;                 // of the step, by segment
      logic [31:0] column, inner_bytes;          // of the pixel, in the map
      logic        is_filled_up;
      logic [2*Lanes-1:0] masked;

      assign column = column_i + 32'(p) * 32'(stride_columns_i);
      assign inner_bytes = is_along_rows_i ? row_bytes_i : column_bytes_i + 32'(p) * pixel_step_i;
      assign is_filled_up = columns_left_i <= 16'(p);

      for (s = 0; s < 2; s = s + 1) begin : gen_segment
        localparam int At = 2*p + s;
        logic [31:0] inner_q, outer_q, inner_bytes_q;
        logic [RingBits-1:0] run_to_q, to2_q;
        logic [TimesBits-1:0] low2_q, high2_q, stop2_q;
        logic        is_filled_up_q;
        logic [31:0] low, high;

        always_ff @(posedge clk_i) begin
          if (enable_i[0]) begin
            inner_q <= (is_along_rows_i ? row_i : column) + inner_i[32*s +: 32];
            outer_q <= is_along_rows_i ? column : row_i + outer_i[32*s +: 32];
            inner_bytes_q <= inner_bytes + taken_i[32*s +: 32];
            run_to_q <= run_to_i[RingBits*s +: RingBits];
            is_filled_up_q <= is_filled_up;
          end
        end
        assign outside[s] = is_filled_up_q || outer_q[31] || outer_q >= {16'd0, is_along_rows_i ? in_columns_i : in_rows_i} ||
                            (!is_joined_i && (inner_q[31] || inner_q >= {16'd0, is_along_rows_i ? in_rows_i : in_columns_i}));
        assign low = -inner_bytes_q;
        assign high = inner_bytes_i - inner_bytes_q;
        always_ff @(posedge clk_i) begin
          if (enable_i[1]) begin
            low2_q <= is_joined_i ? in_step(low, run_to_q) : '0;
            high2_q <= is_joined_i ? in_step(high, run_to_q) : TimesBits'(2*Lanes);
            to2_q <= to_i[RingBits*At +: RingBits];
            stop2_q <= TimesBits'(to_i[RingBits*At +: RingBits]) + TimesBits'(length_i[CountBits*At +: CountBits]);
          end
        end
        for (e = 0; e < 2*Lanes; e = e + 1) begin : gen_byte
          assign bytes[2*Lanes*s+e] = TimesBits'(to2_q) < TimesBits'(e+1) && TimesBits'(e) < stop2_q &&
                                      (outside2_q[s] || TimesBits'(e) < low2_q || high2_q < TimesBits'(e+1));
        end
      end

      always_ff @(posedge clk_i) if (enable_i[1]) outside2_q <= outside;
      assign masked = bytes[0 +: 2*Lanes] | bytes[2*Lanes +: 2*Lanes];
      for (e = 0; e < Lanes; e = e + 1) begin : gen_element
        always_ff @(posedge clk_i) if (enable_i[2]) act_mask_o[Lanes*p+e] <= is_16_i ? masked[2*e] || masked[2*e+1] : masked[e];
      end
    end
  endgenerate
endmodule
