// SPDX-License-Identifier: Apache-2.0
// The vectors of a command in the order in which they begin: for each stream the address of lane 0, and which lanes there are.
//
//   loops --> moves[0..5]: which go on with the next vector --> start_q: six addresses a stream, one a loop --> address_o
//
// Loops 0 to 4 are those of the command, loop 5 is the vectors of its lanes: innermost with lanes_reduced, else between the kept
// loops and the others. start_q of a loop is the address of the vector at which all loops inside of it began: when a loop goes on,
// the sum of its start_q and its stride is the new address, and the start_q of the loop and of those inside. So there is one adder
// a stream, and nothing is multiplied. Registers: 6 x 32 bits of start_q a stream, and what is left of each loop, 152 bits. Values of
// all of them come with start_i, in the cycle in which the command stands at the inputs, where it stays.
module npu_agu_vector_walk #(
  parameter int Lanes = 16
) (
  input  logic                                           clk_i,
  // A command begins.
  input  logic                                           start_i,
  // It: stays until the last vector has begun.
  input  logic [24*npu_spec_pkg::NumVectorLoops-1:0]     counts_i,
  input  logic [31:0]                                    lanes_i,
  input  logic [2:0]                                     kept_loops_i,
  input  logic                                           lanes_reduced_i,
  input  logic                                           has_positions_i,  // steps of Init or Final
  input  logic                                           pairs_of_lanes_i,
  input  logic                                           pairs_of_loop_i,
  input  logic [32*npu_spec_pkg::MaxVectorStreams-1:0]   bases_i,
  input  logic [24*npu_spec_pkg::MaxVectorStreams-1:0]   lane_strides_i,
  input  logic [32*npu_spec_pkg::NumVectorLoops*npu_spec_pkg::MaxVectorStreams-1:0] strides_i,
  // The vector that is there begins: the next one is there in the next cycle.
  input  logic                                           begin_i,
  output logic [32*npu_spec_pkg::MaxVectorStreams-1:0]   address_o,
  // It has the last lanes; a second vector goes with it; the second one has the last lanes.
  output logic [2:0]                                     lanes_o,
  output logic                                           position_end_o,  // it is the last one of its position
  output logic                                           command_end_o    // of the command
);
  localparam int NumLoops = npu_spec_pkg::NumVectorLoops;
  localparam int NumStreams = npu_spec_pkg::MaxVectorStreams;
  localparam int LaneBits = $clog2(Lanes);
  localparam int OfLanes = NumLoops;  // the number of the loop over the vectors of lanes
  localparam int NumMoves = NumLoops + 1;

  // What is left of each loop, the vector that is there included.
  logic [24*NumLoops-1:0] left_q;
  logic [31:0]            lanes_left_q;
  logic [NumMoves-1:0]    is_end;
  logic [NumMoves-1:0]    moves;
  logic                   is_one_left, are_two_left;
  logic                   all_end, reduction_end;

  always_comb begin
    is_one_left = lanes_left_q <= 32'(Lanes);
    are_two_left = lanes_left_q <= 32'(2 * Lanes);
    for (int i = 0; i < NumLoops; i = i + 1) is_end[i] = left_q[24*i +: 24] == 24'd1;
    if (pairs_of_loop_i && left_q[24*(NumLoops-1) +: 24] == 24'd2) is_end[NumLoops-1] = 1'b1;
    is_end[OfLanes] = pairs_of_lanes_i ? are_two_left : is_one_left;
  end

  // From the innermost loop outwards: lanes that are reduced, reduced loops, lanes that are kept, kept loops.
  always_comb begin
    all_end = 1'b1;
    moves = '0;
    reduction_end = 1'b1;
    if (lanes_reduced_i) begin
      moves[OfLanes] = 1'b1;
      all_end = is_end[OfLanes];
    end
    for (int i = NumLoops - 1; i >= 0; i = i - 1) begin
      if (3'(i + 1) == kept_loops_i) begin
        reduction_end = all_end;
        if (!lanes_reduced_i) begin
          moves[OfLanes] = all_end;
          all_end = all_end && is_end[OfLanes];
        end
      end
      moves[i] = all_end;
      all_end = all_end && is_end[i];
    end
    if (kept_loops_i == 3'd0) begin
      reduction_end = all_end;
      if (!lanes_reduced_i) begin
        moves[OfLanes] = all_end;
        all_end = all_end && is_end[OfLanes];
      end
    end
  end

  assign command_end_o = all_end;
  assign position_end_o = has_positions_i ? reduction_end : all_end;
  assign lanes_o[0] = is_one_left;
  assign lanes_o[1] = pairs_of_lanes_i ? !is_one_left : pairs_of_loop_i && left_q[24*(NumLoops-1) +: 24] != 24'd1;
  assign lanes_o[2] = pairs_of_lanes_i ? are_two_left : is_one_left;

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      left_q <= counts_i;
      lanes_left_q <= lanes_i;
    end else if (begin_i) begin
      for (int i = 0; i < NumLoops; i = i + 1) begin
        if (moves[i]) begin
          left_q[24*i +: 24] <= is_end[i] ? counts_i[24*i +: 24]
                                          : left_q[24*i +: 24] - (i == NumLoops - 1 && pairs_of_loop_i ? 24'd2 : 24'd1);
        end
      end
      if (moves[OfLanes]) begin
        lanes_left_q <= is_end[OfLanes] ? lanes_i : lanes_left_q - (pairs_of_lanes_i ? 32'(2 * Lanes) : 32'(Lanes));
      end
    end
  end

  // Addresses. The loop that goes on is the one that moves and is not at its end.
  logic lanes_are_innermost;
  assign lanes_are_innermost = lanes_reduced_i || kept_loops_i == 3'(NumLoops);

  genvar s;
  generate
    for (s = 0; s < NumStreams; s = s + 1) begin : gen_stream
      logic [32*NumMoves-1:0] stride;
      logic [32*NumMoves-1:0] start_q;
      logic [31:0]            lane_stride;
      logic [31:0]            from, by, next;

      assign lane_stride = {{8{lane_strides_i[24*s+23]}}, lane_strides_i[24*s +: 24]};
      always_comb begin
        stride[32*NumLoops-1:0] = strides_i[32*NumLoops*s +: 32*NumLoops];
        if (pairs_of_loop_i) stride[32*(NumLoops-1) +: 32] = strides_i[32*(NumLoops*s+NumLoops-1) +: 32] << 1;
        stride[32*OfLanes +: 32] = pairs_of_lanes_i ? lane_stride << (LaneBits + 1) : lane_stride << LaneBits;
      end
      always_comb begin
        from = '0;
        by = '0;
        for (int i = 0; i < NumMoves; i = i + 1) begin
          if (moves[i] && !is_end[i]) begin
            from = from | start_q[32*i +: 32];
            by = by | stride[32*i +: 32];
          end
        end
        next = from + by;
      end
      always_ff @(posedge clk_i) begin
        for (int i = 0; i < NumMoves; i = i + 1) begin
          if (start_i) start_q[32*i +: 32] <= bases_i[32*s +: 32];
          else if (begin_i && moves[i]) start_q[32*i +: 32] <= next;
        end
      end
      assign address_o[32*s +: 32] = lanes_are_innermost ? start_q[32*OfLanes +: 32] : start_q[32*(NumLoops-1) +: 32];
    end
  endgenerate
endmodule
