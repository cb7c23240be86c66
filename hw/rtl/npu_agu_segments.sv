// SPDX-License-Identifier: Apache-2.0
// Addresses of the activations of a convolution: for each beat of a row up to two segments of two neighbouring words, and of
// each pixel the run of bytes that it takes from each.
//
//   command --> [products] --> [runs] --> [cut: segments] --> [takes: words, offsets, lengths] --> act_*
//                                                |   [row] --> [mask]                                ^
//                                                +-------------------------------------------------->+
//
// Only two things go from a beat to the next: which run comes (runs), and where the next segment begins in it (cut). What
// pixels take, where in memory and in the map that is, follows after, over three stages.
//
// Registers: the command, nine products, made one a cycle by one multiplier (a slice takes it for the blocks before it too), and what
// follows from the distance of two pixels. The first beat is there 12 cycles after the command.
module npu_agu_segments #(
  parameter int Lanes = 16
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        cmd_valid_i,
  output logic        cmd_ready_o,
  /* verilator lint_off UNUSEDSIGNAL */  // fields of other streams
  input  logic [npu_agu_pkg::MacCommandBits-1:0] cmd_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic        act_valid_o,
  input  logic        act_ready_i,
  output logic [2*npu_spec_pkg::ActivationSegments-1:0]                           act_read_o,
  output logic [2*npu_agu_pkg::AddressBits*npu_spec_pkg::ActivationSegments-1:0]  act_word_o,
  output logic [npu_spec_pkg::MaxRowPixels*npu_spec_pkg::ActivationSegments*$clog2(2*Lanes)-1:0]  act_offset_o,
  output logic [npu_spec_pkg::MaxRowPixels*npu_spec_pkg::ActivationSegments*$clog2(Lanes+1)-1:0]  act_length_o,
  output logic [npu_spec_pkg::MaxRowPixels*npu_spec_pkg::ActivationSegments*$clog2(2*Lanes)-1:0]  act_to_o,
  output logic [npu_spec_pkg::MaxRowPixels*Lanes-1:0]                             act_mask_o,
  output logic        act_last_o
);
  localparam int LaneBits = $clog2(Lanes);
  localparam int RingBits = $clog2(2*Lanes);
  localparam int CountBits = $clog2(Lanes+1);
  localparam int BytesBits = $clog2(2*Lanes+1);
  localparam int PlaceBits = LaneBits + 4;       // of npu_agu_segments_cut

  // ------------------------------------------------------------------------------------------------------- the command
  localparam logic [1:0] StateIdle = 2'd0, StateMultiply = 2'd1, StateRun = 2'd2;
  logic [1:0] state_q;
  logic [3:0] product_q;   // that is made in this cycle
  localparam logic [3:0] LastProduct = 4'd8, LastOfRuns = 4'd4;

  logic        is_command, starts_runs, is_running, is_empty;
  logic [31:0] base_q, row_pitch_q, pixel_pitch_q, block_pitch_q, rbegin_q, rend_q;
  logic [15:0] in_rows_q, in_columns_q, out_rows_q, out_columns_q, out_channels_q;
  logic [19:0] channels_q;
  logic [13:0] kernel_rows_q, kernel_columns_q, stride_rows_q, stride_columns_q, dilation_rows_q, dilation_columns_q;
  logic [17:0] origin_row_q, origin_column_q;
  logic [6:0]  row_tile_rows_q;
  logic [1:0]  split_q;
  logic        is_16_q, is_weight_16_q;

  assign is_command = cmd_valid_i && cmd_ready_o;
  assign starts_runs = state_q == StateMultiply && product_q == LastOfRuns;

  // Inner taps: columns, or rows of a kernel of one column.
  logic        is_along_rows, has_joined_blocks, is_joined;
  logic [13:0] inner_taps, inner_dilation;
  logic [31:0] inner_pitch, tap_bytes, block_bytes;
  logic [15:0] pixels_a_row, groups;

  assign is_along_rows = kernel_columns_q == 14'd1;
  assign inner_taps = is_along_rows ? kernel_rows_q : kernel_columns_q;
  assign inner_dilation = is_along_rows ? dilation_rows_q : dilation_columns_q;
  assign inner_pitch = is_along_rows ? row_pitch_q : pixel_pitch_q;
  assign tap_bytes = 32'(channels_q) << is_16_q;
  assign block_bytes = 32'(Lanes) << is_16_q;
  assign has_joined_blocks = 32'(channels_q) <= 32'(Lanes) || block_pitch_q == block_bytes;
  assign is_joined = has_joined_blocks && inner_dilation == 14'd1 && inner_pitch == tap_bytes;
  assign pixels_a_row = 16'd1 << split_q;
  assign groups = (out_columns_q + pixels_a_row - 16'd1) >> split_q;

  // Products: steps from a pixel, a line, a tap and a line of taps to the next one; bytes of a line of taps; rows of accumulators;
  // the origin; bytes of the map along the inner taps.
  logic [31:0] pixel_step_q, line_step_q, tap_step_q, taps_step_q, column_start_q, row_start_q, inner_bytes_q, line_bytes_q, num_rows_q;
  logic [17:0] factor, blocks;
  logic [31:0] other, product;

  always_comb begin
    case (product_q)
      4'd0: begin factor = {4'd0, stride_columns_q}; other = pixel_pitch_q; end
      4'd1: begin factor = {4'd0, inner_taps}; other = tap_bytes; end
      4'd2: begin factor = {2'd0, groups}; other = {16'd0, out_rows_q}; end
      4'd3: begin factor = {4'd0, inner_dilation}; other = inner_pitch; end
      4'd4: begin factor = {4'd0, dilation_rows_q}; other = row_pitch_q; end
      4'd5: begin factor = origin_column_q; other = pixel_pitch_q; end
      4'd6: begin factor = origin_row_q; other = row_pitch_q; end
      4'd7: begin factor = {4'd0, stride_rows_q}; other = row_pitch_q; end
      4'd8: begin factor = {2'd0, is_along_rows ? in_rows_q : in_columns_q}; other = inner_pitch; end
      default: begin factor = blocks; other = block_pitch_q; end
    endcase
    product = {{14{factor[17]}}, factor} * other;
  end

  // The distance of two pixels: what of it npu_agu_segments_cut sees, and the rest. Pixels of a negative one lie in memory the
  // other way round.
  logic        is_mirrored_q;
  logic [31:0] distance_q, beyond_q, beyond3_q, pixel_step3_q;
  logic [127:0] base_of_number_q;   // of the map, and what pixels before lie further than segments see
  logic [31:0] blocks_bytes_q;
  logic [PlaceBits-1:0] near_q, near3_q;
  logic [4*PlaceBits-1:0] ascending, starts;
  logic [3:0]  has_pixel;

  assign ascending = {near3_q, near_q << 1, near_q, {PlaceBits{1'b0}}};
  assign has_pixel = 4'(~(16'hffff << pixels_a_row[2:0]));
  genvar p;
  generate
    for (p = 0; p < 4; p = p + 1) begin : gen_pixel
      assign starts[PlaceBits*p +: PlaceBits] = !is_mirrored_q || split_q == 2'd0 ? ascending[PlaceBits*p +: PlaceBits]
        : split_q[1] ? ascending[PlaceBits*(3-p) +: PlaceBits] : ascending[PlaceBits*(1-p%2) +: PlaceBits];
    end
  endgenerate

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StateIdle;
    end else begin
      case (state_q)
        StateIdle: if (cmd_valid_i) state_q <= StateMultiply;
        StateMultiply: if (product_q == LastProduct) state_q <= StateRun;
        default: if (!is_running && is_empty && (!act_valid_o || act_ready_i)) state_q <= StateIdle;
      endcase
    end
  end
  assign cmd_ready_o = state_q == StateIdle;

  always_ff @(posedge clk_i) begin
    if (is_command) begin
      base_q <= cmd_i[npu_agu_pkg::MacInputBaseLsb +: npu_agu_pkg::MacInputBaseBits];
      row_pitch_q <= cmd_i[npu_agu_pkg::MacInputRowPitchLsb +: npu_agu_pkg::MacInputRowPitchBits];
      pixel_pitch_q <= cmd_i[npu_agu_pkg::MacInputPixelPitchLsb +: npu_agu_pkg::MacInputPixelPitchBits];
      block_pitch_q <= cmd_i[npu_agu_pkg::MacInputBlockPitchLsb +: npu_agu_pkg::MacInputBlockPitchBits];
      rbegin_q <= cmd_i[npu_agu_pkg::MacReductionBeginLsb +: npu_agu_pkg::MacReductionBeginBits];
      rend_q <= cmd_i[npu_agu_pkg::MacReductionEndLsb +: npu_agu_pkg::MacReductionEndBits];
      in_rows_q <= cmd_i[npu_agu_pkg::MacInRowsLsb +: npu_agu_pkg::MacInRowsBits];
      in_columns_q <= cmd_i[npu_agu_pkg::MacInColumnsLsb +: npu_agu_pkg::MacInColumnsBits];
      out_rows_q <= cmd_i[npu_agu_pkg::MacOutRowsLsb +: npu_agu_pkg::MacOutRowsBits];
      out_columns_q <= cmd_i[npu_agu_pkg::MacOutColumnsLsb +: npu_agu_pkg::MacOutColumnsBits];
      out_channels_q <= cmd_i[npu_agu_pkg::MacOutChannelsLsb +: npu_agu_pkg::MacOutChannelsBits];
      channels_q <= cmd_i[npu_agu_pkg::MacInChannelsLsb +: npu_agu_pkg::MacInChannelsBits];
      kernel_rows_q <= cmd_i[npu_agu_pkg::MacKernelRowsLsb +: npu_agu_pkg::MacKernelRowsBits];
      kernel_columns_q <= cmd_i[npu_agu_pkg::MacKernelColumnsLsb +: npu_agu_pkg::MacKernelColumnsBits];
      stride_rows_q <= cmd_i[npu_agu_pkg::MacStrideRowsLsb +: npu_agu_pkg::MacStrideRowsBits];
      stride_columns_q <= cmd_i[npu_agu_pkg::MacStrideColumnsLsb +: npu_agu_pkg::MacStrideColumnsBits];
      dilation_rows_q <= cmd_i[npu_agu_pkg::MacDilationRowsLsb +: npu_agu_pkg::MacDilationRowsBits];
      dilation_columns_q <= cmd_i[npu_agu_pkg::MacDilationColumnsLsb +: npu_agu_pkg::MacDilationColumnsBits];
      origin_row_q <= cmd_i[npu_agu_pkg::MacOriginRowLsb +: npu_agu_pkg::MacOriginRowBits];
      origin_column_q <= cmd_i[npu_agu_pkg::MacOriginColumnLsb +: npu_agu_pkg::MacOriginColumnBits];
      row_tile_rows_q <= cmd_i[npu_agu_pkg::MacRowTileRowsLsb +: npu_agu_pkg::MacRowTileRowsBits];
      split_q <= cmd_i[npu_agu_pkg::MacLaneSplitLog2Lsb +: npu_agu_pkg::MacLaneSplitLog2Bits];
      is_16_q <= cmd_i[npu_agu_pkg::MacInputTypeLsb +: npu_agu_pkg::MacInputTypeBits] == npu_spec_pkg::TYPE_INT16;
      is_weight_16_q <= cmd_i[npu_agu_pkg::MacWeightTypeLsb +: npu_agu_pkg::MacWeightTypeBits] == npu_spec_pkg::TYPE_INT16;
      product_q <= 4'd0;
    end
    if (state_q == StateMultiply) begin
      product_q <= product_q + 4'd1;
      case (product_q)
        4'd0: pixel_step_q <= product;
        4'd1: line_bytes_q <= product;
        4'd2: num_rows_q <= product;
        4'd3: tap_step_q <= product;
        4'd4: taps_step_q <= product;
        4'd5: column_start_q <= product;
        4'd6: row_start_q <= product;
        4'd7: line_step_q <= product;
        default: inner_bytes_q <= product;
      endcase
      is_mirrored_q <= pixel_step_q[31];
      if (product_q == 4'd1) distance_q <= pixel_step_q[31] ? -pixel_step_q : pixel_step_q;
      if (product_q == 4'd2) begin
        near_q <= distance_q > 32'(4*Lanes) ? PlaceBits'(4*Lanes) : distance_q[PlaceBits-1:0];
        pixel_step3_q <= pixel_step_q + (pixel_step_q << 1);
      end
      if (product_q == 4'd3) begin
        near3_q <= near_q + (near_q << 1);
        beyond_q <= distance_q - 32'(near_q);
        if (is_mirrored_q) base_q <= base_q + (split_q[1] ? pixel_step3_q : split_q[0] ? pixel_step_q : 32'd0);
      end
      if (product_q == 4'd4) beyond3_q <= beyond_q + (beyond_q << 1);
      if (product_q == 4'd5) base_of_number_q <= {base_q + beyond3_q, base_q + (beyond_q << 1), base_q + beyond_q, base_q};
    end
    if (state_q == StateRun) blocks_bytes_q <= product;
  end

  // --------------------------------------------------------------------------------------------------------------- runs
  localparam int PayloadBits = 4*32 + RingBits + 2;
  logic [1:0]  run_valid, run_last, row_move;
  logic        run_ready;
  logic [63:0] run_address, run_taken, run_inner, run_outer;
  logic [2*BytesBits-1:0] run_bytes;
  logic [2*RingBits-1:0]  run_to;

  npu_agu_segments_runs #(.Lanes(Lanes)) u_runs (
    .clk_i, .rst_ni, .cmd_i(state_q == StateMultiply && product_q == 4'd0), .start_i(starts_runs), .is_running_o(is_running),
    .is_16_i(is_16_q), .is_weight_16_i(is_weight_16_q), .is_joined_i(is_joined), .has_joined_blocks_i(has_joined_blocks),
    .reduction_begin_i(rbegin_q), .reduction_end_i(rend_q), .block_pitch_i(block_pitch_q), .tap_step_i(tap_step_q),
    .line_step_i(taps_step_q), .tap_bytes_i(tap_bytes), .line_bytes_i(line_bytes_q), .num_rows_i(num_rows_q), .channels_i(channels_q),
    .inner_taps_i(inner_taps), .inner_dilation_i(inner_dilation), .outer_dilation_i(dilation_rows_q), .out_channels_i(out_channels_q),
    .tile_channels_i(6'(Lanes) >> split_q), .row_tile_rows_i(row_tile_rows_q),
    .blocks_o(blocks), .blocks_ready_i(state_q == StateRun), .blocks_bytes_i(blocks_bytes_q),
    .run_valid_o(run_valid), .run_ready_i(run_ready), .run_address_o(run_address), .run_bytes_o(run_bytes), .run_to_o(run_to),
    .run_inner_o(run_inner), .run_outer_o(run_outer), .run_taken_o(run_taken), .run_last_o(run_last), .row_move_o(row_move)
  );

  // ----------------------------------------------------------------------------------------------------------- segments
  logic        cut_valid, cut_ready, cut_has_second, cut_last, is_cut_empty;
  logic [2*PlaceBits-1:0] cut_begin;
  logic [3:0]  cut_owner;
  logic [2*BytesBits-1:0] cut_bytes;
  logic [2*PayloadBits-1:0] run_payload, cut_payload;
  logic [63:0] cut_address, cut_taken, cut_inner, cut_outer;
  logic [2*RingBits-1:0] cut_to;
  logic [3:0]  cut_move;

  genvar r;
  generate
    for (r = 0; r < 2; r = r + 1) begin : gen_run
      assign run_payload[PayloadBits*r +: PayloadBits] =
          {run_address[32*r +: 32], run_to[RingBits*r +: RingBits], run_inner[32*r +: 32], run_outer[32*r +: 32], run_taken[32*r +: 32], row_move};
      assign {cut_address[32*r +: 32], cut_to[RingBits*r +: RingBits], cut_inner[32*r +: 32], cut_outer[32*r +: 32],
              cut_taken[32*r +: 32], cut_move[2*r +: 2]} = cut_payload[PayloadBits*r +: PayloadBits];
    end
  endgenerate

  npu_agu_segments_cut #(.Lanes(Lanes), .PayloadBits(PayloadBits)) u_cut (
    .clk_i, .rst_ni, .starts_i(ascending), .has_pixel_i(has_pixel), .run_valid_i(run_valid), .run_ready_o(run_ready),
    .run_bytes_i(run_bytes), .run_last_i(run_last), .run_payload_i(run_payload),
    .cut_valid_o(cut_valid), .cut_ready_i(cut_ready), .cut_has_second_o(cut_has_second), .cut_begin_o(cut_begin), .cut_owner_o(cut_owner),
    .cut_bytes_o(cut_bytes), .cut_payload_o(cut_payload), .cut_last_o(cut_last), .is_empty_o(is_cut_empty)
  );

  // ----------------------------------------------------------------------------------------------------- what comes of it
  logic [2:0]  valid_q, last_q, enable;   // of the stages
  logic        enable1, enable2;
  logic [31:0] row, column, row_bytes, column_bytes;
  logic [15:0] columns_left;
  logic [8*RingBits-1:0]  take_to;
  logic [8*CountBits-1:0] take_length;

  assign enable2 = !valid_q[2] || act_ready_i;
  assign enable1 = !valid_q[1] || enable2;
  assign enable = {enable2, enable1, !valid_q[0] || enable1};
  assign cut_ready = enable[0] && state_q == StateRun;
  assign is_empty = is_cut_empty && valid_q[1:0] == 2'd0;
  assign act_valid_o = valid_q[2];
  assign act_last_o = last_q[2];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 3'd0;
    end else begin
      if (enable[0]) valid_q[0] <= cut_valid && cut_ready;
      if (enable[1]) valid_q[1] <= valid_q[0];
      if (enable[2]) valid_q[2] <= valid_q[1];
    end
  end
  always_ff @(posedge clk_i) begin
    if (enable[0]) last_q[0] <= cut_last;
    if (enable[1]) last_q[1] <= last_q[0];
    if (enable[2]) last_q[2] <= last_q[1];
  end

  npu_agu_segments_row u_row (
    .clk_i, .load_i(state_q == StateMultiply), .move_i(cut_valid && cut_ready && cut_last),
    .kind_i(cut_has_second ? cut_move[3:2] : cut_move[1:0]), .split_i(split_q), .out_columns_i(out_columns_q),
    .stride_rows_i(stride_rows_q), .stride_columns_i(stride_columns_q), .origin_row_i(origin_row_q), .origin_column_i(origin_column_q),
    .row_start_i(row_start_q), .column_start_i(column_start_q), .line_step_i(line_step_q), .pixel_step_i(pixel_step_q),
    .row_o(row), .column_o(column), .row_bytes_o(row_bytes), .column_bytes_o(column_bytes), .columns_left_o(columns_left)
  );

  npu_agu_segments_takes #(.Lanes(Lanes)) u_takes (
    .clk_i, .enable_i(enable), .starts_i(starts), .has_pixel_i(has_pixel), .base_i(base_of_number_q),
    .row_bytes_i(row_bytes), .column_bytes_i(column_bytes), .valid_i({cut_has_second, 1'b1}), .begin_i(cut_begin),
    .owner_i(cut_owner), .bytes_i(cut_bytes), .address_i(cut_address), .to_i(cut_to), .to_o(take_to), .length_o(take_length),
    .act_read_o, .act_word_o, .act_offset_o, .act_length_o, .act_to_o
  );

  npu_agu_segments_mask #(.Lanes(Lanes)) u_mask (
    .clk_i, .enable_i(enable), .is_16_i(is_16_q), .is_joined_i(is_joined), .is_along_rows_i(is_along_rows), .in_rows_i(in_rows_q),
    .in_columns_i(in_columns_q), .stride_columns_i(stride_columns_q), .pixel_step_i(pixel_step_q), .inner_bytes_i(inner_bytes_q),
    .row_i(row), .column_i(column), .row_bytes_i(row_bytes), .column_bytes_i(column_bytes), .columns_left_i(columns_left),
    .inner_i(cut_inner), .outer_i(cut_outer), .taken_i(cut_taken), .run_to_i(cut_to), .to_i(take_to), .length_i(take_length), .act_mask_o
  );
endmodule
