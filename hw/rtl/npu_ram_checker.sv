// SPDX-License-Identifier: Apache-2.0
// Asserts that a memory is asked for words that it has. Bound into npu_ram_1r1w by npu_ram_1r1w_checks.sv, in builds with assertions
// only.
module npu_ram_checker #(
  parameter int DepthWords = 64,
  parameter int AddressBits = 6
) (
  input logic                   clk_i,
  input logic                   read_en_i,
  input logic [AddressBits-1:0] read_address_i,
  input logic                   write_en_i,
  input logic [AddressBits-1:0] write_address_i
);
  always_ff @(posedge clk_i) begin
    assert_read: assert (!read_en_i || 32'(read_address_i) < 32'(DepthWords));
    assert_write: assert (!write_en_i || 32'(write_address_i) < 32'(DepthWords));
    cover_both: cover (read_en_i && write_en_i);
  end
endmodule
