// SPDX-License-Identifier: Apache-2.0
// The assertions of npu_rescale_unit.
bind npu_rescale_unit npu_pipe_checker #(
  .LatencyCycles(npu_spec_pkg::RescalePipelineCycles), .TagBits(TagBits), .ResultBits(32 * Lanes)
) u_pipe_checker (
  .clk_i, .rst_ni, .en_i,
  .valid_i(scale_valid_i), .tag_i(scale_tag_i),
  .valid_o(scale_valid_o), .tag_o(scale_tag_o), .result_o(scale_result_o)
);
