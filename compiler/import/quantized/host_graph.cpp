// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/host_graph.hpp"

namespace vernier::import::quantized {

size_t HostGraph::add_input(size_t input, const base::Shape& shape) {
  entries_.push_back({shape, input});
  return entries_.size() - 1;
}

size_t HostGraph::add_codes(const std::string& name, const Value& codes) {
  entries_.push_back({codes.shape, std::nullopt, name, std::make_shared<const Value>(codes)});
  return entries_.size() - 1;
}

size_t HostGraph::add(package::HostStep step, const std::vector<size_t>& operands) {
  base::Shape shape = package::result_shape(step, shapes(operands));
  num_numbers_ += std::ssize(step.numbers) + std::ssize(step.dimensions);
  entries_.push_back({std::move(shape), std::nullopt, {}, nullptr, std::move(step), operands});
  return entries_.size() - 1;
}

std::vector<base::Shape> HostGraph::shapes(const std::vector<size_t>& values) const {
  std::vector<base::Shape> result;
  for (const size_t value : values) result.push_back(entries_[value].shape);
  return result;
}

std::vector<bool> HostGraph::reached_from(size_t value) const {
  std::vector<bool> is_reached(value + 1, false);
  is_reached[value] = true;
  for (size_t i = value + 1; i-- > 0;) {  // operands stand before what reads them
    if (!is_reached[i]) continue;
    for (const size_t operand : entries_[i].operands) is_reached[operand] = true;
  }
  return is_reached;
}

HostProgram HostGraph::program_of(size_t value) const {
  const std::vector<bool> is_reached = reached_from(value);
  HostProgram program;
  program.shape = entries_[value].shape;
  std::vector<int64_t> number(value + 1, 0);
  for (size_t i = 0; i <= value; ++i) {
    if (!is_reached[i] || !entries_[i].is_source()) continue;
    number[i] = std::ssize(program.sources);
    program.sources.push_back(i);
  }
  for (size_t i = 0; i <= value; ++i) {
    if (!is_reached[i] || entries_[i].is_source()) continue;
    package::HostStep step = entries_[i].step;
    step.operands.clear();
    const int64_t before = std::ssize(program.sources) + std::ssize(program.steps);
    for (const size_t operand : entries_[i].operands) step.operands.push_back(number[operand]);
    if (step.operands == std::vector<int64_t>{before - 1}) step.operands.clear();
    number[i] = before;
    program.steps.push_back(std::move(step));
  }
  return program;
}

std::optional<size_t> HostGraph::only_input(size_t value) const {
  const std::vector<bool> is_reached = reached_from(value);
  std::optional<size_t> found;
  for (size_t i = 0; i <= value; ++i) {
    if (!is_reached[i] || !entries_[i].is_source()) continue;
    if (!entries_[i].input || (found && *found != *entries_[i].input)) return std::nullopt;
    found = entries_[i].input;
  }
  return found;
}

}  // namespace vernier::import::quantized
