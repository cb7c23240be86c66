// SPDX-License-Identifier: Apache-2.0
// The beats of a stream on their way from the SRAM to a port of a unit: those that were asked for and have not been taken.
//
//   beat_*: words of the next beat --> [beats: words that are not served] --> the first RequestWords of all --> ask_*
//                                      [beats: words that have come]  <--------------------------------------- data_i
//                                                 |
//                                                 +--> the oldest beat, when it has all of its words: valid_o, data_o
//
// The first words that have not been served ask in each cycle, each its own bank; one that is not served does not keep back the others.
// The words of the beat that comes ask in the same cycle. Data stand at data_i in the cycle after the grant, and at data_o in the cycle
// after that, SramReadLatencyCycles after the grant. A beat without words takes as long.
module npu_stream_reads #(
  parameter int Lanes = 16,
  parameter int Beats = 4,      // that are on their way at most
  parameter int Words = 4,      // of a beat at most
  parameter int MetaBits = 1,   // what goes with a beat to the port
  localparam int Asks = npu_spec_pkg::RequestWords,
  localparam int AddressBits = npu_agu_pkg::AddressBits,
  localparam int CountBits = $clog2(Beats + 1)
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         beat_valid_i,
  output logic                         beat_ready_o,
  input  logic [Words-1:0]             beat_read_i,    // words that it has
  input  logic [AddressBits*Words-1:0] beat_word_i,    // their numbers
  input  logic [MetaBits-1:0]          beat_meta_i,
  output logic [Asks-1:0]              ask_valid_o,
  output logic [AddressBits*Asks-1:0]  ask_word_o,
  input  logic [Asks-1:0]              ask_grant_i,    // served in this cycle
  input  logic [8*Lanes*Asks-1:0]      data_i,         // of the words that were served in the cycle before
  output logic                         valid_o,
  input  logic                         take_i,         // with valid_o: the oldest beat is taken
  output logic [8*Lanes*Words-1:0]     data_o,
  output logic [MetaBits-1:0]          meta_o,
  output logic                         asks_o,         // some words are not served
  output logic [CountBits-1:0]         served_o        // beats all of whose words are, but for one that is taken in this cycle
);
  localparam int WordBits = 8*Lanes;
  localparam int PlaceBits = $clog2(Beats*Words);   // of a word among those of all beats

  // Place 0 has the oldest beat; all beats move down by one place when it is taken.
  logic [CountBits-1:0]               count_q;
  logic [Beats*Words-1:0]             missing_q;  // words that are not served
  logic [AddressBits*Beats*Words-1:0] word_q;
  logic [MetaBits*Beats-1:0]          meta_q;
  logic [WordBits*Beats*Words-1:0]    data_q;
  logic                               fresh_q;    // the oldest beat came in the cycle before
  // Words that were served in the cycle before, and where they go.
  logic [Asks-1:0]                    served_q;
  logic [PlaceBits*Asks-1:0]          served_place_q;

  logic                   is_pushed;
  logic [Beats*Words-1:0] is_asking;   // words that are not served, with those of the beat that comes
  logic [2:0]             num_asks;
  logic [PlaceBits*Asks-1:0] ask_place;

  assign beat_ready_o = 32'(count_q) < Beats;
  assign is_pushed = beat_valid_i && beat_ready_o;

  // The first words of all.
  always_comb begin
    num_asks = '0;
    is_asking = missing_q;
    ask_valid_o = '0;
    ask_word_o = '0;
    ask_place = '0;
    for (int b = 0; b < Beats; b = b + 1) begin
      if (is_pushed && 32'(count_q) == b) is_asking[Words*b +: Words] = beat_read_i;
    end
    for (int p = 0; p < Beats*Words; p = p + 1) begin
      if (is_asking[p]) begin
        for (int k = 0; k < Asks; k = k + 1) begin
          if (num_asks == 3'(k)) begin
            ask_valid_o[k] = 1'b1;
            ask_word_o[AddressBits*k +: AddressBits] = is_pushed && 32'(count_q) == p / Words
                ? beat_word_i[AddressBits*(p % Words) +: AddressBits] : word_q[AddressBits*p +: AddressBits];
            ask_place[PlaceBits*k +: PlaceBits] = PlaceBits'(p);
          end
        end
        if (num_asks != 3'(Asks)) num_asks = num_asks + 3'd1;
      end
    end
  end
  assign asks_o = is_asking != '0;

  // What is missing after this cycle, before beats move down.
  logic [Beats*Words-1:0] missing_d;

  always_comb begin
    missing_d = is_asking;
    for (int k = 0; k < Asks; k = k + 1) begin
      for (int p = 0; p < Beats*Words; p = p + 1) begin
        if (ask_grant_i[k] && ask_place[PlaceBits*k +: PlaceBits] == PlaceBits'(p)) missing_d[p] = 1'b0;
      end
    end
  end

  // The oldest beat, and which beats are served.
  logic is_coming;

  always_comb begin
    is_coming = fresh_q;
    for (int k = 0; k < Asks; k = k + 1) begin
      if (served_q[k] && 32'(served_place_q[PlaceBits*k +: PlaceBits]) < Words) is_coming = 1'b1;
    end
    served_o = '0;
    for (int b = 0; b < Beats; b = b + 1) begin
      if (32'(count_q) + 32'(is_pushed) > b && is_asking[Words*b +: Words] == '0 && !(b == 0 && take_i)) served_o = served_o + CountBits'(1);
    end
  end
  assign valid_o = count_q != '0 && missing_q[Words-1:0] == '0 && !is_coming;
  assign data_o = data_q[WordBits*Words-1:0];
  assign meta_o = meta_q[MetaBits-1:0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      missing_q <= '0;
      fresh_q <= 1'b0;
      served_q <= '0;
    end else begin
      count_q <= count_q + CountBits'(is_pushed) - CountBits'(take_i);
      missing_q <= take_i ? missing_d >> Words : missing_d;
      fresh_q <= is_pushed && count_q == CountBits'(take_i);
      served_q <= ask_grant_i;
    end
  end

  always_ff @(posedge clk_i) begin
    for (int k = 0; k < Asks; k = k + 1) begin
      if (ask_grant_i[k]) served_place_q[PlaceBits*k +: PlaceBits] <= ask_place[PlaceBits*k +: PlaceBits] - (take_i ? PlaceBits'(Words) : '0);
    end
    if (take_i) begin
      word_q <= word_q >> (AddressBits*Words);
      meta_q <= meta_q >> MetaBits;
      data_q <= data_q >> (WordBits*Words);
    end
    for (int b = 0; b < Beats; b = b + 1) begin
      if (is_pushed && 32'(count_q) == b + 32'(take_i)) begin
        word_q[AddressBits*Words*b +: AddressBits*Words] <= beat_word_i;
        meta_q[MetaBits*b +: MetaBits] <= beat_meta_i;
      end
    end
    for (int p = 0; p < Beats*Words; p = p + 1) begin
      for (int k = 0; k < Asks; k = k + 1) begin
        if (served_q[k] && 32'(served_place_q[PlaceBits*k +: PlaceBits]) == p + (take_i ? Words : 0))
          data_q[WordBits*p +: WordBits] <= data_i[WordBits*k +: WordBits];
      end
    end
  end
endmodule
