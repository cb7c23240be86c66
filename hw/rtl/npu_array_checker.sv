// SPDX-License-Identifier: Apache-2.0
// Asserts the contract of npu_mac_array, with registers of its own. Bound into it by npu_mac_array_checks.sv, in builds with
// assertions only.
//
//   cmd --> beats of weights and activations that its loops take, and none else
//       --> [rows, parameters, addends of two commands that are drained] --> rows in their order, with their marks
//   out     holds from its valid to its handshake, and while en_i is low
//   inside  shadow written while it is free, banks read by one owner, sums forwarded exactly where the memory is late
module npu_array_checker #(
  parameter int Lanes = 16,
  parameter int RowBits = 6,
  parameter int OutBits = 48
) (
  input logic               clk_i,
  input logic               rst_ni,
  input logic               en_i,
  // Handshakes, which count with en_i.
  input logic               cmd_i,
  input logic               wgt_i,
  input logic               wgt_last_i,
  input logic               act_i,
  input logic               act_last_i,
  input logic               prm_i,
  input logic               add_i,
  // Fields of the command.
  input logic               last_i,
  input logic               residual_i,
  input logic               weight_is_16_i,
  input logic [1:0]         lane_split_log2_i,
  input logic [63:0]        row_tile_rows_i,
  input logic [63:0]        out_rows_i,
  input logic [63:0]        out_columns_i,
  input logic [63:0]        out_channels_i,
  input logic [63:0]        num_elements_i,     // of the reduction
  // Results.
  input logic               out_valid_i,
  input logic               out_ready_i,
  input logic [OutBits-1:0] out_i,              // all of a row, marks included
  input logic               out_is_empty_i,     // no lane has a result
  input logic [RowBits-1:0] out_row_i,
  input logic               out_bank_i,
  input logic               out_last_of_tile_i,
  input logic               out_last_i,
  // Inside.
  input logic               shadow_write_i,
  input logic               shadow_full_i,
  input logic               swap_i,
  input logic [1:0]         undrained_i,
  input logic               drain_read_i,
  input logic               drain_bank_i,
  input logic               row_moves_i,        // into the stage that reads its sum so far
  input logic               row_reads_i,        // and it does
  input logic [RowBits:0]   row_i,              // bank and row
  input logic               sum_moves_i,        // into the memory
  input logic [RowBits:0]   sum_row_i,
  input logic               forward_i,
  input logic               is_behind_i,        // a row of a bank's next tile waits for the drain
  input logic               holds_row_i,        // a row of the drain waits for another row's sum
  input logic               can_move_i          // the drain moves, if enabled
);
  localparam int LaneBits = $clog2(Lanes);

  // What the command at the port takes and gives.
  logic [63:0] rows, channel_tiles, row_tiles, tiles_of_row_tile, weight_tiles;

  assign rows = out_rows_i * (((out_columns_i - 64'd1) >> lane_split_log2_i) + 64'd1);
  assign channel_tiles = ((out_channels_i - 64'd1) >> (6'(LaneBits) - 6'(lane_split_log2_i))) + 64'd1;
  assign row_tiles = (rows - 64'd1) / row_tile_rows_i + 64'd1;
  assign tiles_of_row_tile = (((num_elements_i - 64'd1) >> LaneBits) + 64'd1) << weight_is_16_i;
  assign weight_tiles = channel_tiles * (tiles_of_row_tile == 64'd1 ? 64'd1 : row_tiles * tiles_of_row_tile);

  logic out, row_end, pop, push;

  assign out = en_i && out_valid_i && out_ready_i;
  assign pop = out && out_last_i;
  assign push = cmd_i && last_i;

  // Weight tiles and rows of the running command that are still to come.
  logic [63:0] tiles_left_q, rows_left_q;

  assign row_end = act_i && act_last_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tiles_left_q <= '0;
      rows_left_q <= '0;
    end else if (cmd_i) begin
      tiles_left_q <= weight_tiles;
      rows_left_q <= channel_tiles * rows * tiles_of_row_tile;
    end else begin
      tiles_left_q <= tiles_left_q - 64'(wgt_i && wgt_last_i);
      rows_left_q <= rows_left_q - 64'(row_end);
    end
  end

  // Commands that are drained, the older one first; parameters and addends that their rows want and that have not come.
  logic [1:0]  num_commands_q;
  logic [63:0] results_left_q, next_results_q, rows_q, next_rows_q, row_tile_rows_q, next_row_tile_rows_q;
  logic [63:0] next_parameters_q, next_addends_q, parameters_due_q, addends_due_q;
  logic [63:0] results, addends;
  logic        is_head;

  assign results = channel_tiles * rows;
  assign addends = residual_i ? results : '0;
  // The command at the port becomes the older one.
  assign is_head = push && (num_commands_q == 2'd0 || (num_commands_q == 2'd1 && pop));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      num_commands_q <= '0;
      results_left_q <= '0;
      rows_q <= '0;
      row_tile_rows_q <= '0;
      next_results_q <= '0;
      next_rows_q <= '0;
      next_row_tile_rows_q <= '0;
      next_parameters_q <= '0;
      next_addends_q <= '0;
      parameters_due_q <= '0;
      addends_due_q <= '0;
    end else begin
      num_commands_q <= num_commands_q + 2'(push) - 2'(pop);
      parameters_due_q <= parameters_due_q + (push ? channel_tiles : '0) - 64'(prm_i);
      addends_due_q <= addends_due_q + (push ? addends : '0) - 64'(add_i);
      if (is_head) begin
        results_left_q <= results;
        rows_q <= rows;
        row_tile_rows_q <= row_tile_rows_i;
      end else if (pop) begin
        results_left_q <= next_results_q;
        rows_q <= next_rows_q;
        row_tile_rows_q <= next_row_tile_rows_q;
      end else if (out) begin
        results_left_q <= results_left_q - 64'd1;
      end
      if (push) begin
        next_results_q <= results;
        next_rows_q <= rows;
        next_row_tile_rows_q <= row_tile_rows_i;
        next_parameters_q <= channel_tiles;
        next_addends_q <= addends;
      end
    end
  end

  // Where the row that leaves next stands.
  logic [63:0] row_q, row_of_channels_q;
  logic        bank_q, is_last_of_tile, is_last_of_channels;

  assign is_last_of_channels = row_of_channels_q + 64'd1 == rows_q;
  assign is_last_of_tile = row_q + 64'd1 == row_tile_rows_q || is_last_of_channels;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      row_q <= '0;
      row_of_channels_q <= '0;
      bank_q <= 1'b0;
    end else if (out) begin
      row_q <= is_last_of_tile ? '0 : row_q + 64'd1;
      row_of_channels_q <= is_last_of_channels ? '0 : row_of_channels_q + 64'd1;
      bank_q <= bank_q ^ is_last_of_tile;
    end
  end

  // What stood there a cycle before, and whether the memory was too late for the row that is added next.
  logic               was_held_q, was_disabled_q, last_valid_q, is_late_q;
  logic [OutBits-1:0] last_out_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      was_held_q <= 1'b0;
      was_disabled_q <= 1'b0;
      last_valid_q <= 1'b0;
      last_out_q <= '0;
      is_late_q <= 1'b0;
    end else begin
      was_held_q <= out_valid_i && !out;
      was_disabled_q <= !en_i;
      last_valid_q <= out_valid_i;
      last_out_q <= out_i;
      if (row_moves_i) is_late_q <= sum_moves_i && row_i == sum_row_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert_hold: assert (!was_held_q || (out_valid_i && out_i == last_out_q));
      assert_en: assert (!was_disabled_q || out_valid_i == last_valid_q);
      assert_weights: assert (!wgt_i || tiles_left_q != 64'd0);
      assert_activations: assert (!act_i || rows_left_q != 64'd0);
      assert_command: assert (!cmd_i || (tiles_left_q == 64'd0 && rows_left_q == 64'(row_end)));
      assert_two: assert (!push || num_commands_q < 2'd2 || pop);
      assert_parameters: assert (!prm_i || parameters_due_q != 64'd0);
      assert_addends: assert (!add_i || addends_due_q != 64'd0);
      assert_asked_for: assert (!out_valid_i || (num_commands_q != 2'd0 && results_left_q != 64'd0));
      assert_last: assert (!out_valid_i || out_last_i == (results_left_q == 64'd1));
      assert_tile: assert (!out_valid_i || out_last_of_tile_i == is_last_of_tile);
      assert_row: assert (!out_valid_i || (64'(out_row_i) == row_q && out_bank_i == bank_q && !out_is_empty_i));
      assert_operands: assert (!pop || (num_commands_q == 2'd2 ? parameters_due_q <= next_parameters_q && addends_due_q <= next_addends_q
                                                               : parameters_due_q == 64'd0 && addends_due_q == 64'd0));
      assert_shadow: assert (!shadow_write_i || !shadow_full_i || swap_i);
      assert_two_tiles: assert (undrained_i <= 2'd2);
      assert_one_reader: assert (!(drain_read_i && row_moves_i && row_reads_i && row_i[RowBits] == drain_bank_i));
      assert_forward: assert (!sum_moves_i || forward_i == is_late_q);
      // What is rare, and what a fault that only it shows would need.
      cover_hold: cover (was_held_q && out);
      cover_disabled_row: cover (was_disabled_q && last_valid_q);
      cover_pop_push: cover (pop && push);
      cover_two_commands: cover (num_commands_q == 2'd2 && out && !out_last_i);
      cover_shadow_at_swap: cover (shadow_write_i && shadow_full_i && swap_i);
      cover_two_tiles: cover (undrained_i == 2'd2 && act_i);
      cover_forward: cover (sum_moves_i && forward_i);
      cover_behind: cover (is_behind_i && !holds_row_i && !can_move_i);
      cover_row_waits: cover (holds_row_i && !is_behind_i && !can_move_i);
      cover_addend_ahead: cover (add_i && num_commands_q == 2'd2);
      cover_parameters_ahead: cover (prm_i && parameters_due_q > 64'd1);
    end
  end
endmodule
