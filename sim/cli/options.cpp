// SPDX-License-Identifier: Apache-2.0
// The commands and options that there are. What is said of mistakes is in options_words.cpp, what texts mean in
// options_values.cpp.
// Long because: every command of the command line has its few lines here.
#include "sim/cli/options.hpp"

#include "hw/base/error.hpp"
#include "sim/cli/command_line.hpp"
#include "sim/cli/options_control.hpp"
#include "sim/cli/options_dump.hpp"
#include "sim/cli/options_encodings.hpp"
#include "sim/cli/options_help.hpp"
#include "sim/cli/options_interleave.hpp"
#include "sim/cli/options_quantize.hpp"
#include "sim/cli/options_replay.hpp"
#include "sim/cli/options_rtl.hpp"
#include "sim/cli/options_samples.hpp"
#include "sim/cli/options_traces.hpp"
#include "sim/cli/options_values.hpp"
#include "sim/cli/options_words.hpp"
#include "sim/cli/outputs.hpp"
#include "sim/flow/files/version.hpp"
#include "sim/flow/run/run_table.hpp"

#include <CLI/CLI.hpp>

#include <limits>

namespace vernier::cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  vernier run my.tosa --config v64\n"
    "      simulate on v64, check every output element, report\n"
    "  vernier estimate a.tosa b.tosa --memory external --sram-bytes 256KiB,1MiB\n"
    "      one table of four runs\n"
    "  vernier compile my.tosa -o my.vnpu && vernier disasm my.vnpu --layer 3\n"
    "      the commands of a layer";

constexpr int64_t kMostJobs = 1024;
constexpr const char* kNetworkText = "a network (.tflite, .tosa, .mlir, quantized .onnx)";
constexpr const char* kModelText = "a network (.tflite, .tosa, .mlir, .onnx) or a package (.vnpu)";
constexpr int64_t kMostBatch = std::numeric_limits<int32_t>::max();

/// `least` and `most` are for the message about other text; who takes the number checks its range.
template <typename Number>
CLI::Validator whole_number(Number least = 0, Number most = std::numeric_limits<Number>::max()) {
  return {[least, most](const std::string& text) { return complaint_about_number(text, least, most); }, ""};
}

/// `run` and `estimate`: what they share with each of several runs, and what differs.
struct RunTexts {
  RunOptions options;  // without model and machine
  std::vector<std::string> models;
  MachineTexts machine;
  std::optional<int64_t> jobs;
  TraceTexts traces;
  std::optional<std::string> injection;
  InterleaveTexts interleave;
  SampleTexts samples;
};

struct Parser {
  CLI::App app{"Vernier: compiles TOSA networks for an int8/int16 NPU, simulates and checks them", "vernier"};
  RunTexts run, estimate;
  TraceTexts cosim_traces;
  MachineTexts compile_machine, dump_machine, explain_machine, inspect_machine, cosim_machine, convert_machine,
      verify_machine;
  CompileCommand compile;
  DisasmCommand disasm;
  DumpTexts dump;
  ExplainCommand explain;
  InspectCommand inspect;
  ConfigCommand config;
  CosimCommand cosim;
  ConvertCommand convert;
  QuantizeCommand quantize, dequantize;
  EncodingsTexts encodings;
  CompareCommand comparison;
  VerifyCommand verification;
  std::vector<std::string> help_words;
  CLI::App* run_app = command("run", "compile, simulate, check against the reference");
  CLI::App* estimate_app = command("estimate", "cycles and bytes of run, without computing values");
  CLI::App* compile_app = command("compile", "compile MODEL to a package");
  CLI::App* disasm_app = command("disasm", "print every command of a package");
  CLI::App* dump_app = command("dump", "inner tensors and SRAM, as the machine holds them");
  CLI::App* explain_app = command("explain", "one layer: choices, places, cycles, what helps");
  CLI::App* inspect_app = command("inspect", "operators, types, sizes, and what runs where");
  CLI::App* cosim_app = command("cosim", "RTL of a unit or a network against the model");
  CLI::App* convert_app = command("convert", "a network to a TOSA flatbuffer");
  CLI::App* quantize_app = command("quantize", "float32 to integers, as TensorFlow's QuantizeV2");
  CLI::App* dequantize_app = command("dequantize", "and back, as TensorFlow's Dequantize");
  CLI::App* encodings_app = command("encodings", "encodings files of AIMET: check, convert, export");
  CLI::App* compare_app = command("compare", "reports of several runs beside each other");
  CLI::App* verify_app = command("verify", "tests of the TOSA conformance suite");
  CLI::App* config_app = command("config", "the machines: list, show NAME, check FILE");
  CLI::App* config_list_app = command("list", "names of the presets", config_app);
  CLI::App* config_show_app = command("show", "every value of a preset or a TOML file", config_app);
  CLI::App* config_check_app = command("check", "whether a TOML file is a legal configuration", config_app);
  CLI::App* version_app = command("version", "the same as --version");
  CLI::App* help_app = command("help", "the same as --help; also: help config show");

  Parser() {
    app.set_version_flag("--version", version_text());
    app.require_subcommand(0, 1);
    app.allow_extras();
    app.footer(kExamples);
    add_run();
    add_estimate();
    compile_app->add_option("MODEL", compile.model, kNetworkText)->required();
    add_machine_options(*compile_app, compile_machine);
    compile_app->add_option("-o,--output", compile.output, "FILE.vnpu");
    compile_app->add_option("--dump", compile.stage, "print a stage: ir, schedule or stream");
    compile_app->add_flag("-q,--quiet", compile.is_quiet, "say nothing");
    disasm_app->add_option("PACKAGE", disasm.package, "FILE.vnpu")->required();
    disasm_app->add_option("--layer", disasm.layer, "only of this layer: its name, shortened name or number");
    disasm_app->add_option("--unit", disasm.unit, "only of this unit: mac, vec or dma");
    disasm_app->add_option(
        "--cycles", disasm.cycles,
        "the JSON report of a run of the package: says below each command when it ran and what its cycles were");
    add_repeatable(*disasm_app, "--report", disasm.reports,
                   "the commands as JSON: FILE.json, or - for standard output; of a run's report, the same as --cycles");
    dump_app->add_option("MODEL", dump.command.model, kModelText)->required();
    add_machine_options(*dump_app, dump_machine);
    add_dump_options(*dump_app, dump);
    explain_app->add_option("MODEL", explain.model, kModelText)->required();
    explain_app->add_option("--layer", explain.layer, "the layer: its name, shortened name or number");
    add_machine_options(*explain_app, explain_machine);
    add_repeatable(*explain_app, "--report", explain.reports, "the same as JSON: FILE.json, or - for standard output");
    explain_app->add_flag("-v,--verbose", explain.is_verbose, "all of it; without, the text has at most 60 lines");
    inspect_app->add_option("MODEL", inspect.model, kModelText)->required();
    add_machine_options(*inspect_app, inspect_machine);
    add_cosim();
    add_convert();
    dequantize.is_dequantize = true;
    add_quantize_options(*quantize_app, quantize);
    add_quantize_options(*dequantize_app, dequantize);
    add_encodings_commands(*encodings_app, encodings);
    compare_app
        ->add_option("REPORT.json", comparison.files,
                     "reports of run or estimate; the first is what the others are compared with")
        ->required();
    add_repeatable(*compare_app, "--report", comparison.reports,
                   "FILE.json, FILE.html (to look at), or - for JSON on standard output");
    add_verify();
    config_app->require_subcommand(0, 1);
    config_show_app->add_option("NAME", config.name, "preset or FILE.toml")->required();
    config_check_app->add_option("FILE", config.name, "FILE.toml")->required();
    help_app->add_option("COMMAND", help_words, "a command");
    arrange_help(app);
  }

  static std::string version_text() { return "vernier " + flow::tool_version(); }

  CLI::App* command(const std::string& name, const std::string& description, CLI::App* parent = nullptr) {
    CLI::App* sub = (parent == nullptr ? app : *parent).add_subcommand(name, description);
    sub->allow_extras();
    return sub;
  }

  static void add_machine_options(CLI::App& sub, MachineTexts& texts) {
    sub.add_option("--config", texts.config, "preset (v64, v256, v1024, ...) or FILE.toml; default v256");
    sub.add_option("--memory", texts.memory,
                   "sram, weights-external or external; default: the configuration's, or the next one that has room");
    sub.add_option("--sram-bytes", texts.sram_bytes,
                   "size of the SRAM: 65536, 0x10000, 64e3, 64KB, 64KiB; default: the configuration's");
    add_repeatable(sub, "--set", texts.sets,
                   "KEY=VALUE: a value of the configuration, such as clock_hz=500000000; 'vernier config show' lists them");
    sub.add_option("--optimize", texts.optimize, "0: an operator at a time; 1: fusion and overlap (default)");
    add_graph_options(sub, texts);
  }

  /// How the file of a network is read.
  static void add_graph_options(CLI::App& sub, MachineTexts& texts) {
    sub.add_option("--level", texts.level, "TOSA level: 8k (default) or none");
    sub.add_option("--batch", texts.batch, "first dimension of inputs where the network leaves it open; default 1")
        ->check(whole_number<int64_t>(1, kMostBatch));
    sub.add_option("--encodings", texts.encodings, "an encodings file of AIMET, for a float ONNX network");
    sub.add_option("--signature", texts.signature, "which one of a .tflite; its inputs and outputs have its names");
    sub.add_option("--tflite-rounding", texts.tflite_rounding,
                   "whose arithmetic a .tflite has: litert-ref (default), litert-ref-int or xnnpack");
    add_repeatable(sub, "--shape", texts.ends.shapes, "NAME=1x3x32x32: of an input with other dimensions open");
    add_repeatable(sub, "--input-format", texts.ends.input_formats,
                   "NAME:scale=S,zero_point=Z,bits=B,signed=1: codes of a float input that the network does not quantize");
    add_repeatable(sub, "--quantize", texts.ends.quantizations,
                   "NAME:mode=M,type=T,min=A,max=B,...: floats for an input of integers, by TensorFlow's QuantizeV2");
  }

  void add_run() {
    RunOptions& options = run.options;
    run_app->add_option("MODEL", run.models, kModelText)->required();
    add_machine_options(*run_app, run.machine);
    run_app->add_option("--backend", options.backend,
                        "sim (default); rtl: values come from the RTL that there is; reference: no machine");
    add_control_options(*run_app, options);
    add_rtl_options(*run_app, options.rtl, "with --backend rtl: ");
    add_rtl_scope_option(*run_app, options.rtl, "with --backend rtl: ");
    add_rtl_memory_option(*run_app, options.rtl, "with --backend rtl: ");
    run_app->add_flag("--no-check", options.no_check, "do not run the reference");
    run_app->add_flag("--check-all", options.check_all,
                      "compare every tensor that the program materialises, not only outputs");
    add_repeatable(*run_app, "--input", options.inputs, "[NAME=]FILE.npy; default: random from --seed");
    add_sample_options(*run_app, run.samples);
    run_app->add_option("--seed", options.seed, "of generated inputs; default 1")->check(whole_number<uint64_t>());
    run_app->add_option("--iterations", options.iterations, "jobs to run one after the other; default 1")
        ->check(whole_number<int64_t>(1, flow::kMostIterations));
    add_repeatable(*run_app, "--carry", options.carries,
                   "OUTPUT=INPUT: an output becomes this input of the next iteration, as the state of a streaming network");
    add_repeatable(*run_app, "--variable", options.variables,
                   "NAME=FILE.npy: the value of a variable before the first iteration; default what the network says, or 0");
    run_app->add_option("--inject", run.injection,
                        "UNIT:KIND@CYCLE[:INDEX[:BIT]]: one fault, " + flow::kinds_text() + "; with --check-all");
    run_app->add_flag("--no-rerun", options.no_rerun, "after a mismatch, do not run once more with waves around it");
    run_app->add_option("--output-dir", options.output_dir, "write the outputs there as TENSOR.npy");
    add_interleave_options(*run_app, run.interleave);
    add_report_options(*run_app, run);
  }

  void add_estimate() {
    estimate_app->add_option("MODEL", estimate.models, kModelText)->required();
    add_machine_options(*estimate_app, estimate.machine);
    add_control_options(*estimate_app, estimate.options);
    add_interleave_options(*estimate_app, estimate.interleave);
    add_report_options(*estimate_app, estimate);
    estimate.options.values = false;
    estimate.options.no_check = true;
  }

  void add_cosim() {
    cosim_app->add_option(
        "UNIT|MODEL", cosim.subject,
        "rescale, table, mac_array, datapath, vector or core, with random operands; or a TOSA flatbuffer or a package, "
        "each command of which runs on the RTL that there is");
    add_machine_options(*cosim_app, cosim_machine);
    cosim_app->add_option("--vectors", cosim.vectors, "of a UNIT: results to compare, up to 1000000000; default 100000")
        ->check(whole_number<int64_t>(1, 1'000'000'000));
    cosim_app->add_option("--seed", cosim.seed, "of operands, stalls and resets; of the inputs of a MODEL; default 1")
        ->check(whole_number<uint64_t>());
    add_repeatable(*cosim_app, "--input", cosim.inputs, "of a MODEL: [NAME=]FILE.npy; default: random from --seed");
    cosim_app->add_option("--output-dir", cosim.output_dir, "of a MODEL: write the outputs there as TENSOR.npy");
    add_repeatable(*cosim_app, "--report", cosim.reports, "FILE.json, or - for standard output");
    add_rtl_options(*cosim_app, cosim.rtl, "");
    add_replay_options(*cosim_app, cosim);
    add_trace_options(*cosim_app, cosim_traces);
  }

  void add_convert() {
    convert_app->add_option("MODEL", convert.model, kNetworkText)->required();
    convert_app->add_option("-o,--output", convert.output,
                            "OUT.tosa (a flatbuffer of TOSA 1.0) or OUT.mlir (the same as MLIR text)");
    add_graph_options(*convert_app, convert_machine);
    convert_app->add_flag("-q,--quiet", convert.is_quiet, "say nothing");
    convert_app->footer("A file of TOSA 1.0 in which nothing has to change is copied, byte for byte.");
  }

  void add_verify() {
    add_repeatable(*verify_app, "--desc", verification.descs,
                   "FILE/desc.json, a test of the suite, or a folder with tests in it or below");
    verify_app->add_option("--backend", verification.backend, "sim (default) or reference");
    add_machine_options(*verify_app, verify_machine);
    verify_app->add_option("--output-dir", verification.output_dir,
                           "of one test: its outputs; default: beside its desc.json");
    add_repeatable(*verify_app, "--report", verification.reports,
                   "how each test ended: FILE.json, or - for standard output");
    verify_app->add_flag("-q,--quiet", verification.is_quiet, "of several tests no summary");
    verify_app->add_flag("-v,--verbose", verification.is_verbose, "of several tests a line for each");
    verify_app->footer(
        "Exit codes of one test: 0, 1 (TOSA calls the result unpredictable), 2 (an error).\n"
        "Of several: 0 where each ended as its desc.json expects, else 3.");
  }

  static void add_report_options(CLI::App& sub, RunTexts& texts) {
    add_trace_options(sub, texts.traces);
    add_repeatable(
        sub, "--report", texts.options.reports,
        "FILE.json, FILE.csv, FILE.html (to look at), FILE.mx.json (for Model Explorer), or - for JSON on standard output");
    sub.add_option("--jobs", texts.jobs, "of several runs or --inputs, how many at once; default: the number of processors")
        ->check(whole_number<int64_t>(1, kMostJobs));
    sub.add_flag("-q,--quiet", texts.options.is_quiet, "one line instead of the table");
    sub.add_flag("-v,--verbose", texts.options.is_verbose, "also list the folded tensors and the approximations");
    sub.footer(
        "Several MODELs, and lists such as --config v64,v256 --memory sram,external\n"
        "--sram-bytes 64KiB,1MiB --set clock_hz=5e8,1e9, make one table of all\n"
        "combinations.");
  }

  Command result() {
    refuse_extras(app);
    if (run_app->parsed()) return runs_of(*run_app, run);
    if (estimate_app->parsed()) return runs_of(*estimate_app, estimate);
    if (compile_app->parsed()) return compile_result();
    if (disasm_app->parsed()) {
      require_positionals(*disasm_app);
      if (disasm.unit) check_choice("--unit", *disasm.unit, {"mac", "vec", "dma", "mac_array", "vector_unit"});
      return disasm;
    }
    if (dump_app->parsed()) {
      require_positionals(*dump_app);
      dump.command.machine = machine_of(dump_machine);
      return dump_result(dump);
    }
    if (explain_app->parsed()) {
      require_positionals(*explain_app);
      if (explain.layer.empty()) throw base::UserError("explain", "needs --layer NAME; 'vernier inspect' lists the layers");
      explain.machine = machine_of(explain_machine);
      return explain;
    }
    if (inspect_app->parsed()) {
      require_positionals(*inspect_app);
      inspect.machine = machine_of(inspect_machine);
      return inspect;
    }
    if (cosim_app->parsed()) {
      require_positionals(*cosim_app);
      check_cosim_subject(cosim);
      if (cosim.replay && cosim_app->count("--seed") > 0)
        throw base::UserError("--seed", "cannot go with --replay: the file has all that is needed");
      cosim.machine = machine_of(cosim_machine);
      cosim.traces = traces_of(cosim_traces);
      flow::check_rtl_choice(cosim.rtl, !cosim.traces.waves.empty());
      return cosim;
    }
    if (convert_app->parsed()) return convert_result();
    if (quantize_app->parsed()) return quantize_result(*quantize_app, quantize);
    if (dequantize_app->parsed()) return quantize_result(*dequantize_app, dequantize);
    if (encodings_app->parsed()) return encodings_result(*encodings_app, encodings);
    if (compare_app->parsed()) return understood(*compare_app, comparison);
    if (verify_app->parsed()) {
      refuse_extras(*verify_app);
      if (verification.descs.empty()) throw base::UserError("verify", "needs --desc FILE/desc.json, or a folder of tests");
      verification.machine = machine_of(verify_machine);
      return verification;
    }
    if (config_app->parsed()) return config_result();
    if (version_app->parsed()) return understood(*version_app, PrintAndExit{version_text() + "\n"});
    if (help_app->parsed()) return help_result();
    return PrintAndExit{app.help()};
  }

 private:
  /// Nothing is left over, and what the command works on is there.
  template <typename T>
  static Command understood(const CLI::App& sub, T value) {
    require_positionals(sub);
    return value;
  }

  static Command runs_of(const CLI::App& sub, const RunTexts& texts) {
    require_positionals(sub);
    RunOptions options = texts.options;
    if (texts.jobs) check_range("--jobs", *texts.jobs, 1, kMostJobs);
    options.traces = traces_of(texts.traces);
    options.samples = samples_of(texts.samples);
    options.float_outputs = texts.samples.float_outputs;
    options.jobs = texts.jobs;
    if (texts.injection) {
      options.injection = flow::parse_injection(*texts.injection);
      if (!options.no_check) options.check_all = true;
    }
    for (const std::string& model : texts.models) {
      options.model = model;
      flow::check_request(with_files(options));
    }
    if (options.is_quiet && options.is_verbose) throw base::UserError("--verbose", "cannot go with --quiet");
    const std::vector<MachineOptions> machines = machines_of(texts.machine);
    if (auto interleaved = interleave_of(texts.interleave, options, texts.models, machines)) return *interleaved;
    if (texts.models.size() * machines.size() == 1) {
      options.machine = machines.front();
      return options;
    }
    SeveralRuns several{flow::combinations(options, texts.models, machines), texts.jobs, options.reports, options.is_quiet,
                        options.is_verbose};
    flow::check_several(several.runs, {});
    return several;
  }

  /// With the reports that are files.
  static RunOptions with_files(RunOptions options) {
    options.report_files = take_reports(options.reports).files;
    return options;
  }

  Command compile_result() {
    require_positionals(*compile_app);
    compile.machine = machine_of(compile_machine);
    if (!compile.stage.empty()) check_choice("--dump", compile.stage, {"ir", "schedule", "stream"});
    if (compile.stage.empty() && compile.output.empty())
      throw base::UserError("compile", "needs -o FILE.vnpu or --dump ir|schedule|stream");
    return compile;
  }

  Command convert_result() {
    require_positionals(*convert_app);
    convert.machine = machine_of(convert_machine);
    if (convert.output.empty()) throw base::UserError("convert", "needs -o OUT.tosa or -o OUT.mlir");
    return convert;
  }

  static Command quantize_result(const CLI::App& sub, const QuantizeCommand& command) {
    check_quantize_options(sub, command);
    return command;
  }

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

  Command help_result() const {
    refuse_extras(*help_app);
    const CLI::App& topic = find_command(app, help_words);
    // help() would be that of the command which was given: this one.
    const std::string name = path_of(topic);
    return PrintAndExit{topic.get_formatter()->make_help(&topic, name, CLI::AppFormatMode::Normal)};
  }
};

}  // namespace

Command parse_command_line(int argc, const char* const* argv) {
  Parser parser;
  try {
    parser.app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return PrintAndExit{parser.app.help()};
  } catch (const CLI::CallForVersion&) {
    return PrintAndExit{Parser::version_text() + "\n"};
  } catch (const CLI::RequiredError&) {
    return parser.result();  // says what is wrong, or missing
  } catch (const CLI::ParseError& error) {
    refuse(error);
  }
  Command command = parser.result();
  if (auto* run = std::get_if<RunOptions>(&command)) run->command_line = quoted_command_line(argc, argv);
  return command;
}

}  // namespace vernier::cli
