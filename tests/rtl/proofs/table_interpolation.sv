// SPDX-License-Identifier: Apache-2.0
// The look-up of npu_table_lane in a table of 16 bits with one fraction, against TOSA 1.0, operator TABLE:
// (entry << 7) + (next - entry) * fraction, in 32 bits. One proof for each Fraction, as a product of two unknowns is out of reach.
//
// The halfword that each memory gives is cut and may be anything. Which halfwords the lane reads, and which of them is the entry, is
// proved in table_index.sv.
module table_interpolation #(
  parameter int Fraction = 0,
  parameter int WordBytes = 16,
  parameter int RowBits = 7
) (
  input logic       clk_i,
  input logic [8:0] number_i,   // of the entry, less 256
  input logic       slot_i
);
  (* hierconn *) logic signed [15:0] \u_lane.even_half ;
  (* hierconn *) logic signed [15:0] \u_lane.odd_half ;
  logic signed [31:0] result;

  npu_table_lane #(.WordBytes(WordBytes), .RowBits(RowBits)) u_lane (
    .clk_i, .advance_i(2'b11), .value_i({number_i, 7'(Fraction)}), .slot_i, .format_i(npu_spec_pkg::TYPE_INT16), .result_o(result),
    .fill_en_i(1'b0), .fill_slot_i(1'b0), .fill_row_i({RowBits{1'b0}}), .fill_data_i({8*WordBytes{1'b0}})
  );

  // Entry number_i + 256 is in the memory of the odd halfwords where that is odd, and the next one in the other.
  logic               entry_is_odd_q;
  logic signed [15:0] entry, next;
  logic signed [31:0] expected_q;

  always_ff @(posedge clk_i) entry_is_odd_q <= number_i[0];
  always_comb begin
    entry = entry_is_odd_q ? \u_lane.odd_half : \u_lane.even_half ;
    next = entry_is_odd_q ? \u_lane.even_half : \u_lane.odd_half ;
  end
  always_ff @(posedge clk_i) expected_q <= (32'(entry) <<< 7) + (32'(next) - 32'(entry)) * 32'(Fraction);

  logic [1:0] age = 2'd0;
  always_ff @(posedge clk_i) if (age != 2'd2) age <= age + 2'd1;

  always_comb begin
    if (age == 2'd2) begin
      assert (result == expected_q);
      cover (result == -32'sd4194304 && expected_q == -32'sd4194304);
    end
  end
endmodule
