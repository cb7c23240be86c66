// SPDX-License-Identifier: Apache-2.0
// Which halfwords of a slot npu_table_lane reads, and what it makes of them, against TOSA 1.0, operator TABLE: entry
// (value >> 7) + 256 and the next one of 16 bits, with value & 127 as the fraction; of 8 bits, entry value + 128. Tables of 32 bits,
// which int8 layers use in other operators, have entry value + 128, too.
//
// The data of both memories are cut: a read gives anything. Interpolation is not proved here (table_interpolation.sv).
module table_index #(
  parameter int WordBytes = 16,
  parameter int RowBits = 7
) (
  input logic        clk_i,
  input logic [15:0] value_i,
  input logic        slot_i,
  input logic [2:0]  format_i
);
  localparam int BankHalfwords = WordBytes / 4;
  localparam int ColumnBits = $clog2(BankHalfwords);
  localparam int BankBits = 16 * BankHalfwords;

  (* hierconn *) logic [RowBits:0]    \u_lane.u_even.read_address_i ;
  (* hierconn *) logic [RowBits:0]    \u_lane.u_odd.read_address_i ;
  (* hierconn *) logic                \u_lane.u_even.read_en_i ;
  (* hierconn *) logic                \u_lane.u_odd.read_en_i ;
  (* hierconn *) logic [BankBits-1:0] \u_lane.u_even.read_data_o ;
  (* hierconn *) logic [BankBits-1:0] \u_lane.u_odd.read_data_o ;
  (* hierconn *) logic [ColumnBits-1:0] \u_lane.even_column_q ;
  (* hierconn *) logic [ColumnBits-1:0] \u_lane.odd_column_q ;
  (* hierconn *) logic signed [15:0]  \u_lane.entry ;
  (* hierconn *) logic signed [15:0]  \u_lane.next ;
  (* hierconn *) logic [6:0]          \u_lane.fraction_q ;
  logic [31:0] result;

  npu_table_lane #(.WordBytes(WordBytes), .RowBits(RowBits)) u_lane (
    .clk_i, .advance_i(2'b11), .value_i, .slot_i, .format_i, .result_o(result),
    .fill_en_i(1'b0), .fill_slot_i(1'b0), .fill_row_i({RowBits{1'b0}}), .fill_data_i({8*WordBytes{1'b0}})
  );

  // A cycle later: what was asked for, and where it was looked for. A slot has row r of halfwords at word 2 r + slot.
  logic [15:0]        value_q;
  logic [2:0]         format_q;
  logic               slot_q, reads_q;
  logic [RowBits:0]   even_address_q, odd_address_q;

  always_ff @(posedge clk_i) begin
    value_q <= value_i;
    format_q <= format_i;
    slot_q <= slot_i;
    reads_q <= \u_lane.u_even.read_en_i && \u_lane.u_odd.read_en_i ;
    even_address_q <= \u_lane.u_even.read_address_i ;
    odd_address_q <= \u_lane.u_odd.read_address_i ;
  end

  // Numbers of the halfwords that stand at the chosen columns of both memories, and those that TOSA wants.
  logic [15:0] even, odd, first, second;
  logic [15:0] byte_number, even_half, odd_half;
  logic        is_16, is_32;

  always_comb begin
    is_16 = format_q == npu_spec_pkg::TYPE_INT16;
    is_32 = format_q == npu_spec_pkg::TYPE_INT32;
    even = (16'(even_address_q[RowBits:1]) * 16'(BankHalfwords) + 16'(\u_lane.even_column_q )) * 16'd2;
    odd = (16'(odd_address_q[RowBits:1]) * 16'(BankHalfwords) + 16'(\u_lane.odd_column_q )) * 16'd2 + 16'd1;
    byte_number = {{8{value_q[7]}}, value_q[7:0]} + 16'd128;
    first = is_16 ? ({{7{value_q[15]}}, value_q[15:7]} + 16'd256) : is_32 ? byte_number * 16'd2 : (byte_number / 16'd4) * 16'd2;
    second = first + 16'd1;
    even_half = \u_lane.u_even.read_data_o [16*\u_lane.even_column_q +: 16];
    odd_half = \u_lane.u_odd.read_data_o [16*\u_lane.odd_column_q +: 16];
  end

  // Stage 1's operands, and a cycle later its result.
  logic [31:0] stored;
  logic [31:0] expected_q;
  logic        is_16_q;

  always_comb begin
    stored = {odd_half, even_half};
    if (!is_32) begin
      stored = stored >> (8 * byte_number[1:0]);
      stored = {{24{stored[7]}}, stored[7:0]};
    end
  end
  always_ff @(posedge clk_i) begin
    expected_q <= stored;
    is_16_q <= is_16;
  end

  logic [1:0] age = 2'd0;
  always_ff @(posedge clk_i) if (age != 2'd2) age <= age + 2'd1;

  always_comb begin
    if (age != 2'd0) begin
      assert (reads_q);
      assert (even_address_q[0] == slot_q && odd_address_q[0] == slot_q);
      assert (even == (first[0] ? second : first));
      assert (odd == (first[0] ? first : second));
      if (is_16) begin
        assert (\u_lane.entry == (first[0] ? odd_half : even_half));
        assert (\u_lane.next == (first[0] ? even_half : odd_half));
        assert (\u_lane.fraction_q == value_q[6:0]);
      end
      cover (is_16 && value_q == 16'h7fff);
      cover (is_16 && value_q == 16'h8000 && first == 16'd0);
      cover (is_32 && slot_q);
    end
    if (age == 2'd2) begin
      if (!is_16_q) assert (result == expected_q);
      cover (!is_16_q && result == 32'hffff_ff80);
    end
  end
endmodule
