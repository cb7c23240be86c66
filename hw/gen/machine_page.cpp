// SPDX-License-Identifier: Apache-2.0
#include "hw/gen/machine_page.hpp"

#include "hw/base/error.hpp"
#include "hw/config/machine_config.hpp"
#include "hw/gen/markdown.hpp"
#include "hw/gen/system_texts.hpp"
#include "hw/package/names.hpp"
#include "hw/spec/command_fields.hpp"
#include "hw/spec/status.hpp"

#include <fmt/ranges.h>

#include <iterator>

namespace vernier::gen {
namespace {

using Text = std::back_insert_iterator<std::string>;

void print_presets(std::string& text) {
  text += "\n## Presets\n\n";
  text +=
      "A TOML file starts from a preset (`base = \"v256\"`) and may set the values marked *yes*; the others are the "
      "preset's or\n";
  text += "follow from it. N is the number of lanes.\n\n";
  std::vector<std::vector<config::ConfigValue>> columns;
  std::vector<std::string> cells{"Value"};
  for (const spec::Preset& preset : spec::kPresets) {
    cells.emplace_back(preset.name);
    columns.push_back(config::values_of(config::preset_config(std::string(preset.name), "specgen")));
  }
  cells.insert(cells.end(), {"In a TOML file", "Meaning"});
  heading(text, cells);
  for (size_t i = 0; i < columns.front().size(); ++i) {
    cells = {fmt::format("`{}`", columns.front()[i].key)};
    for (const auto& column : columns) cells.push_back(column[i].value);
    cells.emplace_back(columns.front()[i].is_overridable ? "yes" : "");
    cells.push_back(columns.front()[i].meaning);
    row(text, cells);
  }
}

/// Visitor that prints a row a field, where the packing rule of hw/spec/command_fields.hpp places it.
class FieldRows {
 public:
  explicit FieldRows(std::string& text, int64_t first_word) : text_(text), bits_(first_word * 32) {}

  template <typename T>
  void operator()(const spec::FieldInfo& field, const T& value) {
    spec::BitCounter counter{bits_};
    counter(field, value);
    bits_ = counter.bits;
    const int64_t first = bits_ - field.width_bits;
    const std::string index = field.index < 0 ? "" : fmt::format("[{}]", field.index);
    row(text_, {fmt::format("{}", first / 32), fmt::format("{}:{}", (bits_ - 1) % 32, first % 32),
                fmt::format("`{}{}`", field.name, index), field.is_signed ? "signed" : "unsigned", std::string(field.unit)});
  }

 private:
  std::string& text_;
  int64_t bits_;
};

void fields_heading(std::string& text) { heading(text, {"Word", "Bits", "Field", "Signedness", "Unit"}); }

template <typename Body>
void print_command(std::string& text, std::string_view title, std::string_view about, const Body& body) {
  fmt::format_to(Text(text), "\n### {}: opcode 0x{:02x}\n\n{}\n\n", title, static_cast<int>(spec::opcode_of(body)), about);
  fields_heading(text);
  FieldRows rows(text, 1);
  spec::visit_fields(rows, body);
}

void print_commands(std::string& text) {
  text += "\n## Commands\n\n";
  fmt::format_to(Text(text),
                 "A stream is a sequence of commands of one or more units of {} bytes. Fields stand in 32-bit little-endian "
                 "words, from bit 0;\n"
                 "one that would cross the end of a word starts the next. Padding is zero. What the fields mean is in\n"
                 "`hw/spec/command.hpp`.\n\n### Header: word 0 of every command\n\n",
                 spec::kCommandUnitBytes);
  fields_heading(text);
  FieldRows rows(text, 0);
  const spec::Header header;
  const spec::Opcode opcode{};
  const int64_t units = 0;
  spec::visit_header(rows, header, opcode, units);
  fmt::format_to(Text(text), "\n### end: opcode 0x{:02x}\n\nHas no fields of its own.\n",
                 static_cast<int>(spec::Opcode::End));
  print_command(text, "dma", "An N-dimensional copy, a fill, or the filling of a table slot.", spec::DmaCommand{});
  spec::MacCommand mac;
  mac.residual = true;
  print_command(text, "mac",
                "A stripe of output rows by a block of output channels. The fields from `addend_base` on stand in the "
                "command only with\n"
                "`residual`.",
                mac);
  spec::VectorCommand vector;
  vector.streams.resize(1);
  vector.steps.resize(1);
  print_command(
      text, "vec",
      "A microprogram over vectors. Shown with one stream and one step: the streams follow each other, then the steps.\n"
      "`stream_stride` is numbered through all streams.",
      vector);
}

template <typename Names>
void print_enumeration(std::string& text, std::string_view field, const Names& names) {
  std::vector<std::string> values;
  for (size_t i = 0; i < names.size(); ++i) values.push_back(fmt::format("{} {}", i, names[i]));
  row(text, {fmt::format("{}", field), fmt::format("{}", fmt::join(values, ", "))});
}

void print_enumerations(std::string& text) {
  text += "\n## Values of fields\n\nEvery other value is reserved, and a fault.\n\n";
  heading(text, {"Field", "Values"});
  std::vector<std::string_view> types;
  for (const base::ElementTypeInfo& type : base::kElementTypes) types.push_back(type.name);
  types.pop_back();  // shape is no type of the machine
  print_enumeration(text, "`queue`, and bits of `wait` and `signal`", spec::kQueueNames);
  print_enumeration(text, "types", types);
  print_enumeration(text, "`src_space`, `dst_space`", std::array<std::string_view, 2>{"sram", "external"});
  print_enumeration(text, "`kind`", package::kDmaKindNames);
  print_enumeration(text, "`mode`", package::kMacModeNames);
  print_enumeration(text, "`weight_order`", package::kWeightOrderNames);
  print_enumeration(text, "`rounding`, `step_rounding`", package::kRoundingNames);
  print_enumeration(text, "`step_phase`", package::kPhaseNames);
  print_enumeration(text, "`step_op`", package::kVectorOpNames);
}

void print_faults(std::string& text) {
  text += "\n## Faults\n\nWhat FAULT_CODE holds when the machine stopped by itself.\n\n";
  heading(text, {"Code", "Name", "Meaning", "Looked for by"});
  for (size_t i = 0; i < spec::kFaults.size(); ++i) {
    const spec::FaultKind& fault = spec::kFaults[i];
    row(text, {fmt::format("{}", i), std::string(fault.name), std::string(fault.meaning), std::string(fault.looked_for_by)});
  }
}

}  // namespace

std::string machine_page() {
  std::string text = "# The machine\n\nGenerated by `specgen` from `hw/spec`: change that, then run `specgen .`.\n";
  print_presets(text);
  print_commands(text);
  print_enumerations(text);
  print_system(text);
  print_faults(text);
  return text;
}

}  // namespace vernier::gen
