// SPDX-License-Identifier: Apache-2.0
// What is in a network, and what becomes of each operator and layer on the machine: `vernier inspect` as values.
#pragma once

#include "compiler/import/import_result.hpp"
#include "hw/base/tensor.hpp"
#include "sim/flow/model/ends.hpp"
#include "sim/flow/model/machine_options.hpp"
#include "sim/flow/model/variables.hpp"
#include "sim/report/report.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vernier::flow {

struct InspectRequest {
  std::string model{};  // file
  MachineOptions machine{};
};

/// All operators of a kind.
struct OperatorCount {
  std::string kind;
  int64_t count = 0, macs = 0;
};

/// The most that is alive at once, an operator at a time in the order of the graph: inputs, outputs and everything computed
/// that is still to be read. Constants are not in it.
struct LivePeak {
  int64_t bytes = 0, op_idx = -1;  // while that operator runs; -1: there is none
  std::string kind{}, result{};    // of the operator
};

struct InspectedNetwork {
  Ends ends{};
  std::vector<OperatorCount> kinds{};  // by name
  int64_t num_operators = 0, num_layers = 0, macs = 0;
  int64_t constant_bytes = 0, largest_map_bytes = 0;
  LivePeak live_peak{};
  std::vector<StartingVariable> variables{};
};

struct InspectedLayer {
  std::optional<int64_t> layer_idx{};  // of the package; none: it has no command of its own
  std::string name{};
  int64_t num_operators = 0, macs = 0, constant_bytes = 0, result_bytes = 0;
  std::string commands{};  // "mac 2, vec 1"
};

struct InspectedOperator {
  std::string kind{}, result{};
  base::ElementType type{};
  base::Shape shape{};  // of the result
  int64_t macs = 0, constant_bytes = 0, result_bytes = 0;
  std::string where{};  // "mac 3-5": the commands that write it or that it is fused into, or why there are none
};

/// The network as commands of a machine.
struct InspectedProgram {
  int64_t optimize = 1, num_commands = 0, sram_peak_bytes = 0, weight_bytes = 0;
  std::string commands{};                // "mac 12, vec 3"
  std::vector<InspectedLayer> layers{};  // those two of a package with its source graph
  std::vector<InspectedOperator> operators{};
};

struct Inspection {
  std::string file{};
  std::string format{};      // "TOSA", "ONNX"; empty: a package
  std::string package_of{};  // the network that a package was compiled from
  std::vector<std::string> notes{}, machine_notes{};
  std::optional<InspectedNetwork> network{};  // none: a package without its source graph
  std::optional<import::TfliteRoundingUse> tflite_rounding{};
  std::vector<import::Rescaling> rescalings{};
  config::MachineConfig config{};
  std::optional<InspectedProgram> program{};
  std::string refusal{};  // without a program: why the network does not run on this machine
};

/// UserError for what is wrong with the file or the options; a network that the machine cannot run is a finding.
Inspection inspect(const InspectRequest& request);

/// For people.
std::string to_text(const Inspection& inspection, const report::TextStyle& style);

}  // namespace vernier::flow
