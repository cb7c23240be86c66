// SPDX-License-Identifier: Apache-2.0
// The assertions of npu_table_unit.
bind npu_table_unit npu_pipe_checker #(
  .LatencyCycles(npu_spec_pkg::TablePipelineCycles), .TagBits(TagBits), .ResultBits(32 * Lanes)
) u_pipe_checker (
  .clk_i, .rst_ni, .en_i,
  .valid_i(look_valid_i), .tag_i(look_tag_i),
  .valid_o(look_valid_o), .tag_o(look_tag_o), .result_o(look_result_o)
);
bind npu_table_unit npu_fill_checker #(
  .WordIdxBits(WordIdxBits), .Last16(Last16)
) u_fill_checker (
  .clk_i, .rst_ni, .tbl_valid_i, .tbl_ready_o, .tbl_slot_i, .tbl_type_i, .tbl_word_i, .slot_format_o
);
