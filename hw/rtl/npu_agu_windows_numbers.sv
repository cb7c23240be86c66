// SPDX-License-Identifier: Apache-2.0
// The numbers of reads: how many a row has, which of its first four may come in the last beat of the row before, and the first read
// of each slot. Two stages; rows move to the second one with the beats.
//
//   slots --> [reads of the row, sums in groups of 8 slots] --> [first read of each slot]
//                   +--> npu_agu_windows_compose                     +--> npu_agu_windows_runs
//
// Numbers are sums over the slots that come before: of reads that they begin, and of their further words. Up to five reads are
// counted in steps too, bit k for more than k, which is quick.
module npu_agu_windows_numbers #(
  parameter int Lanes = 16,
  localparam int TapBits = $clog2(Lanes),
  localparam int BytesBits = $clog2(2*Lanes+1),
  localparam int Slots = 4*Lanes,
  localparam int SlotBits = $clog2(Slots),
  localparam int IdxBits = TapBits + 2,
  localparam int ReadBits = $clog2(3*Slots+1),
  localparam int RestBits = 68*Lanes + 16*(TapBits+1) + BytesBits + 1   // moves, mask, look
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        go_i,       // rows move on
  input  logic        step_i,     // the second stage does
  // As npu_agu_windows_reads has it.
  input  logic        valid_i,
  input  logic [Slots-1:0]         read_i,
  input  logic [2*Slots-1:0]       more_i, place_i, adds_i,
  input  logic [Slots-1:0]         joins_i, fits_i,
  input  logic [IdxBits*Slots-1:0] idx_i,
  input  logic        is_back_i, last_i,
  input  logic [RestBits-1:0]      rest_i,
  // The row after the one in hand.
  output logic        valid_o,
  output logic [ReadBits-1:0] reads_o,
  output logic [3:0]  may_come_o,   // bit w: read w ahead
  output logic        last_o,
  // Its slots, a stage later.
  output logic [Slots-1:0]          read_o,
  output logic [ReadBits*Slots-1:0] first_o,
  output logic [2*Slots-1:0]        more_o, place_o,
  output logic [IdxBits*Slots-1:0]  idx_o,
  output logic        is_back_o,
  output logic [RestBits-1:0]       rest_o
);
  localparam int Words = npu_spec_pkg::WindowWords;
  localparam int Group = 8, Groups = Slots/Group, GroupBits = $clog2(3*Group+1), Steps = Words + 1;

  // Stage 1.
  logic [GroupBits*Slots-1:0] in_group_d, in_group_q;      // reads before a slot, of its group
  logic [GroupBits*Groups-1:0] of_group_d, of_group_q;     // of a group
  logic [GroupBits*Slots-1:0] sum;
  logic [ReadBits*Groups-1:0] total;
  logic [Steps*Slots-1:0]     step;
  logic [Steps*(Slots+1)-1:0] step_before;
  logic [Steps-1:0]           lower;
  logic [Steps-1:0]           step_sum;
  logic [Words-1:0]           may_come;

  always_comb begin
    sum = '0;
    for (int s = 0; s < Slots; s = s + 1) sum[GroupBits*s +: GroupBits] = GroupBits'(adds_i[2*s +: 2]);
    for (int level = 0; level < $clog2(Group); level = level + 1) begin
      for (int s = 0; s < Slots; s = s + 1) begin
        if (((s >> level) & 1) == 1) begin
          sum[GroupBits*s +: GroupBits] = sum[GroupBits*s +: GroupBits] + sum[GroupBits*(((s >> level) << level)-1) +: GroupBits];
        end
      end
    end
    in_group_d = '0;
    of_group_d = '0;
    total = '0;
    for (int s = 0; s < Slots; s = s + 1) begin
      if (s % Group != 0) in_group_d[GroupBits*s +: GroupBits] = sum[GroupBits*((s+Slots-1)%Slots) +: GroupBits];
    end
    for (int g = 0; g < Groups; g = g + 1) begin
      of_group_d[GroupBits*g +: GroupBits] = sum[GroupBits*(Group*g+Group-1) +: GroupBits];
      total[ReadBits*g +: ReadBits] = ReadBits'(of_group_d[GroupBits*g +: GroupBits]);
    end
    for (int level = 1; level < Groups; level = level << 1) begin
      for (int g = 0; g < Groups; g = g + 2*level) begin
        total[ReadBits*g +: ReadBits] = total[ReadBits*g +: ReadBits] + total[ReadBits*(g+level) +: ReadBits];
      end
    end
  end

  // Reads up to a slot, in steps: more than 0, 1, 2, 3, 4.
  always_comb begin
    step = '0;
    lower = '0;
    step_sum = '0;
    for (int s = 0; s < Slots; s = s + 1) begin
      step[Steps*s +: Steps] = Steps'({&adds_i[2*s +: 2], adds_i[2*s+1], |adds_i[2*s +: 2]});
    end
    for (int level = 0; level < SlotBits; level = level + 1) begin
      for (int s = 0; s < Slots; s = s + 1) begin
        if (((s >> level) & 1) == 1) begin
          lower = step[Steps*(((s >> level) << level)-1) +: Steps];
          step_sum = step[Steps*s +: Steps] | lower;
          for (int i = 0; i < Steps; i = i + 1) begin
            for (int j = 0; j < Steps; j = j + 1) begin
              if (i + j + 1 < Steps) step_sum[(i+j+1)%Steps] = step_sum[(i+j+1)%Steps] | (step[Steps*s+i] & lower[j]);
            end
          end
          step[Steps*s +: Steps] = step_sum;
        end
      end
    end
  end
  assign step_before = {step, {Steps{1'b0}}};

  // Read w may come unless it, or one before it, begins a position that does not fit.
  genvar w, s;
  generate
    for (w = 0; w < Words; w = w + 1) begin : gen_may_come
      logic [Slots-1:0] lacks;
      for (s = 0; s < Slots; s = s + 1) begin : gen_slot
        assign lacks[s] = read_i[s] && !fits_i[s] && !step_before[Steps*s+w] ||
                          read_i[s] && !fits_i[s] && joins_i[s] && !step_before[Steps*s+w+1];
      end
      assign may_come[w] = step[Steps*(Slots-1)+w] && !(|lacks);
    end
  endgenerate

  logic [Slots-1:0]         read_q, joins_q;
  logic [2*Slots-1:0]       more_q, place_q;
  logic [IdxBits*Slots-1:0] idx_q;
  logic                     is_back_q;
  logic [RestBits-1:0]      rest_q;

  // Stage 2.
  logic [ReadBits*Groups-1:0] reads_before;    // reads of the groups before a group
  logic [ReadBits*Groups-1:0] up_to;
  logic [ReadBits*Slots-1:0]  first;

  always_comb begin
    up_to = '0;
    reads_before = '0;
    first = '0;
    for (int g = 0; g < Groups; g = g + 1) up_to[ReadBits*g +: ReadBits] = ReadBits'(of_group_q[GroupBits*g +: GroupBits]);
    for (int level = 0; level < $clog2(Groups); level = level + 1) begin
      for (int g = 0; g < Groups; g = g + 1) begin
        if (((g >> level) & 1) == 1) begin
          up_to[ReadBits*g +: ReadBits] = up_to[ReadBits*g +: ReadBits] + up_to[ReadBits*(((g >> level) << level)-1) +: ReadBits];
        end
      end
    end
    for (int g = 1; g < Groups; g = g + 1) reads_before[ReadBits*g +: ReadBits] = up_to[ReadBits*(g-1) +: ReadBits];
    for (int i = 0; i < Slots; i = i + 1) begin
      first[ReadBits*i +: ReadBits] = reads_before[ReadBits*(i/Group) +: ReadBits] +
                                      (ReadBits'(in_group_q[GroupBits*i +: GroupBits]) - ReadBits'(joins_q[i]));
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_o <= 1'b0;
    else if (go_i) valid_o <= valid_i;
  end

  always_ff @(posedge clk_i) begin
    if (go_i && valid_i) begin
      reads_o <= total[ReadBits-1:0];
      may_come_o <= may_come;
      last_o <= last_i;
      in_group_q <= in_group_d;
      of_group_q <= of_group_d;
      read_q <= read_i;
      joins_q <= joins_i;
      more_q <= more_i;
      place_q <= place_i;
      idx_q <= idx_i;
      is_back_q <= is_back_i;
      rest_q <= rest_i;
    end
    if (step_i && valid_o) begin
      read_o <= read_q;
      first_o <= first;
      more_o <= more_q;
      place_o <= place_q;
      idx_o <= idx_q;
      is_back_o <= is_back_q;
      rest_o <= rest_q;
    end
  end
endmodule
