// SPDX-License-Identifier: Apache-2.0
// Words on their way into the windows: each run of bytes, one of each position that a word serves, turned so that its bytes
// stand where the lanes of a pixel look for them.
//
//   word --> ring, turned by (to - offset) --> bytes of the lanes, and which of them are there     for each position
//
// Runs 0 to MaxRowPixels - 1 are of word 0, and so on.
module npu_window_words #(
  parameter int Lanes = 16,
  localparam int LaneBits = $clog2(Lanes),
  localparam int RingBits = $clog2(2*Lanes),
  localparam int LengthBits = $clog2(Lanes+1),
  localparam int Words = npu_spec_pkg::WindowWords,
  localparam int Runs = npu_spec_pkg::WindowRuns
) (
  input  logic                       words_i,     // there are words; else nothing moves
  input  logic [8*Words*Lanes-1:0]   data_i,
  input  logic [Runs*LaneBits-1:0]   offset_i,
  input  logic [Runs*LengthBits-1:0] length_i,
  input  logic [Runs*RingBits-1:0]   to_i,
  output logic [8*Runs*Lanes-1:0]    turned_o,
  output logic [2*Runs*Lanes-1:0]    present_o
);
  localparam int RunsOfWord = Runs / Words;

  genvar r;
  generate
    for (r = 0; r < Runs; r = r + 1) begin : gen_run
      logic [16*Lanes-1:0] ring;
      logic [LaneBits-1:0] turn;
      logic [RingBits-1:0] to;
      logic [2*Lanes-1:0]  bytes;

      assign to = to_i[RingBits*r +: RingBits];
      // Byte `offset` comes to byte `to`, modulo the bytes of a word.
      assign turn = offset_i[LaneBits*r +: LaneBits] - to[LaneBits-1:0];
      assign bytes = ~({2*Lanes{1'b1}} << length_i[LengthBits*r +: LengthBits]);
      always_comb begin
        ring = '0;
        turned_o[8*Lanes*r +: 8*Lanes] = '0;
        present_o[2*Lanes*r +: 2*Lanes] = '0;
        if (words_i && length_i[LengthBits*r +: LengthBits] != '0) begin
          ring = {2{data_i[8*Lanes*(r/RunsOfWord) +: 8*Lanes]}};
          turned_o[8*Lanes*r +: 8*Lanes] = ring[{1'b0, turn, 3'b000} +: 8*Lanes];
          present_o[2*Lanes*r +: 2*Lanes] = bytes << to;
        end
      end
    end
  endgenerate
endmodule
