// SPDX-License-Identifier: Apache-2.0
// The rescale unit: TOSA RESCALE in full on Lanes lanes, one vector a cycle, shared by the array's epilogue and the vector unit.
//
//   scale_*_i --+--> lane 0 .. lane Lanes-1 --> scale_result_o
//               +--> what is common to the lanes, stage by stage; scale_valid_o, scale_tag_o
//
// Contract. A vector is taken at an edge with en_i and scale_valid_i; its result stands LatencyCycles edges later (edges with
// en_i) and is taken there. en_i low holds every register and so every output. No ready inside: who asks makes room. The tag
// comes out with its vector. Results are numbers, not stored bits: 255 of an unsigned int8 is 255. Multiplier and shift are a
// lane's own; everything else is common. Reserved types and roundings do not come here: the units that ask refuse them.
// Timing: kRescalePipelineCycles of hw/spec/latency.hpp. Reset clears the valid bits only.
module npu_rescale_unit #(
  parameter int Lanes = 16,
  parameter int TagBits = 8
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                en_i,
  input  logic                scale_valid_i,
  input  logic [TagBits-1:0]  scale_tag_i,
  input  logic [48*Lanes-1:0] scale_value_i,
  input  logic [32*Lanes-1:0] scale_multiplier_i,
  input  logic [6*Lanes-1:0]  scale_shift_i,
  input  logic                scale_scale32_i,
  input  logic [2:0]          scale_rounding_i,
  input  logic [2:0]          scale_in_type_i,
  input  logic                scale_in_unsigned_i,
  input  logic [31:0]         scale_in_zero_point_i,
  input  logic [2:0]          scale_out_type_i,
  input  logic                scale_out_unsigned_i,
  input  logic [31:0]         scale_out_zero_point_i,
  input  logic [31:0]         scale_clamp_min_i,
  input  logic [31:0]         scale_clamp_max_i,
  output logic                scale_valid_o,
  output logic [TagBits-1:0]  scale_tag_o,
  output logic [32*Lanes-1:0] scale_result_o
);
  // Parameters that are not supported stop elaboration, in every tool: there is no such module.
  generate
    if (Lanes != 8 && Lanes != 16 && Lanes != 32) begin : gen_wrong_lanes
      npu_lanes_must_be_8_16_or_32 u_wrong ();
    end
  endgenerate

  localparam int LatencyCycles = npu_spec_pkg::RescalePipelineCycles;

  // What the stages of the lanes are: a change of the latency is a change of npu_rescale_lane.
  generate
    if (LatencyCycles != 4) begin : gen_wrong_latency
      npu_rescale_lane_has_four_stages u_wrong ();
    end
  endgenerate

  logic [LatencyCycles-1:0] valid_q;
  logic [LatencyCycles-1:0] advance;

  assign advance = {LatencyCycles{en_i}} & {valid_q[LatencyCycles-2:0], scale_valid_i};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else if (en_i) valid_q <= {valid_q[LatencyCycles-2:0], scale_valid_i};
  end

  // Both limits: the output type's, moved into those of the clamp.
  logic signed [31:0] type_low;
  logic signed [31:0] type_high;
  logic signed [31:0] clamp_min;
  logic signed [31:0] clamp_max;

  always_comb begin
    case (scale_out_type_i)
      npu_spec_pkg::TYPE_INT8: begin
        type_low = scale_out_unsigned_i ? 32'sd0 : -32'sd128;
        type_high = scale_out_unsigned_i ? 32'sd255 : 32'sd127;
      end
      npu_spec_pkg::TYPE_INT16: begin
        type_low = scale_out_unsigned_i ? 32'sd0 : -32'sd32768;
        type_high = scale_out_unsigned_i ? 32'sd65535 : 32'sd32767;
      end
      default: begin
        type_low = scale_out_unsigned_i ? 32'sd0 : 32'sh8000_0000;
        type_high = 32'sh7fff_ffff;
      end
    endcase
    clamp_min = scale_clamp_min_i;
    clamp_max = scale_clamp_max_i;
  end

  function automatic logic signed [31:0] clamped(
    input logic signed [31:0] value, input logic signed [31:0] low, input logic signed [31:0] high);
    clamped = value;
    if (value < low) clamped = low;
    if (clamped > high) clamped = high;
  endfunction

  // Beside the lanes: each stage has what a later one needs.
  logic        [TagBits-1:0] tag0_q, tag1_q, tag2_q, tag3_q;
  logic signed [31:0]        low0_q, low1_q, low2_q;
  logic signed [31:0]        high0_q, high1_q, high2_q;
  logic        [31:0]        out_zero_point0_q, out_zero_point1_q, out_zero_point2_q;
  logic                      double_round0_q, double_round1_q;
  logic                      half_even0_q, half_even1_q, half_even2_q;

  always_ff @(posedge clk_i) begin
    if (advance[0]) begin
      tag0_q <= scale_tag_i;
      low0_q <= clamped(type_low, clamp_min, clamp_max);
      high0_q <= clamped(type_high, clamp_min, clamp_max);
      out_zero_point0_q <= scale_out_zero_point_i;
      double_round0_q <= scale_scale32_i && scale_rounding_i == npu_spec_pkg::ROUNDING_DOUBLE;
      half_even0_q <= scale_rounding_i == npu_spec_pkg::ROUNDING_HALF_EVEN;
    end
    if (advance[1]) begin
      tag1_q <= tag0_q;
      low1_q <= low0_q;
      high1_q <= high0_q;
      out_zero_point1_q <= out_zero_point0_q;
      double_round1_q <= double_round0_q;
      half_even1_q <= half_even0_q;
    end
    if (advance[2]) begin
      tag2_q <= tag1_q;
      low2_q <= low1_q;
      high2_q <= high1_q;
      out_zero_point2_q <= out_zero_point1_q;
      half_even2_q <= half_even1_q;
    end
    if (advance[3]) tag3_q <= tag2_q;
  end

  genvar i;
  generate
    for (i = 0; i < Lanes; i = i + 1) begin : gen_lane
      npu_rescale_lane u_lane (
        .clk_i,
        .advance_i(advance),
        .value_i(scale_value_i[48*i +: 48]),
        .multiplier_i(scale_multiplier_i[32*i +: 32]),
        .shift_i(scale_shift_i[6*i +: 6]),
        .in_type_i(scale_in_type_i),
        .in_unsigned_i(scale_in_unsigned_i),
        .in_zero_point_i(scale_in_zero_point_i),
        .scale32_i(scale_scale32_i),
        .double_round_i(double_round1_q),
        .half_even_i(half_even2_q),
        .out_zero_point_i(out_zero_point2_q),
        .low_i(low2_q),
        .high_i(high2_q),
        .result_o(scale_result_o[32*i +: 32])
      );
    end
  endgenerate

  assign scale_valid_o = valid_q[LatencyCycles-1];
  assign scale_tag_o = tag3_q;
endmodule
