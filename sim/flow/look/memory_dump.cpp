// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/look/memory_dump.hpp"

#include "sim/flow/model/inputs.hpp"
#include "sim/soc/kept.hpp"

#include <algorithm>
#include <map>

namespace vernier::flow {
namespace {

/// Puts the box of a piece into the whole tensor.
void place(const base::Tensor& box, const package::Piece& piece, base::Tensor& whole, std::vector<bool>& is_made) {
  const base::Shape& shape = whole.shape();
  for (int64_t i = 0; i < box.size(); ++i) {
    const base::Shape in_box = base::coordinates_of(box.shape(), i);
    int64_t index = 0;
    for (size_t d = 0; d < shape.size(); ++d) {
      const int64_t step = piece.step.empty() ? 1 : piece.step[d];
      index = index * shape[d] + piece.begin[d] + in_box[d] * step;
    }
    whole.set(index, box.at(i));
    is_made[static_cast<size_t>(index)] = true;
  }
}

/// Inputs, and variables where a job reads them.
bool is_there_before(const package::Package& package, int32_t tensor_idx) {
  const std::vector<int32_t> before = package::tensors_before(package);
  return std::find(before.begin(), before.end(), tensor_idx) != before.end();
}

}  // namespace

bool is_dumped(const package::Package& package, int32_t tensor_idx) {
  return is_there_before(package, tensor_idx) ||
         std::any_of(package.pieces.begin(), package.pieces.end(),
                     [&](const package::Piece& piece) { return piece.tensor_idx == tensor_idx; });
}

void DumpedTensor::add_maker(int64_t command_idx, int64_t cycle) {
  if (first_command_idx < 0 || command_idx < first_command_idx) first_command_idx = command_idx;
  last_command_idx = std::max(last_command_idx, command_idx);
  last_cycle = std::max(last_cycle, cycle);
}

TensorDump dump_tensors(const package::Package& package, const std::vector<base::Tensor>& inputs,
                        const std::vector<int32_t>& tensor_idxs) {
  TensorDump dump;
  std::map<int32_t, size_t> wanted;
  std::vector<std::vector<bool>> is_made;
  for (const int32_t idx : tensor_idxs) {
    const package::TensorEntry& entry = package.tensors[idx];
    wanted.emplace(idx, dump.tensors.size());
    dump.tensors.push_back({entry.name, base::Tensor(entry.type, entry.shape)});
    is_made.emplace_back(static_cast<size_t>(base::num_elements(entry.shape)), false);
  }
  for (size_t i = 0; i < package.inputs.size(); ++i) {
    const auto found = wanted.find(package.inputs[i]);
    if (found == wanted.end()) continue;
    dump.tensors[found->second].values = inputs[i];
    is_made[found->second].assign(is_made[found->second].size(), true);
  }
  for (const package::Variable& variable : package.variables) {
    const auto found = wanted.find(variable.before_idx);
    if (found == wanted.end()) continue;
    dump.tensors[found->second].values = variable.value;
    dump.tensors[found->second].what = "variable";
    is_made[found->second].assign(is_made[found->second].size(), true);
  }
  soc::JobOptions options;
  options.on_piece = [&](int32_t piece_idx, int32_t command_idx, int64_t cycle, const base::Tensor& values) {
    const package::Piece& piece = package.pieces[static_cast<size_t>(piece_idx)];
    const auto found = wanted.find(piece.tensor_idx);
    if (found == wanted.end()) return;
    DumpedTensor& tensor = dump.tensors[found->second];
    place(values, piece, tensor.values, is_made[found->second]);
    tensor.add_maker(command_idx, cycle);
  };
  dump.job = soc::run_kept(package, inputs, options);
  for (size_t i = 0; i < dump.tensors.size(); ++i)
    dump.tensors[i].unwritten_elems = std::count(is_made[i].begin(), is_made[i].end(), false);
  return dump;
}

SramDump dump_sram(const package::Package& package, const std::vector<base::Tensor>& inputs, int64_t from_bytes,
                   int64_t to_bytes, int64_t cycle) {
  SramDump dump;
  dump.from_bytes = from_bytes;
  int64_t num_until = 0;  // times that the SRAM was told of up to that cycle
  soc::JobOptions timed;
  timed.values = false;
  timed.on_sram = [&](int64_t at_cycle, const mem::StorageView&) { num_until += at_cycle <= cycle ? 1 : 0; };
  dump.job = soc::run_kept(package, zero_inputs(ends_of(package).inputs), timed);
  if (!dump.job.is_done() || cycle > dump.job.cycles) return dump;
  int64_t num_told = 0;
  soc::JobOptions valued;
  valued.on_sram = [&](int64_t, const mem::StorageView& sram) {
    if (++num_told != num_until) return;
    const auto bytes = sram.bytes().subspan(static_cast<size_t>(from_bytes), static_cast<size_t>(to_bytes - from_bytes));
    dump.bytes.assign(bytes.begin(), bytes.end());
    for (int64_t at = from_bytes; at < to_bytes; ++at) dump.is_written.push_back(!sram.first_unwritten(at, 1));
  };
  dump.job = soc::run_kept(package, inputs, valued);
  return dump;
}

}  // namespace vernier::flow
