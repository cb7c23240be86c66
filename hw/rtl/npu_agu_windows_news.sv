// SPDX-License-Identifier: Apache-2.0
// The positions that a beat begins, pixel by pixel, in their order: which of the pixel's taps each is, in this row and in the next
// one. And the bytes of runs. One stage.
//
//   runs, and how many are new before each --> new position k of each pixel --> its tap in the row after it
module npu_agu_windows_news #(
  parameter int Lanes = 16,
  localparam int TapBits = $clog2(Lanes),
  localparam int CountBits = $clog2(Lanes+1),
  localparam int BytesBits = $clog2(2*Lanes+1),
  localparam int MoveBits = 16*Lanes + 16*(TapBits+1),
  localparam int News = Lanes < 16 ? Lanes : 16      // that a pixel's window has room for, or a beat brings
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        step_i,      // beats move on
  // As npu_agu_windows_words has it.
  input  logic        beat_i, takes_row_i, ends_row_i, last_i,
  input  logic [15:0] is_run_i, is_first_i,
  input  logic [3:0]  is_ahead_i, is_shared_i,
  input  logic        hand_is_shared_i,
  input  logic [127:0] word_i,
  input  logic [4*BytesBits-1:0] bytes_i,
  input  logic [7:0]  of_word_i,
  input  logic [16*TapBits-1:0] in_word_i,
  input  logic [63:0] gets_i, takes_i,
  input  logic [64*TapBits-1:0] tap_i,
  input  logic [64*4-1:0] rank_i,
  input  logic [4*Lanes-1:0]  mask_i,
  input  logic [MoveBits-1:0] move_i,      // held, move
  output logic        beat_o, takes_row_o, ends_row_o, last_o,
  output logic [3:0]  read_o, is_ahead_o, is_shared_o,
  output logic        hand_is_shared_o,
  output logic [127:0] word_o,
  output logic [16*TapBits-1:0]   offset_o,
  output logic [16*CountBits-1:0] length_o,
  output logic [16*(TapBits+1)-1:0] to_o,
  output logic [63:0] gets_o, takes_o,
  output logic [64*TapBits-1:0] tap_o,
  // New positions of each pixel, in 16 bits each from bit 0 on: a tap of the pixel takes it; it is ahead; it stays in the next row;
  // which tap; which tap of the next row. All 0: none.
  output logic [4*16*News-1:0] new_o,
  output logic [4*Lanes-1:0]  mask_o,
  output logic [MoveBits-1:0] move_o
);
  localparam int Runs = npu_spec_pkg::WindowRuns;

  logic [16*Lanes-1:0]       held;
  logic [16*(TapBits+1)-1:0] move;
  assign {held, move} = move_i;

  // Bytes of each run.
  logic [TapBits*Runs-1:0]   offset;
  logic [CountBits*Runs-1:0] length;
  logic [(TapBits+1)*Runs-1:0] to;
  logic [3:0] read;

  genvar r;
  generate
    for (r = 0; r < Runs; r = r + 1) begin : gen_run
      logic [TapBits-1:0]   in_word;
      logic [1:0]           of_word;     // all but the first run are in their first word
      logic [TapBits+1:0]   gone;
      logic [BytesBits-1:0] left;
      logic [CountBits-1:0] room;
      assign in_word = in_word_i[TapBits*r +: TapBits];
      assign of_word = r % 4 == 0 ? of_word_i[2*(r/4) +: 2] : 2'd0;
      assign offset[TapBits*r +: TapBits] = of_word == 2'd0 ? in_word : '0;
      assign gone = of_word == 2'd0 ? '0 : {of_word, {TapBits{1'b0}}} - {2'd0, in_word};
      assign to[(TapBits+1)*r +: TapBits+1] = gone[TapBits:0];
      assign left = bytes_i[BytesBits*(r/4) +: BytesBits] - BytesBits'(gone);
      assign room = CountBits'(Lanes) - CountBits'(offset[TapBits*r +: TapBits]);
      assign length[CountBits*r +: CountBits] = !is_run_i[r] ? '0 : left < BytesBits'(room) ? left[CountBits-1:0] : room;
      if (r % 4 == 0) begin : gen_word
        assign read[r/4] = is_run_i[r];
      end
    end
  endgenerate

  // New positions. In the next row one is tap u of pixel p where the tap that it is of pixel q moves to u and is held: of shared
  // windows it is number k of each pixel.
  logic [4*16*News-1:0]       news;
  logic [4*News*(TapBits+2)-1:0] found;    // takes, ahead, tap
  logic [TapBits+1:0] entry;
  logic [TapBits:0]   moved;
  logic               is_it, stays, is_held;
  logic [TapBits-1:0] next;

  always_comb begin
    news = '0;
    found = '0;
    entry = '0;
    moved = '0;
    {is_it, stays, is_held} = '0;
    next = '0;
    if (beat_i) begin
      for (int p = 0; p < 4; p = p + 1) begin
        for (int k = 0; k < News; k = k + 1) begin
          entry = '0;
          for (int x = 0; x < Runs; x = x + 1) begin
            is_it = is_first_i[x] && gets_i[4*x+p] && rank_i[4*(4*x+p) +: 4] == 4'(k);
            entry = entry | ({tap_i[TapBits*(4*x+p) +: TapBits], is_ahead_i[x/4], takes_i[4*x+p]} & {TapBits+2{is_it}});
          end
          found[(TapBits+2)*(News*p+k) +: TapBits+2] = entry;
        end
      end
      for (int p = 0; p < 4; p = p + 1) begin
        for (int k = 0; k < News; k = k + 1) begin
          stays = 1'b0;
          next = '0;
          for (int q = 0; q < 4; q = q + 1) begin
            entry = found[(TapBits+2)*(News*q+k) +: TapBits+2];
            moved = {1'b0, entry[2 +: TapBits]} - move[(TapBits+1)*(4*p+q) +: TapBits+1];
            is_held = entry[1:0] == 2'b01 && !moved[TapBits] && held[Lanes*(4*p+q)+32'(moved[TapBits-1:0])];
            stays = stays || is_held;
            next = next | (moved[TapBits-1:0] & {TapBits{is_held}});
          end
          entry = found[(TapBits+2)*(News*p+k) +: TapBits+2];
          news[16*(News*p+k) +: 2*TapBits+3] = {next, entry[2 +: TapBits], stays, entry[1:0]};
        end
      end
    end
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
      read_o <= read;
      is_ahead_o <= is_ahead_i;
      is_shared_o <= is_shared_i;
      hand_is_shared_o <= hand_is_shared_i;
      word_o <= word_i;
      offset_o <= offset;
      length_o <= length;
      to_o <= to;
      gets_o <= gets_i;
      takes_o <= takes_i;
      tap_o <= tap_i;
      new_o <= news;
      mask_o <= mask_i;
      move_o <= move_i;
    end
  end
endmodule
