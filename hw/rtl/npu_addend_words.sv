// SPDX-License-Identifier: Apache-2.0
// The words of a row of addends, and its bytes from them: int8, so that each pixel has at most two words. A word that pixels share is
// read once.
module npu_addend_words #(
  parameter int Lanes = 16,
  localparam int AddressBits = npu_agu_pkg::AddressBits,
  localparam int NumPixels = npu_spec_pkg::MaxRowPixels,
  localparam int BytesBits = $clog2(8*Lanes + 1),
  localparam int LaneBits = $clog2(Lanes),
  localparam int Words = 2*NumPixels,
  localparam int WordIdxBits = $clog2(Words)
) (
  // The row that is asked for.
  input  logic [2:0]                       pixels_i,
  input  logic [AddressBits*NumPixels-1:0] address_i,
  input  logic [BytesBits-1:0]             bytes_i,
  output logic [Words-1:0]                 read_o,
  output logic [AddressBits*Words-1:0]     word_o,
  output logic [WordIdxBits*Words-1:0]     from_o,    // which word that is read each is
  // The row whose words have come: what was said of it then, and log2 of its command's pixels a row.
  input  logic [LaneBits*NumPixels-1:0]    offset_i,
  input  logic [WordIdxBits*Words-1:0]     from_i,
  input  logic [1:0]                       split_i,
  input  logic [8*Lanes*Words-1:0]         data_i,
  output logic [8*Lanes-1:0]               add_o
);
  localparam int WordBits = 8*Lanes;

  logic [AddressBits-1:0] address;
  logic [Words-1:0]       read;

  always_comb begin
    address = '0;
    for (int w = 0; w < Words; w = w + 1) begin
      address = address_i[AddressBits*(w/2) +: AddressBits];
      word_o[AddressBits*w +: AddressBits] = {{LaneBits{address[AddressBits-1]}}, address[AddressBits-1:LaneBits]} + AddressBits'(w % 2);
      read[w] = 3'(w/2) < pixels_i && (w % 2 == 0 || (BytesBits+1)'(bytes_i) + (BytesBits+1)'(address[LaneBits-1:0]) > (BytesBits+1)'(Lanes));
    end
  end
  npu_shared_words #(.Words(Words)) u_shared (.read_i(read), .word_i(word_o), .read_o, .from_o);

  logic [2*WordBits-1:0] of_pixel;

  always_comb begin
    add_o = '0;
    of_pixel = '0;
    for (int p = 0; p < NumPixels; p = p + 1) begin
      for (int w = 0; w < 2; w = w + 1)
        of_pixel[WordBits*w +: WordBits] = data_i[WordBits*32'(from_i[WordIdxBits*(2*p + w) +: WordIdxBits]) +: WordBits];
      of_pixel = of_pixel >> {offset_i[LaneBits*p +: LaneBits], 3'd0};
      for (int split = 0; split <= $clog2(NumPixels); split = split + 1) begin
        for (int c = 0; c < (Lanes >> split); c = c + 1) begin
          if (split_i == 2'(split) && p < (1 << split)) add_o[8*(p*(Lanes >> split) + c) +: 8] = of_pixel[8*c +: 8];
        end
      end
    end
  end
endmodule
