// SPDX-License-Identifier: Apache-2.0
// Whether the array lacks parameters: of the channel tiles that have begun to be accumulated, more than those whose parameters are served.
//
// A channel tile begins with its first beat of activations. Its rows are counted: of each step (and byte of int16 weights) all rows of
// the output map.
module npu_parameter_need #(
  parameter int Lanes = 16,
  parameter int ServedBits = 2
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  // The array takes a command.
  input  logic        cmd_i,
  input  logic        has_parameters_i,     // it is the last slice of its reduction
  input  logic        is_weight_16_i,
  input  logic [31:0] taps_i,               // elements of the reduction
  input  logic [15:0] out_rows_i,
  input  logic [15:0] out_columns_i,
  input  logic [1:0]  split_i,
  // It takes a beat of activations, which ends a row or not, and the parameters of a channel tile.
  input  logic        act_i,
  input  logic        act_last_i,
  input  logic        prm_i,
  input  logic [ServedBits-1:0] served_i,   // beats of parameters that are served and not taken
  output logic        lacks_o
);
  localparam int LaneBits = $clog2(Lanes);
  localparam int NeedBits = 4;

  logic [32:0] last_step_q, step_q;
  logic [15:0] last_column_q, column_q, last_row_q, row_q;
  logic        has_parameters_q, is_start_q;
  // Channel tiles that have begun, less those whose parameters were taken: parameters come ahead, so it may be below 0.
  logic [NeedBits-1:0] need_q;
  logic                begins, is_last_step, is_last_column, is_last_row;
  logic [31:0]         steps;
  logic [15:0]         groups;

  assign steps = (taps_i + 32'(Lanes - 1)) >> LaneBits;
  assign groups = (out_columns_i + 16'(1 << split_i) - 16'd1) >> split_i;
  assign begins = act_i && is_start_q && has_parameters_q;
  assign is_last_step = step_q == last_step_q;
  assign is_last_column = column_q == last_column_q;
  assign is_last_row = row_q == last_row_q;
  assign lacks_o = $signed(need_q + NeedBits'(begins) - NeedBits'(prm_i)) > $signed(NeedBits'(served_i));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) need_q <= '0;
    else need_q <= need_q + NeedBits'(begins) - NeedBits'(prm_i);
  end

  always_ff @(posedge clk_i) begin
    if (act_i) is_start_q <= 1'b0;
    if (act_i && act_last_i) begin
      step_q <= is_last_step ? '0 : step_q + 33'd1;
      if (is_last_step) column_q <= is_last_column ? '0 : column_q + 16'd1;
      if (is_last_step && is_last_column) row_q <= is_last_row ? '0 : row_q + 16'd1;
      is_start_q <= is_last_step && is_last_column && is_last_row;
    end
    if (cmd_i) begin
      has_parameters_q <= has_parameters_i;
      last_step_q <= (is_weight_16_i ? {steps, 1'b0} : {1'b0, steps}) - 33'd1;
      last_column_q <= groups - 16'd1;
      last_row_q <= out_rows_i - 16'd1;
      step_q <= '0;
      column_q <= '0;
      row_q <= '0;
      is_start_q <= 1'b1;
    end
  end
endmodule
