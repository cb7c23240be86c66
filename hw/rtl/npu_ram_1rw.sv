// SPDX-License-Identifier: Apache-2.0
// A bank of the SRAM: one port, which reads or writes a word in a cycle, with an enable for each byte that is written. A library's macro
// replaces this module.
//
// A read at an edge: the word of address_i stands on data_o after that edge, until the next read. Contents have no value at reset.
module npu_ram_1rw #(
  parameter int WordBytes = 16,
  parameter int DepthWords = 1024,
  parameter int AddressBits = 10
) (
  input  logic                   clk_i,
  input  logic                   en_i,
  input  logic                   write_i,
  input  logic [AddressBits-1:0] address_i,
  input  logic [WordBytes-1:0]   mask_i,     // bytes that a write writes
  input  logic [8*WordBytes-1:0] data_i,
  output logic [8*WordBytes-1:0] data_o
);
  // Parameters that are not supported stop elaboration, in every tool: there is no such module.
  generate
    if (DepthWords < 2 || DepthWords > (1 << AddressBits)) begin : gen_wrong_depth
      npu_depth_must_fit_its_address u_wrong ();
    end
  endgenerate

  logic [8*WordBytes-1:0] mem [DepthWords];
  logic [8*WordBytes-1:0] data_q;

  always_ff @(posedge clk_i) begin
    if (en_i && write_i) begin
      for (int b = 0; b < WordBytes; b = b + 1) begin
        if (mask_i[b]) mem[address_i][8*b +: 8] <= data_i[8*b +: 8];
      end
    end
    if (en_i && !write_i) data_q <= mem[address_i];
  end

  assign data_o = data_q;
endmodule
