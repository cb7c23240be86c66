// SPDX-License-Identifier: Apache-2.0
// What the positions of a beat's runs are: the word of each read, the pixels that take a run, and as which of their taps. One stage.
//
//   word of a beat --> its row --> run --> takes: pixels --> tap of each, and positions of the pixel that the beat begins before
//                       +--> address of the first run's position --> word
//
// Of windows that are shared all pixels take a run; those that have no tap at its position take it with the others.
module npu_agu_windows_words #(
  parameter int Lanes = 16,
  localparam int TapBits = $clog2(Lanes),
  localparam int BytesBits = $clog2(2*Lanes+1),
  localparam int IdxBits = TapBits + 2,
  localparam int LookBits = 48*Lanes + BytesBits + 1,
  localparam int MoveBits = 16*Lanes + 16*(TapBits+1)
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        step_i,      // beats move on
  input  logic [1:0]  split_i,
  input  logic [31:0] stride_column_step_i,
  input  logic [4*TapBits-1:0] columns_taps_i,   // of 0 to 3 pixels to the right
  // As npu_agu_windows_runs has it.
  input  logic        beat_i, takes_row_i, ends_row_i, last_i,
  input  logic [15:0] is_run_i, is_first_i,
  input  logic [16*IdxBits-1:0] idx_i,
  input  logic [7:0]  of_word_i,
  input  logic [3:0]  is_ahead_i,
  input  logic [LookBits-1:0] look_hand_i, look_next_i,   // address and takes of taps, bytes of a position, whether windows are shared
  input  logic [4*Lanes-1:0]  mask_i,
  input  logic [MoveBits-1:0] move_i,
  output logic        beat_o, takes_row_o, ends_row_o, last_o,
  output logic [15:0] is_run_o, is_first_o,
  output logic [3:0]  is_ahead_o, is_shared_o,    // of a word
  output logic        hand_is_shared_o,
  output logic [127:0] word_o,
  output logic [4*BytesBits-1:0] bytes_o,         // of a position of the word
  output logic [7:0]  of_word_o,
  output logic [16*TapBits-1:0] in_word_o,        // where a run's position begins in its first word
  // Of each run for each pixel.
  output logic [63:0] gets_o, takes_o,            // it takes the run; as a tap
  output logic [64*TapBits-1:0] tap_o,
  output logic [64*4-1:0] rank_o,                 // positions that the pixel gets before it
  output logic [4*Lanes-1:0]  mask_o,
  output logic [MoveBits-1:0] move_o
);
  localparam int Runs = npu_spec_pkg::WindowRuns, Words = npu_spec_pkg::WindowWords;

  logic [3:0]         all_pixels;
  logic [4*32-1:0]    pixel_step;      // bytes from pixel 0 to each
  logic [127:0]       word;
  logic [4*BytesBits-1:0] bytes;
  logic [Words-1:0]   is_shared;
  logic [TapBits*Runs-1:0] in_word;
  logic [4*Runs-1:0]  gets, takes, is_new;
  logic [4*Runs*TapBits-1:0] tap;
  logic [4*Runs*4-1:0] rank;

  assign all_pixels = split_i == 2'd0 ? 4'b0001 : split_i == 2'd1 ? 4'b0011 : 4'b1111;
  assign pixel_step[0 +: 32] = 32'd0;
  assign pixel_step[32 +: 32] = stride_column_step_i;
  assign pixel_step[64 +: 32] = stride_column_step_i << 1;
  assign pixel_step[96 +: 32] = stride_column_step_i + (stride_column_step_i << 1);

  genvar w, j, p;
  generate
    for (w = 0; w < Words; w = w + 1) begin : gen_word
      logic [32*Lanes-1:0] address;
      logic [16*Lanes-1:0] takes_of;
      logic [IdxBits-1:0]  first;
      logic [31:0] at;
      assign {address, takes_of, bytes[BytesBits*w +: BytesBits], is_shared[w]} = is_ahead_i[w] ? look_next_i : look_hand_i;
      assign first = idx_i[IdxBits*4*w +: IdxBits];
      assign at = address[{first[TapBits-1:0], 5'd0} +: 32] + pixel_step[{first[TapBits +: 2], 5'd0} +: 32] +
                  {{30-TapBits{1'b0}}, of_word_i[2*w +: 2], {TapBits{1'b0}}};
      assign word[32*w +: 32] = {{TapBits{at[31]}}, at[31:TapBits]};
      for (j = 0; j < 4; j = j + 1) begin : gen_run
        logic [IdxBits-1:0] idx;
        logic [TapBits-1:0] tap_of_pixel;
        logic [1:0] pixel;
        assign idx = idx_i[IdxBits*(4*w+j) +: IdxBits];
        assign {pixel, tap_of_pixel} = idx;
        if (j == 0) begin : gen_first
          assign in_word[TapBits*(4*w+j) +: TapBits] = at[TapBits-1:0];
        end else begin : gen_other
          assign in_word[TapBits*(4*w+j) +: TapBits] = address[{tap_of_pixel, 5'd0} +: TapBits] +
                                                       pixel_step[{pixel, 5'd0} +: TapBits];
        end
        assign takes[4*(4*w+j) +: 4] = takes_of[{idx, 2'd0} +: 4] & {4{is_run_i[4*w+j]}};
        assign gets[4*(4*w+j) +: 4] = (takes[4*(4*w+j) +: 4] | {4{is_shared[w]}}) & all_pixels & {4{is_run_i[4*w+j]}};
        assign is_new[4*(4*w+j) +: 4] = gets[4*(4*w+j) +: 4] & {4{is_first_i[4*w+j]}};
        for (p = 0; p < 4; p = p + 1) begin : gen_pixel
          logic [1:0] apart;
          assign apart = 2'(p) - pixel;
          assign tap[TapBits*(4*(4*w+j)+p) +: TapBits] = tap_of_pixel - columns_taps_i[TapBits*32'(apart) +: TapBits];
        end
      end
    end
  endgenerate

  // New positions of a pixel up to a run; before it.
  logic [4*Runs*5-1:0] count;

  always_comb begin
    count = '0;
    rank = '0;
    for (int i = 0; i < 4*Runs; i = i + 1) count[5*i] = is_new[i];
    for (int level = 0; level < $clog2(Runs); level = level + 1) begin
      for (int x = 0; x < Runs; x = x + 1) begin
        for (int q = 0; q < 4; q = q + 1) begin
          if (((x >> level) & 1) == 1) begin
            count[5*(4*x+q) +: 5] = count[5*(4*x+q) +: 5] + count[5*(4*(((x >> level) << level)-1)+q) +: 5];
          end
        end
      end
    end
    for (int i = 4; i < 4*Runs; i = i + 1) rank[4*i +: 4] = count[5*(i-4) +: 4];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beat_o <= 1'b0;
      takes_row_o <= 1'b0;
    end else if (step_i) begin
      beat_o <= beat_i;
      takes_row_o <= takes_row_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (step_i && beat_i) begin
      ends_row_o <= ends_row_i;
      last_o <= last_i;
      is_run_o <= is_run_i;
      is_first_o <= is_first_i;
      is_ahead_o <= is_ahead_i;
      is_shared_o <= is_shared;
      hand_is_shared_o <= look_hand_i[0];
      word_o <= word;
      bytes_o <= bytes;
      of_word_o <= of_word_i;
      in_word_o <= in_word;
      gets_o <= gets;
      takes_o <= takes;
      tap_o <= tap;
      rank_o <= rank;
      mask_o <= mask_i;
      move_o <= move_i;
    end
  end
endmodule
