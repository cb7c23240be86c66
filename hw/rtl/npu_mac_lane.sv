// SPDX-License-Identifier: Apache-2.0
// One lane of the MAC array: a dot product of Operands pairs a cycle, added to one row of two accumulator banks.
//
//   edge   0            1          2         3            4
//   pairs -[operands]- [products]-[sums of]-[sum, row is]-[accumulate, write the row]
//                                 [four   ] [read       ]
//
// Operands have 9 bits: zero points are subtracted before (activations by the assembler, weights when they are loaded). A row
// of accumulators is read at edge 3 and written at edge 4; where both edges are of the same row, the sum is forwarded. The
// other bank is read by the drain: a row asked for at an edge stands on accumulator_o after it. So does a row of a bank whose
// next row tile begins: rows that begin from zero are not read.
module npu_mac_lane #(
  parameter int Operands = 16
) (
  input  logic                  clk_i,
  input  logic [4:0]            advance_i,      // bit s: stage s takes its operands at this edge
  input  logic [9*Operands-1:0] activation_i,
  input  logic [9*Operands-1:0] weight_i,
  // Stage 3: the row that the sum goes to, and whether its sum so far is wanted: else its bank may be read by the drain.
  input  logic                  bank_i,
  input  logic [5:0]            row_i,
  input  logic                  read_i,
  // Stage 4: where the sum stands in the accumulator (0, 8 or 16 bits up: bytes of int16 operands), and what it is added to.
  input  logic [1:0]            byte_shift_i,
  input  logic                  from_zero_i,
  input  logic                  forward_i,      // the row of the cycle before
  // Drain of the bank that does not accumulate.
  input  logic                  drain_en_i,
  input  logic                  drain_bank_i,
  input  logic [5:0]            drain_row_i,
  output logic signed [47:0]    accumulator_o
);
  // Parameters that are not supported stop elaboration, in every tool: there is no such module.
  generate
    if (Operands != 8 && Operands != 16 && Operands != 32) begin : gen_wrong_lanes
      npu_operands_must_be_8_16_or_32 u_wrong ();
    end
  endgenerate

  localparam int NumGroups = Operands / 4;
  localparam int SumBits = 18 + $clog2(Operands);
  localparam int RowBits = $clog2(npu_spec_pkg::AccumulatorRows);

  logic [20*NumGroups-1:0] group_sum_q;

  genvar g;
  generate
    for (g = 0; g < NumGroups; g = g + 1) begin : gen_group
      logic        [35:0] activation_q;
      logic        [35:0] weight_q;
      logic        [71:0] product_d;
      logic        [71:0] product_q;

      genvar k;
      for (k = 0; k < 4; k = k + 1) begin : gen_product
        assign product_d[18*k +: 18] = $signed(activation_q[9*k +: 9]) * $signed(weight_q[9*k +: 9]);
      end

      always_ff @(posedge clk_i) begin
        if (advance_i[0]) begin
          activation_q <= activation_i[36*g +: 36];
          weight_q <= weight_i[36*g +: 36];
        end
        if (advance_i[1]) product_q <= product_d;
        if (advance_i[2]) begin
          group_sum_q[20*g +: 20] <= 20'($signed(product_q[17:0])) + 20'($signed(product_q[35:18])) +
                                     20'($signed(product_q[53:36])) + 20'($signed(product_q[71:54]));
        end
      end
    end
  endgenerate

  logic signed [SumBits-1:0] sum_d;
  logic signed [SumBits-1:0] sum_q;

  always_comb begin
    sum_d = '0;
    for (int i = 0; i < NumGroups; i = i + 1) sum_d = sum_d + SumBits'($signed(group_sum_q[20*i +: 20]));
  end

  // Stage 3 reads the row, stage 4 writes it.
  logic               write_bank_q;
  logic [RowBits-1:0] write_row_q;
  logic signed [47:0] written_q;
  logic signed [47:0] term;
  logic signed [47:0] base;
  logic signed [47:0] written_d;
  logic        [95:0] read_data;

  always_ff @(posedge clk_i) begin
    if (advance_i[3]) begin
      sum_q <= sum_d;
      write_bank_q <= bank_i;
      write_row_q <= row_i;
    end
    if (advance_i[4]) written_q <= written_d;
  end

  always_comb begin
    case (byte_shift_i)
      2'd0: term = 48'(sum_q);
      2'd1: term = 48'(sum_q) <<< 8;
      default: term = 48'(sum_q) <<< 16;
    endcase
    base = write_bank_q ? read_data[95:48] : read_data[47:0];
    if (forward_i) base = written_q;
    if (from_zero_i) base = '0;
    written_d = base + term;
  end

  genvar b;
  generate
    for (b = 0; b < 2; b = b + 1) begin : gen_bank
      logic accumulates;
      assign accumulates = advance_i[3] && read_i && bank_i == (b == 1);
      npu_ram_1r1w #(.WidthBits(npu_spec_pkg::AccumulatorBits), .DepthWords(npu_spec_pkg::AccumulatorRows), .AddressBits(RowBits)) u_rows (
        .clk_i,
        .read_en_i(accumulates || (drain_en_i && drain_bank_i == (b == 1))),
        .read_address_i(accumulates ? row_i : drain_row_i),
        .read_data_o(read_data[48*b +: 48]),
        .write_en_i(advance_i[4] && write_bank_q == (b == 1)),
        .write_address_i(write_row_q),
        .write_data_i(written_d)
      );
    end
  endgenerate

  logic drained_bank_q;
  always_ff @(posedge clk_i) begin
    if (drain_en_i) drained_bank_q <= drain_bank_i;
  end
  assign accumulator_o = drained_bank_q ? read_data[95:48] : read_data[47:0];
endmodule
