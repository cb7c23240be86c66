// SPDX-License-Identifier: Apache-2.0
// What the pixels of a row take from a segment, and its words. Three stages, a beat of two segments a cycle.
//
//   segment, row --> [bytes of pixels; parts of the address] --> [address] --> words, offsets, lengths
//
// Of run bytes q s to q s + b pixel q takes those that lie between the begins of this segment and the next.
module npu_agu_segments_takes #(
  parameter int Lanes = 16,
  localparam int PlaceBits = $clog2(Lanes) + 4,
  localparam int RingBits = $clog2(2*Lanes),
  localparam int CountBits = $clog2(Lanes+1),
  localparam int BytesBits = $clog2(2*Lanes+1)
) (
  input  logic        clk_i,
  input  logic [2:0]  enable_i,                  // of the stages
  // Of a pixel: its number in memory times s, and bit: it is there. Of a number: base address, and what s lacks of the distance.
  input  logic [4*PlaceBits-1:0] starts_i,
  input  logic [3:0]  has_pixel_i,
  input  logic [127:0] base_i,
  input  logic [31:0] row_bytes_i, column_bytes_i,   // of tap (0, 0) of the row's pixel 0, in the map
  input  logic [1:0]  valid_i,                   // segment
  input  logic [2*PlaceBits-1:0] begin_i,
  input  logic [3:0]  owner_i,
  input  logic [2*BytesBits-1:0] bytes_i,        // of its run
  input  logic [63:0] address_i,                 // of the run, against that tap
  input  logic [2*RingBits-1:0]  to_i,           // bytes of the step before the run
  // After one cycle: which bytes of the step a pixel takes, by pixel and segment.
  output logic [8*RingBits-1:0]  to_o,
  output logic [8*CountBits-1:0] length_o,
  // After three cycles.
  output logic [3:0]  act_read_o,
  output logic [127:0] act_word_o,
  output logic [8*RingBits-1:0]  act_offset_o,
  output logic [8*CountBits-1:0] act_length_o,
  output logic [8*RingBits-1:0]  act_to_o
);
  localparam int LaneBits = $clog2(Lanes);

  logic [31:0] row_address_q;
  logic [1:0]  valid_q, valid2_q;
  logic [63:0] address_q, address2_q;
  logic [2*PlaceBits-1:0] begin_q;
  logic [2*CountBits-1:0] stop_q, stop2_q;       // bytes of the segment
  logic [8*LaneBits-1:0]  from_q, from2_q;       // of the segment before those of the pixel
  logic [8*CountBits-1:0] length2_q;
  logic [8*RingBits-1:0]  to2_q;

  // One segment and pixel.
  logic [8*LaneBits-1:0]  from;
  logic [8*CountBits-1:0] length;
  logic [8*RingBits-1:0]  to;
  logic [2*CountBits-1:0] stop;

  genvar s, p;
  generate
    for (s = 0; s < 2; s = s + 1) begin : gen_segment
      logic [4*CountBits-1:0] stops;
      for (p = 0; p < 4; p = p + 1) begin : gen_pixel
        localparam int At = 2*p + s;
        logic [PlaceBits-1:0] first, start, end_of_run, end_of_segment, begin_at, end_at;
        logic is_here;
        assign first = begin_i[PlaceBits*s +: PlaceBits];
        assign start = starts_i[PlaceBits*p +: PlaceBits];
        assign end_of_run = start + PlaceBits'(bytes_i[BytesBits*s +: BytesBits]);
        assign end_of_segment = first + PlaceBits'(Lanes);
        assign is_here = valid_i[s] && has_pixel_i[p] && end_of_run > first && start < end_of_segment;
        assign begin_at = start > first ? start : first;
        assign end_at = end_of_run < end_of_segment ? end_of_run : end_of_segment;
        assign from[LaneBits*At +: LaneBits] = is_here ? LaneBits'(begin_at - first) : '0;
        assign length[CountBits*At +: CountBits] = is_here ? CountBits'(end_at - begin_at) : '0;
        assign to[RingBits*At +: RingBits] = is_here ? to_i[RingBits*s +: RingBits] + RingBits'(begin_at - start) : '0;
        assign stops[CountBits*p +: CountBits] = is_here ? CountBits'(end_at - first) : '0;
      end
      logic [2*CountBits-1:0] most;
      assign most[0 +: CountBits] = stops[0 +: CountBits] > stops[CountBits +: CountBits] ? stops[0 +: CountBits] : stops[CountBits +: CountBits];
      assign most[CountBits +: CountBits] = stops[2*CountBits +: CountBits] > stops[3*CountBits +: CountBits]
                                          ? stops[2*CountBits +: CountBits] : stops[3*CountBits +: CountBits];
      assign stop[CountBits*s +: CountBits] = most[0 +: CountBits] > most[CountBits +: CountBits] ? most[0 +: CountBits] : most[CountBits +: CountBits];
    end
  endgenerate

  always_ff @(posedge clk_i) begin
    if (enable_i[0]) begin
      row_address_q <= row_bytes_i + column_bytes_i;
      for (int i = 0; i < 2; i = i + 1) address_q[32*i +: 32] <= address_i[32*i +: 32] + base_i[32*32'(owner_i[2*i +: 2]) +: 32];
      valid_q <= valid_i;
      begin_q <= begin_i;
      stop_q <= stop;
      from_q <= from;
      length_o <= length;
      to_o <= to;
    end
    if (enable_i[1]) begin
      for (int i = 0; i < 2; i = i + 1)
        address2_q[32*i +: 32] <= row_address_q + address_q[32*i +: 32] + 32'(begin_q[PlaceBits*i +: PlaceBits]);
      valid2_q <= valid_q;
      stop2_q <= stop_q;
      from2_q <= from_q;
      length2_q <= length_o;
      to2_q <= to_o;
    end
    if (enable_i[2]) begin
      for (int i = 0; i < 2; i = i + 1) begin
        act_read_o[2*i] <= valid2_q[i];
        act_read_o[2*i+1] <= valid2_q[i] && BytesBits'(address2_q[32*i +: LaneBits]) + BytesBits'(stop2_q[CountBits*i +: CountBits]) > BytesBits'(Lanes);
        act_word_o[64*i +: 32] <= valid2_q[i] ? 32'($signed(address2_q[32*i +: 32]) >>> LaneBits) : 32'd0;
        act_word_o[64*i+32 +: 32] <= valid2_q[i] ? 32'($signed(address2_q[32*i +: 32]) >>> LaneBits) + 32'd1 : 32'd0;
        for (int j = 0; j < 4; j = j + 1) begin
          act_offset_o[RingBits*(2*j+i) +: RingBits] <= length2_q[CountBits*(2*j+i) +: CountBits] == '0 ? '0
            : RingBits'(address2_q[32*i +: LaneBits]) + RingBits'(from2_q[LaneBits*(2*j+i) +: LaneBits]);
        end
      end
      act_length_o <= length2_q;
      act_to_o <= to2_q;
    end
  end
endmodule
