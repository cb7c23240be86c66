// SPDX-License-Identifier: Apache-2.0
// Beats of stores on their way from the vector unit to the SRAM: elements of lanes, scattered to words.
//
//   npu_agu: address, stride, lanes --> [StoreBufferBeats of them] --+
//   st_data_i ------------------------------------------------------+--> [StoreBufferBeats: elements that are not written] --> ask_*
//
// The words of the two oldest beats ask, up to RequestWords in a cycle, in the cycle in which the beat leaves the unit at the earliest. The two
// beats of an int48 element are written together, with the second one.
module npu_vector_stores #(
  parameter int Lanes = 16,
  localparam int Asks = npu_spec_pkg::RequestWords,
  localparam int AddressBits = npu_agu_pkg::AddressBits,
  localparam int LaneBits = $clog2(Lanes),
  localparam int CountBits = $clog2(Lanes + 1),
  localparam int StrideBits = npu_agu_pkg::VectorStreamLaneStrideBits
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  // Beats as npu_agu says, with the type of their stream.
  input  logic                        beat_valid_i,
  output logic                        beat_ready_o,
  input  logic                        beat_part_i,
  input  logic [2:0]                  beat_type_i,
  input  logic [AddressBits-1:0]      beat_address_i,
  input  logic [StrideBits-1:0]       beat_stride_i,
  input  logic [CountBits-1:0]        beat_count_i,
  input  logic                        st_valid_i,
  output logic                        st_ready_o,
  input  logic [32*Lanes-1:0]         st_data_i,
  output logic [Asks-1:0]             ask_valid_o,
  output logic [AddressBits*Asks-1:0] ask_word_o,
  output logic [Lanes*Asks-1:0]       ask_mask_o,
  output logic [8*Lanes*Asks-1:0]     ask_data_o,
  input  logic [Asks-1:0]             ask_grant_i,
  output logic                        wait_o      // some elements are not written
);
  localparam int WordBits = 8*Lanes;
  localparam int Beats = npu_spec_pkg::StoreBufferBeats;
  localparam int BeatBits = $clog2(Beats + 1);
  localparam int PlaceBits = $clog2(Beats);
  localparam int ElementBytes = 8;

  typedef struct packed {
    logic [1:0]             element_log2;
    logic [StrideBits-1:0]  stride;
    logic [AddressBits-1:0] address;
  } beat_t;
  localparam int BeatInfoBits = 2 + StrideBits + AddressBits;

  // Addresses ahead of the elements.
  logic [BeatInfoBits*Beats-1:0] ahead_q;
  logic [CountBits*Beats-1:0]    num_lanes_q;          // that have an element
  logic [Beats-1:0]              is_48_q, is_high_q;   // the second beat of int48
  logic [BeatBits-1:0]           num_ahead_q, count_q;
  beat_t                         ahead, beat;
  logic                          is_placed, is_taken, is_pushed;

  always_comb begin
    ahead.stride = beat_stride_i;
    ahead.address = beat_address_i;
    case (beat_type_i)
      npu_spec_pkg::TYPE_INT16: ahead.element_log2 = 2'd1;
      npu_spec_pkg::TYPE_INT32: ahead.element_log2 = 2'd2;
      npu_spec_pkg::TYPE_INT48: ahead.element_log2 = 2'd3;
      default: ahead.element_log2 = 2'd0;
    endcase
  end
  assign beat = ahead_q[BeatInfoBits-1:0];
  assign beat_ready_o = 32'(num_ahead_q) < Beats;
  assign is_placed = beat_valid_i && beat_ready_o;
  assign st_ready_o = num_ahead_q != '0 && 32'(count_q) < Beats;
  assign is_taken = st_valid_i && st_ready_o;
  assign is_pushed = is_taken && (!is_48_q[0] || is_high_q[0]);

  // All beats, with the one that comes; place 0 has the oldest one.
  logic [BeatInfoBits*Beats-1:0] beat_q, all_beat;
  logic [64*Lanes*Beats-1:0]     data_q, all_data;
  logic [Lanes*Beats-1:0]        first_q, second_q, all_first, all_second, new_first, new_second;   // elements that are not written: in their
  logic [32*Lanes-1:0]           low_q;                                                             // first words, in their second ones
  logic [BeatBits-1:0]           num_all, num_done;

  always_comb begin
    all_beat = beat_q;
    all_data = data_q;
    all_first = first_q;
    all_second = second_q;
    for (int b = 0; b < Beats; b = b + 1) begin
      if (is_pushed && 32'(count_q) == b) begin
        all_beat[BeatInfoBits*b +: BeatInfoBits] = beat;
        for (int i = 0; i < Lanes; i = i + 1) begin
          all_data[64*(Lanes*b + i) +: 64] = is_48_q[0] ? {st_data_i[32*i +: 32], low_q[32*i +: 32]} : {32'd0, st_data_i[32*i +: 32]};
          all_first[Lanes*b + i] = CountBits'(i) < num_lanes_q[CountBits-1:0];
          all_second[Lanes*b + i] = CountBits'(i) < num_lanes_q[CountBits-1:0];   // which elements lie across words is seen when the beat asks
        end
      end
    end
    num_all = count_q + BeatBits'(is_pushed);
  end

  // The two oldest beats that have words left.
  localparam int Askers = 2;
  localparam int AskBits = AddressBits + Lanes + WordBits;   // of a word: its number, its bytes that are written, its data
  logic [Askers-1:0]              asks;
  logic [PlaceBits*Askers-1:0]    place;
  logic [Lanes*Askers-1:0]        left_first, left_second;
  logic [Asks*Askers-1:0]         ask_valid, ask_grant;
  logic [AskBits*Asks*Askers-1:0] ask;
  logic [AskBits*Asks-1:0]        joined;

  always_comb begin
    asks = '0;
    place = '0;
    for (int b = 0; b < Beats; b = b + 1) begin
      if (all_first[Lanes*b +: Lanes] != '0 || all_second[Lanes*b +: Lanes] != '0) begin
        if (asks != '1) begin
          place[PlaceBits*32'(asks[0]) +: PlaceBits] = PlaceBits'(b);
          asks = {asks[0], 1'b1};
        end
      end
    end
  end
  npu_ask_join #(.DataBits(AskBits)) u_join (
    .first_valid_i(ask_valid[Asks-1:0]), .first_i(ask[AskBits*Asks-1:0]), .first_grant_o(ask_grant[Asks-1:0]),
    .second_valid_i(ask_valid[2*Asks-1:Asks]), .second_i(ask[2*AskBits*Asks-1:AskBits*Asks]), .second_grant_o(ask_grant[2*Asks-1:Asks]),
    .num_first_o(), .ask_valid_o, .ask_o(joined), .ask_grant_i
  );
  always_comb begin
    for (int k = 0; k < Asks; k = k + 1) begin
      {ask_word_o[AddressBits*k +: AddressBits], ask_mask_o[Lanes*k +: Lanes], ask_data_o[WordBits*k +: WordBits]} = joined[AskBits*k +: AskBits];
    end
  end

  genvar g;
  generate
    for (g = 0; g < Askers; g = g + 1) begin : gen_asker
      logic [1:0]                   element_log2;
      logic [StrideBits-1:0]        stride;
      logic [AddressBits-1:0]       base;
      logic [64*Lanes-1:0]          data;
      logic [AddressBits*Lanes-1:0] address;
      logic [Lanes-1:0]             needs_first, needs_second;
      logic [Asks*Lanes-1:0]        is_first, is_second;
      logic [AddressBits*Asks-1:0]  word;
      logic [Lanes*Asks-1:0]        word_mask;
      logic [WordBits*Asks-1:0]     word_data;
      logic [2*WordBits-1:0]        bytes;
      logic [2*Lanes-1:0]           mask;

      always_comb begin
        {element_log2, stride, base} = '0;
        data = '0;
        needs_first = '0;
        needs_second = '0;
        for (int b = 0; b < Beats; b = b + 1) begin
          if (asks[g] && 32'(place[PlaceBits*g +: PlaceBits]) == b) begin
            {element_log2, stride, base} = all_beat[BeatInfoBits*b +: BeatInfoBits];
            data = all_data[64*Lanes*b +: 64*Lanes];
            needs_first = all_first[Lanes*b +: Lanes];
            needs_second = all_second[Lanes*b +: Lanes];
          end
        end
        for (int i = 0; i < Lanes; i = i + 1) begin
          address[AddressBits*i +: AddressBits] =
              base + AddressBits'(i) * {{(AddressBits-StrideBits){stride[StrideBits-1]}}, stride};
        end
      end

      npu_vector_words #(.Lanes(Lanes), .Elements(Lanes)) u_words (
        .address_i(address), .element_log2_i(element_log2), .needs_first_i(needs_first), .needs_second_i(needs_second),
        .ask_valid_o(ask_valid[Asks*g +: Asks]), .ask_word_o(word), .is_first_o(is_first), .is_second_o(is_second),
        .ask_grant_i(ask_grant[Asks*g +: Asks]),
        .left_first_o(left_first[Lanes*g +: Lanes]), .left_second_o(left_second[Lanes*g +: Lanes])
      );

      // The bytes of each word.
      always_comb begin
        word_mask = '0;
        word_data = '0;
        bytes = '0;
        mask = '0;
        if (asks[g]) begin
          for (int i = 0; i < Lanes; i = i + 1) begin
            mask = '0;
            bytes = '0;
            for (int b = 0; b < ElementBytes; b = b + 1) begin
              if (b < (1 << element_log2)) begin
                mask[b] = 1'b1;
                bytes[8*b +: 8] = data[64*i + 8*b +: 8];
              end
            end
            mask = mask << address[AddressBits*i +: LaneBits];
            bytes = bytes << {address[AddressBits*i +: LaneBits], 3'd0};
            for (int k = 0; k < Asks; k = k + 1) begin
              if (is_first[Lanes*k + i]) begin
                word_mask[Lanes*k +: Lanes] = word_mask[Lanes*k +: Lanes] | mask[Lanes-1:0];
                word_data[WordBits*k +: WordBits] = word_data[WordBits*k +: WordBits] | bytes[WordBits-1:0];
              end
              if (is_second[Lanes*k + i]) begin
                word_mask[Lanes*k +: Lanes] = word_mask[Lanes*k +: Lanes] | mask[2*Lanes-1:Lanes];
                word_data[WordBits*k +: WordBits] = word_data[WordBits*k +: WordBits] | bytes[2*WordBits-1:WordBits];
              end
            end
          end
        end
        for (int k = 0; k < Asks; k = k + 1) begin
          ask[AskBits*(Asks*g + k) +: AskBits] =
              {word[AddressBits*k +: AddressBits], word_mask[Lanes*k +: Lanes], word_data[WordBits*k +: WordBits]};
        end
      end
    end
  endgenerate

  // What is left after this cycle; beats leave in their order.
  always_comb begin
    new_first = all_first;
    new_second = all_second;
    for (int b = 0; b < Beats; b = b + 1) begin
      for (int a = 0; a < Askers; a = a + 1) begin
        if (asks[a] && 32'(place[PlaceBits*a +: PlaceBits]) == b) begin
          new_first[Lanes*b +: Lanes] = left_first[Lanes*a +: Lanes];
          new_second[Lanes*b +: Lanes] = left_second[Lanes*a +: Lanes];
        end
      end
    end
    num_done = '0;
    for (int b = 0; b < Beats; b = b + 1) begin
      if (32'(num_done) == b && 32'(num_all) > b && (new_first[Lanes*b +: Lanes] | new_second[Lanes*b +: Lanes]) == '0)
        num_done = BeatBits'(b + 1);
    end
  end
  assign wait_o = num_all != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      num_ahead_q <= '0;
      count_q <= '0;
      first_q <= '0;
      second_q <= '0;
    end else begin
      num_ahead_q <= num_ahead_q + BeatBits'(is_placed) - BeatBits'(is_taken);
      count_q <= num_all - num_done;
      for (int m = 0; m <= Beats; m = m + 1) begin
        if (32'(num_done) == m) begin
          first_q <= new_first >> (Lanes*m);
          second_q <= new_second >> (Lanes*m);
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (is_taken && is_48_q[0] && !is_high_q[0]) low_q <= st_data_i;
    if (is_taken) begin
      ahead_q <= ahead_q >> BeatInfoBits;
      num_lanes_q <= num_lanes_q >> CountBits;
      is_48_q <= is_48_q >> 1;
      is_high_q <= is_high_q >> 1;
    end
    for (int b = 0; b < Beats; b = b + 1) begin
      if (is_placed && 32'(num_ahead_q) == b + 32'(is_taken)) begin
        ahead_q[BeatInfoBits*b +: BeatInfoBits] <= ahead;
        is_48_q[b] <= beat_type_i == npu_spec_pkg::TYPE_INT48;
        is_high_q[b] <= beat_part_i;
        num_lanes_q[CountBits*b +: CountBits] <= beat_count_i;
      end
    end
    if (is_pushed || num_done != '0) begin
      for (int m = 0; m < Beats; m = m + 1) begin
        if (32'(num_done) == m) begin
          beat_q <= all_beat >> (BeatInfoBits*m);
          data_q <= all_data >> (64*Lanes*m);
        end
      end
    end
  end
endmodule
