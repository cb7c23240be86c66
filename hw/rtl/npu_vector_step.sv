// SPDX-License-Identifier: Apache-2.0
// One step of the vector unit's program: it says in which cycles the step starts, and for which vector.
//
//   load_i ----> step_q, stream_q
//   position_i --+--> wait_q: cycles to the next start, first the offset, then the interval
//   last_i ------+--> last_wait_q: cycles to the start that belongs to the last vector of Body
//
// Contract (hw/spec/command.hpp, "Schedule"). A step of Init starts `offset` cycles after the first vector of a position, one of
// Body in addition every `interval` cycles until the last vector, one of Final `offset` cycles after the last vector begins. turn_o
// is the vector's number modulo the registers that turn, at_o its place in the ring of vectors of npu_vector_sequencer. All of it
// stands still while advance_i is low. Reset clears is_used_q and is_running_q only.
module npu_vector_step #(
  parameter int Lanes = 16
) (
  input  logic                                     clk_i,
  input  logic                                     rst_ni,
  input  logic                                     advance_i,
  // The step of a new command; whether the command has so many.
  input  logic                                     load_i,
  input  logic                                     is_used_i,
  input  logic [npu_spec_pkg::VectorStepBits-1:0]  step_i,
  input  logic [3:0]                               stream_i,  // type and sign of its stream
  // The command has one interval, and so many registers that turn.
  input  logic [11:0]                              interval_i,
  input  logic [4:0]                               rotating_i,
  // The vector that begins in this cycle: the first one of its position, the last one.
  input  logic                                     position_i,
  input  logic                                     last_i,
  input  logic [3:0]                               turn_i,
  input  logic [npu_spec_pkg::VectorRingBits-1:0]  at_i,
  output logic                                     start_o,
  output logic [npu_spec_pkg::VectorStepBits-1:0]  step_o,
  output logic [3:0]                               stream_o,
  output logic [3:0]                               turn_o,
  output logic [npu_spec_pkg::VectorRingBits-1:0]  at_o,
  output logic [12:0]                              end_o      // offset and latency; 0 where there is no such step
);
  localparam int RingBits = npu_spec_pkg::VectorRingBits;
  localparam int LaneBits = $clog2(Lanes);

  logic                                    is_used_q;
  logic [npu_spec_pkg::VectorStepBits-1:0] step_q;
  logic [3:0]                              stream_q;
  logic [5:0]                              op;
  logic [1:0]                              phase;
  logic [11:0]                             offset;

  assign op = step_q[npu_spec_pkg::StepOpLsb +: 6];
  assign phase = step_q[npu_spec_pkg::StepPhaseLsb +: 2];
  assign offset = step_q[npu_spec_pkg::StepOffsetLsb +: 12];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) is_used_q <= 1'b0;
    else if (load_i) is_used_q <= is_used_i;
  end
  always_ff @(posedge clk_i) begin
    if (load_i && is_used_i) begin
      step_q <= step_i;
      stream_q <= stream_i;
    end
  end

  // Latency of hw/spec/vector_cycles.hpp.
  logic [5:0] latency;
  logic       is_wide;

  assign is_wide = stream_q[2:0] == npu_spec_pkg::TYPE_INT48;
  always_comb begin
    latency = 6'(npu_spec_pkg::VectorSlotCycles);
    case (op)
      npu_spec_pkg::OP_LOAD, npu_spec_pkg::OP_STORE: latency = 6'(npu_spec_pkg::VectorSlotCycles) + {5'd0, is_wide};
      npu_spec_pkg::OP_LOAD_ADD, npu_spec_pkg::OP_LOAD_MAXIMUM, npu_spec_pkg::OP_LOAD_MINIMUM:
        latency = 6'(2 * npu_spec_pkg::VectorSlotCycles);
      npu_spec_pkg::OP_MUL, npu_spec_pkg::OP_RESCALE:
        latency = 6'(npu_spec_pkg::VectorSlotCycles - 1 + npu_spec_pkg::RescalePipelineCycles);
      npu_spec_pkg::OP_TABLE: latency = 6'(npu_spec_pkg::VectorSlotCycles - 1 + npu_spec_pkg::TablePipelineCycles);
      npu_spec_pkg::OP_INT_DIV: latency = 6'(npu_spec_pkg::VectorSlotCycles - 1 + npu_spec_pkg::IntDivCycles);
      npu_spec_pkg::OP_REDUCE_ADD, npu_spec_pkg::OP_REDUCE_MAX, npu_spec_pkg::OP_REDUCE_MIN:
        latency = 6'(npu_spec_pkg::VectorSlotCycles - 1 + LaneBits);
      default: latency = 6'(npu_spec_pkg::VectorSlotCycles);
    endcase
  end
  assign end_o = is_used_q ? {1'b0, offset} + {7'd0, latency} : 13'd0;

  // Starts.
  logic                is_running_q;
  logic                has_last_q;
  logic [11:0]         wait_q;
  logic [11:0]         last_wait_q;
  logic [3:0]          turn_q;
  logic [RingBits-1:0] at_q;
  logic                begins;
  logic                starts;
  logic                is_last;

  always_comb begin
    begins = is_used_q && (phase == npu_spec_pkg::PHASE_FINAL ? last_i : position_i);
    starts = begins ? offset == 12'd0 : is_running_q && wait_q == 12'd0;
    is_last = phase != npu_spec_pkg::PHASE_BODY;
    if (!is_last) is_last = last_i ? offset == 12'd0 : !begins && has_last_q && last_wait_q == 12'd0;
    turn_o = begins ? turn_i : turn_q;
    at_o = begins ? at_i : at_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) is_running_q <= 1'b0;
    else if (load_i) is_running_q <= 1'b0;
    else if (advance_i && begins) is_running_q <= !(starts && is_last);
    else if (advance_i && starts) is_running_q <= !is_last;
  end

  always_ff @(posedge clk_i) begin
    if (advance_i && is_used_q) begin
      if (begins && !starts) begin
        wait_q <= offset - 12'd1;
      end else if (starts) begin
        wait_q <= interval_i - 12'd1;
      end else if (is_running_q) begin
        wait_q <= wait_q - 12'd1;
      end
      if (begins || last_i) has_last_q <= last_i;
      if (last_i) last_wait_q <= offset - 12'd1;
      else if (is_running_q && has_last_q) last_wait_q <= last_wait_q - 12'd1;
      if (starts) begin
        turn_q <= {1'b0, turn_o} + 5'd1 >= rotating_i ? 4'd0 : turn_o + 4'd1;
        at_q <= at_o + RingBits'(1);
      end else if (begins) begin
        turn_q <= turn_o;
        at_q <= at_o;
      end
    end
  end

  assign start_o = starts;
  assign step_o = step_q;
  assign stream_o = stream_q;
endmodule
