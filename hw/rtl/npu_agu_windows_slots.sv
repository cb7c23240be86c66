// SPDX-License-Identifier: Apache-2.0
// The positions of a row in their order, and the words that each lies in. Two stages, a row a cycle.
//
//   taps of the step ---> [slots: pixel and tap of each] --> [first word, and how many more]
//   taps of the pixels (made at the same time) -----------------^
//
// A kernel row of w taps has P x w slots, by pixel, then by tap, so that slot P x t is of the kernel row of tap t. A slot whose
// position is not to be read is passed over.
module npu_agu_windows_slots #(
  parameter int Lanes = 16,
  localparam int TapBits = $clog2(Lanes),
  localparam int CountBits = $clog2(Lanes+1),
  localparam int BytesBits = $clog2(2*Lanes+1),
  localparam int Slots = 4*Lanes,
  localparam int IdxBits = TapBits + 2,
  localparam int WordBits = 32 - TapBits,
  localparam int RestBits = 68*Lanes + 16*(TapBits+1) + BytesBits + 1   // moves, mask, look
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        go_i,       // rows move on
  input  logic [1:0]  split_i,
  input  logic [31:0] stride_column_step_i,
  // As npu_agu_windows_taps has it.
  input  logic        tap_valid_i,
  input  logic [CountBits-1:0] taps_i,
  input  logic [TapBits*Lanes-1:0]   begin_i,
  input  logic [CountBits*Lanes-1:0] end_i,
  // As npu_agu_windows_pixels has it, a stage later; `rest`: what goes with the row and is not looked at.
  input  logic        valid_i,
  input  logic [32*Lanes-1:0]  address_i,
  input  logic [4*Lanes-1:0]   read_i,
  input  logic [BytesBits-1:0] bytes_i,
  input  logic [CountBits-1:0] free_i,
  input  logic        is_back_i, last_i,
  input  logic [RestBits-1:0]  rest_i,
  output logic        valid_o,
  // Slots.
  output logic [Slots-1:0]          read_o,
  output logic [WordBits*Slots-1:0] word_o,
  output logic [2*Slots-1:0]        more_o,   // words after the first one, 0 to 2
  output logic [IdxBits*Slots-1:0]  idx_o,    // pixel, tap
  output logic [CountBits-1:0] free_o,
  output logic        is_back_o, last_o,
  output logic [RestBits-1:0]  rest_o
);
  localparam int OfRowBits = CountBits + 2;   // slots of a kernel row

  logic [Slots-1:0]          is_slot_d, is_slot_q, read_d;
  logic [IdxBits*Slots-1:0]  idx_d, idx_q;
  logic [WordBits*Slots-1:0] word_d;
  logic [2*Slots-1:0]        more_d;
  // Bytes from pixel 0 to each.
  logic [4*32-1:0] pixel_step;
  logic [BytesBits-1:0] last_byte;

  assign pixel_step[0 +: 32] = 32'd0;
  assign pixel_step[32 +: 32] = stride_column_step_i;
  assign pixel_step[64 +: 32] = stride_column_step_i << 1;
  assign pixel_step[96 +: 32] = stride_column_step_i + (stride_column_step_i << 1);
  assign last_byte = bytes_i - 1'b1;

  genvar s;
  generate
    for (s = 0; s < Slots; s = s + 1) begin : gen_slot
      // Where it is.
      logic [TapBits+1:0]   of_tap;       // the tap whose kernel row has the slot
      logic [TapBits-1:0]   row_begin, left;   // left: of the kernel row's slots of the same pixel those before it
      logic [CountBits-1:0] width;
      logic [OfRowBits-1:0] of_row;       // slots of the kernel row before it
      logic [1:0]           pixel;

      assign of_tap = (TapBits+2)'(s) >> split_i;
      assign row_begin = begin_i[TapBits*32'(of_tap[TapBits-1:0]) +: TapBits];
      assign width = end_i[CountBits*32'(of_tap[TapBits-1:0]) +: CountBits] - CountBits'(row_begin);
      assign of_row = OfRowBits'(s) - (OfRowBits'(row_begin) << split_i);
      always_comb begin
        pixel = 2'd0;
        left = of_row[TapBits-1:0];
        for (int p = 1; p < 4; p = p + 1) begin
          if (of_row >= OfRowBits'(p) * OfRowBits'(width)) begin
            pixel = 2'(p);
            left = TapBits'(of_row - OfRowBits'(p) * OfRowBits'(width));
          end
        end
      end
      assign is_slot_d[s] = of_tap < (TapBits+2)'(taps_i);
      assign idx_d[IdxBits*s +: IdxBits] = {pixel, row_begin + left};

      // Its words.
      logic [IdxBits-1:0] idx;
      logic [31:0] address;
      assign idx = idx_q[IdxBits*s +: IdxBits];
      assign read_d[s] = is_slot_q[s] && read_i[idx];
      assign address = address_i[{idx[TapBits-1:0], 5'd0} +: 32] + pixel_step[{idx[TapBits +: 2], 5'd0} +: 32];
      assign word_d[WordBits*s +: WordBits] = address[31:TapBits];
      assign more_d[2*s +: 2] = 2'(((TapBits+2)'(address[TapBits-1:0]) + (TapBits+2)'(last_byte)) >> TapBits);
    end
  endgenerate

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_o <= 1'b0;
    else if (go_i) valid_o <= valid_i;
  end

  always_ff @(posedge clk_i) begin
    if (go_i && tap_valid_i) begin
      is_slot_q <= is_slot_d;
      idx_q <= idx_d;
    end
    if (go_i && valid_i) begin
      read_o <= read_d;
      word_o <= word_d;
      more_o <= more_d;
      idx_o <= idx_q;
      free_o <= free_i;
      is_back_o <= is_back_i;
      last_o <= last_i;
      rest_o <= rest_i;
    end
  end
endmodule
