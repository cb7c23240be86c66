// SPDX-License-Identifier: Apache-2.0
// The beats of weight tiles, one a cycle: up to four pieces of tile rows each, and the words of them that are read.
//
//   tile_* --> row_q: the rows that come next --> beat_q: pieces of a beat --> words and pieces at the ports
//               ^ |
//               +-+ 0 to 4 rows further, or the next tile
//
// Pieces 1 to 3 of a beat begin where their rows do, and only its last piece may end within its row, at the end of a word. So
// what a row needs is known before the beat that takes it. Registers have, of row 0, the first one of the beat, to row 3: the
// place of the last byte in its word, the number of words, and whether the next row begins in the last of them. In a cycle the
// same is made for rows 4 to 7, sums of words say how many rows end in the beat, and all registers go on by that many rows.
//
//   words up to row k:  sum_k = words_left + (words_1 - shared_0) + ... + (words_k - shared_(k-1));  row k is whole: sum_k <= most
//
// words_left are the words of row 0 that no beat has had, after the skipped ones. After four whole rows the word that was read
// last can be the first one of the next beat: kept_q. Registers: the start and the pitch of rows (96 bits), about 50 bits of the
// rows and of their tile, four addresses of a beat and 40 bits of its pieces; words and pieces at the ports.
module npu_agu_weights_beats #(
  parameter int Lanes = 16,
  localparam int LaneBits = $clog2(Lanes)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [2:0]          most_i,        // words of a beat, 1 to 4
  output logic                done_o,        // the last beat of the command is taken
  // Tiles, as npu_agu_weights_tiles says.
  input  logic                tile_valid_i,
  output logic                tile_take_o,
  input  logic [31:0]         tile_start_i, tile_pitch_i, tile_pitch3_i,
  input  logic [LaneBits:0]   tile_rows_i, tile_row_last_i,
  input  logic                tile_near_i,
  input  logic [LaneBits-1:0] tile_gap_i,
  input  logic                tile_byte_i, tile_last_i,
  output logic                wgt_valid_o,
  input  logic                wgt_ready_i,
  output logic [3:0]          wgt_read_o,
  output logic [4*32-1:0]     wgt_word_o,
  output logic [3:0]          wgt_row_valid_o,
  output logic [4*LaneBits-1:0]     wgt_row_o,
  output logic [4*32-1:0]     wgt_address_o,
  output logic [4*(LaneBits+2)-1:0] wgt_length_o,
  output logic [4*(LaneBits+1)-1:0] wgt_to_o,
  output logic                wgt_byte_o,
  output logic                wgt_last_o
);
  localparam int CountBits = LaneBits + 1, LengthBits = LaneBits + 2, ToBits = LaneBits + 1, WordBits = 32 - LaneBits;

  logic go;  // all registers may move

  assign go = !wgt_valid_o || wgt_ready_i;

  // The rows that come next: of a row its last byte's place in its word, its words, whether the next one begins in the last.
  logic                  row_valid_q, kept_q, near_q, byte_q, last_tile_q;
  logic [31:0]           address_q, pitch_q, pitch3_q;
  logic [CountBits-1:0]  left_q, row_last_q;  // rows that are left
  logic [LaneBits-1:0]   row_q, gap_q;
  logic [1:0]            skipped_q, words_left_q;
  logic [4*LaneBits-1:0] place_q;
  logic [4*2-1:0]        words_q;
  logic [3:0]            shared_q;

  logic [8*LaneBits-1:0] place;  // of rows 0 to 7
  logic [8*2-1:0]        words;
  logic [7:0]            shared;

  always_comb begin
    place[4*LaneBits-1:0] = place_q;
    words[4*2-1:0] = words_q;
    shared[3:0] = shared_q;
    for (int k = 4; k < 8; k = k + 1) begin
      place[LaneBits*k +: LaneBits] = place_q[LaneBits*(k-4) +: LaneBits] + LaneBits'(pitch_q << 2);
      words[2*k +: 2] = 2'd1 + {1'b0, row_last_q[LaneBits]} + {1'b0, place[LaneBits*k +: LaneBits] < row_last_q[LaneBits-1:0]};
      shared[k] = near_q && {1'b0, place[LaneBits*k +: LaneBits]} + {1'b0, gap_q} < CountBits'(Lanes);
    end
  end

  // Of the next tile.
  logic [4*LaneBits-1:0] tile_place;
  logic [4*2-1:0]        tile_words;
  logic [3:0]            tile_shared;
  logic [LaneBits-1:0]   tile_times;

  always_comb begin
    tile_times = '0;
    for (int k = 0; k < 4; k = k + 1) begin
      tile_times = k == 3 ? LaneBits'(tile_pitch3_i) : LaneBits'(tile_pitch_i << (k == 2 ? 1 : 0));
      if (k == 0) tile_times = '0;
      tile_place[LaneBits*k +: LaneBits] = tile_start_i[LaneBits-1:0] + tile_row_last_i[LaneBits-1:0] + tile_times;
      tile_words[2*k +: 2] = 2'd1 + {1'b0, tile_row_last_i[LaneBits]} +
                             {1'b0, tile_place[LaneBits*k +: LaneBits] < tile_row_last_i[LaneBits-1:0]};
      tile_shared[k] = tile_near_i && {1'b0, tile_place[LaneBits*k +: LaneBits]} + {1'b0, tile_gap_i} < CountBits'(Lanes);
    end
  end

  // The beat.
  logic [3*4-1:0] added;      // words of row k + 1 that row k does not have
  logic [4*4-1:0] sum;        // words up to row k
  logic [3:0]     is_whole;   // row k ends in the beat
  logic [3:0]     is_in;      // it has bytes in the beat
  logic [3:0]     is_cut;     // it has some, and some are left
  logic [4:0]     move;       // bit m: m rows end in the beat
  logic [3:0]     word_end;   // words up to the end of the beat
  logic [1:0]     cut_skipped, cut_left;
  logic           is_last;
  logic [5*32-1:0] address;   // of rows 0 to 4

  always_comb begin
    for (int k = 0; k < 3; k = k + 1) added[4*k +: 4] = 4'(words_q[2*(k+1) +: 2]) - 4'(shared_q[k]);
    sum[0 +: 4] = 4'(words_left_q);
    sum[4 +: 4] = sum[0 +: 4] + added[0 +: 4];
    sum[8 +: 4] = sum[0 +: 4] + (added[0 +: 4] + added[4 +: 4]);
    sum[12 +: 4] = sum[4 +: 4] + (added[4 +: 4] + added[8 +: 4]);
    is_last = 1'b0;
    for (int k = 0; k < 4; k = k + 1) begin
      is_whole[k] = sum[4*k +: 4] <= 4'(most_i) && left_q > CountBits'(k);
      is_in[k] = k == 0;
      if (k != 0) is_in[k] = is_whole[k-1] && left_q > CountBits'(k) && (shared_q[k-1] || sum[4*(k-1) +: 4] != 4'(most_i));
      is_cut[k] = is_in[k] && !is_whole[k];
      if (is_whole[k] && left_q == CountBits'(k + 1)) is_last = 1'b1;
    end
    move = {is_whole, 1'b1} & ~{1'b0, is_whole};
    cut_skipped = '0;
    cut_left = '0;
    word_end = '0;
    for (int k = 0; k < 4; k = k + 1) begin
      if (is_cut[k]) begin
        cut_left = cut_left | 2'(sum[4*k +: 4] - 4'(most_i));
        cut_skipped = cut_skipped | (k == 0 ? skipped_q + 2'(most_i) : words_q[2*k +: 2] - 2'(sum[4*k +: 4] - 4'(most_i)));
      end
      if (move[k+1]) word_end = word_end | sum[4*k +: 4];
    end
    if (is_cut != '0) word_end = 4'(most_i);
    address[0 +: 32] = address_q;
    address[32 +: 32] = address_q + pitch_q;
    address[64 +: 32] = address_q + (pitch_q << 1);
    address[96 +: 32] = address_q + pitch3_q;
    address[128 +: 32] = address_q + (pitch_q << 2);
  end

  assign tile_take_o = go && tile_valid_i && (!row_valid_q || is_last);

  // A beat as registers have it.
  logic                   beat_valid_q, beat_kept_q, beat_byte_q, beat_last_q, beat_end_q;
  logic [4*32-1:0]        beat_address_q;
  logic [LaneBits-1:0]    beat_row_q;
  logic [CountBits-1:0]   beat_row_last_q;
  logic [1:0]             beat_skipped_q, beat_cut_skipped_q;
  logic [2:0]             beat_shared_q, beat_words_q;
  logic [3*3-1:0]         beat_before_q;  // words that are read before those of piece k
  logic [3:0]             beat_in_q, beat_cut_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {row_valid_q, beat_valid_q, wgt_valid_o} <= '0;
    end else if (go) begin
      row_valid_q <= tile_take_o || (row_valid_q && !is_last);
      beat_valid_q <= row_valid_q;
      wgt_valid_o <= beat_valid_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (tile_take_o) begin
      address_q <= tile_start_i;
      row_q <= '0;
      left_q <= tile_rows_i;
      place_q <= tile_place;
      words_q <= tile_words;
      shared_q <= tile_shared;
      words_left_q <= tile_words[1:0];
      skipped_q <= '0;
      kept_q <= 1'b0;
      {pitch_q, pitch3_q, row_last_q, near_q, gap_q, byte_q, last_tile_q} <=
          {tile_pitch_i, tile_pitch3_i, tile_row_last_i, tile_near_i, tile_gap_i, tile_byte_i, tile_last_i};
    end else if (go && row_valid_q) begin
      for (int m = 0; m < 5; m = m + 1) begin
        if (move[m]) begin
          address_q <= address[32*m +: 32];
          row_q <= row_q + LaneBits'(m);
          left_q <= left_q - CountBits'(m);
          place_q <= place[LaneBits*m +: 4*LaneBits];
          words_q <= words[2*m +: 4*2];
          shared_q <= shared[m +: 4];
          words_left_q <= is_cut != '0 ? cut_left : words[2*m +: 2];
        end
      end
      skipped_q <= cut_skipped;
      kept_q <= move[4] && shared_q[3];
    end
    if (go && row_valid_q) begin
      beat_address_q <= address[4*32-1:0];
      beat_row_q <= row_q;
      beat_row_last_q <= row_last_q;
      beat_skipped_q <= skipped_q;
      beat_cut_skipped_q <= cut_skipped;
      beat_shared_q <= shared_q[2:0];
      for (int k = 0; k < 3; k = k + 1) beat_before_q[3*k +: 3] <= sum[4*k +: 3] - 3'(kept_q);
      beat_words_q <= word_end[2:0] - 3'(kept_q);
      beat_in_q <= is_in;
      beat_cut_q <= is_cut;
      beat_kept_q <= kept_q;
      beat_byte_q <= byte_q;
      beat_last_q <= is_last;
      beat_end_q <= is_last && last_tile_q;
    end
  end

  // Its words: each the first one of its piece, or one or two further.
  logic [4:0]            from;  // a word is of this piece or of one after it
  logic [3:0]            of;    // of this piece
  logic [WordBits-1:0]   first_word, zero_word;
  logic [1:0]            further;
  logic [4*WordBits-1:0] next_word, word_q;

  always_comb begin
    from = '0;
    of = '0;
    first_word = '0;
    further = '0;
    next_word = '0;
    for (int j = 0; j < 4; j = j + 1) begin
      from = 5'b00001;
      for (int k = 1; k < 4; k = k + 1) from[k] = beat_in_q[k] && beat_before_q[3*(k-1) +: 3] <= 3'(j);
      of = from[3:0] & ~from[4:1];
      first_word = '0;
      further = of[0] ? beat_skipped_q + 2'(beat_kept_q) + 2'(j) : 2'd0;
      for (int k = 0; k < 4; k = k + 1) begin
        if (of[k]) first_word = first_word | beat_address_q[32*k+LaneBits +: WordBits];
        if (k != 0 && of[k]) further = further | (2'(j) - beat_before_q[3*(k-1) +: 2] + 2'(beat_shared_q[k-1]));
      end
      next_word[WordBits*j +: WordBits] = first_word + WordBits'(further);
    end
    zero_word = beat_address_q[LaneBits +: WordBits] + WordBits'(beat_skipped_q);
  end

  // Its pieces: where they end in their rows.
  logic [4*LengthBits-1:0] length;
  logic [ToBits-1:0]       to;

  always_comb begin
    to = beat_skipped_q == 2'd0 ? '0 : (ToBits'(beat_skipped_q) << LaneBits) - ToBits'(beat_address_q[LaneBits-1:0]);
    for (int k = 0; k < 4; k = k + 1) begin
      length[LengthBits*k +: LengthBits] = LengthBits'(beat_row_last_q) + 1'b1;
      if (beat_cut_q[k]) begin
        length[LengthBits*k +: LengthBits] =
            (LengthBits'(beat_cut_skipped_q) << LaneBits) - LengthBits'(beat_address_q[32*k +: LaneBits]);
      end
    end
    length[0 +: LengthBits] = length[0 +: LengthBits] - LengthBits'(to);
  end

  logic end_q;

  assign done_o = wgt_valid_o && wgt_ready_i && end_q;

  always_ff @(posedge clk_i) begin
    if (go && beat_valid_q) begin
      for (int j = 0; j < 4; j = j + 1) wgt_read_o[j] <= 3'(j) < beat_words_q;
      word_q <= next_word;
      wgt_row_valid_o <= beat_in_q;
      wgt_address_o <= beat_address_q;
      if (beat_skipped_q != 2'd0) wgt_address_o[31:0] <= {zero_word, LaneBits'(0)};
      wgt_length_o <= length;
      wgt_to_o <= {(3*ToBits)'(0), to};
      for (int k = 0; k < 4; k = k + 1) wgt_row_o[LaneBits*k +: LaneBits] <= beat_row_q + LaneBits'(k);
      wgt_byte_o <= beat_byte_q;
      wgt_last_o <= beat_last_q;
      end_q <= beat_end_q;
    end
  end

  genvar j;
  generate
    for (j = 0; j < 4; j = j + 1) begin : gen_word
      assign wgt_word_o[32*j +: 32] = {{LaneBits{word_q[WordBits*j+WordBits-1]}}, word_q[WordBits*j +: WordBits]};
    end
  endgenerate
endmodule
