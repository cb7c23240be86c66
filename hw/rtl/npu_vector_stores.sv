// SPDX-License-Identifier: Apache-2.0
// Beats of stores on their way from the vector unit to the SRAM: elements of lanes, scattered to words.
//
//   npu_agu: address, stride, lanes --> [StoreBufferBeats of them] --+
//   st_data_i ------------------------------------------------------+--> [StoreBufferBeats: elements that are not written] --> ask_*
//
// The words of the oldest beat ask, up to RequestWords in a cycle, in the cycle in which the beat leaves the unit at the earliest. The two
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
  localparam int ElementBytes = 8;

  typedef struct packed {
    logic [1:0]             element_log2;
    logic [CountBits-1:0]   count;
    logic [StrideBits-1:0]  stride;
    logic [AddressBits-1:0] address;
  } beat_t;
  localparam int BeatInfoBits = 2 + CountBits + StrideBits + AddressBits;

  // Addresses ahead of the elements.
  logic [BeatInfoBits*Beats-1:0] ahead_q;
  logic [Beats-1:0]              is_48_q, is_high_q;   // the second beat of int48
  logic [BeatBits-1:0]           num_ahead_q, count_q;
  beat_t                         ahead, beat;
  logic                          is_placed, is_taken, is_pushed;

  always_comb begin
    ahead.count = beat_count_i;
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

  // The oldest beat, or the one that comes.
  logic [BeatInfoBits*Beats-1:0]     beat_q;
  logic [64*Lanes*Beats-1:0]         data_q;
  logic [32*Lanes-1:0]               low_q;     // of int48
  logic [Lanes-1:0]                  first_q, second_q;   // elements of the oldest beat that are not written; whether it has begun
  logic                              has_begun_q;
  logic [64*Lanes-1:0]               beat_data, data;
  beat_t                             oldest;
  logic [AddressBits*Lanes-1:0]      address;
  logic [Lanes-1:0]                  has, across, needs_first, needs_second, new_first, new_second;
  logic [Asks*Lanes-1:0]             is_first, is_second;
  logic                              is_asking, is_done;

  always_comb begin
    for (int i = 0; i < Lanes; i = i + 1)
      beat_data[64*i +: 64] = is_48_q[0] ? {st_data_i[32*i +: 32], low_q[32*i +: 32]} : {32'd0, st_data_i[32*i +: 32]};
    is_asking = count_q != '0 || is_pushed;
    oldest = count_q != '0 ? beat_q[BeatInfoBits-1:0] : beat;
    data = count_q != '0 ? data_q[64*Lanes-1:0] : beat_data;
    for (int i = 0; i < Lanes; i = i + 1) begin
      address[AddressBits*i +: AddressBits] =
          oldest.address + AddressBits'(i) * {{(AddressBits-StrideBits){oldest.stride[StrideBits-1]}}, oldest.stride};
      has[i] = is_asking && CountBits'(i) < oldest.count;
      across[i] = {1'b0, address[AddressBits*i +: LaneBits]} + (LaneBits+1)'(1 << oldest.element_log2) > (LaneBits+1)'(Lanes);
    end
    needs_first = has_begun_q ? first_q : has;
    needs_second = has_begun_q ? second_q : has & across;
  end

  npu_vector_words #(.Lanes(Lanes), .Elements(Lanes)) u_words (
    .address_i(address), .needs_first_i(needs_first), .needs_second_i(needs_second),
    .ask_valid_o, .ask_word_o, .is_first_o(is_first), .is_second_o(is_second)
  );

  // The bytes of each word.
  logic [2*WordBits-1:0] words;
  logic [2*Lanes-1:0]    mask;

  always_comb begin
    ask_mask_o = '0;
    ask_data_o = '0;
    words = '0;
    mask = '0;
    new_first = needs_first;
    new_second = needs_second;
    if (is_asking) begin
      for (int i = 0; i < Lanes; i = i + 1) begin
        mask = '0;
        words = '0;
        for (int b = 0; b < ElementBytes; b = b + 1) begin
          if (b < (1 << oldest.element_log2)) begin
            mask[b] = 1'b1;
            words[8*b +: 8] = data[64*i + 8*b +: 8];
          end
        end
        mask = mask << address[AddressBits*i +: LaneBits];
        words = words << {address[AddressBits*i +: LaneBits], 3'd0};
        for (int k = 0; k < Asks; k = k + 1) begin
          if (is_first[Lanes*k + i]) begin
            ask_mask_o[Lanes*k +: Lanes] = ask_mask_o[Lanes*k +: Lanes] | mask[Lanes-1:0];
            ask_data_o[WordBits*k +: WordBits] = ask_data_o[WordBits*k +: WordBits] | words[WordBits-1:0];
          end
          if (is_second[Lanes*k + i]) begin
            ask_mask_o[Lanes*k +: Lanes] = ask_mask_o[Lanes*k +: Lanes] | mask[2*Lanes-1:Lanes];
            ask_data_o[WordBits*k +: WordBits] = ask_data_o[WordBits*k +: WordBits] | words[2*WordBits-1:WordBits];
          end
        end
      end
      for (int k = 0; k < Asks; k = k + 1) begin
        if (ask_grant_i[k]) begin
          new_first = new_first & ~is_first[Lanes*k +: Lanes];
          new_second = new_second & ~is_second[Lanes*k +: Lanes];
        end
      end
    end
  end
  assign is_done = is_asking && (new_first | new_second) == '0;
  assign wait_o = is_asking;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      num_ahead_q <= '0;
      count_q <= '0;
      has_begun_q <= 1'b0;
    end else begin
      num_ahead_q <= num_ahead_q + BeatBits'(is_placed) - BeatBits'(is_taken);
      count_q <= count_q + BeatBits'(is_pushed) - BeatBits'(is_done);
      has_begun_q <= is_asking && !is_done;
    end
  end

  always_ff @(posedge clk_i) begin
    first_q <= new_first;
    second_q <= new_second;
    if (is_taken && is_48_q[0] && !is_high_q[0]) low_q <= st_data_i;
    if (is_taken) begin
      ahead_q <= ahead_q >> BeatInfoBits;
      is_48_q <= is_48_q >> 1;
      is_high_q <= is_high_q >> 1;
    end
    for (int b = 0; b < Beats; b = b + 1) begin
      if (is_placed && 32'(num_ahead_q) == b + 32'(is_taken)) begin
        ahead_q[BeatInfoBits*b +: BeatInfoBits] <= ahead;
        is_48_q[b] <= beat_type_i == npu_spec_pkg::TYPE_INT48;
        is_high_q[b] <= beat_part_i;
      end
    end
    if (is_done) begin
      beat_q <= beat_q >> BeatInfoBits;
      data_q <= data_q >> (64*Lanes);
    end
    for (int b = 0; b < Beats; b = b + 1) begin
      if (is_pushed && 32'(count_q) == b + 32'(is_done)) begin
        beat_q[BeatInfoBits*b +: BeatInfoBits] <= beat;
        data_q[64*Lanes*b +: 64*Lanes] <= beat_data;
      end
    end
  end
endmodule
