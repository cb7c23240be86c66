// SPDX-License-Identifier: Apache-2.0
// What the texts of a command line mean: choices, sizes, lists. Knows nothing of the library that takes a line apart.
#pragma once

#include "hw/base/parse_bytes.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/options_ends.hpp"
#include "sim/flow/model/choices.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace vernier::cli {

/// The machine's options as they stand on the line; those of several runs are lists, "v64,v256".
struct MachineTexts {
  std::optional<std::string> config, memory, sram_bytes, optimize;
  std::string level = "8k";
  std::optional<int64_t> batch;
  std::optional<std::string> encodings, signature, tflite_rounding;
  EndTexts ends;
  std::vector<std::string> sets;  // KEY=VALUE
};

using flow::check_choice;
using flow::check_range;

/// Empty for a whole number that fits, else what is wrong with the text: CLI11 itself wraps what is negative and takes the
/// nearest for what is too large. A number outside `least` to `most` has no complaint; they are for the message.
template <typename Number>
std::string complaint_about_number(const std::string& text, Number least, Number most) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size() && !text.empty()) return "";
  return fmt::format("'{}' is not a whole number from {} to {}", text, least, most);
}

using base::parse_bytes;

/// UserError unless each option has one value, and that is allowed.
MachineOptions machine_of(const MachineTexts& texts);

/// Every combination of a configuration, a memory mode, a size of SRAM and the values of --set, the last changing fastest. A
/// configuration file that is there may have commas in its name.
std::vector<MachineOptions> machines_of(const MachineTexts& texts);

}  // namespace vernier::cli
