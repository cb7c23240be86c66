// SPDX-License-Identifier: Apache-2.0
// The beats of all loads of a vector command, or of all its stores.
//
//   npu_agu_vector_walk --> fresh_q --> ring: addresses and lanes of the vectors in flight --+
//      a vector a cycle     position_q: the same of Init and Final                           |
//   npu_agu_vector_order --> read_*_q: step, part, address unless from the ring -------------+--> beat registers --> the ports
//
// A vector begins, and goes into the ring, as soon as there is a place, and at most one interval before the beat that is next. So the
// vectors of all beats have begun when their turn comes, but for the first one of a position, as a vector begins in each cycle. Where
// the side has steps of Final, a beat waits until all vectors have begun that the schedule begins until then: the last of them says when
// Final starts. Between the last beat of a position and the first one of the next position there is one cycle; the schedule has two.
// Registers: 8 addresses a stream of 32 bits (6 of the walk, position_q, fresh_q), what is read and the beat, about 150 bits; the ring
// is a memory of 64 words of 195 bits. A place of the ring is written in the cycle after its vector has begun, so that it is free for a
// vector that begins in the cycle in which the old one is read for the last time, and is never read while it is written.
module npu_agu_vector_side #(
  parameter int Lanes = 16,
  parameter bit IsStore = 1'b0,
  localparam int CountBits = $clog2(Lanes + 1)
) (
  input  logic                                           clk_i,
  input  logic                                           rst_ni,
  // A command begins: it stands at the inputs, and stays until is_busy_o is low.
  input  logic                                           start_i,
  output logic                                           is_busy_o,
  input  logic [11:0]                                    interval_i,
  input  logic [24*npu_spec_pkg::NumVectorLoops-1:0]     counts_i,
  input  logic [31:0]                                    lanes_i,
  input  logic [2:0]                                     kept_loops_i,
  input  logic                                           lanes_reduced_i,
  input  logic                                           has_positions_i,
  input  logic                                           pairs_of_lanes_i,
  input  logic                                           pairs_of_loop_i,
  input  logic [32*npu_spec_pkg::MaxVectorStreams-1:0]   bases_i,
  input  logic [24*npu_spec_pkg::MaxVectorStreams-1:0]   lane_strides_i,
  input  logic [32*npu_spec_pkg::NumVectorLoops*npu_spec_pkg::MaxVectorStreams-1:0] strides_i,
  // Its steps, two a cycle from the cycle of start_i on, until is_sorted_i is high.
  input  logic                                           insert_i,
  input  logic                                           is_sorted_i,
  input  logic [1:0]                                     is_used_i,
  input  logic [23:0]                                    offset_i,
  input  logic [3:0]                                     phase_i,
  input  logic [9:0]                                     step_i,
  input  logic [5:0]                                     stream_i,
  input  logic [1:0]                                     is_wide_i,
  input  logic                                           clear_i,  // the cycle before
  // Beats.
  output logic                                           valid_o,
  input  logic                                           ready_i,
  output logic [4:0]                                     step_o,
  output logic                                           part_o,
  output logic [31:0]                                    address_o,
  output logic [23:0]                                    stride_o,
  output logic [CountBits-1:0]                           count_o,
  output logic [31:0]                                    second_address_o,
  output logic [CountBits-1:0]                           second_count_o
);
  localparam int NumStreams = npu_spec_pkg::MaxVectorStreams;
  localparam int NumLoops = npu_spec_pkg::NumVectorLoops;
  localparam int RingBits = npu_spec_pkg::VectorRingBits;
  localparam int LaneBits = $clog2(Lanes);
  localparam int WordBits = 32 * NumStreams + 3;

  // Vectors.
  logic                      is_running_q, is_first_q, has_last_q, is_last_position_q;
  logic [13:0]               time_q, position_time_q, last_time_q;  // time_q: of the vector that begins next
  logic [RingBits:0]         at_q, oldest_q, last_place_q;
  logic [32*NumStreams-1:0]  position_q;
  logic                      position_is_last_q;  // it has the last lanes
  logic                      begins, frees, is_over, is_first, is_room, is_near;
  logic [32*NumStreams-1:0]  address;
  logic [2:0]                lanes;
  logic                      position_end, command_end;

  // What is next.
  logic                      is_there, is_body, is_wide, all_done, is_empty, has_body, has_final, can_go, goes, pops;
  logic                      read_ready, beat_ready;
  logic                      is_begun, is_near_head;
  logic [RingBits:0]         place;
  logic [4:0]                step, latest_step;
  logic [2:0]                stream;
  logic                      part_q;
  // The step that is the last to read a vector: the vector's place is free then.
  logic [4:0]                latest_step_q;
  logic                      has_latest_q;

  npu_agu_vector_walk #(.Lanes(Lanes)) u_walk (
    .clk_i, .start_i, .counts_i, .lanes_i, .kept_loops_i, .lanes_reduced_i, .has_positions_i, .pairs_of_lanes_i, .pairs_of_loop_i,
    .bases_i, .lane_strides_i, .strides_i,
    .begin_i(begins), .address_o(address), .lanes_o(lanes), .position_end_o(position_end), .command_end_o(command_end)
  );

  npu_agu_vector_order u_order (
    .clk_i, .clear_i, .insert_i, .is_used_i, .offset_i, .phase_i, .step_i, .stream_i, .is_wide_i,
    .restart_i(is_over), .interval_i,
    .position_time_i(position_time_q), .has_last_i(has_last_q), .last_time_i(last_time_q), .last_place_i(last_place_q),
    .begins_time_i(time_q), .near_time_i(time_q - ({2'b00, interval_i} + 14'd8)), .is_begun_o(is_begun), .is_near_o(is_near_head),
    .is_there_o(is_there), .is_body_o(is_body), .place_o(place), .step_o(step), .stream_o(stream),
    .is_wide_o(is_wide), .pop_i(pops), .is_empty_o(is_empty), .is_over_o(all_done), .has_body_o(has_body), .has_final_o(has_final),
    .latest_step_o(latest_step)
  );

  always_comb begin
    can_go = is_running_q && is_sorted_i && is_there && !is_first_q &&
             (!has_final || has_last_q || is_begun);
    goes = can_go && read_ready;
    pops = goes && (part_q || !is_wide);
    frees = pops && is_body && step == (has_latest_q ? latest_step_q : latest_step);
    is_room = !has_body || at_q - oldest_q != (RingBits+1)'(1 << RingBits) || frees;
    // So far ahead that a step of two parts leaves no gap before the next one.
    is_near = !is_there || is_near_head;
    is_over = is_running_q && is_sorted_i && has_last_q && all_done;
    is_first = is_first_q || is_over;
    begins = is_running_q && !(is_over && is_last_position_q) &&
             (is_first || !has_last_q && is_sorted_i && is_room && is_near);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      is_running_q <= 1'b0;
    end else begin
      if (start_i) is_running_q <= 1'b1;
      else if (is_sorted_i && is_empty || is_over && is_last_position_q) is_running_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (start_i) begin
      is_first_q <= 1'b1;
      has_last_q <= 1'b0;
      time_q <= '0;
      at_q <= '0;
      oldest_q <= '0;
      has_latest_q <= 1'b0;
      part_q <= 1'b0;
    end else begin
      if (is_over) has_last_q <= 1'b0;
      if (is_over && !begins) is_first_q <= 1'b1;
      if (begins) begin
        time_q <= time_q + {2'b00, interval_i};
        at_q <= at_q + (RingBits+1)'(1);
        is_first_q <= 1'b0;
        has_last_q <= position_end;
        is_last_position_q <= command_end;
        last_time_q <= time_q;
        last_place_q <= at_q;
        if (is_first) begin
          position_time_q <= time_q;
          position_q <= address;
          position_is_last_q <= lanes[0];
        end
      end
      if (is_sorted_i && !has_latest_q) begin
        latest_step_q <= latest_step;
        has_latest_q <= 1'b1;
      end
      if (frees) oldest_q <= oldest_q + (RingBits+1)'(1);
      if (goes) part_q <= is_wide && !part_q;
    end
  end

  // The beat that is read.
  logic                read_valid_q, read_part_q, read_is_body_q, read_is_ring_q;
  logic [2:0]          read_lanes_q;
  logic [4:0]          read_step_q;
  logic [2:0]          read_stream_q;
  logic [31:0]         read_address_q;
  logic [WordBits-1:0] word;
  logic [31:0]         address_here;
  logic [2:0]          lanes_here;
  logic                is_fresh;
  logic                fresh_valid_q;
  logic [WordBits-1:0] fresh_q;
  logic [RingBits:0]   fresh_place_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) fresh_valid_q <= 1'b0;
    else fresh_valid_q <= begins;
  end
  always_ff @(posedge clk_i) begin
    if (begins) begin
      fresh_q <= {lanes, address};
      fresh_place_q <= at_q;
    end
  end

  npu_ram_1r1w #(.WidthBits(WordBits), .DepthWords(1 << RingBits), .AddressBits(RingBits)) u_ring (
    .clk_i,
    .read_en_i(goes && is_body && !is_fresh), .read_address_i(place[RingBits-1:0]), .read_data_o(word),
    .write_en_i(fresh_valid_q), .write_address_i(fresh_place_q[RingBits-1:0]), .write_data_i(fresh_q)
  );

  always_comb begin
    is_fresh = fresh_valid_q && place == fresh_place_q;
    lanes_here = is_body ? fresh_q[WordBits-1:WordBits-3] : {2'b00, position_is_last_q};
    address_here = '0;
    for (int i = 0; i < NumStreams; i = i + 1) begin
      if (stream == 3'(i)) address_here = is_body ? fresh_q[32*i +: 32] : position_q[32*i +: 32];
    end
  end

  assign read_ready = !read_valid_q || beat_ready;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) read_valid_q <= 1'b0;
    else if (read_ready) read_valid_q <= goes;
  end
  always_ff @(posedge clk_i) begin
    if (goes) begin
      read_step_q <= step;
      read_part_q <= part_q;
      read_stream_q <= stream;
      read_is_body_q <= is_body;
      read_is_ring_q <= is_body && !is_fresh;
      read_lanes_q <= lanes_here;
      read_address_q <= address_here;
    end
  end

  // The beat that is there.
  logic                 valid_q, part_d_q;
  logic [4:0]           step_q;
  logic [31:0]          address_q, second_address_q;
  logic [23:0]          stride_q;
  logic [CountBits-1:0] count_q, second_count_q;
  logic [31:0]          address_d, by;
  logic [23:0]          lane_stride;
  logic [31:0]          wide_stride, pair_stride;
  logic [2:0]           word_lanes;
  logic                 is_single;
  logic [LaneBits-1:0]  last_lane;
  logic [CountBits-1:0] rest, single;

  assign last_lane = lanes_i[LaneBits-1:0] - LaneBits'(1);
  assign rest = {1'b0, last_lane} + CountBits'(1);
  assign single = IsStore ? CountBits'(1) : lanes_i <= 32'(Lanes) ? rest : CountBits'(Lanes);

  always_comb begin
    address_d = read_address_q;
    lane_stride = '0;
    pair_stride = '0;
    for (int i = 0; i < NumStreams; i = i + 1) begin
      if (read_stream_q == 3'(i)) begin
        lane_stride = lane_strides_i[24*i +: 24];
        pair_stride = strides_i[32*(NumLoops*i+NumLoops-1) +: 32];
        if (read_is_ring_q) address_d = word[32*i +: 32];
      end
    end
    wide_stride = {{8{lane_stride[23]}}, lane_stride};
    by = pairs_of_lanes_i ? wide_stride << LaneBits : pair_stride;
    word_lanes = read_is_ring_q ? word[WordBits-1:WordBits-3] : read_lanes_q;
    is_single = lanes_reduced_i && !read_is_body_q;
  end

  assign beat_ready = !valid_q || ready_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else if (beat_ready) valid_q <= read_valid_q;
  end
  always_ff @(posedge clk_i) begin
    if (beat_ready && read_valid_q) begin
      step_q <= read_step_q;
      part_d_q <= read_part_q;
      address_q <= address_d;
      stride_q <= is_single ? 24'd0 : lane_stride;
      count_q <= is_single ? single : word_lanes[0] ? rest : CountBits'(Lanes);
      second_address_q <= address_d + by;
      second_count_q <= !word_lanes[1] ? '0 : word_lanes[2] ? rest : CountBits'(Lanes);
    end
  end

  assign is_busy_o = is_running_q || read_valid_q || valid_q;
  assign valid_o = valid_q;
  assign step_o = step_q;
  assign part_o = part_d_q;
  assign address_o = address_q;
  assign stride_o = stride_q;
  assign count_o = count_q;
  assign second_address_o = second_address_q;
  assign second_count_o = second_count_q;
endmodule
