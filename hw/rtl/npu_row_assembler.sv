// SPDX-License-Identifier: Apache-2.0
// The activation assembler of a convolution: puts the segments of a row's beats at their places in the operand.
//
//   two words --> ring, turned by (to - offset) --> segment of up to N bytes at its place --+
//   two words --> ring, turned by (to - offset) --> segment of up to N bytes at its place --+--> less zero point, mask --> operand_o
//                                                                      beats before: [row] -+--> [high bytes] -----------> operand_o
//
// The last beat of a row goes straight into the operand registers of the lanes; the beats before it wait in `row_q`.
// int16: an element is two bytes. The low ones go into the lanes first, then the high ones, which wait in `high_q` meanwhile, so
// that the next row's first beat can come.
// What no beat of the row brings is 0: elements past the end of the reduction, and those in padding (mask_i).
module npu_row_assembler #(
  parameter int Lanes = 16
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 beat_i,      // a beat is taken at this edge; else nothing moves
  input  logic                 low_i,       // the row goes into the lanes at this edge, of int16 its low bytes
  input  logic                 high_i,      // the operand is the row's high bytes
  input  logic                 is_16_i,
  input  logic [8*npu_spec_pkg::ActivationSegments*2*Lanes-1:0]            data_i,
  input  logic [npu_spec_pkg::ActivationSegments*$clog2(2*Lanes)-1:0]      offset_i,
  input  logic [npu_spec_pkg::ActivationSegments*$clog2(Lanes+1)-1:0]      length_i,
  input  logic [npu_spec_pkg::ActivationSegments*$clog2(2*Lanes)-1:0]      to_i,
  input  logic [Lanes-1:0]     mask_i,
  input  logic                 is_unsigned_i,
  input  logic [8:0]           zero_point_i,
  output logic [9*Lanes-1:0]   operand_o
);
  localparam int RingBits = $clog2(2*Lanes);
  localparam int LengthBits = $clog2(Lanes+1);
  localparam int NumSegments = npu_spec_pkg::ActivationSegments;

  logic [NumSegments*16*Lanes-1:0] placed_data;
  logic [NumSegments*2*Lanes-1:0]  placed;

  genvar s;
  generate
    for (s = 0; s < NumSegments; s = s + 1) begin : gen_segment
      logic [32*Lanes-1:0] ring;
      logic [Lanes-1:0]    present;
      logic [RingBits-1:0] turn, to;

      assign to = to_i[RingBits*s +: RingBits];
      // Byte `offset` comes to byte `to`.
      assign turn = offset_i[RingBits*s +: RingBits] - to;
      assign present = ~({Lanes{1'b1}} << length_i[LengthBits*s +: LengthBits]);
      always_comb begin
        ring = '0;
        placed_data[16*Lanes*s +: 16*Lanes] = '0;
        placed[2*Lanes*s +: 2*Lanes] = '0;
        if (beat_i && present != '0) begin
          ring = {2{data_i[16*Lanes*s +: 16*Lanes]}};
          placed_data[16*Lanes*s +: 16*Lanes] = ring[{1'b0, turn, 3'b000} +: 16*Lanes];
          placed[2*Lanes*s +: 2*Lanes] = {{Lanes{1'b0}}, present} << to;
        end
      end
    end
  endgenerate

  logic has_row_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) has_row_q <= 1'b0;
    else if (low_i) has_row_q <= 1'b0;
    else if (beat_i) has_row_q <= 1'b1;
  end

  logic [9*Lanes-1:0] row_q, low;
  logic [8*Lanes-1:0] row_high_q, high, high_q;
  logic [7:0]         stored;

  always_comb begin
    stored = 8'd0;
    low = '0;
    high = '0;
    if (beat_i) begin
      for (int i = 0; i < Lanes; i = i + 1) begin
        low[9*i +: 9] = has_row_q ? row_q[9*i +: 9] : 9'd0;
        high[8*i +: 8] = has_row_q ? row_high_q[8*i +: 8] : 8'd0;
        for (int k = 0; k < NumSegments; k = k + 1) begin
          if (is_16_i ? placed[2*Lanes*k + 2*i] : placed[2*Lanes*k + i]) begin
            stored = is_16_i ? placed_data[8*(2*Lanes*k + 2*i) +: 8] : placed_data[8*(2*Lanes*k + i) +: 8];
            low[9*i +: 9] = mask_i[i] ? 9'd0 : {stored[7] & ~is_unsigned_i & ~is_16_i, stored} - zero_point_i;
          end
          if (is_16_i && placed[2*Lanes*k + 2*i + 1]) begin
            high[8*i +: 8] = mask_i[i] ? 8'd0 : placed_data[8*(2*Lanes*k + 2*i + 1) +: 8];
          end
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (beat_i && !low_i) row_q <= low;
    if (beat_i && !low_i && is_16_i) row_high_q <= high;
    if (low_i && is_16_i) high_q <= high;
  end

  genvar i;
  generate
    for (i = 0; i < Lanes; i = i + 1) begin : gen_element
      assign operand_o[9*i +: 9] = high_i ? {high_q[8*i+7], high_q[8*i +: 8]} : low[9*i +: 9];
    end
  endgenerate
endmodule
