// SPDX-License-Identifier: Apache-2.0
// npu_rescale_unit by the vectors of `vernier cosim --export-vectors`, in any simulator: it runs in their folder.
//
// Each cycle drives the inputs after the falling edge of the clock, lets them settle, compares the outputs, and makes the
// rising edge. Operands that no edge takes are X. Ends by $finish when all is equal, by $fatal otherwise.
`include "vectors.svh"

module rescale_bench;
  localparam int Lanes = `VERNIER_LANES;
  localparam int NumCycles = `VERNIER_NUM_CYCLES;
  localparam int MostMessages = 10;

  reg [0:0]          rst_n_of[0:NumCycles-1];
  reg [0:0]          en_of[0:NumCycles-1];
  reg [0:0]          valid_of[0:NumCycles-1];
  reg [7:0]          tag_of[0:NumCycles-1];
  reg [48*Lanes-1:0] value_of[0:NumCycles-1];
  reg [32*Lanes-1:0] multiplier_of[0:NumCycles-1];
  reg [6*Lanes-1:0]  shift_of[0:NumCycles-1];
  reg [0:0]          scale32_of[0:NumCycles-1];
  reg [2:0]          rounding_of[0:NumCycles-1];
  reg [2:0]          in_type_of[0:NumCycles-1];
  reg [0:0]          in_unsigned_of[0:NumCycles-1];
  reg [31:0]         in_zero_point_of[0:NumCycles-1];
  reg [2:0]          out_type_of[0:NumCycles-1];
  reg [0:0]          out_unsigned_of[0:NumCycles-1];
  reg [31:0]         out_zero_point_of[0:NumCycles-1];
  reg [31:0]         clamp_min_of[0:NumCycles-1];
  reg [31:0]         clamp_max_of[0:NumCycles-1];
  reg [0:0]          expected_valid[0:NumCycles-1];
  reg [7:0]          expected_tag[0:NumCycles-1];
  reg [32*Lanes-1:0] expected_result[0:NumCycles-1];

  reg                clk, rst_n, en, valid, scale32, in_unsigned, out_unsigned;
  reg [7:0]          tag;
  reg [48*Lanes-1:0] value;
  reg [32*Lanes-1:0] multiplier;
  reg [6*Lanes-1:0]  shift;
  reg [2:0]          rounding, in_type, out_type;
  reg [31:0]         in_zero_point, out_zero_point, clamp_min, clamp_max;
  wire               out_valid;
  wire [7:0]         out_tag;
  wire [32*Lanes-1:0] out_result;

  npu_rescale_unit #(.Lanes(Lanes)) u_unit (
    .clk_i(clk), .rst_ni(rst_n), .en_i(en), .scale_valid_i(valid), .scale_tag_i(tag), .scale_value_i(value),
    .scale_multiplier_i(multiplier), .scale_shift_i(shift), .scale_scale32_i(scale32), .scale_rounding_i(rounding),
    .scale_in_type_i(in_type), .scale_in_unsigned_i(in_unsigned), .scale_in_zero_point_i(in_zero_point),
    .scale_out_type_i(out_type), .scale_out_unsigned_i(out_unsigned), .scale_out_zero_point_i(out_zero_point),
    .scale_clamp_min_i(clamp_min), .scale_clamp_max_i(clamp_max), .scale_valid_o(out_valid), .scale_tag_o(out_tag),
    .scale_result_o(out_result));

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
      valid = valid_of[cycle];
      tag = 'x;
      value = 'x;
      multiplier = 'x;
      shift = 'x;
      {scale32, in_unsigned, out_unsigned, rounding, in_type, out_type} = 'x;
      {in_zero_point, out_zero_point, clamp_min, clamp_max} = 'x;
      if (en && valid) begin
        tag = tag_of[cycle];
        value = value_of[cycle];
        multiplier = multiplier_of[cycle];
        shift = shift_of[cycle];
        scale32 = scale32_of[cycle];
        rounding = rounding_of[cycle];
        in_type = in_type_of[cycle];
        in_unsigned = in_unsigned_of[cycle];
        in_zero_point = in_zero_point_of[cycle];
        out_type = out_type_of[cycle];
        out_unsigned = out_unsigned_of[cycle];
        out_zero_point = out_zero_point_of[cycle];
        clamp_min = clamp_min_of[cycle];
        clamp_max = clamp_max_of[cycle];
      end
    end
  endtask

  task report(input [8*16-1:0] port, input integer of_lane, input [31:0] expected, input [31:0] actual);
    begin
      if (mismatches < MostMessages)
        $display("rescale_bench: cycle %0d: %0s lane %0d: expected %h, actual %h", cycle, port, of_lane, expected, actual);
      mismatches = mismatches + 1;
    end
  endtask

  task compare;
    begin
      if (out_valid !== expected_valid[cycle]) report("scale_valid_o", 0, {31'd0, expected_valid[cycle]}, {31'd0, out_valid});
      if (expected_valid[cycle]) begin
        if (en) vectors = vectors + 1;
        if (out_tag !== expected_tag[cycle]) report("scale_tag_o", 0, {24'd0, expected_tag[cycle]}, {24'd0, out_tag});
        for (lane = 0; lane < Lanes; lane = lane + 1) begin
          if (out_result[32*lane+:32] !== expected_result[cycle][32*lane+:32])
            report("scale_result_o", lane, expected_result[cycle][32*lane+:32], out_result[32*lane+:32]);
        end
      end
    end
  endtask

  initial begin
    $readmemh("rst_ni.hex", rst_n_of);
    $readmemh("en_i.hex", en_of);
    $readmemh("scale_valid_i.hex", valid_of);
    $readmemh("scale_tag_i.hex", tag_of);
    $readmemh("scale_value_i.hex", value_of);
    $readmemh("scale_multiplier_i.hex", multiplier_of);
    $readmemh("scale_shift_i.hex", shift_of);
    $readmemh("scale_scale32_i.hex", scale32_of);
    $readmemh("scale_rounding_i.hex", rounding_of);
    $readmemh("scale_in_type_i.hex", in_type_of);
    $readmemh("scale_in_unsigned_i.hex", in_unsigned_of);
    $readmemh("scale_in_zero_point_i.hex", in_zero_point_of);
    $readmemh("scale_out_type_i.hex", out_type_of);
    $readmemh("scale_out_unsigned_i.hex", out_unsigned_of);
    $readmemh("scale_out_zero_point_i.hex", out_zero_point_of);
    $readmemh("scale_clamp_min_i.hex", clamp_min_of);
    $readmemh("scale_clamp_max_i.hex", clamp_max_of);
    $readmemh("scale_valid_o.hex", expected_valid);
    $readmemh("scale_tag_o.hex", expected_tag);
    $readmemh("scale_result_o.hex", expected_result);
    clk = 1'b0;
    for (cycle = 0; cycle < NumCycles; cycle = cycle + 1) begin
      drive;
      #1 check = 1'b1;
      #1 clk = 1'b1;
      #1 clk = 1'b0;
      check = 1'b0;
    end
    if (vectors == 0) $display("rescale_bench: no vector was compared");
    if (mismatches != 0 || vectors == 0) $fatal(1, "rescale_bench: %0d vectors, %0d mismatches", vectors, mismatches);
    $display("rescale_bench: %0d vectors in %0d cycles, every result equal", vectors, NumCycles);
    $finish;
  end
endmodule
