// SPDX-License-Identifier: Apache-2.0
// The assertions of npu_mac_array, alone and in npu_datapath.
bind npu_mac_array npu_array_checker #(
  .Lanes(Lanes), .RowBits(RowBits), .OutBits(49 * Lanes + RowBits + 3)
) u_array_checker (
  .clk_i, .rst_ni, .en_i,
  .cmd_i(command),
  .wgt_i(en_i && wgt_valid_i && wgt_ready_o), .wgt_last_i,
  .act_i(beat), .act_last_i,
  .prm_i(en_i && prm_valid_i && prm_ready_o),
  .add_i(en_i && add_valid_i && add_ready_o),
  .last_i(cmd_i[npu_spec_pkg::MacLastLsb]),
  .residual_i(cmd_i[npu_spec_pkg::MacResidualLsb]),
  .weight_is_16_i(weight_is_16),
  .lane_split_log2_i(lane_split_log2),
  .row_tile_rows_i(64'(cmd_i[npu_spec_pkg::MacRowTileRowsLsb +: npu_spec_pkg::MacRowTileRowsBits])),
  .out_rows_i(64'(cmd_i[npu_spec_pkg::MacOutRowsLsb +: npu_spec_pkg::MacOutRowsBits])),
  .out_columns_i(64'(out_columns)),
  .out_channels_i(64'(cmd_i[npu_spec_pkg::MacOutChannelsLsb +: npu_spec_pkg::MacOutChannelsBits])),
  .num_elements_i(64'(cmd_i[npu_spec_pkg::MacReductionEndLsb +: npu_spec_pkg::MacReductionEndBits]) -
                  64'(cmd_i[npu_spec_pkg::MacReductionBeginLsb +: npu_spec_pkg::MacReductionBeginBits])),
  .out_valid_i(out_valid_o), .out_ready_i,
  .out_i({out_value_o, out_mask_o, out_row_o, out_bank_o, out_last_of_tile_o, out_last_o}),
  .out_is_empty_i(out_mask_o == '0),
  .out_row_i(out_row_o), .out_bank_i(out_bank_o), .out_last_of_tile_i(out_last_of_tile_o), .out_last_i(out_last_o),
  .shadow_write_i(word_en != '0),
  .shadow_full_i(shadow_full),
  .swap_i(swap),
  .undrained_i(undrained),
  .drain_read_i(read), .drain_bank_i(read_bank),
  .row_moves_i(advance[3]), .row_reads_i(!info2_q[RowBits+1]), .row_i(info2_q[RowBits:0]),
  .sum_moves_i(advance[4]), .sum_row_i(info3_q[RowBits:0]),
  .forward_i(forward_q),
  .is_behind_i(is_behind), .holds_row_i(holds_row), .can_move_i(can_move)
);
