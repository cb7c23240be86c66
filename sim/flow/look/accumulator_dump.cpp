// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/look/accumulator_dump.hpp"

#include "hw/package/stream_commands.hpp"
#include "sim/soc/kept.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <variant>

namespace vernier::flow {
namespace {

const spec::MacCommand* mac_of(const std::vector<package::StreamCommand>& commands, int32_t command_idx) {
  return std::get_if<spec::MacCommand>(&commands.at(command_idx).command.body);
}

/// Puts the sums of a command where its piece of the tensor has what became of them: both have the same addresses.
class Sorter {
 public:
  Sorter(const package::Piece& piece, const package::TensorEntry& tensor) {
    const int64_t count = base::num_elements(piece.extent);
    for (int64_t i = 0; i < count; ++i) {
      base::Shape at = base::coordinates_of(piece.extent, i);
      int64_t index = 0;
      for (size_t d = 0; d < at.size(); ++d) {
        at[d] = piece.begin[d] + at[d] * (piece.step.empty() ? 1 : piece.step[d]);
        index = index * tensor.shape[d] + at[d];
      }
      index_at_.emplace(package::offset_of(piece.placement, at, tensor.type), index);
    }
  }
  void place(const spec::MacCommand& mac, int64_t lanes, std::span<const int64_t> sums, base::Tensor& whole,
             std::vector<bool>& is_made) const {
    for (size_t i = 0; i < sums.size(); ++i) {
      const auto found = index_at_.find(output_address(mac, lanes, static_cast<int64_t>(i)));
      if (found == index_at_.end()) continue;  // of another tensor's piece
      whole.set(found->second, sums[i]);
      is_made[static_cast<size_t>(found->second)] = true;
    }
  }

 private:
  std::unordered_map<int64_t, int64_t> index_at_;
};

void tell_origin(DumpedTensor& dumped, const soc::JobResult& job, int32_t command_idx) {
  dumped.add_maker(command_idx, job.commands[command_idx].end_cycle);
}

}  // namespace

int32_t command_on_array(const soc::JobResult& job, int64_t cycle) {
  int32_t found = -1;
  for (size_t i = 0; i < job.commands.size(); ++i) {
    const units::CommandRecord& command = job.commands[i];
    if (command.work != units::Work::Array || command.start_cycle > cycle || command.end_cycle <= cycle) continue;
    found = static_cast<int32_t>(i);
    if (command.main.end_cycle > cycle) return found;
  }
  return found;
}

int64_t output_address(const spec::MacCommand& mac, int64_t lanes, int64_t index) {
  const spec::FeatureMap& map = mac.output;
  const int64_t channel = index % mac.out_channels, pixel = index / mac.out_channels;
  return map.base + pixel / mac.out_columns * map.row_pitch_bytes + pixel % mac.out_columns * map.pixel_pitch_bytes +
         channel / lanes * map.block_pitch_bytes + channel % lanes * base::stored_bytes(map.type);
}

bool has_sums(const package::Package& package, int32_t tensor_idx) {
  const std::vector<package::StreamCommand> commands = package::stream_commands(package);
  return std::any_of(package.pieces.begin(), package.pieces.end(), [&](const package::Piece& piece) {
    return piece.tensor_idx == tensor_idx && mac_of(commands, piece.command_idx) != nullptr;
  });
}

AccumulatorDump dump_command_sums(const package::Package& package, const std::vector<base::Tensor>& inputs,
                                  int32_t command_idx) {
  const std::vector<package::StreamCommand> commands = package::stream_commands(package);
  const spec::MacCommand& mac = *mac_of(commands, command_idx);
  AccumulatorDump dump;
  soc::JobOptions options;
  options.on_sums = [&](int32_t started_idx, std::span<const int64_t> sums) {
    if (started_idx != command_idx) return;
    dump.sums =
        DumpedTensor{.name = "[row, column, channel]",
                     .values = base::Tensor(base::ElementType::Int48, {mac.out_rows, mac.out_columns, mac.out_channels}),
                     .what = "sums"};
    for (size_t i = 0; i < sums.size(); ++i) dump.sums->values.set(static_cast<int64_t>(i), sums[i]);
  };
  dump.job = soc::run_kept(package, inputs, options);
  if (!dump.sums) return dump;
  tell_origin(*dump.sums, dump.job, command_idx);
  if (!mac.last) dump.sums->note = "a slice of the reduction, which goes on in another command";
  return dump;
}

AccumulatorDump dump_tensor_sums(const package::Package& package, const std::vector<base::Tensor>& inputs,
                                 int32_t tensor_idx) {
  const std::vector<package::StreamCommand> commands = package::stream_commands(package);
  const package::TensorEntry& entry = package.tensors[tensor_idx];
  AccumulatorDump dump;
  dump.sums = DumpedTensor{
      .name = entry.name, .values = base::Tensor(base::ElementType::Int48, entry.shape), .what = "sums of tensor"};
  std::vector<bool> is_made(static_cast<size_t>(base::num_elements(entry.shape)), false);
  std::vector<int32_t> makers;
  soc::JobOptions options;
  options.on_sums = [&](int32_t command_idx, std::span<const int64_t> sums) {
    const spec::MacCommand& mac = *mac_of(commands, command_idx);
    const auto piece = std::find_if(package.pieces.begin(), package.pieces.end(), [&](const package::Piece& candidate) {
      return candidate.command_idx == command_idx && candidate.tensor_idx == tensor_idx;
    });
    if (!mac.last || piece == package.pieces.end()) return;
    Sorter(*piece, entry).place(mac, package.config.datapath.lanes, sums, dump.sums->values, is_made);
    makers.push_back(command_idx);
  };
  dump.job = soc::run_kept(package, inputs, options);
  for (const int32_t command_idx : makers) tell_origin(*dump.sums, dump.job, command_idx);
  dump.sums->unwritten_elems = std::count(is_made.begin(), is_made.end(), false);
  return dump;
}

}  // namespace vernier::flow
