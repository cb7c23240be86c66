// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/run/to_checker.hpp"

#include "compiler/reference/interpreter.hpp"
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
  for (size_t i = 0; i < package.outputs.size(); ++i) {
    const package::TensorEntry& tensor = package.tensors[package.outputs[i]];
    checker.add_actual(tensor.name, tensor.shape, base::Shape(tensor.shape.size()), job.outputs[i], {});
    for (const package::Piece& piece : package.pieces) {
      if (piece.tensor_idx != package.outputs[i] || end_of[piece.command_idx] < 0) continue;
      checker.add_origin(tensor.name, piece.begin, piece.extent, {piece.command_idx, end_of[piece.command_idx]}, piece.step);
    }
  }
}

soc::PieceObserver pieces_to(check::Checker& checker, const package::Package& package) {
  return [&checker, &package](int32_t piece_idx, int32_t command_idx, int64_t cycle, const base::Tensor& values) {
    const package::Piece& piece = package.pieces[static_cast<size_t>(piece_idx)];
    const package::TensorEntry& tensor = package.tensors[piece.tensor_idx];
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

}  // namespace vernier::flow
