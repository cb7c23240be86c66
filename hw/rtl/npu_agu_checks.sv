// SPDX-License-Identifier: Apache-2.0
// The assertions of npu_agu: beats of its streams hold until they are taken, and what it says of its sets.
bind npu_agu npu_hold_checker #(.DataBits(WgtBits)) u_wgt_checker (
  .clk_i, .rst_ni, .valid_i(wgt_valid_o), .ready_i(wgt_ready_i),
  .data_i({wgt_read_o, wgt_word_o, wgt_row_valid_o, wgt_row_o, wgt_address_o, wgt_length_o, wgt_to_o, wgt_byte_o, wgt_last_o})
);
bind npu_agu npu_hold_checker #(.DataBits(ActBits)) u_act_checker (
  .clk_i, .rst_ni, .valid_i(act_valid_o), .ready_i(act_ready_i),
  .data_i({act_read_o, act_word_o, act_mask_o, act_last_o})
);
bind npu_agu npu_hold_checker #(.DataBits(PrmBits)) u_prm_checker (
  .clk_i, .rst_ni, .valid_i(prm_valid_o), .ready_i(prm_ready_i),
  .data_i({prm_address_o, prm_bytes_o})
);
bind npu_agu npu_hold_checker #(.DataBits(RowBits)) u_add_checker (
  .clk_i, .rst_ni, .valid_i(add_valid_o), .ready_i(add_ready_i),
  .data_i({add_pixels_o, add_address_o, add_bytes_o})
);
bind npu_agu npu_hold_checker #(.DataBits(RowBits + 1)) u_out_checker (
  .clk_i, .rst_ni, .valid_i(out_valid_o), .ready_i(out_ready_i),
  .data_i({out_pixels_o, out_address_o, out_bytes_o, out_last_o})
);
bind npu_agu npu_hold_checker #(.DataBits(VecBits + SecondBits)) u_ld_checker (
  .clk_i, .rst_ni, .valid_i(ld_valid_o), .ready_i(ld_ready_i),
  .data_i({ld_step_o, ld_part_o, ld_address_o, ld_stride_o, ld_count_o, ld_second_address_o, ld_second_count_o})
);
bind npu_agu npu_hold_checker #(.DataBits(VecBits)) u_st_checker (
  .clk_i, .rst_ni, .valid_i(st_valid_o), .ready_i(st_ready_i),
  .data_i({st_step_o, st_part_o, st_address_o, st_stride_o, st_count_o})
);
bind npu_agu npu_agu_checker u_agu_checker (
  .clk_i, .rst_ni,
  .mac_give_i(mac_give), .vec_give_i(vec_give),
  .mac_left_i(wgt_left_q | act_left_q | prm_left_q | add_left_q | out_left_q), .vec_left_i(vec_left_q),
  .act_valid_i({seg_valid[act_turn_q], win_valid[act_turn_q]})
);
