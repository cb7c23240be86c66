// SPDX-License-Identifier: Apache-2.0
// The assertions of npu_ram_1rw, in every bank of the SRAM.
bind npu_ram_1rw npu_bank_checker #(
  .WordBytes(WordBytes), .DepthWords(DepthWords), .AddressBits(AddressBits)
) u_bank_checker (
  .clk_i, .en_i, .write_i, .address_i, .mask_i
);
