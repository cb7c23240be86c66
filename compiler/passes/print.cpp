// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/program.hpp"
#include "hw/base/checksum.hpp"
#include "hw/package/command_codec.hpp"

#include <array>
#include <iterator>

namespace vernier::passes {
namespace {

constexpr std::array<std::string_view, 5> kKindNames{"feature-map", "weights", "parameters", "table", "constant"};
constexpr std::array<std::string_view, 9> kFieldNames{"input",  "weights",     "parameters", "addend", "output",
                                                      "source", "destination", "indices",    "stream"};

void print_production(std::string& out, const Production& production, const ir::Graph& graph) {
  fmt::format_to(std::back_inserter(out), "    makes {} {}+{}", graph.tensor(production.tensor).name,
                 base::to_string(production.begin), base::to_string(production.extent));
  if (production.row_dim >= 0) fmt::format_to(std::back_inserter(out), " rows={}", production.row_dim);
  if (production.channel_dim >= 0) fmt::format_to(std::back_inserter(out), " channels={}", production.channel_dim);
  out += '\n';
}

void print_step(std::string& out, const Step& step, size_t index, const ir::Graph& graph) {
  fmt::format_to(std::back_inserter(out), "step {}: {}\n   ", index, package::print(step.command));
  for (const Operand& operand : step.operands) {
    fmt::format_to(std::back_inserter(out), " {}", kFieldNames[static_cast<size_t>(operand.field)]);
    if (operand.field == AddressField::Stream0) fmt::format_to(std::back_inserter(out), "{}", operand.stream_idx);
    fmt::format_to(std::back_inserter(out), "=%{}", operand.buffer);
  }
  for (const BufferId table : step.tables) fmt::format_to(std::back_inserter(out), " table=%{}", table);
  out += step.can_split_rows ? "\n    for" : " whole\n    for";
  for (const ir::OpId op : step.ops) {
    fmt::format_to(std::back_inserter(out), " {}#{}", ir::to_string(graph.operators[op].kind), op);
  }
  out += '\n';
  for (const cost::Alternatives& choice : step.choices) {
    if (cost::is_choice(choice)) out += cost::print(choice, "    ");
  }
  for (const Production& production : step.productions) print_production(out, production, graph);
}

}  // namespace

std::string print(const Program& program, const ir::Graph& graph) {
  std::string out;
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const Buffer& buffer = program.buffers[i];
    fmt::format_to(std::back_inserter(out), "buffer %{} {} {} bytes '{}'{}{}", i,
                   kKindNames[static_cast<size_t>(buffer.kind)], buffer.size_bytes, buffer.name,
                   buffer.is_filled_at_start ? " input" : "", buffer.is_read_at_end ? " output" : "");
    if (buffer.is_constant()) fmt::format_to(std::back_inserter(out), " crc32={:08x}", base::crc32(buffer.contents));
    out += '\n';
  }
  for (size_t i = 0; i < program.steps.size(); ++i) print_step(out, program.steps[i], i, graph);
  for (const package::FoldedTensor& tensor : program.folded) {
    fmt::format_to(std::back_inserter(out), "folded {}: {}\n", tensor.name, tensor.reason);
  }
  return out;
}

}  // namespace vernier::passes
