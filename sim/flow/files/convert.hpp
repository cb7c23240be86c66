// SPDX-License-Identifier: Apache-2.0
// `vernier convert`: any network that is read, as a TOSA flatbuffer or MLIR text.
#pragma once

#include "sim/flow/model/machine_options.hpp"
#include "sim/flow/observer.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace vernier::flow {

struct ConvertRequest {
  std::string model{};       // file of a network
  MachineOptions machine{};  // how it is read: level, batch, shapes, encodings, formats of its ends
  std::string output{};      // OUT.tosa or OUT.mlir
};

struct ConvertResult {
  bool is_copy = false;  // a file of TOSA 1.0 in which nothing had to change
  int64_t num_operators = 0, file_bytes = 0;
  std::string boundary_file{};       // what the ends stand for, beside the output; empty: they are plain integers
  std::vector<std::string> notes{};  // what was taken for granted
};

/// UserError for what is wrong with the network or the name of the output.
ConvertResult convert(const ConvertRequest& request, const Observer& observer = {});

}  // namespace vernier::flow
