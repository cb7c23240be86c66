// SPDX-License-Identifier: Apache-2.0
// Beats of loads on their way from the SRAM to the vector unit: elements of lanes, gathered from words.
//
//   npu_agu: address, stride, lanes --> [LoadBufferBeats: elements that lack bytes] --> words of the oldest such beat --> ask_*
//                                       [their bytes] <-- [elements of each word] <-------------------------- data_i
//                                            |
//                                            +--> the oldest beat, when it has all of its elements: ld_valid_o, ld_data_o
//
// A word goes to all elements that have bytes in it. Data stand at data_i in the cycle after the grant, and at ld_data_o in the cycle after
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
  // Of each lane an element, and that of the second vector of a pair or the high half of an int48.
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

  // The oldest beat that lacks words, or the one that comes.
  logic [PlaceBits-1:0]            place;
  beat_t                           asking;
  logic [Elements-1:0]             needs_first, needs_second, across;
  logic [AddressBits*Elements-1:0] address;
  logic                            is_new, is_asking;

  always_comb begin
    is_new = is_pushed;
    is_asking = is_pushed;
    place = count_q[PlaceBits-1:0];
    asking = beat;
    for (int b = Beats - 1; b >= 0; b = b - 1) begin
      if (32'(count_q) > b && (first_q[Elements*b +: Elements] | second_q[Elements*b +: Elements]) != '0) begin
        is_new = 1'b0;
        is_asking = 1'b1;
        place = PlaceBits'(b);
        asking = beat_q[BeatInfoBits*b +: BeatInfoBits];
      end
    end
  end

  logic [Elements-1:0] new_first, new_second;
  always_comb begin
    for (int i = 0; i < Lanes; i = i + 1) begin
      address[AddressBits*i +: AddressBits] =
          asking.address + AddressBits'(i) * {{(AddressBits-StrideBits){asking.stride[StrideBits-1]}}, asking.stride};
      address[AddressBits*(Lanes + i) +: AddressBits] =
          asking.second_address + AddressBits'(i) * {{(AddressBits-StrideBits){asking.stride[StrideBits-1]}}, asking.stride};
    end
    needs_first = '0;
    needs_second = '0;
    for (int i = 0; i < Elements; i = i + 1)
      across[i] = {1'b0, address[AddressBits*i +: LaneBits]} + (LaneBits+1)'(1 << asking.element_log2) > (LaneBits+1)'(Lanes);
    for (int b = 0; b < Beats; b = b + 1) begin
      if (is_asking && !is_new && place == PlaceBits'(b)) begin
        needs_first = first_q[Elements*b +: Elements];
        needs_second = second_q[Elements*b +: Elements] & across;
      end
    end
    if (is_new) begin
      needs_first = beat_has;
      needs_second = beat_has & across;
    end
  end

  logic [Asks*Elements-1:0] is_first, is_second;
  npu_vector_words #(.Lanes(Lanes), .Elements(Elements)) u_words (
    .address_i(address), .needs_first_i(needs_first), .needs_second_i(needs_second),
    .ask_valid_o, .ask_word_o, .is_first_o(is_first), .is_second_o(is_second)
  );

  always_comb begin
    new_first = needs_first;
    new_second = needs_second;
    for (int k = 0; k < Asks; k = k + 1) begin
      if (ask_grant_i[k]) begin
        new_first = new_first & ~is_first[Elements*k +: Elements];
        new_second = new_second & ~is_second[Elements*k +: Elements];
      end
    end
  end

  // Words that were served in the cycle before: whose they are, and where the elements begin in them.
  logic [Asks-1:0]             served_q;
  logic [PlaceBits-1:0]        served_place_q;
  logic [Asks*Elements-1:0]    is_first_q, is_second_q;
  logic [LaneBits*Elements-1:0] offset_q;
  // Their bytes.
  logic [32*Elements-1:0]      came_data;
  logic [4*Elements-1:0]       came;
  logic [2*WordBits-1:0]       words;
  logic [1:0]                  has;

  always_comb begin
    words = '0;
    has = '0;
    came_data = '0;
    came = '0;
    if (served_q != '0) begin
      for (int i = 0; i < Elements; i = i + 1) begin
        words = '0;
        has = '0;
        for (int k = 0; k < Asks; k = k + 1) begin
          if (served_q[k] && is_first_q[Elements*k + i]) {has[0], words[WordBits-1:0]} = {1'b1, data_i[WordBits*k +: WordBits]};
          if (served_q[k] && is_second_q[Elements*k + i]) {has[1], words[WordBits +: WordBits]} = {1'b1, data_i[WordBits*k +: WordBits]};
        end
        words = words >> {offset_q[LaneBits*i +: LaneBits], 3'd0};
        came_data[32*i +: 32] = words[31:0];
        for (int b = 0; b < 4; b = b + 1)
          came[4*i + b] = {1'b0, offset_q[LaneBits*i +: LaneBits]} + (LaneBits+1)'(b) < (LaneBits+1)'(Lanes) ? has[0] : has[1];
      end
    end
  end

  assign ld_valid_o = count_q != '0 && (first_q[Elements-1:0] | second_q[Elements-1:0]) == '0 && !fresh_q &&
                      !(served_q != '0 && served_place_q == '0);
  assign ld_data_o = is_high_q[0] ? {data_q[32*Elements-1:32*Lanes], high_q} : data_q[32*Elements-1:0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      first_q <= '0;
      second_q <= '0;
      fresh_q <= 1'b0;
      served_q <= '0;
    end else begin
      count_q <= count_q + BeatBits'(is_pushed) - BeatBits'(is_taken);
      served_q <= ask_grant_i;
      fresh_q <= is_pushed && count_q == BeatBits'(is_taken);
      if (is_taken) begin
        first_q <= first_q >> Elements;
        second_q <= second_q >> Elements;
      end
      for (int b = 0; b < Beats; b = b + 1) begin
        if (is_asking && 32'(place) == b + 32'(is_taken)) begin
          first_q[Elements*b +: Elements] <= new_first;
          second_q[Elements*b +: Elements] <= new_second;
        end
        if (is_pushed && 32'(count_q) == b + 32'(is_taken)) begin
          // One that does not ask yet finds out later which of its elements lie across words.
          if (!is_new) begin
            first_q[Elements*b +: Elements] <= beat_has;
            second_q[Elements*b +: Elements] <= beat_has;
          end
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (ask_grant_i != '0) begin
      served_place_q <= place - PlaceBits'(is_taken);
      is_first_q <= is_first;
      is_second_q <= is_second;
      for (int i = 0; i < Elements; i = i + 1) offset_q[LaneBits*i +: LaneBits] <= address[AddressBits*i +: LaneBits];
    end
    if (is_taken) begin
      beat_q <= beat_q >> BeatInfoBits;
      is_high_q <= is_high_q >> 1;
      data_q <= data_q >> (32*Elements);
      if (!is_high_q[0]) high_q <= data_q[32*Lanes +: 32*Lanes];
    end
    for (int b = 0; b < Beats; b = b + 1) begin
      if (is_pushed && 32'(count_q) == b + 32'(is_taken)) begin
        beat_q[BeatInfoBits*b +: BeatInfoBits] <= beat;
        is_high_q[b] <= is_high;
      end
      if (served_q != '0 && 32'(served_place_q) == b + 32'(is_taken)) begin
        for (int i = 0; i < 4*Elements; i = i + 1) begin
          if (came[i]) data_q[32*Elements*b + 8*i +: 8] <= came_data[8*i +: 8];
        end
      end
    end
  end
endmodule
