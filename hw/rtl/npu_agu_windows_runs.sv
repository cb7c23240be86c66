// SPDX-License-Identifier: Apache-2.0
// The runs of a beat: for each of its four words the slots of the row in hand, or of the row after it, that the word's read brings.
// One stage.
//
//   row after it --> row in hand        first read of each slot - reads that have gone = word of the beat
//        |               |
//        +---------------+--> [slots of word w at place j] --> run 4 w + j: position, and which of its words
//
// A slot stands at its place in the read that brings its first word, and first in those of its further words. Each run is an
// OR over the slots of both rows, of which one at most is there.
module npu_agu_windows_runs #(
  parameter int Lanes = 16,
  localparam int TapBits = $clog2(Lanes),
  localparam int BytesBits = $clog2(2*Lanes+1),
  localparam int LookBits = 48*Lanes + BytesBits + 1,
  localparam int MoveBits = 16*Lanes + 16*(TapBits+1),
  localparam int Slots = 4*Lanes,
  localparam int IdxBits = TapBits + 2,
  localparam int ReadBits = $clog2(3*Slots+1),
  localparam int RestBits = MoveBits + 4*Lanes + LookBits
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        step_i,      // beats move on
  // As npu_agu_windows_compose has it.
  input  logic        beat_i, takes_row_i,
  input  logic [ReadBits-1:0] done_i,
  input  logic [2:0]  own_i, to_i,
  input  logic        ends_row_i, last_i,
  // The row after the one in hand, as npu_agu_windows_numbers has it.
  input  logic [Slots-1:0]          read_i,
  input  logic [ReadBits*Slots-1:0] first_i,
  input  logic [2*Slots-1:0]        more_i, place_i,
  input  logic [IdxBits*Slots-1:0]  idx_i,
  input  logic        is_back_i,
  input  logic [RestBits-1:0]       rest_i,   // move, mask, look
  output logic        beat_o, takes_row_o, ends_row_o, last_o,
  // Runs, and which words have one.
  output logic [15:0] is_run_o, is_first_o,   // there; the first word of its position that comes
  output logic [16*IdxBits-1:0] idx_o,
  output logic [7:0]  of_word_o,              // which of its position, of run 4 w
  output logic [3:0]  is_ahead_o,             // word of the row after the one in hand
  output logic [LookBits-1:0] look_hand_o, look_next_o,
  output logic [4*Lanes-1:0]  mask_o,
  output logic [MoveBits-1:0] move_o
);
  localparam int Words = npu_spec_pkg::WindowWords, Places = npu_spec_pkg::MaxRowPixels;
  localparam int Group = 8, RunBits = IdxBits + 2;
  // The row in hand.
  logic [Slots-1:0]          read_q;
  logic [ReadBits*Slots-1:0] first_q;
  logic [2*Slots-1:0]        more_q, place_q;
  logic [IdxBits*Slots-1:0]  idx_q;
  logic                      is_back_q;
  logic [4*Lanes+LookBits-1:0] facts_q;

  // Runs: position, first, there. Slots of a group together, then the groups.
  logic [16*RunBits-1:0] run, of_group;
  logic [7:0]            run_of_word, of_word_of_group;
  logic [ReadBits:0]     ahead;       // how far the slot's first read is after the beat's first one
  logic [2:0]            nth;         // of the slot's words that come
  logic [1:0]            more, of_word, place;
  logic                  read, is_back, is_here;
  logic [RunBits-1:0]    of_slot;

  always_comb begin
    run = '0;
    run_of_word = '0;
    of_group = '0;
    of_word_of_group = '0;
    ahead = '0;
    nth = '0;
    {more, of_word, place} = '0;
    {read, is_back, is_here} = '0;
    of_slot = '0;
    if (beat_i) begin
      for (int g = 0; g < 2*Slots/Group; g = g + 1) begin
        of_group = '0;
        of_word_of_group = '0;
        for (int s = Group*(g % (Slots/Group)); s < Group*(g % (Slots/Group)) + Group; s = s + 1) begin
          if (g < Slots/Group) begin
            ahead = {1'b0, first_q[ReadBits*s +: ReadBits]} - {1'b0, done_i};
            read = read_q[s];
            is_back = is_back_q;
          end else begin
            ahead = {1'b0, first_i[ReadBits*s +: ReadBits]} + (ReadBits+1)'(own_i);
            read = read_i[s];
            is_back = is_back_i;
          end
          more = g < Slots/Group ? more_q[2*s +: 2] : more_i[2*s +: 2];
          // From two words before the beat, where its third one may be the beat's first, to the beat's last one.
          read = read && ahead + (ReadBits+1)'(2) < (ReadBits+1)'(Words + 2);
          if (read) begin
            for (int w = 0; w < Words; w = w + 1) begin
              nth = 3'(w) - ahead[2:0];
              is_here = read && nth <= {1'b0, more} && (g < Slots/Group ? 3'(w) < own_i : 3'(w) >= own_i && 3'(w) < to_i);
              of_word = is_back ? more - nth[1:0] : nth[1:0];
              place = of_word != 2'd0 ? 2'd0 : g < Slots/Group ? place_q[2*s +: 2] : place_i[2*s +: 2];
              of_slot = {g < Slots/Group ? idx_q[IdxBits*s +: IdxBits] : idx_i[IdxBits*s +: IdxBits], nth == 3'd0, 1'b1};
              for (int j = 0; j < Places; j = j + 1) begin
                of_group[RunBits*(Places*w+j) +: RunBits] = of_group[RunBits*(Places*w+j) +: RunBits] |
                                                            (of_slot & {RunBits{is_here && place == 2'(j)}});
              end
              of_word_of_group[2*w +: 2] = of_word_of_group[2*w +: 2] | (of_word & {2{is_here}});
            end
          end
        end
        run = run | of_group;
        run_of_word = run_of_word | of_word_of_group;
      end
    end
  end

  genvar r;
  logic [15:0] is_run, is_first;
  logic [16*IdxBits-1:0] run_idx;
  generate
    for (r = 0; r < 16; r = r + 1) begin : gen_run
      assign {run_idx[IdxBits*r +: IdxBits], is_first[r], is_run[r]} = run[RunBits*r +: RunBits];
    end
  endgenerate

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beat_o <= 1'b0;
      takes_row_o <= 1'b0;
    end else if (step_i) begin
      beat_o <= beat_i;
      takes_row_o <= takes_row_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (step_i && beat_i) begin
      ends_row_o <= ends_row_i;
      last_o <= last_i;
      is_run_o <= is_run;
      is_first_o <= is_first;
      idx_o <= run_idx;
      of_word_o <= run_of_word;
      is_ahead_o <= {own_i < 3'd4, own_i < 3'd3, own_i < 3'd2, own_i < 3'd1};
      {mask_o, look_hand_o} <= facts_q;
      {move_o, look_next_o} <= {rest_i[RestBits-1 -: MoveBits], rest_i[LookBits-1:0]};
    end
    if (step_i && takes_row_i) begin
      read_q <= read_i;
      first_q <= first_i;
      more_q <= more_i;
      place_q <= place_i;
      idx_q <= idx_i;
      is_back_q <= is_back_i;
      facts_q <= rest_i[4*Lanes+LookBits-1:0];
    end
  end
endmodule
