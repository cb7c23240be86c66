// SPDX-License-Identifier: Apache-2.0
// The runs of a convolution's rows: of each row of each step those of hw/sequence/conv_stream.hpp, up to two a cycle.
//
//   begin of the step --> [place: run in hand] --> [the run after it] --> [the run after that]
//                              ^                                                  |
//                              +-- after the row: begin of this step or the next +
//
// A place says where in the reduction the next byte is: its run, and how much of that is taken. A run is a block of a tap, a tap
// whose blocks follow each other, or a line of taps ("inner": columns of the kernel, or its rows where it has one column). A row
// ends at the place at which the next step begins, so that nothing is divided.
//
// A slice of the reduction looks for its begin tap by tap, a cycle each.
//
// Registers: the place, that with which the step began and that with which the reduction begins; bytes that the row lacks; the
// loops over row tiles, steps, bytes of the weights and channel tiles.
module npu_agu_segments_runs #(
  parameter int Lanes = 16,
  localparam int RingBits = $clog2(2*Lanes),
  localparam int BytesBits = $clog2(2*Lanes+1)
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        cmd_i,          // the begin of the reduction stands at its input
  input  logic        start_i,        // the other fields stand at their inputs from the next cycle on
  output logic        is_running_o,
  // The command.
  input  logic        is_16_i, is_weight_16_i, is_joined_i, has_joined_blocks_i,
  input  logic [31:0] reduction_begin_i, reduction_end_i, block_pitch_i, tap_step_i, line_step_i, tap_bytes_i, line_bytes_i, num_rows_i,
  input  logic [19:0] channels_i,
  input  logic [13:0] inner_taps_i, inner_dilation_i, outer_dilation_i,
  input  logic [15:0] out_channels_i,
  input  logic [5:0]  tile_channels_i,
  input  logic [6:0]  row_tile_rows_i,
  // Blocks of its tap before a slice; times their pitch in the cycle after the one in which they are ready.
  output logic [17:0] blocks_o,
  input  logic        blocks_ready_i,
  input  logic [31:0] blocks_bytes_i,
  // Runs: bit and field 0 of the first one, 1 of the one after it, which is of the same row.
  output logic [1:0]  run_valid_o,
  input  logic        run_ready_i,
  output logic [63:0] run_address_o,              // of its first byte, against tap (0, 0) of the pixel
  output logic [2*BytesBits-1:0] run_bytes_o,
  output logic [2*RingBits-1:0]  run_to_o,        // bytes of the step before it
  output logic [63:0] run_inner_o, run_outer_o,   // how far its tap is from tap (0, 0) in the map
  output logic [63:0] run_taken_o,                // bytes of its line, of joined taps, before it
  output logic [1:0]  run_last_o,                 // of the row
  output logic [1:0]  row_move_o                  // from that row to the next one: MoveNext and the others
);
  localparam logic [1:0] MoveNext = 2'd0, MoveBack = 2'd1, MoveTile = 2'd2, MoveFirst = 2'd3;

  // Address of the run, of its tap and of its line of taps; bytes of the run that are taken and left; taps of the line from its
  // own on; how far that is from tap (0, 0) in the map; channels of the tap from the run's block on.
  localparam int PlaceBits = 7*32 + 14 + 20;
  localparam int RunLsb = 0, TapLsb = 32, LineLsb = 64, TakenLsb = 96, BytesLsb = 128, InnerLsb = 160, OuterLsb = 192, TapsLsb = 224, LeftLsb = 238;

  localparam logic [2:0] StateIdle = 3'd0, StateSeek = 3'd1, StateBlock = 3'd2, StateAdd = 3'd3, StateLoad = 3'd4, StateRun = 3'd5;
  logic [2:0] state_q;

  logic [31:0] whole_bytes;   // of a run that begins a tap or a line
  assign whole_bytes = is_joined_i ? line_bytes_i : has_joined_blocks_i || channels_i <= 20'(Lanes) ? tap_bytes_i : 32'(Lanes) << is_16_i;

  // The place after the whole run of `place`; of its tap where `is_tap`.
  function automatic logic [PlaceBits-1:0] after(
      input logic [PlaceBits-1:0] place, input logic is_tap, input logic joined, input logic joined_blocks, input logic is_16,
      input logic [31:0] whole, input logic [13:0] taps, input logic [13:0] dilation, input logic [13:0] dilation_outer,
      input logic [31:0] block_pitch, input logic [31:0] tap_step, input logic [31:0] line_step, input logic [19:0] channels);
    logic [19:0] left;
    left = place[LeftLsb +: 20] - 20'(Lanes);
    after = place;
    after[TakenLsb +: 32] = 32'd0;
    after[BytesLsb +: 32] = whole;
    after[LeftLsb +: 20] = channels;
    if (!is_tap && !joined && !joined_blocks && place[LeftLsb +: 20] > 20'(Lanes)) begin
      after[LeftLsb +: 20] = left;
      after[BytesLsb +: 32] = (left > 20'(Lanes) ? 32'(Lanes) : {12'd0, left}) << is_16;
      after[RunLsb +: 32] = place[RunLsb +: 32] + block_pitch;
    end else if (!joined && place[TapsLsb +: 14] != 14'd1) begin
      after[TapsLsb +: 14] = place[TapsLsb +: 14] - 14'd1;
      after[InnerLsb +: 32] = place[InnerLsb +: 32] + 32'(dilation);
      after[TapLsb +: 32] = place[TapLsb +: 32] + tap_step;
      after[RunLsb +: 32] = place[TapLsb +: 32] + tap_step;
    end else begin
      after[TapsLsb +: 14] = taps;
      after[InnerLsb +: 32] = 32'd0;
      after[OuterLsb +: 32] = place[OuterLsb +: 32] + 32'(dilation_outer);
      after[LineLsb +: 32] = place[LineLsb +: 32] + line_step;
      after[TapLsb +: 32] = place[LineLsb +: 32] + line_step;
      after[RunLsb +: 32] = place[LineLsb +: 32] + line_step;
    end
  endfunction

  logic [PlaceBits-1:0] start_place_q, step_place_q, place_q, first, second, third, end_place, start_after;
  logic [BytesBits-1:0] step_bytes_q, left_q, rest;   // of the step, what the row lacks, and that after the first run
  logic        is_end0, is_end1, is_end;
  logic [31:0] r_left_q;                              // elements from the step on
  logic [31:0] rows_left_q;                           // of the command, from the row tile on
  logic [15:0] channels_left_q;
  logic [6:0]  tile_row_q;
  logic        byte_q;

  assign first = place_q;
  assign second = after(first, 1'b0, is_joined_i, has_joined_blocks_i, is_16_i, whole_bytes, inner_taps_i, inner_dilation_i,
                         outer_dilation_i, block_pitch_i, tap_step_i, line_step_i, channels_i);
  assign third = after(second, 1'b0, is_joined_i, has_joined_blocks_i, is_16_i, whole_bytes, inner_taps_i, inner_dilation_i,
                        outer_dilation_i, block_pitch_i, tap_step_i, line_step_i, channels_i);
  assign is_end0 = 32'(left_q) <= first[BytesLsb +: 32];
  assign rest = left_q - first[BytesLsb +: BytesBits];
  assign is_end1 = 32'(rest) <= second[BytesLsb +: 32];
  assign is_end = is_end0 || is_end1;

  // After the row.
  always_comb begin
    if (is_end0) begin
      end_place = first;
      end_place[TakenLsb +: 32] = first[TakenLsb +: 32] + 32'(left_q);
      end_place[BytesLsb +: 32] = first[BytesLsb +: 32] - 32'(left_q);
      if (32'(left_q) == first[BytesLsb +: 32]) end_place = second;
    end else begin
      end_place = second;
      end_place[TakenLsb +: 32] = 32'(rest);
      end_place[BytesLsb +: 32] = second[BytesLsb +: 32] - 32'(rest);
      if (32'(rest) == second[BytesLsb +: 32]) end_place = third;
    end
  end

  assign is_running_o = state_q != StateIdle;
  assign run_valid_o = {state_q == StateRun && !is_end0, state_q == StateRun};
  assign run_address_o = {second[RunLsb +: 32], first[RunLsb +: 32] + first[TakenLsb +: 32]};
  assign run_bytes_o = {is_end1 ? rest : second[BytesLsb +: BytesBits], is_end0 ? left_q : first[BytesLsb +: BytesBits]};
  assign run_to_o = {RingBits'(step_bytes_q - rest), RingBits'(step_bytes_q - left_q)};
  assign run_inner_o = {second[InnerLsb +: 32], first[InnerLsb +: 32]};
  assign run_outer_o = {second[OuterLsb +: 32], first[OuterLsb +: 32]};
  assign run_taken_o = {32'd0, first[TakenLsb +: 32]};
  assign run_last_o = {is_end1, is_end0};

  // Loops.
  logic is_last_row, is_last_byte, is_last_step, is_last_rows, is_last_channels, is_step, ends;
  logic [31:0] reduction, r_left_next, r_left_load;

  assign reduction = reduction_end_i - reduction_begin_i;
  assign is_last_row = 7'(tile_row_q + 7'd1) == row_tile_rows_i || 32'(tile_row_q) + 32'd1 == rows_left_q;
  assign is_last_byte = !is_weight_16_i || byte_q;
  assign is_last_step = r_left_q <= 32'(Lanes);
  assign is_last_rows = rows_left_q <= 32'(row_tile_rows_i);
  assign is_last_channels = channels_left_q <= {10'd0, tile_channels_i};
  assign is_step = is_last_row && is_last_byte;
  assign ends = is_step && is_last_step && is_last_rows && is_last_channels;
  assign r_left_next = r_left_q - 32'(Lanes);
  assign r_left_load = state_q != StateRun || is_last_step ? reduction : r_left_next;
  assign row_move_o = !is_last_row ? MoveNext : !is_last_byte || !is_last_step ? MoveBack : !is_last_rows ? MoveTile : MoveFirst;

  // A slice: elements of the reduction before it, from the place's tap on.
  logic [31:0] seek_q, seek_bytes;
  logic [19:0] block_left;    // channels of the tap from its block on
  logic        is_in_block;

  assign start_after = after(start_place_q, 1'b1, is_joined_i, has_joined_blocks_i, is_16_i, whole_bytes, inner_taps_i, inner_dilation_i,
                               outer_dilation_i, block_pitch_i, tap_step_i, line_step_i, channels_i);
  assign is_in_block = !is_joined_i && !has_joined_blocks_i;
  assign seek_bytes = (is_in_block ? 32'(seek_q[$clog2(Lanes)-1:0]) : seek_q) << is_16_i;
  assign block_left = channels_i - {seek_q[19:$clog2(Lanes)], {$clog2(Lanes){1'b0}}};
  assign blocks_o = 18'(seek_q[19:$clog2(Lanes)]);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StateIdle;
    end else begin
      case (state_q)
        StateIdle: if (start_i) state_q <= seek_q == 32'd0 ? StateLoad : StateSeek;
        StateSeek: if (seek_q < 32'(channels_i)) state_q <= StateBlock;
        StateBlock: if (blocks_ready_i) state_q <= StateAdd;
        StateAdd: state_q <= StateLoad;
        StateLoad: state_q <= StateRun;
        default: if (run_ready_i && is_end && ends) state_q <= StateIdle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (cmd_i) seek_q <= reduction_begin_i;
    if (start_i) begin
      start_place_q <= '0;
      start_place_q[BytesLsb +: 32] <= whole_bytes;
      start_place_q[TapsLsb +: 14] <= inner_taps_i;
      start_place_q[LeftLsb +: 20] <= channels_i;
    end
    if (state_q == StateSeek && seek_q >= 32'(channels_i)) begin
      seek_q <= seek_q - 32'(channels_i);
      start_place_q <= start_after;
      if (is_joined_i && start_place_q[BytesLsb +: 32] != tap_bytes_i) begin
        start_place_q <= start_place_q;
        start_place_q[TakenLsb +: 32] <= start_place_q[TakenLsb +: 32] + tap_bytes_i;
        start_place_q[BytesLsb +: 32] <= start_place_q[BytesLsb +: 32] - tap_bytes_i;
      end
    end
    if (state_q == StateAdd) begin
      start_place_q[TakenLsb +: 32] <= start_place_q[TakenLsb +: 32] + seek_bytes;
      start_place_q[BytesLsb +: 32] <= start_place_q[BytesLsb +: 32] - seek_bytes;
      if (is_in_block) begin
        start_place_q[RunLsb +: 32] <= start_place_q[TapLsb +: 32] + blocks_bytes_i;
        start_place_q[LeftLsb +: 20] <= block_left;
        start_place_q[BytesLsb +: 32] <= ((block_left > 20'(Lanes) ? 32'(Lanes) : {12'd0, block_left}) << is_16_i) - seek_bytes;
      end
    end
    if (state_q == StateLoad || (state_q == StateRun && run_ready_i && is_end && is_step)) begin
      r_left_q <= r_left_load;
      step_bytes_q <= (r_left_load < 32'(Lanes) ? r_left_load[BytesBits-1:0] : BytesBits'(Lanes)) << is_16_i;
      left_q <= (r_left_load < 32'(Lanes) ? r_left_load[BytesBits-1:0] : BytesBits'(Lanes)) << is_16_i;
      step_place_q <= state_q == StateLoad || is_last_step ? start_place_q : end_place;
      place_q <= state_q == StateLoad || is_last_step ? start_place_q : end_place;
    end else if (state_q == StateRun && run_ready_i) begin
      left_q <= is_end ? step_bytes_q : rest - second[BytesLsb +: BytesBits];
      place_q <= is_end ? step_place_q : third;
    end
    if (state_q == StateLoad) begin
      tile_row_q <= 7'd0;
      byte_q <= 1'b0;
      rows_left_q <= num_rows_i;
      channels_left_q <= out_channels_i;
    end else if (state_q == StateRun && run_ready_i && is_end) begin
      tile_row_q <= is_last_row ? 7'd0 : tile_row_q + 7'd1;
      if (is_last_row) byte_q <= !is_last_byte;
      if (is_step && is_last_step) begin
        rows_left_q <= is_last_rows ? num_rows_i : rows_left_q - 32'(row_tile_rows_i);
        if (is_last_rows) channels_left_q <= channels_left_q - {10'd0, tile_channels_i};
      end
    end
  end
endmodule
