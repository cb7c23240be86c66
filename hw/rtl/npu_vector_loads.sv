// SPDX-License-Identifier: Apache-2.0
// Beats of loads on their way from the SRAM to the vector unit: elements of lanes, gathered from words.
//
//   npu_agu: address, stride, lanes --> [LoadBufferBeats: elements that lack bytes] --> words of the two oldest such beats --> ask_*
//                                       [their bytes] <-- [elements of each word] <------------------------------- data_i
//                                            |
//                                            +--> the oldest beat, when it has all of its elements: ld_valid_o, ld_data_o
//
// A word goes to all elements that have bytes in it. Two beats ask in a cycle, so that a stream of a beat a cycle catches up after a word
// that met another one in its bank. Data stand at data_i in the cycle after the grant, and at ld_data_o in the cycle after
// that. The two beats of an int48 element are words once: the first one brings both halves, and the high ones are kept for the second.
module npu_vector_loads #(
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
  input  logic [AddressBits-1:0]      beat_second_address_i,
  input  logic [CountBits-1:0]        beat_second_count_i,
  output logic [Asks-1:0]             ask_valid_o,
  output logic [AddressBits*Asks-1:0] ask_word_o,
  input  logic [Asks-1:0]             ask_grant_i,
  input  logic [8*Lanes*Asks-1:0]     data_i,
  output logic                        ld_valid_o,
  input  logic                        ld_ready_i,
  output logic [64*Lanes-1:0]         ld_data_o
);
  localparam int WordBits = 8*Lanes;
  localparam int Beats = npu_spec_pkg::LoadBufferBeats;
  localparam int BeatBits = $clog2(Beats + 1);
  localparam int PlaceBits = $clog2(Beats);
  // Each lane has an element, and the element of the second vector of a pair or the high half of an int48.
  localparam int Elements = 2*Lanes;

  typedef struct packed {
    logic [1:0]             element_log2;
    logic [StrideBits-1:0]  stride;
    logic [AddressBits-1:0] address, second_address;
  } beat_t;
  localparam int BeatInfoBits = 2 + StrideBits + 2*AddressBits;

  // The beat that comes.
  beat_t               beat;
  logic                is_48, is_high;   // the second beat of int48
  logic [Elements-1:0] beat_has;

  assign is_48 = beat_type_i == npu_spec_pkg::TYPE_INT48;
  assign is_high = is_48 && beat_part_i;
  always_comb begin
    beat.stride = beat_stride_i;
    beat.address = beat_address_i;
    beat.second_address = is_48 ? beat_address_i + AddressBits'(4) : beat_second_address_i;
    case (beat_type_i)
      npu_spec_pkg::TYPE_INT16: beat.element_log2 = 2'd1;
      npu_spec_pkg::TYPE_INT32, npu_spec_pkg::TYPE_INT48: beat.element_log2 = 2'd2;
      default: beat.element_log2 = 2'd0;
    endcase
    for (int i = 0; i < Lanes; i = i + 1) begin
      beat_has[i] = !is_high && CountBits'(i) < beat_count_i;
      beat_has[Lanes + i] = !is_high && CountBits'(i) < (is_48 ? beat_count_i : beat_second_count_i);
    end
  end

  // Place 0 has the oldest beat.
  logic [BeatBits-1:0]           count_q;
  logic [BeatInfoBits*Beats-1:0] beat_q;
  logic [Elements*Beats-1:0]     first_q, second_q;   // elements whose first word is not served, whose second one
  logic [32*Elements*Beats-1:0]  data_q;
  logic [Beats-1:0]              is_high_q;
  logic                          fresh_q;             // the oldest beat came in the cycle before
  logic [32*Lanes-1:0]           high_q;

  logic is_pushed, is_taken;
  assign beat_ready_o = 32'(count_q) < Beats;
  assign is_pushed = beat_valid_i && beat_ready_o;
  assign is_taken = ld_valid_o && ld_ready_i;

  // All beats, with the one that comes.
  logic [BeatInfoBits*Beats-1:0] all_beat;
  logic [Elements*Beats-1:0]     all_first, all_second, new_first, new_second;

  always_comb begin
    all_beat = beat_q;
    all_first = first_q;
    all_second = second_q;
    for (int b = 0; b < Beats; b = b + 1) begin
      if (is_pushed && 32'(count_q) == b) begin
        all_beat[BeatInfoBits*b +: BeatInfoBits] = beat;
        all_first[Elements*b +: Elements] = beat_has;
        all_second[Elements*b +: Elements] = beat_has;   // which elements lie across words is seen when the beat asks
      end
    end
  end

  // The two oldest beats that lack words: the second one asks for what the first one leaves of the words of a cycle.
  localparam int Askers = 2;
  logic [Askers-1:0]             asks;
  logic [PlaceBits*Askers-1:0]   place;
  logic [Elements*Askers-1:0]    left_first, left_second;
  logic [Asks*Askers-1:0]        ask_valid, ask_grant;
  logic [AddressBits*Asks*Askers-1:0] ask_word;
  logic [2:0]                    num_first, num_first_q;   // words of the first one

  always_comb begin
    asks = '0;
    place = '0;
    for (int b = 0; b < Beats; b = b + 1) begin
      if ((all_first[Elements*b +: Elements] | all_second[Elements*b +: Elements]) != '0 && asks != '1) begin
        place[PlaceBits*32'(asks[0]) +: PlaceBits] = PlaceBits'(b);
        asks = {asks[0], 1'b1};
      end
    end
  end
  npu_ask_join #(.DataBits(AddressBits)) u_join (
    .first_valid_i(ask_valid[Asks-1:0]), .first_i(ask_word[AddressBits*Asks-1:0]), .first_grant_o(ask_grant[Asks-1:0]),
    .second_valid_i(ask_valid[2*Asks-1:Asks]), .second_i(ask_word[2*AddressBits*Asks-1:AddressBits*Asks]),
    .second_grant_o(ask_grant[2*Asks-1:Asks]), .num_first_o(num_first), .ask_valid_o, .ask_o(ask_word_o), .ask_grant_i
  );
  always_comb begin
    new_first = all_first;
    new_second = all_second;
    for (int b = 0; b < Beats; b = b + 1) begin
      for (int a = 0; a < Askers; a = a + 1) begin
        if (asks[a] && 32'(place[PlaceBits*a +: PlaceBits]) == b) begin
          new_first[Elements*b +: Elements] = left_first[Elements*a +: Elements];
          new_second[Elements*b +: Elements] = left_second[Elements*a +: Elements];
        end
      end
    end
  end

  // Words that were served in the cycle before: of which beat, and their bytes for its elements.
  logic [Askers-1:0]             came;
  logic [PlaceBits*Askers-1:0]   came_place_q;
  logic [32*Elements*Askers-1:0] came_data;
  logic [4*Elements*Askers-1:0]  came_byte;

  genvar g;
  generate
    for (g = 0; g < Askers; g = g + 1) begin : gen_asker
      logic [1:0]                      element_log2;
      logic [StrideBits-1:0]           stride;
      logic [AddressBits-1:0]          base, second_base;
      logic [AddressBits*Elements-1:0] address;
      logic [Elements-1:0]             needs_first, needs_second;
      logic [Asks*Elements-1:0]        is_first, is_second, is_first_q, is_second_q;
      logic [LaneBits*Elements-1:0]    offset_q;
      logic [Asks-1:0]                 served_q;
      logic [2*WordBits-1:0]           words;
      logic [1:0]                      has;
      logic [WordBits-1:0]             word;

      always_comb begin
        {element_log2, stride, base, second_base} = '0;
        needs_first = '0;
        needs_second = '0;
        for (int b = 0; b < Beats; b = b + 1) begin
          if (asks[g] && 32'(place[PlaceBits*g +: PlaceBits]) == b) begin
            {element_log2, stride, base, second_base} = all_beat[BeatInfoBits*b +: BeatInfoBits];
            needs_first = all_first[Elements*b +: Elements];
            needs_second = all_second[Elements*b +: Elements];
          end
        end
        for (int i = 0; i < Lanes; i = i + 1) begin
          address[AddressBits*i +: AddressBits] =
              base + AddressBits'(i) * {{(AddressBits-StrideBits){stride[StrideBits-1]}}, stride};
          address[AddressBits*(Lanes + i) +: AddressBits] =
              second_base + AddressBits'(i) * {{(AddressBits-StrideBits){stride[StrideBits-1]}}, stride};
        end
      end

      npu_vector_words #(.Lanes(Lanes), .Elements(Elements)) u_words (
        .address_i(address), .element_log2_i(element_log2), .needs_first_i(needs_first), .needs_second_i(needs_second),
        .ask_valid_o(ask_valid[Asks*g +: Asks]), .ask_word_o(ask_word[AddressBits*Asks*g +: AddressBits*Asks]),
        .is_first_o(is_first), .is_second_o(is_second), .ask_grant_i(ask_grant[Asks*g +: Asks]),
        .left_first_o(left_first[Elements*g +: Elements]), .left_second_o(left_second[Elements*g +: Elements])
      );

      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) served_q <= '0;
        else served_q <= ask_grant[Asks*g +: Asks];
      end
      always_ff @(posedge clk_i) begin
        if (ask_grant[Asks*g +: Asks] != '0) begin
          came_place_q[PlaceBits*g +: PlaceBits] <= place[PlaceBits*g +: PlaceBits] - PlaceBits'(is_taken);
          is_first_q <= is_first;
          is_second_q <= is_second;
          for (int i = 0; i < Elements; i = i + 1) offset_q[LaneBits*i +: LaneBits] <= address[AddressBits*i +: LaneBits];
        end
      end

      assign came[g] = served_q != '0;
      always_comb begin
        came_data[32*Elements*g +: 32*Elements] = '0;
        came_byte[4*Elements*g +: 4*Elements] = '0;
        words = '0;
        has = '0;
        word = '0;
        if (came[g]) begin
          for (int i = 0; i < Elements; i = i + 1) begin
            words = '0;
            has = '0;
            for (int k = 0; k < Asks; k = k + 1) begin
              word = data_i[WordBits*k +: WordBits];
              for (int m = 1; m + k < Asks; m = m + 1) begin
                if (g != 0 && num_first_q == 3'(m)) word = data_i[WordBits*(m + k) +: WordBits];
              end
              if (served_q[k] && is_first_q[Elements*k + i]) {has[0], words[WordBits-1:0]} = {1'b1, word};
              if (served_q[k] && is_second_q[Elements*k + i]) {has[1], words[WordBits +: WordBits]} = {1'b1, word};
            end
            words = words >> {offset_q[LaneBits*i +: LaneBits], 3'd0};
            came_data[32*Elements*g + 32*i +: 32] = words[31:0];
            for (int b = 0; b < 4; b = b + 1) begin
              came_byte[4*Elements*g + 4*i + b] =
                  {1'b0, offset_q[LaneBits*i +: LaneBits]} + (LaneBits+1)'(b) < (LaneBits+1)'(Lanes) ? has[0] : has[1];
            end
          end
        end
      end
    end
  endgenerate

  logic is_coming;
  always_comb begin
    is_coming = fresh_q;
    for (int a = 0; a < Askers; a = a + 1) begin
      if (came[a] && came_place_q[PlaceBits*a +: PlaceBits] == '0) is_coming = 1'b1;
    end
  end
  assign ld_valid_o = count_q != '0 && (first_q[Elements-1:0] | second_q[Elements-1:0]) == '0 && !is_coming;
  assign ld_data_o = is_high_q[0] ? {data_q[32*Elements-1:32*Lanes], high_q} : data_q[32*Elements-1:0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      first_q <= '0;
      second_q <= '0;
      fresh_q <= 1'b0;
    end else begin
      count_q <= count_q + BeatBits'(is_pushed) - BeatBits'(is_taken);
      fresh_q <= is_pushed && count_q == BeatBits'(is_taken);
      first_q <= is_taken ? new_first >> Elements : new_first;
      second_q <= is_taken ? new_second >> Elements : new_second;
    end
  end

  always_ff @(posedge clk_i) begin
    num_first_q <= num_first;
    if (is_pushed || is_taken) beat_q <= is_taken ? all_beat >> BeatInfoBits : all_beat;
    if (is_taken) begin
      is_high_q <= is_high_q >> 1;
      data_q <= data_q >> (32*Elements);
      if (!is_high_q[0]) high_q <= data_q[32*Lanes +: 32*Lanes];
    end
    for (int b = 0; b < Beats; b = b + 1) begin
      if (is_pushed && 32'(count_q) == b + 32'(is_taken)) is_high_q[b] <= is_high;
      for (int a = 0; a < Askers; a = a + 1) begin
        if (came[a] && 32'(came_place_q[PlaceBits*a +: PlaceBits]) == b + 32'(is_taken)) begin
          for (int i = 0; i < 4*Elements; i = i + 1) begin
            if (came_byte[4*Elements*a + i]) data_q[32*Elements*b + 8*i +: 8] <= came_data[32*Elements*a + 8*i +: 8];
          end
        end
      end
    end
  end
endmodule
