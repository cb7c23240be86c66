// SPDX-License-Identifier: Apache-2.0
// Long because: most of it is ports and the control of every stage, which the lanes share.
// The vector unit: a command's program of up to 24 steps, looped over its vectors by the static schedule that stands in the command.
//
//   cmd_i --> npu_vector_sequencer --> npu_vector_issue --> control of the stages, here
//                                                            |
//   ld_i ---------------------------------------> npu_vector_lane 0 .. Lanes-1 --> st_o
//                                                            |
//                              scale_*, look_*: lanes of npu_rescale_unit, npu_table_unit
//
// Contract (hw/spec/command.hpp, VectorCommand; hw/spec/vector_cycles.hpp). A command is taken when the one before is over. A step starts
// in its slot in the cycle that the schedule says. It reads its registers in that cycle (an accumulating load VectorSlotCycles later),
// executes from the next one on, and writes its result in its last one. A load takes its beat in the cycle in which it starts, and a
// load of int48 takes a second beat in the cycle after that; beats come in
// the order of the cycles. A store's beat leaves two cycles after its start, of int48 a second one after that. What is missing, a
// beat, the room for one or a cycle of the shared units (scale_ready_i, look_ready_i), stops everything; scale_en_o and look_en_o say when it moves.
// st_valid_o does not depend on st_ready_i. Reset clears what says that something is there, no register of a lane.
module npu_vector_unit #(
  parameter int Lanes = 16,
  parameter int TagBits = 8
) (
  input  logic                                       clk_i,
  input  logic                                       rst_ni,
  input  logic                                       en_i,
  input  logic                                       cmd_valid_i,
  output logic                                       cmd_ready_o,
  input  logic [npu_spec_pkg::VectorCommandBits-1:0] cmd_i,
  input  logic                                       ld_valid_i,
  output logic                                       ld_ready_o,
  input  logic [64*Lanes-1:0]                        ld_data_i,
  output logic                                       st_valid_o,
  input  logic                                       st_ready_i,
  output logic [32*Lanes-1:0]                        st_data_o,
  output logic [Lanes-1:0]                           st_mask_o,
  output logic                                       scale_en_o,
  output logic                                       scale_valid_o,
  output logic [TagBits-1:0]                         scale_tag_o,
  output logic [48*Lanes-1:0]                        scale_value_o,
  output logic [32*Lanes-1:0]                        scale_multiplier_o,
  output logic [6*Lanes-1:0]                         scale_shift_o,
  output logic                                       scale_scale32_o,
  output logic [2:0]                                 scale_rounding_o,
  output logic [2:0]                                 scale_in_type_o,
  output logic                                       scale_in_unsigned_o,
  output logic [31:0]                                scale_in_zero_point_o,
  output logic [2:0]                                 scale_out_type_o,
  output logic                                       scale_out_unsigned_o,
  output logic [31:0]                                scale_out_zero_point_o,
  output logic [31:0]                                scale_clamp_min_o,
  output logic [31:0]                                scale_clamp_max_o,
  input  logic                                       scale_valid_i,
  input  logic [TagBits-1:0]                         scale_tag_i,
  input  logic [32*Lanes-1:0]                        scale_result_i,
  input  logic                                       scale_ready_i,
  output logic                                       look_en_o,
  output logic                                       look_valid_o,
  output logic [TagBits-1:0]                         look_tag_o,
  output logic                                       look_slot_o,
  output logic [16*Lanes-1:0]                        look_value_o,
  input  logic                                       look_valid_i,
  input  logic [TagBits-1:0]                         look_tag_i,
  input  logic [32*Lanes-1:0]                        look_result_i,
  input  logic                                       look_ready_i
);
  // Parameters that are not supported stop elaboration, in every tool: there is no such module.
  generate
    if (Lanes != 8 && Lanes != 16 && Lanes != 32) begin : gen_wrong_lanes
      npu_lanes_must_be_8_16_or_32 u_wrong ();
    end
    if (TagBits < 8) begin : gen_wrong_tag_bits
      npu_tag_bits_must_be_at_least_8 u_wrong ();
    end
  endgenerate

  localparam int StepBits = npu_spec_pkg::VectorStepBits;
  localparam int SlotBits = StepBits + 14;  // a part of npu_vector_issue's slot_o
  localparam int NumSteps = npu_spec_pkg::MaxVectorSteps;
  localparam int NumStreams = npu_spec_pkg::MaxVectorStreams;
  localparam int NumLoops = npu_spec_pkg::NumVectorLoops;
  localparam int RingBits = npu_spec_pkg::VectorRingBits;
  localparam int LaneBits = $clog2(Lanes);
  localparam int StreamLsb = StepBits;
  localparam int LanesLsb = StepBits + 4;
  localparam int SingleLsb = StepBits + 7;
  localparam int NumberLsb = StepBits + 8;
  localparam int LastsLsb = StepBits + 13;

  // ------------------------------------------------------------------------------------------------ The command and its schedule
  logic                   advance;
  logic                   load;
  logic                   has_loads, has_positions, in_pairs, has_body;
  logic [5:0]             new_op;
  logic                   is_accumulating;
  logic [11:0]            interval;
  logic [4:0]             rotating;
  logic                   lanes_reduced, is_short, is_running, position, last, over;
  logic [LaneBits-1:0]    rest;
  logic [3:0]             turn;
  logic [RingBits-1:0]    at;
  logic [3*(1<<RingBits)-1:0] ring;
  logic [12:0]            length;
  logic [4:0]             valid;
  logic [5*SlotBits-1:0]  slots;
  logic [2:0]             kept_loops_new;
  logic                   lanes_reduced_new;

  assign load = cmd_valid_i && cmd_ready_o;
  assign cmd_ready_o = advance && (!is_running || over);
  assign kept_loops_new = cmd_i[npu_spec_pkg::VectorKeptLoopsLsb +: 3];
  assign lanes_reduced_new = cmd_i[npu_spec_pkg::VectorLanesReducedLsb];

  always_comb begin
    has_loads = 1'b0;
    has_positions = 1'b0;
    has_body = 1'b0;
    in_pairs = lanes_reduced_new || kept_loops_new != 3'(NumLoops);
    new_op = '0;
    is_accumulating = 1'b0;
    for (int i = 0; i < NumSteps; i = i + 1) begin
      new_op = cmd_i[npu_spec_pkg::VectorStepsLsb + StepBits*i + npu_spec_pkg::StepOpLsb +: 6];
      is_accumulating = new_op == npu_spec_pkg::OP_LOAD_ADD || new_op == npu_spec_pkg::OP_LOAD_MAXIMUM ||
                        new_op == npu_spec_pkg::OP_LOAD_MINIMUM;
      if (5'(i) < cmd_i[npu_spec_pkg::VectorNumStepsLsb +: 5]) begin
        if (is_accumulating || new_op == npu_spec_pkg::OP_LOAD) has_loads = 1'b1;
        if (cmd_i[npu_spec_pkg::VectorStepsLsb + StepBits*i + npu_spec_pkg::StepPhaseLsb +: 2] != npu_spec_pkg::PHASE_BODY) begin
          has_positions = 1'b1;
        end else begin
          has_body = 1'b1;
          if (!is_accumulating) in_pairs = 1'b0;
        end
      end
    end
    in_pairs = in_pairs && has_body;
  end

  npu_vector_sequencer #(.Lanes(Lanes)) u_sequencer (
    .clk_i, .rst_ni, .advance_i(advance), .load_i(load),
    .counts_i(cmd_i[npu_spec_pkg::VectorCountsLsb +: 24*NumLoops]),
    .lanes_i(cmd_i[npu_spec_pkg::VectorLanesLsb +: 32]),
    .kept_loops_i(kept_loops_new),
    .lanes_reduced_i(lanes_reduced_new),
    .has_loads_i(has_loads), .has_positions_i(has_positions), .in_pairs_i(in_pairs),
    .interval_i(cmd_i[npu_spec_pkg::VectorIntervalLsb +: 12]),
    .rotating_i(cmd_i[npu_spec_pkg::VectorRotatingRegistersLsb +: 5]),
    .length_i(length),
    .interval_o(interval), .rotating_o(rotating), .lanes_reduced_o(lanes_reduced), .rest_o(rest), .is_short_o(is_short),
    .is_running_o(is_running), .position_o(position), .last_o(last), .turn_o(turn), .at_o(at), .ring_o(ring), .over_o(over)
  );

  npu_vector_issue #(.Lanes(Lanes)) u_issue (
    .clk_i, .rst_ni, .advance_i(advance), .load_i(load),
    .num_steps_i(cmd_i[npu_spec_pkg::VectorNumStepsLsb +: 5]),
    .streams_i(cmd_i[npu_spec_pkg::VectorStreamsLsb +: 4*NumStreams]),
    .steps_i(cmd_i[npu_spec_pkg::VectorStepsLsb +: StepBits*NumSteps]),
    .interval_i(interval), .rotating_i(rotating), .lanes_reduced_i(lanes_reduced), .is_short_i(is_short),
    .position_i(position), .last_i(last), .turn_i(turn), .at_i(at), .ring_i(ring),
    .length_o(length), .valid_o(valid), .slot_o(slots)
  );

  // ------------------------------------------------------------------------------------------------ What stops the unit
  logic wants_beat;
  logic has_room;
  logic may_move;
  logic is_sent_q;

  assign has_room = !st_valid_o || st_ready_i;
  assign may_move = en_i && has_room && scale_ready_i && look_ready_i;
  assign ld_ready_o = may_move && wants_beat;
  assign advance = may_move && (!wants_beat || ld_valid_i);
  assign scale_en_o = advance;
  assign look_en_o = advance;

  // ------------------------------------------------------------------------------------------------ Load path
  // load0: words were taken; load1: they are converted; load2: a pair has met, for the ALU.
  logic [SlotBits-1:0] load_slot;
  logic                load_valid;
  logic                load0_valid_q, load0_half_q, load1_valid_q, load2_valid_q;
  logic [SlotBits-1:0] load0_q, load1_q, load2_q;
  logic                converts;
  logic                load1_accumulates, load2_starts;

  assign load_slot = slots[SlotBits*npu_spec_pkg::SLOT_LOAD +: SlotBits];
  assign load_valid = valid[npu_spec_pkg::SLOT_LOAD];
  assign wants_beat = load_valid || load0_half_q;
  assign converts = load0_valid_q && !load0_half_q;
  assign load1_accumulates = load1_q[npu_spec_pkg::StepOpLsb +: 6] != npu_spec_pkg::OP_LOAD;
  assign load2_starts = load2_valid_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      load0_valid_q <= 1'b0;
      load0_half_q <= 1'b0;
      load1_valid_q <= 1'b0;
      load2_valid_q <= 1'b0;
    end else if (advance) begin
      load0_valid_q <= load_valid || load0_half_q;
      load0_half_q <= load_valid && load_slot[StreamLsb +: 3] == npu_spec_pkg::TYPE_INT48;
      load1_valid_q <= converts;
      load2_valid_q <= load1_valid_q && load1_accumulates;
    end
  end
  always_ff @(posedge clk_i) begin
    if (advance && load_valid) load0_q <= load_slot;
    if (advance && converts) load1_q <= load0_q;
    if (advance && load1_valid_q && load1_accumulates) load2_q <= load1_q;
  end

  // ------------------------------------------------------------------------------------------------ ALU
  // What starts is a step of the ALU's slot, or an accumulating load on its way.
  logic                alu_reads;
  logic [SlotBits-1:0] alu_slot;
  logic [5:0]          read_op;
  logic [3:0]          read_dst, read_a, read_b, read_c;
  logic [1:0]          select_b;
  logic                select_c;
  logic                is_reduction;
  logic [2:0]          is_of_dst;  // operands a, b, c that are the register of the result
  logic [2:0]          from_written, from_result_d;
  logic [5:0]          cycles_left_d;

  logic                execute_valid_q;
  logic [SlotBits-1:0] execute_q;
  logic [5:0]          execute_left_q;
  logic [2:0]          from_result_q, keep_q;
  logic                execute_done, execute_is_reduction, execute_is_division, is_first_q;
  logic                written_valid_q;
  logic [3:0]          written_dst_q;
  logic [4:0]          written_number_q;
  logic                written_rest_q;
  logic                same_executes, same_written;

  assign alu_reads = valid[npu_spec_pkg::SLOT_ALU] || load2_starts;
  assign alu_slot = load2_starts ? load2_q : slots[SlotBits*npu_spec_pkg::SLOT_ALU +: SlotBits];

  always_comb begin
    read_op = alu_slot[npu_spec_pkg::StepOpLsb +: 6];
    read_dst = alu_slot[npu_spec_pkg::StepDstLsb +: 4];
    read_a = load2_starts ? read_dst : alu_slot[npu_spec_pkg::StepALsb +: 4];
    read_b = read_op == npu_spec_pkg::OP_MOVE ? read_a : alu_slot[npu_spec_pkg::StepBLsb +: 4];
    read_c = alu_slot[npu_spec_pkg::StepCLsb +: 4];
    select_b = {load2_starts, alu_slot[npu_spec_pkg::StepBIsImmediateLsb] || read_op == npu_spec_pkg::OP_CLAMP};
    select_c = read_op == npu_spec_pkg::OP_CLAMP;
    is_reduction = read_op == npu_spec_pkg::OP_REDUCE_ADD || read_op == npu_spec_pkg::OP_REDUCE_MAX ||
                   read_op == npu_spec_pkg::OP_REDUCE_MIN;
    cycles_left_d = 6'd0;
    if (is_reduction) cycles_left_d = 6'(LaneBits - 1);
    if (read_op == npu_spec_pkg::OP_INT_DIV) cycles_left_d = 6'(npu_spec_pkg::IntDivCycles - 1);
    // The same step of the vector before, and the one before that: an accumulation takes its own result from there.
    same_executes = execute_done && cycles_left_d == 6'd0 && execute_q[NumberLsb +: 5] == alu_slot[NumberLsb +: 5];
    same_written = written_valid_q && cycles_left_d == 6'd0 && written_number_q == alu_slot[NumberLsb +: 5];
    is_of_dst = {read_c == read_dst && !select_c, read_b == read_dst && select_b == 2'd0, read_a == read_dst} &
                {3{alu_slot[LastsLsb]}};
    from_result_d = is_of_dst & {3{same_executes && execute_q[npu_spec_pkg::StepDstLsb +: 4] == read_dst}};
    from_written = is_of_dst & {3{same_written && written_dst_q == read_dst}};
  end

  assign execute_done = execute_valid_q && execute_left_q == 6'd0;
  assign execute_is_reduction = execute_valid_q && (execute_q[npu_spec_pkg::StepOpLsb +: 6] == npu_spec_pkg::OP_REDUCE_ADD ||
                                                    execute_q[npu_spec_pkg::StepOpLsb +: 6] == npu_spec_pkg::OP_REDUCE_MAX ||
                                                    execute_q[npu_spec_pkg::StepOpLsb +: 6] == npu_spec_pkg::OP_REDUCE_MIN);
  assign execute_is_division = execute_valid_q && execute_q[npu_spec_pkg::StepOpLsb +: 6] == npu_spec_pkg::OP_INT_DIV;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      execute_valid_q <= 1'b0;
      written_valid_q <= 1'b0;
    end else if (advance) begin
      execute_valid_q <= alu_reads || (execute_valid_q && !execute_done);
      written_valid_q <= execute_done;
    end
  end
  always_ff @(posedge clk_i) begin
    if (advance && alu_reads) begin
      execute_q <= alu_slot;
      execute_left_q <= cycles_left_d;
      from_result_q <= from_result_d;
      keep_q <= is_of_dst;
      is_first_q <= 1'b1;
    end else if (advance && execute_valid_q && !execute_done) begin
      execute_left_q <= execute_left_q - 6'd1;
      is_first_q <= 1'b0;
    end
    if (advance && execute_done) begin
      written_dst_q <= execute_q[npu_spec_pkg::StepDstLsb +: 4];
      written_number_q <= execute_q[NumberLsb +: 5];
      written_rest_q <= execute_q[LanesLsb];
    end
  end

  // ------------------------------------------------------------------------------------------------ Shared units
  // A tag is what the result needs to be written: the register, and whether only the last lanes take part.
  logic [SlotBits-1:0] scale_slot, look_slot;
  logic                scale_valid_q, look_valid_q;
  logic [SlotBits-1:0] scale_q, look_q;
  logic                is_mul;

  assign scale_slot = slots[SlotBits*npu_spec_pkg::SLOT_MUL +: SlotBits];
  assign look_slot = slots[SlotBits*npu_spec_pkg::SLOT_TABLE +: SlotBits];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      scale_valid_q <= 1'b0;
      look_valid_q <= 1'b0;
    end else if (advance) begin
      scale_valid_q <= valid[npu_spec_pkg::SLOT_MUL];
      look_valid_q <= valid[npu_spec_pkg::SLOT_TABLE];
    end
  end
  always_ff @(posedge clk_i) begin
    if (advance && valid[npu_spec_pkg::SLOT_MUL]) scale_q <= scale_slot;
    if (advance && valid[npu_spec_pkg::SLOT_TABLE]) look_q <= look_slot;
  end

  assign is_mul = scale_q[npu_spec_pkg::StepOpLsb +: 6] == npu_spec_pkg::OP_MUL;
  assign scale_valid_o = scale_valid_q;
  assign scale_tag_o = TagBits'({scale_q[LanesLsb], scale_q[npu_spec_pkg::StepDstLsb +: 4]});
  assign scale_scale32_o = is_mul || scale_q[npu_spec_pkg::StepScale32Lsb];
  assign scale_rounding_o = is_mul ? npu_spec_pkg::ROUNDING_SINGLE : scale_q[npu_spec_pkg::StepRoundingLsb +: 3];
  assign scale_in_type_o = scale_scale32_o ? npu_spec_pkg::TYPE_INT32 : npu_spec_pkg::TYPE_INT48;
  assign scale_in_unsigned_o = 1'b0;
  assign scale_in_zero_point_o = 32'd0;
  assign scale_out_type_o = is_mul ? npu_spec_pkg::TYPE_INT32 : scale_q[npu_spec_pkg::StepTypeLsb +: 3];
  assign scale_out_unsigned_o = !is_mul && scale_q[npu_spec_pkg::StepIsUnsignedLsb];
  assign scale_out_zero_point_o = is_mul ? 32'd0 : scale_q[npu_spec_pkg::StepImm1Lsb +: 32];
  assign scale_clamp_min_o = 32'h8000_0000;
  assign scale_clamp_max_o = 32'h7fff_ffff;
  assign look_valid_o = look_valid_q;
  assign look_tag_o = TagBits'({look_q[LanesLsb], look_q[npu_spec_pkg::StepDstLsb +: 4]});
  assign look_slot_o = look_q[npu_spec_pkg::StepSlotLsb];

  // ------------------------------------------------------------------------------------------------ Store
  logic [SlotBits-1:0] store_slot;
  logic                store_valid;
  logic                store0_valid_q, store1_valid_q, store1_wide_q, store1_high_q;
  logic [SlotBits-1:0] store0_q;
  logic [1:0]          store1_lanes_q;  // the last lanes only; one lane

  assign store_slot = slots[SlotBits*npu_spec_pkg::SLOT_STORE +: SlotBits];
  assign store_valid = valid[npu_spec_pkg::SLOT_STORE];
  assign st_valid_o = store1_valid_q && !is_sent_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      store0_valid_q <= 1'b0;
      store1_valid_q <= 1'b0;
      store1_high_q <= 1'b0;
      is_sent_q <= 1'b0;
    end else begin
      if (advance) begin
        store0_valid_q <= store_valid;
        store1_valid_q <= store0_valid_q || (store1_valid_q && store1_wide_q && !store1_high_q);
        store1_high_q <= !store0_valid_q && store1_valid_q && store1_wide_q && !store1_high_q;
      end
      // A beat may be taken while the unit waits for one of its own.
      is_sent_q <= en_i && !advance ? is_sent_q || (st_valid_o && st_ready_i) : is_sent_q && !advance;
    end
  end
  always_ff @(posedge clk_i) begin
    if (advance && store_valid) store0_q <= store_slot;
    if (advance && store0_valid_q) begin
      store1_wide_q <= store0_q[StreamLsb +: 3] == npu_spec_pkg::TYPE_INT48;
      store1_lanes_q <= {store0_q[SingleLsb], store0_q[LanesLsb]};
    end
  end

  // ------------------------------------------------------------------------------------------------ Lanes
  logic [32*Lanes-1:0] partners;  // each lane's own
  logic [LaneBits-1:0] distance;  // of the level of a reduction

  assign distance = LaneBits'(Lanes / 2) >> execute_left_q[2:0];

  genvar i;
  generate
    for (i = 0; i < Lanes; i = i + 1) begin : gen_lane
      logic        in_rest;
      logic [31:0] partner;

      if (i == 0) begin : gen_first
        assign in_rest = 1'b1;
      end else begin : gen_other
        assign in_rest = rest >= LaneBits'(i);
      end
      always_comb begin
        partner = '0;
        for (int k = 0; k < LaneBits; k = k + 1) begin
          if (distance[k]) partner = partners[32*(i ^ (1 << k)) +: 32];
        end
      end
      assign st_mask_o[i] = store1_lanes_q[1] ? i == 0 : in_rest || !store1_lanes_q[0];

      npu_vector_lane u_lane (
        .clk_i, .advance_i(advance), .in_rest_i(in_rest),
        .take_i(load_valid), .take_high_i(load0_half_q), .data_i({ld_data_i[32*(Lanes+i) +: 32], ld_data_i[32*i +: 32]}),
        .convert_i(converts),
        .stream_type_i(load0_q[StreamLsb +: 3]), .stream_unsigned_i(load0_q[StreamLsb+3]),
        .subtrahend_i(load0_q[npu_spec_pkg::StepImm0Lsb +: 32]), .load_shift_i(load0_q[npu_spec_pkg::StepShiftLsb +: 5]),
        .load_write_i(load1_valid_q && !load1_accumulates), .load_dst_i(load1_q[npu_spec_pkg::StepDstLsb +: 4]),
        .load_rest_i(load1_q[LanesLsb]),
        .pair_i(load1_valid_q && load1_accumulates), .pair_op_i(load1_q[npu_spec_pkg::StepOpLsb +: 6]),
        .second_i(load1_q[LanesLsb+1]), .second_rest_i(load1_q[LanesLsb+2]),
        .read_i(alu_reads), .read_a_i(read_a), .read_b_i(read_b), .read_c_i(read_c),
        .select_b_i(select_b), .select_c_i(select_c),
        .immediate0_i(alu_slot[npu_spec_pkg::StepImm0Lsb +: 32]), .immediate1_i(alu_slot[npu_spec_pkg::StepImm1Lsb +: 32]),
        .from_written_i(from_written), .read_reduces_i(is_reduction), .read_rest_i(alu_slot[LanesLsb]), .read_op_i(read_op),
        .execute_i(execute_done), .reduces_i(execute_is_reduction),
        .divides_first_i(execute_is_division && is_first_q), .divides_i(execute_is_division && !is_first_q && !execute_done),
        .op_i(execute_q[npu_spec_pkg::StepOpLsb +: 6]), .type_i(execute_q[npu_spec_pkg::StepTypeLsb +: 3]),
        .round_i(execute_q[npu_spec_pkg::StepRoundLsb]), .from_result_i(from_result_q), .keep_i(keep_q),
        .execute_rest_i(execute_q[LanesLsb]), .partner_i(partner), .partner_o(partners[32*i +: 32]),
        .result_write_i(written_valid_q), .result_dst_i(written_dst_q), .result_rest_i(written_rest_q),
        .scale_read_i(valid[npu_spec_pkg::SLOT_MUL]),
        .scale_a_i(scale_slot[npu_spec_pkg::StepALsb +: 4]), .scale_b_i(scale_slot[npu_spec_pkg::StepBLsb +: 4]),
        .scale_c_i(scale_slot[npu_spec_pkg::StepCLsb +: 4]),
        .scale_b_is_immediate_i(scale_slot[npu_spec_pkg::StepBIsImmediateLsb]),
        .scale_c_is_shift_i(scale_slot[npu_spec_pkg::StepCIsShiftLsb] && scale_slot[npu_spec_pkg::StepOpLsb +: 6] == npu_spec_pkg::OP_RESCALE),
        .scale_immediate_i(scale_slot[npu_spec_pkg::StepImm0Lsb +: 32]), .scale_shift_i(scale_slot[npu_spec_pkg::StepShiftLsb +: 6]),
        .scale_value_o(scale_value_o[48*i +: 48]), .scale_multiplier_o(scale_multiplier_o[32*i +: 32]), .scale_shift_o(scale_shift_o[6*i +: 6]),
        .scale_write_i(scale_valid_i), .scale_dst_i(scale_tag_i[3:0]), .scale_rest_i(scale_tag_i[4]), .scale_result_i(scale_result_i[32*i +: 32]),
        .look_read_i(valid[npu_spec_pkg::SLOT_TABLE]), .look_a_i(look_slot[npu_spec_pkg::StepALsb +: 4]), .look_value_o(look_value_o[16*i +: 16]),
        .look_write_i(look_valid_i), .look_dst_i(look_tag_i[3:0]), .look_rest_i(look_tag_i[4]), .look_result_i(look_result_i[32*i +: 32]),
        .store_read_i(store_valid), .store_a_i(store_slot[npu_spec_pkg::StepALsb +: 4]),
        .store_move_i(store0_valid_q), .store_bool_i(store0_q[StreamLsb +: 3] == npu_spec_pkg::TYPE_BOOL),
        .store_high_i(store1_high_q), .store_data_o(st_data_o[32*i +: 32])
      );
    end
  endgenerate
endmodule
