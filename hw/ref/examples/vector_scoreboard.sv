// SPDX-License-Identifier: Apache-2.0
// npu_vector_unit against libvernier_ref.so by DPI-C: random commands that add two int8 maps with scales of their own, as a residual layer
// does. The scoreboard looks at each element and mask that is stored, and at the ready and valid bits of each cycle. Ends by $finish or $fatal.
module vector_scoreboard import npu_spec_pkg::*; ();
  localparam int Lanes = 8, NumCommands = 400, Interval = 3, Store = 20, Length = 23;  // the schedule of drawn_command: its store, its end
  typedef struct packed { int lanes, rows, per_row, rounding; bit [2:0][31:0] zero, multiplier, shift; } command_t;  // maps a, b, their sum
  typedef bit [Lanes-1:0][31:0] vector_t;
  import "DPI-C" function int golden_add(input command_t command, input vector_t a, input vector_t b, output vector_t sum);
  logic clk_i = 0, rst_ni = 0, en_i, cmd_valid_i, cmd_ready_o, ld_valid_i, ld_ready_o, st_valid_o, st_ready_i, look_en_o, look_valid_o, look_slot_o;
  logic look_valid_i = 0, look_ready_i, scale_en_o, scale_valid_o, scale_scale32_o, scale_in_unsigned_o, scale_out_unsigned_o, scale_valid_i,
    scale_ready_i;
  logic [2:0] scale_rounding_o, scale_in_type_o, scale_out_type_o;
  logic [Lanes-1:0] scale_tag_o, scale_tag_i, look_tag_o, look_tag_i, st_mask_o;  // a tag has 8 bits too
  logic [31:0] scale_in_zero_point_o, scale_out_zero_point_o, scale_clamp_min_o, scale_clamp_max_o;
  logic [32*Lanes-1:0] st_data_o, scale_multiplier_o, scale_result_i, look_result_i;
  logic [6*Lanes-1:0] scale_shift_o;  logic [16*Lanes-1:0] look_value_o;  logic [48*Lanes-1:0] scale_value_o;
  logic [64*Lanes-1:0] ld_data_i;     logic [VectorCommandBits-1:0] cmd_i;
  npu_vector_unit #(.Lanes(Lanes)) u_vector (.*);  // the signals have the names of the ports
  npu_rescale_unit #(.Lanes(Lanes)) u_rescale (
    .clk_i, .rst_ni, .en_i(scale_en_o), .scale_valid_i(scale_valid_o), .scale_tag_i(scale_tag_o), .scale_value_i(scale_value_o),
    .scale_multiplier_i(scale_multiplier_o), .scale_shift_i(scale_shift_o), .scale_scale32_i(scale_scale32_o),
    .scale_rounding_i(scale_rounding_o), .scale_in_type_i(scale_in_type_o), .scale_in_unsigned_i(scale_in_unsigned_o),
    .scale_in_zero_point_i(scale_in_zero_point_o), .scale_out_type_i(scale_out_type_o), .scale_out_unsigned_i(scale_out_unsigned_o),
    .scale_out_zero_point_i(scale_out_zero_point_o), .scale_clamp_min_i(scale_clamp_min_o), .scale_clamp_max_i(scale_clamp_max_o),
    .scale_valid_o(scale_valid_i), .scale_tag_o(scale_tag_i), .scale_result_o(scale_result_i));
  command_t drawn, runs;  // the command that is offered, and the one that runs
  vector_t expected[$], operands[2], sum;  // expected: what was loaded and is not yet stored
  int commands = 0, moves, at;  // cycles since the command without its stalls, and the cycle of its schedule
  bit is_running = 0, is_sent = 0, loads_now, stores_now, leaves_now, ends_now, takes_now, may_move, moves_now;

  function automatic void expect_equal(input string port, input int lane, input int wanted, input int found);
    if (wanted != found) $fatal(1, "command %0d, cycle %0d: %s, lane %0d: expected %0d, found %0d", commands, moves, port, lane, wanted, found);
  endfunction

  function automatic logic [VectorStepBits-1:0] step(input logic [5:0] op, input int dst, input int a, input int b, input int map, input int offset);
    step = '0;
    {step[StepOpLsb+:6], step[StepPhaseLsb+:2], step[StepOffsetLsb+:12], step[StepStreamLsb+:3]} = {op, PHASE_BODY, 12'(offset), 3'(map)};
    {step[StepDstLsb+:4], step[StepALsb+:4], step[StepBLsb+:4], step[StepBIsImmediateLsb]} = {4'(dst), 4'(a), 4'(b), op == OP_RESCALE};
    if (op == OP_RESCALE) {step[StepScale32Lsb], step[StepRoundingLsb+:3], step[StepShiftLsb+:6]} = {1'b1, 3'(drawn.rounding), 6'(drawn.shift[map])};
    {step[StepTypeLsb+:3], step[StepImm1Lsb+:32]} = map == 2 ? {TYPE_INT8, drawn.zero[2]} : {TYPE_INT32, 32'd0};
    step[StepImm0Lsb+:32] = op == OP_LOAD ? drawn.zero[map] : drawn.multiplier[map];
  endfunction

  function automatic logic [VectorCommandBits-1:0] drawn_command();
    drawn.lanes = 1 + $urandom_range(3 * Lanes);
    {drawn.rows, drawn.per_row, drawn.rounding} = {1 + $urandom_range(5), (drawn.lanes + Lanes - 1) / Lanes, $urandom_range(3)};
    for (int i = 0; i < 3; i++) {drawn.zero[i], drawn.multiplier[i], drawn.shift[i]} =
      {$urandom_range(255) - 128, 2'd1, 30'($urandom & -$urandom_range(1)), 26 + $urandom_range(12)};
    drawn_command = '0;
    {drawn_command[VectorNumStepsLsb+:5], drawn_command[VectorKeptLoopsLsb+:3], drawn_command[VectorIntervalLsb+:12]} = {5'd7, 3'd5, 12'(Interval)};
    {drawn_command[VectorLanesLsb+:32], drawn_command[VectorStreamsLsb+:12]} = {drawn.lanes, {3{1'b0, TYPE_INT8}}};
    drawn_command[VectorCountsLsb+:24*NumVectorLoops] = {24'(drawn.rows), {(NumVectorLoops-1){24'd1}}};
    drawn_command[VectorStepsLsb+:7*VectorStepBits] = {
      step(OP_STORE, 0, 5, 0, 2, Store), step(OP_RESCALE, 5, 4, 0, 2, 14), step(OP_ADD, 4, 2, 3, 0, 10), step(OP_RESCALE, 3, 1, 0, 1, 4),
      step(OP_RESCALE, 2, 0, 0, 0, 3), step(OP_LOAD, 1, 0, 0, 1, 1), step(OP_LOAD, 0, 0, 0, 0, 0)};
  endfunction

  task automatic cycle();
    bit [64*Lanes-1:0] data;
    for (int i = 0; i < 2 * Lanes; i++) data[32*i+:32] = $urandom;
    {en_i, scale_ready_i, look_ready_i} = {$urandom_range(9) != 0, $urandom_range(9) != 0, $urandom_range(9) != 0};
    {st_ready_i, ld_valid_i, ld_data_i} = {$urandom_range(4) != 0, $urandom_range(4) != 0, data};
    cmd_valid_i = rst_ni && commands < NumCommands && $urandom_range(4) != 0;
    #1 at = moves - SramReadLatencyCycles;
    loads_now = is_running && at >= 0 && at % Interval < 2 && at / Interval < runs.rows * runs.per_row;
    stores_now = is_running && at >= Store + 2 && (at - Store - 2) % Interval == 0 && !is_sent;
    leaves_now = stores_now && st_ready_i && en_i;
    may_move = en_i && scale_ready_i && look_ready_i && (!stores_now || st_ready_i);
    moves_now = may_move && (!loads_now || ld_valid_i);
    ends_now = moves_now && (!is_running || at == (runs.rows * runs.per_row - 1) * Interval + Length - 1);
    takes_now = cmd_valid_i && ends_now;
    expect_equal("ld_ready_o, st_valid_o, scale_en_o, cmd_ready_o", 0, {28'd0, may_move && loads_now, stores_now, moves_now, ends_now},
                 {28'd0, ld_ready_o, st_valid_o, scale_en_o, cmd_ready_o});
    if (leaves_now) sum = expected.pop_front();
    for (int i = 0; i < Lanes; i++) if (leaves_now) begin
      expect_equal("st_mask_o", i, int'((at - Store - 2) / Interval % runs.per_row * Lanes + i < runs.lanes), int'(st_mask_o[i]));
      if (st_mask_o[i]) expect_equal("st_data_o", i, sum[i], st_data_o[32*i+:32]);
    end
    is_sent = !moves_now && (is_sent || leaves_now);
    for (int i = 0; i < Lanes; i++) if (moves_now && loads_now) operands[1'(at%Interval)][i] = 32'($signed(data[32*i+:8]));
    if (moves_now && loads_now && at % Interval == 1) begin
      if (golden_add(runs, operands[0], operands[1], sum) != 0) $fatal(1, "libvernier_ref.so has another version, or refuses the command");
      expected.push_back(sum);
    end
    moves = takes_now ? 0 : moves + 32'(moves_now);
    is_running = takes_now || (is_running && !ends_now);
    if (takes_now) {runs, commands} = {drawn, commands + 1};
    #1 clk_i = 1; #1 clk_i = 0;
    if (takes_now) cmd_i = drawn_command();
  endtask

  initial begin
    cmd_i = drawn_command();
    repeat (2) cycle();
    rst_ni = 1;
    while (commands < NumCommands || is_running) cycle();
    $display("%0d commands, every element and every cycle equal", commands);
    $finish;
  end
endmodule
