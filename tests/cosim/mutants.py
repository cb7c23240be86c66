#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Long because: two lines for each of its faults.
"""Single faults in hw/rtl: each is Verilated for 8 lanes and co-simulated; `vernier cosim` would have to exit with 3 or 4.

mutants.py --build DIR [--only GLOB | --quick]: DIR is a build folder with specgen and rtl_mutant_runner. --check: only whether
the edits fit. Exit code 0: every mutant was found; 1: some were not; 2: an edit does not fit or does not build; 77: no Verilator."""

import argparse
import fnmatch
import math
import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/mutants"), str(ROOT / "tests/rtl"), str(ROOT / "tests/cosim")]
import agu_mutants
import campaign
import elaborate
import vector_mutants
from campaign import Broken, must

RTL = ROOT / "hw/rtl"
SKIPPED = 77
# Each mutant is found in so much CPU time after its build; a co-simulation that stands still is stopped by the clock.
LONGEST_CPU_SECONDS, LONGEST_SECONDS = 20, 1200
LONGEST_CPU_SECONDS_OF_ALL_VECTORS = 300  # where nothing is found
SEEDS = (1, 2, 5)
RESCALE, TABLE, ARRAY, DATAPATH = "npu_rescale_unit", "npu_table_unit", "npu_mac_array", "npu_datapath"
VECTORS = {RESCALE: 20_000, TABLE: 20_000, ARRAY: 30_000, DATAPATH: 30_000, vector_mutants.VECTOR: 30_000, vector_mutants.CORE: 10_000,
           agu_mutants.AGU: 150}  # of npu_agu commands for each unit
SEQUENCER, DRAIN, EPILOGUE, RESIDUAL = "npu_mac_sequencer", "npu_mac_drain", "npu_mac_epilogue", "npu_mac_residual"
PIXELS, WORDS, ACTIVATION = "npu_row_pixels", "npu_weight_words", "npu_mac_activation"
WINDOW, WINDOW_WORDS, MAC_LANE = "npu_window_lane", "npu_window_words", "npu_mac_lane"
LANE, TABLE_LANE, WEIGHTS, ASSEMBLER = "npu_rescale_lane", "npu_table_lane", "npu_weight_lane", "npu_row_assembler"

IDLE = "idle"  # a kind: no result is wrong, but registers change in idle cycles
# Kind, name, block, whether it belongs to the quick ones, edits: module, what stands there once, what stands there instead.
MUTANTS = (
    ("value", "double rounding one shift too early", RESCALE, False,
     [(LANE, "double_round_i && shift1_q[5]", "double_round_i && shift1_q >= 6'd31")]),
    ("value", "a tie stays odd", RESCALE, True, [(LANE, "quotient[0] & ~is_tie", "quotient[0] | (is_tie & 1'b0)")]),
    ("value", "16-bit multipliers without sign", RESCALE, False, [(LANE, "{16{multiplier_i[15]}}", "16'd0")]),
    ("value", "unsigned int16 read as signed", RESCALE, False, [(LANE, "{32{value_i[15] & ~in_unsigned_i}}", "{32{value_i[15]}}")]),
    ("value", "the zero point is 17 bits", RESCALE, False,
     [(LANE, "48'(in_zero_point_i)", "48'($signed(in_zero_point_i[16:0]))")]),
    ("value", "the largest product by the largest shift loses its sign", RESCALE, False,
     [(LANE, "$signed(sum_q) >>>", "$signed({sum_q[63], sum_q[63:0]}) >>>")]),
    ("value", "sums of 32 bits do not wrap", ARRAY, False,
     [(EPILOGUE, "assign value = is_48 ? sum : {{16{sum[31]}}, sum[31:0]};", "assign value = sum;")]),
    ("value", "high bytes of int16 are read in padding", ARRAY, False,
     [(ASSEMBLER, "high[8*i +: 8] = mask_i[i] ? 8'd0 : placed_data[", "high[8*i +: 8] = placed_data[")]),
    ("value", "lower limit wins over upper", RESCALE, False, [(RESCALE, "if (clamped > high)", "if (value > high)")]),
    ("value", "two lanes share a multiplier", RESCALE, False,
     [(RESCALE, "scale_multiplier_i[32*i +: 32]", "scale_multiplier_i[32*(i/2*2) +: 32]")]),
    ("cycle", "valid a stage early", RESCALE, False,
     [(RESCALE, "assign scale_valid_o = valid_q[LatencyCycles-1]", "assign scale_valid_o = valid_q[LatencyCycles-2]")]),
    ("cycle", "one more stage, all of it right", RESCALE, False,
     [(RESCALE, "  assign scale_valid_o = valid_q[LatencyCycles-1];\n  assign scale_tag_o = tag3_q;",
       "  logic late_valid_q;\n  logic [TagBits-1:0] late_tag_q;\n  logic [32*Lanes-1:0] late_result_q;\n"
       "  always_ff @(posedge clk_i or negedge rst_ni) begin\n    if (!rst_ni) late_valid_q <= 1'b0;\n"
       "    else if (en_i) late_valid_q <= valid_q[LatencyCycles-1];\n  end\n"
       "  always_ff @(posedge clk_i) begin\n    if (en_i) begin\n      late_tag_q <= tag3_q;\n      late_result_q <= early_result;\n    end\n  end\n"
       "  assign scale_valid_o = late_valid_q;\n  assign scale_tag_o = late_tag_q;\n  assign scale_result_o = late_result_q;"),
      (RESCALE, "  genvar i;", "  logic [32*Lanes-1:0] early_result;\n  genvar i;"),
      (RESCALE, ".result_o(scale_result_o[", ".result_o(early_result[")]),
    ("handshake", "the last stage runs while en_i is low", RESCALE, False,
     [(LANE, "if (advance_i[3]) result_q <= result_d;", "result_q <= advance_i[3] ? result_d : result_d;")]),
    ("handshake", "valid moves while en_i is low", RESCALE, False, [(RESCALE, "else if (en_i) valid_q", "else valid_q")]),
    ("handshake", "valid follows en_i", RESCALE, False,
     [(RESCALE, "assign scale_valid_o = valid_q[LatencyCycles-1]", "assign scale_valid_o = valid_q[LatencyCycles-1] & en_i")]),
    ("reset/X", "valid keeps its value over reset", RESCALE, True,
     [(RESCALE, "if (!rst_ni) valid_q <= '0;\n    else if (en_i)", "if (rst_ni && en_i)")]),
    ("reset/X", "a register that nobody writes", RESCALE, False,
     [(RESCALE, "      half_even1_q <= half_even0_q;", "      half_even1_q <= half_even1_q | (half_even0_q & 1'b0);")]),
    ("value", "neighbours in different rows", TABLE, False,
     [(TABLE_LANE, "{1'b0, position[15:8]} + {8'd0, position[7]}", "{1'b0, position[15:8]} | {8'd0, position[7]}")]),
    ("value", "weight of the entry", TABLE, False, [(TABLE_LANE, "8'd128 - ", "8'd127 - ")]),
    ("value", "bytes of a halfword", TABLE, False,
     [(TABLE_LANE, "2'd2: stored_byte = odd_half[7:0];", "2'd2: stored_byte = odd_half[15:8];")]),
    ("value", "slots share a bank", TABLE, False,
     [(TABLE_LANE, ".write_en_i(fill_en_i), .write_address_i({fill_row_i, fill_slot_i}), .write_data_i(odd_fill)",
       ".write_en_i(fill_en_i), .write_address_i({fill_row_i, fill_slot_i & 1'b0}), .write_data_i(odd_fill)")]),
    ("cycle", "valid a stage early", TABLE, False,
     [(TABLE, "assign look_valid_o = valid_q[LatencyCycles-1]", "assign look_valid_o = valid_q[LatencyCycles-2]")]),
    ("handshake", "filling waits for en_i", TABLE, False, [(TABLE, "assign tbl_ready_o = 1'b1", "assign tbl_ready_o = en_i")]),
    ("handshake", "a bank reads while en_i is low", TABLE, False,
     [(TABLE_LANE, ".read_en_i(advance_i[0]), .read_address_i({even_row", ".read_en_i(1'b1), .read_address_i({even_row")]),
    ("reset/X", "a slot stays full over reset", TABLE, False, [(TABLE, "      format1_q <= 3'd0;\n", "")]),
    ("reset/X", "a slot is full before its last word", TABLE, True,
     [(TABLE, "tbl_word_i == last_word ? tbl_type_i : 3'd0", "tbl_word_i <= last_word ? tbl_type_i : 3'd0")]),
    ("reset/X", "look-ups go on after a reset", TABLE, False,
     [(TABLE, "if (!rst_ni) valid_q <= '0;\n    else if (en_i)", "if (rst_ni && en_i)")]),
    ("value", "padding is read", ARRAY, False, [(ASSEMBLER, "low[9*i +: 9] = mask_i[i] ? 9'd0 : {", "low[9*i +: 9] = {")]),
    ("value", "what no beat brings keeps its value", ARRAY, False,
     [(ASSEMBLER, "low[9*i +: 9] = has_row_q ? row_q[9*i +: 9] : 9'd0;", "low[9*i +: 9] = row_q[9*i +: 9];")]),
    ("value", "the mask of a word of weights counts for nothing", ARRAY, False,
     [(WORDS, "word_mask_o[9*c +: 9] = {9{wgt_mask_i[c]}};", "word_mask_o[9*c +: 9] = 9'h1ff;")]),
    ("value", "a sum is not forwarded", ARRAY, True, [(ARRAY, "forward_q <= valid_q[3] &&", "forward_q <= valid_q[3] && 1'b0 &&")]),
    ("value", "a sum is forwarded to another row", ARRAY, False,
     [(ARRAY, "info3_q[RowBits:0] == info2_q[RowBits:0]", "info3_q[RowBits] == info2_q[RowBits]")]),
    ("value", "a slice that goes on begins from zero", ARRAY, False,
     [(SEQUENCER, "from_zero_o = first_q && step_q == '0", "from_zero_o = step_q == '0")]),
    ("value", "a row that begins from zero reads its bank", ARRAY, False, [(ARRAY, ".read_i(!info2_q[RowBits+1])", ".read_i(1'b1)")]),
    ("bank", "the other bank is drained", ARRAY, False,
     [(DRAIN, "assign read_bank_o = info[", "assign read_bank_o = ~info[")]),
    ("bank", "a bank is taken before it is drained", ARRAY, True,
     [(SEQUENCER, "assign has_bank = undrained_i <= 2'd1", "assign has_bank = undrained_i <= 2'd2"),
      (SEQUENCER, "assign next_has_bank = held <= 2'd1 ||", "assign next_has_bank = held <= 2'd2 ||")]),
    ("bank", "what was read is of the next row's bank while it stands", ARRAY, False,
     [(MAC_LANE, "if (drain_en_i) drained_bank_q <= drain_bank_i;", "drained_bank_q <= drain_bank_i;")]),
    ("bank", "a shadow whose first word comes with the swap is full", ARRAY, False,
     [(WORDS, "else if (take) shadow_full_q <= wgt_last_i;", "else if (take) shadow_full_q <= wgt_last_i || shadow_full_q;")]),
    ("bank", "rows overtake a drain that stands with one row tile left", ARRAY, False,
     [(DRAIN, "ahead == 2'd2 && num_tiles_q <= 2'd1", "ahead == 2'd2 && num_tiles_q == 2'd0")]),
    ("bank", "banks go on after a reset", ARRAY, False, [(SEQUENCER, "      tile_number_q <= 2'd0;\n", "")]),
    ("order", "parameters are free after each row tile", ARRAY, False,
     [(EPILOGUE, "row_now && row_is_last_of_channels_i", "row_now && row_is_last_of_tile_i")]),
    ("order", "the drain of a command does not wait for the one before", ARRAY, False,
     [(DRAIN, "num_tiles_q != 2'd0 && head_set == drained_set_q", "num_tiles_q != 2'd0 && (head_set == drained_set_q || 1'b1)")]),
    ("cycle", "a swap waits for the cycle after the last row", ARRAY, False,
     [(SEQUENCER, "(!has_weights_q || weights_end) && next_has_bank", "!has_weights_q && next_has_bank")]),
    ("cycle", "a swap does not wait for the bank", ARRAY, False,
     [(SEQUENCER, "(!has_weights_q || weights_end) && next_has_bank", "(!has_weights_q || weights_end)")]),
    ("cycle", "a load waits for the cycle after the swap", ARRAY, False,
     [(WORDS, "is_running_i && (!shadow_full_q || swap_i)", "is_running_i && !shadow_full_q")]),
    ("cycle", "the wait after a slice is a cycle shorter", ARRAY, False,
     [(SEQUENCER, "wait_q <= 3'(npu_spec_pkg::MacPipelineCycles - 1);", "wait_q <= 3'(npu_spec_pkg::MacPipelineCycles - 2);")]),
    ("cycle", "parameters wait in the cycle in which a buffer becomes free", ARRAY, False,
     [(EPILOGUE, "assign prm_ready_o = !has_parameters_q[next_buffer_q];",
       "assign prm_ready_o = !has_parameters_q[next_buffer_q] && !(row_now && row_is_last_of_channels_i);")]),
    ("cycle", "the next command waits for the drain", ARRAY, False,
     [(SEQUENCER, "next_has_bank && settled_i", "next_has_bank && settled_i && undrained_i == 2'd0")]),
    ("cycle", "a swap begins the step one row early", ARRAY, False,
     [(SEQUENCER, "assign weights_end = step_end &&", "assign weights_end = row_end && row_q + RowBits'(2) >= RowBits'(tile_rows) &&")]),
    ("cycle", "a wait for bank and weights counts for the weights", ARRAY, False,
     [(SEQUENCER, "else if (!has_bank) stall_o = npu_spec_pkg::STALL_RESCALE_CONTENTION;\n    else if (!has_weights_q) stall_o = npu_spec_pkg::STALL_WEIGHT_LOAD;",
       "else if (!has_weights_q) stall_o = npu_spec_pkg::STALL_WEIGHT_LOAD;\n    else if (!has_bank) stall_o = npu_spec_pkg::STALL_RESCALE_CONTENTION;")]),
    ("handshake", "rows overtake a drain that stands", ARRAY, True,
     [(ARRAY, "assign flow = can_move || !(is_behind", "assign flow = can_move || 1'b1 || !(is_behind")]),
    ("handshake", "a result is lost when it is not taken", ARRAY, False,
     [(EPILOGUE, "(out_ready_i || !out_valid) &&", "(out_ready_i || !out_valid || 1'b1) &&")]),
    ("handshake", "a row is taken while parameters miss", ARRAY, False,
     [(EPILOGUE, "assign out_valid_o = out_valid && !parameters_miss &&", "assign out_valid_o = out_valid &&")]),
    ("handshake", "a command is out before its last row is taken", ARRAY, False,
     [(EPILOGUE, "assign command_out_o = out_valid_o && out_ready_i && out_info[Lanes];", "assign command_out_o = out_valid_o && out_info[Lanes];")]),
    ("reset/X", "the place of the next scaled addend stays over a reset", ARRAY, False, [(RESIDUAL, "      write_q <= 1'b0;\n", "")]),
    ("reset/X", "the place of the next row's marks stays over a reset", ARRAY, False, [(EPILOGUE, "      write_q <= '0;\n", "")]),
    ("reset/X", "a residual's slot goes on after a reset", ARRAY, False, [(DRAIN, "      slot_part_q <= '0;\n", "")]),
    ("reset/X", "a full shadow stays so over reset", ARRAY, False,
     [(WORDS, "if (!rst_ni) shadow_full_q <= 1'b0;\n    else if (take)", "if (rst_ni && take)")]),
    ("value", "an addend without sign", ARRAY, False, [(RESIDUAL, "32'($signed(stored_q))", "32'(stored_q)")]),
    ("value", "the value so far keeps its zero point", ARRAY, False,
     [(RESIDUAL, "own_slot ? 32'($signed(own_zero_point)) :", "own_slot ? 32'd0 :")]),
    ("value", "a sum takes the scaled addend of another row", ARRAY, False, [(RESIDUAL, "if (own_scaled) read_q <=", "if (own_scaled && 1'b0) read_q <=")]),
    ("value", "the value before the table is added", ARRAY, False,
     [(RESIDUAL, "assign ready = has_table_i ? look_result_i[9*i +: 9] : scale_result_i[32*i +: 9];", "assign ready = scale_result_i[32*i +: 9];")]),
    ("value", "a sum keeps the limits of the channel", ARRAY, False,
     [(EPILOGUE, "scale_clamp_max_o = again ? again_clamp_max : clamp_max", "scale_clamp_max_o = clamp_max")]),
    ("cycle", "a row with a residual has three cycles", ARRAY, False,
     [(DRAIN, "slot_part_q == PartBits'(npu_spec_pkg::ResidualPaceCycles - 1)", "slot_part_q == PartBits'(npu_spec_pkg::ResidualPaceCycles - 2)")]),
    ("cycle", "a channel's scale does not wait for another row's sum", ARRAY, False,
     [(EPILOGUE, "assign row_now = (row_valid_i && !sum_slot) ||", "assign row_now = row_valid_i ||"),
      (EPILOGUE, "else if (move) row_waits_q <= row_valid_i && sum_slot;", "else if (move) row_waits_q <= row_valid_i && sum_slot && 1'b0;")]),
    ("cycle", "the value so far does not wait for another row's turn", ARRAY, False,
     [(RESIDUAL, "assign own_slot = (own_ready || own_waits_q) && !sum_slot && !channel_slot_i;", "assign own_slot = own_ready || own_waits_q;")]),
    ("handshake", "a row does not wait for its addend", ARRAY, False,
     [(RESIDUAL, "misses_o = addend_due && !has_addend_q", "misses_o = addend_due && !has_addend_q && 1'b0")]),
    ("handshake", "an addend replaces the one that waits", ARRAY, False, [(RESIDUAL, "add_ready_o = !has_addend_q", "add_ready_o = 1'b1")]),
    ("handshake", "a row is taken while its addend misses", ARRAY, False,
     [(EPILOGUE, "!parameters_miss && !addend_misses;\n  assign command_out_o", "!parameters_miss;\n  assign command_out_o")]),
    ("reset/X", "an addend waits over a reset", ARRAY, False,
     [(RESIDUAL, "if (!rst_ni) has_addend_q <= 1'b0;\n    else if (en_i && add_valid_i && add_ready_o) has_addend_q",
       "if (rst_ni && en_i && add_valid_i && add_ready_o) has_addend_q")]),
    ("value", "a word of an element is taken as one of a lane", ARRAY, False, [(WEIGHTS, "if (loads && element_wise_i) begin", "if (loads && 1'b0) begin")]),
    ("value", "an element's word writes lanes that it has not", ARRAY, False,
     [(WEIGHTS, "row_words_i[Words*e +: Words] & byte_mask", "row_words_i[Words*e +: Words]")]),
    ("value", "two words of elements at once, and only the first counts", ARRAY, False,
     [(WEIGHTS, "for (int w = 0; w < Words; w = w + 1) data", "for (int w = 0; w < 1; w = w + 1) data")]),
    ("value", "lanes take each other's byte of an element", ARRAY, False,
     [(WEIGHTS, "word_data_i[9*(Lanes*w + 32'(row)) +: 9]", "word_data_i[9*(Lanes*w + 32'(row ^ LaneBits'(1))) +: 9]")]),
    ("value", "low bytes of int16 with a sign", ARRAY, False, [(ASSEMBLER, "stored[7] & ~is_unsigned_i & ~is_16_i", "stored[7] & ~is_unsigned_i")]),
    ("value", "high bytes of int16 without a sign", ARRAY, False, [(ASSEMBLER, "high_i ? {high_q[8*i+7], high_q[8*i +: 8]}", "high_i ? {1'b0, high_q[8*i +: 8]}")]),
    ("value", "low bytes of int16 weights with a sign", ARRAY, False, [(WORDS, "wgt_data_i[8*c+7] && !is_low_byte", "wgt_data_i[8*c+7]")]),
    ("value", "both weight tiles of a step are of low bytes", ARRAY, False, [(WORDS, "loads_high_q <= !loads_high_q", "loads_high_q <= 1'b0")]),
    ("value", "high bytes stand where low ones do", ARRAY, False,
     [(SEQUENCER, "byte_shift_o = 2'(weight_byte_q) + 2'(high_is_due_q)", "byte_shift_o = 2'(weight_byte_q)")]),
    ("value", "high bytes begin from zero", ARRAY, False,
     [(SEQUENCER, "&& !weight_byte_q && !high_is_due_q;", "&& !weight_byte_q;")]),
    ("value", "high bytes of a beat that came ahead are lost", ARRAY, False,
     [(ASSEMBLER, "if (beat_i && !low_i && is_16_i) row_high_q", "if (beat_i && !low_i && is_16_i && 1'b0) row_high_q")]),
    ("cycle", "no beat of int16 comes ahead", ARRAY, True,
     [(SEQUENCER, "else if (beat) has_begun_q <= 1'b1;", "")]),
    ("cycle", "the next row's first beat waits for the high bytes", ARRAY, False,
     [(SEQUENCER, "is_running_q && !rows_done_q && flow_i : can", "is_running_q && !rows_done_q && flow_i && !high_is_due_q : can")]),
    ("cycle", "the first beat of a command's first row comes before it can be multiplied", ARRAY, False,
     [(SEQUENCER, "assign comes_ahead = is_16_q && has_begun_q &&", "assign comes_ahead = is_16_q &&")]),
    ("cycle", "the low tile of a single step stays for the high bytes", ARRAY, False,
     [(SEQUENCER, "(last_step_q != '0 || weight_is_16_q || is_last_row_tile)", "(last_step_q != '0 || (weight_is_16_q && weight_byte_q) || is_last_row_tile)")]),
    ("value", "both pixels of a row have the bytes of the first one", ARRAY, False,
     [(ACTIVATION, ".offset_i(offset_i[PlaceBits*p +: PlaceBits])", ".offset_i(offset_i[0 +: PlaceBits])")]),
    ("value", "four pixels have the padding of the first one", ARRAY, False,
     [(ACTIVATION, ".mask_i(mask_i[Lanes*p +: Lanes])", ".mask_i(mask_i[split_i == SplitBits'(2) ? 0 : Lanes*p +: Lanes])")]),
    ("value", "lanes of the second pixel take weights of their own number", ARRAY, False,
     [(WEIGHTS, "split_i == SplitBits'(1) ? LaneBits'(OfHalf)", "split_i == SplitBits'(1) ? LaneBits'(Lane)")]),
    ("value", "lanes of four pixels take parameters of their own number", ARRAY, False,
     [(EPILOGUE, "parameters_of[UsedBits*OfQuarter +: UsedBits]", "parameters_of[UsedBits*i +: UsedBits]")]),
    ("value", "a channel tile of pixels uses the lanes of one", ARRAY, False,
     [(SEQUENCER, "split_q == SplitBits'(1) ? ChannelBits'(OfHalf)", "split_q == SplitBits'(1) ? ChannelBits'(i)")]),
    ("value", "pixels that fill up a row leave with it", ARRAY, False, [(PIXELS, "assign pixels = is_last_group ?", "assign pixels = is_last_group && 1'b0 ?")]),
    ("value", "a group is counted in each turn of a residual", ARRAY, False,
     [(DRAIN, ".row_i(move_i && slot_valid && slot_is_over)", ".row_i(move_i && slot_valid)")]),
    ("cycle", "rows of pixels have no group that is filled up", ARRAY, False,
     [(SEQUENCER, "assign groups = ((32'(out_columns_i) - 32'd1) >> lane_split_log2_i) + 32'd1;", "assign groups = 32'(out_columns_i) >> lane_split_log2_i;")]),
    ("cycle", "a channel tile of pixels has as many channels as lanes", ARRAY, False,
     [(SEQUENCER, "assign tile_channels = ChannelBits'(Lanes) >> split_q;", "assign tile_channels = ChannelBits'(Lanes);")]),
    ("reset/X", "groups go on after a reset", ARRAY, False,
     [(PIXELS, "if (!rst_ni) begin\n      row_q <= '0;\n      line_q <= '0;\n    end else if (row_i) begin", "if (rst_ni && row_i) begin")]),
    ("value", "windows: padding is read", ARRAY, True, [(WINDOW, "if (!mask_i[e]) begin", "if (!mask_i[e] || 1'b1) begin")]),
    ("value", "windows: a row takes what its window held before its last words", ARRAY, False,
     [(WINDOW, "low[9*e +: 9] = low_d[", "low[9*e +: 9] = low_q[")]),
    ("value", "windows: high bytes are those of the next row's words", ARRAY, False,
     [(WINDOW, "{pass_q[8*e+7], pass_q[8*e +: 8]}", "{pass_d[8*e+7], pass_d[8*e +: 8]}")]),
    ("value", "windows: a word's bytes of another word's lanes are written", ARRAY, False,
     [(WINDOW, "if (taken_i[r] && present_i[2*Lanes*r + 32'(first)]) begin", "if (taken_i[r] && (present_i[2*Lanes*r + 32'(first)] || |present_i[2*Lanes*r +: 2*Lanes])) begin")]),
    ("value", "windows: the second position that a word serves is lost", ARRAY, False,
     [(WINDOW, "for (int r = 0; r < Runs; r = r + 1) begin", "for (int r = 0; r < Runs; r = r + npu_spec_pkg::MaxRowPixels) begin")]),
    ("value", "windows: the second pixel takes registers of the first one", ARRAY, False,
     [(ACTIVATION, "win_register_i[LaneBits*(Pixels*r + 32'(pixel)) +: LaneBits]", "win_register_i[LaneBits*Pixels*r +: LaneBits]")]),
    ("value", "windows: words turn by where they begin alone", ARRAY, False,
     [(WINDOW_WORDS, "offset_i[LaneBits*r +: LaneBits] - to[LaneBits-1:0]", "offset_i[LaneBits*r +: LaneBits]")]),
    ("value", "windows: lines that run back are filled up at their end", ARRAY, False,
     [(PIXELS, "turns && line_q[0] ? row_q == '0 : is_last_row", "turns && line_q[0] && 1'b0 ? row_q == '0 : is_last_row")]),
    ("value", "windows: lines along rows are filled up as those along columns", ARRAY, False,
     [(PIXELS, "assign is_last_group = is_column ?", "assign is_last_group = is_column && 1'b0 ?")]),
    ("value", "windows: packed taps are taken as words of lanes", ARRAY, False,
     [(ARRAY, "(is_depthwise && weight_order == npu_spec_pkg::WEIGHTS_TILES)", "(is_depthwise && 1'b0)")]),
    ("cycle", "windows: a row whose words all came ahead takes no cycle of its own", ARRAY, False,
     [(SEQUENCER, "assign low = beat && act_last_i;", "assign low = beat && (act_last_i || has_beat_q);")]),
    ("handshake", "a row's valid waits for ready", ARRAY, False,
     [(EPILOGUE, "assign out_valid_o = out_valid &&", "assign out_valid_o = out_valid && out_ready_i &&")]),
    ("handshake", "a row's mark follows ready", ARRAY, False, [(EPILOGUE, "assign out_last_o = out_info[Lanes];", "assign out_last_o = out_info[Lanes] && out_ready_i;")]),
    ("handshake", "a ready waits for its own valid", ARRAY, False,
     [(WORDS, "assign wgt_ready_o = is_running_i", "assign wgt_ready_o = wgt_valid_i && is_running_i")]),
    ("handshake", "readies follow en_i", ARRAY, False, [(DRAIN, "assign pop = can_move_i", "assign pop = move_i")]),
    ("reset/X", "a command runs on over a reset", ARRAY, True,
     [(SEQUENCER, "      is_running_q <= 1'b0;\n      has_weights_q", "      has_weights_q")]),
    ("reset/X", "an active tile stays so over a reset", ARRAY, False,
     [(SEQUENCER, "      has_weights_q <= 1'b0;\n      has_begun_q", "      has_begun_q")]),
    ("reset/X", "high bytes are due over a reset", ARRAY, False,
     [(SEQUENCER, "      high_is_due_q <= 1'b0;\n      rows_done_q", "      rows_done_q")]),
    ("reset/X", "a first beat of a row stays over a reset", ARRAY, False,
     [(ASSEMBLER, "if (!rst_ni) has_row_q <= 1'b0;\n    else if (low_i)", "if (rst_ni && low_i)")]),
    ("reset/X", "row tiles wait for their drain over a reset", ARRAY, False, [(DRAIN, "      num_tiles_q <= 2'd0;\n", "")]),
    ("reset/X", "rows on their way out go on after a reset", ARRAY, False,
     [(DRAIN, "if (!rst_ni) valid_q <= 1'b0;\n        else if (move_i)", "if (rst_ni && move_i)")]),
    ("reset/X", "a row that stands on the port stays over a reset", ARRAY, False,
     [(EPILOGUE, "if (!rst_ni) raw_valid_q <= 1'b0;\n    else if (move)", "if (rst_ni && move)")]),
    ("reset/X", "parameters stay over a reset", ARRAY, False, [(EPILOGUE, "      has_parameters_q <= 2'b00;\n", "")]),
    ("reset/X", "the first row of a tile adds to what its bank had", ARRAY, False,
     [(SEQUENCER, "from_zero_o = first_q &&", "from_zero_o = first_q && row_q != '0 &&")]),
    ("handshake", "words of weights are taken without their valid", ARRAY, False,
     [(WORDS, "assign take = en_i && wgt_valid_i && wgt_ready_o;", "assign take = en_i && wgt_ready_o;")]),
    ("handshake", "segments wait in the assembler without a beat", ARRAY, False,
     [(ASSEMBLER, "if (beat_i && !low_i) row_q <= low;", "if (!low_i) row_q <= low;")]),
    ("handshake", "windows: words are taken without a beat", ARRAY, False,
     [(WINDOW, "if (beat_i) low_q <= low_d;", "low_q <= low_d;")]),
    ("handshake", "windows: high bytes are taken without a beat", ARRAY, False,
     [(WINDOW, "if (beat_i && is_16_i) high_q <= high_d;", "if (is_16_i) high_q <= high_d;")]),
    ("cycle", "stall_o: fill while results wait", ARRAY, False,
     [(SEQUENCER, "stall_o = npu_spec_pkg::STALL_OUTPUT_WAIT", "stall_o = npu_spec_pkg::STALL_FILL")]),
    ("cycle", "stall_o: a wait for results counts for activations", ARRAY, False,
     [(SEQUENCER, "stall_o = npu_spec_pkg::STALL_OUTPUT_WAIT", "stall_o = npu_spec_pkg::STALL_INPUT_WAIT")]),
    ("cycle", "stall_o: busy while activations miss", ARRAY, False,
     [(SEQUENCER, "    else if (!act_valid_i && !high_is_due_q) stall_o = npu_spec_pkg::STALL_INPUT_WAIT;\n", "")]),
    ("cycle", "stall_o: idle is fill", ARRAY, False, [(SEQUENCER, "stall_o = npu_spec_pkg::STALL_IDLE", "stall_o = npu_spec_pkg::STALL_FILL")]),
    ("cycle", "stall_o: the end of a slice counts for its drain", ARRAY, False,
     [(SEQUENCER, "stall_o = last_q ? npu_spec_pkg::STALL_RESCALE_CONTENTION : npu_spec_pkg::STALL_FILL", "stall_o = npu_spec_pkg::STALL_RESCALE_CONTENTION")]),
    ("cycle", "stall_o: fill counts for weights", ARRAY, False,
     [(SEQUENCER, "else if (wait_q != 3'd0) stall_o = npu_spec_pkg::STALL_FILL;", "else if (wait_q != 3'd0) stall_o = npu_spec_pkg::STALL_WEIGHT_LOAD;")]),
    ("reset/X", "the sequencer's reset waits for a clock", ARRAY, False,
     [(SEQUENCER, "  always_ff @(posedge clk_i or negedge rst_ni) begin", "  always_ff @(posedge clk_i) begin")]),
    ("reset/X", "the epilogue's parameters wait for a clock with their reset", ARRAY, False,
     [(EPILOGUE, "  always_ff @(posedge clk_i or negedge rst_ni) begin\n    if (!rst_ni) begin\n      has_parameters_q",
       "  always_ff @(posedge clk_i) begin\n    if (!rst_ni) begin\n      has_parameters_q")]),
    (IDLE, "parameters are stored without their valid", ARRAY, False,
     [(EPILOGUE, "if (en_i && prm_valid_i && prm_ready_o && !next_buffer_q) parameters0_q", "if (en_i && prm_ready_o && !next_buffer_q) parameters0_q"),
      (EPILOGUE, "if (en_i && prm_valid_i && prm_ready_o && next_buffer_q) parameters1_q", "if (en_i && prm_ready_o && next_buffer_q) parameters1_q")]),
    (IDLE, "an addend is stored without its valid", ARRAY, False,
     [(RESIDUAL, "if (en_i && add_valid_i && add_ready_o) stored_q <= add_i", "if (en_i && add_ready_o) stored_q <= add_i")]),
    (IDLE, "fields of a command are stored without it", ARRAY, False,
     [(EPILOGUE, "if (en_i && command_i && !command_set_i) fields0_q <= fields_d;", "if (en_i && !command_set_i) fields0_q <= fields_d;")]),
    (IDLE, "windows go on being written after a depthwise command", ARRAY, False,
     [(ACTIVATION, ".beat_i(beat_i && is_depthwise_i)", ".beat_i(is_depthwise_i)")]),
    ("handshake", "table lanes do not wait", DATAPATH, False, [(DATAPATH, ".en_i(look_en)", ".en_i(look_en || look_valid)")]),
) + vector_mutants.MUTANTS + agu_mutants.MUTANTS


def full_name(mutant):
    return f"{mutant[2]}, {mutant[0]}: {mutant[1]}"


def changed_modules(mutant):
    """{module: text} of the modules that it changes."""
    edits = [(f"{module}.sv", old, new) for module, old, new in mutant[4]]
    return {file.removesuffix(".sv"): text for file, text in campaign.changed_files(RTL, full_name(mutant), edits).items()}


class Builder:
    """Blocks as shared objects, which the runner loads."""

    def __init__(self, build):
        self.build = build.absolute()
        self.scratch = self.build / "rtl/mutants"
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.scratch.mkdir(parents=True)
        self.include = pathlib.Path(must(["verilator", "--getenv", "VERILATOR_ROOT"], ROOT).strip()) / "include"
        self.compiler = next(c for c in ("clang++", "g++", "c++") if shutil.which(c))
        self.flags = ["-std=c++20", "-O1", "-fPIC", "-w", "-DVL_TIME_CONTEXT", "-DVL_USER_STOP", "-DVL_USER_FINISH", "-DVL_USER_FATAL",
                      f"-I{ROOT}", f"-I{self.include}", f"-I{self.include}/vltstd"]
        self.runtime = [self.scratch / "verilated.o", self.scratch / "threads.o", self.scratch / "waves.o", self.scratch / "stop.o"]
        sources = [self.include / f"verilated{part}.cpp" for part in ("", "_threads", "_vcd_c")] + [RTL / "verilated_stop.cpp"]
        for source, target in zip(sources,
                                  self.runtime):
            must([self.compiler, *self.flags, "-c", source, "-o", target], self.scratch)

    def shared_object(self, name, block, texts, variant="check"):
        folder = self.scratch / name
        folder.mkdir()
        modules = [file.stem for file in elaborate.sources(block)]
        for module in modules:
            text = texts.get(module) or (RTL / f"{module}.sv").read_text(encoding="utf-8")
            (folder / f"{module}.sv").write_text(text, encoding="utf-8")
        prefix = f"V{block}"
        must(["verilator", "--cc", "--prefix", prefix, "--Mdir", folder, "-GLanes=8", *agu_mutants.PARAMETERS.get(block, ()), "--top-module", block, "-O3", "--noassert",
              *(["--trace"] if variant == "plain" else []), "--x-assign", "unique", "--x-initial", "unique", "-Wno-fatal", "-Wno-lint", *[f"{m}.sv" for m in modules]], folder)
        must([self.build / "hw/gen/specgen", "--binding", block, prefix, variant, folder / "binding.cpp"], folder)
        with open(folder / "binding.cpp", "a", encoding="utf-8") as file:
            file.write("extern \"C\" vernier::cosim::RtlBlock* make_block(int seed) {\n"
                       f"  return vernier::cosim::make_{prefix}({{seed}}).release();\n}}\n")
        (folder / "all.cpp").write_text("".join(f'#include "{p.name}"\n' for p in sorted(folder.glob(f"{prefix}*.cpp")))
                                        + '#include "binding.cpp"\n', encoding="utf-8")
        must([self.compiler, *self.flags, f"-I{folder}", "-shared", "all.cpp", *self.runtime, "-o", folder / "block.so", "-lpthread", "-latomic"], folder)
        return folder / "block.so"


def find_idle(builder, block, library):
    """What the registers of idle cycles say of it."""
    command = [builder.build / "tests/cosim/rtl_mutant_runner", library, block, 0, 1]
    code, text = campaign.run(command, builder.scratch, LONGEST_SECONDS, LONGEST_CPU_SECONDS)
    if code not in (0, 3):
        raise Broken(f"{library}: the runner exits with {code}: {text[-500:]}")
    return text.strip()[:150] if code == 3 else None


def find(builder, block, library, longest_cpu_seconds=LONGEST_CPU_SECONDS):
    """What the co-simulation says of it, None when it sees nothing. Broken when it takes longer than `longest_cpu_seconds`."""
    start = campaign.cpu_seconds_of_children()
    for seed in SEEDS:
        left = longest_cpu_seconds - (campaign.cpu_seconds_of_children() - start)
        command = [builder.build / "tests/cosim/rtl_mutant_runner", library, block, VECTORS[block], seed]
        code, text = campaign.run(command, builder.scratch, LONGEST_SECONDS, max(1, math.ceil(left)))
        if code is None:
            raise Broken(f"seed {seed}: the co-simulation {text}; allowed are {longest_cpu_seconds} s of CPU time for all seeds")
        if code not in (0, 3, 4):
            raise Broken(f"{library}: the runner exits with {code}: {text[-500:]}")
        if code != 0:
            return (text.strip().splitlines() or ["stopped"])[0][:150]
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="*", metavar="GLOB")
    options = parser.parse_args()
    chosen = [m for m in MUTANTS if fnmatch.fnmatch(m[1], options.only) and (m[3] or not options.quick)]
    if not chosen:
        parser.error(f"--only {options.only}: no mutant has such a name")
    campaign.check_names([full_name(mutant) for mutant in MUTANTS])
    changed = [changed_modules(mutant) for mutant in chosen]
    if options.check:
        return 0
    if shutil.which("verilator") is None:
        print("skipped: verilator is not installed (./dev test installs it)")
        return SKIPPED
    builder = Builder(options.build)
    for block in dict.fromkeys(mutant[2] for mutant in chosen if mutant[0] == IDLE):
        found = find_idle(builder, block, builder.shared_object(f"{block}_trace", block, {}, "plain"))
        if found:
            raise Broken(f"{block}: found without a mutant: {found}")
    for block in dict.fromkeys(mutant[2] for mutant in chosen if mutant[0] != IDLE):
        found = find(builder, block, builder.shared_object(block, block, {}), LONGEST_CPU_SECONDS_OF_ALL_VECTORS)
        if found:
            raise Broken(f"{block}: found without a mutant: {found}")

    def find_mutant(number):
        block = chosen[number][2]
        if chosen[number][0] == IDLE:
            return find_idle(builder, block, builder.shared_object(f"mutant{number}", block, changed[number], "plain"))
        return find(builder, block, builder.shared_object(f"mutant{number}", block, changed[number]))

    return campaign.run_all([full_name(mutant) for mutant in chosen], find_mutant)


if __name__ == "__main__":
    campaign.exit_with(main)
