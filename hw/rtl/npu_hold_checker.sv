// SPDX-License-Identifier: Apache-2.0
// Asserts that a stream's beat stands still from its valid to its handshake. Bound into units by <unit>_checks.sv, in builds with
// assertions only.
module npu_hold_checker #(
  parameter int DataBits = 1
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                valid_i,
  input logic                ready_i,
  input logic [DataBits-1:0] data_i
);
  logic                waits_q;
  logic [DataBits-1:0] data_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q <= 1'b0;
      data_q <= '0;
    end else begin
      waits_q <= valid_i && !ready_i;
      data_q <= data_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert_hold: assert (!waits_q || (valid_i && data_i == data_q));
      cover_waits: cover (waits_q && ready_i);
    end
  end
endmodule
