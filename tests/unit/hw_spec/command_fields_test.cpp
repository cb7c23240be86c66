// SPDX-License-Identifier: Apache-2.0
// The fields of the commands: wide enough for what they have to hold, no wider than a word, each with a name of its own, and
// commands as long as they were published.
#include "hw/spec/command_fields.hpp"

#include "hw/spec/latency.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <set>
#include <string>

namespace vernier::spec {
namespace {

struct Collector {
  std::vector<FieldInfo> fields;
  template <typename T>
  void operator()(const FieldInfo& field, const T&) {
    fields.push_back(field);
  }
};

MacCommand mac_with_residual() {
  MacCommand command;
  command.residual = true;
  return command;
}
VectorCommand longest_vector() {
  VectorCommand command;
  command.streams.resize(kMaxVectorStreams);
  command.steps.resize(kMaxVectorSteps);
  return command;
}

template <typename Body>
std::vector<FieldInfo> fields_of(const Body& body) {
  Collector collector;
  visit_fields(collector, body);
  return collector.fields;
}
std::vector<FieldInfo> header_fields() {
  Collector collector;
  Header header;
  Opcode opcode = Opcode::End;
  int64_t units = 0;
  visit_header(collector, header, opcode, units);
  return collector.fields;
}

/// By command.
std::map<std::string, std::vector<FieldInfo>> all_fields() {
  return {{"header", header_fields()},
          {"dma", fields_of(DmaCommand{})},
          {"mac", fields_of(mac_with_residual())},
          {"vector", fields_of(longest_vector())}};
}

/// The least and the most that the field holds.
int64_t least_of(const FieldInfo& field) { return field.is_signed ? -(int64_t{1} << (field.width_bits - 1)) : 0; }
int64_t most_of(const FieldInfo& field) {
  return (int64_t{1} << (field.is_signed ? field.width_bits - 1 : field.width_bits)) - 1;
}

TEST_CASE("A field has 1 to 32 bits, and a name and index of its own in its command") {
  for (const auto& [command, fields] : all_fields()) {
    std::set<std::pair<std::string_view, int>> names;
    for (const FieldInfo& field : fields) {
      INFO(command << " " << field.name);
      CHECK(field.width_bits >= 1);
      CHECK(field.width_bits <= 32);
      CHECK_FALSE(field.name.empty());
      CHECK(names.insert({field.name, field.index}).second);
    }
  }
}

TEST_CASE("The header fills its 32 bits to the 30th") {
  int bits = 0;
  for (const FieldInfo& field : header_fields()) bits += field.width_bits;
  CHECK(bits == 30);
}

TEST_CASE("A field holds the greatest and the least that its command may need") {
  struct Need {
    std::string command, field;
    int64_t least, most;
  };
  constexpr int64_t kLargestType = static_cast<int64_t>(base::ElementType::Int48);
  constexpr int64_t kSram = int64_t{1} << 28, kExternal = int64_t{1} << 31;  // the memory map's
  const std::vector<Need> needs{
      {"header", "opcode", 0, static_cast<int64_t>(Opcode::Vector)},
      {"header", "length", 1, length_units(longest_vector())},
      {"header", "queue", 0, kNumQueues - 1},
      {"header", "wait", 0, (1 << kNumQueues) - 1},
      {"header", "signal", 0, (1 << kNumQueues) - 1},
      {"dma", "kind", 0, static_cast<int64_t>(DmaKind::Transpose)},
      {"dma", "table_slot", 0, kNumTableSlots - 1},
      {"dma", "table_type", 0, kLargestType},
      {"dma", "fill_bytes", 1, 8},
      {"dma", "run_bytes", 1, kMaxCommandElements},
      {"dma", "count", 1, 1 << 23},
      {"dma", "src_base", 0, kExternal - 1},
      {"dma", "dst_base", 0, kExternal - 1},
      {"dma", "src_stride", -kSram, kSram},
      {"dma", "dst_stride", -kSram, kSram},
      {"dma", "fill_value", INT32_MIN, INT32_MAX},
      {"dma", "index_base", 0, kSram - 1},
      {"dma", "index_limit", 0, INT32_MAX},
      {"mac", "mode", 0, static_cast<int64_t>(MacMode::Depthwise)},
      {"mac", "lane_split_log2", 0, kMaxLaneSplitLog2},
      {"mac", "row_tile_rows", 1, kAccumulatorRows},
      {"mac", "weight_order", 0, static_cast<int64_t>(WeightOrder::TapMajor)},
      {"mac", "weight_type", 0, kLargestType},
      {"mac", "rounding", 0, static_cast<int64_t>(Rounding::HalfEven)},
      {"mac", "table_slot", 0, kNumTableSlots - 1},
      {"mac", "input_base", 0, kSram - 1},
      {"mac", "input_type", 0, kLargestType},
      {"mac", "input_row_pitch", -kSram, kSram},
      {"mac", "output_block_pitch", -kSram, kSram},
      {"mac", "input_zero_point", -32768, 65535},
      {"mac", "output_zero_point", -32768, 65535},
      {"mac", "weight_zero_point", -128, 255},
      {"mac", "kernel_rows", 1, 8192},
      {"mac", "kernel_columns", 1, 8192},
      {"mac", "stride_rows", 1, 8192},
      {"mac", "stride_columns", 1, 8192},
      {"mac", "dilation_rows", 1, 8192},
      {"mac", "dilation_columns", 1, 8192},
      {"mac", "origin_row", -8192, 65535},
      {"mac", "origin_column", -8192, 65535},
      {"mac", "reduction_end", 1, INT32_MAX},
      {"mac", "clamp_min", INT32_MIN, 0},
      {"mac", "clamp_max", 0, INT32_MAX},
      {"mac", "own_multiplier", 0, INT32_MAX},
      {"mac", "own_shift", 2, 62},
      {"mac", "sum_clamp_min", -32768, 65535},
      {"mac", "sum_clamp_max", -32768, 65535},
      {"vector", "num_streams", 0, kMaxVectorStreams},
      {"vector", "num_steps", 0, kMaxVectorSteps},
      {"vector", "kept_loops", 0, kNumVectorLoops},
      {"vector", "lanes", 1, kMaxCommandElements},
      {"vector", "interval", 1, kMaxVectorSteps * kIntDivCycles},
      {"vector", "rotating_registers", 0, kNumVectorRegisters},
      {"vector", "stream_base", 0, kSram - 1},
      {"vector", "stream_lane_stride", -(1 << 20), 1 << 20},
      {"vector", "step_op", 0, kNumVectorOps - 1},
      {"vector", "step_phase", 0, static_cast<int64_t>(VectorPhase::Final)},
      {"vector", "step_dst", 0, kNumVectorRegisters - 1},
      {"vector", "step_a", 0, kNumVectorRegisters - 1},
      {"vector", "step_b", 0, kNumVectorRegisters - 1},
      {"vector", "step_c", 0, kNumVectorRegisters - 1},
      {"vector", "step_stream", 0, kMaxVectorStreams - 1},
      {"vector", "step_slot", 0, kNumTableSlots - 1},
      {"vector", "step_type", 0, kLargestType},
      {"vector", "step_shift", 0, 62},
      {"vector", "step_offset", 0, kMaxVectorSteps * kIntDivCycles},
      {"vector", "step_imm0", INT32_MIN, INT32_MAX},
      {"vector", "step_imm1", INT32_MIN, INT32_MAX},
  };
  const auto fields = all_fields();
  for (const Need& need : needs) {
    INFO(need.command << " " << need.field);
    int64_t found = 0;
    for (const FieldInfo& field : fields.at(need.command)) {
      if (field.name != need.field) continue;
      ++found;
      CHECK(least_of(field) <= need.least);
      CHECK(most_of(field) >= need.most);
    }
    CHECK(found > 0);
  }
}

TEST_CASE("Commands are as long as they were published, in units of 16 bytes") {
  CHECK(kCommandUnitBytes == 16);
  CHECK(length_units(EndCommand{}) == 1);
  CHECK(length_units(DmaCommand{}) == 6);
  CHECK(length_units(MacCommand{}) == 7);
  CHECK(length_units(mac_with_residual()) == 11);
  CHECK(length_units(VectorCommand{}) == 2);
  CHECK(length_units(longest_vector()) <= (1 << kCommandLengthBits) - 1);
}

TEST_CASE("A stream or a step makes a vector command longer by what it has") {
  VectorCommand command;
  int64_t before = length_units(command);
  for (int i = 0; i < kMaxVectorStreams; ++i) {
    command.streams.emplace_back();
    CHECK(length_units(command) > before);
    before = length_units(command);
  }
  for (int i = 0; i < kMaxVectorSteps; ++i) {
    command.steps.emplace_back();
    CHECK(length_units(command) >= before);
    before = length_units(command);
  }
}

}  // namespace
}  // namespace vernier::spec
