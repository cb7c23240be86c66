// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/options_dump.hpp"

#include "hw/base/error.hpp"
#include "sim/cli/options_values.hpp"
#include "sim/cli/options_words.hpp"

#include <CLI/CLI.hpp>

#include <limits>
#include <string_view>

namespace vernier::cli {
namespace {

constexpr int64_t kMostCycles = std::numeric_limits<int64_t>::max();

/// A command or a cycle; nothing for text that is no whole number.
std::optional<int64_t> parsed_number(const std::string& text) {
  if (!complaint_about_number<int64_t>(text, 0, kMostCycles).empty() || text.starts_with('-')) return std::nullopt;
  return std::stoll(text);
}

flow::AccumulatorChoice accumulator_of(const std::string& text) {
  constexpr std::string_view kCommand = "command:";
  flow::AccumulatorChoice choice;
  if (text.starts_with('@')) {
    choice.cycle = parsed_number(text.substr(1));
    if (!choice.cycle) throw base::UserError("--accumulator", "'{}' is not @CYCLE, a whole number such as @5000", text);
  } else if (text.starts_with(kCommand)) {
    choice.command_idx = parsed_number(text.substr(kCommand.size()));
    if (!choice.command_idx) throw base::UserError("--accumulator", "'{}' is not command:N, N as in 'vernier disasm'", text);
  } else if (text.empty() || text == "all") {
    throw base::UserError("--accumulator", "'{}' is no one place; allowed are a tensor, a layer, command:N and @CYCLE",
                          text);
  }
  choice.name = text;
  return choice;
}

flow::SramWindow window_of(const std::string& text) {
  const size_t at = text.find('@'), colon = text.find(':');
  if (at == std::string::npos || colon == std::string::npos || at < colon) {
    throw base::UserError("--sram", "'{}' is not FROM:TO@CYCLE, two places in bytes and a cycle such as 0x100:0x200@5000",
                          text);
  }
  flow::SramWindow window;
  window.from_bytes = parse_bytes("--sram", text.substr(0, colon));
  window.to_bytes = parse_bytes("--sram", text.substr(colon + 1, at - colon - 1));
  const std::string cycle = text.substr(at + 1);
  const std::optional<int64_t> number = parsed_number(cycle);
  if (!number) throw base::UserError("--sram", "'{}' is no cycle, a whole number", cycle);
  window.cycle = *number;
  if (window.to_bytes <= window.from_bytes)
    throw base::UserError("--sram", "'{}' is empty: TO is the first byte that is not dumped", text);
  return window;
}

}  // namespace

void add_dump_options(CLI::App& sub, DumpTexts& texts) {
  DumpCommand& command = texts.command;
  sub.add_option("--tensor", command.tensor,
                 "a tensor that a command makes, or an input: its name, or the layer that makes it; or all of them");
  sub.add_option("--sram", texts.sram, "FROM:TO@CYCLE: bytes of SRAM, TO not included, at the end of a cycle");
  sub.add_option("--accumulator", texts.accumulator,
                 "sums of the MAC array before bias and rescale: of a tensor or layer, of command:N (as disasm counts), or "
                 "of the command on the array at @CYCLE");
  sub.add_option(
      "-o,--output", command.output,
      "FILE.npy, FILE.hex ($readmemh of Verilog) or FILE.txt; of all tensors a folder of .npy files; default: text "
      "on standard output");
  add_repeatable(sub, "--input", command.inputs, "[NAME=]FILE.npy; default: random from --seed");
  add_repeatable(sub, "--variable", command.variables,
                 "NAME=FILE.npy: the value of a variable before the job; default what the network says, or 0");
  sub.add_option("--seed", command.seed, "of generated inputs; default 1")->check([](const std::string& text) {
    return complaint_about_number<uint64_t>(text, 0, std::numeric_limits<uint64_t>::max());
  });
  sub.add_flag("-q,--quiet", command.is_quiet, "say nothing");
}

DumpCommand dump_result(const DumpTexts& texts) {
  DumpCommand command = texts.command;
  const int given = (command.tensor ? 1 : 0) + (texts.sram ? 1 : 0) + (texts.accumulator ? 1 : 0);
  if (given != 1) {
    throw base::UserError("dump",
                          "needs one of --tensor NAME|all, --sram FROM:TO@CYCLE and --accumulator NAME|command:N|@CYCLE");
  }
  if (texts.sram) command.sram = window_of(*texts.sram);
  if (texts.accumulator) command.accumulator = accumulator_of(*texts.accumulator);
  const bool is_all = command.tensor == "all";
  if (is_all && command.output.empty()) throw base::UserError("--tensor", "all of them need a folder: -o FOLDER");
  for (const char* ending : {".npy", ".hex", ".txt"}) {
    if (is_all && command.output.ends_with(ending))
      throw base::UserError("-o", "'{}' is a file; --tensor all writes a file for each tensor into a folder",
                            command.output);
  }
  return command;
}

}  // namespace vernier::cli
