// SPDX-License-Identifier: Apache-2.0
// The assertions of npu_stream_reads, in every stream of the array.
bind npu_stream_reads npu_reads_checker #(
  .Beats(Beats), .CountBits(CountBits), .DataBits(MetaBits)
) u_reads_checker (
  .clk_i, .rst_ni, .valid_i(valid_o), .take_i, .count_i(count_q), .data_i(meta_o)
);
