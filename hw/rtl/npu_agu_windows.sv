// SPDX-License-Identifier: Apache-2.0
// Words and registers of the windows of depthwise commands, in the order of hw/sequence/window_stream.
//
//   command --> [setup: products] --> [walk: rows] --> [taps] --> [reads] --> [beats] --> act_*, win_*
//
// A row a cycle goes through five registers, so that a beat comes each cycle from the first to the last one, whatever lines,
// steps, row tiles or channel tiles end between them. Nothing depends on the row before but which taps its windows hold, which
// only a move along the line or to the next line decides, and the registers that they are in.
//
// The first beat is there 16 cycles after the command, 52 where its reduction does not begin at tap 0: 8 products, one after the
// other, and 8 registers; a division of 32 cycles with 4 more products.
//
// What there is: P x N slots for the positions of a row, P at most 4. A slot has an address (an adder of 32 bits on the one of
// its tap, of which there are N), a comparator with the slot before and the number of the read that brings it: about 60 bits,
// for the row in hand and the one after it, and 45 in the stage before. The registers of the windows' taps are 4 N x log2 N
// bits. Products are small: taps by steps, kernel rows by their width. Each loop over slots is a sum, an OR or a choice of one.
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
  localparam int ReadBits = $clog2(3*Slots+1);

  // The command.
  logic        is_command, start_q, is_busy_q;
  logic [1:0]  split_q;
  logic        slide_rows_q, is_16_q;
  logic [6:0]  row_tile_rows_q;
  logic [31:0] base_q, row_pitch_q, pixel_pitch_q, block_pitch_q, reduction_begin_q, taps_q;
  logic [15:0] in_rows_q, in_columns_q, out_rows_q, out_columns_q, out_channels_q;
  logic [13:0] kernel_columns_q, stride_rows_q, stride_columns_q, dilation_rows_q, dilation_columns_q;
  logic signed [17:0] origin_row_q, origin_column_q;

  logic        is_set_up, is_drained;

  assign cmd_ready_o = !is_busy_q && !act_valid_o;
  assign is_command = cmd_valid_i && cmd_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      start_q <= 1'b0;
      is_busy_q <= 1'b0;
    end else begin
      start_q <= is_command;
      if (is_command) is_busy_q <= 1'b1;
      else if (act_valid_o && act_ready_i && is_drained) is_busy_q <= 1'b0;
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
      taps_q <= cmd_i[npu_agu_pkg::MacReductionEndLsb +: npu_agu_pkg::MacReductionEndBits] - cmd_i[npu_agu_pkg::MacReductionBeginLsb +: npu_agu_pkg::MacReductionBeginBits];
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

  logic        start_walk_q, row_valid, row_ready, row_all_enter, row_moves_rows, row_moves_back, row_is_back, row_last;
  logic [31:0] row_address, row_row, row_column;
  logic [13:0] row_tap_column;
  logic [CountBits-1:0] row_taps;
  logic [BytesBits-1:0] row_bytes;
  logic [3:0]  row_pixels;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) start_walk_q <= 1'b0;
    else start_walk_q <= is_set_up;
  end

  npu_agu_windows_walk #(.Lanes(Lanes)) u_walk (
    .clk_i, .rst_ni, .start_i(start_walk_q), .ready_i(row_ready), .valid_o(row_valid),
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

  logic        tap_valid, tap_ready, tap_is_shared, tap_is_back, tap_last;
  logic [CountBits-1:0] tap_taps, tap_free;
  logic [32*Lanes-1:0]  tap_address;
  logic [TapBits*Lanes-1:0]   tap_row_begin;
  logic [CountBits*Lanes-1:0] tap_row_end;
  logic [4*Lanes-1:0]   tap_read;
  logic [16*Lanes-1:0]  tap_takes, tap_held;
  logic [16*(TapBits+1)-1:0] tap_move;
  logic [BytesBits-1:0] tap_bytes;
  logic [3:0]  tap_pixels;

  npu_agu_windows_taps #(.Lanes(Lanes)) u_taps (
    .clk_i, .rst_ni, .split_i(split_q), .in_rows_i(in_rows_q), .in_columns_i(in_columns_q),
    .kernel_columns_i(kernel_columns_q), .stride_columns_i(stride_columns_q), .dilation_rows_i(dilation_rows_q),
    .dilation_columns_i(dilation_columns_q), .tap_step_i(tap_step), .wrap_step_i(wrap_step),
    .wrap_columns_i(wrap_columns), .columns_valid_i(columns_valid), .columns_taps_i(columns_taps),
    .rows_valid_i(rows_valid), .rows_taps_i(rows_taps),
    .valid_i(row_valid), .ready_o(row_ready), .address_i(row_address), .row_i(row_row), .column_i(row_column),
    .tap_column_i(row_tap_column), .taps_i(row_taps), .bytes_i(row_bytes), .pixels_i(row_pixels),
    .all_enter_i(row_all_enter), .moves_rows_i(row_moves_rows), .moves_back_i(row_moves_back), .is_back_i(row_is_back),
    .last_i(row_last), .valid_o(tap_valid), .ready_i(tap_ready), .taps_o(tap_taps), .address_o(tap_address),
    .row_begin_o(tap_row_begin), .row_end_o(tap_row_end), .read_o(tap_read), .takes_o(tap_takes), .held_o(tap_held),
    .move_o(tap_move), .is_shared_o(tap_is_shared), .free_o(tap_free), .bytes_o(tap_bytes), .pixels_o(tap_pixels),
    .is_back_o(tap_is_back), .last_o(tap_last)
  );

  logic        read_valid, read_ready, read_is_shared, read_is_back, read_last;
  logic [Slots-1:0]     read_read;
  logic [32*Slots-1:0]  read_address;
  logic [TapBits*Slots-1:0] read_tap;
  logic [2*Slots-1:0]   read_pixel, read_words, read_place;
  logic [4*Slots-1:0]   read_takes;
  logic [ReadBits*Slots-1:0] read_first;
  logic [ReadBits-1:0]  read_reads;
  logic [16*Lanes-1:0]  read_held;
  logic [16*(TapBits+1)-1:0] read_move;
  logic [CountBits-1:0] read_free;
  logic [BytesBits-1:0] read_bytes;
  logic [3:0]  read_pixels;

  npu_agu_windows_reads #(.Lanes(Lanes)) u_reads (
    .clk_i, .rst_ni, .split_i(split_q), .stride_column_step_i(stride_column_step),
    .valid_i(tap_valid), .ready_o(tap_ready), .taps_i(tap_taps), .address_i(tap_address), .row_begin_i(tap_row_begin),
    .row_end_i(tap_row_end), .read_i(tap_read), .takes_i(tap_takes), .held_i(tap_held), .move_i(tap_move),
    .is_shared_i(tap_is_shared), .free_i(tap_free), .bytes_i(tap_bytes), .pixels_i(tap_pixels),
    .is_back_i(tap_is_back), .last_i(tap_last), .valid_o(read_valid), .ready_i(read_ready), .read_o(read_read),
    .address_o(read_address), .tap_o(read_tap), .pixel_o(read_pixel), .takes_o(read_takes), .words_o(read_words),
    .first_o(read_first), .place_o(read_place), .reads_o(read_reads), .held_o(read_held), .move_o(read_move),
    .is_shared_o(read_is_shared), .free_o(read_free), .bytes_o(read_bytes), .pixels_o(read_pixels),
    .is_back_o(read_is_back), .last_o(read_last)
  );

  npu_agu_windows_beats #(.Lanes(Lanes)) u_beats (
    .clk_i, .rst_ni, .split_i(split_q), .columns_taps_i(columns_taps[4*TapBits-1:0]), .is_drained_o(is_drained),
    .valid_i(read_valid), .ready_o(read_ready), .read_i(read_read), .address_i(read_address), .tap_i(read_tap),
    .pixel_i(read_pixel), .takes_i(read_takes), .words_i(read_words), .first_i(read_first), .place_i(read_place),
    .reads_i(read_reads), .held_i(read_held), .move_i(read_move), .is_shared_i(read_is_shared), .free_i(read_free),
    .bytes_i(read_bytes), .pixels_i(read_pixels), .is_back_i(read_is_back), .last_i(read_last),
    .act_valid_o, .act_ready_i, .act_read_o, .act_word_o, .act_mask_o, .win_offset_o, .win_length_o, .win_to_o,
    .win_pixel_o, .win_register_o, .win_element_o, .act_last_o
  );
endmodule
