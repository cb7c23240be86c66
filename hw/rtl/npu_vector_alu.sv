// SPDX-License-Identifier: Apache-2.0
// What a lane's ALU computes in one cycle; an operation that is not its own gives a_i.
//
// Operations are those of VectorOp in hw/spec/command.hpp, on 32 bits; OP_WRAP takes all 48 bits of a_i. An accumulating load
// gives the sum, maximum or minimum of its register (a_i) and of what it loaded (b_i); a reduction gives that of two lanes. For OP_CLAMP
// b_i and c_i are the limits; for OP_SELECT c_i chooses. Shift amounts count modulo 32.
module npu_vector_alu (
  input  logic        [5:0]  op_i,
  input  logic        [2:0]  type_i,
  input  logic               round_i,
  input  logic signed [47:0] a_i,
  input  logic signed [31:0] b_i,
  input  logic signed [31:0] c_i,
  output logic signed [31:0] result_o
);
  logic signed [31:0] a;
  logic        [4:0]  amount;
  logic               carry;
  logic signed [31:0] arithmetic;
  logic        [31:0] shifted;
  logic        [31:0] zero_extended;
  logic        [5:0]  zeros;
  logic               is_less, is_equal;

  function automatic logic signed [31:0] wrapped(input logic [31:0] value, input logic [2:0] element);
    case (element)
      npu_spec_pkg::TYPE_INT8: wrapped = {{24{value[7]}}, value[7:0]};
      npu_spec_pkg::TYPE_INT16: wrapped = {{16{value[15]}}, value[15:0]};
      default: wrapped = value;
    endcase
  endfunction

  assign a = a_i[31:0];
  assign amount = b_i[4:0];
  assign is_less = a < b_i;
  assign is_equal = a == b_i;

  always_comb begin
    case (type_i)
      npu_spec_pkg::TYPE_INT8: zero_extended = {24'd0, a[7:0]};
      npu_spec_pkg::TYPE_INT16: zero_extended = {16'd0, a[15:0]};
      default: zero_extended = a;
    endcase
    // Rounding adds the last bit that is shifted out.
    carry = round_i && amount != 5'd0 && a[amount - 5'd1];
    arithmetic = a >>> amount;
    case (op_i)
      npu_spec_pkg::OP_SHIFT_LEFT: shifted = a << amount;
      npu_spec_pkg::OP_SHIFT_RIGHT_LOGICAL: shifted = zero_extended >> amount;
      default: shifted = arithmetic + 32'(carry);
    endcase
    zeros = 6'd32;
    for (int i = 0; i < 32; i = i + 1) begin
      if (a[i]) zeros = 6'(31 - i);
    end
  end

  always_comb begin
    result_o = a;
    case (op_i)
      npu_spec_pkg::OP_MOVE: result_o = b_i;
      npu_spec_pkg::OP_ADD, npu_spec_pkg::OP_LOAD_ADD, npu_spec_pkg::OP_REDUCE_ADD: result_o = a + b_i;
      npu_spec_pkg::OP_SUB: result_o = a - b_i;
      npu_spec_pkg::OP_MINIMUM, npu_spec_pkg::OP_LOAD_MINIMUM, npu_spec_pkg::OP_REDUCE_MIN: result_o = is_less ? a : b_i;
      npu_spec_pkg::OP_MAXIMUM, npu_spec_pkg::OP_LOAD_MAXIMUM, npu_spec_pkg::OP_REDUCE_MAX: result_o = is_less ? b_i : a;
      npu_spec_pkg::OP_CLAMP: begin
        if (is_less) result_o = b_i;
        if (result_o > c_i) result_o = c_i;
      end
      npu_spec_pkg::OP_ABS: if (a[31]) result_o = -a;
      npu_spec_pkg::OP_NEGATE: result_o = -a;
      npu_spec_pkg::OP_AND: result_o = a & b_i;
      npu_spec_pkg::OP_OR: result_o = a | b_i;
      npu_spec_pkg::OP_XOR: result_o = a ^ b_i;
      npu_spec_pkg::OP_NOT: result_o = ~a;
      npu_spec_pkg::OP_SHIFT_LEFT, npu_spec_pkg::OP_SHIFT_RIGHT_LOGICAL: result_o = wrapped(shifted, type_i);
      npu_spec_pkg::OP_SHIFT_RIGHT: result_o = shifted;
      npu_spec_pkg::OP_CLZ: result_o = {26'd0, zeros};
      npu_spec_pkg::OP_EQUAL: result_o = {31'd0, is_equal};
      npu_spec_pkg::OP_GREATER: result_o = {31'd0, !is_less && !is_equal};
      npu_spec_pkg::OP_GREATER_EQUAL: result_o = {31'd0, !is_less};
      npu_spec_pkg::OP_SELECT: if (c_i == 32'sd0) result_o = b_i;
      npu_spec_pkg::OP_WRAP: result_o = type_i == npu_spec_pkg::TYPE_BOOL ? {31'd0, a_i != 48'sd0} : wrapped(a, type_i);
      default: result_o = a;
    endcase
  end
endmodule
