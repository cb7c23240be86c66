// SPDX-License-Identifier: Apache-2.0
// The beats: up to four reads of the row in hand, then, with its last ones, of the row after it, as long as the positions that
// they begin are no more than the registers that the row in hand leaves. And the windows' registers. After the numbers there are
// five stages, which a beat per cycle goes through.
//
//   rows --> [numbers] --> [compose: which reads] --> [runs: their slots] --> [words: words, pixels that take them]
//                           beat <-- [outputs] <-- registers <-- [news: positions that begin]
//
// A stage moves on when the beat that is offered is taken, or none is offered.
module npu_agu_windows_beats #(
  parameter int Lanes = 16,
  localparam int TapBits = $clog2(Lanes),
  localparam int CountBits = $clog2(Lanes+1),
  localparam int BytesBits = $clog2(2*Lanes+1),
  localparam int Slots = 4*Lanes,
  localparam int IdxBits = TapBits + 2,
  localparam int LookBits = 48*Lanes + BytesBits + 1,
  localparam int MoveBits = 16*Lanes + 16*(TapBits+1),
  localparam int RestBits = MoveBits + 4*Lanes + LookBits
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [1:0]  split_i,
  input  logic [31:0] stride_column_step_i,
  input  logic [4*TapBits-1:0] columns_taps_i,   // of 0 to 3 pixels to the right
  output logic        go_o,                      // rows move on
  // As npu_agu_windows_reads has it.
  input  logic        valid_i,
  input  logic [Slots-1:0]         read_i,
  input  logic [2*Slots-1:0]       more_i, place_i, adds_i,
  input  logic [Slots-1:0]         joins_i, fits_i,
  input  logic [IdxBits*Slots-1:0] idx_i,
  input  logic        is_back_i, last_i,
  input  logic [RestBits-1:0]      rest_i,       // move, mask, look
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
  output logic        act_last_o,
  output logic        last_o                     // beat of the command
);
  localparam int ReadBits = $clog2(3*Slots+1);
  localparam int News = Lanes < 16 ? Lanes : 16;

  logic        step, takes;
  assign step = !act_valid_o || act_ready_i;

  logic        next_valid, next_last, next_is_back;
  logic [ReadBits-1:0] next_reads;
  logic [3:0]  next_may_come;
  logic [Slots-1:0]          next_read;
  logic [ReadBits*Slots-1:0] next_first;
  logic [2*Slots-1:0]        next_more, next_place;
  logic [IdxBits*Slots-1:0]  next_idx;
  logic [RestBits-1:0]       next_rest;

  assign go_o = !next_valid || takes;

  npu_agu_windows_numbers #(.Lanes(Lanes)) u_numbers (
    .clk_i, .rst_ni, .go_i(go_o), .step_i(step), .valid_i, .read_i, .more_i, .place_i, .adds_i, .joins_i, .fits_i, .idx_i,
    .is_back_i, .last_i, .rest_i, .valid_o(next_valid), .reads_o(next_reads), .may_come_o(next_may_come), .last_o(next_last),
    .read_o(next_read), .first_o(next_first), .more_o(next_more), .place_o(next_place), .idx_o(next_idx),
    .is_back_o(next_is_back), .rest_o(next_rest)
  );

  logic        compose_beat, compose_takes_row, compose_ends_row, compose_last;
  logic [ReadBits-1:0] compose_done;
  logic [2:0]  compose_own, compose_to;

  npu_agu_windows_compose #(.Lanes(Lanes)) u_compose (
    .clk_i, .rst_ni, .step_i(step), .valid_i(next_valid), .reads_i(next_reads), .may_come_i(next_may_come), .last_i(next_last),
    .takes_o(takes), .beat_o(compose_beat), .takes_row_o(compose_takes_row), .done_o(compose_done), .own_o(compose_own),
    .to_o(compose_to), .ends_row_o(compose_ends_row), .last_o(compose_last)
  );

  logic        runs_beat, runs_takes_row, runs_ends_row, runs_last;
  logic [15:0] runs_is_run, runs_is_first;
  logic [16*IdxBits-1:0] runs_idx;
  logic [7:0]  runs_of_word;
  logic [3:0]  runs_is_ahead;
  logic [LookBits-1:0] runs_look_hand, runs_look_next;
  logic [4*Lanes-1:0]  runs_mask;
  logic [MoveBits-1:0] runs_move;

  npu_agu_windows_runs #(.Lanes(Lanes)) u_runs (
    .clk_i, .rst_ni, .step_i(step), .beat_i(compose_beat), .takes_row_i(compose_takes_row), .done_i(compose_done),
    .own_i(compose_own), .to_i(compose_to), .ends_row_i(compose_ends_row), .last_i(compose_last), .read_i(next_read),
    .first_i(next_first), .more_i(next_more), .place_i(next_place), .idx_i(next_idx), .is_back_i(next_is_back),
    .rest_i(next_rest), .beat_o(runs_beat), .takes_row_o(runs_takes_row), .ends_row_o(runs_ends_row), .last_o(runs_last),
    .is_run_o(runs_is_run), .is_first_o(runs_is_first), .idx_o(runs_idx), .of_word_o(runs_of_word),
    .is_ahead_o(runs_is_ahead), .look_hand_o(runs_look_hand), .look_next_o(runs_look_next), .mask_o(runs_mask),
    .move_o(runs_move)
  );

  logic        words_beat, words_takes_row, words_ends_row, words_last, words_hand_is_shared;
  logic [15:0] words_is_run, words_is_first;
  logic [3:0]  words_is_ahead, words_is_shared;
  logic [127:0] words_word;
  logic [4*BytesBits-1:0] words_bytes;
  logic [7:0]  words_of_word;
  logic [16*TapBits-1:0] words_in_word;
  logic [63:0] words_gets, words_takes;
  logic [64*TapBits-1:0] words_tap;
  logic [255:0] words_rank;
  logic [4*Lanes-1:0]  words_mask;
  logic [MoveBits-1:0] words_move;

  npu_agu_windows_words #(.Lanes(Lanes)) u_words (
    .clk_i, .rst_ni, .step_i(step), .split_i, .stride_column_step_i, .columns_taps_i, .beat_i(runs_beat),
    .takes_row_i(runs_takes_row), .ends_row_i(runs_ends_row), .last_i(runs_last), .is_run_i(runs_is_run),
    .is_first_i(runs_is_first), .idx_i(runs_idx), .of_word_i(runs_of_word), .is_ahead_i(runs_is_ahead),
    .look_hand_i(runs_look_hand), .look_next_i(runs_look_next), .mask_i(runs_mask), .move_i(runs_move),
    .beat_o(words_beat), .takes_row_o(words_takes_row), .ends_row_o(words_ends_row), .last_o(words_last),
    .is_run_o(words_is_run), .is_first_o(words_is_first), .is_ahead_o(words_is_ahead), .is_shared_o(words_is_shared),
    .hand_is_shared_o(words_hand_is_shared), .word_o(words_word), .bytes_o(words_bytes), .of_word_o(words_of_word),
    .in_word_o(words_in_word), .gets_o(words_gets), .takes_o(words_takes), .tap_o(words_tap), .rank_o(words_rank),
    .mask_o(words_mask), .move_o(words_move)
  );

  logic        news_beat, news_takes_row, news_ends_row, news_last, news_hand_is_shared;
  logic [3:0]  news_read, news_is_ahead, news_is_shared;
  logic [127:0] news_word;
  logic [16*TapBits-1:0]   news_offset;
  logic [16*CountBits-1:0] news_length;
  logic [16*(TapBits+1)-1:0] news_to;
  logic [63:0] news_gets, news_takes;
  logic [64*TapBits-1:0] news_tap;
  logic [4*16*News-1:0] new_positions;
  logic [4*Lanes-1:0]  news_mask;
  logic [MoveBits-1:0] news_move;

  npu_agu_windows_news #(.Lanes(Lanes)) u_news (
    .clk_i, .rst_ni, .step_i(step), .beat_i(words_beat), .takes_row_i(words_takes_row), .ends_row_i(words_ends_row),
    .last_i(words_last), .is_run_i(words_is_run), .is_first_i(words_is_first), .is_ahead_i(words_is_ahead),
    .is_shared_i(words_is_shared), .hand_is_shared_i(words_hand_is_shared), .word_i(words_word), .bytes_i(words_bytes),
    .of_word_i(words_of_word), .in_word_i(words_in_word), .gets_i(words_gets), .takes_i(words_takes), .tap_i(words_tap),
    .rank_i(words_rank), .mask_i(words_mask), .move_i(words_move), .beat_o(news_beat), .takes_row_o(news_takes_row),
    .ends_row_o(news_ends_row), .last_o(news_last), .read_o(news_read), .is_ahead_o(news_is_ahead),
    .is_shared_o(news_is_shared), .hand_is_shared_o(news_hand_is_shared), .word_o(news_word), .offset_o(news_offset),
    .length_o(news_length), .to_o(news_to), .gets_o(news_gets), .takes_o(news_takes), .tap_o(news_tap),
    .new_o(new_positions), .mask_o(news_mask), .move_o(news_move)
  );

  logic [4*Lanes-1:0] registers_is_own, registers_is_ahead;
  logic [4*Lanes*TapBits-1:0] registers_tap;

  npu_agu_windows_registers #(.Lanes(Lanes)) u_registers (
    .clk_i, .step_i(step), .beat_i(news_beat), .takes_row_i(news_takes_row), .ends_row_i(news_ends_row),
    .is_shared_i(news_hand_is_shared), .new_i(new_positions), .move_i(news_move), .is_own_o(registers_is_own),
    .is_ahead_o(registers_is_ahead), .tap_o(registers_tap)
  );

  npu_agu_windows_outputs #(.Lanes(Lanes)) u_outputs (
    .clk_i, .rst_ni, .step_i(step), .beat_i(news_beat), .ends_row_i(news_ends_row), .is_own_i(registers_is_own),
    .is_ahead_i(registers_is_ahead), .tap_i(registers_tap), .gets_i(news_gets), .takes_i(news_takes),
    .run_tap_i(news_tap), .run_is_ahead_i(news_is_ahead), .run_is_shared_i(news_is_shared),
    .rest_i({news_last, news_read, news_word, news_mask, news_offset, news_length, news_to}), .act_valid_o, .win_pixel_o,
    .win_register_o, .win_element_o, .act_last_o,
    .rest_o({last_o, act_read_o, act_word_o, act_mask_o, win_offset_o, win_length_o, win_to_o})
  );
endmodule
