// SPDX-License-Identifier: Apache-2.0
// The program of a vector command: its steps, and which of them start in a cycle, at most one in each slot.
//
//   npu_vector_step 0 .. 23 --> by slot: load, ALU, mul, table, store --> registers that turn, lanes --> slot_o
//
// slot_o has a part for each slot, SlotBits wide, load low; from bit 0 of a part: the step (its register fields name registers of the
// file), type and sign of its stream, the lanes of its vector as in the ring of npu_vector_sequencer, whether it works on one element
// (Init and Final of reduced lanes), its number, whether its result's register does not turn. valid_o says which slots start something.
// length_o is right from the third cycle of a command on: the end of the last step.
module npu_vector_issue #(
  parameter int Lanes = 16,
  localparam int SlotBits = npu_spec_pkg::VectorStepBits + 14
) (
  input  logic                                                   clk_i,
  input  logic                                                   rst_ni,
  input  logic                                                   advance_i,
  // A new command.
  input  logic                                                   load_i,
  input  logic [4:0]                                             num_steps_i,
  input  logic [4*npu_spec_pkg::MaxVectorStreams-1:0]            streams_i,  // type and sign of each
  input  logic [npu_spec_pkg::VectorStepBits*npu_spec_pkg::MaxVectorSteps-1:0] steps_i,
  // What npu_vector_sequencer says of the command that runs.
  input  logic [11:0]                                            interval_i,
  input  logic [4:0]                                             rotating_i,
  input  logic                                                   lanes_reduced_i,
  input  logic                                                   is_short_i,
  input  logic                                                   position_i,
  input  logic                                                   last_i,
  input  logic [3:0]                                             turn_i,
  input  logic [npu_spec_pkg::VectorRingBits-1:0]                at_i,
  input  logic [3*(1<<npu_spec_pkg::VectorRingBits)-1:0]         ring_i,
  output logic [12:0]                                            length_o,
  output logic [4:0]                                             valid_o,
  output logic [5*SlotBits-1:0]              slot_o
);
  localparam int StepBits = npu_spec_pkg::VectorStepBits;
  localparam int NumSteps = npu_spec_pkg::MaxVectorSteps;
  localparam int RingBits = npu_spec_pkg::VectorRingBits;
  localparam int NumSlots = 5;
  localparam int NumGroups = 4;  // of steps, for the longest end

  logic [NumSteps-1:0]          starts;
  logic [StepBits*NumSteps-1:0] steps;
  logic [4*NumSteps-1:0]        streams;
  logic [4*NumSteps-1:0]        turns;
  logic [RingBits*NumSteps-1:0] places;
  logic [13*NumSteps-1:0]       ends;
  logic [3*NumSteps-1:0]        slots;  // of each step

  function automatic logic [2:0] slot_of(input logic [5:0] op);
    case (op)
      npu_spec_pkg::OP_LOAD, npu_spec_pkg::OP_LOAD_ADD, npu_spec_pkg::OP_LOAD_MAXIMUM, npu_spec_pkg::OP_LOAD_MINIMUM:
        slot_of = npu_spec_pkg::SLOT_LOAD;
      npu_spec_pkg::OP_STORE: slot_of = npu_spec_pkg::SLOT_STORE;
      npu_spec_pkg::OP_MUL, npu_spec_pkg::OP_RESCALE: slot_of = npu_spec_pkg::SLOT_MUL;
      npu_spec_pkg::OP_TABLE: slot_of = npu_spec_pkg::SLOT_TABLE;
      default: slot_of = npu_spec_pkg::SLOT_ALU;
    endcase
  endfunction

  genvar g;
  generate
    for (g = 0; g < NumSteps; g = g + 1) begin : gen_step
      logic [2:0] stream_idx;
      assign stream_idx = steps_i[StepBits*g + npu_spec_pkg::StepStreamLsb +: 3];
      npu_vector_step #(.Lanes(Lanes)) u_step (
        .clk_i, .rst_ni, .advance_i, .load_i,
        .is_used_i(num_steps_i > 5'(g)),
        .step_i(steps_i[StepBits*g +: StepBits]),
        .stream_i(stream_idx < 3'(npu_spec_pkg::MaxVectorStreams) ? streams_i[4*stream_idx +: 4] : 4'd0),
        .interval_i, .rotating_i, .position_i, .last_i, .turn_i, .at_i,
        .start_o(starts[g]),
        .step_o(steps[StepBits*g +: StepBits]),
        .stream_o(streams[4*g +: 4]),
        .turn_o(turns[4*g +: 4]),
        .at_o(places[RingBits*g +: RingBits]),
        .end_o(ends[13*g +: 13])
      );
      assign slots[3*g +: 3] = slot_of(steps[StepBits*g + npu_spec_pkg::StepOpLsb +: 6]);
    end
  endgenerate

  // The longest end, in two cycles.
  logic [13*NumGroups-1:0] longest_d, longest_q;
  logic [12:0]             length_d, length_q;
  logic                    is_new_q, is_newer_q;

  always_comb begin
    longest_d = '0;
    for (int i = 0; i < NumSteps; i = i + 1) begin
      if (ends[13*i +: 13] > longest_d[13*(i % NumGroups) +: 13]) longest_d[13*(i % NumGroups) +: 13] = ends[13*i +: 13];
    end
    length_d = '0;
    for (int i = 0; i < NumGroups; i = i + 1) begin
      if (longest_q[13*i +: 13] > length_d) length_d = longest_q[13*i +: 13];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      is_new_q <= 1'b0;
      is_newer_q <= 1'b0;
    end else begin
      is_new_q <= load_i;
      is_newer_q <= is_new_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (is_new_q) longest_q <= longest_d;
  end
  // 0 until the first command's length is there; any other one's is at least that of one step, which its first cycles do not reach.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) length_q <= '0;
    else if (is_newer_q) length_q <= length_d;
  end
  assign length_o = length_q;

  // What starts, by slot.
  function automatic logic [3:0] in_file(input logic [3:0] named, input logic [3:0] turn, input logic [4:0] rotating);
    logic [4:0] sum;
    sum = {1'b0, named} + {1'b0, turn};
    in_file = named;
    if ({1'b0, named} < rotating) in_file = 4'(sum >= rotating ? sum - rotating : sum);
  endfunction

  genvar s;
  generate
    for (s = 0; s < NumSlots; s = s + 1) begin : gen_slot
      logic [StepBits-1:0] step;
      logic [StepBits-1:0] placed;
      logic [3:0]          stream;
      logic [3:0]          turn;
      logic [RingBits-1:0] place;
      logic [4:0]          number;
      logic                valid;
      logic                is_body, is_single, lasts;
      logic [2:0]          lanes;

      always_comb begin
        step = '0;
        stream = '0;
        turn = '0;
        place = '0;
        number = '0;
        valid = 1'b0;
        for (int i = 0; i < NumSteps; i = i + 1) begin
          if (starts[i] && slots[3*i +: 3] == 3'(s)) begin
            step = step | steps[StepBits*i +: StepBits];
            stream = stream | streams[4*i +: 4];
            turn = turn | turns[4*i +: 4];
            place = place | places[RingBits*i +: RingBits];
            number = number | 5'(i);
            valid = 1'b1;
          end
        end
        is_body = step[npu_spec_pkg::StepPhaseLsb +: 2] == npu_spec_pkg::PHASE_BODY;
        is_single = lanes_reduced_i && !is_body;
        lanes = ring_i[3*place +: 3];
        if (!is_body) lanes[2:1] = 2'b00;
        if (is_single) lanes[0] = is_short_i;
        lasts = {1'b0, step[npu_spec_pkg::StepDstLsb +: 4]} >= rotating_i;
        placed = step;
        placed[npu_spec_pkg::StepDstLsb +: 4] = in_file(step[npu_spec_pkg::StepDstLsb +: 4], turn, rotating_i);
        placed[npu_spec_pkg::StepALsb +: 4] = in_file(step[npu_spec_pkg::StepALsb +: 4], turn, rotating_i);
        placed[npu_spec_pkg::StepBLsb +: 4] = in_file(step[npu_spec_pkg::StepBLsb +: 4], turn, rotating_i);
        placed[npu_spec_pkg::StepCLsb +: 4] = in_file(step[npu_spec_pkg::StepCLsb +: 4], turn, rotating_i);
      end
      assign valid_o[s] = valid;
      assign slot_o[SlotBits*s +: SlotBits] = {lasts, number, is_single, lanes, stream, placed};
    end
  endgenerate
endmodule
