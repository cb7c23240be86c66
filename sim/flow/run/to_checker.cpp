// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/run/to_checker.hpp"

#include "sim/soc/run_commands.hpp"

#include <utility>

namespace vernier::flow {
namespace {

/// By command of the package the cycle in which it ended, for the last time; -1: it did not run.
base::IndexedVector<int32_t, int64_t> last_ends_of(const package::Package& package, const soc::JobResult& job) {
  base::IndexedVector<int32_t, int64_t> ends(package.command_layers.size(), -1);
  soc::RunCommands places(package, job);
  for (const units::CommandRecord& record : job.commands)
    ends[static_cast<int32_t>(places.next().command_idx)] = record.end_cycle;
  return ends;
}

}  // namespace

void add_outputs(check::Checker& checker, const package::Package& package, const soc::JobResult& job) {
  const base::IndexedVector<int32_t, int64_t> end_of = last_ends_of(package, job);
  const auto add = [&](int32_t tensor_idx, const base::Tensor& values) {
    const package::TensorEntry& tensor = package.tensors[tensor_idx];
    checker.add_actual(tensor.name, tensor.shape, base::Shape(tensor.shape.size()), values, {});
    for (const package::Piece& piece : package.pieces) {
      if (piece.tensor_idx != tensor_idx || end_of[piece.command_idx] < 0) continue;
      checker.add_origin(tensor.name, piece.begin, piece.extent, {piece.command_idx, end_of[piece.command_idx]}, piece.step);
    }
  };
  for (size_t i = 0; i < package.outputs.size(); ++i) add(package.outputs[i], job.outputs[i]);
  for (size_t i = 0; i < package.variables.size(); ++i) {
    if (const int32_t after_idx = package.variables[i].after_idx; after_idx >= 0) add(after_idx, job.variables[i]);
  }
}

soc::PieceObserver pieces_to(check::Checker& checker, const package::Package& package) {
  return [&checker, &package](int32_t piece_idx, int32_t command_idx, int64_t cycle, const base::Tensor& values) {
    const package::Piece& piece = package.pieces[static_cast<size_t>(piece_idx)];
    const package::TensorEntry& tensor = package.tensors[piece.tensor_idx];
    checker.add_actual(tensor.name, tensor.shape, piece.begin, values, {command_idx, cycle}, piece.step);
  };
}

std::vector<std::string> check_against_reference(const ReferenceRun& run, check::RepeatedChecker& checker,
                                                 const std::vector<base::Tensor>& inputs, bool inner) {
  const ir::Graph& graph = run.graph;
  reference::Observer observer;
  if (inner) {
    observer = [&](ir::TensorId id, const base::Tensor& value) { checker.add_expected(graph.tensor(id).name, value); };
  }
  reference::Result expected = reference::run(graph, inputs, observer, &run.variables);
  for (size_t i = 0; i < graph.outputs.size(); ++i)
    checker.add_expected(graph.tensor(graph.outputs[i]).name, expected.outputs[i]);
  for (size_t i = 0; i < run.package.variables.size(); ++i) {
    const int32_t after_idx = run.package.variables[i].after_idx;
    if (after_idx >= 0) checker.add_expected(run.package.tensors[after_idx].name, run.variables[i]);
  }
  return std::move(expected.unpredictable);
}

}  // namespace vernier::flow
