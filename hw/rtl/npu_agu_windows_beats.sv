// SPDX-License-Identifier: Apache-2.0
// The beats: up to four reads of the row in hand, then, with its last ones, of the row after it, as long as the positions that
// they begin are no more than the registers that the row in hand leaves. And the windows' registers.
//
//   row after it --> row in hand --> [reads of this cycle: runs] --> [registers] --> beat
//                                                                        +-- register of each tap of each pixel
//
// A position gets the lowest register that no tap of the row in hand has, in the order in which positions come; of windows
// that are shared all pixels have the same one. A tap keeps its register from row to row, under the number that it has there.
module npu_agu_windows_beats #(
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
  input  logic [4*TapBits-1:0] columns_taps_i,   // of 0 to 3 pixels to the right
  output logic        is_drained_o,              // no row is in hand: the beat is the last one
  // The row after the one in hand, as npu_agu_windows_reads has it.
  input  logic        valid_i,
  output logic        ready_o,
  input  logic [Slots-1:0]     read_i,
  input  logic [32*Slots-1:0]  address_i,
  input  logic [TapBits*Slots-1:0] tap_i,
  input  logic [2*Slots-1:0]   pixel_i,
  input  logic [4*Slots-1:0]   takes_i,
  input  logic [2*Slots-1:0]   words_i,
  input  logic [ReadBits*Slots-1:0] first_i,
  input  logic [2*Slots-1:0]   place_i,
  input  logic [ReadBits-1:0]  reads_i,
  input  logic [4*Lanes-1:0]   held_i,
  input  logic [4*Lanes*(TapBits+2)-1:0] from_i,
  input  logic        is_shared_i,
  input  logic [CountBits-1:0] free_i,
  input  logic [BytesBits-1:0] bytes_i,
  input  logic [3:0]  pixels_i,
  input  logic        is_back_i, last_i,
  // Beats.
  output logic        act_valid_o,
  input  logic        act_ready_i,
  output logic [3:0]  act_read_o,
  output logic [127:0] act_word_o,
  output logic [4*Lanes-1:0] act_mask_o,
  output logic [16*TapBits-1:0]   win_offset_o,
  output logic [16*CountBits-1:0] win_length_o,
  output logic [16*(TapBits+1)-1:0] win_to_o,
  output logic [63:0] win_pixel_o,
  output logic [64*TapBits-1:0] win_register_o,
  output logic [4*Lanes*TapBits-1:0] win_element_o,
  output logic        act_last_o
);
  localparam int IndexBits = TapBits + 2;
  localparam int Words = npu_spec_pkg::WindowWords;
  localparam int Runs = npu_spec_pkg::WindowRuns;

  // The row in hand.
  logic        valid_q;
  logic [Slots-1:0]     read_q;
  logic [32*Slots-1:0]  address_q;
  logic [TapBits*Slots-1:0] tap_q;
  logic [2*Slots-1:0]   pixel_q;
  logic [4*Slots-1:0]   takes_q;
  logic [2*Slots-1:0]   words_q;
  logic [ReadBits*Slots-1:0] first_q;
  logic [2*Slots-1:0]   place_q;
  logic [ReadBits-1:0]  reads_q, done_q;   // done: reads that have gone
  logic        is_shared_q, is_back_q, last_q;
  logic [CountBits-1:0] free_q;
  logic [BytesBits-1:0] bytes_q;
  logic [3:0]  pixels_q;
  // Of each tap of each pixel.
  logic [4*Lanes-1:0]         has_q;
  logic [4*Lanes*TapBits-1:0] register_q;

  logic        beat, ends_row, takes_row;
  logic [ReadBits-1:0] left;
  logic [2:0]  own, ahead;
  logic [4*(CountBits+1)-1:0] begun;       // positions that the first reads of the row after it begin, one read, two, ...
  logic [3:0]  all_pixels;

  assign is_drained_o = !valid_q;
  assign all_pixels = split_i == 2'd0 ? 4'b0001 : split_i == 2'd1 ? 4'b0011 : 4'b1111;
  assign beat = valid_q && (valid_i || last_q) && (!act_valid_o || act_ready_i);
  assign left = reads_q - done_q;
  assign ends_row = left <= ReadBits'(Words);
  assign own = ends_row ? left[2:0] : 3'(Words);
  assign takes_row = !valid_q || (beat && ends_row);
  assign ready_o = takes_row;

  // Runs: those of word w from 4 w on. The reads of a row that goes back come with the last one first.
  logic [Runs-1:0]         is_run, is_first, is_ahead;   // there; the first of its position; of the row after it
  logic [32*Words-1:0]     word;
  logic [TapBits*Runs-1:0] offset, tap;
  logic [CountBits*Runs-1:0] length;
  logic [(TapBits+1)*Runs-1:0] to;
  logic [2*Runs-1:0]       pixel;
  logic [4*Runs-1:0]       takes;
  logic [ReadBits-1:0]     order, order_first, reads;   // order: numbers as they come
  logic [ReadBits-1:0]     first;
  logic [1:0]  words, run_word;
  logic [3:0]  run, act_read_d;
  logic [BytesBits-1:0]    bytes, gone, bytes_left;
  logic [CountBits-1:0]    room;
  logic [31:0] address;
  logic        is_back, is_there;
  logic [63:0] win_pixel_d;
  logic [64*TapBits-1:0]   win_register_d;

  // How many reads ahead: of each the positions that it and those before it begin are counted.
  always_comb begin
    begun = '0;
    order_first = '0;
    for (int s = 0; s < Slots; s = s + 1) begin
      order_first = is_back_i ? reads_i - first_i[ReadBits*s +: ReadBits] - ReadBits'(words_i[2*s +: 2])
                              : first_i[ReadBits*s +: ReadBits];
      for (int w = 0; w < Words; w = w + 1) begin
        if (read_i[s] && order_first <= ReadBits'(w)) begin
          begun[(CountBits+1)*w +: CountBits+1] = begun[(CountBits+1)*w +: CountBits+1] + 1'b1;
        end
      end
    end
    ahead = 3'd0;
    for (int w = 0; w < Words; w = w + 1) begin
      if (valid_i && valid_q && !last_q && ends_row && ahead == 3'(w) && ReadBits'(w) < reads_i && 3'(w) + own < 3'(Words) &&
          begun[(CountBits+1)*w +: CountBits+1] <= {1'b0, free_q}) begin
        ahead = 3'(w + 1);
      end
    end
  end

  // The slots' words that this beat brings.
  always_comb begin
    act_read_d = '0;
    word = '0;
    is_run = '0;
    is_first = '0;
    is_ahead = '0;
    offset = '0;
    length = '0;
    to = '0;
    tap = '0;
    pixel = '0;
    takes = '0;
    is_there = 1'b0;
    is_back = 1'b0;
    address = '0;
    words = '0;
    bytes = '0;
    reads = '0;
    first = '0;
    order = '0;
    run_word = '0;
    run = '0;
    gone = '0;
    bytes_left = '0;
    room = '0;
    for (int row = 0; row < 2; row = row + 1) begin
      is_back = row == 0 ? is_back_q : is_back_i;
      bytes = row == 0 ? bytes_q : bytes_i;
      reads = row == 0 ? reads_q : reads_i;
      for (int s = 0; s < Slots; s = s + 1) begin
        address = row == 0 ? address_q[32*s +: 32] : address_i[32*s +: 32];
        words = row == 0 ? words_q[2*s +: 2] : words_i[2*s +: 2];
        first = row == 0 ? first_q[ReadBits*s +: ReadBits] : first_i[ReadBits*s +: ReadBits];
        for (int w = 0; w < 3; w = w + 1) begin
          order = is_back ? reads - 1'b1 - first - ReadBits'(w) : first + ReadBits'(w);
          if (row == 0) begin
            order = order - done_q;
            is_there = read_q[s] && order < ReadBits'(own);
          end else begin
            is_there = read_i[s] && order < ReadBits'(ahead);
            order = order + ReadBits'(own);
          end
          if (is_there && 2'(w) < words) begin
            run_word = order[1:0];
            run = {run_word, 2'd0};
            if (w == 0) run[1:0] = row == 0 ? place_q[2*s +: 2] : place_i[2*s +: 2];
            act_read_d[run_word] = 1'b1;
            word[32*32'(run_word) +: 32] = 32'($signed(address) >>> TapBits) + 32'(w);
            is_run[run] = 1'b1;
            is_first[run] = is_back ? 2'(w) == words - 2'd1 : w == 0;
            is_ahead[run] = row == 1;
            gone = BytesBits'(w) * BytesBits'(Lanes) - BytesBits'(address[TapBits-1:0]);
            offset[TapBits*32'(run) +: TapBits] = w == 0 ? address[TapBits-1:0] : '0;
            to[(TapBits+1)*32'(run) +: TapBits+1] = w == 0 ? '0 : gone[TapBits:0];
            bytes_left = w == 0 ? bytes : bytes - gone;
            room = CountBits'(Lanes) - (w == 0 ? CountBits'(address[TapBits-1:0]) : '0);
            length[CountBits*32'(run) +: CountBits] = bytes_left < BytesBits'(room) ? bytes_left[CountBits-1:0] : room;
            tap[TapBits*32'(run) +: TapBits] = row == 0 ? tap_q[TapBits*s +: TapBits] : tap_i[TapBits*s +: TapBits];
            pixel[2*32'(run) +: 2] = row == 0 ? pixel_q[2*s +: 2] : pixel_i[2*s +: 2];
            takes[4*32'(run) +: 4] = row == 0 ? takes_q[4*s +: 4] : takes_i[4*s +: 4];
          end
        end
      end
    end
  end

  // Registers that no tap has, of each pixel's window, or of the one that all pixels have, in ascending order.
  logic [4*Lanes-1:0]      used;
  logic [4*Runs*TapBits-1:0] free;
  logic [4:0]  num_free;

  always_comb begin
    used = '0;
    for (int t = 0; t < 4*Lanes; t = t + 1) begin
      for (int p = 0; p < 4; p = p + 1) begin
        if (has_q[t] && (is_shared_q || t/Lanes == p)) used[Lanes*p + 32'(register_q[TapBits*t +: TapBits])] = 1'b1;
      end
    end
    free = '0;
    num_free = '0;
    for (int p = 0; p < 4; p = p + 1) begin
      num_free = '0;
      for (int r = 0; r < Lanes; r = r + 1) begin
        if (!used[Lanes*p + r] && !num_free[4]) begin
          free[TapBits*(Runs*p + 32'(num_free)) +: TapBits] = TapBits'(r);
          num_free = num_free + 5'd1;
        end
      end
    end
  end

  // Run after run: a position that is new gets the next of them. Where a row with shared windows follows one without, that
  // one has taps for all registers, so that nothing of the row comes ahead: shared registers are the same in all windows.
  logic [4*Lanes-1:0]         has_own, has_ahead, has_d;
  logic [4*Lanes*TapBits-1:0] register_own, register_ahead, register_d;
  logic [4*5-1:0]      num_taken;
  logic [IndexBits-1:0] idx;
  logic [TapBits-1:0]  found;
  logic [1:0]  apart;
  logic        is_taken;

  always_comb begin
    has_own = has_q;
    register_own = register_q;
    has_ahead = '0;
    register_ahead = '0;
    num_taken = '0;
    win_pixel_d = '0;
    win_register_d = '0;
    idx = '0;
    found = '0;
    apart = '0;
    is_taken = 1'b0;
    for (int r = 0; r < Runs; r = r + 1) begin
      for (int p = 0; p < 4; p = p + 1) begin
        is_taken = takes[4*r + p];
        // The tap of this pixel at the position; of shared windows, where it has none, that of the position's pixel.
        apart = 2'(p) - pixel[2*r +: 2];
        idx = is_taken ? {2'(p), tap[TapBits*r +: TapBits] - columns_taps_i[TapBits*32'(apart) +: TapBits]}
                       : {pixel[2*r +: 2], tap[TapBits*r +: TapBits]};
        found = is_first[r] ? free[TapBits*(Runs*p + 32'(num_taken[5*p +: 4])) +: TapBits]
                : is_ahead[r] ? register_ahead[TapBits*32'(idx) +: TapBits] : register_own[TapBits*32'(idx) +: TapBits];
        if (is_run[r] && all_pixels[p] && (is_taken || (is_ahead[r] ? is_shared_i : is_shared_q))) begin
          win_pixel_d[4*r + p] = 1'b1;
          win_register_d[TapBits*(4*r + p) +: TapBits] = found;
          if (is_first[r]) num_taken[5*p +: 5] = num_taken[5*p +: 5] + 5'd1;
          if (is_taken && is_ahead[r]) begin
            has_ahead[idx] = 1'b1;
            register_ahead[TapBits*32'(idx) +: TapBits] = found;
          end
          if (is_taken && !is_ahead[r]) begin
            has_own[idx] = 1'b1;
            register_own[TapBits*32'(idx) +: TapBits] = found;
          end
        end
      end
    end
  end

  // What the row after it finds.
  always_comb begin
    has_d = has_ahead;
    register_d = register_ahead;
    for (int t = 0; t < 4*Lanes; t = t + 1) begin
      if (held_i[t]) begin
        has_d[t] = has_own[from_i[IndexBits*t +: IndexBits]];
        register_d[TapBits*t +: TapBits] = register_own[TapBits*32'(from_i[IndexBits*t +: IndexBits]) +: TapBits];
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      act_valid_o <= 1'b0;
    end else begin
      if (takes_row) valid_q <= valid_i;
      if (!act_valid_o || act_ready_i) act_valid_o <= beat;
    end
  end

  always_ff @(posedge clk_i) begin
    if (beat) begin
      act_read_o <= act_read_d;
      act_word_o <= word;
      win_offset_o <= offset;
      win_length_o <= length;
      win_to_o <= to;
      win_pixel_o <= win_pixel_d;
      win_register_o <= win_register_d;
      win_element_o <= register_own;
      for (int p = 0; p < 4; p = p + 1) begin
        act_mask_o[Lanes*p +: Lanes] <= ~(has_own[Lanes*p +: Lanes] & {Lanes{pixels_q[p]}});
      end
      act_last_o <= ends_row;
      done_q <= done_q + ReadBits'(Words);
      has_q <= has_own;
      register_q <= register_own;
    end
    if (takes_row && valid_i) begin
      done_q <= ReadBits'(ahead);
      has_q <= valid_q ? has_d : '0;
      register_q <= register_d;
      read_q <= read_i;
      address_q <= address_i;
      tap_q <= tap_i;
      pixel_q <= pixel_i;
      takes_q <= takes_i;
      words_q <= words_i;
      first_q <= first_i;
      place_q <= place_i;
      reads_q <= reads_i;
      is_shared_q <= is_shared_i;
      is_back_q <= is_back_i;
      last_q <= last_i;
      free_q <= free_i;
      bytes_q <= bytes_i;
      pixels_q <= pixels_i;
    end
  end
endmodule
