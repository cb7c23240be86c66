// SPDX-License-Identifier: Apache-2.0
// One lane of the weight tile: a shadow of N weights that words are loaded into, and the active N weights, which multiply.
//
//   words --> [shadow: N x 9] -- swap_i --> [active: N x 9] --> weight_o
//
// Weights come less their zero point. A word is a lane's elements, or (element_wise_i) an element's lanes, of which each lane takes
// its own byte. A word may be loaded at the edge of a swap: the swap takes what stood in the shadow before. Cells that no word
// writes keep what they had; activations that meet them are 0.
module npu_weight_lane #(
  parameter int Lanes = 16,
  parameter int Words = npu_spec_pkg::WeightLoadWords
) (
  input  logic                     clk_i,
  // At this edge: whether one of the words is for this lane, and which one.
  input  logic                     load_i,
  input  logic [$clog2(Words)-1:0] word_i,
  input  logic [9*Words*Lanes-1:0] word_data_i,  // 0 where the mask is
  input  logic [9*Words*Lanes-1:0] word_mask_i,  // each bit of a weight
  // Words of elements: the words of each element, bit 0 of word 0 of element 0; this lane's byte of each word.
  input  logic                     element_wise_i,
  input  logic [Words*Lanes-1:0]   element_words_i,
  input  logic [9*Words-1:0]       byte_data_i,  // 0 where the mask is
  input  logic [Words-1:0]         byte_mask_i,  // and the word is there
  input  logic                     swap_i,
  output logic [9*Lanes-1:0]       weight_o
);
  logic [9*Lanes-1:0] shadow_q;
  logic [9*Lanes-1:0] active_q;
  logic [9*Lanes-1:0] data, mask;
  logic [9*Lanes-1:0] element_data, element_mask;

  genvar e;
  generate
    for (e = 0; e < Lanes; e = e + 1) begin : gen_element
      logic [Words-1:0] words;
      logic [8:0]       taken;

      assign words = element_words_i[Words*e +: Words] & byte_mask_i;
      always_comb begin
        taken = 9'd0;
        for (int w = 0; w < Words; w = w + 1) taken = taken | (byte_data_i[9*w +: 9] & {9{words[w]}});
      end
      assign element_data[9*e +: 9] = taken;
      assign element_mask[9*e +: 9] = {9{|words}};
    end
  endgenerate

  assign data = element_wise_i ? element_data : word_data_i[9*Lanes*32'(word_i) +: 9*Lanes];
  assign mask = element_wise_i ? element_mask : word_mask_i[9*Lanes*32'(word_i) +: 9*Lanes];

  always_ff @(posedge clk_i) begin
    if (element_wise_i ? |byte_mask_i : load_i) shadow_q <= (shadow_q & ~mask) | data;
    if (swap_i) active_q <= shadow_q;
  end

  assign weight_o = active_q;
endmodule
