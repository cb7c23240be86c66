// SPDX-License-Identifier: Apache-2.0
// One lane of the rescale unit: (value - zero point) * multiplier >> shift, rounded, + zero point, clamped.
//
//   edge    0             1                2                   3
//   value -[extend, -zp]-[low 16 x 48   ]-[+, + rounding bit]-[>> shift, tie, +zp, clamp]- result
//                        [high 16 x 48  ]
//
// Operands are taken at edge 0 and the result stands behind edge 3: LatencyCycles of npu_rescale_unit. No stage has more than
// half of the product (docs/decisions/0010). What is common to all lanes comes from npu_rescale_unit, one stage at a time.
module npu_rescale_lane (
  input  logic               clk_i,
  input  logic        [3:0]  advance_i,          // bit s: stage s takes its operands at this edge
  // Stage 0.
  input  logic        [47:0] value_i,
  input  logic        [31:0] multiplier_i,
  input  logic        [5:0]  shift_i,
  input  logic        [2:0]  in_type_i,
  input  logic               in_unsigned_i,
  input  logic signed [31:0] in_zero_point_i,
  input  logic               scale32_i,
  // Stage 2.
  input  logic               double_round_i,
  // Stage 3.
  input  logic               half_even_i,
  input  logic signed [31:0] out_zero_point_i,
  input  logic signed [31:0] low_i,
  input  logic signed [31:0] high_i,
  output logic signed [31:0] result_o
);
  // Stage 0: the stored bits as the number that they mean, less the zero point; 32 or 48 bits of it, 32 or 16 of the multiplier.
  logic signed [47:0] extended;
  logic signed [47:0] difference;
  logic signed [47:0] value_d;
  logic signed [47:0] value_q;
  logic        [15:0] multiplier_low_q;
  logic signed [15:0] multiplier_high_d;
  logic signed [15:0] multiplier_high_q;
  logic        [5:0]  shift0_q;

  always_comb begin
    extended = value_i;
    case (in_type_i)
      npu_spec_pkg::TYPE_INT8:  extended = {{40{value_i[7] & ~in_unsigned_i}}, value_i[7:0]};
      npu_spec_pkg::TYPE_INT16: extended = {{32{value_i[15] & ~in_unsigned_i}}, value_i[15:0]};
      npu_spec_pkg::TYPE_INT32: extended = {{16{value_i[31] & ~in_unsigned_i}}, value_i[31:0]};
      default:                  extended = value_i;
    endcase
    difference = extended - 48'(in_zero_point_i);
    value_d = scale32_i ? 48'($signed(difference[31:0])) : difference;
    multiplier_high_d = scale32_i ? multiplier_i[31:16] : {16{multiplier_i[15]}};
  end

  always_ff @(posedge clk_i) begin
    if (advance_i[0]) begin
      value_q <= value_d;
      multiplier_low_q <= multiplier_i[15:0];
      multiplier_high_q <= multiplier_high_d;
      shift0_q <= shift_i;
    end
  end

  // Stage 1: the two halves of the product; of the upper one only the 49 bits that reach the 65 of the sum.
  logic signed [63:0] product_low_d;
  logic signed [63:0] product_low_q;
  logic signed [48:0] product_high_d;
  logic signed [48:0] product_high_q;
  logic        [5:0]  shift1_q;
  logic               negative_q;

  assign product_low_d = 64'(value_q) * 64'($signed({1'b0, multiplier_low_q}));
  assign product_high_d = 49'(value_q) * 49'(multiplier_high_q);

  always_ff @(posedge clk_i) begin
    if (advance_i[1]) begin
      product_low_q <= product_low_d;
      product_high_q <= product_high_d;
      shift1_q <= shift0_q;
      negative_q <= value_q[47];
    end
  end

  // Stage 2: the product with half of the last place added, and of place 31 with double rounding. One bit more than the
  // product, for the largest products by a shift of 63, which the vector unit's MUL has.
  logic        [64:0] half;
  logic        [64:0] double_half;
  logic        [64:0] sum_d;
  logic        [64:0] sum_q;
  logic        [5:0]  shift2_q;

  always_comb begin
    half = (65'd1 << shift1_q) >> 1;
    double_half = '0;
    if (double_round_i && shift1_q[5]) double_half = {{34{negative_q}}, 1'b1, 30'd0};
    sum_d = {product_low_q[63], product_low_q} + {product_high_q, 16'd0} + half + double_half;
  end

  always_ff @(posedge clk_i) begin
    if (advance_i[2]) begin
      sum_q <= sum_d;
      shift2_q <= shift1_q;
    end
  end

  // Stage 3: 32 bits of the quotient. With half added, an exact tie is one that leaves no rest: its last bit falls to even.
  logic signed [31:0] quotient;
  logic        [63:0] is_rest;
  logic               is_tie;
  logic signed [31:0] scaled;
  logic signed [31:0] biased;
  logic signed [31:0] result_d;
  logic signed [31:0] result_q;

  always_comb begin
    quotient = 32'($signed(sum_q) >>> shift2_q);
    is_rest = ~(64'hffff_ffff_ffff_ffff << shift2_q);
    is_tie = half_even_i && shift2_q != 6'd0 && (sum_q[63:0] & is_rest) == 64'd0;
    scaled = {quotient[31:1], quotient[0] & ~is_tie};
    biased = scaled + out_zero_point_i;
    result_d = biased;
    if (biased > high_i) result_d = high_i;
    if (biased < low_i) result_d = low_i;
  end

  always_ff @(posedge clk_i) begin
    if (advance_i[3]) result_q <= result_d;
  end

  assign result_o = result_q;
endmodule
