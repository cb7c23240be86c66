// SPDX-License-Identifier: Apache-2.0
// The reads of a row: its positions in their order, and which read brings each. Two stages, a row a cycle.
//
//   taps of pixels --> [slots: positions by kernel row, pixel, tap] --> [words, and the number of the read that brings each]
//
// A kernel row of w taps has P x w slots, so that slot P x t is of the kernel row of tap t. Slots without a position to read
// are passed over. A read brings a word for the P slots, at most, that follow each other in it. The numbers of reads are sums
// over the slots before: of words that are begun, and of slots that go on with a word.
module npu_agu_windows_reads #(
  parameter int Lanes = 16,
  parameter int TapBits = $clog2(Lanes),
  parameter int CountBits = $clog2(Lanes+1),
  parameter int BytesBits = $clog2(2*Lanes+1),
  parameter int Slots = 4*Lanes,
  parameter int ReadBits = $clog2(3*Slots+1)
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [1:0]  split_i,
  input  logic [31:0] stride_column_step_i,
  // As npu_agu_windows_taps has it.
  input  logic        valid_i,
  output logic        ready_o,
  input  logic [CountBits-1:0] taps_i,
  input  logic [32*Lanes-1:0]  address_i,
  input  logic [TapBits*Lanes-1:0]   row_begin_i,
  input  logic [CountBits*Lanes-1:0] row_end_i,
  input  logic [4*Lanes-1:0]   read_i,
  input  logic [16*Lanes-1:0]  takes_i,
  input  logic [16*Lanes-1:0]  held_i,
  input  logic [16*(TapBits+1)-1:0] move_i,
  input  logic        is_shared_i,
  input  logic [CountBits-1:0] free_i,
  input  logic [BytesBits-1:0] bytes_i,
  input  logic [3:0]  pixels_i,
  input  logic        is_back_i, last_i,
  output logic        valid_o,
  input  logic        ready_i,
  // Slots.
  output logic [Slots-1:0]     read_o,
  output logic [32*Slots-1:0]  address_o,
  output logic [TapBits*Slots-1:0] tap_o,
  output logic [2*Slots-1:0]   pixel_o,
  output logic [4*Slots-1:0]   takes_o,
  output logic [2*Slots-1:0]   words_o,     // that it lies in, 1 to 3
  output logic [ReadBits*Slots-1:0] first_o,  // read of the first of them
  output logic [2*Slots-1:0]   place_o,     // of the slot among those of that read
  output logic [ReadBits-1:0]  reads_o,
  output logic [16*Lanes-1:0]  held_o,
  output logic [16*(TapBits+1)-1:0] move_o,
  output logic        is_shared_o,
  output logic [CountBits-1:0] free_o,
  output logic [BytesBits-1:0] bytes_o,
  output logic [3:0]  pixels_o,
  output logic        is_back_o, last_o
);
  localparam int OfRowBits = CountBits + 2;   // slots of a kernel row

  logic        valid_slots_q, valid_q, ready_slots;
  logic [Slots-1:0]    read_d, read_q;
  logic [32*Slots-1:0] address_d, address_q;
  logic [TapBits*Slots-1:0] tap_d, tap_q;
  logic [2*Slots-1:0]  pixel_d, pixel_q;
  logic [4*Slots-1:0]  takes_d, takes_q;
  logic [16*Lanes-1:0] held_q;
  logic [16*(TapBits+1)-1:0] move_q;
  logic        is_shared_q, is_back_q, last_q;
  logic [CountBits-1:0] free_q;
  logic [BytesBits-1:0] bytes_q;
  logic [3:0]  pixels_q;

  assign ready_slots = !valid_q || ready_i;
  assign ready_o = !valid_slots_q || ready_slots;
  assign valid_o = valid_q;

  genvar s;
  generate
    for (s = 0; s < Slots; s = s + 1) begin : gen_slot
      logic [TapBits+1:0]   of_tap;       // the tap whose kernel row has the slot
      logic [TapBits-1:0]   row_begin, tap;
      logic [CountBits-1:0] width;
      logic [OfRowBits-1:0] of_row;       // slots of the kernel row before it
      logic [TapBits-1:0]   left;         // of them, of the same pixel
      logic [1:0]           pixel;
      logic [TapBits+1:0]   idx;

      assign of_tap = (TapBits+2)'(s) >> split_i;
      assign row_begin = row_begin_i[TapBits*32'(of_tap[TapBits-1:0]) +: TapBits];
      assign width = row_end_i[CountBits*32'(of_tap[TapBits-1:0]) +: CountBits] - CountBits'(row_begin);
      assign of_row = OfRowBits'(s) - (OfRowBits'(row_begin) << split_i);
      always_comb begin
        pixel = 2'd0;
        left = of_row[TapBits-1:0];
        for (int p = 1; p < 4; p = p + 1) begin
          if (of_row >= OfRowBits'(p) * OfRowBits'(width)) begin
            pixel = 2'(p);
            left = TapBits'(of_row - OfRowBits'(p) * OfRowBits'(width));
          end
        end
      end
      assign tap = row_begin + left;
      assign idx = {pixel, tap};
      assign read_d[s] = of_tap < (TapBits+2)'(taps_i) && read_i[idx];
      assign tap_d[TapBits*s +: TapBits] = tap;
      assign pixel_d[2*s +: 2] = pixel;
      assign takes_d[4*s +: 4] = takes_i[{idx, 2'd0} +: 4];
      assign address_d[32*s +: 32] = address_i[{tap, 5'd0} +: 32] + 32'(pixel) * stride_column_step_i;
    end
  endgenerate

  // Reads.
  logic [1:0]  most;             // slots of a read, less one
  logic        is_any, is_same, is_begun;
  logic [31:0] word, last_word;
  logic [1:0]  more;             // words after its first one
  logic [2*Slots-1:0]  words, place;
  logic [ReadBits*Slots-1:0] first;
  logic [ReadBits-1:0] reads;
  logic [1:0]  count;

  assign most = split_i == 2'd0 ? 2'd0 : split_i == 2'd1 ? 2'd1 : 2'd3;
  always_comb begin
    words = '0;
    place = '0;
    first = '0;
    reads = '0;
    is_any = 1'b0;
    last_word = '0;
    count = '0;
    word = '0;
    more = '0;
    is_same = 1'b0;
    is_begun = 1'b0;
    for (int i = 0; i < Slots; i = i + 1) begin
      if (read_q[i]) begin
        word = 32'($signed(address_q[32*i +: 32]) >>> TapBits);
        more = 2'(((TapBits+2)'(address_q[32*i +: TapBits]) + (TapBits+2)'(bytes_q) - 1'b1) >> TapBits);
        is_same = is_any && word == last_word;
        is_begun = !is_same || count == most;
        count = is_begun ? 2'd0 : count + 2'd1;
        if (is_begun) reads = reads + 1'b1;
        words[2*i +: 2] = more + 2'd1;
        first[ReadBits*i +: ReadBits] = reads - 1'b1;
        place[2*i +: 2] = count;
        if (more != 2'd0) count = 2'd0;
        reads = reads + ReadBits'(more);
        last_word = word + 32'(more);
        is_any = 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_slots_q <= 1'b0;
      valid_q <= 1'b0;
    end else begin
      if (ready_o) valid_slots_q <= valid_i;
      if (ready_slots) valid_q <= valid_slots_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (ready_o && valid_i) begin
      read_q <= read_d;
      address_q <= address_d;
      tap_q <= tap_d;
      pixel_q <= pixel_d;
      takes_q <= takes_d;
      held_q <= held_i;
      move_q <= move_i;
      is_shared_q <= is_shared_i;
      free_q <= free_i;
      bytes_q <= bytes_i;
      pixels_q <= pixels_i;
      is_back_q <= is_back_i;
      last_q <= last_i;
    end
    if (ready_slots && valid_slots_q) begin
      read_o <= read_q;
      address_o <= address_q;
      tap_o <= tap_q;
      pixel_o <= pixel_q;
      takes_o <= takes_q;
      words_o <= words;
      first_o <= first;
      place_o <= place;
      reads_o <= reads;
      held_o <= held_q;
      move_o <= move_q;
      is_shared_o <= is_shared_q;
      free_o <= free_q;
      bytes_o <= bytes_q;
      pixels_o <= pixels_q;
      is_back_o <= is_back_q;
      last_o <= last_q;
    end
  end
endmodule
