// SPDX-License-Identifier: Apache-2.0
// Asserts how the sets of npu_agu take turns. Bound into it by npu_agu_checks.sv, in builds with assertions only.
//
//   a command goes to one set, which has no beats of another one left
//   activations come as segments or as windows, not both
module npu_agu_checker (
  input logic       clk_i,
  input logic       rst_ni,
  input logic [1:0] mac_give_i,   // to which set a command goes
  input logic [1:0] vec_give_i,
  input logic [1:0] mac_left_i,   // sets with beats of a command left
  input logic [1:0] vec_left_i,
  input logic [1:0] act_valid_i   // of the set whose turn it is: segments, windows
);
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert_mac: assert (mac_give_i != 2'b11 && (mac_give_i & mac_left_i) == 2'b00);
      assert_vec: assert (vec_give_i != 2'b11 && (vec_give_i & vec_left_i) == 2'b00);
      assert_act: assert (act_valid_i != 2'b11);
      cover_mac_ahead: cover (mac_give_i != 2'b00 && mac_left_i != 2'b00);
      cover_vec_ahead: cover (vec_give_i != 2'b00 && vec_left_i != 2'b00);
    end
  end
endmodule
