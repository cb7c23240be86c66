// SPDX-License-Identifier: Apache-2.0
// Beats of weights on their way into the shadow tile: words less the zero point, and which of them each tile row takes.
//
//   wgt --> [is the shadow free?] --> words, masks, words of each tile row --> shadow tile of each lane (npu_weight_lane)
//
// A beat goes into the shadow while that is free, or at the edge at which it becomes free. Of int16 weights a tile of low bytes,
// which have no sign, comes first, then one of high bytes, in turns.
module npu_weight_words #(
  parameter int Lanes = 16,
  localparam int LaneBits = $clog2(Lanes),
  localparam int Words = npu_spec_pkg::WeightLoadWords
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     en_i,
  input  logic                     command_i,     // one is taken
  input  logic                     is_running_i,
  input  logic                     swap_i,        // the shadow becomes free
  input  logic                     is_16_i,
  input  logic [8:0]               zero_point_i,
  input  logic                     wgt_valid_i,
  output logic                     wgt_ready_o,
  input  logic [Words-1:0]         wgt_word_valid_i,
  input  logic [Words*LaneBits-1:0] wgt_row_i,
  input  logic [8*Words*Lanes-1:0] wgt_data_i,
  input  logic [Words*Lanes-1:0]   wgt_mask_i,
  input  logic                     wgt_last_i,
  output logic                     shadow_full_o,
  output logic [Words-1:0]         word_en_o,     // taken at this edge
  output logic [9*Words*Lanes-1:0] word_data_o,   // 0 where the mask is, and where nothing is taken
  output logic [9*Words*Lanes-1:0] word_mask_o,   // each bit of a weight
  output logic [Words*Lanes-1:0]   row_words_o    // the words of each tile row, bit 0 of word 0 of row 0
);
  logic shadow_full_q, loads_high_q, is_low_byte, take;

  assign wgt_ready_o = is_running_i && (!shadow_full_q || swap_i);
  assign take = en_i && wgt_valid_i && wgt_ready_o;
  assign is_low_byte = is_16_i && !loads_high_q;
  assign word_en_o = {Words{take}} & wgt_word_valid_i;
  assign shadow_full_o = shadow_full_q;

  genvar r, w;
  generate
    for (r = 0; r < Lanes; r = r + 1) begin : gen_row
      for (w = 0; w < Words; w = w + 1) begin : gen_word
        assign row_words_o[Words*r + w] = word_en_o[w] && wgt_row_i[LaneBits*w +: LaneBits] == LaneBits'(r);
      end
    end
  endgenerate

  // Still while no beat is taken.
  always_comb begin
    word_mask_o = '0;
    word_data_o = '0;
    if (take) begin
      for (int c = 0; c < Words*Lanes; c = c + 1) begin
        word_mask_o[9*c +: 9] = {9{wgt_mask_i[c]}};
        word_data_o[9*c +: 9] = ({wgt_data_i[8*c+7] && !is_low_byte, wgt_data_i[8*c +: 8]} - zero_point_i) & {9{wgt_mask_i[c]}};
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) shadow_full_q <= 1'b0;
    else if (take) shadow_full_q <= wgt_last_i;
    else if (en_i && swap_i) shadow_full_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (command_i) loads_high_q <= 1'b0;
    else if (take && wgt_last_i) loads_high_q <= !loads_high_q;
  end
endmodule
