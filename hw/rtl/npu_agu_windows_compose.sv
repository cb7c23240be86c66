// SPDX-License-Identifier: Apache-2.0
// Which reads a beat has: up to four of the row in hand, then, with its last ones, those of the row after it that may come. One
// stage; only numbers of reads go round.
//
// A row that comes to hand without a beat is the first one of its command.
module npu_agu_windows_compose #(
  parameter int Lanes = 16,
  localparam int ReadBits = $clog2(12*Lanes+1)
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        step_i,          // beats move on
  // The row after the one in hand, as npu_agu_windows_numbers has it.
  input  logic        valid_i,
  input  logic [ReadBits-1:0] reads_i,
  input  logic [3:0]  may_come_i,
  input  logic        last_i,
  output logic        takes_o,         // it comes to hand
  // The stage: whether there is a beat, and whether the row after it comes to hand then.
  output logic        beat_o, takes_row_o,
  output logic [ReadBits-1:0] done_o,  // reads of the row that have gone
  output logic [2:0]  own_o,           // those of the beat
  output logic [2:0]  to_o,            // with those of the row after it
  output logic        ends_row_o,
  output logic        last_o           // beat of the command
);
  localparam int Words = npu_spec_pkg::WindowWords;

  logic        valid_q, last_q;
  logic [ReadBits-1:0] left_q, done_q;
  logic        beat, ends_row;
  logic [2:0]  own, room, may_come, ahead;

  assign beat = step_i && valid_q && (valid_i || last_q);
  assign ends_row = left_q <= ReadBits'(Words);
  assign own = ends_row ? left_q[2:0] : 3'(Words);
  assign room = 3'(Words) - own;
  assign may_come = {may_come_i[3], may_come_i[1] && !may_come_i[3], may_come_i[0] && (!may_come_i[1] || may_come_i[2]) && !may_come_i[3]};
  assign ahead = !ends_row || last_q ? 3'd0 : may_come < room ? may_come : room;
  assign takes_o = step_i && (!valid_q || (beat && ends_row));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      beat_o <= 1'b0;
      takes_row_o <= 1'b0;
    end else if (step_i) begin
      if (takes_o) valid_q <= valid_i;
      beat_o <= beat;
      takes_row_o <= takes_o && valid_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (beat) begin
      done_o <= done_q;
      own_o <= own;
      to_o <= own + ahead;
      ends_row_o <= ends_row;
      last_o <= ends_row && last_q;
      left_q <= left_q - ReadBits'(Words);
      done_q <= done_q + ReadBits'(Words);
    end
    if (takes_o && valid_i) begin
      left_q <= reads_i - (valid_q ? ReadBits'(ahead) : '0);
      done_q <= valid_q ? ReadBits'(ahead) : '0;
      last_q <= last_i;
    end
  end
endmodule
