// SPDX-License-Identifier: Apache-2.0
// The registers of the windows: which tap of the row in hand each has. What the beats before have left is all that goes round.
//
//   new position k of a pixel --> k-th free register --+--> tap of each register --> npu_agu_windows_outputs
//                                      [registers] ----+--> taps of the next row --> [registers]
//
// A position gets the lowest register that no tap of the row in hand has, in the order in which positions come; of windows
// that are shared all pixels have the same one. A tap keeps its register from row to row, under the number that it has there.
module npu_agu_windows_registers #(
  parameter int Lanes = 16,
  localparam int TapBits = $clog2(Lanes),
  localparam int MoveBits = 16*Lanes + 16*(TapBits+1),
  localparam int News = Lanes < 16 ? Lanes : 16
) (
  input  logic        clk_i,
  input  logic        step_i,      // beats move on
  // As npu_agu_windows_news has it.
  input  logic        beat_i, takes_row_i, ends_row_i,
  input  logic        is_shared_i,       // windows of the row in hand
  input  logic [4*16*News-1:0] new_i,    // of each pixel
  input  logic [MoveBits-1:0] move_i,    // held, move
  // Each register of each pixel: a tap of the row in hand has it, or one of the row after it; which tap.
  output logic [4*Lanes-1:0]  is_own_o, is_ahead_o,
  output logic [4*Lanes*TapBits-1:0] tap_o
);
  localparam int RankBits = TapBits + 1, NewBits = $clog2(News);

  logic [16*Lanes-1:0]       held;
  logic [16*(TapBits+1)-1:0] move;
  assign {held, move} = move_i;

  // The table, and what it is for the next beat.
  logic [4*Lanes-1:0] has_q, has_d;
  logic [4*Lanes*TapBits-1:0] tap_q, tap_d;

  // Of a pixel: free registers, and how many there are up to each.
  logic [Lanes-1:0] free, any_free;
  logic [RankBits*Lanes-1:0] free_up_to;
  logic [RankBits-1:0] rank;
  // Of a register: the new position that gets it, the tap that has it in the next row.
  logic [2*TapBits+2:0] entry;
  logic        takes, ahead, stays, is_kept, keeps;
  logic [TapBits-1:0] new_tap, next, kept;
  logic [TapBits:0]   moved;

  always_comb begin
    is_own_o = '0;
    is_ahead_o = '0;
    tap_o = '0;
    has_d = '0;
    tap_d = '0;
    free = '0;
    any_free = ~((has_q[0 +: Lanes] | has_q[Lanes +: Lanes]) | (has_q[2*Lanes +: Lanes] | has_q[3*Lanes +: Lanes]));
    free_up_to = '0;
    rank = '0;
    entry = '0;
    {takes, ahead, stays, is_kept, keeps} = '0;
    new_tap = '0;
    next = '0;
    kept = '0;
    moved = '0;
    if (beat_i) begin
      for (int p = 0; p < 4; p = p + 1) begin
        free = is_shared_i ? any_free : ~has_q[Lanes*p +: Lanes];
        for (int g = 0; g < Lanes; g = g + 1) free_up_to[RankBits*g +: RankBits] = RankBits'(free[g]);
        for (int level = 0; level < TapBits; level = level + 1) begin
          for (int g = 0; g < Lanes; g = g + 1) begin
            if (((g >> level) & 1) == 1) begin
              free_up_to[RankBits*g +: RankBits] = free_up_to[RankBits*g +: RankBits] +
                                                   free_up_to[RankBits*(((g >> level) << level)-1) +: RankBits];
            end
          end
        end
        for (int g = 0; g < Lanes; g = g + 1) begin
          rank = g == 0 ? '0 : free_up_to[RankBits*((g+Lanes-1)%Lanes) +: RankBits];
          entry = rank < RankBits'(News) && free[g] ? new_i[16*(News*p+32'(rank[NewBits-1:0])) +: 2*TapBits+3] : '0;
          {next, new_tap, stays, ahead, takes} = entry;
          is_kept = 1'b0;
          kept = '0;
          for (int q = 0; q < 4; q = q + 1) begin
            moved = {1'b0, tap_q[TapBits*(Lanes*q+g) +: TapBits]} - move[(TapBits+1)*(4*p+q) +: TapBits+1];
            keeps = has_q[Lanes*q+g] && !moved[TapBits] && held[Lanes*(4*p+q)+32'(moved[TapBits-1:0])];
            is_kept = is_kept || keeps;
            kept = kept | (moved[TapBits-1:0] & {TapBits{keeps}});
          end
          is_own_o[Lanes*p+g] = has_q[Lanes*p+g] || (takes && !ahead);
          is_ahead_o[Lanes*p+g] = takes && ahead;
          tap_o[TapBits*(Lanes*p+g) +: TapBits] = has_q[Lanes*p+g] ? tap_q[TapBits*(Lanes*p+g) +: TapBits] : new_tap;
          has_d[Lanes*p+g] = !ends_row_i ? has_q[Lanes*p+g] || (takes && !ahead) : is_kept || stays || (takes && ahead);
          tap_d[TapBits*(Lanes*p+g) +: TapBits] = !ends_row_i ? (has_q[Lanes*p+g] ? tap_q[TapBits*(Lanes*p+g) +: TapBits] : new_tap)
                                                              : kept | next | (new_tap & {TapBits{ahead}});
        end
      end
    end
  end

  // Without a beat the first row of a command comes to hand: has_d is 0.
  always_ff @(posedge clk_i) begin
    if (step_i && (beat_i || takes_row_i)) begin
      has_q <= has_d;
      tap_q <= tap_d;
    end
  end
endmodule
