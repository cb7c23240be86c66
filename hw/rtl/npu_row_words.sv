// SPDX-License-Identifier: Apache-2.0
// Puts a row of results into words of the SRAM: the byte network between out_* of the array and the write port.
//
//   value_i --> [bytes, pixel by pixel] --> [shifted to where each pixel begins in its word] --> [words that pixels share joined] --> words
//
// The bytes stand in twelve slots of a word each: three a pixel of four, six of two, twelve of one, enough for int48 wherever they begin.
// A word that several pixels have is written once, from the slot of the first of them.
module npu_row_words #(
  parameter int Lanes = 16,
  localparam int AddressBits = npu_agu_pkg::AddressBits,
  localparam int NumPixels = npu_spec_pkg::MaxRowPixels,
  localparam int BytesBits = $clog2(8*Lanes + 1),
  localparam int SlotsAPixel = 3,
  localparam int Slots = SlotsAPixel*NumPixels
) (
  input  logic [2:0]                       pixels_i,
  input  logic [AddressBits*NumPixels-1:0] address_i,       // a pixel: of its first byte
  input  logic [BytesBits-1:0]             bytes_i,         // of each pixel
  input  logic [1:0]                       split_i,         // log2 of the command's pixels a row
  input  logic [1:0]                       element_log2_i,  // log2 of the bytes of a result
  input  logic [48*Lanes-1:0]              value_i,
  output logic [Slots-1:0]                 write_o,
  output logic [AddressBits*Slots-1:0]     word_o,
  output logic [Lanes*Slots-1:0]           mask_o,
  output logic [8*Lanes*Slots-1:0]         data_o
);
  localparam int LaneBits = $clog2(Lanes);
  localparam int WordBits = 8*Lanes;
  localparam int Bytes = Slots*Lanes;
  localparam int ElementSizes = 4;             // 1, 2, 4 and 8 bytes
  localparam int Splits = $clog2(NumPixels) + 1;

  logic [8*Bytes-1:0]        first, data, moved;   // of each pixel from its first slot on, and where it begins in its word
  logic [Bytes-1:0]          first_mask, mask, moved_mask;
  logic [LaneBits*Slots-1:0] offset;               // of a slot's pixel in its word

  genvar x, s;
  generate
    for (x = 0; x < Bytes; x = x + 1) begin : gen_byte
      logic [7:0] value;
      logic       is_there;
      int         pixel, at, lane, byte_idx;

      always_comb begin
        value = '0;
        is_there = 1'b0;
        pixel = 0;
        at = 0;
        lane = 0;
        byte_idx = 0;
        for (int split = 0; split < Splits; split = split + 1) begin
          pixel = x / (Bytes >> split);
          at = x % (Bytes >> split);
          for (int log2 = 0; log2 < ElementSizes; log2 = log2 + 1) begin
            lane = pixel*(Lanes >> split) + (at >> log2);
            byte_idx = at % (1 << log2);
            if (split_i == 2'(split) && element_log2_i == 2'(log2) && (at >> log2) < (Lanes >> split)) begin
              is_there = 3'(pixel) < pixels_i && BytesBits'(at) < bytes_i;
              // Bytes 6 and 7 of an int48 have its sign.
              value = byte_idx < 6 ? value_i[48*lane + 8*byte_idx +: 8] : {8{value_i[48*lane + 47]}};
            end
          end
        end
      end
      assign first[8*x +: 8] = value & {8{is_there}};
      assign first_mask[x] = is_there;
    end

    for (s = 0; s < Slots; s = s + 1) begin : gen_slot
      logic [AddressBits-1:0] address;   // of its pixel
      logic [3:0]             further;   // words from that on

      assign address = split_i == 2'd0 ? address_i[AddressBits-1:0]
                     : split_i == 2'd1 ? address_i[AddressBits*(s / (2*SlotsAPixel)) +: AddressBits]
                                       : address_i[AddressBits*(s / SlotsAPixel) +: AddressBits];
      assign further = split_i == 2'd0 ? 4'(s) : split_i == 2'd1 ? 4'(s % (2*SlotsAPixel)) : 4'(s % SlotsAPixel);
      assign offset[LaneBits*s +: LaneBits] = address[LaneBits-1:0];
      assign word_o[AddressBits*s +: AddressBits] =
          {{LaneBits{address[AddressBits-1]}}, address[AddressBits-1:LaneBits]} + AddressBits'(further);
    end
  endgenerate

  always_comb begin
    data = first;
    mask = first_mask;
    moved = '0;
    moved_mask = '0;
    for (int t = 0; t < LaneBits; t = t + 1) begin
      moved = data << (8 << t);
      moved_mask = mask << (1 << t);
      for (int v = 0; v < Slots; v = v + 1) begin
        if (offset[LaneBits*v + t]) begin
          data[WordBits*v +: WordBits] = moved[WordBits*v +: WordBits];
          mask[Lanes*v +: Lanes] = moved_mask[Lanes*v +: Lanes];
        end
      end
    end
  end

  logic [Slots-1:0]       is_word;

  // Which slot of a pixel before it has the word of a slot: the first one of them.
  logic [Slots*Slots-1:0] joins;
  generate
    for (s = 0; s < Slots; s = s + 1) begin : gen_word
      logic [Slots-1:0]    own;
      logic [Lanes-1:0]    all_mask;
      logic [WordBits-1:0] all_data;

      assign is_word[s] = mask[Lanes*s +: Lanes] != '0;
      always_comb begin
        own = '0;
        for (int v = 0; v < Slots; v = v + 1) begin
          if (v < (s / SlotsAPixel)*SlotsAPixel && own == '0 && is_word[s] && is_word[v] &&
              word_o[AddressBits*v +: AddressBits] == word_o[AddressBits*s +: AddressBits]) own[v] = 1'b1;
        end
      end
      always_comb begin
        all_mask = mask[Lanes*s +: Lanes];
        all_data = data[WordBits*s +: WordBits];
        for (int v = 0; v < Slots; v = v + 1) begin
          if (joins[Slots*v + s]) begin
            all_mask = all_mask | mask[Lanes*v +: Lanes];
            all_data = all_data | data[WordBits*v +: WordBits];
          end
        end
      end
      assign joins[Slots*s +: Slots] = own;
      assign write_o[s] = is_word[s] && own == '0;
      assign mask_o[Lanes*s +: Lanes] = all_mask;
      assign data_o[WordBits*s +: WordBits] = all_data;
    end
  endgenerate
endmodule
