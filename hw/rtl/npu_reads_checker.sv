// SPDX-License-Identifier: Apache-2.0
// Asserts of a stream from the SRAM that a beat is taken when it is there, and that no more beats are on their way than there is room for.
// Bound into npu_stream_reads by npu_stream_reads_checks.sv, in builds with assertions only.
module npu_reads_checker #(
  parameter int Beats = 4,
  parameter int CountBits = 3
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 valid_i,
  input logic                 take_i,
  input logic [CountBits-1:0] count_i
);
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert_take: assert (!take_i || valid_i);
      assert_room: assert (32'(count_i) <= Beats);
      cover_full: cover (32'(count_i) == Beats);
    end
  end
endmodule
