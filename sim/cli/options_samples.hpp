// SPDX-License-Identifier: Apache-2.0
// Options of `vernier run` for many inputs.
#pragma once

#include "sim/cli/options.hpp"

#include <optional>
#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): the name of the library
class App;
}

namespace vernier::cli {

/// As given.
struct SampleTexts {
  std::optional<std::string> inputs, labels, expected;
  std::optional<std::string> float_outputs;
};

void add_sample_options(CLI::App& sub, SampleTexts& texts);
/// UserError where an option goes with --inputs, which is not given.
std::optional<flow::SamplesRequest> samples_of(const SampleTexts& texts);

}  // namespace vernier::cli
