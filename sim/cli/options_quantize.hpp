// SPDX-License-Identifier: Apache-2.0
// The options of `vernier quantize` and `vernier dequantize`.
#pragma once

#include "sim/cli/options.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the name of the library
class App;
}  // namespace CLI

namespace vernier::cli {

void add_quantize_options(CLI::App& app, QuantizeCommand& command);
/// UserError unless what must be there is, and each choice is one of those allowed.
void check_quantize_options(const CLI::App& app, const QuantizeCommand& command);

}  // namespace vernier::cli
