// SPDX-License-Identifier: Apache-2.0
// The divider of a lane of the vector unit. It truncates towards zero and finds one quotient bit per cycle. A division by zero gives -1, and
// -2^31 by -1 gives -2^31.
//
//   start_i: absolute values -> 32 cycles: remainder_q, quotient_q -> sign: result_o
//
// result_o is right IntDivCycles - 1 cycles with advance_i after that of start_i, and stays so until the next start.
module npu_vector_divider (
  input  logic               clk_i,
  input  logic               advance_i,
  input  logic               start_i,
  input  logic               busy_i,      // a quotient bit in this cycle
  input  logic signed [31:0] dividend_i,
  input  logic signed [31:0] divisor_i,
  output logic signed [31:0] result_o
);
  logic [31:0] quotient_q;   // its bits come in from below, those of the dividend go out above
  logic [31:0] remainder_q;
  logic [31:0] divisor_q;
  logic        negative_q;
  logic        by_zero_q;
  logic [32:0] candidate;
  logic [32:0] difference;

  assign candidate = {remainder_q, quotient_q[31]};
  assign difference = candidate - {1'b0, divisor_q};

  always_ff @(posedge clk_i) begin
    if (advance_i && start_i) begin
      quotient_q <= dividend_i[31] ? -dividend_i : dividend_i;
      divisor_q <= divisor_i[31] ? -divisor_i : divisor_i;
      remainder_q <= 32'd0;
      negative_q <= dividend_i[31] ^ divisor_i[31];
      by_zero_q <= divisor_i == 32'd0;
    end else if (advance_i && busy_i) begin
      quotient_q <= {quotient_q[30:0], !difference[32]};
      remainder_q <= difference[32] ? candidate[31:0] : difference[31:0];
    end
  end

  always_comb begin
    result_o = negative_q ? -quotient_q : quotient_q;
    if (by_zero_q) result_o = -32'sd1;
  end
endmodule
