// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/end_to_end.hpp"

#include "compiler/reference/interpreter.hpp"
#include "hw/base/text.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/exit_code.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <utility>

namespace vernier::cli {

namespace {

std::optional<package::BoundaryEnd> end_of(const std::vector<package::BoundaryEnd>& ends, const std::string& tensor) {
  const package::BoundaryEnd* end = package::find_end(ends, tensor);
  return end == nullptr ? std::nullopt : std::optional(*end);
}

}  // namespace

std::vector<InputInfo> inputs_of(const ir::Graph& graph, const package::Boundary& boundary) {
  std::vector<InputInfo> inputs;
  for (const ir::TensorId id : graph.inputs) {
    const ir::TensorInfo& tensor = graph.tensor(id);
    inputs.push_back({tensor.name, tensor.type, tensor.shape, end_of(boundary.inputs, tensor.name)});
  }
  return inputs;
}

std::vector<InputInfo> inputs_of(const package::Package& package) {
  std::vector<InputInfo> inputs;
  for (const int32_t idx : package.inputs) {
    const package::TensorEntry& tensor = package.tensors[static_cast<size_t>(idx)];
    inputs.push_back({tensor.name, tensor.type, tensor.shape, end_of(package.boundary.inputs, tensor.name)});
  }
  return inputs;
}

std::vector<OutputInfo> outputs_of(const ir::Graph& graph, const package::Boundary& boundary) {
  std::vector<OutputInfo> outputs;
  for (const ir::TensorId id : graph.outputs)
    outputs.push_back({graph.tensor(id).name, end_of(boundary.outputs, graph.tensor(id).name)});
  return outputs;
}

std::vector<OutputInfo> outputs_of(const package::Package& package) {
  std::vector<OutputInfo> outputs;
  for (const int32_t idx : package.outputs) {
    const std::string& name = package.tensors[static_cast<size_t>(idx)].name;
    outputs.push_back({name, end_of(package.boundary.outputs, name)});
  }
  return outputs;
}

void add_outputs(check::Checker& checker, const package::Package& package, const soc::JobResult& job) {
  for (size_t i = 0; i < package.outputs.size(); ++i) {
    const package::TensorEntry& tensor = package.tensors[static_cast<size_t>(package.outputs[i])];
    checker.add_actual(tensor.name, tensor.shape, base::Shape(tensor.shape.size()), job.outputs[i], {});
    for (const package::Piece& piece : package.pieces) {
      if (piece.tensor_idx != package.outputs[i]) continue;
      checker.add_origin(tensor.name, piece.begin, piece.extent,
                         {piece.command_idx, job.commands.at(static_cast<size_t>(piece.command_idx)).end_cycle}, piece.step);
    }
  }
}

soc::PieceObserver pieces_to(check::Checker& checker, const package::Package& package) {
  return [&checker, &package](int32_t piece_idx, int32_t command_idx, int64_t cycle, const base::Tensor& values) {
    const package::Piece& piece = package.pieces[static_cast<size_t>(piece_idx)];
    const package::TensorEntry& tensor = package.tensors[static_cast<size_t>(piece.tensor_idx)];
    checker.add_actual(tensor.name, tensor.shape, piece.begin, values, {command_idx, cycle}, piece.step);
  };
}

std::vector<std::string> check_against_reference(const ir::Graph& graph, check::RepeatedChecker& checker,
                                                 const std::vector<base::Tensor>& inputs, bool inner) {
  reference::Observer observer;
  if (inner) {
    observer = [&](ir::TensorId id, const base::Tensor& value) { checker.add_expected(graph.tensor(id).name, value); };
  }
  reference::Result expected = reference::run(graph, inputs, observer);
  for (size_t i = 0; i < graph.outputs.size(); ++i)
    checker.add_expected(graph.tensor(graph.outputs[i]).name, expected.outputs[i]);
  return std::move(expected.unpredictable);
}

int report_failure(const std::string& file, const soc::JobResult& job) {
  if (const auto* fault = std::get_if<soc::Fault>(&job.status)) {
    print_text(stderr, fmt::format("vernier: {}: the simulated machine stopped at cycle {}: {}: {}\n", base::printable(file),
                                   job.cycles, spec::to_string(fault->code), base::printable(fault->detail)));
  } else if (const auto* hang = std::get_if<soc::Hang>(&job.status)) {
    print_text(stderr, fmt::format("vernier: {}: the simulated machine hangs at cycle {} ({}); who waits for whom:\n{}",
                                   base::printable(file), job.cycles, hang->is_watchdog ? "watchdog" : "no event left",
                                   hang->wait_for));
  }
  return kExitFault;
}

}  // namespace vernier::cli
