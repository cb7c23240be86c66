// SPDX-License-Identifier: Apache-2.0
// Which slots share a read, and the place of each in its read. Two stages, a row a cycle.
//
//   slots --> [is the word the last one of the slot before?] --> [places; slots in the order in which they come]
//
// A read brings a word for the P slots, at most, that follow each other in it. A slot's place is the number of slots since one
// that began a word (its own first one, or a further one in which it ends), modulo P; the read is begun where that is 0. On
// lines that go back the last slot comes first. Of the slots before one, the last that is there is found by a tree.
module npu_agu_windows_reads #(
  parameter int Lanes = 16,
  localparam int TapBits = $clog2(Lanes),
  localparam int BytesBits = $clog2(2*Lanes+1),
  localparam int CountBits = $clog2(Lanes+1),
  localparam int Slots = 4*Lanes,
  localparam int SlotBits = $clog2(Slots),
  localparam int IdxBits = TapBits + 2,
  localparam int WordBits = 32 - TapBits,
  localparam int RestBits = 68*Lanes + 16*(TapBits+1) + BytesBits + 1   // moves, mask, look
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        go_i,       // rows move on
  input  logic [1:0]  split_i,
  // As npu_agu_windows_slots has it.
  input  logic        valid_i,
  input  logic [Slots-1:0]          read_i,
  input  logic [WordBits*Slots-1:0] word_i,
  input  logic [2*Slots-1:0]        more_i,
  input  logic [IdxBits*Slots-1:0]  idx_i,
  input  logic [CountBits-1:0] free_i,
  input  logic        is_back_i, last_i,
  input  logic [RestBits-1:0]  rest_i,
  output logic        valid_o,
  // Slots, the one that comes first as number 0.
  output logic [Slots-1:0]         read_o,
  output logic [2*Slots-1:0]       more_o,
  output logic [2*Slots-1:0]       place_o,   // among those of the read that brings its first word
  output logic [2*Slots-1:0]       adds_o,    // reads: one that it begins, and its further words
  output logic [Slots-1:0]         joins_o,   // the last read of the slot that comes before it, on lines that go on
  output logic [Slots-1:0]         fits_o,    // in the registers that the row before leaves, as all slots that come before it
  output logic [IdxBits*Slots-1:0] idx_o,
  output logic        is_back_o, last_o,
  output logic [RestBits-1:0]  rest_o
);
  localparam int LatestBits = 1 + WordBits + 2;

  // Stage 1. Slots up to one, modulo 4; the latest one that is there, with its words.
  logic [2*Slots-1:0] count;
  logic [LatestBits*Slots-1:0] latest;
  logic [Slots-1:0] is_same;

  always_comb begin
    count = '0;
    latest = '0;
    for (int s = 0; s < Slots; s = s + 1) begin
      count[2*s +: 2] = {1'b0, read_i[s]};
      latest[LatestBits*s +: LatestBits] = {read_i[s], word_i[WordBits*s +: WordBits], more_i[2*s +: 2]};
    end
    for (int level = 0; level < SlotBits; level = level + 1) begin
      for (int s = 0; s < Slots; s = s + 1) begin
        if (((s >> level) & 1) == 1) begin
          count[2*s +: 2] = count[2*s +: 2] + count[2*(((s >> level) << level)-1) +: 2];
          if (!latest[LatestBits*s+LatestBits-1]) begin
            latest[LatestBits*s +: LatestBits] = latest[LatestBits*(((s >> level) << level)-1) +: LatestBits];
          end
        end
      end
    end
  end

  // word == last + more, where bit b of the sum has to carry as it does when they are equal.
  genvar s;
  generate
    assign is_same[0] = 1'b0;
    for (s = 1; s < Slots; s = s + 1) begin : gen_same
      logic [WordBits-1:0] word, last, differs, carry;
      logic [1:0] more, carry_of_more;
      logic       is_any;
      assign word = word_i[WordBits*s +: WordBits];
      assign {is_any, last, more} = latest[LatestBits*(s-1) +: LatestBits];
      assign differs = word ^ last ^ WordBits'(more);
      assign carry_of_more = more & (last[1:0] | ~word[1:0]);
      assign carry = {(last[WordBits-2:0] & ~word[WordBits-2:0]) | {{WordBits-3{1'b0}}, carry_of_more}, 1'b0};
      assign is_same[s] = is_any && differs == carry;
    end
  endgenerate

  logic        valid_q, is_back_q, last_q;
  logic [Slots-1:0]         read_q, is_same_q;
  logic [2*Slots-1:0]       more_q, count_q;
  logic [IdxBits*Slots-1:0] idx_q;
  logic [CountBits-1:0]     free_q, free_before_q;
  logic [RestBits-1:0]      rest_q;

  // Stage 2. The latest slot with which a word began, and the count up to it.
  logic [1:0]         most;           // slots of a read, less one
  logic [3*Slots-1:0] begin_of;
  logic [2*Slots-1:0] place, adds;
  logic [Slots-1:0]   begun;
  logic [(SlotBits+1)*Slots-1:0] come;  // slots that come up to one
  logic [Slots-1:0]   fits;

  assign most = split_i == 2'd0 ? 2'd0 : split_i == 2'd1 ? 2'd1 : 2'd3;

  always_comb begin
    begin_of = '0;
    for (int i = 0; i < Slots; i = i + 1) begin
      begin_of[3*i +: 3] = {read_q[i] && (!is_same_q[i] || more_q[2*i +: 2] != 2'd0), count_q[2*i +: 2]};
    end
    for (int level = 0; level < SlotBits; level = level + 1) begin
      for (int i = 0; i < Slots; i = i + 1) begin
        if (((i >> level) & 1) == 1 && !begin_of[3*i+2]) begin_of[3*i +: 3] = begin_of[3*(((i >> level) << level)-1) +: 3];
      end
    end
    place = '0;
    adds = '0;
    begun = '0;
    for (int i = 0; i < Slots; i = i + 1) begin
      if (i > 0 && is_same_q[i]) place[2*i +: 2] = (count_q[2*i +: 2] - begin_of[3*((i+Slots-1)%Slots) +: 2]) & most;
      begun[i] = place[2*i +: 2] == 2'd0;
      if (read_q[i]) adds[2*i +: 2] = more_q[2*i +: 2] + {1'b0, begun[i]};
    end
  end

  always_comb begin
    come = '0;
    fits = '0;
    for (int i = 0; i < Slots; i = i + 1) come[(SlotBits+1)*i] = is_back_q ? read_q[Slots-1-i] : read_q[i];
    for (int level = 0; level < SlotBits; level = level + 1) begin
      for (int i = 0; i < Slots; i = i + 1) begin
        if (((i >> level) & 1) == 1) begin
          come[(SlotBits+1)*i +: SlotBits+1] = come[(SlotBits+1)*i +: SlotBits+1] +
                                               come[(SlotBits+1)*(((i >> level) << level)-1) +: SlotBits+1];
        end
      end
    end
    for (int i = 0; i < Slots; i = i + 1) fits[i] = come[(SlotBits+1)*i +: SlotBits+1] <= (SlotBits+1)'(free_before_q);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      valid_o <= 1'b0;
    end else if (go_i) begin
      valid_q <= valid_i;
      valid_o <= valid_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (go_i && valid_i) begin
      read_q <= read_i;
      more_q <= more_i;
      idx_q <= idx_i;
      count_q <= count;
      is_same_q <= is_same;
      free_q <= free_i;
      free_before_q <= free_q;
      is_back_q <= is_back_i;
      last_q <= last_i;
      rest_q <= rest_i;
    end
    if (go_i && valid_q) begin
      for (int i = 0; i < Slots; i = i + 1) begin
        read_o[i] <= is_back_q ? read_q[Slots-1-i] : read_q[i];
        more_o[2*i +: 2] <= is_back_q ? more_q[2*(Slots-1-i) +: 2] : more_q[2*i +: 2];
        place_o[2*i +: 2] <= is_back_q ? place[2*(Slots-1-i) +: 2] : place[2*i +: 2];
        adds_o[2*i +: 2] <= is_back_q ? adds[2*(Slots-1-i) +: 2] : adds[2*i +: 2];
        joins_o[i] <= !is_back_q && !begun[i];
        idx_o[IdxBits*i +: IdxBits] <= is_back_q ? idx_q[IdxBits*(Slots-1-i) +: IdxBits] : idx_q[IdxBits*i +: IdxBits];
      end
      fits_o <= fits;
      is_back_o <= is_back_q;
      last_o <= last_q;
      rest_o <= rest_q;
    end
  end
endmodule
