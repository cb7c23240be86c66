// SPDX-License-Identifier: Apache-2.0
// Which lanes of an accumulator row that leaves have a pixel: a row of pixels is filled up to whole accumulator rows.
//
//   pixels of a row:   0 .. P-1 | P .. 2P-1 | ... | last group: some of P
//   lanes:             a quarter of them is a pixel (P = 4), a half (P = 2), or all (P = 1)
//
// Rows leave in the order of the command's loops: line after line, where a line is the groups of a row of pixels, or, with
// slide_rows, a column of groups; depthwise lines of odd numbers run from their far end.
module npu_row_pixels #(
  parameter int Lanes = 16
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             en_i,
  // Fields of a command that is taken at this edge, and where they go; those of the rows that leave.
  input  logic             command_i,
  input  logic             command_set_i,
  input  logic             drained_set_i,
  input  logic [npu_spec_pkg::MacLaneSplitLog2Bits-1:0] lane_split_log2_i,
  input  logic             is_depthwise_i,
  input  logic             slide_rows_i,
  input  logic [npu_spec_pkg::MacOutRowsBits-1:0]       out_rows_i,
  input  logic [npu_spec_pkg::MacOutColumnsBits-1:0]    out_columns_i,
  // A row leaves at this edge.
  input  logic             row_i,
  output logic [Lanes-1:0] lanes_o
);
  localparam int SplitBits = npu_spec_pkg::MacLaneSplitLog2Bits;
  localparam int CountBits = npu_spec_pkg::MacOutColumnsBits;
  localparam int NumPixels = npu_spec_pkg::MaxRowPixels;
  localparam int PixelBits = $clog2(NumPixels);
  // Lane split, whether lines go to and fro, whether they are columns, pixels of the last group less one, number of the last
  // row of a line and of the last line.
  localparam int FieldBits = SplitBits + 2 + PixelBits + 2*CountBits;

  logic [FieldBits-1:0]  fields0_q, fields1_q;
  logic [FieldBits-1:0]  fields_d;
  logic [CountBits-1:0]  last_column, last_row_of_map, last_group;
  logic [CountBits-1:0]  last_row, last_line, row_q, line_q;
  logic [SplitBits-1:0]  split;
  logic [PixelBits-1:0]  last_pixel;
  logic                  turns, is_column;
  logic [NumPixels-1:0]  pixels;  // that the row has
  logic                  is_last_group, is_last_row;

  assign last_column = out_columns_i - CountBits'(1);
  assign last_row_of_map = CountBits'(out_rows_i) - CountBits'(1);
  assign last_group = last_column >> lane_split_log2_i;
  assign fields_d = {lane_split_log2_i, is_depthwise_i, slide_rows_i,
                     last_column[PixelBits-1:0] & ~({PixelBits{1'b1}} << lane_split_log2_i),
                     slide_rows_i ? last_row_of_map : last_group,
                     slide_rows_i ? last_group : last_row_of_map};
  assign {split, turns, is_column, last_pixel, last_row, last_line} = drained_set_i ? fields1_q : fields0_q;
  assign is_last_row = row_q == last_row;
  assign is_last_group = is_column ? line_q == last_line : turns && line_q[0] ? row_q == '0 : is_last_row;
  assign pixels = is_last_group ? ~({NumPixels{1'b1}} << 1 << last_pixel) : '1;

  always_ff @(posedge clk_i) begin
    if (en_i && command_i && !command_set_i) fields0_q <= fields_d;
    if (en_i && command_i && command_set_i) fields1_q <= fields_d;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      row_q <= '0;
      line_q <= '0;
    end else if (row_i) begin
      row_q <= is_last_row ? '0 : row_q + CountBits'(1);
      if (is_last_row) line_q <= line_q == last_line ? '0 : line_q + CountBits'(1);
    end
  end

  genvar i;
  generate
    for (i = 0; i < Lanes; i = i + 1) begin : gen_lane
      localparam int Half = i / (Lanes / 2);
      localparam int Quarter = i / (Lanes / 4);
      logic [PixelBits-1:0] pixel;

      assign pixel = split == '0 ? '0 : split == SplitBits'(1) ? PixelBits'(Half) : PixelBits'(Quarter);
      assign lanes_o[i] = pixels[pixel];
    end
  endgenerate
endmodule
