// SPDX-License-Identifier: Apache-2.0
// The one memory of the datapath: one read port, one write port, synchronous read. Every memory of hw/rtl is an instance of
// it, so that a library's macro replaces one module.
//
// read_en_i at an edge: the word of read_address_i stands on read_data_o after that edge, until the next read. A read and a
// write of the same word at one edge: the read gets the old word; no unit depends on that. Contents have no value at reset.
module npu_ram_1r1w #(
  parameter int WidthBits = 32,
  parameter int DepthWords = 64,
  parameter int AddressBits = 6
) (
  input  logic                   clk_i,
  input  logic                   read_en_i,
  input  logic [AddressBits-1:0] read_address_i,
  output logic [WidthBits-1:0]   read_data_o,
  input  logic                   write_en_i,
  input  logic [AddressBits-1:0] write_address_i,
  input  logic [WidthBits-1:0]   write_data_i
);
  // Parameters that are not supported stop elaboration, in every tool: there is no such module.
  generate
    if (DepthWords < 2 || DepthWords > (1 << AddressBits)) begin : gen_wrong_depth
      npu_depth_must_fit_its_address u_wrong ();
    end
  endgenerate

  logic [WidthBits-1:0] mem [DepthWords];
  logic [WidthBits-1:0] read_data_q;

  always_ff @(posedge clk_i) begin
    if (write_en_i) mem[write_address_i] <= write_data_i;
    if (read_en_i) read_data_q <= mem[read_address_i];
  end

  assign read_data_o = read_data_q;
endmodule
