// SPDX-License-Identifier: Apache-2.0
// One lane of the weight tile: a shadow of N weights that words are loaded into, and the active N weights, which multiply.
//
//   words --> [shadow: N x 9] -- swap_i --> [active: N x 9] --> weight_o
//
// Weights come less their zero point. A word may be loaded at the edge of a swap: the swap takes what stood in the shadow
// before. Cells that no word writes keep what they had; activations that meet them are 0.
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
  input  logic                     swap_i,
  output logic [9*Lanes-1:0]       weight_o
);
  logic [9*Lanes-1:0] shadow_q;
  logic [9*Lanes-1:0] active_q;
  logic [9*Lanes-1:0] data, mask;

  assign data = word_data_i[9*Lanes*32'(word_i) +: 9*Lanes];
  assign mask = word_mask_i[9*Lanes*32'(word_i) +: 9*Lanes];

  always_ff @(posedge clk_i) begin
    if (load_i) shadow_q <= (shadow_q & ~mask) | data;
    if (swap_i) active_q <= shadow_q;
  end

  assign weight_o = active_q;
endmodule
