// SPDX-License-Identifier: Apache-2.0
// Asserts the contract of npu_vector_unit, with registers of its own. Bound into it by npu_vector_unit_checks.sv, in builds with
// assertions only.
//
//   st      holds from its valid to its handshake, and while en_i is low
//   lanes   what is asked of them holds until the unit moves
//   ld      is taken by a unit that is enabled and runs
//   inside  no step starts without a command; at most one step starts in a slot
module npu_vector_checker #(
  parameter int StoreBits = 1,
  parameter int AskBits = 1,
  parameter int NumSteps = 24,
  parameter int NumSlots = 5
) (
  input logic                  clk_i,
  input logic                  rst_ni,
  input logic                  en_i,
  input logic                  advance_i,
  input logic                  is_running_i,
  input logic                  cmd_valid_i,
  input logic                  cmd_ready_i,
  input logic                  ld_valid_i,
  input logic                  st_valid_i,
  input logic                  st_ready_i,
  input logic [StoreBits-1:0]  st_i,
  input logic                  ld_ready_i,
  input logic                  asks_i,
  input logic [AskBits-1:0]    ask_i,
  input logic [NumSlots-1:0]   valid_i,   // slots in which a step starts
  input logic [NumSteps-1:0]   starts_i,  // steps that start
  input logic [3*NumSteps-1:0] slots_i    // of each
);
  logic                 waits_q, asks_q;
  logic [StoreBits-1:0] st_q;
  logic [AskBits-1:0]   ask_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q <= 1'b0;
      asks_q <= 1'b0;
      st_q <= '0;
      ask_q <= '0;
    end else begin
      waits_q <= st_valid_i && !(en_i && st_ready_i);
      asks_q <= asks_i && !advance_i;
      st_q <= st_i;
      ask_q <= ask_i;
    end
  end

  logic [2:0] most;  // steps that start in one slot

  always_comb begin
    most = '0;
    for (int s = 0; s < NumSlots; s = s + 1) begin
      logic [2:0] count;
      count = '0;
      for (int i = 0; i < NumSteps; i = i + 1) begin
        if (starts_i[i] && slots_i[3*i +: 3] == 3'(s) && count != 3'd7) count = count + 3'd1;
      end
      if (count > most) most = count;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert_st_hold: assert (!waits_q || (st_valid_i && st_i == st_q));
      assert_ask_hold: assert (!asks_q || (asks_i && ask_i == ask_q));
      assert_ld: assert (!ld_ready_i || (en_i && is_running_i));
      assert_command: assert (valid_i == '0 || is_running_i);
      assert_slot: assert (most <= 3'd1);
      assert_cmd: assert (!(cmd_valid_i && cmd_ready_i) || advance_i);
      assert_ld_moves: assert (!(ld_valid_i && ld_ready_i) || advance_i);
      cover_st_waits: cover (waits_q && st_ready_i);
      cover_ask_waits: cover (asks_q && advance_i);
      cover_ld_misses: cover (ld_ready_i && !ld_valid_i);
      cover_follows: cover (cmd_valid_i && cmd_ready_i && is_running_i);
      cover_all_slots: cover (&valid_i);
    end
  end
endmodule
