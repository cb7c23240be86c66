// SPDX-License-Identifier: Apache-2.0
// The table unit: Lanes look-ups a cycle in one of two table slots, shared by the array's epilogue and the vector unit, and
// the filling of the slots by the DMA.
//
//   tbl_*_i  --> slot state --> fill, the same word into every lane
//   look_*_i --> lane 0 .. lane Lanes-1 --> look_result_o; look_valid_o, look_tag_o
//
// Contract of look_*: as scale_* of npu_rescale_unit, with its own LatencyCycles. The format is the slot's. A look-up in a slot
// that slot_format_o calls empty has no defined result: the units that ask look at it before.
// Contract of tbl_*: valid and ready; word tbl_word_i of a table has bytes Lanes * tbl_word_i onwards of it, low byte first. Ready does
// not depend on en_i, and a look-up in the other slot may go on. Word 0 empties the slot, the last word of the format fills it: then
// slot_format_o has the format (0: empty). A look-up may be taken at the edge after. Reset empties both slots.
// Timing: kTablePipelineCycles of hw/spec/latency.hpp; one word a cycle.
module npu_table_unit #(
  parameter int Lanes = 16,
  parameter int TagBits = 8,
  localparam int WordIdxBits = $clog2((2 * npu_spec_pkg::Table16Entries + Lanes - 1) / Lanes)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   en_i,
  input  logic                   tbl_valid_i,
  output logic                   tbl_ready_o,
  input  logic                   tbl_slot_i,
  input  logic [2:0]             tbl_type_i,
  input  logic [WordIdxBits-1:0] tbl_word_i,
  input  logic [8*Lanes-1:0]     tbl_data_i,
  output logic [5:0]             slot_format_o,
  input  logic                   look_valid_i,
  input  logic [TagBits-1:0]     look_tag_i,
  input  logic                   look_slot_i,
  input  logic [16*Lanes-1:0]    look_value_i,
  output logic                   look_valid_o,
  output logic [TagBits-1:0]     look_tag_o,
  output logic [32*Lanes-1:0]    look_result_o
);
  // Parameters that are not supported stop elaboration, in every tool: there is no such module.
  generate
    if (Lanes != 8 && Lanes != 16 && Lanes != 32) begin : gen_wrong_lanes
      npu_lanes_must_be_8_16_or_32 u_wrong ();
    end
  endgenerate

  localparam int LatencyCycles = npu_spec_pkg::TablePipelineCycles;
  localparam int Last8 = 256 / Lanes - 1;
  localparam int Last16 = (2 * npu_spec_pkg::Table16Entries + Lanes - 1) / Lanes - 1;
  localparam int Last32 = 4 * 256 / Lanes - 1;

  // What the stages of the lanes are: a change of the latency is a change of npu_table_lane.
  generate
    if (LatencyCycles != 2) begin : gen_wrong_latency
      npu_table_lane_has_two_stages u_wrong ();
    end
  endgenerate

  // Slots: empty between the first and the last word of a fill.
  logic                   fill_en;
  logic [WordIdxBits-1:0] last_word;
  logic [2:0]             format_d;
  logic [2:0]             format0_q, format1_q;

  assign tbl_ready_o = 1'b1;
  assign fill_en = tbl_valid_i && tbl_ready_o;

  always_comb begin
    case (tbl_type_i)
      npu_spec_pkg::TYPE_INT16: last_word = WordIdxBits'(Last16);
      npu_spec_pkg::TYPE_INT32: last_word = WordIdxBits'(Last32);
      default: last_word = WordIdxBits'(Last8);
    endcase
    format_d = tbl_word_i == last_word ? tbl_type_i : 3'd0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      format0_q <= 3'd0;
      format1_q <= 3'd0;
    end else begin
      if (fill_en && !tbl_slot_i) format0_q <= format_d;
      if (fill_en && tbl_slot_i) format1_q <= format_d;
    end
  end

  assign slot_format_o = {format1_q, format0_q};

  logic [LatencyCycles-1:0] valid_q;
  logic [LatencyCycles-1:0] advance;
  logic [TagBits-1:0]       tag0_q, tag1_q;

  assign advance = {LatencyCycles{en_i}} & {valid_q[0], look_valid_i};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else if (en_i) valid_q <= {valid_q[0], look_valid_i};
  end

  always_ff @(posedge clk_i) begin
    if (advance[0]) tag0_q <= look_tag_i;
    if (advance[1]) tag1_q <= tag0_q;
  end

  genvar i;
  generate
    for (i = 0; i < Lanes; i = i + 1) begin : gen_lane
      npu_table_lane #(.WordBytes(Lanes), .RowBits(WordIdxBits)) u_lane (
        .clk_i,
        .advance_i(advance),
        .value_i(look_value_i[16*i +: 16]),
        .slot_i(look_slot_i),
        .format_i(look_slot_i ? format1_q : format0_q),
        .result_o(look_result_o[32*i +: 32]),
        .fill_en_i(fill_en),
        .fill_slot_i(tbl_slot_i),
        .fill_row_i(tbl_word_i),
        .fill_data_i(tbl_data_i)
      );
    end
  endgenerate

  assign look_valid_o = valid_q[LatencyCycles-1];
  assign look_tag_o = tag1_q;
endmodule
