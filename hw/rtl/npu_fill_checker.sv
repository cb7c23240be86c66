// SPDX-License-Identifier: Apache-2.0
// Asserts how a slot of npu_table_unit is filled. Bound into it by npu_table_unit_checks.sv, in builds with assertions only.
module npu_fill_checker #(
  parameter int WordIdxBits = 8,
  parameter int Last16 = 128
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic                   tbl_valid_i,
  input logic                   tbl_ready_o,
  input logic                   tbl_slot_i,
  input logic [2:0]             tbl_type_i,
  input logic [WordIdxBits-1:0] tbl_word_i,
  input logic [5:0]             slot_format_o
);
  logic [5:0] before_q;
  logic       filled_q, slot_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      before_q <= '0;
      filled_q <= 1'b0;
      slot_q <= 1'b0;
    end else begin
      before_q <= slot_format_o;
      filled_q <= tbl_valid_i && tbl_ready_o;
      slot_q <= tbl_slot_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert_word: assert (!tbl_valid_i || 32'(tbl_word_i) <= 32'(Last16));
      assert_type: assert (!tbl_valid_i || (tbl_type_i >= npu_spec_pkg::TYPE_INT8 && tbl_type_i <= npu_spec_pkg::TYPE_INT32));
      // A slot changes by words of its own alone.
      assert_slot0: assert (slot_format_o[2:0] == before_q[2:0] || (filled_q && !slot_q));
      assert_slot1: assert (slot_format_o[5:3] == before_q[5:3] || (filled_q && slot_q));
      cover_both_full: cover (slot_format_o[2:0] != 3'd0 && slot_format_o[5:3] != 3'd0);
    end
  end
endmodule
