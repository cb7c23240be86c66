// SPDX-License-Identifier: Apache-2.0
// Asserts of a stream from the SRAM that a beat is taken when it is there, that no more beats are on their way than there is room for, and
// that the beat at the port stands still until it is taken. Bound into npu_stream_reads by npu_stream_reads_checks.sv, in builds with
// assertions only.
module npu_reads_checker #(
  parameter int Beats = 4,
  parameter int CountBits = 3,
  parameter int DataBits = 1
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 valid_i,
  input logic                 take_i,
  input logic [CountBits-1:0] count_i,
  input logic [DataBits-1:0]  data_i
);
  logic                waits_q;
  logic [DataBits-1:0] data_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q <= 1'b0;
      data_q <= '0;
    end else begin
      waits_q <= valid_i && !take_i;
      data_q <= data_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert_take: assert (!take_i || valid_i);
      assert_room: assert (32'(count_i) <= Beats);
      assert_hold: assert (!waits_q || (valid_i && data_i == data_q));
      cover_full: cover (32'(count_i) == Beats);
    end
  end
endmodule
