# SPDX-License-Identifier: Apache-2.0
"""Single faults in the address generators: entries of mutants.py."""

AGU = "npu_agu"
PARAMETERS = {AGU: ("-GSets=1",)}  # what a bench of one command at a time needs
WEIGHTS, SEGMENTS, ROWS, WALKER = "npu_agu_weights", "npu_agu_segments", "npu_agu_rows", "npu_agu_rows_walker"

MUTANTS = (
    ("order", "a word of weights that is kept is read again", AGU, False,
     [(WEIGHTS, "if (!has_last || last_word != first + npu_agu_pkg::AddressBits'(w)) begin", "if (!has_last || last_word != first + npu_agu_pkg::AddressBits'(w) || w == 0) begin")]),
    ("order", "a beat of weights has words of five rows", AGU, False, [(WEIGHTS, "num_free = wgt_most_i - num_used + 3'(is_shared);", "num_free = wgt_most_i - num_used + 3'd1;")]),
    ("order", "weights of a column do not turn back for the next row tile", AGU, False,
     [(WEIGHTS, "            row_address_q <= ct_start_q;", "            row_address_q <= next_start;")]),
    ("order", "a weight tile that stays is loaded again", AGU, False,
     [(WEIGHTS, "assign is_last_rows = is_kept || ", "assign is_last_rows = ")]),
    ("order", "the high bytes of int16 weights are not loaded", AGU, False, [(WEIGHTS, "assign is_last_byte = !is_16_q || byte_q;", "assign is_last_byte = 1'b1;")]),
    ("order", "the next channels of a matrix by rows begin an element later", AGU, False,
     [(WEIGHTS, "is_tap_major_q ? 32'(tile_channels) << is_16_q", "is_tap_major_q ? 32'(tile_channels)")]),
    ("order", "a segment begins at pixel 0", AGU, False, [(SEGMENTS, "(!is_any || $signed(head) < $signed(begin_at))", "!is_any")]),
    ("order", "a run goes on over the end of a tap", AGU, False,
     [(SEGMENTS, "if (run_left < 32'(take)) take = run_left[BytesBits-1:0];", "if (run_left < 32'(take) && is_joined) take = run_left[BytesBits-1:0];")]),
    ("order", "joined taps however dilated", AGU, False, [(SEGMENTS, "has_joined_blocks && inner_dilation == 14'd1 && inner_pitch == tap_bytes;", "has_joined_blocks && inner_pitch == tap_bytes;")]),
    ("order", "a line of output columns begins where the last one ended", AGU, False, [(SEGMENTS, "next_row[XBytesLsb +: 32] = column_start_q;", "next_row[XBytesLsb +: 32] = row_q[XBytesLsb +: 32];")]),
    ("order", "a step begins where the row before it did", AGU, False, [(SEGMENTS, "is_last_step ? start_place_q : places[PlaceBits-1:0];", "is_last_step ? start_place_q : step_place_q;")]),
    ("value", "the lower edge of the map is a row further", AGU, False,
     [(SEGMENTS, "outer >= {2'd0, is_along_rows ? in_columns_q : in_rows_q}", "outer > {2'd0, is_along_rows ? in_columns_q : in_rows_q}")]),
    ("value", "pixels that fill up a row are no padding", AGU, False, [(SEGMENTS, "is_filled_up = row_q[ColumnsLsb +: 16] <= 16'(p);", "is_filled_up = 1'b0;")]),
    ("value", "joined taps on the left of the map are inside", AGU, False, [(SEGMENTS, "$signed(low) > $signed(32'(b)) || ", "")]),
    ("order", "depthwise results do not go to and fro", AGU, False, [(WALKER, "is_backward_q <= is_depthwise_i && !is_backward_q;", "is_backward_q <= 1'b0;")]),
    ("order", "a block of channels lies behind the one before", AGU, False, [(WALKER, "is_next_block ? block_pitch_i : 32'd0", "is_next_block ? 32'(Lanes) : 32'd0")]),
    ("order", "a last group has all its pixels", AGU, False, [(WALKER, "left < pixels_a_row ? left[2:0] : pixels_a_row[2:0]", "pixels_a_row[2:0]")]),
    ("order", "parameters of a last channel tile are those of a whole one", AGU, False, [(ROWS, "assign lanes = is_last_parameters ? prm_left_q[CountBits-1:0] : tile_channels[CountBits-1:0];", "assign lanes = tile_channels[CountBits-1:0];")]),
    ("order", "addends without a residual", AGU, False, [(ROWS, "has_addends_q <= cmd_i[npu_agu_pkg::MacLastLsb] && cmd_i[npu_agu_pkg::MacResidualLsb];", "has_addends_q <= cmd_i[npu_agu_pkg::MacLastLsb];")]),
)
