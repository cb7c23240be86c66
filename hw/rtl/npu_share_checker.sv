// SPDX-License-Identifier: Apache-2.0
// Asserts the contract of npu_lane_share, with registers of its own. Bound into it by npu_lane_share_checks.sv, in builds with
// assertions only.
//
//   array   a result Latency edges of its own after its operands, as if it were alone
//   vec     moves only where it may; a result Latency edges of its own after its operands, with their tag
//   queue   has room for each result that comes, and no other one is lost or invented
module npu_share_checker #(
  parameter int TagBits = 8,
  parameter int Latency = 4
) (
  input logic                         clk_i,
  input logic                         rst_ni,
  input logic                         array_en_i,
  input logic                         array_valid_i,
  input logic                         array_valid_o,
  input logic                         vec_en_i,
  input logic                         vec_valid_i,
  input logic [TagBits-1:0]           vec_tag_i,
  input logic                         vec_ready_o,
  input logic                         vec_valid_o,
  input logic [TagBits-1:0]           vec_tag_o,
  // Inside.
  input logic [$clog2(Latency+1)-1:0] num_i,     // results in the queue
  input logic                         pushes_i,
  input logic                         pops_i
);
  logic [Latency-1:0]         array_q, vec_q;
  logic [TagBits*Latency-1:0] vec_tag_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      array_q <= '0;
      vec_q <= '0;
      vec_tag_q <= '0;
    end else begin
      if (array_en_i) array_q <= {array_q[Latency-2:0], array_valid_i};
      if (vec_en_i) begin
        vec_q <= {vec_q[Latency-2:0], vec_valid_i};
        vec_tag_q <= {vec_tag_q[TagBits*(Latency-1)-1:0], vec_tag_i};
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert_array: assert (array_valid_o == array_q[Latency-1]);
      assert_vec_en: assert (!vec_en_i || vec_ready_o);
      assert_vec: assert (vec_valid_o == vec_q[Latency-1]);
      assert_vec_tag: assert (!(vec_en_i && vec_valid_o) || vec_tag_o == vec_tag_q[TagBits*(Latency-1) +: TagBits]);
      assert_room: assert (!pushes_i || pops_i || 32'(num_i) < 32'(Latency));
      assert_queue: assert (!pops_i || num_i != '0);
      cover_wait: cover (vec_valid_i && !vec_ready_o);
      cover_queue: cover (32'(num_i) > 32'd1);
      cover_through: cover (pushes_i && pops_i);
    end
  end
endmodule
