// SPDX-License-Identifier: Apache-2.0
// --rtl and --strict-cycles, which `run` and `cosim` take.
#pragma once

#include "sim/flow/rtl/rtl_choice.hpp"

#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): the name of the library
class App;
}

namespace vernier::cli {

/// Their descriptions begin with `with`.
void add_rtl_options(CLI::App& sub, flow::RtlChoice& choice, const std::string& with);
/// --rtl-memory, which `run` takes.
void add_rtl_memory_option(CLI::App& sub, flow::RtlChoice& choice, const std::string& with);
/// --rtl-scope, which `run` takes.
void add_rtl_scope_option(CLI::App& sub, flow::RtlChoice& choice, const std::string& with);

}  // namespace vernier::cli
