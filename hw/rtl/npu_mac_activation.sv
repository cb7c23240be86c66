// SPDX-License-Identifier: Apache-2.0
// The activations of a row: an operand of N elements for each lane. A quarter of the lanes belongs to one pixel:
//
//   lane split:  1         2         4
//   quarter 0    pixel 0   pixel 0   pixel 0
//   quarter 1    pixel 0   pixel 0   pixel 1      convolution: an assembler for each pixel, all its lanes take its operand
//   quarter 2    pixel 0   pixel 1   pixel 2      depthwise:   a window for each lane
//   quarter 3    pixel 0   pixel 1   pixel 3
//
// All pixels see the words of a beat; each takes its bytes from them. Assemblers of pixels that the lane split has not are still.
module npu_mac_activation #(
  parameter int Lanes = 16,
  localparam int LaneBits = $clog2(Lanes),
  localparam int RingBits = $clog2(2*Lanes),
  localparam int LengthBits = $clog2(Lanes+1),
  localparam int Segments = npu_spec_pkg::ActivationSegments,
  localparam int Pixels = npu_spec_pkg::MaxRowPixels,
  localparam int Runs = Pixels*Segments,
  localparam int WindowRuns = npu_spec_pkg::WindowRuns
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  // A beat is there; and what happens at this edge, as in npu_row_assembler and npu_window_lane.
  input  logic                        valid_i,
  input  logic                        beat_i,
  input  logic                        low_i,
  input  logic                        high_i,
  // Fields of the command.
  input  logic [npu_spec_pkg::MacLaneSplitLog2Bits-1:0] split_i,
  input  logic                        is_depthwise_i,
  input  logic                        is_16_i,
  input  logic                        is_unsigned_i,
  input  logic [8:0]                  zero_point_i,
  // A beat.
  input  logic [16*Segments*Lanes-1:0] data_i,
  input  logic [Runs*RingBits-1:0]    offset_i,
  input  logic [Runs*LengthBits-1:0]  length_i,
  input  logic [Runs*RingBits-1:0]    to_i,
  input  logic [Pixels*Lanes-1:0]     mask_i,
  input  logic [WindowRuns*LaneBits-1:0]   win_offset_i,
  input  logic [WindowRuns*LengthBits-1:0] win_length_i,
  input  logic [WindowRuns*RingBits-1:0]   win_to_i,
  input  logic [WindowRuns*Pixels-1:0]     win_pixel_i,
  input  logic [WindowRuns*Pixels*LaneBits-1:0] win_register_i,
  input  logic [Pixels*Lanes*LaneBits-1:0] win_element_i,
  output logic [9*Lanes*Lanes-1:0]    operands_o
);
  localparam int SplitBits = npu_spec_pkg::MacLaneSplitLog2Bits;
  localparam int PlaceBits = Segments*RingBits;  // of a pixel's runs
  localparam int CountBits = Segments*LengthBits;
  localparam int PixelBits = $clog2(Pixels);
  localparam int LanesOfQuarter = Lanes / Pixels;

  logic [8*WindowRuns*Lanes-1:0] turned;
  logic [2*WindowRuns*Lanes-1:0] present;
  logic                          has_words;

  // Words turn while they wait to be taken, too: whether they are taken is known late in a cycle.
  assign has_words = valid_i && is_depthwise_i;

  npu_window_words #(.Lanes(Lanes)) u_words (
    .words_i(has_words),
    .data_i,
    .offset_i(win_offset_i),
    .length_i(win_length_i),
    .to_i(win_to_i),
    .turned_o(turned),
    .present_o(present)
  );

  logic [9*Lanes*Pixels-1:0] assembled;  // of each pixel

  genvar p, q, i;
  generate
    for (p = 0; p < Pixels; p = p + 1) begin : gen_pixel
      logic has_pixel;

      assign has_pixel = !is_depthwise_i && 3'(p) >> split_i == '0;

      npu_row_assembler #(.Lanes(Lanes)) u_assembler (
        .clk_i, .rst_ni,
        .beat_i(beat_i && has_pixel),
        .low_i(low_i && has_pixel),
        .high_i, .is_16_i, .data_i,
        .offset_i(offset_i[PlaceBits*p +: PlaceBits]),
        .length_i(length_i[CountBits*p +: CountBits]),
        .to_i(to_i[PlaceBits*p +: PlaceBits]),
        .mask_i(mask_i[Lanes*p +: Lanes]),
        .is_unsigned_i, .zero_point_i,
        .operand_o(assembled[9*Lanes*p +: 9*Lanes])
      );
    end
    for (q = 0; q < Pixels; q = q + 1) begin : gen_quarter
      localparam int Half = q / (Pixels / 2);
      logic [PixelBits-1:0] pixel;
      logic [Lanes-1:0]     mask;
      logic [9*Lanes-1:0]   operand;
      logic [WindowRuns-1:0] taken;
      logic [WindowRuns*LaneBits-1:0] registers;
      logic [Lanes*LaneBits-1:0]      elements;

      assign pixel = split_i == '0 ? '0 : split_i == SplitBits'(1) ? PixelBits'(Half) : PixelBits'(q);
      assign operand = assembled[9*Lanes*32'(pixel) +: 9*Lanes];

      // Still while no words come into the windows.
      always_comb begin
        taken = '0;
        registers = '0;
        elements = '0;
        mask = '0;
        if (has_words) begin
          mask = mask_i[Lanes*32'(pixel) +: Lanes];
          elements = win_element_i[Lanes*LaneBits*32'(pixel) +: Lanes*LaneBits];
          for (int r = 0; r < WindowRuns; r = r + 1) begin
            taken[r] = win_pixel_i[Pixels*r + 32'(pixel)];
            registers[LaneBits*r +: LaneBits] = win_register_i[LaneBits*(Pixels*r + 32'(pixel)) +: LaneBits];
          end
        end
      end

      for (i = LanesOfQuarter*q; i < LanesOfQuarter*(q+1); i = i + 1) begin : gen_lane
        logic [9*Lanes-1:0] window;

        npu_window_lane #(.Lanes(Lanes), .Lane(i)) u_window (
          .clk_i,
          .words_i(has_words),
          .beat_i(beat_i && is_depthwise_i),
          .low_i, .high_i, .split_i, .is_16_i, .is_unsigned_i, .zero_point_i,
          .turned_i(turned),
          .present_i(present),
          .taken_i(taken),
          .register_i(registers),
          .element_i(elements),
          .mask_i(mask),
          .operand_o(window)
        );
        assign operands_o[9*Lanes*i +: 9*Lanes] = is_depthwise_i ? window : operand;
      end
    end
  endgenerate
endmodule
