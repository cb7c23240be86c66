// SPDX-License-Identifier: Apache-2.0
// Array and vector unit with their memory: npu_core, the address generators of its streams, the buffers of these and the SRAM. All
// operands come out of the SRAM, and all results go into it.
//
//   mac, vec --> npu_agu: which words --> [beats on their way] <--> npu_sram <--> [rows and stores on their way] <-- npu_agu: which words
//                                              |                      ^                       ^
//   cmd, vec_cmd ------------------------> npu_core: wgt, act, prm, add, ld --> out, st ------+
//   mem (DMA) --------------------------------------------------------+
//
// A command comes twice. With all of its fields (mac, vec) the generators prepare it, kIssueCycles before it starts or earlier; two of each
// unit can be prepared. It starts with its handshake at cmd or vec_cmd, in the same order, and its streams ask for words from the cycle after
// that on.
//
// A command of the array has ended with mac_end_o, in which its last result is written. One of the vector unit has ended when vec_free_o says
// that the unit would take another command, and no store waits.
module npu_core_sram #(
  parameter int Lanes = 16,
  parameter int SramBytes = 64*1024*1024,
  parameter int ReadWords = 4,
  parameter int WriteWords = 2,
  localparam int MacBits = npu_agu_pkg::MacCommandBits,
  localparam int VectorBits = npu_agu_pkg::VectorCommandBits,
  localparam int WordIdxBits = $clog2((2 * npu_spec_pkg::Table16Entries + Lanes - 1) / Lanes),
  localparam int MemAsks = 4,
  localparam int AddressBits = npu_agu_pkg::AddressBits
) (
  input  logic                                       clk_i,
  input  logic                                       rst_ni,
  // Commands that are prepared, with all of their fields.
  input  logic                                       mac_valid_i,
  output logic                                       mac_ready_o,
  input  logic [MacBits-1:0]                         mac_i,
  input  logic                                       vec_valid_i,
  output logic                                       vec_ready_o,
  input  logic [VectorBits-1:0]                      vec_i,
  // Commands that start, with the fields of the datapath.
  input  logic                                       cmd_valid_i,
  output logic                                       cmd_ready_o,
  input  logic [npu_spec_pkg::MacCommandBits-1:0]    cmd_i,
  input  logic                                       vec_cmd_valid_i,
  output logic                                       vec_cmd_ready_o,
  input  logic [npu_spec_pkg::VectorCommandBits-1:0] vec_cmd_i,
  // Words of the SRAM that others read or write; data that are read stand there in the cycle after the handshake.
  input  logic [MemAsks-1:0]                         mem_valid_i,
  output logic [MemAsks-1:0]                         mem_ready_o,
  input  logic [MemAsks-1:0]                         mem_write_i,
  input  logic [AddressBits*MemAsks-1:0]             mem_word_i,
  input  logic [Lanes*MemAsks-1:0]                   mem_mask_i,
  input  logic [8*Lanes*MemAsks-1:0]                 mem_wdata_i,
  output logic [8*Lanes*MemAsks-1:0]                 mem_rdata_o,
  // Tables.
  input  logic                                       tbl_valid_i,
  output logic                                       tbl_ready_o,
  input  logic                                       tbl_slot_i,
  input  logic [2:0]                                 tbl_type_i,
  input  logic [WordIdxBits-1:0]                     tbl_word_i,
  input  logic [8*Lanes-1:0]                         tbl_data_i,
  output logic [5:0]                                 slot_format_o,
  // What goes on.
  output logic [2:0]                                 stall_o,
  output logic                                       mac_free_o,
  output logic                                       mac_take_o,
  output logic                                       mac_wait_o,
  output logic                                       mac_end_o,
  output logic                                       vec_free_o,
  output logic                                       vec_wait_o,
  output logic [1:0]                                 lanes_array_o,
  output logic [1:0]                                 lanes_wait_o
);
  // Parameters that are not supported stop elaboration, in every tool: there is no such module.
  generate
    if (Lanes != 8 && Lanes != 16 && Lanes != 32) begin : gen_wrong_lanes
      npu_lanes_must_be_8_16_or_32 u_wrong ();
    end
    if (ReadWords < 1 || ReadWords > 4 || WriteWords < 1 || WriteWords > 4) begin : gen_wrong_ports
      npu_ports_must_be_1_to_4_words u_wrong ();
    end
  endgenerate

  localparam int Asks = npu_spec_pkg::RequestWords;
  localparam int WordBits = 8*Lanes;
  localparam int LaneBits = $clog2(Lanes), LengthBits = $clog2(Lanes+1), RingBits = $clog2(2*Lanes), RowBytesBits = $clog2(2*Lanes+1);
  localparam int BytesBits = $clog2(8*Lanes+1);
  localparam int ParameterBytes = npu_agu_pkg::ChannelParameterBytes*Lanes;
  localparam int ParameterBytesBits = $clog2(ParameterBytes+1);
  localparam int ParameterWords = npu_agu_pkg::ChannelParameterBytes + 1;
  localparam int NumPixels = npu_spec_pkg::MaxRowPixels;
  localparam int Segments = npu_spec_pkg::ActivationSegments, Runs = NumPixels*Segments, WindowRuns = npu_spec_pkg::WindowRuns;
  localparam int Words = npu_spec_pkg::WeightLoadWords, Pieces = npu_agu_pkg::WeightLoadRows;
  localparam int Steps = npu_spec_pkg::MaxVectorSteps;
  localparam int AddendWords = 2*NumPixels, AddendIdxBits = $clog2(AddendWords);

  // ------------------------------------------------------------------------------------------------------------- commands
  // What streams need of a command besides npu_agu's beats; the command of each set.
  typedef struct packed {
    logic        is_last;                // slice of its reduction
    logic        is_weight_16, is_weight_4;
    logic [1:0]  split, element_log2;
    logic [15:0] out_rows, out_columns;
    logic [31:0] taps;
  } mac_info_t;
  localparam int MacInfoBits = 3 + 2*2 + 2*16 + 32;
  localparam int VecInfoBits = 3*Steps;  // the type of each step's stream

  logic [2*MacInfoBits-1:0] mac_info_q;
  logic [2*VecInfoBits-1:0] vec_info_q;
  mac_info_t                mac_info, cmd_info, out_info, wgt_info, add_info;
  logic [VecInfoBits-1:0]   vec_info, vec_types;
  logic [2:0]               vec_stream;
  // Sets take turns: which one is prepared next, which one starts next, how many are prepared and have not started, which have.
  logic       mac_set_q, cmd_set_q, vec_set_q, vec_cmd_set_q;
  logic [1:0] mac_prepared_q, vec_prepared_q, mac_started_q, vec_started_q;
  logic       mac_given, cmd_taken, vec_given, vec_cmd_taken;
  logic       agu_mac_ready, agu_vec_ready, core_cmd_ready, core_vec_cmd_ready;

  assign mac_ready_o = agu_mac_ready && mac_prepared_q != 2'd2;
  assign vec_ready_o = agu_vec_ready && vec_prepared_q != 2'd2;
  assign cmd_ready_o = core_cmd_ready && mac_prepared_q != 2'd0;
  assign vec_cmd_ready_o = core_vec_cmd_ready && vec_prepared_q != 2'd0;
  assign mac_free_o = core_cmd_ready;
  assign vec_free_o = core_vec_cmd_ready;
  assign mac_given = mac_valid_i && mac_ready_o;
  assign vec_given = vec_valid_i && vec_ready_o;
  assign cmd_taken = cmd_valid_i && cmd_ready_o;
  assign vec_cmd_taken = vec_cmd_valid_i && vec_cmd_ready_o;

  always_comb begin
    mac_info.is_last = mac_i[npu_agu_pkg::MacLastLsb];
    mac_info.is_weight_16 = mac_i[npu_agu_pkg::MacWeightTypeLsb +: npu_agu_pkg::MacWeightTypeBits] == npu_spec_pkg::TYPE_INT16;
    mac_info.is_weight_4 = mac_i[npu_agu_pkg::MacWeightTypeLsb +: npu_agu_pkg::MacWeightTypeBits] == npu_spec_pkg::TYPE_INT4;
    mac_info.split = mac_i[npu_agu_pkg::MacLaneSplitLog2Lsb +: npu_agu_pkg::MacLaneSplitLog2Bits];
    mac_info.out_rows = mac_i[npu_agu_pkg::MacOutRowsLsb +: npu_agu_pkg::MacOutRowsBits];
    mac_info.out_columns = mac_i[npu_agu_pkg::MacOutColumnsLsb +: npu_agu_pkg::MacOutColumnsBits];
    mac_info.taps = mac_i[npu_agu_pkg::MacReductionEndLsb +: npu_agu_pkg::MacReductionEndBits] -
                    mac_i[npu_agu_pkg::MacReductionBeginLsb +: npu_agu_pkg::MacReductionBeginBits];
    case (mac_i[npu_agu_pkg::MacOutputTypeLsb +: npu_agu_pkg::MacOutputTypeBits])
      npu_spec_pkg::TYPE_INT16: mac_info.element_log2 = 2'd1;
      npu_spec_pkg::TYPE_INT32: mac_info.element_log2 = 2'd2;
      npu_spec_pkg::TYPE_INT48: mac_info.element_log2 = 2'd3;
      default: mac_info.element_log2 = 2'd0;
    endcase
    vec_stream = '0;
    for (int i = 0; i < Steps; i = i + 1) begin
      vec_stream = vec_i[npu_agu_pkg::VectorStepStreamLsb + npu_agu_pkg::VectorStepBits*i +: npu_agu_pkg::VectorStepStreamBits];
      vec_info[3*i +: 3] = '0;
      for (int s = 0; s < npu_spec_pkg::MaxVectorStreams; s = s + 1) begin
        if (vec_stream == 3'(s))
          vec_info[3*i +: 3] = vec_i[npu_agu_pkg::VectorStreamTypeLsb + npu_agu_pkg::VectorStreamBits*s +: npu_agu_pkg::VectorStreamTypeBits];
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {mac_set_q, cmd_set_q, vec_set_q, vec_cmd_set_q} <= '0;
      {mac_prepared_q, vec_prepared_q, mac_started_q, vec_started_q} <= '0;
    end else begin
      mac_set_q <= mac_set_q ^ mac_given;
      vec_set_q <= vec_set_q ^ vec_given;
      cmd_set_q <= cmd_set_q ^ cmd_taken;
      vec_cmd_set_q <= vec_cmd_set_q ^ vec_cmd_taken;
      mac_prepared_q <= mac_prepared_q + 2'(mac_given) - 2'(cmd_taken);
      vec_prepared_q <= vec_prepared_q + 2'(vec_given) - 2'(vec_cmd_taken);
      mac_started_q <= (mac_started_q & ~({mac_set_q, !mac_set_q} & {2{mac_given}})) | ({cmd_set_q, !cmd_set_q} & {2{cmd_taken}});
      vec_started_q <= (vec_started_q & ~({vec_set_q, !vec_set_q} & {2{vec_given}})) | ({vec_cmd_set_q, !vec_cmd_set_q} & {2{vec_cmd_taken}});
    end
  end
  always_ff @(posedge clk_i) begin
    for (int s = 0; s < 2; s = s + 1) begin
      if (mac_given && mac_set_q == 1'(s)) mac_info_q[MacInfoBits*s +: MacInfoBits] <= mac_info;
      if (vec_given && vec_set_q == 1'(s)) vec_info_q[VecInfoBits*s +: VecInfoBits] <= vec_info;
    end
  end

  // ------------------------------------------------------------------------------------------------------------ addresses
  // A beat of each stream, as npu_agu says it.
  typedef struct packed {
    logic [Words-1:0]               read;
    logic [AddressBits*Words-1:0]   word;
    logic [Pieces-1:0]              row_valid;
    logic [LaneBits*Pieces-1:0]     row;
    logic [AddressBits*Pieces-1:0]  address;
    logic [RowBytesBits*Pieces-1:0] length;
    logic [RingBits*Pieces-1:0]     to;
    logic                           byte_idx, last, is_16, is_4;
  } wgt_t;
  localparam int WgtBits = Words*(1 + AddressBits) + Pieces*(1 + LaneBits + AddressBits + RowBytesBits + RingBits) + 4;
  typedef struct packed {
    logic [Runs*RingBits-1:0]                 offset;
    logic [Runs*LengthBits-1:0]               length;
    logic [Runs*RingBits-1:0]                 to;
    logic [NumPixels*Lanes-1:0]               mask;
    logic [WindowRuns*LaneBits-1:0]           win_offset;
    logic [WindowRuns*LengthBits-1:0]         win_length;
    logic [WindowRuns*RingBits-1:0]           win_to;
    logic [WindowRuns*NumPixels-1:0]          win_pixel;
    logic [WindowRuns*NumPixels*LaneBits-1:0] win_register;
    logic [NumPixels*Lanes*LaneBits-1:0]      win_element;
    logic                                     last;
    logic [2*Words-1:0]                       from;   // which word that is read each is
  } act_t;
  localparam int ActBits = Runs*(2*RingBits + LengthBits) + NumPixels*Lanes*(1 + LaneBits) +
                           WindowRuns*(LaneBits + LengthBits + RingBits + NumPixels*(1 + LaneBits)) + 1 + 2*Words;
  typedef struct packed {
    logic [AddendIdxBits*AddendWords-1:0] from;
    logic [LaneBits*NumPixels-1:0]        offset;
    logic [1:0]                           split;
  } add_t;
  localparam int AddBits = AddendIdxBits*AddendWords + LaneBits*NumPixels + 2;

  logic       wgt_set, act_set, prm_set, add_set, out_set, vec_set;
  logic       wgt_offered, act_offered, prm_offered, add_offered, out_offered, ld_offered, st_offered;
  logic       wgt_wanted, act_wanted, prm_wanted, add_wanted, out_wanted, ld_wanted, st_wanted;
  wgt_t       wgt_beat, wgt;
  act_t       act_beat, act;
  add_t       add_beat, add;
  logic [Words-1:0]                    act_read, act_first_read;
  logic [AddressBits*Words-1:0]        act_word;
  logic [AddressBits-1:0]              prm_address;
  logic [ParameterBytesBits-1:0]       prm_bytes;
  logic [2:0]                          add_pixels, out_pixels;
  logic [AddressBits*NumPixels-1:0]    add_address, out_address;
  logic [BytesBits-1:0]                add_bytes, out_bytes;
  logic                                out_end;
  logic [4:0]                          ld_step, st_step;
  logic                                ld_part, st_part;
  logic [AddressBits-1:0]              ld_address, ld_second_address, st_address;
  logic [23:0]                         ld_stride, st_stride;
  logic [LengthBits-1:0]               ld_count, ld_second_count, st_count;

  npu_agu #(.Lanes(Lanes), .Sets(2)) u_agu (
    .clk_i, .rst_ni,
    .mac_valid_i(mac_given), .mac_ready_o(agu_mac_ready), .mac_i, .vec_valid_i(vec_given), .vec_ready_o(agu_vec_ready), .vec_i,
    .wgt_most_i(3'(ReadWords < Words ? ReadWords : Words)),
    .wgt_set_o(wgt_set), .wgt_valid_o(wgt_offered), .wgt_ready_i(wgt_wanted && mac_started_q[wgt_set]),
    .wgt_read_o(wgt_beat.read), .wgt_word_o(wgt_beat.word), .wgt_row_valid_o(wgt_beat.row_valid), .wgt_row_o(wgt_beat.row),
    .wgt_address_o(wgt_beat.address), .wgt_length_o(wgt_beat.length), .wgt_to_o(wgt_beat.to), .wgt_byte_o(wgt_beat.byte_idx),
    .wgt_last_o(wgt_beat.last),
    .act_set_o(act_set), .act_valid_o(act_offered), .act_ready_i(act_wanted && mac_started_q[act_set]), .act_read_o(act_read),
    .act_word_o(act_word), .act_offset_o(act_beat.offset), .act_length_o(act_beat.length), .act_to_o(act_beat.to), .act_mask_o(act_beat.mask),
    .win_offset_o(act_beat.win_offset), .win_length_o(act_beat.win_length), .win_to_o(act_beat.win_to), .win_pixel_o(act_beat.win_pixel),
    .win_register_o(act_beat.win_register), .win_element_o(act_beat.win_element), .act_last_o(act_beat.last),
    .prm_set_o(prm_set), .prm_valid_o(prm_offered), .prm_ready_i(prm_wanted && mac_started_q[prm_set]), .prm_address_o(prm_address),
    .prm_bytes_o(prm_bytes),
    .add_set_o(add_set), .add_valid_o(add_offered), .add_ready_i(add_wanted && mac_started_q[add_set]), .add_pixels_o(add_pixels),
    .add_address_o(add_address), .add_bytes_o(add_bytes),
    .out_set_o(out_set), .out_valid_o(out_offered), .out_ready_i(out_wanted && mac_started_q[out_set]), .out_pixels_o(out_pixels),
    .out_address_o(out_address), .out_bytes_o(out_bytes), .out_last_o(out_end),
    .vec_set_o(vec_set), .ld_valid_o(ld_offered), .ld_ready_i(ld_wanted && vec_started_q[vec_set]), .ld_step_o(ld_step), .ld_part_o(ld_part),
    .ld_address_o(ld_address), .ld_stride_o(ld_stride), .ld_count_o(ld_count), .ld_second_address_o(ld_second_address),
    .ld_second_count_o(ld_second_count),
    .st_valid_o(st_offered), .st_ready_i(st_wanted && vec_started_q[vec_set]), .st_step_o(st_step), .st_part_o(st_part),
    .st_address_o(st_address), .st_stride_o(st_stride), .st_count_o(st_count)
  );

  assign cmd_info = mac_info_q[MacInfoBits*32'(cmd_set_q) +: MacInfoBits];
  assign wgt_info = mac_info_q[MacInfoBits*32'(wgt_set) +: MacInfoBits];
  assign add_info = mac_info_q[MacInfoBits*32'(add_set) +: MacInfoBits];
  assign out_info = mac_info_q[MacInfoBits*32'(out_set) +: MacInfoBits];
  assign vec_types = vec_info_q[VecInfoBits*32'(vec_set) +: VecInfoBits];
  assign wgt_beat.is_16 = wgt_info.is_weight_16;
  assign wgt_beat.is_4 = wgt_info.is_weight_4;

  // ---------------------------------------------------------------------------------------------------------------- reads
  logic [Asks-1:0]             wgt_ask, act_ask, prm_ask, add_ask, ld_ask, out_ask, st_ask;
  logic [AddressBits*Asks-1:0] wgt_ask_word, act_ask_word, prm_ask_word, add_ask_word, ld_ask_word, out_ask_word, st_ask_word;
  logic [Asks-1:0]             wgt_grant, act_grant, prm_grant, add_grant, ld_grant, out_grant, st_grant;
  logic [WordBits*Asks-1:0]    wgt_came, act_came, prm_came, add_came, ld_came, out_ask_data, st_ask_data;
  logic [Lanes*Asks-1:0]       out_ask_mask, st_ask_mask;
  logic                        wgt_valid, act_valid, prm_valid, add_valid, ld_valid, out_valid, st_valid;
  logic                        wgt_ready, act_ready, prm_ready, add_ready, ld_ready, out_ready, st_ready;
  logic [WordBits*Words-1:0]   wgt_words, act_words, act_data;
  logic [WordBits*ParameterWords-1:0] prm_words;
  logic [WordBits*AddendWords-1:0] add_words;
  logic                        act_asks;
  logic [2:0]                  act_served;
  logic [1:0]                  prm_served;
  logic                        out_crowd, lacks_parameters;

  npu_stream_reads #(.Lanes(Lanes), .Beats(npu_spec_pkg::WeightBufferBeats), .Words(Words), .MetaBits(WgtBits)) u_wgt (
    .clk_i, .rst_ni, .beat_valid_i(wgt_offered && mac_started_q[wgt_set]), .beat_ready_o(wgt_wanted), .beat_read_i(wgt_beat.read),
    .beat_word_i(wgt_beat.word), .beat_meta_i(wgt_beat), .ask_valid_o(wgt_ask), .ask_word_o(wgt_ask_word), .ask_grant_i(wgt_grant),
    .data_i(wgt_came), .valid_o(wgt_valid), .take_i(wgt_valid && wgt_ready), .data_o(wgt_words), .meta_o(wgt), .asks_o(), .served_o()
  );
  logic [WordBits*Pieces-1:0] wgt_data;
  logic [Lanes*Pieces-1:0]    wgt_mask;
  npu_weight_pieces #(.Lanes(Lanes)) u_pieces (
    .clk_i, .take_i(wgt_valid && wgt_ready), .read_i(wgt.read), .word_i(wgt.word), .data_i(wgt_words), .address_i(wgt.address),
    .length_i(wgt.length), .to_i(wgt.to), .row_valid_i(wgt.row_valid), .is_16_i(wgt.is_16), .is_4_i(wgt.is_4), .byte_i(wgt.byte_idx),
    .data_o(wgt_data), .mask_o(wgt_mask)
  );

  // Two segments may share a word.
  npu_shared_words #(.Words(Words)) u_act_words (.read_i(act_read), .word_i(act_word), .read_o(act_first_read), .from_o(act_beat.from));
  npu_stream_reads #(.Lanes(Lanes), .Beats(npu_spec_pkg::ActivationBufferBeats), .Words(Words), .MetaBits(ActBits)) u_act (
    .clk_i, .rst_ni, .beat_valid_i(act_offered && mac_started_q[act_set]), .beat_ready_o(act_wanted), .beat_read_i(act_first_read),
    .beat_word_i(act_word), .beat_meta_i(act_beat), .ask_valid_o(act_ask), .ask_word_o(act_ask_word), .ask_grant_i(act_grant),
    .data_i(act_came), .valid_o(act_valid), .take_i(act_valid && act_ready), .data_o(act_words), .meta_o(act), .asks_o(act_asks),
    .served_o(act_served)
  );
  always_comb begin
    for (int w = 0; w < Words; w = w + 1)
      act_data[WordBits*w +: WordBits] = act_words[WordBits*32'(act.from[2*w +: 2]) +: WordBits];
  end

  logic [ParameterWords-1:0]             prm_read;
  logic [AddressBits*ParameterWords-1:0] prm_word;
  logic [LaneBits-1:0]                   prm_offset;
  logic [8*ParameterBytes-1:0]           prm_data;
  npu_parameter_words #(.Lanes(Lanes)) u_parameter_words (
    .address_i(prm_address), .bytes_i(prm_bytes), .read_o(prm_read), .word_o(prm_word), .offset_i(prm_offset), .data_i(prm_words), .prm_o(prm_data)
  );
  npu_stream_reads #(.Lanes(Lanes), .Beats(npu_spec_pkg::ParameterBufferBeats), .Words(ParameterWords), .MetaBits(LaneBits)) u_prm (
    .clk_i, .rst_ni, .beat_valid_i(prm_offered && mac_started_q[prm_set]), .beat_ready_o(prm_wanted), .beat_read_i(prm_read),
    .beat_word_i(prm_word), .beat_meta_i(prm_address[LaneBits-1:0]), .ask_valid_o(prm_ask), .ask_word_o(prm_ask_word),
    .ask_grant_i(prm_grant), .data_i(prm_came), .valid_o(prm_valid), .take_i(prm_valid && prm_ready), .data_o(prm_words),
    .meta_o(prm_offset), .asks_o(), .served_o(prm_served)
  );

  logic [AddendWords-1:0]             add_read;
  logic [AddressBits*AddendWords-1:0] add_word;
  logic [WordBits-1:0]                add_data;
  npu_addend_words #(.Lanes(Lanes)) u_addend_words (
    .pixels_i(add_pixels), .address_i(add_address), .bytes_i(add_bytes), .read_o(add_read), .word_o(add_word), .from_o(add_beat.from),
    .offset_i(add.offset), .from_i(add.from), .split_i(add.split), .data_i(add_words), .add_o(add_data)
  );
  assign add_beat.split = add_info.split;
  always_comb begin
    for (int p = 0; p < NumPixels; p = p + 1) add_beat.offset[LaneBits*p +: LaneBits] = add_address[AddressBits*p +: LaneBits];
  end
  npu_stream_reads #(.Lanes(Lanes), .Beats(npu_spec_pkg::AddendBufferBeats), .Words(AddendWords), .MetaBits(AddBits)) u_add (
    .clk_i, .rst_ni, .beat_valid_i(add_offered && mac_started_q[add_set]), .beat_ready_o(add_wanted), .beat_read_i(add_read),
    .beat_word_i(add_word), .beat_meta_i(add_beat), .ask_valid_o(add_ask), .ask_word_o(add_ask_word), .ask_grant_i(add_grant),
    .data_i(add_came), .valid_o(add_valid), .take_i(add_valid && add_ready), .data_o(add_words), .meta_o(add), .asks_o(), .served_o()
  );

  logic [64*Lanes-1:0] ld_data;
  npu_vector_loads #(.Lanes(Lanes)) u_loads (
    .clk_i, .rst_ni, .beat_valid_i(ld_offered && vec_started_q[vec_set]), .beat_ready_o(ld_wanted), .beat_part_i(ld_part),
    .beat_type_i(vec_types[3*32'(ld_step) +: 3]), .beat_address_i(ld_address), .beat_stride_i(ld_stride), .beat_count_i(ld_count),
    .beat_second_address_i(ld_second_address), .beat_second_count_i(ld_second_count), .ask_valid_o(ld_ask), .ask_word_o(ld_ask_word),
    .ask_grant_i(ld_grant), .data_i(ld_came), .ld_valid_o(ld_valid), .ld_ready_i(ld_ready), .ld_data_o(ld_data)
  );

  // --------------------------------------------------------------------------------------------------------------- writes
  logic [48*Lanes-1:0] out_value;
  npu_result_rows #(.Lanes(Lanes)) u_results (
    .clk_i, .rst_ni, .beat_valid_i(out_offered && mac_started_q[out_set]), .beat_ready_o(out_wanted), .beat_pixels_i(out_pixels),
    .beat_address_i(out_address), .beat_bytes_i(out_bytes), .beat_last_i(out_end), .beat_split_i(out_info.split),
    .beat_element_log2_i(out_info.element_log2), .out_valid_i(out_valid), .out_ready_o(out_ready), .out_value_i(out_value),
    .ask_valid_o(out_ask), .ask_word_o(out_ask_word), .ask_mask_o(out_ask_mask), .ask_data_o(out_ask_data), .ask_grant_i(out_grant),
    .crowd_o(out_crowd), .wait_o(mac_wait_o), .end_o(mac_end_o)
  );
  logic [32*Lanes-1:0] st_data;
  npu_vector_stores #(.Lanes(Lanes)) u_stores (
    .clk_i, .rst_ni, .beat_valid_i(st_offered && vec_started_q[vec_set]), .beat_ready_o(st_wanted), .beat_part_i(st_part),
    .beat_type_i(vec_types[3*32'(st_step) +: 3]), .beat_address_i(st_address), .beat_stride_i(st_stride), .beat_count_i(st_count),
    .st_valid_i(st_valid), .st_ready_o(st_ready), .st_data_i(st_data), .ask_valid_o(st_ask), .ask_word_o(st_ask_word),
    .ask_mask_o(st_ask_mask), .ask_data_o(st_ask_data), .ask_grant_i(st_grant), .wait_o(vec_wait_o)
  );

  // ----------------------------------------------------------------------------------------------------------------- SRAM
  assign mac_take_o = wgt_valid && wgt_ready || act_valid && act_ready || prm_valid && prm_ready || add_valid && add_ready;
  npu_parameter_need #(.Lanes(Lanes), .ServedBits(2)) u_need (
    .clk_i, .rst_ni, .cmd_i(cmd_taken), .has_parameters_i(cmd_info.is_last), .is_weight_16_i(cmd_info.is_weight_16), .taps_i(cmd_info.taps),
    .out_rows_i(cmd_info.out_rows), .out_columns_i(cmd_info.out_columns), .split_i(cmd_info.split), .act_i(act_valid && act_ready),
    .act_last_i(act.last), .prm_i(prm_valid && prm_ready), .served_i(prm_served), .lacks_o(lacks_parameters)
  );
  npu_sram #(.Lanes(Lanes), .BankWords(SramBytes / (npu_spec_pkg::NumSramBanks*Lanes)), .ReadWords(ReadWords), .WriteWords(WriteWords)) u_sram (
    .clk_i, .results_crowd_i(out_crowd), .parameters_first_i(lacks_parameters),
    .weights_first_i(!act_asks || 32'(act_served) > npu_spec_pkg::SramReadLatencyCycles),
    .add_valid_i(add_ask), .add_word_i(add_ask_word), .add_grant_o(add_grant), .add_data_o(add_came),
    .prm_valid_i(prm_ask), .prm_word_i(prm_ask_word), .prm_grant_o(prm_grant), .prm_data_o(prm_came),
    .act_valid_i(act_ask), .act_word_i(act_ask_word), .act_grant_o(act_grant), .act_data_o(act_came),
    .wgt_valid_i(wgt_ask), .wgt_word_i(wgt_ask_word), .wgt_grant_o(wgt_grant), .wgt_data_o(wgt_came),
    .ld_valid_i(ld_ask), .ld_word_i(ld_ask_word), .ld_grant_o(ld_grant), .ld_data_o(ld_came),
    .out_valid_i(out_ask), .out_word_i(out_ask_word), .out_mask_i(out_ask_mask), .out_data_i(out_ask_data), .out_grant_o(out_grant),
    .st_valid_i(st_ask), .st_word_i(st_ask_word), .st_mask_i(st_ask_mask), .st_data_i(st_ask_data), .st_grant_o(st_grant),
    .mem_valid_i, .mem_write_i, .mem_word_i, .mem_mask_i, .mem_data_i(mem_wdata_i), .mem_grant_o(mem_ready_o), .mem_data_o(mem_rdata_o)
  );

  // ---------------------------------------------------------------------------------------------------------------- units
  npu_core #(.Lanes(Lanes)) u_core (
    .clk_i, .rst_ni, .en_i(1'b1), .cmd_valid_i(cmd_valid_i && mac_prepared_q != 2'd0), .cmd_ready_o(core_cmd_ready), .cmd_i,
    .wgt_valid_i(wgt_valid), .wgt_ready_o(wgt_ready), .wgt_word_valid_i(wgt.row_valid), .wgt_row_i(wgt.row), .wgt_data_i(wgt_data),
    .wgt_mask_i(wgt_mask), .wgt_last_i(wgt.last),
    .act_valid_i(act_valid), .act_ready_o(act_ready), .act_data_i(act_data), .act_offset_i(act.offset), .act_length_i(act.length),
    .act_to_i(act.to), .act_mask_i(act.mask), .win_offset_i(act.win_offset), .win_length_i(act.win_length), .win_to_i(act.win_to),
    .win_pixel_i(act.win_pixel), .win_register_i(act.win_register), .win_element_i(act.win_element), .act_last_i(act.last),
    .prm_valid_i(prm_valid), .prm_ready_o(prm_ready), .prm_i(prm_data), .add_valid_i(add_valid), .add_ready_o(add_ready), .add_i(add_data),
    .out_valid_o(out_valid), .out_ready_i(out_ready), .out_value_o(out_value), .out_mask_o(), .out_row_o(), .out_bank_o(),
    .out_last_of_tile_o(), .out_last_o(),
    .tbl_valid_i, .tbl_ready_o, .tbl_slot_i, .tbl_type_i, .tbl_word_i, .tbl_data_i, .slot_format_o, .stall_o,
    .vec_cmd_valid_i(vec_cmd_valid_i && vec_prepared_q != 2'd0), .vec_cmd_ready_o(core_vec_cmd_ready), .vec_cmd_i,
    .ld_valid_i(ld_valid), .ld_ready_o(ld_ready), .ld_data_i(ld_data), .st_valid_o(st_valid), .st_ready_i(st_ready), .st_data_o(st_data),
    .st_mask_o(), .lanes_array_o, .lanes_wait_o
  );
endmodule
