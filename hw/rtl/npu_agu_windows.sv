// SPDX-License-Identifier: Apache-2.0
// Words and registers of the windows of depthwise commands, in the order of hw/sequence/window_stream.
//
//   command --> [setup: products] --> [walk: rows] --> [taps] --+--> [pixels: what lacks] --+--> [slots: words] --+
//                                                               +--> [slots: positions] ---+                  |
//                                           act_*, win_* <-- [beats] <-- [reads: which read brings a slot] <--+
//
// A row per cycle goes through eight registers, then it is in hand while its beats are made, which go through five more. So a beat
// comes each cycle from the first to the last one, whatever lines, steps, row tiles or channel tiles end between them. Three
// things only depend on what was before: which taps of the row before its windows hold, which a move along the line or to the next line
// decides; how many reads of a row have come with the row before; and the registers that taps are in.
//
// The first beat is there 16 cycles after the command, 49 where its reduction does not begin at tap 0: products take 3 cycles, and
// 33 more with a division; 13 registers follow.
//
// What there is: P x N slots for the positions of a row, P at most 4. The word of a slot (32 bits less log2 N) is in one stage only;
// later stages have its tap and pixel, and make the four words of a beat of them again. The table of the windows' registers has
// 4 N x (1 + log2 N) bits. Products are small: taps by steps, kernel rows by their width. What is before a slot (sums, the latest slot of
// a kind) is found by trees, so that more lanes make paths longer by their logarithm.
module npu_agu_windows #(
  parameter int Lanes = 16
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        cmd_valid_i,
  output logic        cmd_ready_o,
  /* verilator lint_off UNUSEDSIGNAL */  // fields of other streams
  input  logic [npu_agu_pkg::MacCommandBits-1:0] cmd_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic        act_valid_o,
  input  logic        act_ready_i,
  output logic [npu_spec_pkg::WindowWords-1:0] act_read_o,
  output logic [npu_agu_pkg::AddressBits*npu_spec_pkg::WindowWords-1:0] act_word_o,
  output logic [npu_spec_pkg::MaxRowPixels*Lanes-1:0] act_mask_o,
  output logic [$clog2(Lanes)*npu_spec_pkg::WindowRuns-1:0]   win_offset_o,
  output logic [$clog2(Lanes+1)*npu_spec_pkg::WindowRuns-1:0] win_length_o,
  output logic [$clog2(2*Lanes)*npu_spec_pkg::WindowRuns-1:0] win_to_o,
  output logic [npu_spec_pkg::WindowRuns*npu_spec_pkg::MaxRowPixels-1:0] win_pixel_o,
  output logic [$clog2(Lanes)*npu_spec_pkg::WindowRuns*npu_spec_pkg::MaxRowPixels-1:0] win_register_o,
  output logic [$clog2(Lanes)*npu_spec_pkg::MaxRowPixels*Lanes-1:0] win_element_o,
  output logic        act_last_o
);
  localparam int TapBits = $clog2(Lanes);
  localparam int CountBits = $clog2(Lanes+1);
  localparam int BytesBits = $clog2(2*Lanes+1);
  localparam int Slots = 4*Lanes;
  localparam int IdxBits = TapBits + 2;
  localparam int WordBits = 32 - TapBits;

  // The command.
  logic        is_command, start_q, is_busy_q;
  logic [1:0]  split_q;
  logic        slide_rows_q, is_16_q;
  logic [6:0]  row_tile_rows_q;
  logic [31:0] base_q, row_pitch_q, pixel_pitch_q, block_pitch_q, reduction_begin_q, taps_q;
  logic [15:0] in_rows_q, in_columns_q, out_rows_q, out_columns_q, out_channels_q;
  logic [13:0] kernel_columns_q, stride_rows_q, stride_columns_q, dilation_rows_q, dilation_columns_q;
  logic signed [17:0] origin_row_q, origin_column_q;

  logic        is_set_up, is_last, go;

  assign cmd_ready_o = !is_busy_q && !act_valid_o;
  assign is_command = cmd_valid_i && cmd_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      start_q <= 1'b0;
      is_busy_q <= 1'b0;
    end else begin
      start_q <= is_command;
      if (is_command) is_busy_q <= 1'b1;
      else if (act_valid_o && act_ready_i && is_last) is_busy_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (is_command) begin
      split_q <= cmd_i[npu_agu_pkg::MacLaneSplitLog2Lsb +: npu_agu_pkg::MacLaneSplitLog2Bits];
      slide_rows_q <= cmd_i[npu_agu_pkg::MacSlideRowsLsb];
      is_16_q <= cmd_i[npu_agu_pkg::MacInputTypeLsb +: npu_agu_pkg::MacInputTypeBits] == npu_spec_pkg::TYPE_INT16;
      row_tile_rows_q <= cmd_i[npu_agu_pkg::MacRowTileRowsLsb +: npu_agu_pkg::MacRowTileRowsBits];
      base_q <= cmd_i[npu_agu_pkg::MacInputBaseLsb +: npu_agu_pkg::MacInputBaseBits];
      row_pitch_q <= cmd_i[npu_agu_pkg::MacInputRowPitchLsb +: npu_agu_pkg::MacInputRowPitchBits];
      pixel_pitch_q <= cmd_i[npu_agu_pkg::MacInputPixelPitchLsb +: npu_agu_pkg::MacInputPixelPitchBits];
      block_pitch_q <= cmd_i[npu_agu_pkg::MacInputBlockPitchLsb +: npu_agu_pkg::MacInputBlockPitchBits];
      in_rows_q <= cmd_i[npu_agu_pkg::MacInRowsLsb +: npu_agu_pkg::MacInRowsBits];
      in_columns_q <= cmd_i[npu_agu_pkg::MacInColumnsLsb +: npu_agu_pkg::MacInColumnsBits];
      out_rows_q <= cmd_i[npu_agu_pkg::MacOutRowsLsb +: npu_agu_pkg::MacOutRowsBits];
      out_columns_q <= cmd_i[npu_agu_pkg::MacOutColumnsLsb +: npu_agu_pkg::MacOutColumnsBits];
      out_channels_q <= cmd_i[npu_agu_pkg::MacOutChannelsLsb +: npu_agu_pkg::MacOutChannelsBits];
      kernel_columns_q <= cmd_i[npu_agu_pkg::MacKernelColumnsLsb +: npu_agu_pkg::MacKernelColumnsBits];
      stride_rows_q <= cmd_i[npu_agu_pkg::MacStrideRowsLsb +: npu_agu_pkg::MacStrideRowsBits];
      stride_columns_q <= cmd_i[npu_agu_pkg::MacStrideColumnsLsb +: npu_agu_pkg::MacStrideColumnsBits];
      dilation_rows_q <= cmd_i[npu_agu_pkg::MacDilationRowsLsb +: npu_agu_pkg::MacDilationRowsBits];
      dilation_columns_q <= cmd_i[npu_agu_pkg::MacDilationColumnsLsb +: npu_agu_pkg::MacDilationColumnsBits];
      origin_row_q <= cmd_i[npu_agu_pkg::MacOriginRowLsb +: npu_agu_pkg::MacOriginRowBits];
      origin_column_q <= cmd_i[npu_agu_pkg::MacOriginColumnLsb +: npu_agu_pkg::MacOriginColumnBits];
      reduction_begin_q <= cmd_i[npu_agu_pkg::MacReductionBeginLsb +: npu_agu_pkg::MacReductionBeginBits];
      taps_q <= cmd_i[npu_agu_pkg::MacReductionEndLsb +: npu_agu_pkg::MacReductionEndBits] -
                cmd_i[npu_agu_pkg::MacReductionBeginLsb +: npu_agu_pkg::MacReductionBeginBits];
    end
  end

  logic [31:0] tap_step, stride_row_step, stride_column_step, wrap_step, wrap_columns, first_address;
  logic [31:0] begin_address, begin_row, begin_column;
  logic [13:0] begin_tap_column;
  logic [7:0]  columns_valid;
  logic [8*TapBits-1:0] columns_taps;
  logic        rows_valid;
  logic [TapBits-1:0] rows_taps;

  npu_agu_windows_setup #(.Lanes(Lanes)) u_setup (
    .clk_i, .rst_ni, .start_i(start_q), .done_o(is_set_up),
    .base_i(base_q), .row_pitch_i(row_pitch_q), .pixel_pitch_i(pixel_pitch_q), .kernel_columns_i(kernel_columns_q),
    .stride_rows_i(stride_rows_q), .stride_columns_i(stride_columns_q), .dilation_rows_i(dilation_rows_q),
    .dilation_columns_i(dilation_columns_q), .origin_row_i(origin_row_q), .origin_column_i(origin_column_q),
    .reduction_begin_i(reduction_begin_q), .tap_step_o(tap_step),
    .stride_row_step_o(stride_row_step), .stride_column_step_o(stride_column_step), .wrap_step_o(wrap_step),
    .wrap_columns_o(wrap_columns), .first_address_o(first_address), .begin_tap_column_o(begin_tap_column),
    .begin_address_o(begin_address), .begin_row_o(begin_row), .begin_column_o(begin_column),
    .columns_valid_o(columns_valid), .columns_taps_o(columns_taps), .rows_valid_o(rows_valid),
    .rows_taps_o(rows_taps)
  );

  logic        row_valid, row_all_enter, row_moves_rows, row_moves_back, row_is_back, row_last;
  logic [31:0] row_address, row_row, row_column;
  logic [13:0] row_tap_column;
  logic [CountBits-1:0] row_taps;
  logic [BytesBits-1:0] row_bytes;
  logic [3:0]  row_pixels;

  npu_agu_windows_walk #(.Lanes(Lanes)) u_walk (
    .clk_i, .rst_ni, .start_i(is_set_up), .ready_i(go), .valid_o(row_valid),
    .split_i(split_q), .slide_rows_i(slide_rows_q), .is_16_i(is_16_q), .row_tile_rows_i(row_tile_rows_q),
    .block_pitch_i(block_pitch_q), .kernel_columns_i(kernel_columns_q), .stride_rows_i(stride_rows_q),
    .stride_columns_i(stride_columns_q), .dilation_rows_i(dilation_rows_q), .dilation_columns_i(dilation_columns_q),
    .origin_row_i(origin_row_q), .origin_column_i(origin_column_q), .out_rows_i(out_rows_q),
    .out_columns_i(out_columns_q), .out_channels_i(out_channels_q), .taps_i(taps_q), .tap_step_i(tap_step),
    .stride_row_step_i(stride_row_step), .stride_column_step_i(stride_column_step), .wrap_step_i(wrap_step),
    .wrap_columns_i(wrap_columns), .first_address_i(first_address), .begin_tap_column_i(begin_tap_column),
    .begin_address_i(begin_address), .begin_row_i(begin_row), .begin_column_i(begin_column),
    .address_o(row_address), .row_o(row_row), .column_o(row_column), .tap_column_o(row_tap_column), .taps_o(row_taps),
    .bytes_o(row_bytes), .pixels_o(row_pixels), .all_enter_o(row_all_enter), .moves_rows_o(row_moves_rows),
    .moves_back_o(row_moves_back), .is_back_o(row_is_back), .last_o(row_last)
  );

  logic        tap_valid, tap_all_enter, tap_moves_rows, tap_moves_back, tap_is_back, tap_last;
  logic [CountBits-1:0] tap_taps;
  logic [32*Lanes-1:0]  tap_address, tap_row, tap_column;
  logic [TapBits*Lanes-1:0]   tap_begin;
  logic [CountBits*Lanes-1:0] tap_end, tap_left;
  logic [(CountBits+1)*Lanes-1:0] tap_wrap;
  logic [BytesBits-1:0] tap_bytes;
  logic [3:0]  tap_pixels;

  npu_agu_windows_taps #(.Lanes(Lanes)) u_taps (
    .clk_i, .rst_ni, .go_i(go), .kernel_columns_i(kernel_columns_q), .dilation_rows_i(dilation_rows_q),
    .dilation_columns_i(dilation_columns_q), .tap_step_i(tap_step), .wrap_step_i(wrap_step), .wrap_columns_i(wrap_columns),
    .valid_i(row_valid), .address_i(row_address), .row_i(row_row), .column_i(row_column), .tap_column_i(row_tap_column),
    .taps_i(row_taps), .bytes_i(row_bytes), .pixels_i(row_pixels), .all_enter_i(row_all_enter),
    .moves_rows_i(row_moves_rows), .moves_back_i(row_moves_back), .is_back_i(row_is_back), .last_i(row_last),
    .valid_o(tap_valid), .taps_o(tap_taps), .address_o(tap_address), .map_row_o(tap_row), .map_column_o(tap_column),
    .begin_o(tap_begin), .end_o(tap_end), .left_o(tap_left), .wrap_o(tap_wrap), .bytes_o(tap_bytes),
    .pixels_o(tap_pixels), .all_enter_o(tap_all_enter), .moves_rows_o(tap_moves_rows), .moves_back_o(tap_moves_back),
    .is_back_o(tap_is_back), .last_o(tap_last)
  );

  logic        pixel_valid, pixel_is_shared, pixel_is_back, pixel_last;
  logic [32*Lanes-1:0]  pixel_address;
  logic [4*Lanes-1:0]   pixel_read, pixel_mask;
  logic [16*Lanes-1:0]  pixel_takes, pixel_held;
  logic [16*(TapBits+1)-1:0] pixel_move;
  logic [CountBits-1:0] pixel_free;
  logic [BytesBits-1:0] pixel_bytes;

  npu_agu_windows_pixels #(.Lanes(Lanes)) u_pixels (
    .clk_i, .rst_ni, .go_i(go), .split_i(split_q), .in_rows_i(in_rows_q), .in_columns_i(in_columns_q),
    .stride_columns_i(stride_columns_q), .columns_valid_i(columns_valid), .columns_taps_i(columns_taps),
    .rows_valid_i(rows_valid), .rows_taps_i(rows_taps), .valid_i(tap_valid), .taps_i(tap_taps), .address_i(tap_address),
    .map_row_i(tap_row), .map_column_i(tap_column), .begin_i(tap_begin), .end_i(tap_end), .left_i(tap_left),
    .wrap_i(tap_wrap), .bytes_i(tap_bytes), .pixels_i(tap_pixels), .all_enter_i(tap_all_enter),
    .moves_rows_i(tap_moves_rows), .moves_back_i(tap_moves_back), .is_back_i(tap_is_back), .last_i(tap_last),
    .valid_o(pixel_valid), .address_o(pixel_address), .read_o(pixel_read), .takes_o(pixel_takes), .mask_o(pixel_mask),
    .held_o(pixel_held), .move_o(pixel_move), .is_shared_o(pixel_is_shared), .free_o(pixel_free), .bytes_o(pixel_bytes),
    .is_back_o(pixel_is_back), .last_o(pixel_last)
  );

  // What goes with a row to its beats: taps that are held and moves; masks; what is looked up of a position.
  localparam int RestBits = 16*Lanes + 16*(TapBits+1) + 4*Lanes + 48*Lanes + BytesBits + 1;
  logic        slot_valid, slot_is_back, slot_last;
  logic [Slots-1:0]          slot_read;
  logic [WordBits*Slots-1:0] slot_word;
  logic [2*Slots-1:0]        slot_more;
  logic [IdxBits*Slots-1:0]  slot_idx;
  logic [CountBits-1:0] slot_free;
  logic [RestBits-1:0]  slot_rest;

  npu_agu_windows_slots #(.Lanes(Lanes)) u_slots (
    .clk_i, .rst_ni, .go_i(go), .split_i(split_q), .stride_column_step_i(stride_column_step), .tap_valid_i(tap_valid),
    .taps_i(tap_taps), .begin_i(tap_begin), .end_i(tap_end), .valid_i(pixel_valid), .address_i(pixel_address),
    .read_i(pixel_read), .bytes_i(pixel_bytes), .free_i(pixel_free), .is_back_i(pixel_is_back), .last_i(pixel_last),
    .rest_i({pixel_held, pixel_move, pixel_mask, pixel_address, pixel_takes, pixel_bytes, pixel_is_shared}),
    .valid_o(slot_valid), .read_o(slot_read), .word_o(slot_word), .more_o(slot_more), .idx_o(slot_idx),
    .free_o(slot_free), .is_back_o(slot_is_back), .last_o(slot_last), .rest_o(slot_rest)
  );

  logic        read_valid, read_is_back, read_last;
  logic [Slots-1:0]         read_read, read_joins, read_fits;
  logic [2*Slots-1:0]       read_more, read_place, read_adds;
  logic [IdxBits*Slots-1:0] read_idx;
  logic [RestBits-1:0]      read_rest;

  npu_agu_windows_reads #(.Lanes(Lanes)) u_reads (
    .clk_i, .rst_ni, .go_i(go), .split_i(split_q), .valid_i(slot_valid), .read_i(slot_read), .word_i(slot_word),
    .more_i(slot_more), .idx_i(slot_idx), .free_i(slot_free), .is_back_i(slot_is_back), .last_i(slot_last),
    .rest_i(slot_rest), .valid_o(read_valid), .read_o(read_read), .more_o(read_more), .place_o(read_place),
    .adds_o(read_adds), .joins_o(read_joins), .fits_o(read_fits), .idx_o(read_idx), .is_back_o(read_is_back),
    .last_o(read_last), .rest_o(read_rest)
  );

  npu_agu_windows_beats #(.Lanes(Lanes)) u_beats (
    .clk_i, .rst_ni, .split_i(split_q), .stride_column_step_i(stride_column_step),
    .columns_taps_i(columns_taps[4*TapBits-1:0]), .go_o(go), .valid_i(read_valid), .read_i(read_read), .more_i(read_more),
    .place_i(read_place), .adds_i(read_adds), .joins_i(read_joins), .fits_i(read_fits), .idx_i(read_idx),
    .is_back_i(read_is_back), .last_i(read_last), .rest_i(read_rest), .act_valid_o, .act_ready_i, .act_read_o, .act_word_o,
    .act_mask_o, .win_offset_o, .win_length_o, .win_to_o, .win_pixel_o, .win_register_o, .win_element_o, .act_last_o,
    .last_o(is_last)
  );
endmodule
