// SPDX-License-Identifier: Apache-2.0
// Asserts that the SRAM serves words that were asked for, no more than its ports have. Bound into npu_sram by npu_sram_checks.sv, in builds
// with assertions only.
module npu_sram_checker #(
  parameter int Words = 32,      // of all streams
  parameter int Banks = 8,
  parameter int ReadWords = 4,
  parameter int WriteWords = 2
) (
  input logic             clk_i,
  input logic [Words-1:0] valid_i,
  input logic [Words-1:0] write_i,
  input logic [Words-1:0] grant_i,
  input logic [Banks-1:0] bank_en_i
);
  always_ff @(posedge clk_i) begin
    assert_asked: assert ((grant_i & ~valid_i) == '0);
    // Two words in a bank would be fewer banks than words.
    assert_banks: assert ($countones(grant_i) == $countones(bank_en_i));
    assert_reads: assert ($countones(grant_i & ~write_i) <= ReadWords);
    assert_writes: assert ($countones(grant_i & write_i) <= WriteWords);
    cover_full: cover ($countones(grant_i & ~write_i) == ReadWords && $countones(grant_i & write_i) == WriteWords);
    cover_late: cover ((valid_i & ~grant_i) != '0);
  end
endmodule
