// SPDX-License-Identifier: Apache-2.0
// A rescale unit that is not ours: TOSA RESCALE in one function, from the text of the specification, in six stages.
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
  localparam int Stages = 6;

  function automatic logic [31:0] rescaled(
    input logic [47:0] stored, input logic signed [31:0] multiplier, input logic [5:0] shift);
    logic signed [63:0] value;
    logic signed [63:0] product;
    logic signed [63:0] offset;
    logic signed [63:0] low;
    logic signed [63:0] high;
    logic        [63:0] rest;
    case (scale_in_type_i)
      npu_spec_pkg::TYPE_INT8: value = scale_in_unsigned_i ? 64'(stored[7:0]) : 64'($signed(stored[7:0]));
      npu_spec_pkg::TYPE_INT16: value = scale_in_unsigned_i ? 64'(stored[15:0]) : 64'($signed(stored[15:0]));
      npu_spec_pkg::TYPE_INT32: value = scale_in_unsigned_i ? 64'(stored[31:0]) : 64'($signed(stored[31:0]));
      default: value = scale_in_unsigned_i ? 64'(stored) : 64'($signed(stored));
    endcase
    value = value - 64'($signed(scale_in_zero_point_i));
    value = scale_scale32_i ? 64'($signed(value[31:0])) : 64'($signed(value[47:0]));
    product = value * (scale_scale32_i ? 64'(multiplier) : 64'($signed(multiplier[15:0])));
    offset = 64'((65'd1 << shift) >> 1);
    if (scale_rounding_i == npu_spec_pkg::ROUNDING_HALF_EVEN) begin
      rest = product & ~(~64'd0 << shift);
      value = product >>> shift;
      if (shift != 6'd0 && (rest > offset || (rest == offset && value[0]))) value = value + 64'sd1;
    end else begin
      if (scale_rounding_i == npu_spec_pkg::ROUNDING_DOUBLE && scale_scale32_i && shift > 6'd31)
        offset = value[63] ? offset - 64'sh4000_0000 : offset + 64'sh4000_0000;
      value = 64'((65'(product) + 65'(offset)) >>> shift);  // of a shift of 63 all bits of the sum count
    end
    value = 64'($signed(value[31:0])) + 64'($signed(scale_out_zero_point_i));
    value = 64'($signed(value[31:0]));
    case (scale_out_type_i)
      npu_spec_pkg::TYPE_INT8: {low, high} = scale_out_unsigned_i ? {64'sd0, 64'sd255} : {-64'sd128, 64'sd127};
      npu_spec_pkg::TYPE_INT16: {low, high} = scale_out_unsigned_i ? {64'sd0, 64'sd65535} : {-64'sd32768, 64'sd32767};
      default: {low, high} = scale_out_unsigned_i ? {64'sd0, 64'sh7fff_ffff} : {-64'sh8000_0000, 64'sh7fff_ffff};
    endcase
    if (value < low) value = low;
    if (value > high) value = high;
    if (value < 64'($signed(scale_clamp_min_i))) value = 64'($signed(scale_clamp_min_i));
    if (value > 64'($signed(scale_clamp_max_i))) value = 64'($signed(scale_clamp_max_i));
    rescaled = value[31:0];
  endfunction

  logic [Stages-1:0]   valid_q;
  logic [TagBits-1:0]  tag_q[Stages];
  logic [32*Lanes-1:0] result_q[Stages];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else if (en_i) valid_q <= {valid_q[Stages-2:0], scale_valid_i};
  end

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      tag_q[0] <= scale_tag_i;
      for (int lane = 0; lane < Lanes; lane = lane + 1) begin
        result_q[0][32*lane +: 32] <=
          rescaled(scale_value_i[48*lane +: 48], scale_multiplier_i[32*lane +: 32], scale_shift_i[6*lane +: 6]);
      end
      for (int i = 1; i < Stages; i = i + 1) begin
        tag_q[i] <= tag_q[i-1];
        result_q[i] <= result_q[i-1];
      end
    end
  end

  assign scale_valid_o = valid_q[Stages-1];
  assign scale_tag_o = tag_q[Stages-1];
  assign scale_result_o = result_q[Stages-1];
endmodule
