// SPDX-License-Identifier: Apache-2.0
// The activation assembler of a convolution: puts the segments of a row's beats at their places in the operand.
//
//   two words --> right by the offset --> segment of up to N bytes --> left to its element --+
//   two words --> right by the offset --> segment of up to N bytes --> left to its element --+--> less zero point, mask --> operand_o
//                                                                  beats before: [row] ------+
//
// The last beat of a row goes straight into the operand registers of the lanes; the beats before it wait in `row_q`. What no
// beat of the row brings is 0: elements past the end of the reduction, and those in padding (mask_i).
module npu_row_assembler #(
  parameter int Lanes = 16
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 beat_i,      // a beat is taken at this edge
  input  logic                 last_i,      // it is the row's last
  input  logic [8*npu_spec_pkg::ActivationSegments*2*Lanes-1:0]            data_i,
  input  logic [npu_spec_pkg::ActivationSegments*$clog2(Lanes)-1:0]        offset_i,
  input  logic [npu_spec_pkg::ActivationSegments*$clog2(Lanes+1)-1:0]      length_i,
  input  logic [npu_spec_pkg::ActivationSegments*$clog2(Lanes)-1:0]        to_i,
  input  logic [Lanes-1:0]     mask_i,
  input  logic                 is_unsigned_i,
  input  logic [8:0]           zero_point_i,
  output logic [9*Lanes-1:0]   operand_o
);
  localparam int LaneBits = $clog2(Lanes);
  localparam int LengthBits = $clog2(Lanes+1);
  localparam int NumSegments = npu_spec_pkg::ActivationSegments;

  logic [NumSegments*8*Lanes-1:0] placed_data;
  logic [NumSegments*Lanes-1:0]   placed;

  genvar s;
  generate
    for (s = 0; s < NumSegments; s = s + 1) begin : gen_segment
      logic [16*Lanes-1:0] pair;
      logic [8*Lanes-1:0]  segment;
      logic [Lanes-1:0]    present;
      logic [LaneBits-1:0] offset, to;

      assign offset = offset_i[LaneBits*s +: LaneBits];
      assign to = to_i[LaneBits*s +: LaneBits];
      assign pair = data_i[16*Lanes*s +: 16*Lanes];
      assign segment = pair[{1'b0, offset, 3'b000} +: 8*Lanes];
      assign present = ~({Lanes{1'b1}} << length_i[LengthBits*s +: LengthBits]);
      assign placed_data[8*Lanes*s +: 8*Lanes] = segment << {to, 3'b000};
      assign placed[Lanes*s +: Lanes] = present << to;
    end
  endgenerate

  logic               has_row_q;
  logic [9*Lanes-1:0] operand;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) has_row_q <= 1'b0;
    else if (beat_i) has_row_q <= !last_i;
  end

  genvar i;
  generate
    for (i = 0; i < Lanes; i = i + 1) begin : gen_element
      logic [8:0] row_q;
      logic [8:0] element;
      logic [7:0] stored;

      always_comb begin
        stored = 8'd0;
        element = has_row_q ? row_q : 9'd0;
        for (int k = 0; k < NumSegments; k = k + 1) begin
          if (placed[Lanes*k + i]) begin
            stored = placed_data[8*(Lanes*k + i) +: 8];
            element = mask_i[i] ? 9'd0 : {stored[7] & ~is_unsigned_i, stored} - zero_point_i;
          end
        end
      end

      always_ff @(posedge clk_i) begin
        if (beat_i && !last_i) row_q <= element;
      end

      assign operand[9*i +: 9] = element;
    end
  endgenerate

  assign operand_o = operand;
endmodule
