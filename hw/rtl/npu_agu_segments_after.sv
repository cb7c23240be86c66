// SPDX-License-Identifier: Apache-2.0
// The place in the reduction after the whole run of a place, or after its whole tap: the next block of the tap, the next tap of the line, or
// the next line (npu_agu_segments_runs says what a place is).
module npu_agu_segments_after #(
  parameter int Lanes = 16,
  localparam int PlaceBits = 20 + 14 + 7*32
) (
  input  logic [PlaceBits-1:0] place_i,
  input  logic                 is_tap_i,            // after its tap
  // The command.
  input  logic                 is_joined_i, has_joined_blocks_i, is_16_i,
  input  logic [31:0]          whole_bytes_i,       // of a run that begins a tap or a line
  input  logic [13:0]          inner_taps_i, inner_dilation_i, outer_dilation_i,
  input  logic [31:0]          block_pitch_i, tap_step_i, line_step_i,
  input  logic [19:0]          channels_i,
  output logic [PlaceBits-1:0] place_o
);
  // A place in the reduction.
  typedef struct packed {
    logic [19:0] left;              // channels of the tap from the run's block on
    logic [13:0] taps;              // of the line from its own on
    logic [31:0] outer, inner;      // how far the tap is from tap (0, 0) in the map
    logic [31:0] bytes, taken;      // of the run that are left, that are taken
    logic [31:0] line, tap, run;    // addresses of the line of taps, of the tap and of the run
  } place_t;

  /* verilator lint_off UNUSEDSIGNAL */  // a whole run is taken
  place_t      place;
  /* verilator lint_on UNUSEDSIGNAL */
  place_t      next;
  logic [19:0] left;

  assign place = place_i;
  assign place_o = next;
  assign left = place.left - 20'(Lanes);
  always_comb begin
    next = place;
    next.taken = 32'd0;
    next.bytes = whole_bytes_i;
    next.left = channels_i;
    if (!is_tap_i && !is_joined_i && !has_joined_blocks_i && place.left > 20'(Lanes)) begin
      next.left = left;
      next.bytes = (left > 20'(Lanes) ? 32'(Lanes) : {12'd0, left}) << is_16_i;
      next.run = place.run + block_pitch_i;
    end else if (!is_joined_i && place.taps != 14'd1) begin
      next.taps = place.taps - 14'd1;
      next.inner = place.inner + 32'(inner_dilation_i);
      next.tap = place.tap + tap_step_i;
      next.run = place.tap + tap_step_i;
    end else begin
      next.taps = inner_taps_i;
      next.inner = 32'd0;
      next.outer = place.outer + 32'(outer_dilation_i);
      next.line = place.line + line_step_i;
      next.tap = place.line + line_step_i;
      next.run = place.line + line_step_i;
    end
  end
endmodule
