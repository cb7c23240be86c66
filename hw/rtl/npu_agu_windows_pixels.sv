// SPDX-License-Identifier: Apache-2.0
// Each tap of each pixel: whether it lies in the map, whether it is another pixel's too, whether its window lacks it, and which tap
// of the row before it was. One stage, a row a cycle.
//
// A position that several pixels need belongs to the first of them. Strides and moves are whole numbers of taps, or no two
// taps meet.
module npu_agu_windows_pixels #(
  parameter int Lanes = 16,
  localparam int TapBits = $clog2(Lanes),
  localparam int CountBits = $clog2(Lanes+1),
  localparam int BytesBits = $clog2(2*Lanes+1),
  localparam int WrapBits = CountBits + 1
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        go_i,       // rows move on
  // The command and its preparation.
  input  logic [1:0]  split_i,
  input  logic [15:0] in_rows_i, in_columns_i,
  input  logic [13:0] stride_columns_i,
  input  logic [7:0]  columns_valid_i,
  input  logic [8*TapBits-1:0] columns_taps_i,
  input  logic        rows_valid_i,
  input  logic [TapBits-1:0] rows_taps_i,
  // The row, as npu_agu_windows_taps has it.
  input  logic        valid_i,
  input  logic [CountBits-1:0] taps_i,
  input  logic [32*Lanes-1:0]  address_i, map_row_i, map_column_i,
  input  logic [TapBits*Lanes-1:0]   begin_i,
  input  logic [CountBits*Lanes-1:0] end_i, left_i,
  input  logic [WrapBits*Lanes-1:0]  wrap_i,
  input  logic [BytesBits-1:0] bytes_i,
  input  logic [3:0]  pixels_i,
  input  logic        all_enter_i, moves_rows_i, moves_back_i, is_back_i, last_i,
  output logic        valid_o,
  output logic [32*Lanes-1:0]  address_o,
  // Each tap of each pixel, pixel after pixel: its position is to be read as this one; pixels whose windows take it then; it adds
  // nothing to the row.
  output logic [4*Lanes-1:0]   read_o,
  output logic [16*Lanes-1:0]  takes_o,
  output logic [4*Lanes-1:0]   mask_o,
  // For each pixel and each pixel of the row before: taps of the one that are taps of the other, so many taps on.
  output logic [16*Lanes-1:0]  held_o,
  output logic [16*(TapBits+1)-1:0] move_o,
  output logic        is_shared_o,
  output logic [CountBits-1:0] free_o,   // registers that the row leaves
  output logic [BytesBits-1:0] bytes_o,
  output logic        is_back_o, last_o
);
  // Taps of pixels. Of two pixels d apart the taps differ by as many taps as d strides are.
  logic [2:0]  pixels;
  logic [CountBits+1:0] most_positions, positions;
  logic [4*Lanes-1:0]  is_tap, is_again, is_in_map, is_new, read;
  logic [16*Lanes-1:0] takes, held;
  logic        is_shared;
  logic [CountBits:0]  other, lower;
  logic [CountBits:0]  near;
  logic signed [TapBits+2:0] to;
  logic signed [TapBits:0]   along;         // taps along the kernel row
  logic [16*(TapBits+1)-1:0] along_move, move;
  logic signed [TapBits+2:0] rows_taps, rows_move;   // taps of whole kernel rows
  logic [15:0] move_valid;
  logic [3:0]  apart;
  logic [Lanes-1:0] shifted;

  assign pixels = 3'd1 << split_i;
  assign most_positions = (CountBits+2)'(Lanes);

  genvar t;
  generate
    for (t = 0; t < 4*Lanes; t = t + 1) begin : gen_pixel_tap
      logic [31:0] column;
      assign column = map_column_i[32*(t%Lanes) +: 32] + 32'(t/Lanes) * 32'(stride_columns_i);
      assign is_tap[t] = 3'(t/Lanes) < pixels && CountBits'(t%Lanes) < taps_i;
      assign is_in_map[t] = map_row_i[32*(t%Lanes) +: 32] < 32'(in_rows_i) && column < 32'(in_columns_i);
    end
  endgenerate

  // The tap of pixel q of the row before at the place of a tap of pixel p: so many taps along the kernel row, of another
  // kernel row where the row before lies above or below.
  always_comb begin
    along_move = '0;
    move = '0;
    move_valid = '0;
    apart = '0;
    for (int p = 0; p < 4; p = p + 1) begin
      for (int q = 0; q < 4; q = q + 1) begin
        apart = 4'(p - q);
        if (!moves_rows_i) apart = moves_back_i ? apart - {1'b0, pixels} : apart + {1'b0, pixels};
        if (apart[3]) begin
          apart = -apart;
          move_valid[4*p+q] = columns_valid_i[apart[2:0]];
          along_move[(TapBits+1)*(4*p+q) +: TapBits+1] = -{1'b0, columns_taps_i[TapBits*32'(apart[2:0]) +: TapBits]};
        end else begin
          move_valid[4*p+q] = columns_valid_i[apart[2:0]] || apart == 4'd0;
          along_move[(TapBits+1)*(4*p+q) +: TapBits+1] = {1'b0, columns_taps_i[TapBits*32'(apart[2:0]) +: TapBits]};
        end
        if (moves_rows_i && !rows_valid_i) move_valid[4*p+q] = 1'b0;
        move[(TapBits+1)*(4*p+q) +: TapBits+1] = along_move[(TapBits+1)*(4*p+q) +: TapBits+1] + rows_move[TapBits:0];
      end
    end
  end
  assign rows_taps = {3'd0, rows_taps_i};
  assign rows_move = !moves_rows_i ? '0 : moves_back_i ? -rows_taps : rows_taps;

  always_comb begin
    is_again = '0;
    positions = '0;
    other = '0;
    for (int p = 0; p < 4; p = p + 1) begin
      for (int u = 0; u < Lanes; u = u + 1) begin
        for (int q = 0; q < 3; q = q + 1) begin
          other = (CountBits+1)'(u) + (CountBits+1)'(columns_taps_i[TapBits*((p - q) & 3) +: TapBits]);
          if (q < p && columns_valid_i[(p - q) & 3] && other < {1'b0, end_i[CountBits*u +: CountBits]}) is_again[Lanes*p+u] = 1'b1;
        end
        positions = positions + (CountBits+2)'(is_tap[Lanes*p+u] && !is_again[Lanes*p+u]);
      end
    end
    is_shared = positions <= most_positions;
  end

  always_comb begin
    held = '0;
    is_new = is_tap;
    along = '0;
    near = '0;
    to = '0;
    for (int p = 0; p < 4; p = p + 1) begin
      for (int q = 0; q < 4; q = q + 1) begin
        along = along_move[(TapBits+1)*(4*p+q) +: TapBits+1];
        if (!all_enter_i && move_valid[4*p+q] && 3'(q) < pixels && (p == q || is_shared)) begin
          for (int u = 0; u < Lanes; u = u + 1) begin
            to = (TapBits+3)'(u) + (TapBits+3)'(along) + rows_move;
            near = along < 0 ? (CountBits+1)'(-along) : (CountBits+1)'(u) + (CountBits+1)'(along);
            if (is_tap[Lanes*p+u] && to >= 0 && to < $signed((TapBits+3)'(taps_i)) &&
                (along < 0 ? near <= {1'b0, left_i[CountBits*u +: CountBits]} : near < wrap_i[WrapBits*u +: WrapBits])) begin
              held[Lanes*(4*p+q)+u] = 1'b1;
              is_new[Lanes*p+u] = 1'b0;
            end
          end
        end
      end
    end
  end

  // Pixel q has the position of a tap of pixel p in a lower tap, of the same kernel row.
  always_comb begin
    takes = '0;
    read = '0;
    shifted = '0;
    lower = '0;
    for (int p = 0; p < 4; p = p + 1) begin
      for (int q = 0; q < 4; q = q + 1) begin
        shifted = p == q ? is_new[Lanes*q +: Lanes]
                         : is_new[Lanes*q +: Lanes] << columns_taps_i[TapBits*((q - p) & 3) +: TapBits];
        for (int u = 0; u < Lanes; u = u + 1) begin
          lower = (CountBits+1)'(columns_taps_i[TapBits*((q - p) & 3) +: TapBits]) + (CountBits+1)'(begin_i[TapBits*u +: TapBits]);
          takes[4*(Lanes*p+u) + q] = shifted[u] && q >= p && (p == q || (columns_valid_i[(q - p) & 3] && (CountBits+1)'(u) >= lower));
        end
      end
      for (int u = 0; u < Lanes; u = u + 1) begin
        read[Lanes*p+u] = is_tap[Lanes*p+u] && !is_again[Lanes*p+u] && is_in_map[Lanes*p+u] && takes[4*(Lanes*p+u) +: 4] != 4'd0;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_o <= 1'b0;
    else if (go_i) valid_o <= valid_i;
  end

  always_ff @(posedge clk_i) begin
    if (go_i && valid_i) begin
      address_o <= address_i;
      read_o <= read;
      takes_o <= takes;
      for (int p = 0; p < 4; p = p + 1) begin
        mask_o[Lanes*p +: Lanes] <= ~(is_tap[Lanes*p +: Lanes] & is_in_map[Lanes*p +: Lanes] & {Lanes{pixels_i[p]}});
      end
      held_o <= held;
      move_o <= move;
      is_shared_o <= is_shared;
      free_o <= CountBits'(Lanes) - (is_shared ? positions[CountBits-1:0] : taps_i);
      bytes_o <= bytes_i;
      is_back_o <= is_back_i;
      last_o <= last_i;
    end
  end
endmodule
