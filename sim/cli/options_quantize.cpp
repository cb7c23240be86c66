// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/options_quantize.hpp"

#include "hw/base/error.hpp"
#include "sim/cli/options_values.hpp"
#include "sim/cli/options_words.hpp"

#include <CLI/CLI.hpp>

namespace vernier::cli {
namespace {

constexpr int64_t kGreatestAxis = 31;  // numpy has no more dimensions

void require(const CLI::App& app, const std::string& option, const std::string& value, const std::string& allowed) {
  if (value.empty()) throw base::UserError(app.get_name(), "needs {} {}", option, allowed);
}

}  // namespace

void add_quantize_options(CLI::App& app, QuantizeCommand& command) {
  const bool is_back = command.is_dequantize;
  const std::string numpy_types = "int8, uint8, int16, uint16, int32";
  app.add_option("IN.npy", command.input, is_back ? "an array of numpy's type of T: " + numpy_types : "an array of float32")
      ->required();
  app.add_option("--mode", command.mode, "MIN_COMBINED, MIN_FIRST or SCALED");
  app.add_option("--type", command.type, "T: qint8, quint8, qint16, quint16 or qint32");
  app.add_option("--min", command.min, "end of the range: a number; with --axis a .npy file of float32");
  app.add_option("--max", command.max, "as --min");
  app.add_option(
      "--round-mode", command.round_mode,
      is_back ? "allowed as for quantize, without effect" : "HALF_AWAY_FROM_ZERO (default) or, with SCALED, HALF_TO_EVEN");
  app.add_flag("--narrow-range", command.narrow_range, "SCALED without the least code: -127 to 127, 1 to 255");
  const auto is_axis = [](const std::string& text) { return complaint_about_number<int64_t>(text, 0, kGreatestAxis); };
  app.add_option("--axis", command.axis, "a range for each index of this axis, from 0; not with MIN_FIRST")
      ->check(CLI::Validator(is_axis, ""));
  app.add_option("--ensure-minimum-range", command.ensure_minimum_range,
                 is_back ? "allowed as for quantize, without effect"
                         : "least width of the range, in proportion to its larger end; default 0.01");
  app.add_option("-o,--output", command.output,
                 is_back ? "OUT.npy: the numbers, as float32" : "OUT.npy: the codes, as " + numpy_types);
  app.footer(is_back ? "The range is that which quantize printed."
                     : "Prints the range that the codes stand for: output_min and output_max.");
}

void check_quantize_options(const CLI::App& app, const QuantizeCommand& command) {
  require_positionals(app);
  require(app, "--mode", command.mode, "MIN_COMBINED|MIN_FIRST|SCALED");
  require(app, "--type", command.type, "qint8|quint8|qint16|quint16|qint32");
  require(app, "--min", command.min, "(as --max, a number, or a .npy file for an --axis)");
  require(app, "--max", command.max, "(as --min, a number, or a .npy file for an --axis)");
  require(app, "-o", command.output, "OUT.npy");
  flow::check_quantize_choices(command);
}

}  // namespace vernier::cli
