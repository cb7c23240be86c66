// SPDX-License-Identifier: Apache-2.0
// A replay as text files for $readmemh, one for each port: docs/reference/replay.md.
#pragma once

#include "sim/cosim/replay/replay.hpp"

#include <string>
#include <vector>

namespace vernier::cosim {

struct VectorFile {
  std::string name;
  std::string text;
};

/// PORT.hex of each port, and vectors.svh with the counts that a bench needs.
std::vector<VectorFile> vector_files(const Replay& replay);

/// A word for each cycle and port of the rescale or the table unit: its inputs, and what has to come out.
struct PortColumn {
  std::string port;
  int64_t bits = 0;
  std::vector<std::string> words;
};
std::vector<PortColumn> input_columns(const LaneReplay& replay, const spec::RtlBlock& unit, int lanes);
std::vector<PortColumn> output_columns(const std::vector<LaneOutputs>& outputs, const spec::RtlBlock& unit, int lanes);

}  // namespace vernier::cosim
