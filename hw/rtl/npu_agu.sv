// SPDX-License-Identifier: Apache-2.0
// The address generators of array and vector unit, twice: while one set offers the beats of a command, the other one prepares
// the next.
//
//   mac --> set 0: weights, segments, windows, rows --+
//     \---> set 1: weights, segments, windows, rows --+--> wgt, act, prm, add, out: each from the set whose turn it is
//   vec --> set 0: vector --+
//     \---> set 1: vector --+--> ld, st
//
// Commands go to the sets by turns. Each stream goes to the other set when its beats of a command are gone, loads and stores
// together; it may be ahead of others. Who takes the beats waits for the start of their command: a beat is offered as soon as it is known. With one set a
// command is taken when all beats of the one before are gone, and prepared then: enough for a test bench that runs one command
// at a time.
module npu_agu #(
  parameter int Lanes = 16,
  parameter int Sets = 2
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        mac_valid_i,
  output logic        mac_ready_o,
  input  logic [npu_agu_pkg::MacCommandBits-1:0]    mac_i,
  input  logic        vec_valid_i,
  output logic        vec_ready_o,
  input  logic [npu_agu_pkg::VectorCommandBits-1:0] vec_i,
  input  logic [2:0]  wgt_most_i,
  output logic        wgt_set_o,
  output logic        wgt_valid_o,
  input  logic        wgt_ready_i,
  output logic [npu_spec_pkg::WeightLoadWords-1:0]                              wgt_read_o,
  output logic [npu_agu_pkg::AddressBits*npu_spec_pkg::WeightLoadWords-1:0]     wgt_word_o,
  output logic [npu_agu_pkg::WeightLoadRows-1:0]                                wgt_row_valid_o,
  output logic [npu_agu_pkg::WeightLoadRows*$clog2(Lanes)-1:0]                  wgt_row_o,
  output logic [npu_agu_pkg::AddressBits*npu_agu_pkg::WeightLoadRows-1:0]       wgt_address_o,
  output logic [npu_agu_pkg::WeightLoadRows*$clog2(2*Lanes+1)-1:0]              wgt_length_o,
  output logic [npu_agu_pkg::WeightLoadRows*$clog2(2*Lanes)-1:0]                wgt_to_o,
  output logic        wgt_byte_o,
  output logic        wgt_last_o,
  output logic        act_set_o,
  output logic        act_valid_o,
  input  logic        act_ready_i,
  output logic [npu_spec_pkg::WindowWords-1:0]                                  act_read_o,
  output logic [npu_agu_pkg::AddressBits*npu_spec_pkg::WindowWords-1:0]         act_word_o,
  output logic [npu_spec_pkg::MaxRowPixels*npu_spec_pkg::ActivationSegments*$clog2(2*Lanes)-1:0]  act_offset_o,
  output logic [npu_spec_pkg::MaxRowPixels*npu_spec_pkg::ActivationSegments*$clog2(Lanes+1)-1:0]  act_length_o,
  output logic [npu_spec_pkg::MaxRowPixels*npu_spec_pkg::ActivationSegments*$clog2(2*Lanes)-1:0]  act_to_o,
  output logic [npu_spec_pkg::MaxRowPixels*Lanes-1:0]                           act_mask_o,
  output logic [npu_spec_pkg::WindowRuns*$clog2(Lanes)-1:0]                     win_offset_o,
  output logic [npu_spec_pkg::WindowRuns*$clog2(Lanes+1)-1:0]                   win_length_o,
  output logic [npu_spec_pkg::WindowRuns*$clog2(2*Lanes)-1:0]                   win_to_o,
  output logic [npu_spec_pkg::WindowRuns*npu_spec_pkg::MaxRowPixels-1:0]        win_pixel_o,
  output logic [npu_spec_pkg::WindowRuns*npu_spec_pkg::MaxRowPixels*$clog2(Lanes)-1:0] win_register_o,
  output logic [npu_spec_pkg::MaxRowPixels*Lanes*$clog2(Lanes)-1:0]             win_element_o,
  output logic        act_last_o,
  output logic        prm_set_o,
  output logic        prm_valid_o,
  input  logic        prm_ready_i,
  output logic [npu_agu_pkg::AddressBits-1:0]                                   prm_address_o,
  output logic [$clog2(npu_agu_pkg::ChannelParameterBytes*Lanes+1)-1:0]         prm_bytes_o,
  output logic        add_set_o,
  output logic        add_valid_o,
  input  logic        add_ready_i,
  output logic [2:0]  add_pixels_o,
  output logic [npu_spec_pkg::MaxRowPixels*npu_agu_pkg::AddressBits-1:0]        add_address_o,
  output logic [$clog2(8*Lanes+1)-1:0]                                          add_bytes_o,
  output logic        out_set_o,
  output logic        out_valid_o,
  input  logic        out_ready_i,
  output logic [2:0]  out_pixels_o,
  output logic [npu_spec_pkg::MaxRowPixels*npu_agu_pkg::AddressBits-1:0]        out_address_o,
  output logic [$clog2(8*Lanes+1)-1:0]                                          out_bytes_o,
  output logic        out_last_o,
  output logic        vec_set_o,
  output logic        ld_valid_o,
  input  logic        ld_ready_i,
  output logic [4:0]  ld_step_o,
  output logic        ld_part_o,
  output logic [npu_agu_pkg::AddressBits-1:0]  ld_address_o,
  output logic [23:0] ld_stride_o,
  output logic [$clog2(Lanes+1)-1:0]           ld_count_o,
  output logic [npu_agu_pkg::AddressBits-1:0]  ld_second_address_o,
  output logic [$clog2(Lanes+1)-1:0]           ld_second_count_o,
  output logic        st_valid_o,
  input  logic        st_ready_i,
  output logic [4:0]  st_step_o,
  output logic        st_part_o,
  output logic [npu_agu_pkg::AddressBits-1:0]  st_address_o,
  output logic [23:0] st_stride_o,
  output logic [$clog2(Lanes+1)-1:0]           st_count_o
);
  // Parameters that are not supported stop elaboration, in every tool: there is no such module.
  generate
    if (Lanes != 8 && Lanes != 16 && Lanes != 32) begin : gen_wrong_lanes
      npu_lanes_must_be_8_16_or_32 u_wrong ();
    end
    if (Sets != 1 && Sets != 2) begin : gen_wrong_sets
      npu_sets_must_be_1_or_2 u_wrong ();
    end
  endgenerate

  localparam int AddressBits = npu_agu_pkg::AddressBits;
  localparam int LaneBits = $clog2(Lanes), CountBits = $clog2(Lanes+1), RingBits = $clog2(2*Lanes);
  localparam int BytesBits = $clog2(2*Lanes+1), PixelBytesBits = $clog2(8*Lanes+1);
  localparam int ParameterBytesBits = $clog2(npu_agu_pkg::ChannelParameterBytes*Lanes+1);
  localparam int NumPixels = npu_spec_pkg::MaxRowPixels, Pieces = npu_agu_pkg::WeightLoadRows;
  localparam int SegmentRuns = NumPixels*npu_spec_pkg::ActivationSegments, WindowRuns = npu_spec_pkg::WindowRuns;

  localparam logic HasTwo = Sets == 2;

  // A beat of each stream, as npu_agu_set has it.
  localparam int WgtBits = npu_spec_pkg::WeightLoadWords*(1 + AddressBits) + Pieces*(1 + LaneBits + AddressBits + BytesBits + RingBits) + 2;
  localparam int ActBits = npu_spec_pkg::WindowWords*(1 + AddressBits) + NumPixels*Lanes + 1;
  localparam int SegBits = SegmentRuns*(2*RingBits + CountBits);
  localparam int WinBits = WindowRuns*(LaneBits + CountBits + RingBits + NumPixels + NumPixels*LaneBits) + NumPixels*Lanes*LaneBits;
  localparam int PrmBits = AddressBits + ParameterBytesBits;
  localparam int RowBits = 3 + NumPixels*AddressBits + PixelBytesBits;
  localparam int VecBits = 5 + 1 + AddressBits + 24 + CountBits;
  localparam int SecondBits = AddressBits + CountBits;

  // The signals of both sets of generators.
  logic [2*WgtBits-1:0] wgt;
  logic [2*ActBits-1:0] seg_act, win_act;
  logic [2*SegBits-1:0] seg;
  logic [2*WinBits-1:0] win;
  logic [2*PrmBits-1:0] prm;
  logic [2*RowBits-1:0] add, out;
  logic [2*VecBits-1:0] ld, st;
  logic [2*SecondBits-1:0] second;   // of loads
  logic [1:0] out_last;
  logic [1:0] wgt_valid, seg_valid, win_valid, prm_valid, add_valid, out_valid, ld_valid, st_valid;
  logic [1:0] wgt_free, seg_free, win_free, row_free, vec_free;  // the part takes a command

  // By turns. A stream has left a set's command when its beats are gone; `is_young`: the set has not yet said whether there are any.
  logic       mac_set_q, vec_set_q, vec_turn_q;
  logic       wgt_turn_q, act_turn_q, prm_turn_q, add_turn_q, out_turn_q;
  logic [1:0] wgt_left_q, act_left_q, prm_left_q, add_left_q, out_left_q, vec_left_q;
  logic [1:0] mac_young_q, mac_younger_q, vec_young_q;
  logic [1:0] mac_give, vec_give;
  logic [1:0] wgt_done, act_done, prm_done, add_done, out_done, vec_done;

  assign mac_ready_o = !(wgt_left_q[mac_set_q] || act_left_q[mac_set_q] || prm_left_q[mac_set_q] || add_left_q[mac_set_q] ||
                         out_left_q[mac_set_q]) &&
                       wgt_free[mac_set_q] && seg_free[mac_set_q] && win_free[mac_set_q] && row_free[mac_set_q];
  assign vec_ready_o = !vec_left_q[vec_set_q] && vec_free[vec_set_q];
  assign mac_give = {mac_set_q, !mac_set_q} & {2{mac_valid_i && mac_ready_o}};
  assign vec_give = {vec_set_q, !vec_set_q} & {2{vec_valid_i && vec_ready_o}};
  assign wgt_done = wgt_left_q & wgt_free & {wgt_turn_q, !wgt_turn_q} & ~mac_younger_q;
  assign act_done = act_left_q & seg_free & win_free & {act_turn_q, !act_turn_q} & ~mac_younger_q;
  assign prm_done = prm_left_q & ~prm_valid & {prm_turn_q, !prm_turn_q} & ~mac_young_q & ~mac_younger_q;
  assign add_done = add_left_q & ~add_valid & {add_turn_q, !add_turn_q} & ~mac_young_q & ~mac_younger_q;
  assign out_done = out_left_q & ~out_valid & {out_turn_q, !out_turn_q} & ~mac_young_q & ~mac_younger_q;
  assign vec_done = vec_left_q & vec_free & {vec_turn_q, !vec_turn_q} & ~vec_young_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {mac_set_q, vec_set_q, vec_turn_q, wgt_turn_q, act_turn_q, prm_turn_q, add_turn_q, out_turn_q} <= '0;
      {wgt_left_q, act_left_q, prm_left_q, add_left_q, out_left_q, vec_left_q} <= '0;
      {mac_young_q, mac_younger_q, vec_young_q} <= '0;
    end else begin
      mac_set_q <= mac_set_q ^ (HasTwo & (|mac_give));
      vec_set_q <= vec_set_q ^ (HasTwo & (|vec_give));
      mac_younger_q <= mac_give;
      mac_young_q <= mac_younger_q;
      vec_young_q <= vec_give;
      wgt_left_q <= (wgt_left_q & ~wgt_done) | mac_give;
      act_left_q <= (act_left_q & ~act_done) | mac_give;
      prm_left_q <= (prm_left_q & ~prm_done) | mac_give;
      add_left_q <= (add_left_q & ~add_done) | mac_give;
      out_left_q <= (out_left_q & ~out_done) | mac_give;
      vec_left_q <= (vec_left_q & ~vec_done) | vec_give;
      wgt_turn_q <= wgt_turn_q ^ (HasTwo & (|wgt_done));
      act_turn_q <= act_turn_q ^ (HasTwo & (|act_done));
      prm_turn_q <= prm_turn_q ^ (HasTwo & (|prm_done));
      add_turn_q <= add_turn_q ^ (HasTwo & (|add_done));
      out_turn_q <= out_turn_q ^ (HasTwo & (|out_done));
      vec_turn_q <= vec_turn_q ^ (HasTwo & (|vec_done));
    end
  end

  // What the streams say: the set whose turn it is.
  logic is_win;

  assign {wgt_set_o, act_set_o, prm_set_o, add_set_o, out_set_o, vec_set_o} =
      {wgt_turn_q, act_turn_q, prm_turn_q, add_turn_q, out_turn_q, vec_turn_q};
  assign is_win = win_valid[act_turn_q];
  assign wgt_valid_o = wgt_valid[wgt_turn_q];
  assign {wgt_read_o, wgt_word_o, wgt_row_valid_o, wgt_row_o, wgt_address_o, wgt_length_o, wgt_to_o, wgt_byte_o, wgt_last_o} =
      wgt[WgtBits*wgt_turn_q +: WgtBits];
  assign act_valid_o = seg_valid[act_turn_q] || is_win;
  assign {act_read_o, act_word_o, act_mask_o, act_last_o} =
      is_win ? win_act[ActBits*act_turn_q +: ActBits] : seg_act[ActBits*act_turn_q +: ActBits];
  assign {act_offset_o, act_length_o, act_to_o} = seg[SegBits*act_turn_q +: SegBits];
  assign {win_offset_o, win_length_o, win_to_o, win_pixel_o, win_register_o, win_element_o} = win[WinBits*act_turn_q +: WinBits];
  assign prm_valid_o = prm_valid[prm_turn_q];
  assign {prm_address_o, prm_bytes_o} = prm[PrmBits*prm_turn_q +: PrmBits];
  assign add_valid_o = add_valid[add_turn_q];
  assign {add_pixels_o, add_address_o, add_bytes_o} = add[RowBits*add_turn_q +: RowBits];
  assign out_valid_o = out_valid[out_turn_q];
  assign {out_pixels_o, out_address_o, out_bytes_o} = out[RowBits*out_turn_q +: RowBits];
  assign out_last_o = out_last[out_turn_q];
  assign ld_valid_o = ld_valid[vec_turn_q];
  assign {ld_step_o, ld_part_o, ld_address_o, ld_stride_o, ld_count_o} = ld[VecBits*vec_turn_q +: VecBits];
  assign {ld_second_address_o, ld_second_count_o} = second[SecondBits*vec_turn_q +: SecondBits];
  assign st_valid_o = st_valid[vec_turn_q];
  assign {st_step_o, st_part_o, st_address_o, st_stride_o, st_count_o} = st[VecBits*vec_turn_q +: VecBits];

  logic is_depthwise;
  assign is_depthwise = mac_i[npu_agu_pkg::MacModeLsb +: npu_agu_pkg::MacModeBits] ==
                        npu_spec_pkg::MODE_DEPTHWISE[npu_agu_pkg::MacModeBits-1:0];

  genvar s;
  generate
    if (Sets == 1) begin : gen_no_other
      assign {wgt_valid[1], seg_valid[1], win_valid[1], prm_valid[1], add_valid[1], out_valid[1], ld_valid[1], st_valid[1]} = '0;
      assign {wgt_free[1], seg_free[1], win_free[1], row_free[1], vec_free[1]} = '1;
      assign {wgt[WgtBits +: WgtBits], seg_act[ActBits +: ActBits], win_act[ActBits +: ActBits]} = '0;
      assign {seg[SegBits +: SegBits], win[WinBits +: WinBits], prm[PrmBits +: PrmBits], add[RowBits +: RowBits]} = '0;
      assign {out[RowBits +: RowBits], out_last[1], ld[VecBits +: VecBits], second[SecondBits +: SecondBits], st[VecBits +: VecBits]} = '0;
    end
    for (s = 0; s < Sets; s = s + 1) begin : gen_set
      npu_agu_set #(.Lanes(Lanes)) u_set (
        .clk_i, .rst_ni, .mac_give_i(mac_give[s]), .is_depthwise_i(is_depthwise), .mac_i, .vec_give_i(vec_give[s]), .vec_i, .wgt_most_i,
        .wgt_free_o(wgt_free[s]), .seg_free_o(seg_free[s]), .win_free_o(win_free[s]), .row_free_o(row_free[s]), .vec_free_o(vec_free[s]),
        .wgt_valid_o(wgt_valid[s]), .wgt_ready_i(wgt_ready_i && wgt_turn_q == 1'(s)), .wgt_o(wgt[WgtBits*s +: WgtBits]),
        .seg_valid_o(seg_valid[s]), .win_valid_o(win_valid[s]), .act_ready_i(act_ready_i && act_turn_q == 1'(s)),
        .seg_act_o(seg_act[ActBits*s +: ActBits]), .win_act_o(win_act[ActBits*s +: ActBits]), .seg_o(seg[SegBits*s +: SegBits]),
        .win_o(win[WinBits*s +: WinBits]),
        .prm_valid_o(prm_valid[s]), .prm_ready_i(prm_ready_i && prm_turn_q == 1'(s)), .prm_o(prm[PrmBits*s +: PrmBits]),
        .add_valid_o(add_valid[s]), .add_ready_i(add_ready_i && add_turn_q == 1'(s)), .add_o(add[RowBits*s +: RowBits]),
        .out_valid_o(out_valid[s]), .out_ready_i(out_ready_i && out_turn_q == 1'(s)), .out_o(out[RowBits*s +: RowBits]),
        .out_last_o(out_last[s]),
        .ld_valid_o(ld_valid[s]), .ld_ready_i(ld_ready_i && vec_turn_q == 1'(s)), .ld_o(ld[VecBits*s +: VecBits]),
        .second_o(second[SecondBits*s +: SecondBits]),
        .st_valid_o(st_valid[s]), .st_ready_i(st_ready_i && vec_turn_q == 1'(s)), .st_o(st[VecBits*s +: VecBits])
      );
    end
  endgenerate
endmodule
