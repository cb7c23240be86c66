// SPDX-License-Identifier: Apache-2.0
// The words of the parameters of a channel tile, which follow each other in memory, and their bytes from these.
module npu_parameter_words #(
  parameter int Lanes = 16,
  localparam int AddressBits = npu_agu_pkg::AddressBits,
  localparam int LaneBits = $clog2(Lanes),
  localparam int Bytes = npu_agu_pkg::ChannelParameterBytes*Lanes,
  localparam int BytesBits = $clog2(Bytes + 1),
  localparam int Words = npu_agu_pkg::ChannelParameterBytes + 1
) (
  // The parameters that the unit asks for.
  input  logic [AddressBits-1:0]       address_i,
  input  logic [BytesBits-1:0]         bytes_i,
  output logic [Words-1:0]             read_o,
  output logic [AddressBits*Words-1:0] word_o,
  // The parameters that have come from the SRAM: where their first byte lies in the first word.
  input  logic [LaneBits-1:0]          offset_i,
  input  logic [8*Lanes*Words-1:0]     data_i,
  output logic [8*Bytes-1:0]           prm_o
);
  always_comb begin
    for (int w = 0; w < Words; w = w + 1) begin
      word_o[AddressBits*w +: AddressBits] = {{LaneBits{address_i[AddressBits-1]}}, address_i[AddressBits-1:LaneBits]} + AddressBits'(w);
      read_o[w] = 32'(bytes_i) + 32'(address_i[LaneBits-1:0]) > Lanes*w;
    end
  end
  assign prm_o = data_i[8*32'(offset_i) +: 8*Bytes];
endmodule
