// SPDX-License-Identifier: Apache-2.0
// From the first tap of a row's step to what each tap of each pixel is: where it lies, whether its pixel's window lacks it, and
// which tap of the row before it was. Two stages, a row a cycle.
//
//   row --> [taps: kernel row, address, map row and column] --> [taps of each pixel: in the map, the same as another's, new]
//
// The taps of a step are numbered in the order of the reduction, so that they ascend by row and column. A position that
// several pixels need belongs to the first of them. Strides and moves are whole numbers of taps, or no two taps meet.
module npu_agu_windows_taps #(
  parameter int Lanes = 16,
  parameter int TapBits = $clog2(Lanes),
  parameter int CountBits = $clog2(Lanes+1),
  parameter int BytesBits = $clog2(2*Lanes+1)
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  // The command and its preparation.
  input  logic [1:0]  split_i,
  input  logic [15:0] in_rows_i, in_columns_i,
  input  logic [13:0] kernel_columns_i, stride_columns_i, dilation_rows_i, dilation_columns_i,
  input  logic [31:0] tap_step_i, wrap_step_i, wrap_columns_i,
  input  logic [7:0]  columns_valid_i,
  input  logic [8*TapBits-1:0] columns_taps_i,
  input  logic        rows_valid_i,
  input  logic [TapBits-1:0] rows_taps_rows_i, rows_taps_i,
  // The row, as npu_agu_windows_walk has it.
  input  logic        valid_i,
  output logic        ready_o,
  input  logic [31:0] address_i, row_i, column_i,
  input  logic [13:0] tap_column_i,
  input  logic [CountBits-1:0] taps_i,
  input  logic [BytesBits-1:0] bytes_i,
  input  logic [3:0]  pixels_i,
  input  logic        all_enter_i, moves_rows_i, moves_back_i, is_back_i, last_i,
  output logic        valid_o,
  input  logic        ready_i,
  // Each tap: address for pixel 0, first tap of its kernel row in the step and the one behind the last.
  output logic [CountBits-1:0] taps_o,
  output logic [32*Lanes-1:0]  address_o,
  output logic [TapBits*Lanes-1:0]   row_begin_o,
  output logic [CountBits*Lanes-1:0] row_end_o,
  // Each tap of each pixel, pixel after pixel: its position is to be read as this one; pixels whose windows take it then; its
  // register is that of tap `from` of the row before.
  output logic [4*Lanes-1:0]   read_o,
  output logic [16*Lanes-1:0]  takes_o,
  output logic [4*Lanes-1:0]   held_o,
  output logic [4*Lanes*(TapBits+2)-1:0] from_o,
  output logic        is_shared_o,
  output logic [CountBits-1:0] free_o,   // registers that the row leaves
  output logic [BytesBits-1:0] bytes_o,
  output logic [3:0]  pixels_o,
  output logic        is_back_o, last_o
);
  localparam int IndexBits = TapBits + 2;   // of a tap of a pixel

  // Taps: bounds of kernel rows in the step.
  logic [CountBits-1:0] first_wrap, wrap_taps;
  logic [2*CountBits:0] bound;
  logic [TapBits*Lanes-1:0]   kernel_row_d, kernel_row_q, begin_d;
  logic [CountBits*Lanes-1:0] end_d;
  logic [32*Lanes-1:0]        address_d, map_row_d, map_row_q, map_column_d, map_column_q;
  logic        valid_taps_q, all_enter_q, moves_rows_q, moves_back_q, is_back_q, last_q;
  logic [TapBits*Lanes-1:0]   begin_q;
  logic [CountBits*Lanes-1:0] end_q;
  logic [32*Lanes-1:0]        address_q;
  logic [CountBits-1:0] taps_q;
  logic [BytesBits-1:0] bytes_q;
  logic [3:0]  pixels_q;
  logic        valid_q, ready_taps;

  assign ready_taps = !valid_q || ready_i;
  assign ready_o = !valid_taps_q || ready_taps;
  assign valid_o = valid_q;

  // Not more than N: so far the step reaches.
  assign wrap_taps = kernel_columns_i > 14'(Lanes) ? CountBits'(Lanes) : kernel_columns_i[CountBits-1:0];
  assign first_wrap = kernel_columns_i - tap_column_i > 14'(Lanes) ? CountBits'(Lanes) : CountBits'(kernel_columns_i - tap_column_i);

  always_comb begin
    kernel_row_d = '0;
    begin_d = '0;
    end_d = {Lanes{taps_i}};
    bound = '0;
    for (int m = 0; m < Lanes; m = m + 1) begin
      bound = (2*CountBits+1)'(first_wrap) + (2*CountBits+1)'(m) * (2*CountBits+1)'(wrap_taps);
      for (int t = 0; t < Lanes; t = t + 1) begin
        if (bound <= (2*CountBits+1)'(t)) begin
          kernel_row_d[TapBits*t +: TapBits] = TapBits'(m + 1);
          begin_d[TapBits*t +: TapBits] = bound[TapBits-1:0];
        end else if (bound < (2*CountBits+1)'(end_d[CountBits*t +: CountBits])) begin
          end_d[CountBits*t +: CountBits] = bound[CountBits-1:0];
        end
      end
    end
  end

  genvar t;
  generate
    for (t = 0; t < Lanes; t = t + 1) begin : gen_tap
      logic [31:0] wraps;
      assign wraps = 32'(kernel_row_d[TapBits*t +: TapBits]);
      assign address_d[32*t +: 32] = address_i + 32'(t) * tap_step_i + wraps * wrap_step_i;
      assign map_row_d[32*t +: 32] = row_i + wraps * 32'(dilation_rows_i);
      assign map_column_d[32*t +: 32] = column_i + 32'(t) * 32'(dilation_columns_i) - wraps * wrap_columns_i;
    end
  endgenerate

  // Taps of pixels. Of two pixels d apart the taps differ by as many taps as d strides are.
  logic [2:0]  pixels;
  logic [CountBits+1:0] most_positions, positions;
  logic [4*Lanes-1:0]  is_tap, is_again, is_in_map, held, is_new, read;
  logic [16*Lanes-1:0] takes;
  logic [4*Lanes*IndexBits-1:0] from;
  logic        is_shared;
  logic [TapBits+2:0]   other;   // tap, with a sign: from -(N - 1 + N - 1 + N - 1) on
  logic [16*(TapBits+3)-1:0] move;
  logic [15:0] move_valid;
  logic [TapBits-1:0] rows_move;
  logic [3:0]  apart;

  assign pixels = 3'd1 << split_i;
  assign most_positions = (CountBits+2)'(Lanes);

  generate
    for (t = 0; t < 4*Lanes; t = t + 1) begin : gen_pixel_tap
      logic [31:0] column;
      assign column = map_column_q[32*(t%Lanes) +: 32] + 32'(t/Lanes) * 32'(stride_columns_i);
      assign is_tap[t] = 3'(t/Lanes) < pixels && CountBits'(t%Lanes) < taps_q;
      assign is_in_map[t] = map_row_q[32*(t%Lanes) +: 32] < 32'(in_rows_i) && column < 32'(in_columns_i);
    end
  endgenerate

  // The tap of pixel q of the row before at the place of a tap of pixel p: so many taps on, if that is one.
  always_comb begin
    move = '0;
    move_valid = '0;
    apart = '0;
    for (int p = 0; p < 4; p = p + 1) begin
      for (int q = 0; q < 4; q = q + 1) begin
        apart = 4'(p - q);
        if (!moves_rows_q) apart = moves_back_q ? apart - {1'b0, pixels} : apart + {1'b0, pixels};
        if (apart[3]) begin
          apart = -apart;
          move_valid[4*p+q] = columns_valid_i[apart[2:0]];
          move[(TapBits+3)*(4*p+q) +: TapBits+3] = -(TapBits+3)'(columns_taps_i[TapBits*32'(apart[2:0]) +: TapBits]);
        end else if (apart != 4'd0) begin
          move_valid[4*p+q] = columns_valid_i[apart[2:0]];
          move[(TapBits+3)*(4*p+q) +: TapBits+3] = (TapBits+3)'(columns_taps_i[TapBits*32'(apart[2:0]) +: TapBits]);
        end else begin
          move_valid[4*p+q] = 1'b1;
        end
        if (moves_rows_q) begin
          move_valid[4*p+q] = move_valid[4*p+q] && rows_valid_i;
          move[(TapBits+3)*(4*p+q) +: TapBits+3] = moves_back_q
              ? move[(TapBits+3)*(4*p+q) +: TapBits+3] - (TapBits+3)'(rows_taps_i)
              : move[(TapBits+3)*(4*p+q) +: TapBits+3] + (TapBits+3)'(rows_taps_i);
        end
      end
    end
  end
  assign rows_move = !moves_rows_q ? '0 : moves_back_q ? -rows_taps_rows_i : rows_taps_rows_i;

  always_comb begin
    is_again = '0;
    positions = '0;
    other = '0;
    for (int p = 0; p < 4; p = p + 1) begin
      for (int u = 0; u < Lanes; u = u + 1) begin
        for (int q = 0; q < p; q = q + 1) begin
          other = (TapBits+3)'(u) + (TapBits+3)'(columns_taps_i[TapBits*(p-q) +: TapBits]);
          if (columns_valid_i[p-q] && other < (TapBits+3)'(end_q[CountBits*u +: CountBits])) is_again[Lanes*p+u] = 1'b1;
        end
        positions = positions + (CountBits+2)'(is_tap[Lanes*p+u] && !is_again[Lanes*p+u]);
      end
    end
    is_shared = positions <= most_positions;
  end

  always_comb begin
    held = '0;
    from = '0;
    for (int p = 0; p < 4; p = p + 1) begin
      for (int q = 0; q < 4; q = q + 1) begin
        if (!all_enter_q && move_valid[4*p+q] && 3'(q) < pixels && (p == q || is_shared)) begin
          for (int u = 0; u < Lanes; u = u + 1) begin
            if (is_tap[Lanes*p+u] && is_moved(u, move[(TapBits+3)*(4*p+q) +: TapBits+3])) begin
              held[Lanes*p+u] = 1'b1;
              from[IndexBits*(Lanes*p+u) +: IndexBits] = {2'(q), TapBits'(u) + move[(TapBits+3)*(4*p+q) +: TapBits]};
            end
          end
        end
      end
    end
    is_new = is_tap & ~held;
  end
  /// Whether tap u, so many taps on, is one of the step and of the kernel row that the move leads to.
  function automatic logic is_moved(input int u, input logic [TapBits+2:0] by);
    logic [TapBits+2:0] to;
    to = (TapBits+3)'(u) + by;
    is_moved = !to[TapBits+2] && to < (TapBits+3)'(taps_q) &&
               {1'b0, kernel_row_q[TapBits*32'(to[TapBits-1:0]) +: TapBits]} ==
                   {1'b0, kernel_row_q[TapBits*u +: TapBits]} + {moves_rows_q && moves_back_q, rows_move};
  endfunction

  always_comb begin
    takes = '0;
    read = '0;
    for (int p = 0; p < 4; p = p + 1) begin
      for (int u = 0; u < Lanes; u = u + 1) begin
        takes[4*(Lanes*p+u) + p] = is_new[Lanes*p+u];
        for (int q = p + 1; q < 4; q = q + 1) begin
          if (columns_valid_i[q-p] && TapBits'(u) >= columns_taps_i[TapBits*(q-p) +: TapBits] + begin_q[TapBits*u +: TapBits] &&
              {1'b0, columns_taps_i[TapBits*(q-p) +: TapBits]} + {1'b0, begin_q[TapBits*u +: TapBits]} < (TapBits+1)'(Lanes)) begin
            takes[4*(Lanes*p+u) + q] = is_new[{2'(q), TapBits'(u) - columns_taps_i[TapBits*(q-p) +: TapBits]}];
          end
        end
        read[Lanes*p+u] = is_tap[Lanes*p+u] && !is_again[Lanes*p+u] && is_in_map[Lanes*p+u] && takes[4*(Lanes*p+u) +: 4] != 4'd0;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_taps_q <= 1'b0;
      valid_q <= 1'b0;
    end else begin
      if (ready_o) valid_taps_q <= valid_i;
      if (ready_taps) valid_q <= valid_taps_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (ready_o && valid_i) begin
      kernel_row_q <= kernel_row_d;
      begin_q <= begin_d;
      end_q <= end_d;
      address_q <= address_d;
      map_row_q <= map_row_d;
      map_column_q <= map_column_d;
      taps_q <= taps_i;
      bytes_q <= bytes_i;
      pixels_q <= pixels_i;
      all_enter_q <= all_enter_i;
      moves_rows_q <= moves_rows_i;
      moves_back_q <= moves_back_i;
      is_back_q <= is_back_i;
      last_q <= last_i;
    end
    if (ready_taps && valid_taps_q) begin
      taps_o <= taps_q;
      address_o <= address_q;
      row_begin_o <= begin_q;
      row_end_o <= end_q;
      read_o <= read;
      takes_o <= takes;
      held_o <= held;
      from_o <= from;
      is_shared_o <= is_shared;
      free_o <= CountBits'(Lanes) - (is_shared ? positions[CountBits-1:0] : taps_q);
      bytes_o <= bytes_q;
      pixels_o <= pixels_q;
      is_back_o <= is_back_q;
      last_o <= last_q;
    end
  end
endmodule
