// SPDX-License-Identifier: Apache-2.0
// The window of one lane: a register for each of N taps, which words are written into, and the operand that a row takes from it.
//
//   words, turned --> [window: N elements] --> element of each tap --> mask --> operand_o
//                        |                                  +--> [high bytes] --> operand_o
//                        +-- what is written at this edge is read at this edge
//
// Which register a position of the map has, and which register each element of a row's operand is, comes with the beats: it is
// the same for all lanes of a pixel. A row is taken with its last beat. int16: its low bytes go into the lanes then, its high bytes in the
// next cycle, from registers of their own, so that words of the next row can come.
module npu_window_lane #(
  parameter int Lanes = 16,
  parameter int Lane = 0,
  localparam int Runs = npu_spec_pkg::WindowRuns,
  localparam int LaneBits = $clog2(Lanes)
) (
  input  logic                    clk_i,
  input  logic                    words_i,     // a beat of words is there; else nothing moves
  input  logic                    beat_i,      // it is taken at this edge
  input  logic                    low_i,       // the row goes into the lanes at this edge, of int16 its low bytes
  input  logic                    high_i,      // the operand is the row's high bytes
  input  logic [npu_spec_pkg::MacLaneSplitLog2Bits-1:0] split_i,
  input  logic                    is_16_i,
  input  logic                    is_unsigned_i,
  input  logic [8:0]              zero_point_i,
  // Runs of bytes, one of each position of each word: turned to the lanes' bytes, and which bytes they have.
  input  logic [8*Runs*Lanes-1:0] turned_i,
  input  logic [2*Runs*Lanes-1:0] present_i,
  // The pixel of this lane says which runs it takes, into which register, where each element is, and which add nothing.
  input  logic [Runs-1:0]         taken_i,
  input  logic [Runs*LaneBits-1:0] register_i,
  input  logic [Lanes*LaneBits-1:0] element_i,
  input  logic [Lanes-1:0]        mask_i,
  output logic [9*Lanes-1:0]      operand_o
);
  localparam int SplitBits = npu_spec_pkg::MacLaneSplitLog2Bits;
  localparam int OfHalf = Lane % (Lanes / 2);
  localparam int OfQuarter = Lane % (Lanes / 4);

  logic [9*Lanes-1:0]  low_q, low_d, low;
  logic [8*Lanes-1:0]  high_q, high_d, pass_q, pass_d;
  logic [LaneBits-1:0] lane;   // of its pixel
  logic [LaneBits:0]   first, second;          // bytes of the lane among those of its pixel
  logic [LaneBits-1:0] first_turned, second_turned;  // the same, modulo a word
  logic [7:0]          stored;

  assign lane = split_i == '0 ? LaneBits'(Lane) : split_i == SplitBits'(1) ? LaneBits'(OfHalf) : LaneBits'(OfQuarter);
  assign first = is_16_i ? {lane, 1'b0} : {1'b0, lane};
  assign second = {lane, 1'b1};
  assign first_turned = first[LaneBits-1:0];
  assign second_turned = second[LaneBits-1:0];

  always_comb begin
    low_d = '0;
    high_d = '0;
    low = '0;
    pass_d = '0;
    stored = 8'd0;
    if (words_i) begin
      low_d = low_q;
      high_d = high_q;
      for (int r = 0; r < Runs; r = r + 1) begin
        if (taken_i[r] && present_i[2*Lanes*r + 32'(first)]) begin
          stored = turned_i[8*(Lanes*r + 32'(first_turned)) +: 8];
          low_d[9*32'(register_i[LaneBits*r +: LaneBits]) +: 9] = {stored[7] & ~is_unsigned_i & ~is_16_i, stored} - zero_point_i;
        end
        if (taken_i[r] && is_16_i && present_i[2*Lanes*r + 32'(second)]) begin
          high_d[8*32'(register_i[LaneBits*r +: LaneBits]) +: 8] = turned_i[8*(Lanes*r + 32'(second_turned)) +: 8];
        end
      end
      for (int e = 0; e < Lanes; e = e + 1) begin
        if (!mask_i[e]) begin
          low[9*e +: 9] = low_d[9*32'(element_i[LaneBits*e +: LaneBits]) +: 9];
          if (is_16_i) pass_d[8*e +: 8] = high_d[8*32'(element_i[LaneBits*e +: LaneBits]) +: 8];
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (beat_i) low_q <= low_d;
    if (beat_i && is_16_i) high_q <= high_d;
    if (beat_i && low_i && is_16_i) pass_q <= pass_d;
  end

  genvar e;
  generate
    for (e = 0; e < Lanes; e = e + 1) begin : gen_element
      assign operand_o[9*e +: 9] = high_i ? {pass_q[8*e+7], pass_q[8*e +: 8]} : low[9*e +: 9];
    end
  endgenerate
endmodule
