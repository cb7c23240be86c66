// SPDX-License-Identifier: Apache-2.0
// Asserts that a bank is asked for words that it has, and that a write writes something. Bound into npu_ram_1rw by npu_ram_1rw_checks.sv,
// in builds with assertions only.
module npu_bank_checker #(
  parameter int WordBytes = 16,
  parameter int DepthWords = 1024,
  parameter int AddressBits = 10
) (
  input logic                   clk_i,
  input logic                   en_i,
  input logic                   write_i,
  input logic [AddressBits-1:0] address_i,
  input logic [WordBytes-1:0]   mask_i
);
  always_ff @(posedge clk_i) begin
    assert_address: assert (!en_i || 32'(address_i) < 32'(DepthWords));
    assert_mask: assert (!en_i || !write_i || mask_i != '0);
    cover_part: cover (en_i && write_i && mask_i != '1);
  end
endmodule
