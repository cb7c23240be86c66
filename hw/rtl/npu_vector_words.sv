// SPDX-License-Identifier: Apache-2.0
// The words that the elements of a beat of the vector unit lie in: up to RequestWords of those that are not served yet, each once however
// many elements it has. An element that lies across the end of a word has two. What is left after the grants of this cycle is what the
// elements need in the next one.
module npu_vector_words #(
  parameter int Lanes = 16,
  parameter int Elements = 16,
  localparam int Asks = npu_spec_pkg::RequestWords,
  localparam int AddressBits = npu_agu_pkg::AddressBits,
  localparam int LaneBits = $clog2(Lanes)
) (
  input  logic [AddressBits*Elements-1:0] address_i,
  input  logic [1:0]                      element_log2_i,  // of the bytes of an element
  input  logic [Elements-1:0]             needs_first_i,   // its first word is not served
  input  logic [Elements-1:0]             needs_second_i,  // the word after it is not, if the element reaches into that word
  output logic [Asks-1:0]                 ask_valid_o,
  output logic [AddressBits*Asks-1:0]     ask_word_o,
  output logic [Asks*Elements-1:0]        is_first_o,      // a word that is asked for: elements that need it as their first one
  output logic [Asks*Elements-1:0]        is_second_o,
  input  logic [Asks-1:0]                 ask_grant_i,
  output logic [Elements-1:0]             left_first_o,
  output logic [Elements-1:0]             left_second_o
);
  localparam int NumberBits = AddressBits - LaneBits;

  logic [NumberBits*Elements-1:0] first, second;
  logic [Elements-1:0]            needs_second, rest_first, rest_second;
  logic [NumberBits-1:0]          number;
  logic                           is_found;

  always_comb begin
    for (int i = 0; i < Elements; i = i + 1) begin
      first[NumberBits*i +: NumberBits] = address_i[AddressBits*i + LaneBits +: NumberBits];
      second[NumberBits*i +: NumberBits] = address_i[AddressBits*i + LaneBits +: NumberBits] + NumberBits'(1);
      needs_second[i] = needs_second_i[i] &&
          {1'b0, address_i[AddressBits*i +: LaneBits]} + (LaneBits+1)'(1 << element_log2_i) > (LaneBits+1)'(Lanes);
    end
    rest_first = needs_first_i;
    rest_second = needs_second;
    ask_word_o = '0;
    number = '0;
    is_found = 1'b0;
    for (int k = 0; k < Asks; k = k + 1) begin
      is_found = 1'b0;
      for (int i = Elements - 1; i >= 0; i = i - 1) begin
        if (rest_second[i] || rest_first[i]) begin
          is_found = 1'b1;
          number = rest_first[i] ? first[NumberBits*i +: NumberBits] : second[NumberBits*i +: NumberBits];
        end
      end
      ask_valid_o[k] = is_found;
      ask_word_o[AddressBits*k +: AddressBits] = {{LaneBits{number[NumberBits-1]}}, number};
      for (int i = 0; i < Elements; i = i + 1) begin
        is_first_o[Elements*k + i] = rest_first[i] && first[NumberBits*i +: NumberBits] == number;
        is_second_o[Elements*k + i] = rest_second[i] && second[NumberBits*i +: NumberBits] == number;
      end
      rest_first = rest_first & ~is_first_o[Elements*k +: Elements];
      rest_second = rest_second & ~is_second_o[Elements*k +: Elements];
    end
  end

  always_comb begin
    left_first_o = needs_first_i;
    left_second_o = needs_second;
    for (int k = 0; k < Asks; k = k + 1) begin
      if (ask_grant_i[k]) begin
        left_first_o = left_first_o & ~is_first_o[Elements*k +: Elements];
        left_second_o = left_second_o & ~is_second_o[Elements*k +: Elements];
      end
    end
  end
endmodule
