// SPDX-License-Identifier: Apache-2.0
// Words of a beat, some of which may be the same: each is read once, and from_o says which word that is read each of them is.
module npu_shared_words #(
  parameter int Words = 4,
  localparam int AddressBits = npu_agu_pkg::AddressBits,
  localparam int IdxBits = $clog2(Words)
) (
  input  logic [Words-1:0]             read_i,
  input  logic [AddressBits*Words-1:0] word_i,
  output logic [Words-1:0]             read_o,
  output logic [IdxBits*Words-1:0]     from_o
);
  always_comb begin
    read_o = read_i;
    from_o = '0;
    for (int w = 0; w < Words; w = w + 1) begin
      from_o[IdxBits*w +: IdxBits] = IdxBits'(w);
      for (int v = 0; v < w; v = v + 1) begin
        if (read_o[w] && read_i[v] && word_i[AddressBits*v +: AddressBits] == word_i[AddressBits*w +: AddressBits]) begin
          read_o[w] = 1'b0;
          from_o[IdxBits*w +: IdxBits] = IdxBits'(v);
        end
      end
    end
  end
endmodule
