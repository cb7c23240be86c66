// SPDX-License-Identifier: Apache-2.0
// One lane of the table unit: a copy of both table slots, and the look-up.
//
//   edge    0                   1
//   value -[index]- RAM, even -[pick, interpolate]- result
//                 \ RAM, odd  /
//
// The operand is taken at edge 0, which is also the edge of the RAMs' address, and the result stands behind edge 1:
// LatencyCycles of npu_table_unit. A fill word of WordBytes goes into one row of both RAMs: its halfwords of even numbers into
// one, the others into the other, so that two neighbouring halfwords are read at once wherever they lie:
//   INT16: entry i is halfword i; entries i and i + 1, and 7 bits of fraction between them
//   INT8:  entry i is byte i          INT32: entry i is halfwords 2 i and 2 i + 1
module npu_table_lane #(
  parameter int WordBytes = 16,
  parameter int RowBits = 7      // of the number of a fill word
) (
  input  logic                   clk_i,
  input  logic [1:0]             advance_i,      // bit s: stage s takes its operands at this edge
  input  logic [15:0]            value_i,         // INT8 and INT32 look at the low 8 bits
  input  logic                   slot_i,
  input  logic [2:0]             format_i,       // of the slot
  output logic [31:0]            result_o,
  // Fill: one word a cycle.
  input  logic                   fill_en_i,
  input  logic                   fill_slot_i,
  input  logic [RowBits-1:0]     fill_row_i,
  input  logic [8*WordBytes-1:0] fill_data_i
);
  localparam int BankHalfwords = WordBytes / 4;
  localparam int ColumnBits = $clog2(BankHalfwords);
  localparam int BankBits = 16 * BankHalfwords;
  localparam int NumRows = (2 * npu_spec_pkg::Table16Entries + WordBytes - 1) / WordBytes;

  // Stage 0: which halfword of each bank. Position 0 is the least operand: the sign bit turned.
  logic [15:0]           position;
  logic [8:0]            even_idx;
  logic [7:0]            odd_idx;
  logic [RowBits-1:0]    even_row;
  logic [RowBits-1:0]    odd_row;
  logic [ColumnBits-1:0] even_column_q;
  logic [ColumnBits-1:0] odd_column_q;
  logic [6:0]            fraction_q;
  logic                  entry_is_odd_q;
  logic [1:0]            byte_q;
  logic [2:0]            format_q;

  always_comb begin
    position = format_i == npu_spec_pkg::TYPE_INT16 ? value_i[15:0] ^ 16'h8000 : {8'd0, value_i[7:0] ^ 8'h80};
    case (format_i)
      npu_spec_pkg::TYPE_INT16: begin
        even_idx = {1'b0, position[15:8]} + {8'd0, position[7]};
        odd_idx = position[15:8];
      end
      npu_spec_pkg::TYPE_INT32: begin
        even_idx = {1'b0, position[7:0]};
        odd_idx = position[7:0];
      end
      default: begin
        even_idx = {3'd0, position[7:2]};
        odd_idx = {2'd0, position[7:2]};
      end
    endcase
    even_row = RowBits'(even_idx >> ColumnBits);
    odd_row = RowBits'(odd_idx >> ColumnBits);
  end

  always_ff @(posedge clk_i) begin
    if (advance_i[0]) begin
      even_column_q <= even_idx[ColumnBits-1:0];
      odd_column_q <= odd_idx[ColumnBits-1:0];
      fraction_q <= position[6:0];
      entry_is_odd_q <= position[7];
      byte_q <= position[1:0];
      format_q <= format_i;
    end
  end

  logic [BankBits-1:0] even_data;
  logic [BankBits-1:0] odd_data;
  logic [BankBits-1:0] even_fill;
  logic [BankBits-1:0] odd_fill;

  genvar h;
  generate
    for (h = 0; h < BankHalfwords; h = h + 1) begin : gen_fill
      assign even_fill[16*h +: 16] = fill_data_i[32*h +: 16];
      assign odd_fill[16*h +: 16] = fill_data_i[32*h+16 +: 16];
    end
  endgenerate

  npu_ram_1r1w #(.WidthBits(BankBits), .DepthWords(2 * NumRows), .AddressBits(RowBits + 1)) u_even (
    .clk_i,
    .read_en_i(advance_i[0]), .read_address_i({even_row, slot_i}), .read_data_o(even_data),
    .write_en_i(fill_en_i), .write_address_i({fill_row_i, fill_slot_i}), .write_data_i(even_fill)
  );
  npu_ram_1r1w #(.WidthBits(BankBits), .DepthWords(2 * NumRows), .AddressBits(RowBits + 1)) u_odd (
    .clk_i,
    .read_en_i(advance_i[0]), .read_address_i({odd_row, slot_i}), .read_data_o(odd_data),
    .write_en_i(fill_en_i), .write_address_i({fill_row_i, fill_slot_i}), .write_data_i(odd_fill)
  );

  // Stage 1: entry * (128 - fraction) + next * fraction, which is entry * 128 + (next - entry) * fraction.
  logic        [15:0] even_half;
  logic        [15:0] odd_half;
  logic signed [15:0] entry;
  logic signed [15:0] next;
  logic signed [24:0] interpolated;
  logic        [7:0]  stored_byte;
  logic        [31:0] result_d;
  logic        [31:0] result_q;

  always_comb begin
    even_half = even_data[16*even_column_q +: 16];
    odd_half = odd_data[16*odd_column_q +: 16];
    entry = entry_is_odd_q ? odd_half : even_half;
    next = entry_is_odd_q ? even_half : odd_half;
    interpolated = 25'(entry) * 25'($signed({1'b0, 8'd128 - {1'b0, fraction_q}})) + 25'(next) * 25'($signed({1'b0, fraction_q}));
    case (byte_q)
      2'd0: stored_byte = even_half[7:0];
      2'd1: stored_byte = even_half[15:8];
      2'd2: stored_byte = odd_half[7:0];
      default: stored_byte = odd_half[15:8];
    endcase
    case (format_q)
      npu_spec_pkg::TYPE_INT16: result_d = 32'(interpolated);
      npu_spec_pkg::TYPE_INT32: result_d = {odd_half, even_half};
      default: result_d = {{24{stored_byte[7]}}, stored_byte};
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (advance_i[1]) result_q <= result_d;
  end

  assign result_o = result_q;
endmodule
