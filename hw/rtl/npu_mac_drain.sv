// SPDX-License-Identifier: Apache-2.0
// The drain sequencer: which row of which bank leaves, and when. It runs on the time line of the rows that are taken: the slot
// of a row tile's first row is the cycle after its last row was taken. Its control reaches the accumulators PipelineCycles
// later, when the last row has been added.
//
//   row tiles --> [queue of two] --> slot --> [1] --> [2] --> [3] --> [4] --> read of the accumulators --> [5] epilogue
//
// Row tiles leave in order, those of a command only after the last row of the command before is out. A tile's bank is free for
// others at the edge of its last slot (drained_o), although rows of it still stand in stages 1 to 4: they are read before others
// can be written there as long as both move. is_behind_o tells that a row of the bank's next tile must not move unless the
// drain moves.
module npu_mac_drain #(
  parameter int Lanes = 16,
  localparam int RowBits = $clog2(npu_spec_pkg::AccumulatorRows)
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               en_i,           // of what follows tile_end_i and the commands
  input  logic               move_i,         // the drain moves at this edge
  input  logic               can_move_i,     // the same without en_i, for what readies follow
  // Commands that are drained: taken, and out.
  input  logic               command_i,
  input  logic [npu_spec_pkg::MacLaneSplitLog2Bits-1:0] lane_split_log2_i,
  input  logic               is_depthwise_i,
  input  logic               slide_rows_i,
  input  logic [npu_spec_pkg::MacOutRowsBits-1:0]       out_rows_i,
  input  logic [npu_spec_pkg::MacOutColumnsBits-1:0]    out_columns_i,
  input  logic               command_out_i,
  output logic               settled_o,      // at most one is left in the drain after this edge
  output logic               command_set_o,  // of the two sets of epilogue fields: where the next command's go
  output logic               drained_set_o,  // that of the command whose rows leave
  input  logic               residual_i,     // of that command
  // Row tiles.
  input  logic               tile_end_i,
  input  logic [1:0]         tile_number_i,
  input  logic [RowBits-1:0] last_row_i,
  input  logic               is_last_of_channels_i,
  input  logic               is_last_i,
  input  logic [Lanes-1:0]   lanes_i,
  output logic [1:0]         undrained_o,
  output logic               drained_o,
  output logic               is_behind_o,
  // Accumulators.
  output logic               read_o,
  output logic               read_bank_o,
  output logic [RowBits-1:0] read_row_o,
  // A row that was read, for the epilogue.
  output logic               row_valid_o,
  output logic               row_bank_o,
  output logic [RowBits-1:0] row_o,
  output logic [Lanes-1:0]   row_lanes_o,
  output logic               row_is_last_of_tile_o,
  output logic               row_is_last_of_channels_o,
  output logic               row_is_last_o
);
  localparam int NumStages = npu_spec_pkg::MacPipelineCycles;
  localparam int PartBits = $clog2(npu_spec_pkg::ResidualPaceCycles);
  // A row tile: command's set, number, last row, last of its channel tile, last of all, lanes.
  localparam int TileBits = 1 + 2 + RowBits + 1 + 1 + Lanes;
  // A row: number of its tile, row, last of its tile, of its channel tile, of all, lanes.
  localparam int InfoBits = 2 + RowBits + 3 + Lanes;

  // Commands: taken and not out yet, at most two; where their epilogue fields stand.
  logic [1:0] num_commands_q;
  logic       drained_set_q;
  logic       command_set;

  assign command_set = drained_set_q ^ num_commands_q[0];
  assign settled_o = num_commands_q - 2'(command_out_i) <= 2'd1;
  assign command_set_o = command_set;
  assign drained_set_o = drained_set_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      num_commands_q <= 2'd0;
      drained_set_q <= 1'b0;
    end else if (en_i) begin
      num_commands_q <= num_commands_q + 2'(command_i) - 2'(command_out_i);
      if (command_out_i) drained_set_q <= ~drained_set_q;
    end
  end

  // Row tiles.
  logic [1:0]          num_tiles_q;
  logic [TileBits-1:0] head_q, next_q;
  logic [TileBits-1:0] tile;
  logic                set_of_running;
  logic                head_set, head_is_last_of_channels, head_is_last;
  logic [1:0]          head_number;
  logic [RowBits-1:0]  head_last_row, slot_row_q;
  logic [Lanes-1:0]    head_lanes, pixel_lanes;
  logic                slot_valid, slot_is_over, slot_is_last, pop;
  logic [PartBits-1:0] slot_part_q;  // cycles of a slot that are over

  // The running command is the last one taken.
  assign set_of_running = ~command_set;
  assign tile = {set_of_running, tile_number_i, last_row_i, is_last_of_channels_i, is_last_i, lanes_i};
  assign {head_set, head_number, head_last_row, head_is_last_of_channels, head_is_last, head_lanes} = head_q;
  assign slot_valid = num_tiles_q != 2'd0 && head_set == drained_set_q;
  assign slot_is_over = !residual_i || slot_part_q == PartBits'(npu_spec_pkg::ResidualPaceCycles - 1);
  assign slot_is_last = slot_row_q == head_last_row;
  assign pop = can_move_i && slot_valid && slot_is_over && slot_is_last;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      num_tiles_q <= 2'd0;
      slot_row_q <= '0;
      slot_part_q <= '0;
    end else if (en_i) begin
      num_tiles_q <= num_tiles_q + 2'(tile_end_i) - 2'(pop);
      if (move_i && slot_valid) slot_part_q <= slot_is_over ? '0 : slot_part_q + PartBits'(1);
      if (move_i && slot_valid && slot_is_over) slot_row_q <= slot_is_last ? '0 : slot_row_q + RowBits'(1);
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_i && tile_end_i && (num_tiles_q == 2'd0 || (num_tiles_q == 2'd1 && pop))) head_q <= tile;
    else if (en_i && pop && num_tiles_q == 2'd2) head_q <= next_q;
    if (en_i && tile_end_i) next_q <= tile;
  end

  npu_row_pixels #(.Lanes(Lanes)) u_pixels (
    .clk_i, .rst_ni, .en_i,
    .command_i,
    .command_set_i(command_set),
    .drained_set_i(drained_set_q),
    .lane_split_log2_i, .is_depthwise_i, .slide_rows_i, .out_rows_i, .out_columns_i,
    .row_i(move_i && slot_valid && slot_is_over),
    .lanes_o(pixel_lanes)
  );

  assign undrained_o = num_tiles_q;
  assign drained_o = pop;

  // Rows on their way to the accumulators, and the one that was read.
  logic [NumStages:0]              valid;
  logic [InfoBits*(NumStages+1)-1:0] info;
  logic [NumStages:1]              is_behind;

  assign valid[0] = slot_valid && slot_part_q == '0;
  assign info[InfoBits-1:0] = {head_number, slot_row_q, slot_is_last, slot_is_last && head_is_last_of_channels,
                               slot_is_last && head_is_last, head_lanes & pixel_lanes};

  genvar s;
  generate
    for (s = 1; s <= NumStages; s = s + 1) begin : gen_stage
      logic                valid_q;
      logic [InfoBits-1:0] info_q;
      logic [1:0]          ahead;

      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) valid_q <= 1'b0;
        else if (move_i) valid_q <= valid[s-1];
      end
      always_ff @(posedge clk_i) begin
        if (move_i && valid[s-1]) info_q <= info[InfoBits*(s-1) +: InfoBits];
      end

      assign valid[s] = valid_q;
      assign info[InfoBits*s +: InfoBits] = info_q;
      // How many row tiles the array is ahead: two with a bank of its own wants this row's bank; three: it wanted it before.
      assign ahead = tile_number_i - info_q[InfoBits-1 -: 2];
      assign is_behind[s] = valid_q && (ahead == 2'd3 || (ahead == 2'd2 && num_tiles_q <= 2'd1));
    end
  endgenerate

  assign is_behind_o = |is_behind;
  assign read_o = move_i && valid[NumStages-1];
  assign read_bank_o = info[InfoBits*NumStages-2];
  assign read_row_o = info[InfoBits*NumStages-3 -: RowBits];
  assign row_valid_o = valid[NumStages];
  assign row_bank_o = info[InfoBits*(NumStages+1)-2];
  assign row_o = info[InfoBits*(NumStages+1)-3 -: RowBits];
  assign row_is_last_of_tile_o = info[InfoBits*NumStages + Lanes + 2];
  assign row_is_last_of_channels_o = info[InfoBits*NumStages + Lanes + 1];
  assign row_is_last_o = info[InfoBits*NumStages + Lanes];
  assign row_lanes_o = info[InfoBits*NumStages +: Lanes];
endmodule
