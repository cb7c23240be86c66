// SPDX-License-Identifier: Apache-2.0
// The residual operand of the epilogue: a row goes through the rescale unit three more times.
//
//   scale_result_i, look_result_i --> [held] --> own turn ----> 4 cycles --+
//   add ------------> [addend] ----------> addend turn --> 4 cycles --> [two scaled] + --> [sum] --> sum's turn --> 4 cycles --> out
//
// Cycles from the one in which a row stands on accumulator_i: the sum's turn is at ResidualSumSlot, with a table at
// ResidualTableSumSlot, whatever else happens. In the other cycles the first of these that can takes the unit: the channel's scale
// (at 0, or at 1), the value so far (as soon as it is there, at most three cycles later), the addend (from 1 on). Rows come
// every ResidualPaceCycles or later: then each has its turn in time for its sum, addends before the own value of their row.
// An addend may come any time after its command; one is held. The row that wants it waits for it, with all others (misses_o).
module npu_mac_residual #(
  parameter int Lanes = 16,
  parameter int TagBits = 8
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                en_i,
  input  logic                move_i,
  // Fields of a command that is taken at this edge, and where they go; those of the rows that leave.
  input  logic                command_i,
  input  logic                command_set_i,
  input  logic                drained_set_i,
  input  logic                residual_i,
  input  logic [npu_spec_pkg::MacResidualZeroPointBits-1:0] own_zero_point_i,
  input  logic [npu_spec_pkg::MacAddendZeroPointBits-1:0]   addend_zero_point_i,
  input  logic [npu_spec_pkg::MacSumZeroPointBits-1:0]      sum_zero_point_i,
  input  logic [37:0]         own_scale_i,     // shift, multiplier
  input  logic [37:0]         addend_scale_i,
  input  logic [37:0]         sum_scale_i,
  input  logic [npu_spec_pkg::MacSumClampMinBits-1:0]       clamp_min_i,
  input  logic [npu_spec_pkg::MacSumClampMaxBits-1:0]       clamp_max_i,
  output logic                residual_o,      // rows that leave have one
  // Rows. row_valid_i: one has been read; channel_slot_i: it has its channel's scale.
  input  logic                row_valid_i,
  input  logic                channel_slot_i,
  input  logic                has_table_i,
  output logic                sum_slot_o,
  output logic                misses_o,        // the addend that is due
  output logic                channel_o,       // results of the rescale unit: a channel's scale
  output logic                sum_o,           // a sum's scale
  // Addends.
  input  logic                add_valid_i,
  output logic                add_ready_o,
  input  logic [8*Lanes-1:0]  add_i,
  // Lanes outside.
  input  logic [TagBits-1:0]  scale_tag_i,
  input  logic [32*Lanes-1:0] scale_result_i,
  input  logic [TagBits-1:0]  look_tag_i,
  input  logic [9*Lanes-1:0]  look_result_i,   // an int8 or uint8 as a signed number
  output logic                scale_valid_o,
  output logic [TagBits-1:0]  scale_tag_o,
  output logic [32*Lanes-1:0] scale_value_o,
  output logic [31:0]         scale_multiplier_o,
  output logic [5:0]          scale_shift_o,
  output logic [31:0]         scale_in_zero_point_o,
  output logic [31:0]         scale_out_zero_point_o,
  output logic [31:0]         scale_clamp_min_o,
  output logic [31:0]         scale_clamp_max_o
);
  localparam int ScaleCycles = npu_spec_pkg::RescalePipelineCycles;
  localparam int TableCycles = npu_spec_pkg::TablePipelineCycles;
  localparam int Sum = npu_spec_pkg::ResidualSumSlot;
  localparam int TableSum = npu_spec_pkg::ResidualTableSumSlot;
  localparam int LastAge = TableSum + ScaleCycles;
  localparam int FieldBits = 1 + 3 * npu_spec_pkg::MacResidualZeroPointBits + 3 * 38 + 2 * npu_spec_pkg::MacSumClampMinBits;

  // Fields of two commands.
  logic [FieldBits-1:0] fields0_q, fields1_q;
  logic [FieldBits-1:0] fields_d;
  logic                 residual;
  logic [npu_spec_pkg::MacResidualZeroPointBits-1:0] own_zero_point, addend_zero_point, sum_zero_point;
  logic [37:0]          own_scale, addend_scale, sum_scale;
  logic [npu_spec_pkg::MacSumClampMinBits-1:0] clamp_min, clamp_max;

  assign fields_d = {residual_i, own_zero_point_i, addend_zero_point_i, sum_zero_point_i, own_scale_i, addend_scale_i, sum_scale_i,
                     clamp_min_i, clamp_max_i};
  assign {residual, own_zero_point, addend_zero_point, sum_zero_point, own_scale, addend_scale, sum_scale, clamp_min,
          clamp_max} = drained_set_i ? fields1_q : fields0_q;

  always_ff @(posedge clk_i) begin
    if (en_i && command_i && !command_set_i) fields0_q <= fields_d;
    if (en_i && command_i && command_set_i) fields1_q <= fields_d;
  end

  // Where rows are: bit k is a row k cycles after it was read, or so many after its turn.
  logic [LastAge:1]                 age_q;
  logic [ScaleCycles+TableCycles:1] channel_q;
  logic [ScaleCycles:1]             own_q, addend_q;
  logic                             own_ready, own_waits_q, addend_due, addend_due_q;
  logic                             own_slot, addend_slot, sum_slot, own_scaled, addend_scaled;

  assign sum_slot = has_table_i ? age_q[TableSum] : age_q[Sum];
  assign own_ready = has_table_i ? channel_q[ScaleCycles+TableCycles] : channel_q[ScaleCycles];
  assign own_slot = (own_ready || own_waits_q) && !sum_slot && !channel_slot_i;
  assign addend_due = age_q[1] || addend_due_q;
  assign addend_slot = addend_due && !own_slot && !sum_slot && !channel_slot_i;
  assign own_scaled = own_q[ScaleCycles];
  assign addend_scaled = addend_q[ScaleCycles];
  assign channel_o = channel_q[ScaleCycles];
  assign sum_slot_o = sum_slot;
  assign sum_o = has_table_i ? age_q[TableSum+ScaleCycles] : age_q[Sum+ScaleCycles];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      age_q <= '0;
      channel_q <= '0;
      own_q <= '0;
      addend_q <= '0;
      own_waits_q <= 1'b0;
      addend_due_q <= 1'b0;
    end else if (move_i) begin
      age_q <= {age_q[LastAge-1:1], row_valid_i && residual};
      channel_q <= {channel_q[ScaleCycles+TableCycles-1:1], channel_slot_i && residual};
      own_q <= {own_q[ScaleCycles-1:1], own_slot};
      addend_q <= {addend_q[ScaleCycles-1:1], addend_slot};
      own_waits_q <= (own_ready || own_waits_q) && !own_slot;
      addend_due_q <= addend_due && !addend_slot;
    end
  end

  // The addend of the next row that wants one.
  logic has_addend_q;

  assign add_ready_o = !has_addend_q;
  assign misses_o = addend_due && !has_addend_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) has_addend_q <= 1'b0;
    else if (en_i && add_valid_i && add_ready_o) has_addend_q <= 1'b1;
    else if (move_i && addend_slot) has_addend_q <= 1'b0;
  end

  // Two scaled addends: with a table that of the next row may come before this row's own value.
  logic write_q, read_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= 1'b0;
      read_q <= 1'b0;
    end else if (move_i) begin
      if (addend_scaled) write_q <= ~write_q;
      if (own_scaled) read_q <= ~read_q;
    end
  end

  // A row's tag goes with it.
  logic [TagBits-1:0] ready_tag, held_tag_q, sum_tag_q;

  assign ready_tag = has_table_i ? look_tag_i : scale_tag_i;

  always_ff @(posedge clk_i) begin
    if (move_i && own_ready) held_tag_q <= ready_tag;
    if (move_i && own_scaled) sum_tag_q <= scale_tag_i;
  end

  genvar i;
  generate
    for (i = 0; i < Lanes; i = i + 1) begin : gen_lane
      logic [8:0]  ready, held_q, own;
      logic [7:0]  stored_q;
      logic [31:0] scaled0_q, scaled1_q, sum_d, sum_q;

      assign ready = has_table_i ? look_result_i[9*i +: 9] : scale_result_i[32*i +: 9];
      assign own = own_waits_q ? held_q : ready;
      assign sum_d = scale_result_i[32*i +: 32] + (read_q ? scaled1_q : scaled0_q);

      always_ff @(posedge clk_i) begin
        if (move_i && own_ready) held_q <= ready;
        if (en_i && add_valid_i && add_ready_o) stored_q <= add_i[8*i +: 8];
        if (move_i && addend_scaled && !write_q) scaled0_q <= scale_result_i[32*i +: 32];
        if (move_i && addend_scaled && write_q) scaled1_q <= scale_result_i[32*i +: 32];
        if (move_i && own_scaled) sum_q <= sum_d;
      end

      assign scale_value_o[32*i +: 32] = own_slot ? 32'($signed(own)) : addend_slot ? 32'($signed(stored_q)) : own_scaled ? sum_d : sum_q;
    end
  endgenerate

  assign scale_valid_o = own_slot || addend_slot || sum_slot;
  assign scale_tag_o = own_slot ? (own_waits_q ? held_tag_q : ready_tag) : own_scaled ? scale_tag_i : sum_tag_q;
  assign {scale_shift_o, scale_multiplier_o} = own_slot ? own_scale : addend_slot ? addend_scale : sum_scale;
  assign scale_in_zero_point_o = own_slot ? 32'($signed(own_zero_point)) : addend_slot ? 32'($signed(addend_zero_point)) : 32'd0;
  assign scale_out_zero_point_o = sum_slot ? 32'($signed(sum_zero_point)) : 32'd0;
  assign scale_clamp_min_o = sum_slot ? 32'($signed(clamp_min)) : 32'h8000_0000;
  assign scale_clamp_max_o = sum_slot ? 32'($signed(clamp_max)) : 32'h7fff_ffff;
  assign residual_o = residual;
endmodule
