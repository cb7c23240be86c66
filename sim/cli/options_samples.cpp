// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/options_samples.hpp"

#include "hw/base/error.hpp"

#include <CLI/CLI.hpp>

namespace vernier::cli {

void add_sample_options(CLI::App& sub, SampleTexts& texts) {
  sub.add_option("--inputs", texts.inputs,
                 "many inputs: FOLDER of .npy, FILE.npz, or FILE.npy whose first dimension counts the samples; "
                 "a .npy of each output for each of them goes to --output-dir");
  sub.add_option("--labels", texts.labels,
                 "[OUTPUT=]FILE: the class of each of --inputs, a number in each line or .npy; gives top-1 and top-5");
  sub.add_option("--expected", texts.expected,
                 "outputs to compare those of --inputs with: a folder as --output-dir has it, FILE.npz or FILE.npy");
  sub.add_option("--float-outputs", texts.float_outputs,
                 "FOLDER of NAME.npy, or FILE.npz: tensors of the float network for the --input, or the first of --inputs; "
                 "shows layer by layer where accuracy goes");
}

std::optional<flow::SamplesRequest> samples_of(const SampleTexts& texts) {
  const auto check = [&](const char* option, const std::optional<std::string>& text) {
    if (text && !texts.inputs) throw base::UserError(option, "goes with --inputs, which is not given");
    if (text && text->empty()) throw base::UserError(option, "is empty");
  };
  check("--inputs", texts.inputs);
  check("--labels", texts.labels);
  check("--expected", texts.expected);
  if (!texts.inputs) return std::nullopt;
  return flow::SamplesRequest{*texts.inputs, texts.labels, texts.expected, {}};
}

}  // namespace vernier::cli
