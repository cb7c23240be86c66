// SPDX-License-Identifier: Apache-2.0
// Long because: it prints the two packages, the page of ports, and the texts that the build makes of a block.
//
#include "hw/gen/rtl_texts.hpp"

#include "hw/base/element_type.hpp"
#include "hw/package/names.hpp"
#include "hw/spec/rounding.hpp"
#include "hw/spec/stream_buffers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <iterator>

namespace vernier::gen {
namespace {

using Text = std::back_insert_iterator<std::string>;

/// In the order of spec::VectorSlot.
constexpr std::array<std::string_view, 5> kVectorSlotNames{"load", "alu", "mul", "table", "store"};

std::string upper(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return std::toupper(c); });
  return result;
}

void print_number(std::string& text, std::string_view name, int64_t value) {
  fmt::format_to(Text(text), "  localparam int {} = {};\n", name, value);
}

void print_code(std::string& text, std::string_view prefix, std::string_view name, int code) {
  fmt::format_to(Text(text), "  localparam logic [2:0] {}_{} = 3'd{};\n", prefix, upper(name), code);
}

/// "row_tile_rows" as part of a parameter's name: "RowTileRows".
std::string camel(std::string_view name) {
  std::string result;
  bool is_start = true;
  for (const char c : name) {
    if (c != '_') result += is_start ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    is_start = c == '_';
  }
  return result;
}

std::string bit_range(int first_bit, int bits) {
  return bits == 1 ? fmt::format("{}", first_bit) : fmt::format("{}:{}", first_bit + bits - 1, first_bit);
}

/// Fields of vector commands that come once, those of stream 0 and of step 0.
template <typename Visit>
void visit_named_vector_fields(Visit&& visit) {
  spec::visit_port(spec::VectorCommand{}, spec::PortFields::OfDatapath,
                   [&](const spec::FieldInfo& field, int first_bit, const auto&) {
                     if (field.index <= 0) visit(field, first_bit);
                   });
}

void print_vector_command_port(std::string& text) {
  fmt::format_to(
      Text(text),
      "\n## Fields of cmd_i of npu_vector_unit\n\nIt has room for {} streams of {} bits and {} steps of {} bits; those "
      "that a command does not have are 0.\n\n",
      spec::kMaxVectorStreams, spec::kVectorStreamBits, spec::kMaxVectorSteps, spec::kVectorStepBits);
  text += "| Field | Bits of `cmd_i`, of stream 0, of step 0 | |\n| --- | --- | --- |\n";
  visit_named_vector_fields([&](const spec::FieldInfo& field, int first_bit) {
    fmt::format_to(Text(text), "| {} | {} | {} |\n", field.name, bit_range(first_bit, field.width_bits),
                   field.is_signed ? "signed" : "");
  });
}

void print_command_port(std::string& text) {
  text +=
      "\n## Fields of cmd_i\n\nThe fields of a MAC command that the datapath reads; what beats and their addresses are made "
      "of is not here.\n\n";
  text += "| Field | Bits of `cmd_i` | |\n| --- | --- | --- |\n";
  spec::visit_port(spec::MacCommand{}, spec::PortFields::OfDatapath,
                   [&](const spec::FieldInfo& field, int first_bit, const auto&) {
                     fmt::format_to(Text(text), "| {} | {} | {} |\n", field.name, bit_range(first_bit, field.width_bits),
                                    field.is_signed ? "signed" : "");
                   });
  text += "\n## Values of stall_o\n\n| Value | Name |\n| --- | --- |\n";
  for (size_t i = 0; i < spec::kArrayStateNames.size(); ++i) {
    fmt::format_to(Text(text), "| {} | {} |\n", i, spec::kArrayStateNames[i]);
  }
}

void print_table(std::string& text, const spec::RtlBlock& block) {
  text += "| Port | Direction |";
  for (const int lanes : spec::kRtlLanes) fmt::format_to(Text(text), " Bits, N = {} |", lanes);
  text += " Meaning |\n| --- | --- | --- | --- | --- | --- |\n";
  for (const spec::RtlPort& port : block.ports) {
    fmt::format_to(Text(text), "| `{}` | {} |", port.name, port.is_output ? "out" : "in");
    for (const int lanes : spec::kRtlLanes) fmt::format_to(Text(text), " {} |", port.bits(lanes));
    fmt::format_to(Text(text), " {} |\n", port.meaning);
  }
}

void print_ports(std::string& text, const spec::RtlBlock& block) {
  fmt::format_to(Text(text), "\n## {}\n\n", block.name);
  if (block.kind != spec::RtlKind::Pipe) {
    fmt::format_to(Text(text), "Beats of `{}_*` are compared by `vernier cosim {}`, in value and edge.\n\n", block.results,
                   block.unit);
  } else {
    fmt::format_to(Text(text), "Latency of `{}_*`: {} cycles, one vector a cycle. `vernier cosim {}` compares it.\n\n",
                   block.results, block.latency_cycles, block.unit);
  }
  print_table(text, block);
}

/// Fields of cmd_i of the vector unit; those of a step are counted from its own bit 0.
void print_vector_fields(std::string& text) {
  text += "\n  // Fields of cmd_i of the vector unit; steps and streams follow each other.\n";
  const int first_step =
      spec::port_bits<spec::VectorCommand>(spec::PortFields::OfDatapath) - spec::kVectorStepBits * spec::kMaxVectorSteps;
  const int first_stream = first_step - spec::kVectorStreamBits * spec::kMaxVectorStreams;
  visit_named_vector_fields([&](const spec::FieldInfo& field, int first_bit) {
    if (field.name.starts_with("stream_")) return;
    const bool is_step = first_bit >= first_step;
    const std::string name = field.name == "count" ? "VectorCounts"
                             : is_step             ? camel(field.name)
                                                   : "Vector" + camel(field.name);
    print_number(text, name + "Lsb", is_step ? first_bit - first_step : first_bit);
  });
  print_number(text, "VectorStreamsLsb", first_stream);
  print_number(text, "VectorStepsLsb", first_step);
  print_number(text, "VectorStepBits", spec::kVectorStepBits);
  print_number(text, "VectorCommandBits", spec::port_bits<spec::VectorCommand>(spec::PortFields::OfDatapath));
}

void print_vector_codes(std::string& text) {
  text += "\n  // Operations of vector steps; the others are reserved.\n";
  for (size_t i = 0; i < package::kVectorOpNames.size(); ++i) {
    fmt::format_to(Text(text), "  localparam logic [5:0] OP_{} = 6'd{};\n", upper(package::kVectorOpNames[i]), i);
  }
  text += "\n  // Phases and slots of vector steps.\n";
  for (size_t i = 0; i < package::kPhaseNames.size(); ++i)
    fmt::format_to(Text(text), "  localparam logic [1:0] PHASE_{} = 2'd{};\n", upper(package::kPhaseNames[i]), i);
  for (size_t i = 0; i < kVectorSlotNames.size(); ++i) print_code(text, "SLOT", kVectorSlotNames[i], static_cast<int>(i));
}

}  // namespace

std::string spec_package() {
  std::string text =
      "// SPDX-License-Identifier: Apache-2.0\n"
      "// Generated by specgen from hw/spec: change that, then run specgen.\n"
      "// All that RTL sees of the contract.\n"
      "package npu_spec_pkg;\n";
  print_number(text, "RtlInterfaceVersion", spec::kRtlInterfaceVersion);
  text += "\n  // Latencies in cycles.\n";
  print_number(text, "SramReadLatencyCycles", spec::kSramReadLatencyCycles);
  print_number(text, "MacPipelineCycles", spec::kMacPipelineCycles);
  print_number(text, "RescalePipelineCycles", spec::kRescalePipelineCycles);
  print_number(text, "TablePipelineCycles", spec::kTablePipelineCycles);
  print_number(text, "VectorSlotCycles", spec::kVectorSlotCycles);
  print_number(text, "IntDivCycles", spec::kIntDivCycles);
  print_number(text, "TileSwapCycles", spec::kTileSwapCycles);
  print_number(text, "ResidualPaceCycles", spec::kResidualPaceCycles);
  print_number(text, "ResidualSumSlot", spec::kResidualSumSlot);
  print_number(text, "ResidualTableSumSlot", spec::kResidualTableSumSlot);
  text += "\n  // Sizes.\n";
  print_number(text, "AccumulatorBits", spec::kAccumulatorBits);
  print_number(text, "AccumulatorRows", spec::kAccumulatorRows);
  print_number(text, "NumAccumulatorBanks", spec::kNumAccumulatorBanks);
  print_number(text, "NumTableSlots", spec::kNumTableSlots);
  print_number(text, "Table8Entries", spec::kTable8Entries);
  print_number(text, "Table16Entries", spec::kTable16Entries);
  print_number(text, "WeightLoadWords", spec::kWeightLoadWords);
  print_number(text, "ActivationSegments", spec::kActivationSegments);
  print_number(text, "MaxRowPixels", spec::kMaxRowPixels);
  print_number(text, "WindowWords", spec::kWindowWords);
  print_number(text, "WindowRuns", spec::kWindowRuns);
  print_number(text, "ChannelParameterBits", 8 * spec::kChannelParameterBytes);
  print_number(text, "NumVectorLoops", spec::kNumVectorLoops);
  print_number(text, "NumVectorRegisters", spec::kNumVectorRegisters);
  print_number(text, "MaxVectorSteps", spec::kMaxVectorSteps);
  print_number(text, "MaxVectorStreams", spec::kMaxVectorStreams);
  print_number(text, "NumSramBanks", spec::kNumSramBanks);
  print_number(text, "RequestWords", spec::kRequestWords);
  print_number(text, "WeightBufferBeats", spec::kWeightBufferBeats);
  print_number(text, "ActivationBufferBeats", spec::kActivationBufferBeats);
  print_number(text, "ParameterBufferBeats", spec::kParameterBufferBeats);
  print_number(text, "AddendBufferBeats", spec::kAddendBufferBeats);
  print_number(text, "ResultBufferRows", spec::kResultBufferRows);
  print_number(text, "CrowdedResultRows", spec::kCrowdedResultRows);
  print_number(text, "LoadBufferBeats", spec::kLoadBufferBeats);
  print_number(text, "StoreBufferBeats", spec::kStoreBufferBeats);
  print_number(text, "VectorRingBits", std::countr_zero(static_cast<unsigned>(spec::kMaxVectorsInFlight)));
  text += "\n  // Fields of cmd_i: bit 0 of each, and its width.\n";
  const int command_bits = spec::visit_port(
      spec::MacCommand{}, spec::PortFields::OfDatapath, [&](const spec::FieldInfo& field, int first_bit, const auto&) {
        print_number(text, fmt::format("Mac{}Lsb", camel(field.name)), first_bit);
        print_number(text, fmt::format("Mac{}Bits", camel(field.name)), field.width_bits);
      });
  print_number(text, "MacCommandBits", command_bits);
  print_vector_fields(text);
  print_vector_codes(text);
  text += "\n  // Values of stall_o.\n";
  for (size_t i = 0; i < spec::kArrayStateNames.size(); ++i) {
    print_code(text, "STALL", spec::kArrayStateNames[i], static_cast<int>(i));
  }
  text += "\n  // Modes; the others are reserved.\n";
  print_code(text, "MODE", "conv", static_cast<int>(spec::MacMode::Conv));
  print_code(text, "MODE", "depthwise", static_cast<int>(spec::MacMode::Depthwise));
  text += "\n  // Orders of weights; the others are reserved.\n";
  print_code(text, "WEIGHTS", "tiles", static_cast<int>(spec::WeightOrder::Tiles));
  print_code(text, "WEIGHTS", "lane_major", static_cast<int>(spec::WeightOrder::LaneMajor));
  print_code(text, "WEIGHTS", "tap_major", static_cast<int>(spec::WeightOrder::TapMajor));
  text += "\n  // Element types; the others are reserved.\n";
  for (size_t i = 0; i < base::kElementTypes.size(); ++i) {
    if (static_cast<base::ElementType>(i) == base::ElementType::Shape) continue;  // no type of the machine
    print_code(text, "TYPE", base::kElementTypes[i].name, static_cast<int>(i));
  }
  text += "\n  // Roundings; the others are reserved.\n";
  print_code(text, "ROUNDING", "single", static_cast<int>(spec::Rounding::Single));
  print_code(text, "ROUNDING", "double", static_cast<int>(spec::Rounding::Double));
  print_code(text, "ROUNDING", "inexact", static_cast<int>(spec::Rounding::Inexact));
  print_code(text, "ROUNDING", "half_even", static_cast<int>(spec::Rounding::HalfEven));
  text += "endpackage\n";
  return text;
}

std::string agu_package() {
  std::string text =
      "// SPDX-License-Identifier: Apache-2.0\n"
      "// Generated by specgen from hw/spec: change that, then run specgen.\n"
      "// The fields of commands as the address generators get them: bit 0 of each, and its width.\n"
      "package npu_agu_pkg;\n";
  print_number(text, "AddressBits", spec::kAguAddressBits);
  print_number(text, "WeightLoadRows", spec::kWeightLoadRows);
  print_number(text, "ChannelParameterBytes", spec::kChannelParameterBytes);
  text += "\n  // Fields of a MAC command.\n";
  const int mac_bits = spec::visit_port(spec::MacCommand{}, spec::PortFields::All,
                                        [&](const spec::FieldInfo& field, int first_bit, const auto&) {
                                          print_number(text, fmt::format("Mac{}Lsb", camel(field.name)), first_bit);
                                          print_number(text, fmt::format("Mac{}Bits", camel(field.name)), field.width_bits);
                                        });
  print_number(text, "MacCommandBits", mac_bits);
  text +=
      "\n  // Fields of a vector command: those that come once, those of stream 0 and of step 0, which the others follow.\n";
  int first_stream = 0, first_step = 0;
  const int vector_bits = spec::visit_port(
      spec::VectorCommand{}, spec::PortFields::All, [&](const spec::FieldInfo& field, int first_bit, const auto&) {
        if (field.index > 0) return;
        if (field.name == "stream_base") first_stream = first_bit;
        if (field.name == "step_op") first_step = first_bit;
        print_number(text, fmt::format("Vector{}Lsb", camel(field.name)), first_bit);
        print_number(text, fmt::format("Vector{}Bits", camel(field.name)), field.width_bits);
      });
  print_number(text, "VectorStreamBits", (first_step - first_stream) / spec::kMaxVectorStreams);
  print_number(text, "VectorStepBits", (vector_bits - first_step) / spec::kMaxVectorSteps);
  print_number(text, "VectorCommandBits", vector_bits);
  text += "endpackage\n";
  return text;
}

std::string rtl_ports_page() {
  std::string text = "# Ports of the RTL\n\nGenerated by `specgen` from `hw/spec`: change that, then run `specgen .`.\n\n";
  fmt::format_to(Text(text), "Interface version {}. It grows when a port changes its name, width or meaning.\n\n",
                 spec::kRtlInterfaceVersion);
  text +=
      "One clock. A beat is taken at a rising edge of `clk_i` with `en_i` and its valid (and ready, where there is one). "
      "Latency L: the\n"
      "result of a beat taken at edge E can be taken at edge E + L, counted in edges with `en_i`. There is no ready inside "
      "a pipe:\n"
      "who asks keeps room for the answer, and stops the unit by `en_i`. The vector unit alone has a ready towards its "
      "pipes, "
      "because it\n"
      "shares their lanes with the array: while `scale_ready_i` or `look_ready_i` is low, the whole unit stands still. "
      "No output depends\n"
      "on an input of the same cycle, but where it is said. Lane i of a port of W bits a lane has bits W i + W - 1 to W i. "
      "Types and roundings are numbered as in\n"
      "[the machine](machine.md).\n";
  for (const spec::RtlBlock& block : spec::kRtlBlocks) print_ports(text, block);
  fmt::format_to(Text(text), "\n## {}\n\n", spec::kAguBlock.name);
  text +=
      "Which words of SRAM each beat is made of, for the streams of both units: `--rtl-memory` puts it before them, and "
      "compares\n"
      "what it says with `hw/sequence`. It is ours alone: who brings an array brings its own, or takes beats as they "
      "come.\n\n";
  print_table(text, spec::kAguBlock);
  fmt::format_to(Text(text), "\n## {}\n\n", spec::kCoreSramBlock.name);
  text +=
      "`npu_core` with the address generators, stream buffers and SRAM behind its ports: all values come out of the SRAM "
      "and go "
      "into it.\n"
      "A command comes twice, to be prepared and to start, in the same order.\n\n";
  print_table(text, spec::kCoreSramBlock);
  print_command_port(text);
  print_vector_command_port(text);
  return text;
}

std::string rtl_binding(const spec::RtlBlock& block, std::string_view prefix, BindingVariant variant) {
  const bool has_waves = variant != BindingVariant::Check;
  std::string text;
  const auto line = [&text](std::string_view content) { (text += content) += '\n'; };
  line("// Generated by specgen.");
  fmt::format_to(Text(text), "#include \"{}.h\"\n", prefix);
  line("#include \"sim/cosim/block/rtl_block.hpp\"");
  if (has_waves) line("#include \"verilated_vcd_c.h\"");
  line("#include <vector>");
  line("namespace vernier::cosim {");
  line("namespace {");
  if (has_waves) {
    line("class SinkFile final : public VerilatedVcdFile {");
    line(" public:");
    line("  WaveSink* sink = nullptr;");
    line("  bool open(const std::string&) override { return sink != nullptr; }");
    line("  void close() override {}");
    line("  ssize_t write(const char* text, ssize_t bytes) override {");
    line("    sink->write({text, static_cast<size_t>(bytes)});");
    line("    return bytes;");
    line("  }");
    line("};");
  }
  line("class Block final : public RtlBlock {");
  line(" public:");
  line("  explicit Block(const RtlOptions& options) : model_(set_up(context_, options)) {");
  for (const spec::RtlPort& port : block.ports) {
    fmt::format_to(Text(text), "    pins_.push_back({{\"{0}\", &model_.{0}, sizeof model_.{0}}});\n", port.name);
  }
  line("  }");
  // Scopes of the model leave the context that is the thread's: another block's may be gone.
  line("  ~Block() override {");
  line("    Verilated::threadContextp(&context_);");
  line("    model_.final();");
  line("  }");
  if (variant == BindingVariant::Held) {
    line("  void eval() override {");
    line("    context_.timeInc(1);");
    line("    model_.load_i ^= 1;");
    line("    model_.eval();");
    line("  }");
    line("  [[nodiscard]] bool holds_inputs() const override { return true; }");
    line("  void step() override {");
    line("    model_.clk_i = 0;");
    line("    context_.timeInc(1);");
    line("    model_.eval();");
    line("    model_.clk_i = 1;");
    line("    eval();");
    line("  }");
  } else {
    line("  void eval() override {");
    line("    context_.timeInc(1);");
    line("    model_.eval();");
    line("  }");
  }
  line("  void set_time(uint64_t time) override {");
  line("    if (time > context_.time()) context_.time(time);");
  line("  }");
  line("  [[nodiscard]] std::span<const Pin> pins() const override { return pins_; }");
  if (has_waves) {
    line("  void open_wave(WaveSink& sink) override {");
    line("    file_.sink = &sink;");
    line("    model_.trace(&wave_, 99);");
    line("    wave_.open(\"sink\");");
    line("  }");
    line("  [[nodiscard]] bool has_wave() const override { return file_.sink != nullptr; }");
    line("  void dump_wave(uint64_t time) override { wave_.dump(time); }");
    line("  void close_wave() override { wave_.close(); }");
  }
  line(" private:");
  line("  static VerilatedContext* set_up(VerilatedContext& context, const RtlOptions& options) {");
  if (has_waves) line("    context.traceEverOn(true);  // for $dumpvars too");
  line("    context.randReset(2);");
  line("    context.randSeed(options.reset_seed);");
  line("    return &context;");
  line("  }");
  line("  VerilatedContext context_;");
  fmt::format_to(Text(text), "  {} model_;\n", prefix);
  if (has_waves) {
    line("  SinkFile file_;");
    line("  VerilatedVcdC wave_{&file_};");
  }
  line("  std::vector<Pin> pins_;");
  line("};");
  line("}  // namespace");
  fmt::format_to(Text(text), "std::unique_ptr<RtlBlock> make_{}(const RtlOptions& options) {{\n", prefix);
  line("  return std::make_unique<Block>(options);");
  line("}");
  line("}  // namespace vernier::cosim");
  return text;
}

std::string rtl_holder(const spec::RtlBlock& block, int lanes) {
  const auto range = [&](const spec::RtlPort& port) {
    const int bits = port.bits(lanes);
    return bits == 1 ? std::string() : fmt::format("[{}:0] ", bits - 1);
  };
  const auto is_held = [](const spec::RtlPort& port) {
    return !port.is_output && port.name != "clk_i" && port.name != "rst_ni";
  };
  std::string text, registers, loads, connections;
  for (const spec::RtlPort& port : block.ports) {
    fmt::format_to(Text(text), ",\n  {} logic {}{}", port.is_output ? "output" : "input", range(port), port.name);
    fmt::format_to(Text(connections), "{}    .{}({}{})", connections.empty() ? "" : ",\n", port.name, port.name,
                   is_held(port) ? "_held" : "");
    if (!is_held(port)) continue;
    fmt::format_to(Text(registers), "  logic {}{}_held;\n", range(port), port.name);
    fmt::format_to(Text(loads), "    {0}_held <= {0};\n", port.name);
  }
  return fmt::format(
      "// Generated by specgen.\nmodule {0}_held (\n  /*verilator tracing_off*/\n  input logic load_i{1}\n);\n{2}\n"
      "  always_ff @(edge load_i) begin\n{3}  end\n\n  /*verilator tracing_on*/\n  {0} #(.Lanes({4})) {0} (\n{5}\n  );\n"
      "endmodule\n",
      block.name, text, registers, loads, lanes, connections);
}

}  // namespace vernier::gen
