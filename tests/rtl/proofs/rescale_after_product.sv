// SPDX-License-Identifier: Apache-2.0
// npu_rescale_lane after its product, against TOSA 1.0, operator RESCALE with its functions apply_scale_32 and apply_scale_16,
// written as a floor and a fraction instead of an addition before the shift. Half to even is not TOSA's, but of quantizers.
//
// The registers of the product's two halves, of its shift and of the value's sign are cut: they hold anything in every cycle. The
// product is what the two halves say together, at most 2^62 in size: no operands of 32 x 32 or 48 x 16 bits make a larger one. The
// mode is any of single, double and half to even rounding; zero point and limits are anything.
module rescale_after_product (
  input logic               clk_i,
  input logic               double_round_i,
  input logic               half_even_i,
  input logic signed [31:0] out_zero_point_i,
  input logic signed [31:0] low_i,
  input logic signed [31:0] high_i
);
  (* hierconn *) logic [63:0] \u_lane.product_low_q ;
  (* hierconn *) logic [48:0] \u_lane.product_high_q ;
  (* hierconn *) logic [5:0]  \u_lane.shift1_q ;
  (* hierconn *) logic        \u_lane.negative_q ;
  logic signed [31:0] result;

  npu_rescale_lane u_lane (
    .clk_i, .advance_i(4'b1111),
    .value_i(48'd0), .multiplier_i(32'd0), .shift_i(6'd0), .in_type_i(3'd0), .in_unsigned_i(1'b0), .in_zero_point_i(32'd0), .scale32_i(1'b0),
    .double_round_i, .half_even_i, .out_zero_point_i, .low_i, .high_i,
    .result_o(result)
  );

  // What stage 2 takes.
  logic signed [65:0] product;
  logic        [5:0]  shift;

  assign product = {{2{\u_lane.product_low_q [63]}}, \u_lane.product_low_q } + {\u_lane.product_high_q [48], \u_lane.product_high_q , 16'd0};
  assign shift = \u_lane.shift1_q ;

  // Operands that there are: shifts that TOSA allows, and one rounding at a time.
  logic double_q;
  always_ff @(posedge clk_i) double_q <= double_round_i;
  always_comb begin
    assume (shift >= 6'd2 && shift <= 6'd62);
    assume (product <= 66'sh4000_0000_0000_0000 && product >= -66'sh4000_0000_0000_0000);
    assume (!(half_even_i && double_q));
  end

  // Floor and fraction, a cycle later: half of the last place is 2^(shift-1). With double rounding and a shift above 31, half of
  // place 31 is added to, or with a negative value taken from, what reaches the next number.
  logic signed [65:0] product_q;
  logic        [5:0]  shift_q;
  logic               negative_q;
  logic signed [65:0] floor;
  logic        [63:0] fraction, half, up_from;
  logic               up;
  logic signed [31:0] scaled, biased, expected_d, expected_q;

  always_ff @(posedge clk_i) begin
    product_q <= product;
    shift_q <= shift;
    negative_q <= \u_lane.negative_q ;
  end

  always_comb begin
    floor = product_q >>> shift_q;
    fraction = product_q[63:0] & ~(64'hffff_ffff_ffff_ffff << shift_q);
    half = 64'd1 << (shift_q - 6'd1);
    up_from = half;
    if (double_q && shift_q > 6'd31) up_from = negative_q ? half + 64'h4000_0000 : half - 64'h4000_0000;
    up = fraction >= up_from;
    if (half_even_i && fraction == half) up = floor[0];
    scaled = floor[31:0] + {31'd0, up};
    biased = scaled + out_zero_point_i;
    expected_d = biased > high_i ? high_i : biased;
    if (biased < low_i) expected_d = low_i;
  end

  always_ff @(posedge clk_i) expected_q <= expected_d;

  // The first result of operands that the proof saw stands after two edges.
  logic [1:0] age = 2'd0;
  always_ff @(posedge clk_i) if (age != 2'd2) age <= age + 2'd1;

  always_comb begin
    if (age == 2'd2) begin
      assert (result == expected_q);
      cover (result == 32'sd100 && expected_q == 32'sd100);
    end
    if (age != 2'd0) begin
      cover (half_even_i && fraction == half && floor[0] && low_i < -32'sd100 && high_i > 32'sd100);
      cover (double_q && shift_q > 6'd31 && negative_q && up != (fraction >= half));
      cover (double_q && shift_q > 6'd31 && !negative_q && up != (fraction >= half));
      cover (biased > high_i && high_i > low_i);
      cover (shift_q == 6'd62 && floor != 66'sd0 && !negative_q);
    end
  end
endmodule
