// SPDX-License-Identifier: Apache-2.0
// The address generator of vector commands: which elements of SRAM each beat of a load brings and each beat of a store takes.
//
//   cmd --> command_q --+--> npu_agu_vector_side: loads  --> ld
//           steps_q ----+--> npu_agu_vector_side: stores --> st
//
// Contract: hw/spec/command.hpp (VectorCommand), hw/spec/vector_cycles.hpp; the beats are those of sequence::VectorBeats, one by one, of
// loads and of stores independently of each other. They come in the order of the schedule, but not at its pace: as early as they can, a
// beat a cycle. After the command is taken its steps are sorted, two a cycle. With T = 3 + max(2, steps / 2, rounded up), 5 to 15 cycles:
// while ready is 1, a beat whose step starts in cycle c of the schedule is there T + c cycles after the command's handshake at the
// latest, and those of a program of Body steps only from T on without a gap (tests/cosim/agu_vector_test.cpp). A command is taken
// when all beats of the one before are gone.
// Both sides have walk, order and ring of their own, so that neither waits for the other. Registers: 1,900 bits here (the fields of the
// command that are asked for), 2,700 bits a side and its memory of 64 words of 195 bits.
module npu_agu_vector #(
  parameter int Lanes = 16,
  localparam int CountBits = $clog2(Lanes + 1)
) (
  input  logic                                      clk_i,
  input  logic                                      rst_ni,
  input  logic                                      cmd_valid_i,
  output logic                                      cmd_ready_o,
  input  logic [npu_agu_pkg::VectorCommandBits-1:0] cmd_i,
  output logic                                      ld_valid_o,
  input  logic                                      ld_ready_i,
  output logic [4:0]                                ld_step_o,
  output logic                                      ld_part_o,
  output logic [npu_agu_pkg::AddressBits-1:0]       ld_address_o,
  output logic [23:0]                               ld_stride_o,
  output logic [CountBits-1:0]                      ld_count_o,
  output logic [npu_agu_pkg::AddressBits-1:0]       ld_second_address_o,
  output logic [CountBits-1:0]                      ld_second_count_o,
  output logic                                      st_valid_o,
  input  logic                                      st_ready_i,
  output logic [4:0]                                st_step_o,
  output logic                                      st_part_o,
  output logic [npu_agu_pkg::AddressBits-1:0]       st_address_o,
  output logic [23:0]                               st_stride_o,
  output logic [CountBits-1:0]                      st_count_o
);
  localparam int NumLoops = npu_spec_pkg::NumVectorLoops;
  localparam int NumStreams = npu_spec_pkg::MaxVectorStreams;
  localparam int NumSteps = npu_spec_pkg::MaxVectorSteps;
  localparam int PairBits = $clog2(NumSteps / 2);
  // What is kept of a step, from bit 0: is a load, is a store, phase, stream, offset.
  localparam int StepBits = 19;

  // A new command.
  logic                         takes;
  logic [4:0]                   num_steps;
  logic [StepBits*NumSteps-1:0] steps_d;
  logic                         has_positions_d, in_pairs_d, has_body_d;

  assign num_steps = cmd_i[npu_agu_pkg::VectorNumStepsLsb +: 5];
  always_comb begin
    logic       is_used, step_is_load, is_accumulating;
    logic [5:0] op;
    logic [1:0] step_phase;
    has_positions_d = 1'b0;
    has_body_d = 1'b0;
    in_pairs_d = 1'b1;
    steps_d = '0;
    for (int i = 0; i < NumSteps; i = i + 1) begin
      is_used = num_steps > 5'(i);
      op = cmd_i[npu_agu_pkg::VectorStepOpLsb + npu_agu_pkg::VectorStepBits*i +: 6];
      step_phase = cmd_i[npu_agu_pkg::VectorStepPhaseLsb + npu_agu_pkg::VectorStepBits*i +: 2];
      is_accumulating = op == npu_spec_pkg::OP_LOAD_ADD || op == npu_spec_pkg::OP_LOAD_MAXIMUM || op == npu_spec_pkg::OP_LOAD_MINIMUM;
      step_is_load = op == npu_spec_pkg::OP_LOAD || is_accumulating;
      if (is_used && step_phase != npu_spec_pkg::PHASE_BODY) has_positions_d = 1'b1;
      if (is_used && step_phase == npu_spec_pkg::PHASE_BODY) begin
        has_body_d = 1'b1;
        if (!is_accumulating) in_pairs_d = 1'b0;
      end
      steps_d[StepBits*i +: StepBits] = {cmd_i[npu_agu_pkg::VectorStepOffsetLsb + npu_agu_pkg::VectorStepBits*i +: 12],
                                         cmd_i[npu_agu_pkg::VectorStepStreamLsb + npu_agu_pkg::VectorStepBits*i +: 3],
                                         step_phase, is_used && op == npu_spec_pkg::OP_STORE, is_used && step_is_load};
    end
    if (!has_body_d) in_pairs_d = 1'b0;
  end

  // The command.
  logic                           start_q, insert_q, is_sorted_q;
  logic [PairBits-1:0]            pair_q, last_pair_q;
  logic [StepBits*NumSteps-1:0]   steps_q;  // the two that are sorted next are the low ones
  logic [11:0]                    interval_q;
  logic [24*NumLoops-1:0]         counts_q;
  logic [31:0]                    lanes_q;
  logic [2:0]                     kept_loops_q;
  logic                           lanes_reduced_q, has_positions_q, pairs_of_lanes_q, pairs_of_loop_q;
  logic [32*NumStreams-1:0]       bases_q;
  logic [24*NumStreams-1:0]       lane_strides_q;
  logic [32*NumLoops*NumStreams-1:0] strides_q;
  logic [NumStreams-1:0]          is_wide_q;
  logic                           loads_busy, stores_busy;

  assign cmd_ready_o = !start_q && !insert_q && !loads_busy && !stores_busy;
  assign takes = cmd_valid_i && cmd_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      start_q <= 1'b0;
      insert_q <= 1'b0;
      is_sorted_q <= 1'b0;
    end else begin
      start_q <= takes;
      if (takes) begin
        insert_q <= 1'b1;
        is_sorted_q <= 1'b0;
      end else if (insert_q && pair_q == last_pair_q) begin
        insert_q <= 1'b0;
        is_sorted_q <= 1'b1;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (takes) begin
      pair_q <= '0;
      last_pair_q <= PairBits'((num_steps - 5'd1) >> 1);
      steps_q <= steps_d;
      interval_q <= cmd_i[npu_agu_pkg::VectorIntervalLsb +: 12];
      counts_q <= cmd_i[npu_agu_pkg::VectorCountLsb +: 24*NumLoops];
      lanes_q <= cmd_i[npu_agu_pkg::VectorLanesLsb +: 32];
      kept_loops_q <= cmd_i[npu_agu_pkg::VectorKeptLoopsLsb +: 3];
      lanes_reduced_q <= cmd_i[npu_agu_pkg::VectorLanesReducedLsb];
      has_positions_q <= has_positions_d;
      pairs_of_lanes_q <= in_pairs_d && cmd_i[npu_agu_pkg::VectorLanesReducedLsb];
      pairs_of_loop_q <= in_pairs_d && !cmd_i[npu_agu_pkg::VectorLanesReducedLsb] &&
                         cmd_i[npu_agu_pkg::VectorKeptLoopsLsb +: 3] != 3'(NumLoops);
      for (int i = 0; i < NumStreams; i = i + 1) begin
        bases_q[32*i +: 32] <= cmd_i[npu_agu_pkg::VectorStreamBaseLsb + npu_agu_pkg::VectorStreamBits*i +: 32];
        lane_strides_q[24*i +: 24] <= cmd_i[npu_agu_pkg::VectorStreamLaneStrideLsb + npu_agu_pkg::VectorStreamBits*i +: 24];
        strides_q[32*NumLoops*i +: 32*NumLoops] <=
            cmd_i[npu_agu_pkg::VectorStreamStrideLsb + npu_agu_pkg::VectorStreamBits*i +: 32*NumLoops];
        is_wide_q[i] <= cmd_i[npu_agu_pkg::VectorStreamTypeLsb + npu_agu_pkg::VectorStreamBits*i +: 3] == npu_spec_pkg::TYPE_INT48;
      end
    end else if (insert_q) begin
      pair_q <= pair_q + PairBits'(1);
      steps_q <= steps_q >> (2 * StepBits);
    end
  end

  // The two steps that are sorted.
  logic [1:0]  is_load, is_store, is_wide;
  logic [3:0]  phase;
  logic [5:0]  stream;
  logic [23:0] offset;
  logic [9:0]  number;

  always_comb begin
    for (int i = 0; i < 2; i = i + 1) begin
      is_load[i] = steps_q[StepBits*i];
      is_store[i] = steps_q[StepBits*i + 1];
      phase[2*i +: 2] = steps_q[StepBits*i + 2 +: 2];
      stream[3*i +: 3] = steps_q[StepBits*i + 4 +: 3];
      offset[12*i +: 12] = steps_q[StepBits*i + 7 +: 12];
      is_wide[i] = 1'b0;
      for (int j = 0; j < NumStreams; j = j + 1) begin
        if (stream[3*i +: 3] == 3'(j)) is_wide[i] = is_wide_q[j];
      end
    end
    number = {pair_q, 1'b1, pair_q, 1'b0};
  end

  npu_agu_vector_side #(.Lanes(Lanes), .IsStore(1'b0)) u_loads (
    .clk_i, .rst_ni, .start_i(start_q), .is_busy_o(loads_busy), .interval_i(interval_q), .counts_i(counts_q), .lanes_i(lanes_q),
    .kept_loops_i(kept_loops_q), .lanes_reduced_i(lanes_reduced_q), .has_positions_i(has_positions_q),
    .pairs_of_lanes_i(pairs_of_lanes_q), .pairs_of_loop_i(pairs_of_loop_q),
    .bases_i(bases_q), .lane_strides_i(lane_strides_q), .strides_i(strides_q),
    .insert_i(insert_q), .is_sorted_i(is_sorted_q), .is_used_i(is_load), .offset_i(offset), .phase_i(phase), .step_i(number),
    .stream_i(stream), .is_wide_i(is_wide), .clear_i(takes),
    .valid_o(ld_valid_o), .ready_i(ld_ready_i), .step_o(ld_step_o), .part_o(ld_part_o), .address_o(ld_address_o),
    .stride_o(ld_stride_o), .count_o(ld_count_o), .second_address_o(ld_second_address_o), .second_count_o(ld_second_count_o)
  );

  // Stores have no pairs.
  logic [31:0]          second_address;
  logic [CountBits-1:0] second_count;

  npu_agu_vector_side #(.Lanes(Lanes), .IsStore(1'b1)) u_stores (
    .clk_i, .rst_ni, .start_i(start_q), .is_busy_o(stores_busy), .interval_i(interval_q), .counts_i(counts_q), .lanes_i(lanes_q),
    .kept_loops_i(kept_loops_q), .lanes_reduced_i(lanes_reduced_q), .has_positions_i(has_positions_q),
    .pairs_of_lanes_i(pairs_of_lanes_q), .pairs_of_loop_i(pairs_of_loop_q),
    .bases_i(bases_q), .lane_strides_i(lane_strides_q), .strides_i(strides_q),
    .insert_i(insert_q), .is_sorted_i(is_sorted_q), .is_used_i(is_store), .offset_i(offset), .phase_i(phase), .step_i(number),
    .stream_i(stream), .is_wide_i(is_wide), .clear_i(takes),
    .valid_o(st_valid_o), .ready_i(st_ready_i), .step_o(st_step_o), .part_o(st_part_o), .address_o(st_address_o),
    .stride_o(st_stride_o), .count_o(st_count_o), .second_address_o(second_address), .second_count_o(second_count)
  );
endmodule
