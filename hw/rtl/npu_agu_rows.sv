// SPDX-License-Identifier: Apache-2.0
// Addresses of the streams of a MAC command's epilogue: the parameters of each channel tile, and for each row its addends and
// its results. A slice that is not the last one has none of them.
//
// Two walkers and one sum; a command is prepared in one cycle.
module npu_agu_rows #(
  parameter int Lanes = 16
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        cmd_valid_i,
  output logic        cmd_ready_o,
  /* verilator lint_off UNUSEDSIGNAL */  // fields of other streams
  input  logic [npu_agu_pkg::MacCommandBits-1:0] cmd_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic        prm_valid_o,
  input  logic        prm_ready_i,
  output logic [npu_agu_pkg::AddressBits-1:0]    prm_address_o,
  output logic [$clog2(npu_agu_pkg::ChannelParameterBytes*Lanes+1)-1:0] prm_bytes_o,
  output logic        add_valid_o,
  input  logic        add_ready_i,
  output logic [2:0]  add_pixels_o,
  output logic [npu_spec_pkg::MaxRowPixels*npu_agu_pkg::AddressBits-1:0] add_address_o,
  output logic [$clog2(8*Lanes+1)-1:0]           add_bytes_o,
  output logic        out_valid_o,
  input  logic        out_ready_i,
  output logic [2:0]  out_pixels_o,
  output logic [npu_spec_pkg::MaxRowPixels*npu_agu_pkg::AddressBits-1:0] out_address_o,
  output logic [$clog2(8*Lanes+1)-1:0]           out_bytes_o,
  output logic        out_last_o
);
  localparam int CountBits = $clog2(Lanes+1);
  localparam int ParameterBytesBits = $clog2(npu_agu_pkg::ChannelParameterBytes*Lanes+1);

  logic        is_start_q, has_rows_q, has_addends_q, is_depthwise_q, slide_rows_q;
  logic [1:0]  split_q, element_log2_q, addend_log2_q;
  logic [15:0] rows_q, columns_q, channels_q;
  logic [31:0] parameters_q, base_q, row_pitch_q, pixel_pitch_q, block_pitch_q;
  logic [31:0] addend_base_q, addend_row_pitch_q, addend_pixel_pitch_q, addend_block_pitch_q;

  /// Bytes of an element: 1, 2, 4 or, of int48, 8.
  function automatic logic [1:0] log2_of(input logic [2:0] element_type);
    case (element_type)
      npu_spec_pkg::TYPE_INT16: log2_of = 2'd1;
      npu_spec_pkg::TYPE_INT32: log2_of = 2'd2;
      npu_spec_pkg::TYPE_INT48: log2_of = 2'd3;
      default: log2_of = 2'd0;
    endcase
  endfunction

  // The parameters: a sum.
  logic        has_parameters_q;
  logic [31:0] prm_address_q;
  logic [15:0] prm_left_q;
  logic [5:0]  tile_channels;
  logic [CountBits-1:0] lanes;
  logic        is_last_parameters;

  assign tile_channels = 6'(Lanes) >> split_q;
  assign is_last_parameters = prm_left_q <= {10'd0, tile_channels};
  assign lanes = is_last_parameters ? prm_left_q[CountBits-1:0] : tile_channels[CountBits-1:0];
  assign prm_valid_o = has_parameters_q;
  assign prm_address_o = prm_address_q;
  assign prm_bytes_o = ParameterBytesBits'(npu_agu_pkg::ChannelParameterBytes) * ParameterBytesBits'(lanes);

  assign cmd_ready_o = !is_start_q && !has_parameters_q && !add_valid_o && !out_valid_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      is_start_q <= 1'b0;
      has_parameters_q <= 1'b0;
    end else begin
      is_start_q <= cmd_valid_i && cmd_ready_o;
      if (is_start_q && has_rows_q) has_parameters_q <= 1'b1;
      else if (prm_valid_o && prm_ready_i && is_last_parameters) has_parameters_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (cmd_valid_i && cmd_ready_o) begin
      has_rows_q <= cmd_i[npu_agu_pkg::MacLastLsb];
      has_addends_q <= cmd_i[npu_agu_pkg::MacLastLsb] && cmd_i[npu_agu_pkg::MacResidualLsb];
      is_depthwise_q <= cmd_i[npu_agu_pkg::MacModeLsb +: npu_agu_pkg::MacModeBits] == npu_spec_pkg::MODE_DEPTHWISE[npu_agu_pkg::MacModeBits-1:0];
      slide_rows_q <= cmd_i[npu_agu_pkg::MacSlideRowsLsb];
      split_q <= cmd_i[npu_agu_pkg::MacLaneSplitLog2Lsb +: npu_agu_pkg::MacLaneSplitLog2Bits];
      rows_q <= cmd_i[npu_agu_pkg::MacOutRowsLsb +: npu_agu_pkg::MacOutRowsBits];
      columns_q <= cmd_i[npu_agu_pkg::MacOutColumnsLsb +: npu_agu_pkg::MacOutColumnsBits];
      channels_q <= cmd_i[npu_agu_pkg::MacOutChannelsLsb +: npu_agu_pkg::MacOutChannelsBits];
      parameters_q <= cmd_i[npu_agu_pkg::MacParameterBaseLsb +: npu_agu_pkg::MacParameterBaseBits];
      base_q <= cmd_i[npu_agu_pkg::MacOutputBaseLsb +: npu_agu_pkg::MacOutputBaseBits];
      row_pitch_q <= cmd_i[npu_agu_pkg::MacOutputRowPitchLsb +: npu_agu_pkg::MacOutputRowPitchBits];
      pixel_pitch_q <= cmd_i[npu_agu_pkg::MacOutputPixelPitchLsb +: npu_agu_pkg::MacOutputPixelPitchBits];
      block_pitch_q <= cmd_i[npu_agu_pkg::MacOutputBlockPitchLsb +: npu_agu_pkg::MacOutputBlockPitchBits];
      element_log2_q <= log2_of(cmd_i[npu_agu_pkg::MacOutputTypeLsb +: npu_agu_pkg::MacOutputTypeBits]);
      addend_base_q <= cmd_i[npu_agu_pkg::MacAddendBaseLsb +: npu_agu_pkg::MacAddendBaseBits];
      addend_row_pitch_q <= cmd_i[npu_agu_pkg::MacAddendRowPitchLsb +: npu_agu_pkg::MacAddendRowPitchBits];
      addend_pixel_pitch_q <= cmd_i[npu_agu_pkg::MacAddendPixelPitchLsb +: npu_agu_pkg::MacAddendPixelPitchBits];
      addend_block_pitch_q <= cmd_i[npu_agu_pkg::MacAddendBlockPitchLsb +: npu_agu_pkg::MacAddendBlockPitchBits];
      addend_log2_q <= log2_of(cmd_i[npu_agu_pkg::MacAddendTypeLsb +: npu_agu_pkg::MacAddendTypeBits]);
    end
    if (is_start_q) begin
      prm_address_q <= parameters_q;
      prm_left_q <= channels_q;
    end else if (prm_valid_o && prm_ready_i) begin
      prm_address_q <= prm_address_q + 32'(prm_bytes_o);
      prm_left_q <= prm_left_q - {10'd0, tile_channels};
    end
  end

  npu_agu_rows_walker #(.Lanes(Lanes)) results (
    .clk_i, .rst_ni,
    .start_i(is_start_q && has_rows_q),
    .base_i(base_q), .row_pitch_i(row_pitch_q), .pixel_pitch_i(pixel_pitch_q), .block_pitch_i(block_pitch_q),
    .element_log2_i(element_log2_q), .split_i(split_q), .is_depthwise_i(is_depthwise_q), .slide_rows_i(slide_rows_q),
    .rows_i(rows_q), .columns_i(columns_q), .channels_i(channels_q),
    .valid_o(out_valid_o), .ready_i(out_ready_i), .pixels_o(out_pixels_o), .address_o(out_address_o),
    .bytes_o(out_bytes_o), .last_o(out_last_o)
  );

  logic unused_last;
  npu_agu_rows_walker #(.Lanes(Lanes)) addends (
    .clk_i, .rst_ni,
    .start_i(is_start_q && has_addends_q),
    .base_i(addend_base_q), .row_pitch_i(addend_row_pitch_q), .pixel_pitch_i(addend_pixel_pitch_q),
    .block_pitch_i(addend_block_pitch_q),
    .element_log2_i(addend_log2_q), .split_i(split_q), .is_depthwise_i(is_depthwise_q), .slide_rows_i(slide_rows_q),
    .rows_i(rows_q), .columns_i(columns_q), .channels_i(channels_q),
    .valid_o(add_valid_o), .ready_i(add_ready_i), .pixels_o(add_pixels_o), .address_o(add_address_o),
    .bytes_o(add_bytes_o), .last_o(unused_last)
  );
  /* verilator lint_off UNUSEDSIGNAL */
  logic unused;
  assign unused = unused_last;
  /* verilator lint_on UNUSEDSIGNAL */
endmodule
