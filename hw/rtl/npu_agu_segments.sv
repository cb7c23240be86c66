// SPDX-License-Identifier: Apache-2.0
// Long because: a place in the kernel goes through all of it.
//
// Addresses of the activations of a convolution: for each beat of a row up to two segments of two neighbouring words, and of
// each pixel the run of bytes that it takes from each.
//
//   begin of the step --> [P places in the kernel] --> lowest next run --> segment 0 --> places behind it --> segment 1
//                              ^                                                                               |
//                              +------------------------- places behind the beat -----------------------------+
//   row: address of its tap (0, 0) -----------------------------------------------> + --> words, offsets
//
// A place says where in the reduction a pixel's next byte is: run, byte of the run, the run's address. All pixels begin a
// row at the place at which the step begins, and end it at that of the next step, so that nothing is divided. Runs are those of
// hw/sequence/conv_stream.hpp: a block of a tap, a tap, or a line of taps ("inner": columns of the kernel, or its rows where it
// has one column).
//
// Registers: a place for each pixel and two for the steps, the row and that with which the row tile began, eight products.
// Those are made one per cycle when a command comes, by one multiplier; two more make the number of rows and, of a slice, the
// begin in its tap, which it looks for tap by tap.
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
  localparam int NumPixels = npu_spec_pkg::MaxRowPixels;
  localparam int NumSegments = npu_spec_pkg::ActivationSegments;
  localparam int LaneBits = $clog2(Lanes);
  localparam int RingBits = $clog2(2*Lanes);
  localparam int CountBits = $clog2(Lanes+1);
  localparam int BytesBits = $clog2(2*Lanes+1);

  // ------------------------------------------------------------------------------------------------------- the command
  typedef enum logic [2:0] {StateIdle, StateMultiply, StateSeek, StateBlock, StateLoad, StateRun} state_t;
  state_t state_q;
  logic [2:0] product_q;  // that is made in this cycle

  logic [31:0] base_q, row_pitch_q, pixel_pitch_q, block_pitch_q, rbegin_q, rend_q;
  logic [15:0] in_rows_q, in_columns_q, out_rows_q, out_columns_q, out_channels_q;
  logic [19:0] channels_q;
  logic [13:0] kernel_rows_q, kernel_columns_q, stride_rows_q, stride_columns_q, dilation_rows_q, dilation_columns_q;
  logic [17:0] origin_row_q, origin_column_q;
  logic [6:0]  row_tile_rows_q;
  logic [1:0]  split_q;
  logic        is_16_q, is_weight_16_q;
  // Products: of a pixel's step, a line's step, a tap's and a row of taps'; of the origin; of the extent of the map and of the
  // kernel along the inner taps.
  logic [31:0] pixel_step_q, line_step_q, tap_step_q, taps_step_q, column_start_q, row_start_q, inner_extent_q, line_bytes_q;

  // Inner taps: columns, or rows of a kernel of one column.
  logic        is_along_rows, has_joined_blocks, is_joined;
  logic [13:0] inner_taps, inner_dilation, outer_dilation;
  logic [31:0] inner_pitch, outer_pitch, tap_bytes, block_bytes;

  assign is_along_rows = kernel_columns_q == 14'd1;
  assign inner_taps = is_along_rows ? kernel_rows_q : kernel_columns_q;
  assign inner_dilation = is_along_rows ? dilation_rows_q : dilation_columns_q;
  assign outer_dilation = dilation_rows_q;
  assign inner_pitch = is_along_rows ? row_pitch_q : pixel_pitch_q;
  assign outer_pitch = row_pitch_q;
  assign tap_bytes = 32'(channels_q) << is_16_q;
  assign block_bytes = 32'(Lanes) << is_16_q;
  assign has_joined_blocks = 32'(channels_q) <= 32'(Lanes) || block_pitch_q == block_bytes;
  assign is_joined = has_joined_blocks && inner_dilation == 14'd1 && inner_pitch == tap_bytes;

  logic [17:0] factor;
  logic [31:0] other, product;

  always_comb begin
    case (product_q)
      3'd0: begin factor = {4'd0, stride_columns_q}; other = pixel_pitch_q; end
      3'd1: begin factor = {4'd0, stride_rows_q}; other = row_pitch_q; end
      3'd2: begin factor = {4'd0, inner_dilation}; other = inner_pitch; end
      3'd3: begin factor = {4'd0, outer_dilation}; other = outer_pitch; end
      3'd4: begin factor = origin_column_q; other = pixel_pitch_q; end
      3'd5: begin factor = origin_row_q; other = row_pitch_q; end
      3'd6: begin factor = {2'd0, is_along_rows ? in_rows_q : in_columns_q}; other = inner_pitch; end
      default: begin factor = {4'd0, inner_taps}; other = tap_bytes; end
    endcase
    product = {{14{factor[17]}}, factor} * other;
  end

  // ------------------------------------------------------------------------------------------------- a place in the kernel
  // Address of the run against tap (0, 0) of the pixel, of its tap and of its row of taps; bytes of it that are taken; which
  // inner tap it is; how far that is from tap (0, 0) in the map, inner and outer; channels of the tap from the run's block on.
  localparam int PlaceBits = 3*32 + 32 + 14 + 18 + 18 + 20;
  localparam int RunLsb = 0, TapLsb = 32, TapsLsb = 64, TakenLsb = 96, IdxLsb = 128, InnerLsb = 142, OuterLsb = 160, LeftLsb = 178;

  function automatic logic [PlaceBits-1:0] first_place(input logic [19:0] channels);
    first_place = '0;
    first_place[LeftLsb +: 20] = channels;
  endfunction

  // Of the run of a place: its bytes.
  function automatic logic [31:0] run_bytes(input logic [19:0] channels_left, input logic joined, input logic joined_blocks,
                                            input logic [31:0] line, input logic [31:0] tap, input logic is_16);
    if (joined) run_bytes = line;
    else if (joined_blocks) run_bytes = tap;
    else if (channels_left > 20'(Lanes)) run_bytes = 32'(Lanes) << is_16;
    else run_bytes = {12'd0, channels_left} << is_16;
  endfunction

  // The place behind `take` bytes, which are at most what the run has left.
  function automatic logic [PlaceBits-1:0] behind(
      input logic [PlaceBits-1:0] place, input logic [BytesBits-1:0] take, input logic [31:0] bytes, input logic joined,
      input logic joined_blocks, input logic [13:0] taps, input logic [13:0] dilation, input logic [13:0] dilation_outer,
      input logic [31:0] block_pitch, input logic [31:0] tap_step, input logic [31:0] taps_step, input logic [19:0] channels);
    logic [31:0] taken;
    behind = place;
    taken = place[TakenLsb +: 32] + 32'(take);
    behind[TakenLsb +: 32] = taken;
    if (taken == bytes) begin
      behind[TakenLsb +: 32] = 32'd0;
      if (!joined && !joined_blocks && place[LeftLsb +: 20] > 20'(Lanes)) begin
        behind[LeftLsb +: 20] = place[LeftLsb +: 20] - 20'(Lanes);
        behind[RunLsb +: 32] = place[RunLsb +: 32] + block_pitch;
      end else if (!joined && place[IdxLsb +: 14] + 14'd1 != taps) begin
        behind[LeftLsb +: 20] = channels;
        behind[IdxLsb +: 14] = place[IdxLsb +: 14] + 14'd1;
        behind[InnerLsb +: 18] = place[InnerLsb +: 18] + 18'(dilation);
        behind[TapLsb +: 32] = place[TapLsb +: 32] + tap_step;
        behind[RunLsb +: 32] = place[TapLsb +: 32] + tap_step;
      end else begin
        behind[LeftLsb +: 20] = channels;
        behind[IdxLsb +: 14] = 14'd0;
        behind[InnerLsb +: 18] = 18'd0;
        behind[OuterLsb +: 18] = place[OuterLsb +: 18] + 18'(dilation_outer);
        behind[TapsLsb +: 32] = place[TapsLsb +: 32] + taps_step;
        behind[TapLsb +: 32] = place[TapsLsb +: 32] + taps_step;
        behind[RunLsb +: 32] = place[TapsLsb +: 32] + taps_step;
      end
    end
  endfunction

  // -------------------------------------------------------------------------------------------------------------- loops
  logic [PlaceBits-1:0] start_place_q, step_place_q;     // with which the reduction, and the step, begins
  logic [NumPixels*PlaceBits-1:0] places_q, places;       // now, and behind the beat
  logic [NumPixels*BytesBits-1:0] lefts_q, lefts;         // bytes of the step that a pixel lacks
  logic [31:0] r_left_q;                                  // elements from the step on
  logic [15:0] channels_left_q;
  logic [31:0] rows_left_q;                               // of the command, from the row tile on
  logic [6:0]  tile_row_q;                                // rows of the row tile that have been
  logic        byte_q;
  // The row, and the one with which the row tile begins: column and row of the map and their addresses, output columns and
  // rows that are left.
  localparam int RowBits = 18 + 18 + 32 + 32 + 16 + 16;
  localparam int XLsb = 0, YLsb = 18, XBytesLsb = 36, YBytesLsb = 68, ColumnsLsb = 100, RowsLsb = 116;
  logic [RowBits-1:0] row_q, tile_q, first_row, next_row;
  logic [15:0] pixels_a_row, groups;
  logic [5:0]  tile_channels;

  assign pixels_a_row = 16'd1 << split_q;
  assign groups = (out_columns_q + pixels_a_row - 16'd1) >> split_q;
  assign tile_channels = 6'(Lanes) >> split_q;
  assign first_row = {out_rows_q, out_columns_q, row_start_q, column_start_q, origin_row_q, origin_column_q};

  always_comb begin
    next_row = row_q;
    if (row_q[ColumnsLsb +: 16] > pixels_a_row) begin
      next_row[ColumnsLsb +: 16] = row_q[ColumnsLsb +: 16] - pixels_a_row;
      next_row[XLsb +: 18] = row_q[XLsb +: 18] + ({4'd0, stride_columns_q} << split_q);
      next_row[XBytesLsb +: 32] = row_q[XBytesLsb +: 32] + (pixel_step_q << split_q);
    end else begin
      next_row[ColumnsLsb +: 16] = out_columns_q;
      next_row[XLsb +: 18] = origin_column_q;
      next_row[XBytesLsb +: 32] = column_start_q;
      next_row[RowsLsb +: 16] = row_q[RowsLsb +: 16] - 16'd1;
      next_row[YLsb +: 18] = row_q[YLsb +: 18] + {4'd0, stride_rows_q};
      next_row[YBytesLsb +: 32] = row_q[YBytesLsb +: 32] + line_step_q;
    end
  end

  // --------------------------------------------------------------------------------------------------------------- a beat
  logic [31:0] row_address, begin_at, end_at, at, head, run_left, inner_at, low, high;
  logic [PlaceBits-1:0] place;
  logic [BytesBits-1:0] left, take, room;
  logic [RingBits-1:0]  offset, to, to_element;
  logic [LaneBits-1:0]  in_word;
  logic [17:0] inner, outer, column;
  logic        is_any, is_outside, is_filled_up;

  logic [RingBits-1:0] step_bytes;  // of 2N the ring knows 0
  assign step_bytes = (r_left_q < 32'(Lanes) ? r_left_q[RingBits-1:0] : RingBits'(Lanes)) << is_16_q;
  assign row_address = base_q + row_q[XBytesLsb +: 32] + row_q[YBytesLsb +: 32];

  always_comb begin
    places = places_q;
    lefts = lefts_q;
    act_read_o = '0;
    act_word_o = '0;
    act_offset_o = '0;
    act_length_o = '0;
    act_to_o = '0;
    act_mask_o = '0;
    begin_at = '0;
    end_at = '0;
    at = '0;
    head = '0;
    run_left = '0;
    inner_at = '0;
    low = '0;
    high = '0;
    place = '0;
    left = '0;
    take = '0;
    room = '0;
    offset = '0;
    to = '0;
    to_element = '0;
    in_word = '0;
    inner = '0;
    outer = '0;
    column = '0;
    is_any = 1'b0;
    is_outside = 1'b0;
    is_filled_up = 1'b0;
    for (int s = 0; s < NumSegments; s = s + 1) begin
      // Where it begins.
      is_any = 1'b0;
      for (int p = 0; p < NumPixels; p = p + 1) begin
        place = places[PlaceBits*p +: PlaceBits];
        head = place[RunLsb +: 32] + place[TakenLsb +: 32] + 32'(p) * pixel_step_q;
        if (lefts[BytesBits*p +: BytesBits] != '0 && (!is_any || $signed(head) < $signed(begin_at))) begin
          begin_at = head;
          is_any = 1'b1;
        end
      end
      // What each pixel takes.
      at = row_address + begin_at;
      in_word = at[LaneBits-1:0];
      end_at = begin_at;
      for (int p = 0; p < NumPixels; p = p + 1) begin
        place = places[PlaceBits*p +: PlaceBits];
        left = lefts[BytesBits*p +: BytesBits];
        head = place[RunLsb +: 32] + place[TakenLsb +: 32] + 32'(p) * pixel_step_q - begin_at;
        if (left != '0 && head < 32'(Lanes)) begin
          run_left = run_bytes(place[LeftLsb +: 20], is_joined, has_joined_blocks, line_bytes_q, tap_bytes, is_16_q) - place[TakenLsb +: 32];
          room = BytesBits'(Lanes) - head[BytesBits-1:0];
          take = left < room ? left : room;
          if (run_left < 32'(take)) take = run_left[BytesBits-1:0];
          offset = RingBits'(in_word) + head[RingBits-1:0];
          to = step_bytes - left[RingBits-1:0];
          act_offset_o[RingBits*(NumSegments*p+s) +: RingBits] = offset;
          act_length_o[CountBits*(NumSegments*p+s) +: CountBits] = take[CountBits-1:0];
          act_to_o[RingBits*(NumSegments*p+s) +: RingBits] = to;
          // Which of its elements lie outside of the map.
          column = row_q[XLsb +: 18] + 18'(p) * {4'd0, stride_columns_q};
          inner = (is_along_rows ? row_q[YLsb +: 18] : column) + place[InnerLsb +: 18];
          outer = is_along_rows ? column : row_q[YLsb +: 18] + place[OuterLsb +: 18];
          is_filled_up = row_q[ColumnsLsb +: 16] <= 16'(p);
          is_outside = is_filled_up || outer[17] || outer >= {2'd0, is_along_rows ? in_columns_q : in_rows_q};
          if (!is_joined) is_outside = is_outside || inner[17] || inner >= {2'd0, is_along_rows ? in_rows_q : in_columns_q};
          // Of joined taps those from byte `low` of the line on are inside, up to `high`.
          inner_at = is_along_rows ? row_q[YBytesLsb +: 32] : row_q[XBytesLsb +: 32] + 32'(p) * pixel_step_q;
          low = -inner_at - place[TakenLsb +: 32];
          high = inner_extent_q - inner_at - place[TakenLsb +: 32];
          for (int b = 0; b < Lanes; b = b + 1) begin
            to_element = (to + RingBits'(b)) >> is_16_q;
            if (BytesBits'(b) < take) begin
              if (is_outside || (is_joined && ($signed(low) > $signed(32'(b)) || $signed(high) <= $signed(32'(b)))))
                act_mask_o[Lanes*p + 32'(to_element)] = 1'b1;
            end
          end
          if ($signed(begin_at + head + 32'(take)) > $signed(end_at)) end_at = begin_at + head + 32'(take);
          lefts[BytesBits*p +: BytesBits] = left - take;
          places[PlaceBits*p +: PlaceBits] =
              behind(place, take, run_bytes(place[LeftLsb +: 20], is_joined, has_joined_blocks, line_bytes_q, tap_bytes, is_16_q), is_joined,
                     has_joined_blocks, inner_taps, inner_dilation, outer_dilation, block_pitch_q, tap_step_q, taps_step_q,
                     channels_q);
        end
      end
      if (is_any) begin
        act_read_o[2*s] = 1'b1;
        act_read_o[2*s+1] = 32'(in_word) + end_at - begin_at > 32'(Lanes);
        act_word_o[2*npu_agu_pkg::AddressBits*s +: npu_agu_pkg::AddressBits] = $signed(at) >>> LaneBits;
        act_word_o[2*npu_agu_pkg::AddressBits*s + npu_agu_pkg::AddressBits +: npu_agu_pkg::AddressBits] = ($signed(at) >>> LaneBits) + 1;
      end
    end
  end

  assign act_valid_o = state_q == StateRun;
  assign act_last_o = lefts == '0;
  assign cmd_ready_o = state_q == StateIdle;

  // ----------------------------------------------------------------------------------------------------- what comes next
  logic is_last_row, is_last_byte, is_last_step, is_last_rows, is_last_channels;
  logic [31:0] r_left_next;
  logic [PlaceBits-1:0] place_next;
  logic [BytesBits-1:0] step_bytes_next;
  logic [NumPixels-1:0] has_pixel;

  assign is_last_row = 7'(tile_row_q + 7'd1) == row_tile_rows_q || 32'(tile_row_q) + 32'd1 == rows_left_q;
  assign is_last_byte = !is_weight_16_q || byte_q;
  assign is_last_step = r_left_q <= 32'(Lanes);
  assign is_last_rows = rows_left_q <= 32'(row_tile_rows_q);
  assign is_last_channels = channels_left_q <= {10'd0, tile_channels};
  assign has_pixel = ~({NumPixels{1'b1}} << pixels_a_row);

  // The step of the next row.
  always_comb begin
    r_left_next = r_left_q;
    place_next = step_place_q;
    if (state_q != StateRun) begin
      r_left_next = rend_q - rbegin_q;
      place_next = start_place_q;
    end else if (is_last_row && is_last_byte) begin
      r_left_next = is_last_step ? rend_q - rbegin_q : r_left_q - 32'(Lanes);
      place_next = is_last_step ? start_place_q : places[PlaceBits-1:0];
    end
    step_bytes_next = {1'b0, r_left_next < 32'(Lanes) ? r_left_next[CountBits-1:0] : CountBits'(Lanes)} << is_16_q;
  end

  logic [31:0] num_rows_q;
  logic [31:0] seek_q;  // elements of the reduction before the slice, from the place's tap on

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StateIdle;
    end else begin
      case (state_q)
        StateIdle: if (cmd_valid_i) state_q <= StateMultiply;
        StateMultiply: if (product_q == 3'd7) state_q <= seek_q == 32'd0 ? StateRun : StateSeek;
        StateSeek: if (seek_q < 32'(channels_q)) state_q <= StateBlock;
        StateBlock: state_q <= StateLoad;
        StateLoad: state_q <= StateRun;
        default: if (act_ready_i && act_last_o && is_last_row && is_last_byte && is_last_step && is_last_rows && is_last_channels)
                   state_q <= StateIdle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == StateIdle && cmd_valid_i) begin
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
      product_q <= 3'd0;
      seek_q <= cmd_i[npu_agu_pkg::MacReductionBeginLsb +: npu_agu_pkg::MacReductionBeginBits];
      start_place_q <= first_place(cmd_i[npu_agu_pkg::MacInChannelsLsb +: npu_agu_pkg::MacInChannelsBits]);
    end
    if (state_q == StateMultiply) begin
      product_q <= product_q + 3'd1;
      case (product_q)
        3'd0: pixel_step_q <= product;
        3'd1: line_step_q <= product;
        3'd2: tap_step_q <= product;
        3'd3: taps_step_q <= product;
        3'd4: column_start_q <= product;
        3'd5: row_start_q <= product;
        3'd6: inner_extent_q <= product;
        default: line_bytes_q <= product;
      endcase
      num_rows_q <= 32'(out_rows_q) * 32'(groups);
    end
    // The tap of a slice's first element, tap by tap; of joined ones, its line.
    if (state_q == StateSeek && seek_q >= 32'(channels_q)) begin
      seek_q <= seek_q - 32'(channels_q);
      if (is_joined) begin
        start_place_q[TakenLsb +: 32] <= start_place_q[TakenLsb +: 32] + tap_bytes;
        if (start_place_q[TakenLsb +: 32] + tap_bytes == line_bytes_q)
          start_place_q <= behind(start_place_q, BytesBits'(0), start_place_q[TakenLsb +: 32], is_joined, has_joined_blocks,
                                  inner_taps, inner_dilation, outer_dilation, block_pitch_q, tap_step_q, taps_step_q, channels_q);
      end else begin
        // As behind the last block of the tap.
        start_place_q <= behind({20'd1, start_place_q[LeftLsb-1:0]}, BytesBits'(0), 32'd0, is_joined, 1'b1,
                                inner_taps, inner_dilation, outer_dilation, block_pitch_q, tap_step_q, taps_step_q, channels_q);
      end
    end
    if (state_q == StateBlock) begin
      if (!is_joined && !has_joined_blocks) begin
        start_place_q[RunLsb +: 32] <= start_place_q[TapLsb +: 32] + (seek_q >> LaneBits) * block_pitch_q;
        start_place_q[LeftLsb +: 20] <= channels_q - {seek_q[19:LaneBits], {LaneBits{1'b0}}};
        start_place_q[TakenLsb +: 32] <= 32'(seek_q[LaneBits-1:0]) << is_16_q;
      end else begin
        start_place_q[TakenLsb +: 32] <= start_place_q[TakenLsb +: 32] + (seek_q << is_16_q);
      end
    end
    if (state_q != StateRun) begin
      // What the first row begins with, as soon as it is known.
      row_q <= first_row;
      tile_q <= first_row;
      tile_row_q <= 7'd0;
      byte_q <= 1'b0;
      rows_left_q <= num_rows_q;
      channels_left_q <= out_channels_q;
    end else if (act_ready_i && act_last_o) begin
      tile_row_q <= is_last_row ? 7'd0 : tile_row_q + 7'd1;
      row_q <= next_row;
      if (is_last_row) begin
        row_q <= tile_q;
        byte_q <= !is_last_byte;
        if (is_last_byte && is_last_step) begin
          row_q <= next_row;
          tile_q <= next_row;
          rows_left_q <= rows_left_q - 32'(row_tile_rows_q);
          if (is_last_rows) begin
            row_q <= first_row;
            tile_q <= first_row;
            rows_left_q <= num_rows_q;
            channels_left_q <= channels_left_q - {10'd0, tile_channels};
          end
        end
      end
    end
    if (state_q != StateRun || (act_ready_i && act_last_o)) begin
      r_left_q <= r_left_next;
      step_place_q <= place_next;
      for (int p = 0; p < NumPixels; p = p + 1) begin
        places_q[PlaceBits*p +: PlaceBits] <= place_next;
        lefts_q[BytesBits*p +: BytesBits] <= has_pixel[p] ? step_bytes_next : '0;
      end
    end else if (act_ready_i) begin
      places_q <= places;
      lefts_q <= lefts;
    end
  end
endmodule
