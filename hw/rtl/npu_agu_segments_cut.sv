// SPDX-License-Identifier: Apache-2.0
// Cuts runs into segments, up to two a cycle: a segment is the N bytes from the first one of the run that a pixel lacks.
//
//   runs --> [queue] --> segment 0 --> segment 1 --> [beat]
//                 begin ----^  ^------ begin of the next one
//
// All pixels have a run of the same length. Numbered by their place in memory, pixel q has bytes q s to q s + b of it, where s
// is the distance of two pixels, or 4 N where it is more: then no segment has bytes of two. So all numbers are below 16 N,
// and where a segment begins says what each pixel has taken before it.
//
// Registers: six runs, where the next segment begins in the first of them, and the beat.
module npu_agu_segments_cut #(
  parameter int Lanes = 16,
  parameter int PayloadBits = 1,
  localparam int BytesBits = $clog2(2*Lanes+1),
  localparam int PlaceBits = $clog2(Lanes) + 4
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [4*PlaceBits-1:0] starts_i,     // q s
  input  logic [3:0]  has_pixel_i,
  input  logic [1:0]  run_valid_i,             // the first; the one after it as well
  output logic        run_ready_o,
  input  logic [2*BytesBits-1:0] run_bytes_i,
  input  logic [1:0]  run_last_i,              // of its row
  input  logic [2*PayloadBits-1:0] run_payload_i,
  // Two segments; those of the second where `cut_has_second_o`.
  output logic        cut_valid_o,
  input  logic        cut_ready_i,
  output logic        cut_has_second_o,
  output logic [2*PlaceBits-1:0] cut_begin_o,
  output logic [3:0]  cut_owner_o,             // number of the first pixel that has bytes of it
  output logic [2*BytesBits-1:0] cut_bytes_o,  // of its run
  output logic [2*PayloadBits-1:0] cut_payload_o,
  output logic        cut_last_o,              // of its row
  output logic        is_empty_o
);
  localparam int EntryBits = PayloadBits + BytesBits + 1;
  localparam int Entries = 6;
  // Where a segment begins, and the first pixel that has bytes of it.
  localparam int BeginBits = 2 + PlaceBits;

  // After the segment that begins at `begin_at`: {whether the run is gone, else the next begin}.
  function automatic logic [BeginBits:0] after(input logic [PlaceBits-1:0] begin_at, input logic [BytesBits-1:0] bytes,
                                                input logic [4*PlaceBits-1:0] places, input logic [3:0] is_pixel);
    logic [PlaceBits-1:0] stop, start;
    stop = begin_at + PlaceBits'(Lanes);
    after = {1'b1, {BeginBits{1'b0}}};
    for (int q = 3; q >= 0; q = q - 1) begin
      start = places[PlaceBits*q +: PlaceBits];
      if (is_pixel[q] && start + PlaceBits'(bytes) > stop) after = {1'b0, 2'(q), start > stop ? start : stop};
    end
  endfunction

  logic [Entries*EntryBits-1:0] entries_q;
  logic [2:0]  count_q, rest;
  logic [BeginBits-1:0] begin_q;
  logic [2*EntryBits-1:0] new_entries;

  genvar r;
  generate
    for (r = 0; r < 2; r = r + 1) begin : gen_run
      assign new_entries[EntryBits*r +: EntryBits] =
          {run_payload_i[PayloadBits*r +: PayloadBits], run_bytes_i[BytesBits*r +: BytesBits], run_last_i[r]};
    end
  endgenerate

  // Two segments.
  logic [EntryBits-1:0] entry0, entry1;
  logic [BeginBits:0]   after0, after1_same, after1_next, after1;
  logic        is_there, is_gone0, is_gone1, has_second, cuts;
  logic [1:0]  num_gone;

  assign entry0 = entries_q[0 +: EntryBits];
  assign entry1 = entries_q[EntryBits +: EntryBits];
  assign after0 = after(begin_q[PlaceBits-1:0], entry0[1 +: BytesBits], starts_i, has_pixel_i);
  assign after1_same = after(after0[PlaceBits-1:0], entry0[1 +: BytesBits], starts_i, has_pixel_i);
  assign after1_next = after('0, entry1[1 +: BytesBits], starts_i, has_pixel_i);
  assign is_gone0 = after0[BeginBits];
  assign has_second = !is_gone0 || !entry0[0];
  assign after1 = is_gone0 ? after1_next : after1_same;
  assign is_gone1 = after1[BeginBits];
  assign num_gone = 2'(is_gone0) + 2'(has_second && is_gone1);
  // The run after the first one is in the queue, or of another row.
  assign is_there = count_q > 3'd1 || (count_q == 3'd1 && entry0[0]);
  assign cuts = is_there && (!cut_valid_o || cut_ready_i);
  assign is_empty_o = count_q == 3'd0 && !cut_valid_o;

  assign run_ready_o = count_q <= 3'(Entries-2);
  assign rest = count_q - (cuts ? {1'b0, num_gone} : 3'd0);

  logic [(Entries+2)*EntryBits-1:0] wide;
  logic [Entries*EntryBits-1:0] kept;
  assign wide = {{2*EntryBits{1'b0}}, entries_q};
  always_comb begin
    kept = wide[0 +: Entries*EntryBits];
    if (cuts && num_gone == 2'd1) kept = wide[EntryBits +: Entries*EntryBits];
    if (cuts && num_gone == 2'd2) kept = wide[2*EntryBits +: Entries*EntryBits];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= 3'd0;
      cut_valid_o <= 1'b0;
    end else begin
      count_q <= rest + (run_ready_o ? 3'(run_valid_i[0]) + 3'(run_valid_i[1]) : 3'd0);
      if (!cut_valid_o || cut_ready_i) cut_valid_o <= is_there;
    end
  end

  always_ff @(posedge clk_i) begin
    for (int i = 0; i < Entries; i = i + 1) begin
      entries_q[EntryBits*i +: EntryBits] <= 3'(i) < rest ? kept[EntryBits*i +: EntryBits]
                                           : new_entries[EntryBits*32'(3'(i) != rest) +: EntryBits];
    end
    if (count_q == 3'd0) begin_q <= '0;
    if (cuts) begin
      begin_q <= has_second ? after1[BeginBits-1:0] : '0;
      cut_has_second_o <= has_second;
      cut_begin_o <= {is_gone0 ? {PlaceBits{1'b0}} : after0[PlaceBits-1:0], begin_q[PlaceBits-1:0]};
      cut_owner_o <= {is_gone0 ? 2'd0 : after0[PlaceBits +: 2], begin_q[PlaceBits +: 2]};
      cut_bytes_o <= {is_gone0 ? entry1[1 +: BytesBits] : entry0[1 +: BytesBits], entry0[1 +: BytesBits]};
      cut_payload_o <= {is_gone0 ? entry1[BytesBits+1 +: PayloadBits] : entry0[BytesBits+1 +: PayloadBits], entry0[BytesBits+1 +: PayloadBits]};
      cut_last_o <= !has_second ? 1'b1 : is_gone1 && (is_gone0 ? entry1[0] : entry0[0]);
    end
  end
endmodule
