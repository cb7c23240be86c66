// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/options_help.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vernier::cli {
namespace {

/// In the order of the help; options of no group come before them.
constexpr std::array<std::string_view, 7> kGroups{"Model",  "Machine", "Samples", "Check", "RTL", "Waves and timeline",
                                                  "Reports"};
/// Commands with fewer options have no groups.
constexpr size_t kLeastOptionsInGroups = 10;

/// `kind` is what a value is, in place of the type that CLI11 knows; empty: of a flag.
struct OptionHelp {
  std::string_view name, kind, group;
};
constexpr std::array kOptions{
    OptionHelp{"--accumulator", "NAME", "Reports"},
    OptionHelp{"--arrival", "every:CYCLES", "Machine"},
    OptionHelp{"--axis", "N", ""},
    OptionHelp{"--backend", "BACKEND", "Check"},
    OptionHelp{"--batch", "N", "Model"},
    OptionHelp{"--carry", "OUTPUT=INPUT", "Model"},
    OptionHelp{"--check-all", "", "Check"},
    OptionHelp{"--config", "NAME|FILE", "Machine"},
    OptionHelp{"--control", "CONTROL", "Machine"},
    OptionHelp{"--cpu-trace", "FILE", "Waves and timeline"},
    OptionHelp{"--cycles", "FILE", ""},
    OptionHelp{"--dump", "STAGE", "Reports"},
    OptionHelp{"--encodings", "FILE", "Model"},
    OptionHelp{"--ensure-minimum-range", "NUMBER", ""},
    OptionHelp{"--expected", "FOLDER|FILE", "Samples"},
    OptionHelp{"--export-vectors", "FOLDER", "RTL"},
    OptionHelp{"--firmware", "FILE", "Machine"},
    OptionHelp{"--float-outputs", "FOLDER|FILE", "Samples"},
    OptionHelp{"--gdb", "PORT", "Machine"},
    OptionHelp{"--inferences", "N", "Machine"},
    OptionHelp{"--inject", "FAULT", "Check"},
    OptionHelp{"--input", "[NAME=]FILE", "Model"},
    OptionHelp{"--input-format", "NAME:CODES", "Model"},
    OptionHelp{"--inputs", "FOLDER|FILE", "Samples"},
    OptionHelp{"--interleave", "", "Machine"},
    OptionHelp{"--iterations", "N", "Model"},
    OptionHelp{"--jobs", "N", "Reports"},
    OptionHelp{"--labels", "[OUTPUT=]FILE", "Samples"},
    OptionHelp{"--layer", "LAYER", "Reports"},
    OptionHelp{"--level", "LEVEL", "Model"},
    OptionHelp{"--max", "NUMBER|FILE", ""},
    OptionHelp{"--memory", "MODE", "Machine"},
    OptionHelp{"--min", "NUMBER|FILE", ""},
    OptionHelp{"--mode", "MODE", ""},
    OptionHelp{"--model", "FILE", ""},
    OptionHelp{"--no-check", "", "Check"},
    OptionHelp{"--no-rerun", "", "Check"},
    OptionHelp{"--optimize", "N", "Machine"},
    OptionHelp{"--output", "FILE", "Reports"},
    OptionHelp{"--output-dir", "FOLDER", "Reports"},
    OptionHelp{"--quantize", "NAME:RANGE", "Model"},
    OptionHelp{"--quiet", "", "Reports"},
    OptionHelp{"--replay", "FILE", "RTL"},
    OptionHelp{"--report", "FILE", "Reports"},
    OptionHelp{"--round-mode", "MODE", ""},
    OptionHelp{"--rtl", "FOLDER", "RTL"},
    OptionHelp{"--rtl-memory", "MEMORY", "RTL"},
    OptionHelp{"--rtl-scope", "SCOPE", "RTL"},
    OptionHelp{"--seed", "N", "Model"},
    OptionHelp{"--set", "KEY=VALUE", "Machine"},
    OptionHelp{"--shape", "NAME=SHAPE", "Model"},
    OptionHelp{"--signature", "NAME", "Model"},
    OptionHelp{"--sram", "FROM:TO@CYCLE", "Reports"},
    OptionHelp{"--sram-bytes", "BYTES", "Machine"},
    OptionHelp{"--strict-cycles", "", "RTL"},
    OptionHelp{"--tensor", "NAME", "Reports"},
    OptionHelp{"--tflite-rounding", "FLAVOUR", "Model"},
    OptionHelp{"--timeline", "FILE", "Waves and timeline"},
    OptionHelp{"--type", "TYPE", ""},
    OptionHelp{"--unit", "UNIT", ""},
    OptionHelp{"--variable", "NAME=FILE", "Model"},
    OptionHelp{"--vectors", "N", "RTL"},
    OptionHelp{"--verbose", "", "Reports"},
    OptionHelp{"--version", "VERSION", ""},
    OptionHelp{"--wave", "FILE", "Waves and timeline"},
    OptionHelp{"--wave-layer", "LAYER", "Waves and timeline"},
    OptionHelp{"--wave-memories", "", "Waves and timeline"},
    OptionHelp{"--wave-scope", "PATTERN", "Waves and timeline"},
    OptionHelp{"--wave-window", "FROM:TO", "Waves and timeline"},
};

const OptionHelp* find_help(const CLI::Option& option) {
  for (const std::string& name : option.get_lnames()) {
    const auto found =
        std::find_if(kOptions.begin(), kOptions.end(), [&](const OptionHelp& one) { return one.name == "--" + name; });
    if (found != kOptions.end()) return &*found;
  }
  return nullptr;
}

/// The columns that CLI11 leaves to a description on a terminal of 80; it breaks no lines itself.
constexpr size_t kDescriptionColumns = 50;

std::string wrapped(const std::string& text) {
  std::string lines;
  size_t begin = 0;
  while (text.size() - begin > kDescriptionColumns) {
    const size_t space = text.rfind(' ', begin + kDescriptionColumns);
    if (space == std::string::npos || space < begin) break;
    lines += text.substr(begin, space - begin) + '\n';
    begin = space + 1;
  }
  return lines + text.substr(begin);
}

/// CLI11 prints groups in the order in which their first options were added.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    if (mode == CLI::AppFormatMode::Sub) return make_expanded(app);
    return make_description(app) + make_usage(app, std::move(name)) + make_positionals(app) + ordered_groups(app) +
           make_subcommands(app, mode) + "\n" + make_footer(app);
  }

 private:
  [[nodiscard]] std::string ordered_groups(const CLI::App* app) const {
    std::vector<std::string> groups = app->get_groups();
    const auto place = [](const std::string& group) {
      const auto found = std::find(kGroups.begin(), kGroups.end(), group);
      return found == kGroups.end() ? -1 : found - kGroups.begin();
    };
    std::stable_sort(groups.begin(), groups.end(),
                     [&](const std::string& a, const std::string& b) { return place(a) < place(b); });
    std::string text;
    for (const std::string& group : groups) {
      const std::vector<const CLI::Option*> options = app->get_options(
          [&](const CLI::Option* option) { return option->get_group() == group && option->nonpositional(); });
      if (group.empty() || options.empty()) continue;
      text += make_group(group, false, options);
    }
    return text;
  }
};

}  // namespace

void arrange_help(CLI::App& command) {
  command.formatter(std::make_shared<HelpFormatter>());
  const std::vector<CLI::Option*> options = command.get_options();
  const bool has_groups = options.size() >= kLeastOptionsInGroups;
  for (CLI::Option* option : options) {
    option->description(wrapped(option->get_description()));
    if (option->get_positional()) {
      option->type_name("");  // its name says what it is
    } else if (const OptionHelp* help = find_help(*option); help != nullptr) {
      if (option->get_type_size() != 0) option->type_name(std::string(help->kind));
      if (has_groups && !help->group.empty()) option->group(std::string(help->group));
    }
  }
  for (CLI::App* sub : command.get_subcommands([](CLI::App*) { return true; })) arrange_help(*sub);
}

}  // namespace vernier::cli
