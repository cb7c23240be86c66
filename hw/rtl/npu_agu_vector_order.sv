// SPDX-License-Identifier: Apache-2.0
// The order in which the loads, or the stores, of a vector command come: which step's beat is next, and of which vector.
//
//   steps, two a cycle --> sorted entries: those of Init, of Body, of Final --> the earliest of three heads
//                              ^                                                     |
//                              +----- Body: the same step an interval later <--------+
//
// A time is a cycle of the schedule, modulo 2^14: those that are compared lie less than 8192 apart, since an offset and an interval
// have 12 bits. An entry of Body has the time of its next start, those of Init and Final have their offset; position_time_i and
// last_time_i, the times at which the first and the last vector of the position begin, are added where they are compared. What is
// done in a position is marked; entries of Body are then behind all others of Body, in the order of their offsets, so that the next
// position, which goes on where the time of this one ended, finds them in their order again.
// Registers: MaxVectorSteps entries of 34 bits.
module npu_agu_vector_order (
  input  logic        clk_i,
  // No entries.
  input  logic        clear_i,
  // Two entries, or one of them.
  input  logic        insert_i,
  input  logic [1:0]  is_used_i,
  input  logic [23:0] offset_i,
  input  logic [3:0]  phase_i,
  input  logic [9:0]  step_i,
  input  logic [5:0]  stream_i,
  input  logic [1:0]  is_wide_i,
  // The position.
  input  logic        restart_i,        // another one begins
  input  logic [11:0] interval_i,
  input  logic [13:0] position_time_i,
  input  logic        has_last_i,       // its last vector has begun
  input  logic [13:0] last_time_i,
  input  logic [npu_spec_pkg::VectorRingBits:0] last_place_i,
  // The next one.
  output logic        is_there_o,
  output logic        is_body_o,
  input  logic [13:0] begins_time_i, near_time_i,
  output logic        is_begun_o,       // its time is before begins_time_i
  output logic        is_near_o,        // it is not before near_time_i
  output logic [npu_spec_pkg::VectorRingBits:0] place_o,  // of Body: the number of its vector
  output logic [4:0]  step_o,
  output logic [2:0]  stream_o,
  output logic        is_wide_o,
  input  logic        pop_i,
  output logic        is_empty_o,       // there is no entry
  output logic        is_over_o,        // all that the position has are done
  output logic        has_body_o,
  output logic        has_final_o,
  output logic [4:0]  latest_step_o     // of Body, before the first one is popped: the one of the greatest offset
);
  localparam int NumEntries = npu_spec_pkg::MaxVectorSteps;
  localparam int PlaceBits = npu_spec_pkg::VectorRingBits + 1;
  localparam int TimeBits = 14;
  // An entry, from bit 0.
  localparam int PlaceLsb = TimeBits;
  localparam int StepLsb = PlaceLsb + PlaceBits;
  localparam int StreamLsb = StepLsb + 5;
  localparam int WideLsb = StreamLsb + 3;
  localparam int PhaseLsb = WideLsb + 1;
  localparam int EntryBits = PhaseLsb + 2;
  localparam int KeyBits = 14;  // phase, offset

  logic [NumEntries-1:0]           is_used_q;
  logic [NumEntries-1:0]           is_done_q;
  logic [EntryBits*NumEntries-1:0] entry_q;

  // Whether `a` is before `b`.
  function automatic logic is_before(input logic [TimeBits-1:0] a, input logic [TimeBits-1:0] b);
    logic [TimeBits-1:0] apart;
    apart = a - b;
    is_before = apart >= {1'b1, {TimeBits-1{1'b0}}};
  endfunction

  // Preparation: the lesser of the two is the first.
  logic [EntryBits-1:0]  fresh0, fresh1, low, high;
  logic [KeyBits-1:0]    key0, key1, low_key, high_key;
  logic                  has_low, has_high, is_swapped;
  logic [NumEntries-1:0] after_low, after_high;

  always_comb begin
    fresh0 = {phase_i[1:0], is_wide_i[0], stream_i[2:0], step_i[4:0], {PlaceBits{1'b0}}, 2'b00, offset_i[11:0]};
    fresh1 = {phase_i[3:2], is_wide_i[1], stream_i[5:3], step_i[9:5], {PlaceBits{1'b0}}, 2'b00, offset_i[23:12]};
    key0 = {phase_i[1:0], offset_i[11:0]};
    key1 = {phase_i[3:2], offset_i[23:12]};
    has_low = is_used_i != 2'b00;
    has_high = is_used_i == 2'b11;
    is_swapped = has_high ? key1 < key0 : is_used_i[1];
    low = is_swapped ? fresh1 : fresh0;
    high = is_swapped ? fresh0 : fresh1;
    low_key = is_swapped ? key1 : key0;
    high_key = is_swapped ? key0 : key1;
    for (int i = 0; i < NumEntries; i = i + 1) begin
      after_low[i] = has_low &&
                     (!is_used_q[i] || {entry_q[EntryBits*i + PhaseLsb +: 2], entry_q[EntryBits*i +: 12]} > low_key);
      after_high[i] = has_high &&
                      (!is_used_q[i] || {entry_q[EntryBits*i + PhaseLsb +: 2], entry_q[EntryBits*i +: 12]} > high_key);
    end
  end

  // The heads.
  logic [2:0]                has_head;
  logic [EntryBits-1:0]      head_init, head_body, head_final, head;
  logic [NumEntries-1:0]     head_is, head_is_init, head_is_body, head_is_final;
  logic [TimeBits-1:0]       time_init, time_final;
  logic                      is_init, is_body, is_first, is_next;
  logic [1:0]                phase;

  always_comb begin
    head_init = '0;
    head_body = '0;
    head_final = '0;
    // Entries lie in the order of their phases; what is done of Init and Final are the first ones, of Body the last ones.
    for (int i = 0; i < NumEntries; i = i + 1) begin
      phase = entry_q[EntryBits*i + PhaseLsb +: 2];
      is_first = i == 0 || entry_q[EntryBits*(i == 0 ? 0 : i-1) + PhaseLsb +: 2] != phase;
      is_next = is_used_q[i] && !is_done_q[i] && (is_first || (i != 0 && is_done_q[i == 0 ? 0 : i-1]));
      head_is_init[i] = is_next && phase == npu_spec_pkg::PHASE_INIT;
      head_is_body[i] = is_used_q[i] && !is_done_q[i] && is_first && phase == npu_spec_pkg::PHASE_BODY;
      head_is_final[i] = is_next && phase != npu_spec_pkg::PHASE_INIT && phase != npu_spec_pkg::PHASE_BODY;
      if (head_is_init[i]) head_init = head_init | entry_q[EntryBits*i +: EntryBits];
      if (head_is_body[i]) head_body = head_body | entry_q[EntryBits*i +: EntryBits];
      if (head_is_final[i]) head_final = head_final | entry_q[EntryBits*i +: EntryBits];
    end
    has_head = {|head_is_final, |head_is_body, |head_is_init};
    is_over_o = has_head == 3'b000;
    if (!has_last_i) has_head[2] = 1'b0;
    time_init = head_init[TimeBits-1:0] + position_time_i;
    time_final = head_final[TimeBits-1:0] + last_time_i;
    is_init = has_head[0] && (!has_head[1] || is_before(time_init, head_body[TimeBits-1:0])) &&
              (!has_head[2] || is_before(time_init, time_final));
    is_body = has_head[1] && !is_init && (!has_head[2] || is_before(head_body[TimeBits-1:0], time_final));
    head = is_init ? head_init : is_body ? head_body : head_final;
    head_is = is_init ? head_is_init : is_body ? head_is_body : head_is_final;
    is_begun_o = is_init ? is_before(time_init, begins_time_i) : is_body ? is_before(head_body[TimeBits-1:0], begins_time_i)
               : is_before(time_final, begins_time_i);
    is_near_o = !(is_init ? is_before(time_init, near_time_i) : is_body ? is_before(head_body[TimeBits-1:0], near_time_i)
                : is_before(time_final, near_time_i));
  end

  assign is_there_o = has_head != 3'b000;
  assign is_body_o = is_body;
  assign place_o = head[PlaceLsb +: PlaceBits];
  assign step_o = head[StepLsb +: 5];
  assign stream_o = head[StreamLsb +: 3];
  assign is_wide_o = head[WideLsb];

  always_comb begin
    is_empty_o = is_used_q == '0;
    has_body_o = 1'b0;
    has_final_o = 1'b0;
    latest_step_o = '0;
    for (int i = 0; i < NumEntries; i = i + 1) begin
      if (is_used_q[i] && entry_q[EntryBits*i + PhaseLsb +: 2] == npu_spec_pkg::PHASE_BODY) begin
        has_body_o = 1'b1;
        latest_step_o = entry_q[EntryBits*i + StepLsb +: 5];
      end
      if (is_used_q[i] && entry_q[EntryBits*i + PhaseLsb +: 2] == npu_spec_pkg::PHASE_FINAL) has_final_o = 1'b1;
    end
  end

  // Of Body, the entry that was the head comes back an interval later; after its last vector, behind all others.
  logic [EntryBits-1:0]  back;
  logic                  is_back_done;
  logic [NumEntries-1:0] before_back;

  always_comb begin
    back = head_body;
    back[TimeBits-1:0] = head_body[TimeBits-1:0] + {2'b00, interval_i};
    back[PlaceLsb +: PlaceBits] = head_body[PlaceLsb +: PlaceBits] + PlaceBits'(1);
    is_back_done = has_last_i && head_body[PlaceLsb +: PlaceBits] == last_place_i;
    for (int i = 0; i < NumEntries; i = i + 1) begin
      before_back[i] = is_used_q[i] && entry_q[EntryBits*i + PhaseLsb +: 2] == npu_spec_pkg::PHASE_BODY &&
                       (is_back_done || !is_done_q[i] && is_before(entry_q[EntryBits*i +: TimeBits], back[TimeBits-1:0]));
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      is_used_q <= '0;
      is_done_q <= '0;
    end else if (insert_i) begin
      for (int i = 0; i < NumEntries; i = i + 1) begin
        if (after_low[i]) begin
          is_used_q[i] <= 1'b1;
          if (i == 0 || !after_low[i == 0 ? 0 : i-1]) begin
            entry_q[EntryBits*i +: EntryBits] <= low;
          end else if (!after_high[i == 0 ? 0 : i-1]) begin
            entry_q[EntryBits*i +: EntryBits] <= entry_q[EntryBits*(i == 0 ? 0 : i-1) +: EntryBits];
            is_used_q[i] <= is_used_q[i == 0 ? 0 : i-1];
          end else if (i == 1 || !after_high[i < 2 ? 0 : i-2]) begin
            entry_q[EntryBits*i +: EntryBits] <= high;
          end else begin
            entry_q[EntryBits*i +: EntryBits] <= entry_q[EntryBits*(i < 2 ? 0 : i-2) +: EntryBits];
            is_used_q[i] <= is_used_q[i < 2 ? 0 : i-2];
          end
        end
      end
    end else if (restart_i) begin
      is_done_q <= '0;
    end else if (pop_i && !is_body) begin
      is_done_q <= is_done_q | head_is;
    end else if (pop_i) begin
      for (int i = 0; i < NumEntries; i = i + 1) begin
        // The head is the first entry of Body: those after it that are before `back` move up.
        if (i < NumEntries - 1 && before_back[i == NumEntries - 1 ? i : i+1] && !head_is_body[i == NumEntries - 1 ? i : i+1]) begin
          entry_q[EntryBits*i +: EntryBits] <= entry_q[EntryBits*(i == NumEntries - 1 ? i : i+1) +: EntryBits];
          is_done_q[i] <= is_done_q[i == NumEntries - 1 ? i : i+1];
        end else if (before_back[i] || head_is_body[i]) begin
          entry_q[EntryBits*i +: EntryBits] <= back;
          is_done_q[i] <= is_back_done;
        end
      end
    end
  end
endmodule
