// SPDX-License-Identifier: Apache-2.0
// The SRAM: eight single-port banks of words of N bytes, word w in bank w mod 8, and the order in which the streams of both units and an
// outer port are served.
//
//   out, add, prm, act, wgt (array), st, ld (vector unit), mem (DMA) --> [order of service: a bank and a port for each word] --> 8 banks
//   add, prm, act, wgt, ld, mem <-- [words of the cycle before] <------------------------------------------------------------------+
//
// Each stream asks for up to RequestWords words in a cycle. A word is served when its bank is free and its port (ReadWords read and WriteWords
// written in a cycle) has room; one that is not asks again. Order of service: results where rows crowd; addends; parameters that the array
// waits for; activations, or weights where enough activations are on their way; the other one of these; results; other parameters; then the
// vector unit's stores, its loads, and the outer port. The first word of one of these three that has waited PatienceCycles comes before all
// others: an array whose words all lie in one bank would keep it waiting for a whole command. Cycles
// in which a load waits while a store of its unit is served do not count.
//
// A read that is served stands at its *_data_o in the next cycle.
module npu_sram #(
  parameter int Lanes = 16,
  parameter int BankWords = 4096,
  parameter int ReadWords = 4,
  parameter int WriteWords = 2,
  localparam int Asks = npu_spec_pkg::RequestWords,
  localparam int MemAsks = 4,
  localparam int PatienceCycles = 1,
  localparam int AddressBits = npu_agu_pkg::AddressBits,
  localparam int WordBits = 8*Lanes
) (
  input  logic                        clk_i,
  // What sets the order.
  input  logic                        results_crowd_i,
  input  logic                        parameters_first_i,
  input  logic                        weights_first_i,
  // Words that are read: their numbers, whether they are served, and their data a cycle later.
  input  logic [Asks-1:0]             add_valid_i,
  input  logic [AddressBits*Asks-1:0] add_word_i,
  output logic [Asks-1:0]             add_grant_o,
  output logic [WordBits*Asks-1:0]    add_data_o,
  input  logic [Asks-1:0]             prm_valid_i,
  input  logic [AddressBits*Asks-1:0] prm_word_i,
  output logic [Asks-1:0]             prm_grant_o,
  output logic [WordBits*Asks-1:0]    prm_data_o,
  input  logic [Asks-1:0]             act_valid_i,
  input  logic [AddressBits*Asks-1:0] act_word_i,
  output logic [Asks-1:0]             act_grant_o,
  output logic [WordBits*Asks-1:0]    act_data_o,
  input  logic [Asks-1:0]             wgt_valid_i,
  input  logic [AddressBits*Asks-1:0] wgt_word_i,
  output logic [Asks-1:0]             wgt_grant_o,
  output logic [WordBits*Asks-1:0]    wgt_data_o,
  input  logic [Asks-1:0]             ld_valid_i,
  input  logic [AddressBits*Asks-1:0] ld_word_i,
  output logic [Asks-1:0]             ld_grant_o,
  output logic [WordBits*Asks-1:0]    ld_data_o,
  // Words that are written.
  input  logic [Asks-1:0]             out_valid_i,
  input  logic [AddressBits*Asks-1:0] out_word_i,
  input  logic [Lanes*Asks-1:0]       out_mask_i,
  input  logic [WordBits*Asks-1:0]    out_data_i,
  output logic [Asks-1:0]             out_grant_o,
  input  logic [Asks-1:0]             st_valid_i,
  input  logic [AddressBits*Asks-1:0] st_word_i,
  input  logic [Lanes*Asks-1:0]       st_mask_i,
  input  logic [WordBits*Asks-1:0]    st_data_i,
  output logic [Asks-1:0]             st_grant_o,
  // The outer port: words that are read or written.
  input  logic [MemAsks-1:0]             mem_valid_i,
  input  logic [MemAsks-1:0]             mem_write_i,
  input  logic [AddressBits*MemAsks-1:0] mem_word_i,
  input  logic [Lanes*MemAsks-1:0]       mem_mask_i,
  input  logic [WordBits*MemAsks-1:0]    mem_data_i,
  output logic [MemAsks-1:0]             mem_grant_o,
  output logic [WordBits*MemAsks-1:0]    mem_data_o
);
  localparam int Banks = npu_spec_pkg::NumSramBanks;
  localparam int BankBits = $clog2(Banks);
  localparam int RowBits = $clog2(BankWords);

  // Streams by number.
  localparam int Out = 0, Add = 1, Prm = 2, Act = 3, Wgt = 4, St = 5, Ld = 6, Mem = 7, Streams = 8;
  localparam int All = Streams*Asks;

  logic [All-1:0]             valid, write, grant;
  logic [AddressBits*All-1:0] word;
  logic [Lanes*All-1:0]       mask;
  logic [WordBits*All-1:0]    data;

  assign valid = {mem_valid_i, ld_valid_i, st_valid_i, wgt_valid_i, act_valid_i, prm_valid_i, add_valid_i, out_valid_i};
  assign write = {mem_write_i, {Asks{1'b0}}, {Asks{1'b1}}, {4*Asks{1'b0}}, {Asks{1'b1}}};
  assign word = {mem_word_i, ld_word_i, st_word_i, wgt_word_i, act_word_i, prm_word_i, add_word_i, out_word_i};
  assign mask = {mem_mask_i, {Asks*Lanes{1'b0}}, st_mask_i, {4*Asks*Lanes{1'b0}}, out_mask_i};
  assign data = {mem_data_i, {Asks*WordBits{1'b0}}, st_data_i, {4*Asks*WordBits{1'b0}}, out_data_i};
  assign out_grant_o = grant[Asks*Out +: Asks];
  assign add_grant_o = grant[Asks*Add +: Asks];
  assign prm_grant_o = grant[Asks*Prm +: Asks];
  assign act_grant_o = grant[Asks*Act +: Asks];
  assign wgt_grant_o = grant[Asks*Wgt +: Asks];
  assign st_grant_o = grant[Asks*St +: Asks];
  assign ld_grant_o = grant[Asks*Ld +: Asks];
  assign mem_grant_o = grant[Asks*Mem +: MemAsks];

  // The order: a stream has its turn early or late, as the inputs above say, and at its other turn it asks for nothing.
  localparam int Turns = 14, Patient = 3;
  localparam int StreamBits = $clog2(Streams);
  localparam logic [StreamBits*Turns-1:0] StreamOfTurn = {
    StreamBits'(Mem), StreamBits'(Ld), StreamBits'(St), StreamBits'(Prm), StreamBits'(Out), StreamBits'(Act), StreamBits'(Wgt),
    StreamBits'(Act), StreamBits'(Prm), StreamBits'(Add), StreamBits'(Out),
    StreamBits'(Mem), StreamBits'(Ld), StreamBits'(St)
  };
  logic [Turns-1:0] is_turn;

  // Streams of the first turns: how long their first words have waited.
  localparam int PatienceBits = $clog2(PatienceCycles + 1);
  logic [PatienceBits*Patient-1:0] waited_q;
  logic [Patient-1:0]              is_late, is_waiting;

  assign is_waiting = {mem_valid_i[0] && !mem_grant_o[0], ld_valid_i[0] && !ld_grant_o[0] && st_grant_o == '0, st_valid_i[0] && !st_grant_o[0]};
  always_comb begin
    for (int p = 0; p < Patient; p = p + 1) is_late[p] = waited_q[PatienceBits*p +: PatienceBits] == PatienceBits'(PatienceCycles);
  end
  always_ff @(posedge clk_i) begin
    for (int p = 0; p < Patient; p = p + 1) begin
      if (!is_waiting[p]) waited_q[PatienceBits*p +: PatienceBits] <= '0;
      else if (!is_late[p]) waited_q[PatienceBits*p +: PatienceBits] <= waited_q[PatienceBits*p +: PatienceBits] + PatienceBits'(1);
    end
  end

  assign is_turn = {3'b111, !parameters_first_i, !results_crowd_i, weights_first_i, 1'b1, !weights_first_i, parameters_first_i, 1'b1,
                    results_crowd_i, is_late};

  logic [Banks-1:0]    taken;
  logic [2:0]          num_reads, num_writes;
  logic [BankBits-1:0] bank;
  logic                has_port;
  logic [Banks-1:0]    bank_en, bank_write;
  logic [RowBits*Banks-1:0]  bank_row;
  logic [Lanes*Banks-1:0]    bank_mask;
  logic [WordBits*Banks-1:0] bank_data, bank_read;

  always_comb begin
    taken = '0;
    num_reads = '0;
    num_writes = '0;
    grant = '0;
    bank = '0;
    has_port = 1'b0;
    for (int t = 0; t < Turns; t = t + 1) begin
      for (int k = 0; k < Asks; k = k + 1) begin
        bank = word[AddressBits*(Asks*32'(StreamOfTurn[StreamBits*t +: StreamBits]) + k) +: BankBits];
        has_port = write[Asks*32'(StreamOfTurn[StreamBits*t +: StreamBits]) + k] ? num_writes != 3'(WriteWords) : num_reads != 3'(ReadWords);
        if (is_turn[t] && (k == 0 || t >= Patient) && valid[Asks*32'(StreamOfTurn[StreamBits*t +: StreamBits]) + k] &&
            !grant[Asks*32'(StreamOfTurn[StreamBits*t +: StreamBits]) + k] && !taken[bank] && has_port) begin
          grant[Asks*32'(StreamOfTurn[StreamBits*t +: StreamBits]) + k] = 1'b1;
          taken[bank] = 1'b1;
          if (write[Asks*32'(StreamOfTurn[StreamBits*t +: StreamBits]) + k]) num_writes = num_writes + 3'd1;
          else num_reads = num_reads + 3'd1;
        end
      end
    end
  end

  always_comb begin
    bank_en = '0;
    bank_write = '0;
    bank_row = '0;
    bank_mask = '0;
    bank_data = '0;
    for (int b = 0; b < Banks; b = b + 1) begin
      for (int a = 0; a < All; a = a + 1) begin
        if (grant[a] && word[AddressBits*a +: BankBits] == BankBits'(b)) begin
          bank_en[b] = 1'b1;
          bank_write[b] = bank_write[b] | write[a];
          bank_row[RowBits*b +: RowBits] = bank_row[RowBits*b +: RowBits] | word[AddressBits*a + BankBits +: RowBits];
          if (write[a]) begin
            bank_mask[Lanes*b +: Lanes] = bank_mask[Lanes*b +: Lanes] | mask[Lanes*a +: Lanes];
            bank_data[WordBits*b +: WordBits] = bank_data[WordBits*b +: WordBits] | data[WordBits*a +: WordBits];
          end
        end
      end
    end
  end

  genvar g;
  generate
    for (g = 0; g < Banks; g = g + 1) begin : gen_bank
      npu_ram_1rw #(.WordBytes(Lanes), .DepthWords(BankWords), .AddressBits(RowBits)) u_bank (
        .clk_i, .en_i(bank_en[g]), .write_i(bank_write[g]), .address_i(bank_row[RowBits*g +: RowBits]),
        .mask_i(bank_mask[Lanes*g +: Lanes]), .data_i(bank_data[WordBits*g +: WordBits]), .data_o(bank_read[WordBits*g +: WordBits])
      );
    end
  endgenerate

  // Words that were read: the bank of each.
  logic [BankBits*All-1:0] from_q;
  logic [WordBits*All-1:0] read;

  always_ff @(posedge clk_i) begin
    for (int a = 0; a < All; a = a + 1) begin
      if (grant[a] && !write[a]) from_q[BankBits*a +: BankBits] <= word[AddressBits*a +: BankBits];
    end
  end

  always_comb begin
    read = '0;
    for (int a = 0; a < All; a = a + 1) begin
      for (int b = 0; b < Banks; b = b + 1) begin
        if (from_q[BankBits*a +: BankBits] == BankBits'(b)) read[WordBits*a +: WordBits] = bank_read[WordBits*b +: WordBits];
      end
    end
  end
  assign add_data_o = read[WordBits*Asks*Add +: WordBits*Asks];
  assign prm_data_o = read[WordBits*Asks*Prm +: WordBits*Asks];
  assign act_data_o = read[WordBits*Asks*Act +: WordBits*Asks];
  assign wgt_data_o = read[WordBits*Asks*Wgt +: WordBits*Asks];
  assign ld_data_o = read[WordBits*Asks*Ld +: WordBits*Asks];
  assign mem_data_o = read[WordBits*Asks*Mem +: WordBits*MemAsks];
endmodule
