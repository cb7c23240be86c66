// SPDX-License-Identifier: Apache-2.0
// The assertions of npu_ram_1r1w, in every unit that has one.
bind npu_ram_1r1w npu_ram_checker #(
  .DepthWords(DepthWords), .AddressBits(AddressBits)
) u_ram_checker (
  .clk_i, .read_en_i, .read_address_i, .write_en_i, .write_address_i
);
