// SPDX-License-Identifier: Apache-2.0
// Where a rescale unit of your own can begin: its ports, its handshake and its pipe are there, its arithmetic is not.
// `vernier cosim rescale --rtl DIR` builds it and says which lane of which port should have been what.
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
  localparam int InterfaceVersion = 9;  // of docs/reference/rtl-ports.md, which this was written for
  localparam int Stages = npu_spec_pkg::RescalePipelineCycles;

  // A vector is taken at an edge with en_i and scale_valid_i. While en_i is low nothing moves, the outputs neither.
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
      result_q[0] <= '0;  // here: RESCALE of each lane
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
