// SPDX-License-Identifier: Apache-2.0
// The assertions of npu_lane_share, which npu_core has twice.
bind npu_lane_share npu_share_checker #(
  .TagBits(TagBits), .Latency(Latency)
) u_share_checker (
  .clk_i, .rst_ni, .array_en_i, .array_valid_i, .array_valid_o, .vec_en_i, .vec_valid_i, .vec_tag_i, .vec_ready_o, .vec_valid_o, .vec_tag_o,
  .num_i(num_q), .pushes_i(pushes), .pops_i(leaves && is_queued)
);
