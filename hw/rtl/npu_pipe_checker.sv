// SPDX-License-Identifier: Apache-2.0
// Asserts the contract of a pipe without ready, with registers of its own: a result LatencyCycles edges with en_i after its operands,
// with their tag, none else, and outputs that hold while en_i is low. Bound into a unit by <unit>_checks.sv, in builds with
// assertions only.
module npu_pipe_checker #(
  parameter int LatencyCycles = 4,
  parameter int TagBits = 8,
  parameter int ResultBits = 32
) (
  input logic                  clk_i,
  input logic                  rst_ni,
  input logic                  en_i,
  input logic                  valid_i,
  input logic [TagBits-1:0]    tag_i,
  input logic                  valid_o,
  input logic [TagBits-1:0]    tag_o,
  input logic [ResultBits-1:0] result_o
);
  logic [LatencyCycles-1:0]         valid_q;
  logic [TagBits*LatencyCycles-1:0] tag_q;
  logic                             was_held_q;
  logic                             last_valid_q;
  logic [TagBits-1:0]               last_tag_q;
  logic [ResultBits-1:0]            last_result_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
      tag_q <= '0;
      was_held_q <= 1'b0;
      last_valid_q <= 1'b0;
      last_tag_q <= '0;
      last_result_q <= '0;
    end else begin
      if (en_i) begin
        valid_q <= {valid_q[LatencyCycles-2:0], valid_i};
        tag_q <= {tag_q[TagBits*(LatencyCycles-1)-1:0], tag_i};
      end
      was_held_q <= !en_i;
      last_valid_q <= valid_o;
      last_tag_q <= tag_o;
      last_result_q <= result_o;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert_valid: assert (valid_o == valid_q[LatencyCycles-1]);
      assert_tag: assert (!valid_o || tag_o == tag_q[TagBits*(LatencyCycles-1) +: TagBits]);
      assert_hold: assert (!was_held_q || {valid_o, tag_o, result_o} == {last_valid_q, last_tag_q, last_result_q});
    end
  end
endmodule
