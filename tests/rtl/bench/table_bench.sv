// SPDX-License-Identifier: Apache-2.0
// npu_table_unit by the vectors of `vernier cosim --export-vectors`, in any simulator: it runs in their folder.
//
// Each cycle drives the inputs after the falling edge of the clock, lets them settle, compares the outputs, and makes the
// rising edge. Operands and words that no edge takes are X. Ends by $finish when all is equal, by $fatal otherwise.
`include "vectors.svh"

module table_bench;
  localparam int Lanes = `VERNIER_LANES;
  localparam int NumCycles = `VERNIER_NUM_CYCLES;
  localparam int MostMessages = 10;
  // Words of the longest table, of int16.
  localparam int WordBits = $clog2((2 * 513 + Lanes - 1) / Lanes);

  reg [0:0]          rst_n_of[0:NumCycles-1];
  reg [0:0]          en_of[0:NumCycles-1];
  reg [0:0]          fill_valid_of[0:NumCycles-1];
  reg [0:0]          fill_slot_of[0:NumCycles-1];
  reg [2:0]          fill_type_of[0:NumCycles-1];
  reg [WordBits-1:0] fill_word_of[0:NumCycles-1];
  reg [8*Lanes-1:0]  fill_data_of[0:NumCycles-1];
  reg [0:0]          valid_of[0:NumCycles-1];
  reg [7:0]          tag_of[0:NumCycles-1];
  reg [0:0]          slot_of[0:NumCycles-1];
  reg [16*Lanes-1:0] value_of[0:NumCycles-1];
  reg [5:0]          expected_formats[0:NumCycles-1];
  reg [0:0]          expected_valid[0:NumCycles-1];
  reg [7:0]          expected_tag[0:NumCycles-1];
  reg [32*Lanes-1:0] expected_result[0:NumCycles-1];

  reg                 clk, rst_n, en, fill_valid, fill_slot, valid, slot;
  reg [2:0]           fill_type;
  reg [WordBits-1:0]  fill_word;
  reg [8*Lanes-1:0]   fill_data;
  reg [7:0]           tag;
  reg [16*Lanes-1:0]  value;
  wire                fill_ready, out_valid;
  wire [5:0]          formats;
  wire [7:0]          out_tag;
  wire [32*Lanes-1:0] out_result;

  npu_table_unit #(.Lanes(Lanes)) u_unit (
    .clk_i(clk), .rst_ni(rst_n), .en_i(en), .tbl_valid_i(fill_valid), .tbl_ready_o(fill_ready), .tbl_slot_i(fill_slot),
    .tbl_type_i(fill_type), .tbl_word_i(fill_word), .tbl_data_i(fill_data), .slot_format_o(formats), .look_valid_i(valid),
    .look_tag_i(tag), .look_slot_i(slot), .look_value_i(value), .look_valid_o(out_valid), .look_tag_o(out_tag),
    .look_result_o(out_result));

  // Counted in a process of its own, and not begun in the one with delays: Verilator 5.006 takes what that assigns for constant.
  reg     check = 1'b0;
  integer vectors = 0;
  integer mismatches = 0;
  integer cycle, lane;
  always @(posedge check) if (rst_n) compare;

  task drive;
    begin
      rst_n = rst_n_of[cycle];
      en = en_of[cycle];
      fill_valid = fill_valid_of[cycle];
      valid = valid_of[cycle];
      {fill_slot, fill_type, fill_word, tag, slot} = 'x;
      fill_data = 'x;
      value = 'x;
      if (fill_valid) begin
        fill_slot = fill_slot_of[cycle];
        fill_type = fill_type_of[cycle];
        fill_word = fill_word_of[cycle];
        fill_data = fill_data_of[cycle];
      end
      if (en && valid) begin
        tag = tag_of[cycle];
        slot = slot_of[cycle];
        value = value_of[cycle];
      end
    end
  endtask

  task report(input [8*16-1:0] port, input integer of_lane, input [31:0] expected, input [31:0] actual);
    begin
      if (mismatches < MostMessages)
        $display("table_bench: cycle %0d: %0s lane %0d: expected %h, actual %h", cycle, port, of_lane, expected, actual);
      mismatches = mismatches + 1;
    end
  endtask

  task compare;
    begin
      if (fill_ready !== 1'b1) report("tbl_ready_o", 0, 32'd1, {31'd0, fill_ready});
      if (formats !== expected_formats[cycle]) report("slot_format_o", 0, {26'd0, expected_formats[cycle]}, {26'd0, formats});
      if (out_valid !== expected_valid[cycle]) report("look_valid_o", 0, {31'd0, expected_valid[cycle]}, {31'd0, out_valid});
      if (expected_valid[cycle]) begin
        if (en) vectors = vectors + 1;
        if (out_tag !== expected_tag[cycle]) report("look_tag_o", 0, {24'd0, expected_tag[cycle]}, {24'd0, out_tag});
        for (lane = 0; lane < Lanes; lane = lane + 1) begin
          if (out_result[32*lane+:32] !== expected_result[cycle][32*lane+:32])
            report("look_result_o", lane, expected_result[cycle][32*lane+:32], out_result[32*lane+:32]);
        end
      end
    end
  endtask

  initial begin
    $readmemh("rst_ni.hex", rst_n_of);
    $readmemh("en_i.hex", en_of);
    $readmemh("tbl_valid_i.hex", fill_valid_of);
    $readmemh("tbl_slot_i.hex", fill_slot_of);
    $readmemh("tbl_type_i.hex", fill_type_of);
    $readmemh("tbl_word_i.hex", fill_word_of);
    $readmemh("tbl_data_i.hex", fill_data_of);
    $readmemh("look_valid_i.hex", valid_of);
    $readmemh("look_tag_i.hex", tag_of);
    $readmemh("look_slot_i.hex", slot_of);
    $readmemh("look_value_i.hex", value_of);
    $readmemh("slot_format_o.hex", expected_formats);
    $readmemh("look_valid_o.hex", expected_valid);
    $readmemh("look_tag_o.hex", expected_tag);
    $readmemh("look_result_o.hex", expected_result);
    clk = 1'b0;
    for (cycle = 0; cycle < NumCycles; cycle = cycle + 1) begin
      drive;
      #1 check = 1'b1;
      #1 clk = 1'b1;
      #1 clk = 1'b0;
      check = 1'b0;
    end
    if (vectors == 0) $display("table_bench: no vector was compared");
    if (mismatches != 0 || vectors == 0) $fatal(1, "table_bench: %0d vectors, %0d mismatches", vectors, mismatches);
    $display("table_bench: %0d vectors in %0d cycles, every result equal", vectors, NumCycles);
    $finish;
  end
endmodule
