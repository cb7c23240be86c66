// SPDX-License-Identifier: Apache-2.0
// The assertions of npu_vector_unit.
bind npu_vector_unit npu_vector_checker #(
  .StoreBits(33 * Lanes), .AskBits(102 * Lanes + 9)
) u_vector_checker (
  .clk_i, .rst_ni, .en_i, .advance_i(advance), .is_running_i(is_running),
  .cmd_valid_i, .cmd_ready_i(cmd_ready_o), .ld_valid_i,
  .st_valid_i(st_valid_o), .st_ready_i, .st_i({st_data_o, st_mask_o}),
  .ld_ready_i(ld_ready_o),
  .asks_i(scale_valid_o || look_valid_o),
  .ask_i({scale_valid_o, {86*Lanes{scale_valid_o}} & {scale_value_o, scale_multiplier_o, scale_shift_o},
          look_valid_o, {16*Lanes{look_valid_o}} & look_value_o, {7{scale_valid_o}} & {scale_rounding_o, scale_in_type_o, scale_out_unsigned_o}}),
  .valid_i(valid), .starts_i(u_issue.starts), .slots_i(u_issue.slots)
);
