// SPDX-License-Identifier: Apache-2.0
// The beat as it is offered: in which registers pixels take its runs, and in which one each tap is. One stage, that of the ports.
module npu_agu_windows_outputs #(
  parameter int Lanes = 16,
  localparam int TapBits = $clog2(Lanes),
  localparam int CountBits = $clog2(Lanes+1),
  localparam int RestBits = 4*Lanes + 32*TapBits + 16*CountBits + 149
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        step_i,      // beats move on
  // As npu_agu_windows_news has it; `rest`: what is not looked at.
  input  logic        beat_i, ends_row_i,
  // As npu_agu_windows_registers has it.
  input  logic [4*Lanes-1:0]  is_own_i, is_ahead_i,
  input  logic [4*Lanes*TapBits-1:0] tap_i,          // of each register of each pixel
  // Each run of each pixel.
  input  logic [63:0] gets_i, takes_i,
  input  logic [64*TapBits-1:0] run_tap_i,
  input  logic [3:0]  run_is_ahead_i, run_is_shared_i,   // of a word
  input  logic [RestBits-1:0] rest_i,
  output logic        act_valid_o,
  output logic [63:0] win_pixel_o,
  output logic [64*TapBits-1:0] win_register_o,
  output logic [4*Lanes*TapBits-1:0] win_element_o,
  output logic        act_last_o,
  output logic [RestBits-1:0] rest_o
);
  localparam int Runs = npu_spec_pkg::WindowRuns;

  // Registers of taps of the row in hand, and of the row after it.
  logic [4*Lanes*TapBits-1:0] of_own, of_ahead;
  logic [TapBits-1:0] tap;

  always_comb begin
    of_own = '0;
    of_ahead = '0;
    tap = '0;
    if (beat_i) begin
      for (int p = 0; p < 4; p = p + 1) begin
        for (int g = 0; g < Lanes; g = g + 1) begin
          tap = tap_i[TapBits*(Lanes*p+g) +: TapBits];
          for (int u = 0; u < Lanes; u = u + 1) begin
            if (is_own_i[Lanes*p+g] && tap == TapBits'(u)) begin
              of_own[TapBits*(Lanes*p+u) +: TapBits] = of_own[TapBits*(Lanes*p+u) +: TapBits] | TapBits'(g);
            end
            if (is_ahead_i[Lanes*p+g] && tap == TapBits'(u)) begin
              of_ahead[TapBits*(Lanes*p+u) +: TapBits] = of_ahead[TapBits*(Lanes*p+u) +: TapBits] | TapBits'(g);
            end
          end
        end
      end
    end
  end

  // That of the tap that takes a run: of shared windows it is the same one for all pixels.
  logic [4*Runs*TapBits-1:0] win_register;
  logic [4*TapBits-1:0] found;
  logic [TapBits-1:0]   any;
  logic [TapBits+1:0]   idx;

  always_comb begin
    win_register = '0;
    found = '0;
    any = '0;
    idx = '0;
    if (beat_i) begin
      for (int r = 0; r < Runs; r = r + 1) begin
        for (int p = 0; p < 4; p = p + 1) begin
          idx = {2'(p), run_tap_i[TapBits*(4*r+p) +: TapBits]};
          found[TapBits*p +: TapBits] = (run_is_ahead_i[r/4] ? of_ahead[TapBits*32'(idx) +: TapBits] : of_own[TapBits*32'(idx) +: TapBits]) &
                                        {TapBits{takes_i[4*r+p]}};
        end
        any = (found[0 +: TapBits] | found[TapBits +: TapBits]) | (found[2*TapBits +: TapBits] | found[3*TapBits +: TapBits]);
        win_register[4*TapBits*r +: 4*TapBits] = run_is_shared_i[r/4] ? {4{any}} : found;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) act_valid_o <= 1'b0;
    else if (step_i) act_valid_o <= beat_i;
  end

  always_ff @(posedge clk_i) begin
    if (step_i && beat_i) begin
      win_pixel_o <= gets_i;
      win_register_o <= win_register;
      win_element_o <= of_own;
      act_last_o <= ends_row_i;
      rest_o <= rest_i;
    end
  end
endmodule
