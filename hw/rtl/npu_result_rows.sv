// SPDX-License-Identifier: Apache-2.0
// Rows of results on their way from the array to the SRAM: each is put into words, and waits until all of them are written.
//
//   npu_agu: addresses of rows --> [ResultBufferRows of them] --+
//   out_value_i: a row's results -------------------------------+--> npu_row_words --> [rows: words that are not written] --> ask_*
//
// The first RequestWords words of all ask in each cycle; a row asks in the cycle in which it leaves the array at the earliest.
module npu_result_rows #(
  parameter int Lanes = 16,
  localparam int Asks = npu_spec_pkg::RequestWords,
  localparam int AddressBits = npu_agu_pkg::AddressBits,
  localparam int NumPixels = npu_spec_pkg::MaxRowPixels,
  localparam int BytesBits = $clog2(8*Lanes + 1)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  // Addresses of rows, as npu_agu says, and of their command: log2 of its pixels a row and of the bytes of a result.
  input  logic                        beat_valid_i,
  output logic                        beat_ready_o,
  input  logic [2:0]                  beat_pixels_i,
  input  logic [AddressBits*NumPixels-1:0] beat_address_i,
  input  logic [BytesBits-1:0]        beat_bytes_i,
  input  logic                        beat_last_i,
  input  logic [1:0]                  beat_split_i,
  input  logic [1:0]                  beat_element_log2_i,
  // Rows of the array.
  input  logic                        out_valid_i,
  output logic                        out_ready_o,
  input  logic [48*Lanes-1:0]         out_value_i,
  // Words that are written.
  output logic [Asks-1:0]             ask_valid_o,
  output logic [AddressBits*Asks-1:0] ask_word_o,
  output logic [Lanes*Asks-1:0]       ask_mask_o,
  output logic [8*Lanes*Asks-1:0]     ask_data_o,
  input  logic [Asks-1:0]             ask_grant_i,
  output logic                        crowd_o,   // CrowdedResultRows wait
  output logic                        wait_o,    // at least one does
  output logic                        end_o      // the last word of a command's last row is written in this cycle
);
  localparam int WordBits = 8*Lanes;
  localparam int Rows = npu_spec_pkg::ResultBufferRows;
  localparam int CountBits = $clog2(Rows + 1);
  localparam int Slots = 3*NumPixels;   // of npu_row_words

  // Addresses ahead of the rows.
  typedef struct packed {
    logic                             last;
    logic [1:0]                       split, element_log2;
    logic [2:0]                       pixels;
    logic [BytesBits-1:0]             bytes;
    logic [AddressBits*NumPixels-1:0] address;
  } place_t;
  localparam int PlaceBits = 1 + 2*2 + 3 + BytesBits + AddressBits*NumPixels;

  logic [PlaceBits*Rows-1:0] place_q;
  logic [CountBits-1:0]      num_places_q, num_rows_q;
  place_t                    place, beat_place;
  logic                      is_placed, is_row;

  assign beat_place = {beat_last_i, beat_split_i, beat_element_log2_i, beat_pixels_i, beat_bytes_i, beat_address_i};
  assign place = place_q[PlaceBits-1:0];
  assign beat_ready_o = 32'(num_places_q) < Rows;
  assign is_placed = beat_valid_i && beat_ready_o;
  assign out_ready_o = num_places_q != '0 && 32'(num_rows_q) < Rows;
  assign is_row = out_valid_i && out_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) num_places_q <= '0;
    else num_places_q <= num_places_q + CountBits'(is_placed) - CountBits'(is_row);
  end
  always_ff @(posedge clk_i) begin
    if (is_row) place_q <= place_q >> PlaceBits;
    for (int r = 0; r < Rows; r = r + 1) begin
      if (is_placed && 32'(num_places_q) == r + 32'(is_row)) place_q[PlaceBits*r +: PlaceBits] <= beat_place;
    end
  end

  // Its words.
  logic [Slots-1:0]             is_word;
  logic [AddressBits*Slots-1:0] number;
  logic [Lanes*Slots-1:0]       mask;
  logic [WordBits*Slots-1:0]    data;

  npu_row_words #(.Lanes(Lanes)) u_words (
    .pixels_i(place.pixels), .address_i(place.address), .bytes_i(place.bytes), .split_i(place.split), .element_log2_i(place.element_log2),
    .value_i(out_value_i), .write_o(is_word), .word_o(number), .mask_o(mask), .data_o(data)
  );

  // Rows that wait, the oldest one first.
  logic [Slots*Rows-1:0]             missing_q;
  logic [AddressBits*Slots*Rows-1:0] number_q;
  logic [Lanes*Slots*Rows-1:0]       mask_q;
  logic [WordBits*Slots*Rows-1:0]    data_q;
  logic [Rows-1:0]                   last_q;

  logic [Slots*Rows-1:0]             is_asking, missing_d;
  logic [AddressBits*Slots*Rows-1:0] all_number;
  logic [Lanes*Slots*Rows-1:0]       all_mask;
  logic [WordBits*Slots*Rows-1:0]    all_data;
  logic [Rows-1:0]                   all_last;
  logic [CountBits-1:0]              num_all, num_done;
  logic [2:0]                        num_asks;

  always_comb begin
    is_asking = missing_q;
    all_number = number_q;
    all_mask = mask_q;
    all_data = data_q;
    all_last = last_q;
    for (int r = 0; r < Rows; r = r + 1) begin
      if (is_row && 32'(num_rows_q) == r) begin
        is_asking[Slots*r +: Slots] = is_word;
        all_number[AddressBits*Slots*r +: AddressBits*Slots] = number;
        all_mask[Lanes*Slots*r +: Lanes*Slots] = mask;
        all_data[WordBits*Slots*r +: WordBits*Slots] = data;
        all_last[r] = place.last;
      end
    end
    num_all = num_rows_q + CountBits'(is_row);
  end

  always_comb begin
    num_asks = '0;
    ask_valid_o = '0;
    ask_word_o = '0;
    ask_mask_o = '0;
    ask_data_o = '0;
    for (int p = 0; p < Slots*Rows; p = p + 1) begin
      if (is_asking[p] && num_asks != 3'(Asks)) begin
        for (int k = 0; k < Asks; k = k + 1) begin
          if (num_asks == 3'(k)) begin
            ask_valid_o[k] = 1'b1;
            ask_word_o[AddressBits*k +: AddressBits] = all_number[AddressBits*p +: AddressBits];
            ask_mask_o[Lanes*k +: Lanes] = all_mask[Lanes*p +: Lanes];
            ask_data_o[WordBits*k +: WordBits] = all_data[WordBits*p +: WordBits];
          end
        end
        num_asks = num_asks + 3'd1;
      end
    end
  end

  // What is missing after this cycle; rows leave in their order.
  logic [2:0] at;

  always_comb begin
    at = '0;
    missing_d = is_asking;
    for (int p = 0; p < Slots*Rows; p = p + 1) begin
      if (is_asking[p] && at != 3'(Asks)) begin
        if (ask_grant_i[at[1:0]]) missing_d[p] = 1'b0;
        at = at + 3'd1;
      end
    end
    num_done = '0;
    end_o = 1'b0;
    for (int r = 0; r < Rows; r = r + 1) begin
      if (32'(num_done) == r && 32'(num_all) > r && missing_d[Slots*r +: Slots] == '0) begin
        num_done = CountBits'(r + 1);
        end_o = end_o | all_last[r];
      end
    end
  end
  assign crowd_o = 32'(num_all) >= npu_spec_pkg::CrowdedResultRows;
  assign wait_o = num_all != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      num_rows_q <= '0;
      missing_q <= '0;
    end else begin
      num_rows_q <= num_all - num_done;
      for (int m = 0; m <= Rows; m = m + 1) begin
        if (32'(num_done) == m) missing_q <= missing_d >> (Slots*m);
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (is_row || num_done != '0) begin
      for (int m = 0; m < Rows; m = m + 1) begin
        if (32'(num_done) == m) begin
          number_q <= all_number >> (AddressBits*Slots*m);
          mask_q <= all_mask >> (Lanes*Slots*m);
          data_q <= all_data >> (WordBits*Slots*m);
          last_q <= all_last >> m;
        end
      end
    end
  end
endmodule
