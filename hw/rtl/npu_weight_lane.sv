// SPDX-License-Identifier: Apache-2.0
// One lane of the weight tile: a shadow of N weights that words are loaded into, and the active N weights, which multiply.
//
//   words --> [shadow: N x 9] -- swap_i --> [active: N x 9] --> weight_o
//
// Weights come less their zero point. A word is the elements of a tile row, the lane's number among those of its pixel, or
// (element_wise_i) an element's tile rows, of which each lane takes its own byte. A word may be loaded at the edge of a swap: the swap
// takes what stood in the shadow before. Cells that no word writes keep what they had; activations that meet them are 0.
module npu_weight_lane #(
  parameter int Lanes = 16,
  parameter int Lane = 0,
  localparam int Words = npu_spec_pkg::WeightLoadWords
) (
  input  logic                     clk_i,
  input  logic [npu_spec_pkg::MacLaneSplitLog2Bits-1:0] split_i,
  input  logic                     element_wise_i,
  // At this edge: the words, 0 where the mask is, and which of them each tile row, or each element, takes.
  input  logic [Words-1:0]         word_en_i,
  input  logic [9*Words*Lanes-1:0] word_data_i,
  input  logic [9*Words*Lanes-1:0] word_mask_i,  // each bit of a weight
  input  logic [Words*Lanes-1:0]   row_words_i,
  input  logic                     swap_i,
  output logic [9*Lanes-1:0]       weight_o
);
  localparam int LaneBits = $clog2(Lanes);
  localparam int SplitBits = npu_spec_pkg::MacLaneSplitLog2Bits;
  localparam int OfHalf = Lane % (Lanes / 2);
  localparam int OfQuarter = Lane % (Lanes / 4);

  logic [LaneBits-1:0]      row;    // among the lanes of its pixel
  logic [Words-1:0]         words;  // of this row: at most one
  logic [$clog2(Words)-1:0] word;
  logic [9*Words-1:0]       byte_data;
  logic [Words-1:0]         byte_mask;  // and the word is there

  assign row = split_i == '0 ? LaneBits'(Lane) : split_i == SplitBits'(1) ? LaneBits'(OfHalf) : LaneBits'(OfQuarter);

  always_comb begin
    words = row_words_i[Words*32'(row) +: Words];
    word = '0;
    byte_mask = '0;
    byte_data = '0;
    for (int w = 0; w < Words; w = w + 1) begin
      if (words[w]) word = $clog2(Words)'(w);
      if (element_wise_i && word_en_i[w]) begin
        byte_mask[w] = word_mask_i[9*(Lanes*w + 32'(row))];
        byte_data[9*w +: 9] = word_data_i[9*(Lanes*w + 32'(row)) +: 9];
      end
    end
  end

  logic [9*Lanes-1:0] shadow_q;
  logic [9*Lanes-1:0] active_q;
  logic [9*Lanes-1:0] data, mask;
  logic [Words-1:0]   element_words;  // of one element
  logic               loads;

  assign loads = element_wise_i ? |byte_mask : |words;

  // Still while nothing is loaded.
  always_comb begin
    data = '0;
    mask = '0;
    element_words = '0;
    if (loads && element_wise_i) begin
      for (int e = 0; e < Lanes; e = e + 1) begin
        element_words = row_words_i[Words*e +: Words] & byte_mask;
        mask[9*e +: 9] = {9{|element_words}};
        for (int w = 0; w < Words; w = w + 1) data[9*e +: 9] = data[9*e +: 9] | (byte_data[9*w +: 9] & {9{element_words[w]}});
      end
    end else if (loads) begin
      data = word_data_i[9*Lanes*32'(word) +: 9*Lanes];
      mask = word_mask_i[9*Lanes*32'(word) +: 9*Lanes];
    end
  end

  always_ff @(posedge clk_i) begin
    if (loads) shadow_q <= (shadow_q & ~mask) | data;
    if (swap_i) active_q <= shadow_q;
  end

  assign weight_o = active_q;
endmodule
