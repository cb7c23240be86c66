// SPDX-License-Identifier: Apache-2.0
// The assertions of npu_sram.
bind npu_sram npu_sram_checker #(
  .Words(All), .Banks(Banks), .ReadWords(ReadWords), .WriteWords(WriteWords)
) u_sram_checker (
  .clk_i, .valid_i(valid), .write_i(write), .grant_i(grant), .bank_en_i(bank_en)
);
