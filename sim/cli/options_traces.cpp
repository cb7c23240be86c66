// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/options_traces.hpp"

#include "hw/base/error.hpp"
#include "sim/cli/options_values.hpp"
#include "sim/cli/options_words.hpp"

#include <CLI/CLI.hpp>

#include <limits>

namespace vernier::cli {
namespace {

int64_t cycle_of(const std::string& window, const std::string& text) {
  const std::string complaint = complaint_about_number<int64_t>(text, 0, std::numeric_limits<int64_t>::max());
  if (!complaint.empty() || text.starts_with('-')) {
    throw base::UserError("--wave-window", "'{}' is not FROM:TO, two cycles such as 1000:2000", window);
  }
  return std::stoll(text);
}

flow::WaveWindow wave_window_of(const std::string& text) {
  const size_t colon = text.find(':');
  if (colon == std::string::npos) (void)cycle_of(text, "");
  const flow::WaveWindow window{cycle_of(text, text.substr(0, colon)), cycle_of(text, text.substr(colon + 1))};
  if (window.to_cycle <= window.from_cycle)
    throw base::UserError("--wave-window", "'{}' is empty: TO is the first cycle behind the window", text);
  return window;
}

}  // namespace

void add_trace_options(CLI::App& sub, TraceTexts& texts) {
  add_repeatable(sub, "--wave", texts.options.waves,
                 "FILE.fst or FILE.vcd: the machine's signals, cycle by cycle; FILE.ftr: commands, bursts and tokens as "
                 "transactions; a cycle is a nanosecond");
  sub.add_option("--wave-scope", texts.options.wave_scope, "only signals or transactions of such names: 'npu.mac_array.*'");
  sub.add_option("--wave-window", texts.window, "FROM:TO: only these cycles");
  sub.add_option("--wave-layer", texts.options.wave_layer,
                 "only the cycles of this layer: its name, shortened name or number");
  add_repeatable(sub, "--timeline", texts.options.timelines,
                 "FILE.perfetto-trace or FILE.json: a track for each unit, for ui.perfetto.dev; of a MODEL");
}

flow::TraceOptions traces_of(const TraceTexts& texts) {
  flow::TraceOptions options = texts.options;
  if (texts.window) options.wave_window = wave_window_of(*texts.window);
  if (options.wave_window && options.wave_layer) throw base::UserError("--wave-layer", "cannot go with --wave-window");
  const auto needs_wave = [&](const char* option, bool is_given) {
    if (is_given && options.waves.empty()) throw base::UserError(option, "says what is in a wave, and there is no --wave");
  };
  needs_wave("--wave-scope", options.wave_scope.has_value());
  needs_wave("--wave-window", options.wave_window.has_value());
  needs_wave("--wave-layer", options.wave_layer.has_value());
  return options;
}

}  // namespace vernier::cli
