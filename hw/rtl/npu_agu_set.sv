// SPDX-License-Identifier: Apache-2.0
// One set of address generators: what they say of each stream of a command, the fields of a beat in one vector.
module npu_agu_set #(
  parameter int Lanes = 16,
  localparam int AddressBits = npu_agu_pkg::AddressBits,
  localparam int LaneBits = $clog2(Lanes),
  localparam int CountBits = $clog2(Lanes+1),
  localparam int RingBits = $clog2(2*Lanes),
  localparam int BytesBits = $clog2(2*Lanes+1),
  localparam int PixelBytesBits = $clog2(8*Lanes+1),
  localparam int ParameterBytesBits = $clog2(npu_agu_pkg::ChannelParameterBytes*Lanes+1),
  localparam int NumPixels = npu_spec_pkg::MaxRowPixels,
  localparam int Pieces = npu_agu_pkg::WeightLoadRows,
  localparam int SegmentRuns = NumPixels*npu_spec_pkg::ActivationSegments,
  localparam int WindowRuns = npu_spec_pkg::WindowRuns,
  localparam int WgtBits = npu_spec_pkg::WeightLoadWords*(1 + AddressBits) + Pieces*(1 + LaneBits + AddressBits + BytesBits + RingBits) + 2,
  localparam int ActBits = npu_spec_pkg::WindowWords*(1 + AddressBits) + NumPixels*Lanes + 1,
  localparam int SegBits = SegmentRuns*(2*RingBits + CountBits),
  localparam int WinBits = WindowRuns*(LaneBits + CountBits + RingBits + NumPixels + NumPixels*LaneBits) + NumPixels*Lanes*LaneBits,
  localparam int PrmBits = AddressBits + ParameterBytesBits,
  localparam int RowBits = 3 + NumPixels*AddressBits + PixelBytesBits,
  localparam int VecBits = 5 + 1 + AddressBits + 24 + CountBits,
  localparam int SecondBits = AddressBits + CountBits
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  // Commands, and which generators could take one.
  input  logic                  mac_give_i,
  input  logic                  is_depthwise_i,
  input  logic [npu_agu_pkg::MacCommandBits-1:0]    mac_i,
  input  logic                  vec_give_i,
  input  logic [npu_agu_pkg::VectorCommandBits-1:0] vec_i,
  input  logic [2:0]            wgt_most_i,
  output logic                  wgt_free_o, seg_free_o, win_free_o, row_free_o, vec_free_o,
  // Beats.
  output logic                  wgt_valid_o,
  input  logic                  wgt_ready_i,
  output logic [WgtBits-1:0]    wgt_o,
  output logic                  seg_valid_o,      // of a convolution
  output logic                  win_valid_o,      // of a depthwise command
  input  logic                  act_ready_i,
  output logic [ActBits-1:0]    seg_act_o, win_act_o,
  output logic [SegBits-1:0]    seg_o,
  output logic [WinBits-1:0]    win_o,
  output logic                  prm_valid_o,
  input  logic                  prm_ready_i,
  output logic [PrmBits-1:0]    prm_o,
  output logic                  add_valid_o,
  input  logic                  add_ready_i,
  output logic [RowBits-1:0]    add_o,
  output logic                  out_valid_o,
  input  logic                  out_ready_i,
  output logic [RowBits-1:0]    out_o,
  output logic                  out_last_o,
  output logic                  ld_valid_o,
  input  logic                  ld_ready_i,
  output logic [VecBits-1:0]    ld_o,
  output logic [SecondBits-1:0] second_o,         // of loads
  output logic                  st_valid_o,
  input  logic                  st_ready_i,
  output logic [VecBits-1:0]    st_o
);
  // What is said of each stream, field by field as the ports do.
  typedef struct packed {
    logic [npu_spec_pkg::WeightLoadWords-1:0]             read;
    logic [AddressBits*npu_spec_pkg::WeightLoadWords-1:0] word;
    logic [Pieces-1:0]                                    row_valid;
    logic [Pieces*LaneBits-1:0]                           row;
    logic [AddressBits*Pieces-1:0]                        address;
    logic [Pieces*BytesBits-1:0]                          length;
    logic [Pieces*RingBits-1:0]                           to;
    logic                                                 byte_idx, last;
  } wgt_t;
  typedef struct packed {
    logic [npu_spec_pkg::WindowWords-1:0]             read;
    logic [AddressBits*npu_spec_pkg::WindowWords-1:0] word;
    logic [NumPixels*Lanes-1:0]                       mask;
    logic                                             last;
  } act_t;
  typedef struct packed {
    logic [SegmentRuns*RingBits-1:0]  offset;
    logic [SegmentRuns*CountBits-1:0] length;
    logic [SegmentRuns*RingBits-1:0]  to;
  } seg_t;
  typedef struct packed {
    logic [WindowRuns*LaneBits-1:0]           offset;
    logic [WindowRuns*CountBits-1:0]          length;
    logic [WindowRuns*RingBits-1:0]           to;
    logic [WindowRuns*NumPixels-1:0]          pixel;
    logic [WindowRuns*NumPixels*LaneBits-1:0] register_idx;
    logic [NumPixels*Lanes*LaneBits-1:0]      element;
  } win_t;
  typedef struct packed {
    logic [AddressBits-1:0]        address;
    logic [ParameterBytesBits-1:0] bytes;
  } prm_t;
  typedef struct packed {
    logic [2:0]                       pixels;
    logic [NumPixels*AddressBits-1:0] address;
    logic [PixelBytesBits-1:0]        bytes;
  } row_t;
  typedef struct packed {
    logic [4:0]             step;
    logic                   part;
    logic [AddressBits-1:0] address;
    logic [23:0]            stride;
    logic [CountBits-1:0]   count;
  } vec_t;
  typedef struct packed {
    logic [AddressBits-1:0] address;
    logic [CountBits-1:0]   count;
  } second_t;
  wgt_t    wgt;
  act_t    seg_act, win_act;
  seg_t    seg;
  win_t    win;
  prm_t    prm;
  row_t    add, out;
  vec_t    ld, st;
  second_t second;

  assign wgt_o = wgt;
  assign seg_act_o = seg_act;
  assign win_act_o = win_act;
  assign seg_o = seg;
  assign win_o = win;
  assign prm_o = prm;
  assign add_o = add;
  assign out_o = out;
  assign ld_o = ld;
  assign second_o = second;
  assign st_o = st;

  npu_agu_weights #(.Lanes(Lanes)) u_weights (
    .clk_i, .rst_ni, .cmd_valid_i(mac_give_i), .cmd_ready_o(wgt_free_o), .cmd_i(mac_i), .wgt_most_i,
    .wgt_valid_o(wgt_valid_o), .wgt_ready_i(wgt_ready_i),
    .wgt_read_o(wgt.read), .wgt_word_o(wgt.word), .wgt_row_valid_o(wgt.row_valid), .wgt_row_o(wgt.row),
    .wgt_address_o(wgt.address), .wgt_length_o(wgt.length), .wgt_to_o(wgt.to), .wgt_byte_o(wgt.byte_idx),
    .wgt_last_o(wgt.last)
  );
  npu_agu_segments #(.Lanes(Lanes)) u_segments (
    .clk_i, .rst_ni, .cmd_valid_i(mac_give_i && !is_depthwise_i), .cmd_ready_o(seg_free_o), .cmd_i(mac_i),
    .act_valid_o(seg_valid_o), .act_ready_i(act_ready_i),
    .act_read_o(seg_act.read), .act_word_o(seg_act.word), .act_mask_o(seg_act.mask), .act_last_o(seg_act.last),
    .act_offset_o(seg.offset), .act_length_o(seg.length), .act_to_o(seg.to)
  );
  npu_agu_windows #(.Lanes(Lanes)) u_windows (
    .clk_i, .rst_ni, .cmd_valid_i(mac_give_i && is_depthwise_i), .cmd_ready_o(win_free_o), .cmd_i(mac_i),
    .act_valid_o(win_valid_o), .act_ready_i(act_ready_i),
    .act_read_o(win_act.read), .act_word_o(win_act.word), .act_mask_o(win_act.mask), .act_last_o(win_act.last),
    .win_offset_o(win.offset), .win_length_o(win.length), .win_to_o(win.to), .win_pixel_o(win.pixel),
    .win_register_o(win.register_idx), .win_element_o(win.element)
  );
  npu_agu_rows #(.Lanes(Lanes)) u_rows (
    .clk_i, .rst_ni, .cmd_valid_i(mac_give_i), .cmd_ready_o(row_free_o), .cmd_i(mac_i),
    .prm_valid_o(prm_valid_o), .prm_ready_i(prm_ready_i),
    .prm_address_o(prm.address), .prm_bytes_o(prm.bytes),
    .add_valid_o(add_valid_o), .add_ready_i(add_ready_i),
    .add_pixels_o(add.pixels), .add_address_o(add.address), .add_bytes_o(add.bytes),
    .out_valid_o(out_valid_o), .out_ready_i(out_ready_i),
    .out_pixels_o(out.pixels), .out_address_o(out.address), .out_bytes_o(out.bytes), .out_last_o(out_last_o)
  );
  npu_agu_vector #(.Lanes(Lanes)) u_vector (
    .clk_i, .rst_ni, .cmd_valid_i(vec_give_i), .cmd_ready_o(vec_free_o), .cmd_i(vec_i),
    .ld_valid_o(ld_valid_o), .ld_ready_i(ld_ready_i),
    .ld_step_o(ld.step), .ld_part_o(ld.part), .ld_address_o(ld.address), .ld_stride_o(ld.stride),
    .ld_count_o(ld.count), .ld_second_address_o(second.address), .ld_second_count_o(second.count),
    .st_valid_o(st_valid_o), .st_ready_i(st_ready_i),
    .st_step_o(st.step), .st_part_o(st.part), .st_address_o(st.address), .st_stride_o(st.stride),
    .st_count_o(st.count)
  );
endmodule
