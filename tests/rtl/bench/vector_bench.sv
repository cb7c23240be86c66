// SPDX-License-Identifier: Apache-2.0
// npu_vector_unit with a rescale and a table unit, by the vectors of `vernier cosim vector --export-vectors`, in a simulator with four
// states: it runs in their folder.
//
// Nothing is set before it is written: registers and memories begin as X, all inputs but clock and reset are X during reset, and
// what a stream offers is X where it offers nothing. A handshake or a stored element with X in it is a mismatch. Loads stay away,
// stores wait and somebody else has the lanes now and then. Ends by $finish when all is equal, by $fatal otherwise.
`include "vectors.svh"

module vector_bench;
  localparam int Lanes = `VERNIER_LANES;
  localparam int TagBits = 8;
  localparam int MostMessages = 10;
  localparam int MostIdleCycles = 5000;
  localparam int CommandBits = npu_spec_pkg::VectorCommandBits;
  localparam int WordIdxBits = $clog2((2 * npu_spec_pkg::Table16Entries + Lanes - 1) / Lanes);
  // A run without a load still has a memory.
  localparam int NumLoads = `VERNIER_NUM_LOADS == 0 ? 1 : `VERNIER_NUM_LOADS;

  reg [CommandBits-1:0] cmd_of [0:`VERNIER_NUM_COMMANDS-1];
  reg [64*Lanes-1:0] ld_data_of [0:NumLoads-1];
  reg [32*Lanes-1:0] st_data_of [0:`VERNIER_NUM_STORES-1];  // X where it may be anything
  reg [Lanes-1:0] st_mask_of [0:`VERNIER_NUM_STORES-1];
  reg [0:0] fill_slot_of [0:`VERNIER_NUM_FILLS-1];
  reg [2:0] fill_type_of [0:`VERNIER_NUM_FILLS-1];
  reg [31:0] fill_word_of [0:`VERNIER_NUM_FILLS-1];
  reg [8*Lanes-1:0] fill_data_of [0:`VERNIER_NUM_FILLS-1];
  reg clk;
  reg rst_n;
  reg en;
  reg cmd_valid;
  wire cmd_ready;
  reg [npu_spec_pkg::VectorCommandBits-1:0] cmd;
  reg ld_valid;
  wire ld_ready;
  reg [64*Lanes-1:0] ld_data;
  wire st_valid;
  reg st_ready;
  wire [32*Lanes-1:0] st_data;
  wire [Lanes-1:0] st_mask;
  wire scale_en;
  wire scale_valid;
  wire [TagBits-1:0] scale_tag;
  wire [48*Lanes-1:0] scale_value;
  wire [32*Lanes-1:0] scale_multiplier;
  wire [6*Lanes-1:0] scale_shift;
  wire scale_scale32;
  wire [2:0] scale_rounding;
  wire [2:0] scale_in_type;
  wire scale_in_unsigned;
  wire [31:0] scale_in_zero_point;
  wire [2:0] scale_out_type;
  wire scale_out_unsigned;
  wire [31:0] scale_out_zero_point;
  wire [31:0] scale_clamp_min;
  wire [31:0] scale_clamp_max;
  wire scaled_valid;
  wire [TagBits-1:0] scaled_tag;
  wire [32*Lanes-1:0] scaled_result;
  reg scale_ready;
  wire look_en;
  wire look_valid;
  wire [TagBits-1:0] look_tag;
  wire look_slot;
  wire [16*Lanes-1:0] look_value;
  wire looked_valid;
  wire [TagBits-1:0] looked_tag;
  wire [32*Lanes-1:0] looked_result;
  reg look_ready;
  reg fill_valid;
  reg fill_slot;
  reg [2:0] fill_type;
  reg [WordIdxBits-1:0] fill_word;
  reg [8*Lanes-1:0] fill_data;
  wire fill_ready;
  wire [5:0] slot_format;

  npu_vector_unit #(.Lanes(Lanes)) u_vector (
    .clk_i(clk), .rst_ni(rst_n), .en_i(en), .cmd_valid_i(cmd_valid),
    .cmd_ready_o(cmd_ready), .cmd_i(cmd), .ld_valid_i(ld_valid), .ld_ready_o(ld_ready),
    .ld_data_i(ld_data), .st_valid_o(st_valid), .st_ready_i(st_ready), .st_data_o(st_data),
    .st_mask_o(st_mask), .scale_en_o(scale_en), .scale_valid_o(scale_valid), .scale_tag_o(scale_tag),
    .scale_value_o(scale_value), .scale_multiplier_o(scale_multiplier), .scale_shift_o(scale_shift), .scale_scale32_o(scale_scale32),
    .scale_rounding_o(scale_rounding), .scale_in_type_o(scale_in_type), .scale_in_unsigned_o(scale_in_unsigned), .scale_in_zero_point_o(scale_in_zero_point),
    .scale_out_type_o(scale_out_type), .scale_out_unsigned_o(scale_out_unsigned), .scale_out_zero_point_o(scale_out_zero_point), .scale_clamp_min_o(scale_clamp_min),
    .scale_clamp_max_o(scale_clamp_max), .scale_valid_i(scaled_valid), .scale_tag_i(scaled_tag), .scale_result_i(scaled_result),
    .scale_ready_i(scale_ready), .look_en_o(look_en), .look_valid_o(look_valid), .look_tag_o(look_tag),
    .look_slot_o(look_slot), .look_value_o(look_value), .look_valid_i(looked_valid), .look_tag_i(looked_tag),
    .look_result_i(looked_result), .look_ready_i(look_ready)
  );

  npu_rescale_unit #(.Lanes(Lanes)) u_rescale (
    .clk_i(clk), .rst_ni(rst_n), .en_i(scale_en), .scale_valid_i(scale_valid), .scale_tag_i(scale_tag), .scale_value_i(scale_value),
    .scale_multiplier_i(scale_multiplier), .scale_shift_i(scale_shift), .scale_scale32_i(scale_scale32), .scale_rounding_i(scale_rounding),
    .scale_in_type_i(scale_in_type), .scale_in_unsigned_i(scale_in_unsigned), .scale_in_zero_point_i(scale_in_zero_point),
    .scale_out_type_i(scale_out_type), .scale_out_unsigned_i(scale_out_unsigned), .scale_out_zero_point_i(scale_out_zero_point),
    .scale_clamp_min_i(scale_clamp_min), .scale_clamp_max_i(scale_clamp_max), .scale_valid_o(scaled_valid), .scale_tag_o(scaled_tag),
    .scale_result_o(scaled_result)
  );

  npu_table_unit #(.Lanes(Lanes)) u_table (
    .clk_i(clk), .rst_ni(rst_n), .en_i(look_en), .tbl_valid_i(fill_valid), .tbl_ready_o(fill_ready), .tbl_slot_i(fill_slot),
    .tbl_type_i(fill_type), .tbl_word_i(fill_word), .tbl_data_i(fill_data), .slot_format_o(slot_format), .look_valid_i(look_valid),
    .look_tag_i(look_tag), .look_slot_i(look_slot), .look_value_i(look_value), .look_valid_o(looked_valid), .look_tag_o(looked_tag),
    .look_result_o(looked_result)
  );

  integer seed = 1;
  integer commands = 0, loads = 0, stores = 0, fills = 0;
  integer mismatches = 0, cycle = 0, idle = 0, lane, i;

  // Of a hundred cycles.
  function automatic integer chance(input integer percent);
    chance = $unsigned($random(seed)) % 100 < percent;
  endfunction

  task report(input [8*24-1:0] port, input [31:0] expected, input [31:0] actual);
    begin
      if (mismatches < MostMessages)
        $display("vector_bench: cycle %0d, store %0d: %0s: expected %h, actual %h", cycle, stores, port, expected, actual);
      mismatches = mismatches + 1;
    end
  endtask

  task must_be_known(input [8*24-1:0] port, input value);
    if (value !== 1'b0 && value !== 1'b1) report(port, 32'd0, {31'd0, value});
  endtask

  task drive;
    begin
      en = !chance(10);
      st_ready = !chance(20);
      {scale_ready, look_ready} = {2{!chance(10)}};
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
      if (cmd_valid) cmd = cmd_of[commands];
      ld_valid = loads < `VERNIER_NUM_LOADS && !chance(20);
      ld_data = 'x;
      if (ld_valid) ld_data = ld_data_of[loads];
    end
  endtask

  // A beat that leaves at this edge.
  task compare;
    begin
      if (stores >= `VERNIER_NUM_STORES) report("st_valid_o", 32'd0, 32'd1);
      else begin
        if (st_mask !== st_mask_of[stores]) report("st_mask_o", 32'(st_mask_of[stores]), 32'(st_mask));
        for (i = 0; i < 32*Lanes; i = i + 1) begin
          if (st_data_of[stores][i] !== 1'bx && st_data[i] !== st_data_of[stores][i])
            report("st_data_o", st_data_of[stores][32*(i/32) +: 32], st_data[32*(i/32) +: 32]);
        end
      end
    end
  endtask

  // What the edge takes, before it.
  task see;
    begin
      must_be_known("cmd_ready_o", cmd_ready);
      must_be_known("ld_ready_o", ld_ready);
      must_be_known("st_valid_o", st_valid);
      idle = idle + 1;
      if (fill_valid && fill_ready) fills = fills + 1;
      if (en) begin
        if (cmd_valid && cmd_ready) begin commands = commands + 1; idle = 0; end
        if (ld_valid && ld_ready) begin loads = loads + 1; idle = 0; end
        if (st_valid && st_ready) begin
          compare;
          stores = stores + 1;
          idle = 0;
        end
      end
    end
  endtask

  initial begin
    $readmemh("cmd_i.hex", cmd_of);
    $readmemh("ld_data_i.hex", ld_data_of);
    $readmemh("st_data_o.hex", st_data_of);
    $readmemh("st_mask_o.hex", st_mask_of);
    $readmemh("tbl_slot_i.hex", fill_slot_of);
    $readmemh("tbl_type_i.hex", fill_type_of);
    $readmemh("tbl_word_i.hex", fill_word_of);
    $readmemh("tbl_data_i.hex", fill_data_of);
    clk = 1'b0;
    rst_n = 1'b0;
    for (cycle = 0; cycle < 4; cycle = cycle + 1) begin
      #1 clk = 1'b1;
      #1 clk = 1'b0;
    end
    while ((stores < `VERNIER_NUM_STORES || commands < `VERNIER_NUM_COMMANDS) && idle < MostIdleCycles && mismatches < MostMessages) begin
      rst_n = 1'b1;
      drive;
      #1 see;
      #1 clk = 1'b1;
      #1 clk = 1'b0;
      cycle = cycle + 1;
    end
    if (idle == MostIdleCycles) $display("vector_bench: no handshake since cycle %0d", cycle - idle);
    if (mismatches != 0 || stores != `VERNIER_NUM_STORES) $fatal(1, "vector_bench: %0d beats, %0d mismatches", stores, mismatches);
    $display("vector_bench: %0d commands, %0d beats in %0d cycles, every result equal", commands, stores, cycle);
    $finish;
  end
endmodule
