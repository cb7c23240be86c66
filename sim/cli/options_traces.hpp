// SPDX-License-Identifier: Apache-2.0
// What `run` and `estimate` take to look inside: waves and timelines.
#pragma once

#include "sim/flow/look/trace_options.hpp"

#include <optional>
#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): the name of the library
class App;
}

namespace vernier::cli {

/// As given on the command line.
struct TraceTexts {
  flow::TraceOptions options;
  std::optional<std::string> window;
};
void add_trace_options(CLI::App& sub, TraceTexts& texts);
/// UserError for what is no legal value, or has no wave that it is for.
flow::TraceOptions traces_of(const TraceTexts& texts);

}  // namespace vernier::cli
