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
  input  logic [16*Lanes-1:0]  held_i,
  input  logic [16*(TapBits+1)-1:0] move_i,
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

  // How many reads ahead: of each the positions that it and those before it begin are counted.
  logic [ReadBits-1:0] order_first;   // of the reads that a slot is in, the first that comes

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

  // Runs: those of word w from 4 w on, the one of a slot by its place in the read; of a slot's later words it is the first.
  // The reads of a row that goes back come with the last one first. A run has what its one slot has.
  localparam int RunBits = 2*TapBits + 2 + 4 + 2 + 1;
  logic [RunBits*Runs-1:0] run;
  logic [RunBits-1:0]      of_slot;
  logic [Runs-1:0]         is_run, is_ahead;    // there; of the row after the one in hand
  logic [ReadBits-1:0]     number, first;       // of the read, of the slot's first one
  logic [1:0]  words, place, part;
  logic [32*Words-1:0] word;
  logic [31:0] address;
  logic        is_back;

  always_comb begin
    run = '0;
    word = '0;
    address = '0;
    of_slot = '0;
    is_run = '0;
    is_ahead = '0;
    number = '0;
    first = '0;
    words = '0;
    place = '0;
    part = '0;
    is_back = 1'b0;
    for (int w = 0; w < Words; w = w + 1) begin
      for (int row = 0; row < 2; row = row + 1) begin
        is_back = row == 0 ? is_back_q : is_back_i;
        number = row == 0 ? done_q + ReadBits'(w) : ReadBits'(w) - ReadBits'(own);
        if (is_back) number = (row == 0 ? reads_q : reads_i) - 1'b1 - number;
        if (row == 0 ? 3'(w) < own : 3'(w) >= own && 3'(w) < own + ahead) begin
          for (int s = 0; s < Slots; s = s + 1) begin
            first = row == 0 ? first_q[ReadBits*s +: ReadBits] : first_i[ReadBits*s +: ReadBits];
            words = row == 0 ? words_q[2*s +: 2] : words_i[2*s +: 2];
            part = 2'(number - first);
            if ((row == 0 ? read_q[s] : read_i[s]) && number >= first && number - first < ReadBits'(words)) begin
              place = part != 2'd0 ? 2'd0 : row == 0 ? place_q[2*s +: 2] : place_i[2*s +: 2];
              address = row == 0 ? address_q[32*s +: 32] : address_i[32*s +: 32];
              if (place == 2'd0) word[32*w +: 32] = word[32*w +: 32] | (32'($signed(address) >>> TapBits) + 32'(part));
              of_slot = row == 0 ? {address[TapBits-1:0], tap_q[TapBits*s +: TapBits], pixel_q[2*s +: 2], takes_q[4*s +: 4],
                                    part, is_back_q ? part == words - 2'd1 : part == 2'd0}
                                 : {address[TapBits-1:0], tap_i[TapBits*s +: TapBits], pixel_i[2*s +: 2], takes_i[4*s +: 4],
                                    part, is_back_i ? part == words - 2'd1 : part == 2'd0};
              for (int j = 0; j < 4; j = j + 1) begin
                if (place == 2'(j)) begin
                  run[RunBits*(4*w+j) +: RunBits] = run[RunBits*(4*w+j) +: RunBits] | of_slot;
                  is_run[4*w+j] = 1'b1;
                  is_ahead[4*w+j] = row == 1;
                end
              end
            end
          end
        end
      end
    end
  end

  // What a run says of its word and bytes.
  logic [Runs-1:0]         is_first;            // the first that comes of its position
  logic [TapBits*Runs-1:0] offset, tap;
  logic [CountBits*Runs-1:0] length;
  logic [(TapBits+1)*Runs-1:0] to;
  logic [2*Runs-1:0]       pixel;
  logic [4*Runs-1:0]       takes;
  logic [3:0]              read;

  genvar r;
  generate
    for (r = 0; r < Runs; r = r + 1) begin : gen_run
      logic [TapBits-1:0] in_word;
      logic [1:0]  of_word;     // of its position
      logic [TapBits+1:0]   gone;
      logic [BytesBits-1:0] bytes, left_bytes;
      logic [CountBits-1:0] room;
      assign {in_word, tap[TapBits*r +: TapBits], pixel[2*r +: 2], takes[4*r +: 4], of_word, is_first[r]} =
          run[RunBits*r +: RunBits];
      assign bytes = is_ahead[r] ? bytes_i : bytes_q;
      assign offset[TapBits*r +: TapBits] = of_word == 2'd0 ? in_word : '0;
      assign gone = of_word == 2'd0 ? '0 : {of_word, {TapBits{1'b0}}} - {2'd0, in_word};
      assign to[(TapBits+1)*r +: TapBits+1] = gone[TapBits:0];
      assign left_bytes = bytes - BytesBits'(gone);
      assign room = CountBits'(Lanes) - CountBits'(offset[TapBits*r +: TapBits]);
      assign length[CountBits*r +: CountBits] = !is_run[r] ? '0 : left_bytes < BytesBits'(room) ? left_bytes[CountBits-1:0] : room;
      if (r % 4 == 0) begin : gen_word
        assign read[r/4] = is_run[r];
      end
    end
  endgenerate

  // Registers that no tap has, of each pixel's window, or of the one that all pixels have, in ascending order.
  logic [4*Lanes-1:0]      used;
  logic [4*Runs*TapBits-1:0] free;
  logic [TapBits:0]        num_free;

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
      for (int g = 0; g < Lanes; g = g + 1) begin
        if (!used[Lanes*p + g]) begin
          for (int n = 0; n < Runs; n = n + 1) begin
            if (num_free == (TapBits+1)'(n)) begin
              free[TapBits*(Runs*p + n) +: TapBits] = free[TapBits*(Runs*p + n) +: TapBits] | TapBits'(g);
            end
          end
          num_free = num_free + 1'b1;
        end
      end
    end
  end

  // A position that is new gets the next of them, in the order of the runs. Where a row with shared windows follows one
  // without, that one has taps for all registers, so that nothing of the row comes ahead: shared registers are the same in all
  // windows.
  logic [4*Runs-1:0]   gets;                     // which pixels take the run
  logic [4*TapBits*Runs-1:0] register_of, tap_of;  // where, and which of their taps it is
  logic [3:0]          num_new;
  logic [TapBits-1:0]  found;
  logic [TapBits+1:0]  idx;
  logic [1:0]  apart;

  always_comb begin
    gets = '0;
    register_of = '0;
    tap_of = '0;
    num_new = '0;
    found = '0;
    idx = '0;
    apart = '0;
    for (int p = 0; p < 4; p = p + 1) begin
      num_new = '0;
      for (int x = 0; x < Runs; x = x + 1) begin
        gets[4*x+p] = is_run[x] && all_pixels[p] && (takes[4*x+p] || (is_ahead[x] ? is_shared_i : is_shared_q));
        // The tap of this pixel at the position; of shared windows, where it has none, that of the position's pixel.
        apart = 2'(p) - pixel[2*x +: 2];
        idx = {pixel[2*x +: 2], tap[TapBits*x +: TapBits]};
        if (takes[4*x+p]) idx = {2'(p), tap[TapBits*x +: TapBits] - columns_taps_i[TapBits*32'(apart) +: TapBits]};
        tap_of[TapBits*(4*x+p) +: TapBits] = idx[TapBits-1:0];
        found = register_q[TapBits*32'(idx) +: TapBits];
        if (is_first[x]) begin
          found = free[TapBits*(Runs*p + 32'(num_new)) +: TapBits];
          if (gets[4*x+p]) num_new = num_new + 4'd1;
        end else begin
          // Another word of this beat may have begun the position.
          for (int y = 0; y < Runs; y = y + 1) begin
            if (y/4 < x/4 && is_run[y] && is_first[y] && is_ahead[y] == is_ahead[x] &&
                {pixel[2*y +: 2], tap[TapBits*y +: TapBits]} == {pixel[2*x +: 2], tap[TapBits*x +: TapBits]}) begin
              found = register_of[TapBits*(4*y+p) +: TapBits];
            end
          end
        end
        register_of[TapBits*(4*x+p) +: TapBits] = found;
      end
    end
  end

  // The taps that the beat brings, and what the row after it finds.
  logic [4*Lanes-1:0]         has_own, has_ahead, has_d;
  logic [4*Lanes*TapBits-1:0] register_own, register_ahead, register_d;
  logic [3*Lanes-1:0]         has_shifted;
  logic [3*Lanes*TapBits-1:0] register_shifted;
  logic [TapBits:0]           shift;

  always_comb begin
    has_own = has_q;
    register_own = register_q;
    has_ahead = '0;
    register_ahead = '0;
    for (int p = 0; p < 4; p = p + 1) begin
      for (int x = 0; x < Runs; x = x + 1) begin
        if (is_run[x] && is_first[x] && takes[4*x+p]) begin
          for (int u = 0; u < Lanes; u = u + 1) begin
            if (tap_of[TapBits*(4*x+p) +: TapBits] == TapBits'(u)) begin
              if (is_ahead[x]) begin
                has_ahead[Lanes*p+u] = 1'b1;
                register_ahead[TapBits*(Lanes*p+u) +: TapBits] = register_of[TapBits*(4*x+p) +: TapBits];
              end else begin
                has_own[Lanes*p+u] = 1'b1;
                register_own[TapBits*(Lanes*p+u) +: TapBits] = register_of[TapBits*(4*x+p) +: TapBits];
              end
            end
          end
        end
      end
    end
  end

  always_comb begin
    has_d = has_ahead;
    register_d = register_ahead;
    has_shifted = '0;
    register_shifted = '0;
    shift = '0;
    for (int p = 0; p < 4; p = p + 1) begin
      for (int q = 0; q < 4; q = q + 1) begin
        if (held_i[Lanes*(4*p+q) +: Lanes] != '0) begin
          shift = (TapBits+1)'(Lanes) + move_i[(TapBits+1)*(4*p+q) +: TapBits+1];
          has_shifted = {{Lanes{1'b0}}, has_own[Lanes*q +: Lanes], {Lanes{1'b0}}} >> shift;
          register_shifted = {{Lanes*TapBits{1'b0}}, register_own[Lanes*TapBits*q +: Lanes*TapBits], {Lanes*TapBits{1'b0}}} >>
                             (32'(shift) * TapBits);
          for (int u = 0; u < Lanes; u = u + 1) begin
            if (held_i[Lanes*(4*p+q)+u]) begin
              has_d[Lanes*p+u] = has_shifted[u];
              register_d[TapBits*(Lanes*p+u) +: TapBits] = register_shifted[TapBits*u +: TapBits];
            end
          end
        end
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
      act_read_o <= read;
      act_word_o <= word;
      win_offset_o <= offset;
      win_length_o <= length;
      win_to_o <= to;
      win_pixel_o <= gets;
      win_register_o <= register_of;
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
