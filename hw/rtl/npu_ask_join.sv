// SPDX-License-Identifier: Apache-2.0
// The words that two beats ask for, as one list of RequestWords: those of the first beat, then as many of the second one as there is room
// for. The words of each beat are its low ones.
module npu_ask_join #(
  parameter int DataBits = 32,    // of a word: its number, and what is written
  localparam int Asks = npu_spec_pkg::RequestWords
) (
  input  logic [Asks-1:0]          first_valid_i,
  input  logic [DataBits*Asks-1:0] first_i,
  output logic [Asks-1:0]          first_grant_o,
  input  logic [Asks-1:0]          second_valid_i,
  input  logic [DataBits*Asks-1:0] second_i,
  output logic [Asks-1:0]          second_grant_o,
  output logic [2:0]               num_first_o,     // words of the first beat
  output logic [Asks-1:0]          ask_valid_o,
  output logic [DataBits*Asks-1:0] ask_o,
  input  logic [Asks-1:0]          ask_grant_i
);
  always_comb begin
    num_first_o = '0;
    for (int k = 0; k < Asks; k = k + 1) num_first_o = num_first_o + 3'(first_valid_i[k]);
  end
  always_comb begin
    ask_valid_o = first_valid_i;
    ask_o = first_i;
    for (int k = 0; k < Asks; k = k + 1) begin
      for (int m = 0; m + k < Asks; m = m + 1) begin
        if (num_first_o == 3'(m)) begin
          ask_valid_o[m + k] = second_valid_i[k];
          ask_o[DataBits*(m + k) +: DataBits] = second_i[DataBits*k +: DataBits];
        end
      end
    end
  end
  always_comb begin
    first_grant_o = ask_grant_i & first_valid_i;
    second_grant_o = '0;
    for (int k = 0; k < Asks; k = k + 1) begin
      for (int m = 0; m + k < Asks; m = m + 1) begin
        if (num_first_o == 3'(m)) second_grant_o[k] = ask_grant_i[m + k] && second_valid_i[k];
      end
    end
  end
endmodule
