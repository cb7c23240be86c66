// SPDX-License-Identifier: Apache-2.0
// The loops of a MAC command, and when its rows and weight tiles are taken: for channel tile, for row tile, for step, for row.
//
//   cmd ------> counters --------------------> cmd_ready_o
//   act beats -> row_end -> step_end -> tile_end (to the drain) -> command_end
//                             |
//                  swap_o: the shadow tile becomes the active one
//
// Rules, all of them at edges:
//   rows   are taken while the active weight tile is theirs and their row tile has its bank: at most one row tile before it is
//          not drained.
//   swap   at the edge of the last row that uses the active tile, or later as soon as the shadow is full; for the first step of
//          a row tile not before it has its bank.
//   next command at the edge of the last row, or later when the last row tile's drain begins; after a slice, whose rows are
//          drained by a later command, MacPipelineCycles later.
// A drain that ends at an edge counts at that edge, so that handshakes follow their neighbours without a cycle between.
//
// int16: a row goes into the lanes twice, its low bytes (low_o) and a cycle later its high ones (high_o), which are its end.
//   the low bytes go in with the row's last beat
//   the first of several beats comes beside the high bytes of the row before, or later, even while the row itself has to wait;
//   for the first row of a command it comes only when the row can be multiplied
// int16 weights: each step has two weight tiles, of low and of high bytes, and all rows with each.
module npu_mac_sequencer #(
  parameter int Lanes = 16,
  localparam int RowBits = $clog2(npu_spec_pkg::AccumulatorRows)
) (
  input  logic                                   clk_i,
  input  logic                                   rst_ni,
  input  logic                                   en_i,
  input  logic                                   cmd_valid_i,
  output logic                                   cmd_ready_o,
  // Fields of the command, at its handshake.
  input  logic                                   first_i,
  input  logic                                   last_i,
  input  logic [npu_spec_pkg::MacLaneSplitLog2Bits-1:0]  lane_split_log2_i,
  input  logic [npu_spec_pkg::MacRowTileRowsBits-1:0]    row_tile_rows_i,
  input  logic [npu_spec_pkg::MacOutRowsBits-1:0]        out_rows_i,
  input  logic [npu_spec_pkg::MacOutColumnsBits-1:0]     out_columns_i,
  input  logic [npu_spec_pkg::MacOutChannelsBits-1:0]    out_channels_i,
  input  logic [npu_spec_pkg::MacReductionBeginBits-1:0] reduction_begin_i,
  input  logic [npu_spec_pkg::MacReductionEndBits-1:0]   reduction_end_i,
  input  logic                                   is_16_i,
  input  logic                                   weight_is_16_i,
  output logic                                   is_running_o,
  // Weights.
  input  logic                                   shadow_full_i,
  output logic                                   swap_o,
  // Rows. flow_i: the accumulators can take one.
  input  logic                                   act_valid_i,
  input  logic                                   act_last_i,
  output logic                                   act_ready_o,
  input  logic                                   flow_i,
  output logic                                   low_o,
  output logic                                   high_o,
  output logic                                   high_is_due_o,
  output logic [RowBits-1:0]                     row_o,
  output logic [1:0]                             tile_number_o,  // bit 0: its bank
  output logic                                   from_zero_o,
  output logic [1:0]                             byte_shift_o,   // bytes that a product stands up
  output logic [Lanes-1:0]                       lanes_o,
  // Drain: a row tile is there (tile_end_o), one has left its bank (drained_i), and at most one command is left in it (settled_i).
  output logic                                   tile_end_o,
  output logic [RowBits-1:0]                     last_row_o,
  output logic                                   is_last_of_channels_o,
  output logic                                   is_last_o,
  input  logic [1:0]                             undrained_i,
  input  logic                                   drained_i,
  input  logic                                   settled_i,
  output logic [2:0]                             stall_o
);
  localparam int LaneBits = $clog2(Lanes);
  localparam int StepBits = npu_spec_pkg::MacReductionEndBits - LaneBits;
  localparam int TileRowsBits = npu_spec_pkg::MacRowTileRowsBits;
  localparam int ChannelBits = npu_spec_pkg::MacOutChannelsBits;
  localparam int SplitBits = npu_spec_pkg::MacLaneSplitLog2Bits;

  // The command.
  logic                    is_running_q;
  logic                    first_q, last_q, is_16_q, weight_is_16_q;
  logic [SplitBits-1:0]    split_q;
  logic [TileRowsBits-1:0] row_tile_rows_q;
  logic [31:0]             num_rows_q;
  logic [StepBits-1:0]     last_step_q;
  // Where it is.
  logic [RowBits-1:0]      row_q;
  logic [StepBits-1:0]     step_q;
  logic [31:0]             rows_left_q;      // of the channel tile, from this row tile on
  logic [ChannelBits-1:0]  channels_left_q;  // from this channel tile on
  logic [1:0]              tile_number_q;
  logic                    weight_byte_q;    // of the step
  logic                    has_begun_q;      // a beat of the command has come
  logic                    has_beat_q;       // of the row that comes
  logic                    high_is_due_q;
  logic                    has_weights_q;
  logic                    rows_done_q;
  logic [2:0]              wait_q;           // cycles of fill: at the start, and behind a slice

  logic                    take, has_bank, can_multiply, act_ready, beat, low, high, row_end;
  logic                    comes_ahead, is_last_weight_byte;
  logic                    is_last_row, is_last_step, is_last_row_tile, is_last_channel_tile;
  logic                    step_end, tile_end, channels_end, command_end, weights_end;
  logic [1:0]              held;
  logic                    next_has_bank, main_over, swap;
  logic [TileRowsBits-1:0] tile_rows;
  logic [31:0]             num_rows_d;
  logic [31:0]             groups;           // accumulator rows of a row of pixels
  logic [ChannelBits-1:0]  tile_channels;
  logic [StepBits-1:0]     last_step_d;

  assign tile_rows = is_last_row_tile ? rows_left_q[TileRowsBits-1:0] : row_tile_rows_q;
  assign is_last_row_tile = rows_left_q <= 32'(row_tile_rows_q);
  assign is_last_row = TileRowsBits'(row_q) == tile_rows - TileRowsBits'(1);
  assign is_last_weight_byte = weight_byte_q || !weight_is_16_q;
  assign is_last_step = step_q == last_step_q && is_last_weight_byte;
  assign tile_channels = ChannelBits'(Lanes) >> split_q;
  assign is_last_channel_tile = channels_left_q <= tile_channels;

  assign has_bank = undrained_i <= 2'd1;
  assign can_multiply = is_running_q && !rows_done_q && has_weights_q && has_bank && flow_i;
  assign comes_ahead = is_16_q && has_begun_q && !has_beat_q && !act_last_i;
  assign act_ready = comes_ahead ? is_running_q && !rows_done_q && flow_i : can_multiply && !high_is_due_q;
  assign beat = act_valid_i && act_ready;
  assign low = beat && act_last_i;
  assign high = can_multiply && high_is_due_q;
  assign row_end = is_16_q ? high : low;
  assign step_end = row_end && is_last_row;
  assign tile_end = step_end && is_last_step;
  assign channels_end = tile_end && is_last_row_tile;
  assign command_end = channels_end && is_last_channel_tile;
  // Row tiles of a single step share its weights.
  assign weights_end = step_end && (last_step_q != '0 || weight_is_16_q || is_last_row_tile);

  // Row tiles that hold a bank after this edge.
  assign held = undrained_i + 2'(tile_end && last_q);
  assign next_has_bank = held <= 2'd1 || (held == 2'd2 && drained_i);
  assign swap = is_running_q && shadow_full_i && (!has_weights_q || weights_end) && next_has_bank;
  assign main_over = (command_end || rows_done_q) && (last_q ? next_has_bank && settled_i : rows_done_q && wait_q == 3'd0);
  assign cmd_ready_o = !is_running_q || main_over;
  assign take = cmd_valid_i && cmd_ready_o;

  assign groups = ((32'(out_columns_i) - 32'd1) >> lane_split_log2_i) + 32'd1;
  assign num_rows_d = 32'(out_rows_i) * groups;
  assign last_step_d = StepBits'((reduction_end_i - reduction_begin_i - npu_spec_pkg::MacReductionEndBits'(1)) >> LaneBits);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      is_running_q <= 1'b0;
      has_weights_q <= 1'b0;
      has_begun_q <= 1'b0;
      has_beat_q <= 1'b0;
      high_is_due_q <= 1'b0;
      rows_done_q <= 1'b0;
      tile_number_q <= 2'd0;
      wait_q <= 3'd0;
    end else if (en_i) begin
      if (take) is_running_q <= 1'b1;
      else if (main_over) is_running_q <= 1'b0;
      if (take) rows_done_q <= 1'b0;
      else if (command_end) rows_done_q <= 1'b1;
      if (take) has_begun_q <= 1'b0;
      else if (beat) has_begun_q <= 1'b1;
      if (low) has_beat_q <= 1'b0;
      else if (beat) has_beat_q <= 1'b1;
      if (low && is_16_q) high_is_due_q <= 1'b1;
      else if (high) high_is_due_q <= 1'b0;
      if (swap) has_weights_q <= 1'b1;
      else if (weights_end) has_weights_q <= 1'b0;
      if (tile_end && last_q) tile_number_q <= tile_number_q + 2'd1;
      if (take) wait_q <= 3'(npu_spec_pkg::SramReadLatencyCycles);
      else if (command_end) wait_q <= 3'(npu_spec_pkg::MacPipelineCycles - 1);
      else if (wait_q != 3'd0) wait_q <= wait_q - 3'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_i && take) begin
      first_q <= first_i;
      last_q <= last_i;
      is_16_q <= is_16_i;
      weight_is_16_q <= weight_is_16_i;
      weight_byte_q <= 1'b0;
      split_q <= lane_split_log2_i;
      row_tile_rows_q <= row_tile_rows_i;
      num_rows_q <= num_rows_d;
      last_step_q <= last_step_d;
      row_q <= '0;
      step_q <= '0;
      rows_left_q <= num_rows_d;
      channels_left_q <= out_channels_i;
    end else if (en_i) begin
      if (row_end) row_q <= is_last_row ? '0 : row_q + RowBits'(1);
      if (step_end) weight_byte_q <= !is_last_weight_byte;
      if (step_end && is_last_weight_byte) step_q <= is_last_step ? '0 : step_q + StepBits'(1);
      if (tile_end) rows_left_q <= is_last_row_tile ? num_rows_q : rows_left_q - 32'(row_tile_rows_q);
      if (channels_end) channels_left_q <= channels_left_q - tile_channels;
    end
  end

  // A cycle that misses bank and weights counts for the bank.
  always_comb begin
    stall_o = npu_spec_pkg::STALL_BUSY;
    if (!is_running_q) stall_o = npu_spec_pkg::STALL_IDLE;
    else if (rows_done_q) stall_o = last_q ? npu_spec_pkg::STALL_RESCALE_CONTENTION : npu_spec_pkg::STALL_FILL;
    else if (wait_q != 3'd0) stall_o = npu_spec_pkg::STALL_FILL;
    else if (!has_bank) stall_o = npu_spec_pkg::STALL_RESCALE_CONTENTION;
    else if (!has_weights_q) stall_o = npu_spec_pkg::STALL_WEIGHT_LOAD;
    else if (!flow_i) stall_o = npu_spec_pkg::STALL_OUTPUT_WAIT;
    else if (!act_valid_i && !high_is_due_q) stall_o = npu_spec_pkg::STALL_INPUT_WAIT;
  end

  genvar i;
  generate
    for (i = 0; i < Lanes; i = i + 1) begin : gen_used
      localparam int OfHalf = i % (Lanes / 2);
      localparam int OfQuarter = i % (Lanes / 4);
      logic [ChannelBits-1:0] channel;

      assign channel = split_q == '0 ? ChannelBits'(i) : split_q == SplitBits'(1) ? ChannelBits'(OfHalf) : ChannelBits'(OfQuarter);
      assign lanes_o[i] = channels_left_q > channel;
    end
  endgenerate

  assign is_running_o = is_running_q;
  assign swap_o = swap;
  assign act_ready_o = act_ready;
  assign low_o = low;
  assign high_o = high;
  assign high_is_due_o = high_is_due_q;
  assign row_o = row_q;
  assign tile_number_o = tile_number_q;
  assign from_zero_o = first_q && step_q == '0 && !weight_byte_q && !high_is_due_q;
  assign byte_shift_o = 2'(weight_byte_q) + 2'(high_is_due_q);
  assign tile_end_o = tile_end && last_q;
  assign last_row_o = row_q;
  assign is_last_of_channels_o = is_last_row_tile;
  assign is_last_o = is_last_row_tile && is_last_channel_tile;
endmodule
