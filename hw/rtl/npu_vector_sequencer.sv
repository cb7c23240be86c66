// SPDX-License-Identifier: Apache-2.0
// The loops of a vector command: when each vector of Body begins, where a kept position begins and ends, and which lanes a vector has.
//
//   command --> left_q, lanes_left_q: what is left of each loop --> position_o, last_o
//                        |
//                        +--> ring_o: a vector's lanes, for the steps that start later
//
// Contract (hw/spec/command.hpp, VectorCommand). The first vector begins in the cycle after the command's handshake, and
// SramReadLatencyCycles later where a step loads. Vectors of a position follow each other by the interval. The next position begins length_i cycles
// after the last vector of this one has begun, and a command ends there. A program of Body steps only is one position.
// A place of the ring has, from bit 0: the vector has the last lanes; a second vector goes with it; the second has the last lanes.
module npu_vector_sequencer #(
  parameter int Lanes = 16
) (
  input  logic                                    clk_i,
  input  logic                                    rst_ni,
  input  logic                                    advance_i,
  // A new command: its loops, and what its steps are.
  input  logic                                    load_i,
  input  logic [24*npu_spec_pkg::NumVectorLoops-1:0] counts_i,
  input  logic [31:0]                             lanes_i,
  input  logic [2:0]                              kept_loops_i,
  input  logic                                    lanes_reduced_i,
  input  logic                                    has_loads_i,
  input  logic                                    has_positions_i,  // steps of Init or Final
  input  logic                                    in_pairs_i,
  input  logic [11:0]                             interval_i,
  input  logic [4:0]                              rotating_i,
  // The command that runs has this length.
  input  logic [12:0]                             length_i,         // from its third cycle on
  output logic [11:0]                             interval_o,
  output logic [4:0]                              rotating_o,
  output logic                                    lanes_reduced_o,
  output logic [$clog2(Lanes)-1:0]                rest_o,           // the last one of the last lanes
  output logic                                    is_short_o,       // there is only one vector of lanes
  // This cycle.
  output logic                                    is_running_o,
  output logic                                    position_o,       // a vector begins, the first one of its position
  output logic                                    last_o,           // a vector begins, the last one
  output logic [3:0]                              turn_o,           // its number in the position, modulo the registers that turn
  output logic [npu_spec_pkg::VectorRingBits-1:0] at_o,             // its place in the ring
  output logic [3*(1<<npu_spec_pkg::VectorRingBits)-1:0] ring_o,
  output logic                                    over_o            // the last cycle of the command
);
  localparam int NumLoops = npu_spec_pkg::NumVectorLoops;
  localparam int RingBits = npu_spec_pkg::VectorRingBits;
  localparam int LaneBits = $clog2(Lanes);

  // The command.
  logic [24*NumLoops-1:0] counts_q;
  logic [31:0]            lanes_q;
  logic [2:0]             kept_loops_q;
  logic                   lanes_reduced_q;
  logic                   has_positions_q;
  logic                   pairs_of_lanes_q;
  logic                   pairs_of_loop_q;
  logic [11:0]            interval_q;
  logic [4:0]             rotating_q;

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      counts_q <= counts_i;
      lanes_q <= lanes_i;
      kept_loops_q <= kept_loops_i;
      lanes_reduced_q <= lanes_reduced_i;
      has_positions_q <= has_positions_i;
      pairs_of_lanes_q <= in_pairs_i && lanes_reduced_i;
      pairs_of_loop_q <= in_pairs_i && !lanes_reduced_i;
      interval_q <= interval_i;
      rotating_q <= rotating_i;
    end
  end

  assign interval_o = interval_q;
  assign rotating_o = rotating_q;
  assign lanes_reduced_o = lanes_reduced_q;
  assign rest_o = lanes_q[LaneBits-1:0] - LaneBits'(1);
  assign is_short_o = lanes_q <= 32'(Lanes);

  // Loops: what is left of each, the vector that begins next included.
  logic [24*NumLoops-1:0] left_q;
  logic [31:0]            lanes_left_q;
  logic [NumLoops-1:0]    is_end;
  logic [NumLoops-1:0]    moves;
  logic                   is_one_left, are_two_left;
  logic                   lanes_end, lanes_move;
  logic                   all_end, reduction_end;

  always_comb begin
    is_one_left = lanes_left_q <= 32'(Lanes);
    are_two_left = lanes_left_q <= 32'(2 * Lanes);
    lanes_end = pairs_of_lanes_q ? are_two_left : is_one_left;
    for (int i = 0; i < NumLoops; i = i + 1) is_end[i] = left_q[24*i +: 24] == 24'd1;
    if (pairs_of_loop_q && left_q[24*(NumLoops-1) +: 24] == 24'd2) is_end[NumLoops-1] = 1'b1;
  end

  // From the innermost loop outwards: lanes that are reduced, reduced loops, lanes that are kept, kept loops.
  always_comb begin
    all_end = 1'b1;
    lanes_move = 1'b0;
    reduction_end = 1'b1;
    if (lanes_reduced_q) begin
      lanes_move = 1'b1;
      all_end = lanes_end;
    end
    for (int i = NumLoops - 1; i >= 0; i = i - 1) begin
      if (3'(i + 1) == kept_loops_q) begin
        reduction_end = all_end;
        if (!lanes_reduced_q) begin
          lanes_move = all_end;
          all_end = all_end && lanes_end;
        end
      end
      moves[i] = all_end;
      all_end = all_end && is_end[i];
    end
    if (kept_loops_q == 3'd0) begin
      reduction_end = all_end;
      if (!lanes_reduced_q) begin
        lanes_move = all_end;
        all_end = all_end && lanes_end;
      end
    end
  end

  // Vectors and positions.
  logic                is_running_q;
  logic [1:0]          start_wait_q;
  logic                is_first_q;
  logic                is_after_last_q;
  logic                is_last_position_q;
  logic [11:0]         wait_q;
  logic [12:0]         since_last_q;
  logic [3:0]          turn_q;
  logic [RingBits-1:0] at_q;
  logic                vector;
  logic                position_over;

  assign vector = is_running_q && start_wait_q == 2'd0 && !is_after_last_q && wait_q == 12'd0;
  assign position_o = vector && is_first_q;
  assign last_o = vector && (has_positions_q ? reduction_end : all_end);
  assign position_over = is_after_last_q && since_last_q == length_i - 13'd1;
  assign over_o = is_running_q && position_over && is_last_position_q;
  assign turn_o = is_first_q ? 4'd0 : turn_q;
  assign at_o = at_q;
  assign is_running_o = is_running_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      is_running_q <= 1'b0;
      at_q <= '0;
    end else begin
      if (load_i) is_running_q <= 1'b1;
      else if (advance_i && over_o) is_running_q <= 1'b0;
      if (advance_i && vector) at_q <= at_q + RingBits'(1);
    end
  end

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      start_wait_q <= has_loads_i ? 2'(npu_spec_pkg::SramReadLatencyCycles) : 2'd0;
      is_first_q <= 1'b1;
      is_after_last_q <= 1'b0;
      wait_q <= 12'd0;
      left_q <= counts_i;
      lanes_left_q <= lanes_i;
    end else if (advance_i && is_running_q) begin
      if (start_wait_q != 2'd0) begin
        start_wait_q <= start_wait_q - 2'd1;
      end else if (vector) begin
        wait_q <= interval_q - 12'd1;
        is_first_q <= 1'b0;
        is_after_last_q <= last_o;
        is_last_position_q <= all_end;
        since_last_q <= 13'd1;
        turn_q <= {1'b0, turn_o} + 5'd1 >= rotating_q ? 4'd0 : turn_o + 4'd1;
        for (int i = 0; i < NumLoops; i = i + 1) begin
          if (moves[i]) begin
            left_q[24*i +: 24] <= is_end[i] ? counts_q[24*i +: 24]
                                            : left_q[24*i +: 24] - (i == NumLoops - 1 && pairs_of_loop_q ? 24'd2 : 24'd1);
          end
        end
        if (lanes_move) begin
          lanes_left_q <= lanes_end ? lanes_q : lanes_left_q - (pairs_of_lanes_q ? 32'(2 * Lanes) : 32'(Lanes));
        end
      end else if (position_over) begin
        is_after_last_q <= 1'b0;
        is_first_q <= 1'b1;
        wait_q <= 12'd0;
      end else if (is_after_last_q) begin
        since_last_q <= since_last_q + 13'd1;
      end else begin
        wait_q <= wait_q - 12'd1;
      end
    end
  end

  // The ring. A step that starts with its vector finds what is written at the end of this cycle.
  logic [3*(1<<RingBits)-1:0] ring_q;
  logic [2:0]                 lanes_now;

  always_comb begin
    lanes_now[0] = is_one_left;
    lanes_now[1] = pairs_of_lanes_q ? !is_one_left : pairs_of_loop_q && left_q[24*(NumLoops-1) +: 24] != 24'd1;
    lanes_now[2] = pairs_of_lanes_q ? are_two_left : is_one_left;
    ring_o = ring_q;
    if (vector) ring_o[3*at_q +: 3] = lanes_now;
  end

  always_ff @(posedge clk_i) begin
    if (advance_i && vector) ring_q[3*at_q +: 3] <= lanes_now;
  end
endmodule
