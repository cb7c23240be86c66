// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/options_encodings.hpp"

#include "hw/base/error.hpp"
#include "sim/cli/options_values.hpp"
#include "sim/cli/options_words.hpp"

#include <CLI/CLI.hpp>
#include <fmt/ranges.h>

#include <limits>
#include <utility>

namespace vernier::cli {
namespace {

/// Sizes for what the network leaves open.
void add_shape_options(CLI::App& sub, EncodingsTexts& texts) {
  sub.add_option("--batch", texts.batch, "first dimension of inputs where the network leaves it open; default 1")
      ->check([](const std::string& text) {
        return complaint_about_number<int64_t>(text, 1, std::numeric_limits<int32_t>::max());
      });
  add_repeatable(sub, "--shape", texts.shapes, "NAME=1x3x32x32: of an input with other dimensions open");
}

}  // namespace

void add_encodings_commands(CLI::App& app, EncodingsTexts& texts) {
  EncodingsCommand& command = texts.command;
  app.require_subcommand(0, 1);
  CLI::App* check = app.add_subcommand("check", "everything that is wrong with an encodings file");
  check->allow_extras();
  check->add_option("FILE", command.input, "an encodings file of AIMET, JSON")->required();
  check->add_option("--model", command.model, "the float ONNX network that they are for");
  add_shape_options(*check, texts);
  check->footer("Exit code 2 with any error or unsupported entry, 0 with warnings only.");
  CLI::App* convert = app.add_subcommand("convert", "an encodings file to another version");
  convert->allow_extras();
  convert->add_option("FILE", command.input, "an encodings file of AIMET, JSON")->required();
  convert->add_option("-o,--output", command.output, "the file to write");
  convert->add_option("--version", command.version,
                      fmt::format("to write: {}", fmt::join(flow::encodings_versions(), ", ")));
  convert->footer("Says, a line each, what the version cannot say and what had to be assumed.");
  CLI::App* from_model = app.add_subcommand("export", "the encodings of a quantized ONNX network");
  from_model->allow_extras();
  from_model->add_option("MODEL", command.input, "an ONNX network in QDQ form, or of QONNX")->required();
  from_model->add_option("-o,--output", command.output, "the file to write");
  from_model->add_option("--version", command.version,
                         fmt::format("to write: {}", fmt::join(flow::encodings_versions(), ", ")));
  add_shape_options(*from_model, texts);
  from_model->footer("Says, a line each, what encodings cannot say and what had to be assumed.");
}

EncodingsCommand encodings_result(const CLI::App& app, const EncodingsTexts& texts) {
  refuse_extras(app);
  EncodingsCommand command = texts.command;
  MachineTexts machine;
  machine.batch = texts.batch;
  machine.ends.shapes = texts.shapes;
  const MachineOptions network = machine_of(machine);
  command.open = {network.batch, network.shapes};
  const CLI::App* check = app.get_subcommand("check");
  const CLI::App* convert = app.get_subcommand("convert");
  if (check->parsed()) {
    require_positionals(*check);
    for (const auto& [option, is_given] :
         {std::pair("--batch", texts.batch.has_value()), std::pair("--shape", !texts.shapes.empty())}) {
      if (is_given && !command.model) throw base::UserError(option, "is for the network of --model, and there is none");
    }
    return command;
  }
  const CLI::App* from_model = app.get_subcommand("export");
  if (!convert->parsed() && !from_model->parsed())
    throw base::UserError(
        "encodings", "needs a command: check FILE, convert FILE -o OUT --version V, or export MODEL -o OUT --version V");
  const char* name = convert->parsed() ? "convert" : "export";
  require_positionals(convert->parsed() ? *convert : *from_model);
  const std::vector<std::string> versions = flow::encodings_versions();
  if (command.output.empty()) throw base::UserError(name, "needs -o and the file to write");
  if (command.version.empty()) throw base::UserError(name, "needs --version {}", fmt::join(versions, "|"));
  check_choice("--version", command.version, versions);
  command.action = convert->parsed() ? EncodingsCommand::Action::Convert : EncodingsCommand::Action::Export;
  return command;
}

}  // namespace vernier::cli
