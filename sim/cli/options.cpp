// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/options.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>
#include <type_traits>

namespace vernier::cli {
namespace {

/// A whole number that fits: CLI11 itself wraps what is negative and takes the nearest for what is too large.
template <typename Number>
CLI::Validator whole_number() {
  const auto complaint = [](const std::string& text) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() && !text.empty()
               ? std::string()
               : fmt::format("'{}' is not a whole number {} {}", text, std::is_signed_v<Number> ? "up to" : "from 0 to",
                             std::numeric_limits<Number>::max());
  };
  return {complaint, ""};
}

void add_machine_options(CLI::App& app, MachineOptions& options) {
  app.add_option("--config", options.config, "preset (v64, v256, v1024, ...) or FILE.toml; default v256");
  app.add_option("--memory", options.memory, "sram, weights-external or external; default: the configuration's");
  app.add_option("--sram-bytes", options.sram_bytes, "size of the SRAM; default: the configuration's")
      ->check(whole_number<int64_t>());
  app.add_option("--optimize", options.optimize, "0: an operator at a time; 1: fusion and overlap (default)")
      ->check(whole_number<int64_t>());
  app.add_option("--level", options.level, "TOSA level: 8k (default) or none");
}

/// "vernier config show": the words that lead to a command.
std::string path_of(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : path_of(*app.get_parent()) + " " + app.get_name();
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) names.push_back(sub->get_name());
  return names;
}

/// The name of a command's one positional argument: MODEL; empty where it takes none.
std::string positional_of(const CLI::App& app) {
  const auto options = app.get_options([](const CLI::Option* option) { return option->get_positional(); });
  return options.empty() ? "" : options.front()->get_name();
}

/// The first thing that was not understood, as a UserError.
void refuse_extras(const CLI::App& app) {
  std::vector<std::string> extras = app.remaining();
  std::erase(extras, "--");  // what follows it is no option
  if (extras.empty()) return;
  const std::string name = extras.front().substr(0, extras.front().find('='));
  const std::string subject = app.get_parent() == nullptr ? "command line" : app.get_name();
  const std::string help = fmt::format("'{} --help' lists what there is", path_of(app));
  if (name.size() > 1 && name.front() == '-') {
    std::vector<std::string> known;
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& option_name : option->get_lnames()) known.push_back("--" + option_name);
      for (const std::string& option_name : option->get_snames()) known.push_back("-" + option_name);
    }
    throw base::UserError(subject, "no option '{}'{}; {}", name, base::suggestion(name, known), help);
  }
  const std::vector<std::string> commands = subcommand_names(app);
  if (!commands.empty())
    throw base::UserError(subject, "no command '{}'{}; {}", name, base::suggestion(name, commands), help);
  const std::string positional = positional_of(app);
  throw base::UserError(subject, "nothing more is allowed{}, found '{}'; {}",
                        positional.empty() ? "" : " than one " + positional, extras.front(), help);
}

struct Parser {
  CLI::App app{"Vernier: compiles TOSA networks for an int8/int16 NPU, simulates and checks them", "vernier"};
  RunOptions run, estimate;
  CompileCommand compile;
  DisasmCommand disasm;
  InspectCommand inspect;
  ConfigCommand config;
  CLI::App* run_app = nullptr;
  CLI::App* estimate_app = nullptr;
  CLI::App* compile_app = nullptr;
  CLI::App* disasm_app = nullptr;
  CLI::App* inspect_app = nullptr;
  CLI::App* config_app = nullptr;
  CLI::App* config_show_app = nullptr;
  CLI::App* config_check_app = nullptr;
  CLI::App* config_list_app = nullptr;
  CLI::App* help_app = nullptr;
  std::string help_topic;

  Parser() {
    app.set_version_flag("--version", std::string("vernier ") + VERNIER_VERSION);
    app.require_subcommand(0, 1);
    app.allow_extras();
    add_run();
    add_estimate();
    compile_app = app.add_subcommand("compile", "compile MODEL to a package");
    compile_app->add_option("MODEL", compile.model, "a TOSA flatbuffer (.tosa)")->required();
    add_machine_options(*compile_app, compile.machine);
    compile_app->add_option("-o,--output", compile.output, "FILE.vnpu");
    compile_app->add_option("--dump", compile.dump, "print a stage: ir, schedule or stream");
    compile_app->add_flag("-q,--quiet", compile.is_quiet, "say nothing");
    disasm_app = app.add_subcommand("disasm", "print every command of a package");
    disasm_app->add_option("PACKAGE", disasm.package, "FILE.vnpu")->required();
    disasm_app
        ->add_option("--report", disasm.reports, "the commands as JSON: FILE.json, or - for standard output; repeatable")
        ->take_all()
        ->allow_extra_args(false);
    inspect_app = app.add_subcommand("inspect", "what is in MODEL: operators, types, sizes, and what runs where");
    inspect_app->add_option("MODEL", inspect.model, "a TOSA flatbuffer or a package")->required();
    add_machine_options(*inspect_app, inspect.machine);
    config_app = app.add_subcommand("config", "the machines: list, show NAME, check FILE");
    config_app->require_subcommand(0, 1);
    config_list_app = config_app->add_subcommand("list", "names of the presets");
    config_show_app = config_app->add_subcommand("show", "every value of a preset or a TOML file");
    config_show_app->add_option("NAME", config.name, "preset or FILE.toml")->required();
    config_check_app = config_app->add_subcommand("check", "whether a TOML file is a legal configuration");
    config_check_app->add_option("FILE", config.name, "FILE.toml")->required();
    help_app = app.add_subcommand("help", "the same as --help, also of a command: help run");
    help_app->add_option("COMMAND", help_topic, "a command");
    for (CLI::App* sub : {run_app, estimate_app, compile_app, disasm_app, inspect_app, config_app, config_list_app,
                          config_show_app, config_check_app, help_app}) {
      sub->allow_extras();
    }
  }

  void add_run() {
    run_app = app.add_subcommand("run", "compile MODEL, simulate it, check it against the reference, report");
    run_app->add_option("MODEL", run.model, "a TOSA flatbuffer (.tosa) or a package (.vnpu)")->required();
    add_machine_options(*run_app, run.machine);
    run_app->add_option("--backend", run.backend, "sim (default) or reference");
    run_app->add_flag("--no-check", run.no_check, "do not run the reference");
    run_app->add_flag("--check-all", run.check_all, "compare every tensor that the program materialises, not only outputs");
    run_app->add_option("--input", run.inputs, "[NAME=]FILE.npy, repeatable; default: random from --seed")
        ->take_all()
        ->allow_extra_args(false);
    run_app->add_option("--seed", run.seed, "of generated inputs; default 1")->check(whole_number<uint64_t>());
    run_app->add_option("--iterations", run.iterations, "jobs to run one after the other; default 1")
        ->check(whole_number<int64_t>());
    run_app->add_option("--output-dir", run.output_dir, "write the outputs there as TENSOR.npy");
    add_report_options(*run_app, run);
  }

  void add_estimate() {
    estimate_app =
        app.add_subcommand("estimate", "cycles and bytes of MODEL without computing values: those of run, exactly");
    estimate_app->add_option("MODEL", estimate.model, "a TOSA flatbuffer (.tosa) or a package (.vnpu)")->required();
    add_machine_options(*estimate_app, estimate.machine);
    add_report_options(*estimate_app, estimate);
    estimate.values = false;
    estimate.no_check = true;
  }

  static void add_report_options(CLI::App& sub, RunOptions& options) {
    sub.add_option("--report", options.reports, "FILE.json, FILE.csv, or - for JSON on standard output; repeatable")
        ->take_all()
        ->allow_extra_args(false);
    sub.add_flag("-q,--quiet", options.is_quiet, "one line instead of the table");
    sub.add_flag("-v,--verbose", options.is_verbose, "also list the folded tensors and the approximations");
  }

  Command result() {
    refuse_extras(app);
    if (run_app->parsed()) return understood(*run_app, run);
    if (estimate_app->parsed()) return understood(*estimate_app, estimate);
    if (compile_app->parsed()) return understood(*compile_app, compile);
    if (disasm_app->parsed()) return understood(*disasm_app, disasm);
    if (inspect_app->parsed()) return understood(*inspect_app, inspect);
    if (config_app->parsed()) return config_result();
    if (help_app->parsed()) return help_result();
    return PrintAndExit{app.help()};
  }

 private:
  Command config_result() {
    refuse_extras(*config_app);
    if (config_list_app->parsed()) return understood(*config_list_app, config);
    if (config_show_app->parsed()) {
      config.action = ConfigCommand::Action::Show;
      return understood(*config_show_app, config);
    }
    if (config_check_app->parsed()) {
      config.action = ConfigCommand::Action::Check;
      return understood(*config_check_app, config);
    }
    return config;
  }

  Command help_result() {
    refuse_extras(*help_app);
    // app.help() would be that of the command which was given: this one.
    if (help_topic.empty())
      return PrintAndExit{app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal)};
    const std::vector<std::string> names = subcommand_names(app);
    if (std::find(names.begin(), names.end(), help_topic) == names.end()) {
      throw base::UserError("help", "no command '{}'{}; 'vernier --help' lists what there is", help_topic,
                            base::suggestion(help_topic, names));
    }
    return PrintAndExit{app.get_subcommand(help_topic)->help("vernier")};
  }

  /// Nothing is left over, and what the command works on is there.
  template <typename T>
  static Command understood(const CLI::App& sub, T value) {
    refuse_extras(sub);
    for (const CLI::Option* option : sub.get_options([](const CLI::Option* o) { return o->get_positional(); })) {
      const std::string help = fmt::format("'{} --help' lists what there is", path_of(sub));
      if (option->count() == 0) throw base::UserError(sub.get_name(), "{} is missing; {}", option->get_name(), help);
      if (option->as<std::string>().empty())
        throw base::UserError(sub.get_name(), "{} is empty; {}", option->get_name(), help);
    }
    return value;
  }
};

/// What CLI11 found, in our words.
[[noreturn]] void refuse(const CLI::ParseError& error) {
  const std::string text = error.what();
  const size_t colon = text.find(": ");
  const std::string option = text.substr(0, colon);
  if (error.get_name() == "ValidationError" && colon != std::string::npos)
    throw base::UserError(option, text.substr(colon + 2));
  if (error.get_name() == "ArgumentMismatch" && colon != std::string::npos) {
    const bool is_repeated = text.find("At Most 1") != std::string::npos;
    throw base::UserError(option, is_repeated ? "is given more than once" : "has no value");
  }
  throw base::UserError("command line", "{}; 'vernier --help' lists what there is", text);
}

void check_choice(const std::string& option, const std::string& value, const std::vector<std::string>& allowed) {
  if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return;
  std::string list;
  for (const std::string& name : allowed) list += (list.empty() ? "" : ", ") + name;
  throw base::UserError(option, "'{}' is not one of {}{}", value, list, base::suggestion(value, allowed));
}

void validate(const MachineOptions& options) {
  if (options.memory) check_choice("--memory", *options.memory, {"sram", "weights-external", "external"});
  if (options.optimize && (*options.optimize < 0 || *options.optimize > 1))
    throw base::UserError("--optimize", "{} is not one of 0, 1", *options.optimize);
  check_choice("--level", options.level, {"8k", "none"});
}

}  // namespace

Command parse_command_line(int argc, const char* const* argv) {
  Parser parser;
  try {
    parser.app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return PrintAndExit{parser.app.help()};
  } catch (const CLI::CallForVersion&) {
    return PrintAndExit{std::string("vernier ") + VERNIER_VERSION + "\n"};
  } catch (const CLI::RequiredError&) {
    return parser.result();  // says what is wrong, or missing
  } catch (const CLI::ParseError& error) {
    refuse(error);
  }
  Command command = parser.result();
  if (const auto* run = std::get_if<RunOptions>(&command)) {
    validate(run->machine);
    check_choice("--backend", run->backend, {"sim", "reference"});
    if (run->iterations < 1 || run->iterations > 1'000'000)
      throw base::UserError("--iterations", "{} is not in 1 to 1,000,000", run->iterations);
    if (run->no_check && run->check_all) throw base::UserError("--check-all", "cannot go with --no-check");
    if (run->is_quiet && run->is_verbose) throw base::UserError("--verbose", "cannot go with --quiet");
  }
  if (const auto* compile = std::get_if<CompileCommand>(&command)) {
    validate(compile->machine);
    if (!compile->dump.empty()) check_choice("--dump", compile->dump, {"ir", "schedule", "stream"});
    if (compile->dump.empty() && compile->output.empty())
      throw base::UserError("compile", "needs -o FILE.vnpu or --dump ir|schedule|stream");
  }
  if (const auto* inspect = std::get_if<InspectCommand>(&command)) validate(inspect->machine);
  return command;
}

}  // namespace vernier::cli
