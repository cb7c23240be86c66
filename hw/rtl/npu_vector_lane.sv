// SPDX-License-Identifier: Apache-2.0
// One lane of the vector unit: its registers, and what goes between them and the load path, the ALU, the shared units and the store.
//
//   data_i ----[raw]-[extend, - zero point, << shift]-+-[pair]----------+
//                                                     |                 |
//   registers <---------------------------------------+                 |
//       |  ^------ shared units: value, multiplier, shift; index        |
//       |  ^------ result_q --[ALU, reduction, divider]--[operands]-----+
//       +--> store: two registers, then the port
//
// The stages, and what is in them, belong to npu_vector_unit: here is what one lane of them does. A register has 48 bits; all but a load of
// int48 write 32, sign-extended. Registers that are written at an edge are read from the next cycle on. An accumulation of one cycle
// takes its own result before it is written (from_result_i, from_written_i), and lanes that take no part hand on what they have.
module npu_vector_lane #(
  localparam int NumRegisters = npu_spec_pkg::NumVectorRegisters
) (
  input  logic               clk_i,
  input  logic               advance_i,
  input  logic               in_rest_i,          // the lane is one of the last lanes
  // Load: take the beat's words; the high part of an int48.
  input  logic               take_i,
  input  logic               take_high_i,
  input  logic        [63:0] data_i,
  // Conversion of what was taken.
  input  logic               convert_i,
  input  logic        [2:0]  stream_type_i,
  input  logic               stream_unsigned_i,
  input  logic signed [31:0] subtrahend_i,
  input  logic        [4:0]  load_shift_i,
  // Registers or the pair.
  input  logic               load_write_i,
  input  logic        [3:0]  load_dst_i,
  input  logic               load_rest_i,        // the vector has the last lanes only
  input  logic               pair_i,
  input  logic        [5:0]  pair_op_i,
  input  logic               second_i,           // there is a second vector
  input  logic               second_rest_i,
  // ALU: operands.
  input  logic               read_i,
  input  logic        [3:0]  read_a_i,
  input  logic        [3:0]  read_b_i,
  input  logic        [3:0]  read_c_i,
  input  logic        [1:0]  select_b_i,         // 0: register, 1: immediate0_i, 2: what was loaded
  input  logic               select_c_i,         // immediate1_i
  input  logic signed [31:0] immediate0_i,
  input  logic signed [31:0] immediate1_i,
  input  logic        [2:0]  from_written_i,     // operands a, b, c: result_q in the place of the register
  input  logic               read_reduces_i,
  input  logic               read_rest_i,
  input  logic        [5:0]  read_op_i,
  // ALU: result.
  input  logic               execute_i,          // the result is made in this cycle
  input  logic               reduces_i,          // a level of a reduction
  input  logic               divides_first_i,
  input  logic               divides_i,
  input  logic        [5:0]  op_i,
  input  logic        [2:0]  type_i,
  input  logic               round_i,
  input  logic        [2:0]  from_result_i,      // operands that the cycle before made
  input  logic        [2:0]  keep_i,             // operand that lanes without a part hand on; 0: none
  input  logic               execute_rest_i,
  input  logic signed [31:0] partner_i,          // of the level: a's of another lane
  output logic signed [31:0] partner_o,
  input  logic               result_write_i,
  input  logic        [3:0]  result_dst_i,
  input  logic               result_rest_i,
  // Shared units.
  input  logic               scale_read_i,
  input  logic        [3:0]  scale_a_i,
  input  logic        [3:0]  scale_b_i,
  input  logic        [3:0]  scale_c_i,
  input  logic               scale_b_is_immediate_i,
  input  logic               scale_c_is_shift_i,
  input  logic        [31:0] scale_immediate_i,
  input  logic        [5:0]  scale_shift_i,
  output logic        [47:0] scale_value_o,
  output logic        [31:0] scale_multiplier_o,
  output logic        [5:0]  scale_shift_o,
  input  logic               scale_write_i,
  input  logic        [3:0]  scale_dst_i,
  input  logic               scale_rest_i,
  input  logic        [31:0] scale_result_i,
  input  logic               look_read_i,
  input  logic        [3:0]  look_a_i,
  output logic        [15:0] look_value_o,
  input  logic               look_write_i,
  input  logic        [3:0]  look_dst_i,
  input  logic               look_rest_i,
  input  logic        [31:0] look_result_i,
  // Store.
  input  logic               store_read_i,
  input  logic        [3:0]  store_a_i,
  input  logic               store_move_i,
  input  logic               store_bool_i,
  input  logic               store_high_i,
  output logic        [31:0] store_data_o
);
  logic signed [47:0] registers_q [NumRegisters];

  function automatic logic signed [31:0] extended(
    input logic [31:0] word, input logic [2:0] element, input logic is_unsigned);
    case (element)
      npu_spec_pkg::TYPE_BOOL: extended = {31'd0, word[0]};
      npu_spec_pkg::TYPE_INT8: extended = {{24{word[7] & ~is_unsigned}}, word[7:0]};
      npu_spec_pkg::TYPE_INT16: extended = {{16{word[15] & ~is_unsigned}}, word[15:0]};
      default: extended = word;
    endcase
  endfunction

  // Load path.
  logic        [31:0] raw_q, raw_second_q;
  logic signed [47:0] loaded_q;
  logic signed [31:0] second_q;
  logic signed [31:0] pair_d, pair_q;
  logic               is_wide;

  assign is_wide = stream_type_i == npu_spec_pkg::TYPE_INT48;

  npu_vector_alu u_pair (
    .op_i(pair_op_i), .type_i(npu_spec_pkg::TYPE_INT32), .round_i(1'b0), .a_i(loaded_q), .b_i(second_q), .c_i(32'sd0), .result_o(pair_d)
  );

  always_ff @(posedge clk_i) begin
    if (advance_i && take_i) begin
      raw_q <= data_i[31:0];
      raw_second_q <= data_i[63:32];
    end else if (advance_i && take_high_i) begin
      raw_second_q <= data_i[31:0];
    end
    if (advance_i && convert_i) begin
      if (is_wide) begin
        loaded_q <= {raw_second_q[15:0], raw_q} - 48'(subtrahend_i);
      end else begin
        loaded_q <= 48'($signed((extended(raw_q, stream_type_i, stream_unsigned_i) - subtrahend_i) << load_shift_i));
        second_q <= (extended(raw_second_q, stream_type_i, stream_unsigned_i) - subtrahend_i) << load_shift_i;
      end
    end
    if (advance_i && pair_i) pair_q <= second_i && (in_rest_i || !second_rest_i) ? pair_d : loaded_q[31:0];
  end

  // ALU.
  logic signed [47:0] a_d, a_q, a;
  logic signed [31:0] b_d, b_q, b;
  logic signed [31:0] c_d, c_q, c;
  logic signed [31:0] identity;
  logic signed [31:0] computed, quotient, result_d, result_q;

  always_comb begin
    case (read_op_i)
      npu_spec_pkg::OP_REDUCE_MAX: identity = 32'sh8000_0000;
      npu_spec_pkg::OP_REDUCE_MIN: identity = 32'sh7fff_ffff;
      default: identity = 32'sd0;
    endcase
    a_d = from_written_i[0] ? 48'(result_q) : registers_q[read_a_i];
    if (read_reduces_i && read_rest_i && !in_rest_i) a_d = 48'(identity);
    b_d = from_written_i[1] ? result_q : registers_q[read_b_i][31:0];
    if (select_b_i[0]) b_d = immediate0_i;
    if (select_b_i[1]) b_d = pair_q;
    c_d = from_written_i[2] ? result_q : registers_q[read_c_i][31:0];
    if (select_c_i) c_d = immediate1_i;
  end

  always_comb begin
    a = from_result_i[0] ? 48'(result_q) : a_q;
    b = from_result_i[1] ? result_q : b_q;
    c = from_result_i[2] ? result_q : c_q;
  end

  npu_vector_alu u_alu (.op_i, .type_i, .round_i, .a_i(a), .b_i(reduces_i ? partner_i : b), .c_i(c), .result_o(computed));

  npu_vector_divider u_divider (
    .clk_i, .advance_i, .start_i(divides_first_i), .busy_i(divides_i), .dividend_i(a_q[31:0]), .divisor_i(b_q), .result_o(quotient)
  );

  assign partner_o = a_q[31:0];

  always_comb begin
    result_d = computed;
    if (op_i == npu_spec_pkg::OP_INT_DIV) result_d = quotient;
    if (execute_rest_i && !in_rest_i && keep_i != 3'd0) begin
      result_d = keep_i[0] ? a[31:0] : keep_i[1] ? b : c;
    end
  end

  always_ff @(posedge clk_i) begin
    if (advance_i && read_i) begin
      a_q <= a_d;
      b_q <= b_d;
      c_q <= c_d;
    end else if (advance_i && reduces_i) begin
      a_q <= 48'(computed);
    end
    if (advance_i && execute_i) result_q <= result_d;
  end

  // Shared units.
  logic [47:0] scale_value_q;
  logic [31:0] scale_multiplier_q;
  logic [5:0]  scale_shift_q;
  logic [15:0] look_value_q;

  always_ff @(posedge clk_i) begin
    if (advance_i && scale_read_i) begin
      scale_value_q <= registers_q[scale_a_i];
      scale_multiplier_q <= scale_b_is_immediate_i ? scale_immediate_i : registers_q[scale_b_i][31:0];
      scale_shift_q <= scale_c_is_shift_i ? registers_q[scale_c_i][5:0] : scale_shift_i;
    end
    if (advance_i && look_read_i) look_value_q <= registers_q[look_a_i][15:0];
  end
  assign scale_value_o = scale_value_q;
  assign scale_multiplier_o = scale_multiplier_q;
  assign scale_shift_o = scale_shift_q;
  assign look_value_o = look_value_q;

  // Store.
  logic [47:0] store0_q, store1_q;

  always_ff @(posedge clk_i) begin
    if (advance_i && store_read_i) store0_q <= registers_q[store_a_i];
    if (advance_i && store_move_i) store1_q <= store_bool_i ? {47'd0, store0_q[0]} : store0_q;
  end
  assign store_data_o = store_high_i ? {{16{store1_q[47]}}, store1_q[47:32]} : store1_q[31:0];

  // Registers. Two writes at one edge are of different registers (package::check).
  always_ff @(posedge clk_i) begin
    if (advance_i && load_write_i && (in_rest_i || !load_rest_i)) registers_q[load_dst_i] <= loaded_q;
    if (advance_i && result_write_i && (in_rest_i || !result_rest_i)) registers_q[result_dst_i] <= 48'(result_q);
    if (advance_i && scale_write_i && (in_rest_i || !scale_rest_i)) registers_q[scale_dst_i] <= 48'($signed(scale_result_i));
    if (advance_i && look_write_i && (in_rest_i || !look_rest_i)) registers_q[look_dst_i] <= 48'($signed(look_result_i));
  end
endmodule
