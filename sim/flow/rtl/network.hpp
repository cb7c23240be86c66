// SPDX-License-Identifier: Apache-2.0
// `vernier cosim MODEL`: a network whose commands run on the RTL that there is, command by command and end to end.
#pragma once

#include "hw/base/tensor.hpp"
#include "sim/cosim/network/network_result.hpp"
#include "sim/flow/look/trace_options.hpp"
#include "sim/flow/model/machine_options.hpp"
#include "sim/flow/observer.hpp"
#include "sim/flow/rtl/rtl_choice.hpp"
#include "sim/flow/run/failure.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vernier::flow {

struct NetworkRequest {
  std::string model{};  // file
  MachineOptions machine{};
  std::vector<std::string> inputs{};  // [NAME=]FILE.npy
  uint64_t seed = 1;
  RtlChoice rtl{};
  TraceOptions traces{};
  std::optional<std::string> output_dir{};
  std::optional<std::string> vectors_dir{};    // what the RTL gets and what has to come out, for other benches
  std::optional<std::string> replay_folder{};  // of the replay of a first mismatch; empty: the working folder; absent: none
  std::vector<std::string> report_files{};     // FILE.json
};

struct NetworkCosimResult {
  cosim::NetworkReport report{};
  std::vector<base::Tensor> outputs{};
  std::vector<std::string> notes{};     // what a reader has to know
  std::vector<std::string> warnings{};  // REQUIREs that the network violates
  std::vector<std::string> remarks{};   // lines about replay and vectors
  std::optional<Failure> failure{};     // the RTL or the machine stopped: there is nothing of the above

  [[nodiscard]] Verdict verdict() const;
};

/// UserError for what is wrong with the request or the model.
NetworkCosimResult cosim_network(const NetworkRequest& request, const Observer& observer = {});

/// For people: without notes, warnings and remarks; with them; and schema vernier-cosim/1.
std::string to_summary(const NetworkCosimResult& result);
std::string to_text(const NetworkCosimResult& result);
std::string to_json(const NetworkCosimResult& result);

}  // namespace vernier::flow
