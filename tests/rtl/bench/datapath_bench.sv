// SPDX-License-Identifier: Apache-2.0
// npu_datapath by the vectors of `vernier cosim datapath --export-vectors`, in a simulator with four states: it runs in their folder.
//
// Nothing is set before it is written: registers and memories begin as X, all inputs but clock and reset are X during reset, and
// what a stream offers is X where it offers nothing. A handshake or a result with X in it is a mismatch. Streams stay away and results
// wait now and then; a beat is offered when its command has been taken. Ends by $finish when all is equal, by $fatal otherwise.
`include "vectors.svh"

module datapath_bench;
  localparam int Lanes = `VERNIER_LANES;
  localparam int MostMessages = 10;
  localparam int MostIdleCycles = 2000;
  localparam int Words = npu_spec_pkg::WeightLoadWords;
  localparam int Pixels = npu_spec_pkg::MaxRowPixels;
  localparam int Runs = Pixels * npu_spec_pkg::ActivationSegments;
  localparam int WindowRuns = npu_spec_pkg::WindowRuns;
  localparam int LaneBits = $clog2(Lanes), RingBits = $clog2(2*Lanes), LengthBits = $clog2(Lanes+1);
  localparam int RowBits = $clog2(npu_spec_pkg::AccumulatorRows);
  localparam int ParameterBits = npu_spec_pkg::ChannelParameterBits;
  localparam int CommandBits = npu_spec_pkg::MacCommandBits;
  localparam int WordIdxBits = $clog2((2 * npu_spec_pkg::Table16Entries + Lanes - 1) / Lanes);
  // A stream without a beat still has a memory.
  localparam int NumAddends = `VERNIER_NUM_ADDENDS == 0 ? 1 : `VERNIER_NUM_ADDENDS;

  reg [CommandBits-1:0] cmd_of [0:`VERNIER_NUM_COMMANDS-1];
  reg [Words-1:0] wgt_word_valid_of [0:`VERNIER_NUM_WEIGHTS-1];
  reg [Words*LaneBits-1:0] wgt_row_of [0:`VERNIER_NUM_WEIGHTS-1];
  reg [8*Words*Lanes-1:0] wgt_data_of [0:`VERNIER_NUM_WEIGHTS-1];
  reg [Words*Lanes-1:0] wgt_mask_of [0:`VERNIER_NUM_WEIGHTS-1];
  reg [0:0] wgt_last_of [0:`VERNIER_NUM_WEIGHTS-1];
  reg [16*npu_spec_pkg::ActivationSegments*Lanes-1:0] act_data_of [0:`VERNIER_NUM_ACTIVATIONS-1];
  reg [Runs*RingBits-1:0] act_offset_of [0:`VERNIER_NUM_ACTIVATIONS-1];
  reg [Runs*LengthBits-1:0] act_length_of [0:`VERNIER_NUM_ACTIVATIONS-1];
  reg [Runs*RingBits-1:0] act_to_of [0:`VERNIER_NUM_ACTIVATIONS-1];
  reg [Pixels*Lanes-1:0] act_mask_of [0:`VERNIER_NUM_ACTIVATIONS-1];
  reg [WindowRuns*LaneBits-1:0] win_offset_of [0:`VERNIER_NUM_ACTIVATIONS-1];
  reg [WindowRuns*LengthBits-1:0] win_length_of [0:`VERNIER_NUM_ACTIVATIONS-1];
  reg [WindowRuns*RingBits-1:0] win_to_of [0:`VERNIER_NUM_ACTIVATIONS-1];
  reg [WindowRuns*Pixels-1:0] win_pixel_of [0:`VERNIER_NUM_ACTIVATIONS-1];
  reg [WindowRuns*Pixels*LaneBits-1:0] win_register_of [0:`VERNIER_NUM_ACTIVATIONS-1];
  reg [Pixels*Lanes*LaneBits-1:0] win_element_of [0:`VERNIER_NUM_ACTIVATIONS-1];
  reg [0:0] act_last_of [0:`VERNIER_NUM_ACTIVATIONS-1];
  reg [ParameterBits*Lanes-1:0] prm_of [0:`VERNIER_NUM_PARAMETERS-1];
  reg [8*Lanes-1:0] add_of [0:NumAddends-1];
  reg [0:0] fill_slot_of [0:`VERNIER_NUM_FILLS-1];
  reg [2:0] fill_type_of [0:`VERNIER_NUM_FILLS-1];
  reg [31:0] fill_word_of [0:`VERNIER_NUM_FILLS-1];
  reg [8*Lanes-1:0] fill_data_of [0:`VERNIER_NUM_FILLS-1];
  reg [31:0] wgt_command_of [0:`VERNIER_NUM_WEIGHTS-1];
  reg [31:0] act_command_of [0:`VERNIER_NUM_ACTIVATIONS-1];
  reg [31:0] prm_command_of [0:`VERNIER_NUM_PARAMETERS-1];
  reg [31:0] add_command_of [0:NumAddends-1];
  reg [48*Lanes-1:0] value_of [0:`VERNIER_NUM_ROWS-1];
  reg [Lanes-1:0] mask_of [0:`VERNIER_NUM_ROWS-1];
  reg [RowBits-1:0] row_of [0:`VERNIER_NUM_ROWS-1];
  reg [0:0] bank_of [0:`VERNIER_NUM_ROWS-1];
  reg [0:0] last_of_tile_of [0:`VERNIER_NUM_ROWS-1];
  reg [0:0] last_of [0:`VERNIER_NUM_ROWS-1];
  reg clk;
  reg rst_n;
  reg en;
  reg cmd_valid;
  reg [CommandBits-1:0] cmd;
  reg wgt_valid;
  reg [Words-1:0] wgt_word_valid;
  reg [Words*LaneBits-1:0] wgt_row;
  reg [8*Words*Lanes-1:0] wgt_data;
  reg [Words*Lanes-1:0] wgt_mask;
  reg wgt_last;
  reg act_valid;
  reg [16*npu_spec_pkg::ActivationSegments*Lanes-1:0] act_data;
  reg [Runs*RingBits-1:0] act_offset;
  reg [Runs*LengthBits-1:0] act_length;
  reg [Runs*RingBits-1:0] act_to;
  reg [Pixels*Lanes-1:0] act_mask;
  reg [WindowRuns*LaneBits-1:0] win_offset;
  reg [WindowRuns*LengthBits-1:0] win_length;
  reg [WindowRuns*RingBits-1:0] win_to;
  reg [WindowRuns*Pixels-1:0] win_pixel;
  reg [WindowRuns*Pixels*LaneBits-1:0] win_register;
  reg [Pixels*Lanes*LaneBits-1:0] win_element;
  reg act_last;
  reg prm_valid;
  reg [ParameterBits*Lanes-1:0] prm;
  reg add_valid;
  reg [8*Lanes-1:0] add;
  reg out_ready;
  reg fill_valid;
  reg fill_slot;
  reg [2:0] fill_type;
  reg [WordIdxBits-1:0] fill_word;
  reg [8*Lanes-1:0] fill_data;
  wire cmd_ready;
  wire wgt_ready;
  wire act_ready;
  wire prm_ready;
  wire add_ready;
  wire out_valid;
  wire [48*Lanes-1:0] out_value;
  wire [Lanes-1:0] out_mask;
  wire [RowBits-1:0] out_row;
  wire out_bank;
  wire out_last_of_tile;
  wire out_last;
  wire fill_ready;
  wire [5:0] slot_format;
  wire [2:0] stall;

  npu_datapath #(.Lanes(Lanes)) u_datapath (
    .clk_i(clk), .rst_ni(rst_n), .en_i(en), .cmd_valid_i(cmd_valid),
    .cmd_ready_o(cmd_ready), .cmd_i(cmd), .wgt_valid_i(wgt_valid), .wgt_ready_o(wgt_ready),
    .wgt_word_valid_i(wgt_word_valid), .wgt_row_i(wgt_row), .wgt_data_i(wgt_data), .wgt_mask_i(wgt_mask),
    .wgt_last_i(wgt_last), .act_valid_i(act_valid), .act_ready_o(act_ready), .act_data_i(act_data),
    .act_offset_i(act_offset), .act_length_i(act_length), .act_to_i(act_to), .act_mask_i(act_mask),
    .win_offset_i(win_offset), .win_length_i(win_length), .win_to_i(win_to), .win_pixel_i(win_pixel),
    .win_register_i(win_register), .win_element_i(win_element), .act_last_i(act_last), .prm_valid_i(prm_valid),
    .prm_ready_o(prm_ready), .prm_i(prm), .add_valid_i(add_valid), .add_ready_o(add_ready),
    .add_i(add), .out_valid_o(out_valid), .out_ready_i(out_ready), .out_value_o(out_value),
    .out_mask_o(out_mask), .out_row_o(out_row), .out_bank_o(out_bank), .out_last_of_tile_o(out_last_of_tile),
    .out_last_o(out_last), .tbl_valid_i(fill_valid), .tbl_ready_o(fill_ready), .tbl_slot_i(fill_slot),
    .tbl_type_i(fill_type), .tbl_word_i(fill_word), .tbl_data_i(fill_data), .slot_format_o(slot_format),
    .stall_o(stall)
  );

  integer seed = 1;
  integer commands = 0, weights = 0, activations = 0, parameters = 0, addends = 0, rows = 0, fills = 0;
  integer mismatches = 0, cycle = 0, idle = 0, lane;

  // Of a hundred cycles.
  function automatic integer chance(input integer percent);
    chance = $unsigned($random(seed)) % 100 < percent;
  endfunction

  task report(input [8*24-1:0] port, input [63:0] expected, input [63:0] actual);
    begin
      if (mismatches < MostMessages)
        $display("datapath_bench: cycle %0d, row %0d: %0s: expected %h, actual %h", cycle, rows, port, expected, actual);
      mismatches = mismatches + 1;
    end
  endtask

  task must_be_known(input [8*24-1:0] port, input value);
    if (value !== 1'b0 && value !== 1'b1) report(port, 64'd0, {63'd0, value});
  endtask

  task drive;
    begin
      en = !chance(10);
      out_ready = !chance(20);
      fill_valid = fills < `VERNIER_NUM_FILLS;
      fill_slot = 'x;
      fill_type = 'x;
      fill_word = 'x;
      fill_data = 'x;
      if (fill_valid) begin
        fill_slot = fill_slot_of[fills];
        fill_type = fill_type_of[fills];
        fill_word = fill_word_of[fills][WordIdxBits-1:0];
        fill_data = fill_data_of[fills];
      end
      cmd_valid = commands < `VERNIER_NUM_COMMANDS && fills == `VERNIER_NUM_FILLS && !chance(5);
      cmd = 'x;
      if (cmd_valid) begin
        cmd = cmd_of[commands];
      end
      wgt_valid = weights < `VERNIER_NUM_WEIGHTS && wgt_command_of[weights] < commands && !chance(20);
      wgt_word_valid = 'x;
      wgt_row = 'x;
      wgt_data = 'x;
      wgt_mask = 'x;
      wgt_last = 'x;
      if (wgt_valid) begin
        wgt_word_valid = wgt_word_valid_of[weights];
        wgt_row = wgt_row_of[weights];
        wgt_data = wgt_data_of[weights];
        wgt_mask = wgt_mask_of[weights];
        wgt_last = wgt_last_of[weights];
      end
      act_valid = activations < `VERNIER_NUM_ACTIVATIONS && act_command_of[activations] < commands && !chance(20);
      act_data = 'x;
      act_offset = 'x;
      act_length = 'x;
      act_to = 'x;
      act_mask = 'x;
      act_last = 'x;
      win_offset = 'x;
      win_length = 'x;
      win_to = 'x;
      win_pixel = 'x;
      win_register = 'x;
      win_element = 'x;
      if (act_valid) begin
        act_data = act_data_of[activations];
        act_offset = act_offset_of[activations];
        act_length = act_length_of[activations];
        act_to = act_to_of[activations];
        act_mask = act_mask_of[activations];
        act_last = act_last_of[activations];
        win_offset = win_offset_of[activations];
        win_length = win_length_of[activations];
        win_to = win_to_of[activations];
        win_pixel = win_pixel_of[activations];
        win_register = win_register_of[activations];
        win_element = win_element_of[activations];
      end
      prm_valid = parameters < `VERNIER_NUM_PARAMETERS && prm_command_of[parameters] < commands && !chance(20);
      prm = 'x;
      if (prm_valid) begin
        prm = prm_of[parameters];
      end
      add_valid = addends < `VERNIER_NUM_ADDENDS && add_command_of[addends] < commands && !chance(20);
      add = 'x;
      if (add_valid) begin
        add = add_of[addends];
      end
    end
  endtask

  // A row that leaves at this edge.
  task compare;
    begin
      if (rows >= `VERNIER_NUM_ROWS) report("out_valid_o", 64'd0, 64'd1);
      else begin
        if (out_mask !== mask_of[rows]) report("out_mask_o", 64'(mask_of[rows]), 64'(out_mask));
        if (out_row !== row_of[rows]) report("out_row_o", 64'(row_of[rows]), 64'(out_row));
        if (out_bank !== bank_of[rows]) report("out_bank_o", 64'(bank_of[rows]), 64'(out_bank));
        if (out_last_of_tile !== last_of_tile_of[rows]) report("out_last_of_tile_o", 64'(last_of_tile_of[rows]), 64'(out_last_of_tile));
        if (out_last !== last_of[rows]) report("out_last_o", 64'(last_of[rows]), 64'(out_last));
        for (lane = 0; lane < Lanes; lane = lane + 1) begin
          if (mask_of[rows][lane] && out_value[48*lane +: 48] !== value_of[rows][48*lane +: 48])
            report("out_value_o", 64'(value_of[rows][48*lane +: 48]), 64'(out_value[48*lane +: 48]));
        end
      end
    end
  endtask

  // What the edge takes, before it.
  task see;
    begin
      must_be_known("cmd_ready_o", cmd_ready);
      must_be_known("out_valid_o", out_valid);
      for (lane = 0; lane < 3; lane = lane + 1) must_be_known("stall_o", stall[lane]);
      if (wgt_valid) must_be_known("wgt_ready_o", wgt_ready);
      if (act_valid) must_be_known("act_ready_o", act_ready);
      if (prm_valid) must_be_known("prm_ready_o", prm_ready);
      if (add_valid) must_be_known("add_ready_o", add_ready);
      idle = idle + 1;
      if (fill_valid && fill_ready) fills = fills + 1;
      if (en) begin
        if (wgt_valid && wgt_ready) begin weights = weights + 1; idle = 0; end
        if (act_valid && act_ready) begin activations = activations + 1; idle = 0; end
        if (prm_valid && prm_ready) begin parameters = parameters + 1; idle = 0; end
        if (add_valid && add_ready) begin addends = addends + 1; idle = 0; end
        if (cmd_valid && cmd_ready) begin commands = commands + 1; idle = 0; end
        if (out_valid && out_ready) begin
          compare;
          rows = rows + 1;
          idle = 0;
        end
      end
    end
  endtask

  initial begin
    $readmemh("cmd_i.hex", cmd_of);
    $readmemh("wgt_word_valid_i.hex", wgt_word_valid_of);
    $readmemh("wgt_row_i.hex", wgt_row_of);
    $readmemh("wgt_data_i.hex", wgt_data_of);
    $readmemh("wgt_mask_i.hex", wgt_mask_of);
    $readmemh("wgt_last_i.hex", wgt_last_of);
    $readmemh("act_data_i.hex", act_data_of);
    $readmemh("act_offset_i.hex", act_offset_of);
    $readmemh("act_length_i.hex", act_length_of);
    $readmemh("act_to_i.hex", act_to_of);
    $readmemh("act_mask_i.hex", act_mask_of);
    $readmemh("win_offset_i.hex", win_offset_of);
    $readmemh("win_length_i.hex", win_length_of);
    $readmemh("win_to_i.hex", win_to_of);
    $readmemh("win_pixel_i.hex", win_pixel_of);
    $readmemh("win_register_i.hex", win_register_of);
    $readmemh("win_element_i.hex", win_element_of);
    $readmemh("act_last_i.hex", act_last_of);
    $readmemh("prm_i.hex", prm_of);
    $readmemh("add_i.hex", add_of);
    $readmemh("tbl_slot_i.hex", fill_slot_of);
    $readmemh("tbl_type_i.hex", fill_type_of);
    $readmemh("tbl_word_i.hex", fill_word_of);
    $readmemh("tbl_data_i.hex", fill_data_of);
    $readmemh("wgt_command.hex", wgt_command_of);
    $readmemh("act_command.hex", act_command_of);
    $readmemh("prm_command.hex", prm_command_of);
    $readmemh("add_command.hex", add_command_of);
    $readmemh("out_value_o.hex", value_of);
    $readmemh("out_mask_o.hex", mask_of);
    $readmemh("out_row_o.hex", row_of);
    $readmemh("out_bank_o.hex", bank_of);
    $readmemh("out_last_of_tile_o.hex", last_of_tile_of);
    $readmemh("out_last_o.hex", last_of);
    clk = 1'b0;
    rst_n = 1'b0;
    for (cycle = 0; cycle < 4; cycle = cycle + 1) begin
      #1 clk = 1'b1;
      #1 clk = 1'b0;
    end
    while ((rows < `VERNIER_NUM_ROWS || commands < `VERNIER_NUM_COMMANDS || activations < `VERNIER_NUM_ACTIVATIONS) &&
           idle < MostIdleCycles && mismatches < MostMessages) begin
      rst_n = 1'b1;
      drive;
      #1 see;
      #1 clk = 1'b1;
      #1 clk = 1'b0;
      cycle = cycle + 1;
    end
    if (idle == MostIdleCycles) $display("datapath_bench: no handshake since cycle %0d", cycle - idle);
    if (mismatches != 0 || rows != `VERNIER_NUM_ROWS) $fatal(1, "datapath_bench: %0d rows, %0d mismatches", rows, mismatches);
    $display("datapath_bench: %0d commands, %0d rows in %0d cycles, every result equal", commands, rows, cycle);
    $finish;
  end
endmodule
