// SPDX-License-Identifier: Apache-2.0
// npu_rescale_unit and npu_table_unit of 8 lanes against libvernier_ref.so by DPI-C: random vectors, each result as the golden
// arithmetic gives it. Ends by $finish when all is equal, by $fatal otherwise.
module reference_bench;
  localparam int Lanes = 8;
  localparam int NumVectors = 5000;
  localparam int MostMessages = 10;
  localparam int ScaleLatency = 4, LookLatency = 2;
  localparam int TableBytes = 2 * 513;  // of int16; of int8 and int32 256 and 1,024 of them are read
  localparam int NumWords = (TableBytes + Lanes - 1) / Lanes;
  // Codes of hw/ref/vernier_ref.h.
  localparam int Ok = 0, RefVersion = 1;
  localparam bit [2:0] Int8 = 2, Int16 = 3, Int32 = 4, Int48 = 5;

  // The ten numbers of vernier_ref_rescale_setup, in its order, and the other arguments as the header has them.
  import "DPI-C" function int vernier_ref_version();
  import "DPI-C" function int vernier_ref_rescale_lanes(input int setup[10], input longint count, input longint values[Lanes],
                                                        input int multipliers[Lanes], input int shifts[Lanes], output int results[Lanes]);
  import "DPI-C" function int vernier_ref_table(input int format, input byte table_data[TableBytes], input longint table_bytes,
                                                input int operand, output int result);

  reg                 clk, rst_n, scale_valid, scale32, in_unsigned, out_unsigned, fill_valid, look_valid, en, slot;
  reg [7:0]           scale_tag, look_tag;
  reg [2:0]           rounding, in_type, out_type, format;
  reg [48*Lanes-1:0]  value;
  reg [32*Lanes-1:0]  multiplier;
  reg [6*Lanes-1:0]   shift;
  reg [31:0]          in_zero_point, out_zero_point, clamp_min, clamp_max;
  reg [7:0]           fill_word;
  reg [8*Lanes-1:0]   fill_data;
  reg [16*Lanes-1:0]  operand;
  wire                scale_out_valid, fill_ready, look_out_valid;
  wire [7:0]          scale_out_tag, look_out_tag;
  wire [32*Lanes-1:0] scale_result, look_result;
  wire [5:0]          formats;

  npu_rescale_unit #(.Lanes(Lanes)) u_rescale (
    .clk_i(clk), .rst_ni(rst_n), .en_i(en), .scale_valid_i(scale_valid), .scale_tag_i(scale_tag), .scale_value_i(value),
    .scale_multiplier_i(multiplier), .scale_shift_i(shift), .scale_scale32_i(scale32), .scale_rounding_i(rounding),
    .scale_in_type_i(in_type), .scale_in_unsigned_i(in_unsigned), .scale_in_zero_point_i(in_zero_point), .scale_out_type_i(out_type),
    .scale_out_unsigned_i(out_unsigned), .scale_out_zero_point_i(out_zero_point), .scale_clamp_min_i(clamp_min),
    .scale_clamp_max_i(clamp_max), .scale_valid_o(scale_out_valid), .scale_tag_o(scale_out_tag), .scale_result_o(scale_result));
  npu_table_unit #(.Lanes(Lanes)) u_table (
    .clk_i(clk), .rst_ni(rst_n), .en_i(en), .tbl_valid_i(fill_valid), .tbl_ready_o(fill_ready), .tbl_slot_i(slot),
    .tbl_type_i(format), .tbl_word_i(fill_word), .tbl_data_i(fill_data), .slot_format_o(formats), .look_valid_i(look_valid),
    .look_tag_i(look_tag), .look_slot_i(slot), .look_value_i(operand), .look_valid_o(look_out_valid), .look_tag_o(look_out_tag),
    .look_result_o(look_result));

  // What is due, by tag.
  int     scale_expected[256][Lanes], look_expected[256][Lanes];
  int     setup[10], multipliers[Lanes], shifts[Lanes], results[Lanes];
  longint values[Lanes];
  byte    table_data[TableBytes];
  int     scale_vectors = 0, look_vectors = 0, mismatches = 0;

  function automatic void expect_equal(input string port, input int lane, input int expected, input int actual);
    if (expected == actual) return;
    if (mismatches < MostMessages) $display("reference_bench: %s lane %0d: expected %0d, actual %0d", port, lane, expected, actual);
    mismatches = mismatches + 1;
  endfunction

  task automatic tick;
    #1 clk = 1'b1;
    #1 clk = 1'b0;
    #1;
    for (int lane = 0; lane < Lanes; lane = lane + 1) begin
      if (scale_out_valid) expect_equal("scale_result_o", lane, scale_expected[scale_out_tag][lane], scale_result[32*lane+:32]);
      if (look_out_valid) expect_equal("look_result_o", lane, look_expected[look_out_tag][lane], look_result[32*lane+:32]);
    end
    if (scale_out_valid) scale_vectors = scale_vectors + 1;
    if (look_out_valid) look_vectors = look_vectors + 1;
  endtask

  task automatic drive_scale(input int number);
    scale_valid = 1'b1;
    scale_tag = number[7:0];
    in_type = Int8 + 3'($urandom_range(3));
    out_type = Int8 + 3'($urandom_range(2));
    scale32 = in_type != Int48 && $urandom_range(1) == 1;
    rounding = 3'($urandom_range(3));
    // Unsigned are int8 and int16 alone.
    in_unsigned = in_type <= Int16 && $urandom_range(3) == 0;
    out_unsigned = out_type <= Int16 && $urandom_range(3) == 0;
    in_zero_point = in_type <= Int16 ? $urandom_range(255) - 32'd128 : 32'd0;
    out_zero_point = out_type <= Int16 ? $urandom_range(255) - 32'd128 : 32'd0;
    clamp_min = $urandom_range(1) == 1 ? 32'h8000_0000 : -$urandom_range(100);
    clamp_max = $urandom_range(1) == 1 ? 32'h7fff_ffff : $urandom_range(100);
    for (int lane = 0; lane < Lanes; lane = lane + 1) begin
      values[lane] = {$urandom, $urandom};
      if ($urandom_range(1) == 1) values[lane] = {32'd0, $urandom_range(4000)} - 64'd2000;
      multipliers[lane] = $urandom & 32'h7fff_ffff;
      shifts[lane] = 2 + $urandom_range(60);
      if (!scale32) multipliers[lane] = multipliers[lane] & 32'h7fff;
      value[48*lane+:48] = values[lane][47:0];
      multiplier[32*lane+:32] = multipliers[lane];
      shift[6*lane+:6] = shifts[lane][5:0];
    end
    setup = '{32'(in_type), 32'(out_type), 32'(in_unsigned), 32'(out_unsigned), 32'(scale32), 32'(rounding), in_zero_point,
              out_zero_point, clamp_min, clamp_max};
    if (vernier_ref_rescale_lanes(setup, 64'(Lanes), values, multipliers, shifts, results) != Ok)
      $fatal(1, "reference_bench: vernier_ref_rescale_lanes refuses its arguments");
    for (int lane = 0; lane < Lanes; lane = lane + 1) scale_expected[scale_tag][lane] = results[lane];
  endtask

  task automatic fill(input bit [2:0] of_format, input int num_bytes);
    format = of_format;
    for (int i = 0; i < TableBytes; i = i + 1) table_data[i] = 8'($urandom);
    for (int word = 0; word < (num_bytes + Lanes - 1) / Lanes; word = word + 1) begin
      bit [8*Lanes-1:0] bytes;  // of fill_data: a change of a part of it here is not seen by Verilator 5.006
      for (int i = 0; i < Lanes; i = i + 1) bytes[8*i+:8] = word * Lanes + i < num_bytes ? table_data[word*Lanes+i] : 8'd0;
      fill_valid = 1'b1;
      fill_word = word[7:0];
      fill_data = bytes;
      tick;
    end
    fill_valid = 1'b0;
  endtask

  task automatic look_up(input int number, input int num_bytes);
    int result;
    look_valid = 1'b1;
    look_tag = number[7:0];
    for (int lane = 0; lane < Lanes; lane = lane + 1) begin
      operand[16*lane+:16] = 16'($urandom);
      if (vernier_ref_table(32'(format), table_data, 64'(num_bytes), 32'(signed'(operand[16*lane+:16])), result) != Ok)
        $fatal(1, "reference_bench: vernier_ref_table refuses its arguments");
      look_expected[look_tag][lane] = result;
    end
  endtask

  initial begin
    if (vernier_ref_version() != RefVersion)
      $fatal(1, "reference_bench: the library has version %0d, this bench is for %0d", vernier_ref_version(), RefVersion);
    clk = 1'b0;
    rst_n = 1'b0;
    en = 1'b1;
    {scale_valid, fill_valid, look_valid, slot} = 4'b0000;
    tick;
    rst_n = 1'b1;
    for (int i = 0; i < NumVectors; i = i + 1) begin
      drive_scale(i);
      tick;
    end
    scale_valid = 1'b0;
    for (int i = 0; i < ScaleLatency; i = i + 1) tick;
    for (int i = 0; i < 3; i = i + 1) begin
      int num_bytes;
      num_bytes = i == 1 ? TableBytes : i == 0 ? 256 : 1024;
      slot = i[0];
      fill(Int8 + 3'(i), num_bytes);
      for (int j = 0; j < NumVectors; j = j + 1) begin
        look_up(j, num_bytes);
        tick;
      end
      look_valid = 1'b0;
      for (int j = 0; j < LookLatency; j = j + 1) tick;
    end
    if (scale_vectors != NumVectors || look_vectors != 3 * NumVectors)
      $fatal(1, "reference_bench: %0d and %0d vectors came out, %0d and %0d went in", scale_vectors, look_vectors, NumVectors, 3 * NumVectors);
    if (mismatches != 0) $fatal(1, "reference_bench: %0d results differ", mismatches);
    $display("reference_bench: %0d vectors, every result equal", scale_vectors + look_vectors);
    $finish;
  end
endmodule
