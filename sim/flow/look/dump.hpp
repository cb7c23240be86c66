// SPDX-License-Identifier: Apache-2.0
// `vernier dump`: inner tensors, bytes of SRAM or sums of the MAC array, as the machine holds them.
#pragma once

#include "sim/flow/look/memory_dump.hpp"
#include "sim/flow/model/inputs.hpp"
#include "sim/flow/model/machine_options.hpp"
#include "sim/flow/observer.hpp"
#include "sim/flow/run/failure.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace vernier::flow {

struct Model;

/// Bytes of SRAM at the end of a cycle; `to_bytes` is the first that is not meant.
struct SramWindow {
  int64_t from_bytes = 0, to_bytes = 0, cycle = 0;
};

/// Whose sums are meant: those of one command, of the command that is on the array in a cycle, or of a tensor.
struct AccumulatorChoice {
  std::optional<int64_t> command_idx, cycle;
  std::string name;  // of a tensor or a layer, where neither is given
};

/// One of tensor, SRAM and accumulators.
struct DumpRequest {
  std::string model{};  // file
  MachineOptions machine{};
  /// What load_model() gave of these two, and package_of() of that. Absent: the model is read and compiled.
  std::shared_ptr<const Model> loaded{};
  std::shared_ptr<const package::Package> compiled{};
  std::optional<std::string> tensor{};  // name of a tensor or a layer, or all
  std::optional<SramWindow> sram{};
  std::optional<AccumulatorChoice> accumulator{};
  std::vector<std::string> inputs{};     // [NAME=]FILE.npy
  InputArrays arrays{};                  // inputs in memory
  std::vector<std::string> variables{};  // NAME=FILE.npy, before the job
  InputArrays variable_arrays{};         // the same in memory
  uint64_t seed = 1;
  std::string output{};  // FILE.npy, .hex, .txt; a folder for all tensors; empty: nothing is written
};

struct DumpResult {
  std::vector<DumpedTensor> tensors{};  // those that were asked for; of an accumulator, its sums
  std::optional<SramDump> sram{};
  int64_t sram_cycle = 0;            // at whose end the bytes are those of the SRAM
  std::vector<std::string> files{};  // that were written: one, or one for each tensor
  std::optional<Failure> failure{};  // the machine stopped: there is nothing of the above
};

/// UserError for what is not there to be dumped, and for a file that cannot be written.
DumpResult dump(const DumpRequest& request, const Observer& observer = {});

/// "out.npy: tensor 'x' ..." of each file that was written.
std::vector<std::string> file_lines(const DumpResult& result);
/// What was asked for, as text: of a dump of one tensor, of sums or of SRAM.
std::string to_text(const DumpResult& result);

}  // namespace vernier::flow
