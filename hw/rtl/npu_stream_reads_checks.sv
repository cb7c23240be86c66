// SPDX-License-Identifier: Apache-2.0
// The assertions of npu_stream_reads, in every stream of the array. The beat at the port stands still until it is taken.
bind npu_stream_reads npu_reads_checker #(
  .Beats(Beats), .CountBits(CountBits)
) u_reads_checker (
  .clk_i, .rst_ni, .valid_i(valid_o), .take_i, .count_i(count_q)
);
bind npu_stream_reads npu_hold_checker #(.DataBits(MetaBits)) u_hold_checker (
  .clk_i, .rst_ni, .valid_i(valid_o), .ready_i(take_i), .data_i(meta_o)
);
