// SPDX-License-Identifier: Apache-2.0
// Puts the words of a beat of weights into tile rows: the byte network between the SRAM and wgt_* of the array.
//
// A piece is bytes of a tile row that follow each other in memory, from word to word. Each lies in the words that the beat reads and in the
// last one that was read before it, which is kept here. Of int16 a tile has one byte of each weight, the low or the high one. Of int4 a byte
// has two weights, the first one in its low half: the array gets a byte of each, with its sign.
module npu_weight_pieces #(
  parameter int Lanes = 16,
  localparam int Words = npu_spec_pkg::WeightLoadWords,
  localparam int Pieces = npu_agu_pkg::WeightLoadRows,
  localparam int AddressBits = npu_agu_pkg::AddressBits,
  localparam int LengthBits = $clog2(2*Lanes + 1),
  localparam int ToBits = $clog2(2*Lanes)
) (
  input  logic                           clk_i,
  input  logic                           take_i,        // the beat is taken
  input  logic [Words-1:0]               read_i,        // its words, as npu_agu says
  input  logic [AddressBits*Words-1:0]   word_i,
  input  logic [8*Lanes*Words-1:0]       data_i,
  input  logic [AddressBits*Pieces-1:0]  address_i,
  input  logic [LengthBits*Pieces-1:0]   length_i,
  input  logic [ToBits*Pieces-1:0]       to_i,
  input  logic [Pieces-1:0]              row_valid_i,
  input  logic                           is_16_i, is_4_i,
  input  logic                           byte_i,
  output logic [8*Lanes*Pieces-1:0]      data_o,        // a piece: bytes of its tile row
  output logic [Lanes*Pieces-1:0]        mask_o
);
  localparam int LaneBits = $clog2(Lanes);
  localparam int WordBits = 8*Lanes;
  localparam int NumberBits = AddressBits - LaneBits;   // of a word's number that an address has
  localparam int Spans = 3;                             // words that a piece lies in at most

  logic [NumberBits-1:0] kept_word_q;
  logic [WordBits-1:0]   kept_data_q;

  always_ff @(posedge clk_i) begin
    for (int w = 0; w < Words; w = w + 1) begin
      if (take_i && read_i[w]) begin   // the last one that is read
        kept_word_q <= word_i[AddressBits*w +: NumberBits];
        kept_data_q <= data_i[WordBits*w +: WordBits];
      end
    end
  end

  genvar p;
  generate
    for (p = 0; p < Pieces; p = p + 1) begin : gen_piece
      logic [Spans*WordBits-1:0] words;     // of the piece, one after the other
      logic [NumberBits-1:0]     number;
      logic [ToBits+1:0]         at, from;  // bytes from the first word on
      logic [7:0]                both;      // a byte of memory
      logic [3:0]                half;

      always_comb begin
        words = '0;
        number = '0;
        for (int j = 0; j < Spans; j = j + 1) begin
          number = address_i[AddressBits*p + LaneBits +: NumberBits] + NumberBits'(j);
          if (number == kept_word_q) words[WordBits*j +: WordBits] = kept_data_q;
          for (int w = 0; w < Words; w = w + 1) begin
            if (read_i[w] && number == word_i[AddressBits*w +: NumberBits]) words[WordBits*j +: WordBits] = data_i[WordBits*w +: WordBits];
          end
        end
        from = '0;
        at = '0;
        both = '0;
        half = '0;
        for (int i = 0; i < Lanes; i = i + 1) begin
          from = (is_16_i ? (ToBits+2)'(2*i) + (ToBits+2)'(byte_i) : is_4_i ? (ToBits+2)'(i/2) : (ToBits+2)'(i)) - (ToBits+2)'(to_i[ToBits*p +: ToBits]);
          at = from + (ToBits+2)'(address_i[AddressBits*p +: LaneBits]);
          mask_o[Lanes*p + i] = row_valid_i[p] && !from[ToBits+1] && from < (ToBits+2)'(length_i[LengthBits*p +: LengthBits]);
          data_o[WordBits*p + 8*i +: 8] = '0;
          if (mask_o[Lanes*p + i]) begin
            both = words[8*32'(at) +: 8];
            half = i % 2 == 0 ? both[3:0] : both[7:4];
            data_o[WordBits*p + 8*i +: 8] = is_4_i ? {{4{half[3]}}, half} : both;
          end
        end
      end
    end
  endgenerate
endmodule
