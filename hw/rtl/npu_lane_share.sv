// SPDX-License-Identifier: Apache-2.0
// A pipe of lanes that the array and the vector unit share: npu_rescale_unit or npu_table_unit.
//
//   array --\                                          /--> array, as if it were alone
//            >-- pipe of Latency stages, moved by it --<
//   vec ----/    where the array has nothing            \--> due now, else a queue --> vec
//
// The array is served first, in the cycle in which it asks, and its pipe moves and stands still as the array says. The vector unit's
// vectors take the cycles that are left: vec_ready_o is low in a cycle in which it has a vector and there is no room for it, and it
// stands still then. It counts Latency of its own cycles to a result; one that comes out before those are over waits in the queue,
// which has room for all that can be on their way. vec_ready_o is low also in the cycle in which a result is due that the pipe still has.
module npu_lane_share #(
  parameter int OperandBits = 8,
  parameter int ResultBits = 8,
  parameter int TagBits = 8,
  parameter int Latency = npu_spec_pkg::RescalePipelineCycles
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   array_en_i,
  input  logic                   array_valid_i,
  input  logic [TagBits-1:0]     array_tag_i,
  input  logic [OperandBits-1:0] array_operands_i,
  output logic                   array_valid_o,
  input  logic                   vec_en_i,
  input  logic                   vec_valid_i,
  input  logic [TagBits-1:0]     vec_tag_i,
  input  logic [OperandBits-1:0] vec_operands_i,
  output logic                   vec_ready_o,
  output logic                   vec_valid_o,
  output logic [TagBits-1:0]     vec_tag_o,
  output logic [ResultBits-1:0]  vec_result_o,
  output logic                   pipe_valid_o,
  output logic [TagBits-1:0]     pipe_tag_o,
  output logic [OperandBits-1:0] pipe_operands_o,
  input  logic                   pipe_valid_i,
  input  logic [TagBits-1:0]     pipe_tag_i,
  input  logic [ResultBits-1:0]  pipe_result_i
);
  // Parameters that are not supported stop elaboration, in every tool: there is no such module.
  generate
    if (Latency < 2) begin : gen_wrong_latency
      npu_latency_must_be_at_least_2 u_wrong ();
    end
  endgenerate

  localparam int CountBits = $clog2(Latency + 1);

  logic [Latency-1:0]            is_vec_q;  // the vectors in the pipe: whose they are
  logic [Latency-1:0]            due_q;     // in cycles of the vector unit
  logic [CountBits-1:0]          num_q;     // results in the queue
  logic [TagBits*Latency-1:0]    tags_q;
  logic [ResultBits*Latency-1:0] results_q;
  logic                          takes, comes, leaves, is_queued, pushes;

  assign takes = vec_en_i && vec_valid_i;
  assign comes = pipe_valid_i && is_vec_q[Latency-1] && array_en_i;
  assign leaves = vec_en_i && due_q[Latency-1];
  assign is_queued = num_q != '0;
  assign pushes = comes && (is_queued || !leaves);

  assign pipe_valid_o = array_valid_i || takes;
  assign pipe_tag_o = array_valid_i ? array_tag_i : vec_tag_i;
  assign pipe_operands_o = array_valid_i ? array_operands_i : vec_operands_i;
  assign array_valid_o = pipe_valid_i && !is_vec_q[Latency-1];
  assign vec_valid_o = due_q[Latency-1];
  assign vec_tag_o = is_queued ? tags_q[TagBits-1:0] : pipe_tag_i;
  assign vec_result_o = is_queued ? results_q[ResultBits-1:0] : pipe_result_i;
  assign vec_ready_o = !(vec_valid_i && (array_valid_i || !array_en_i)) && !(due_q[Latency-1] && !is_queued && !comes);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      is_vec_q <= '0;
      due_q <= '0;
      num_q <= '0;
    end else begin
      if (array_en_i) is_vec_q <= {is_vec_q[Latency-2:0], takes};
      if (vec_en_i) due_q <= {due_q[Latency-2:0], vec_valid_i};
      num_q <= num_q + CountBits'(pushes) - CountBits'(leaves && is_queued);
    end
  end

  // The oldest result is entry 0.
  always_ff @(posedge clk_i) begin
    for (int i = 0; i < Latency; i = i + 1) begin
      if (leaves && is_queued && i + 1 < Latency) begin
        tags_q[TagBits*i +: TagBits] <= tags_q[TagBits*((i + 1) % Latency) +: TagBits];
        results_q[ResultBits*i +: ResultBits] <= results_q[ResultBits*((i + 1) % Latency) +: ResultBits];
      end
      if (pushes && CountBits'(i) == num_q - CountBits'(leaves && is_queued)) begin
        tags_q[TagBits*i +: TagBits] <= pipe_tag_i;
        results_q[ResultBits*i +: ResultBits] <= pipe_result_i;
      end
    end
  end
endmodule
