// SPDX-License-Identifier: Apache-2.0
// A package's command stream as text.
#pragma once

#include "hw/package/package.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace vernier::package {

/// A command as it stands in the stream, or why the stream cannot be read on: then `fault` says it and nothing follows.
struct ListedCommand {
  int64_t command_idx = 0, offset_bytes = 0;
  int32_t layer_idx = -1;
  std::string unit;   // "dma", "mac", "vec", "end"; empty when it cannot be decoded
  std::string text;   // printed; a vector program has lines; empty when it cannot be decoded
  std::string fault;  // empty when there is none
};
/// The commands up to END, of each stream of the package, or to the first one that the machine would refuse; a stream
/// without END has a last entry with neither unit nor text.
std::vector<ListedCommand> list_commands(const Package& package);

struct DisassemblyStyle {
  int64_t width_columns = 0;             // lines are broken between words to fit; 0: never
  std::vector<std::string> layer_names;  // by layer, to stand in the brackets; those of the package where empty
  std::function<bool(const ListedCommand&)> is_wanted{};  // of commands without a fault; all where empty
  std::vector<std::string> remarks{};                     // by command, on a line below it
  bool has_legend = false;                                // what the words mean, of the units that are listed
};

/// A heading and, of a package with control flow, its steps; then each command, with a line before each of several streams:
/// its index, its byte offset in the stream, its layer in brackets, its printed form (a vector program takes a line more for
/// each stream and step, indented by 4), its remark after "    # ". What is broken to fit goes on in a line that is indented
/// by 8. Ends with END; a command that the machine would refuse is followed by one line with the fault, and nothing else.
std::string disassemble(const Package& package, const DisassemblyStyle& style = {});

}  // namespace vernier::package
