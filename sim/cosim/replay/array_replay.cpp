// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/replay/array_replay.hpp"

#include "hw/base/division.hpp"
#include "hw/sequence/mac_order.hpp"
#include "hw/spec/packed_weights.hpp"
#include "sim/cosim/lockstep/array_lock_step.hpp"
#include "sim/cosim/replay/lane_replay.hpp"
#include "sim/cosim/replay/sampled_command.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

namespace vernier::cosim {
namespace {

using spec::MacCommand;

/// Bytes from the weights of channel 0 to those of `channel`, which begins a channel tile.
int64_t weight_offset(const MacCommand& m, const sequence::MacOrder& order, int64_t channel) {
  if (m.weight_order == spec::WeightOrder::LaneMajor) return channel * m.weight_pitch_bytes;
  if (m.weight_order == spec::WeightOrder::TapMajor) return channel * order.weight_bytes;
  return spec::packed_weight_bytes(m, channel, order.lanes);
}

/// Leaves out the rows of the input map that no output reads. The ends of the map stay where an output reads beyond them.
void crop_rows(MacCommand& m) {
  const int64_t above = std::clamp<int64_t>(m.origin_row, 0, m.in_rows - 1);
  m.input.base += above * m.input.row_pitch_bytes;
  m.origin_row -= above;
  const int64_t last_row = m.origin_row + (m.out_rows - 1) * m.stride_rows + (m.kernel_rows - 1) * m.dilation_rows;
  m.in_rows = std::clamp<int64_t>(last_row + 1, 1, m.in_rows - above);
}

/// The command with a memory in which the channel blocks of its input map follow each other closely. The new pitch is equal
/// to the old one modulo the bytes that one row of all banks has, and no word has bytes of two blocks, so that each beat
/// inside the map has as many words as before, in the same order and in the same banks.
Work with_close_blocks(const MacCommand& command, const spec::Datapath& datapath, std::span<const std::byte> sram) {
  Work close(command, {sram.begin(), sram.end()});
  spec::FeatureMap& map = close.mac().input;
  const int64_t blocks = base::ceil_div(command.in_channels, datapath.lanes);
  if (blocks == 1 || map.row_pitch_bytes < 0 || map.pixel_pitch_bytes < 0) return close;
  const int64_t row_bytes = int64_t{spec::kNumSramBanks} * datapath.word_bytes();
  const int64_t block_bytes = (command.in_rows - 1) * map.row_pitch_bytes +
                              (command.in_columns - 1) * map.pixel_pitch_bytes +
                              datapath.lanes * base::stored_bytes(map.type);
  const int64_t old_pitch = map.block_pitch_bytes, least = block_bytes + datapath.word_bytes();
  if (old_pitch < least + row_bytes) return close;
  map.block_pitch_bytes = least + (old_pitch - least) % row_bytes;
  // The copy lies above all other operands.
  map.base = base::round_up(std::ssize(sram), row_bytes) + command.input.base % row_bytes;
  close.bytes.resize(static_cast<size_t>(map.base + (blocks - 1) * map.block_pitch_bytes + block_bytes));
  for (int64_t block = 0; block < blocks; ++block) {
    // The memory may end where the command reads no more.
    const int64_t from = std::min(command.input.base + block * old_pitch, std::ssize(sram));
    const int64_t bytes = std::min(block_bytes, std::ssize(sram) - from);
    std::copy_n(sram.begin() + from, bytes, close.bytes.begin() + map.base + block * map.block_pitch_bytes);
  }
  return close;
}

/// The commands whose state the failing one needs, and it: the slices of its reduction, from the first one on.
std::vector<Work> slices_of(const CommandFault& fault, std::vector<std::string>& names) {
  std::vector<Work> slices;
  for (size_t s = 0; s < fault.all.sequences.size(); ++s) {
    const Sequence& sequence = fault.all.sequences[s];
    const bool is_last = s + 1 == fault.all.sequences.size();
    for (size_t i = 0; i < sequence.works.size() && (!is_last || i <= fault.command); ++i) {
      if (sequence.works[i].mac().first) {
        slices.clear();
        names.clear();
      }
      slices.push_back(sequence.works[i]);
      if (i < sequence.names.size()) names.push_back(sequence.names[i]);
    }
  }
  if (names.size() != slices.size()) names.clear();
  return slices;
}

/// At the pace Ideal, or at that of the run.
CommandReplay alone(const CommandFault& fault, std::vector<Work> works, std::vector<std::string> names, bool is_ideal) {
  const Sequence& last = fault.all.sequences.back();
  return {.tables = fault.all.tables,
          .sequences = {{.works = std::move(works),
                         .pace = is_ideal ? ArrayPace::Ideal : last.pace,
                         .names = std::move(names),
                         .random_state = is_ideal ? 1 : last.random_state,
                         .idle_cycles = kIdleCycles}},
          .first_cycle = fault.all.first_cycle};
}

}  // namespace

Work part_of(const Work& command, const spec::Datapath& datapath, int64_t channel_tile, int64_t first_line,
             int64_t end_line) {
  MacCommand m = command.mac();
  const sequence::MacOrder order(command.mac(), datapath);
  const int64_t channel = order.first_channel(channel_tile);
  m.out_channels = order.num_channels(channel_tile);
  m.weight_base += weight_offset(command.mac(), order, channel);
  m.parameter_base += channel * spec::kChannelParameterBytes;
  const auto move = [&](spec::FeatureMap& map, int64_t line) {
    map.base = sequence::address_of(map, order.lanes, line, 0, channel);
  };
  move(m.output, first_line);
  if (m.residual) move(m.addend, first_line);
  if (m.mode == spec::MacMode::Depthwise) {
    move(m.input, 0);
    m.in_channels = m.out_channels;
  }
  m.origin_row += first_line * m.stride_rows;
  m.out_rows = end_line - first_line;
  crop_rows(m);
  const Work close = with_close_blocks(m, datapath, command.bytes);
  return sample_command(close.mac(), datapath, close.bytes);
}

std::vector<std::vector<std::vector<std::string>>> array_rows(const CommandReplay& replay, const spec::Datapath& datapath) {
  std::vector<std::vector<std::vector<std::string>>> sequences;
  kernels::Accumulators accumulators;
  int bank = 0;
  for (const Sequence& sequence : replay.sequences) {
    auto& of_sequence = sequences.emplace_back();
    std::vector<spec::MacCommand> commands;
    for (const Work& command : sequence.works) commands.push_back(command.mac());
    const std::vector<timing::CommandEdges> edges = timing::mac_edges(commands, datapath);
    for (size_t i = 0; i < sequence.works.size(); ++i) {
      auto& of_command = of_sequence.emplace_back();
      ArrayTraffic traffic(sequence.works[i], datapath, replay.tables, accumulators);
      ArrayRow row;
      for (size_t idx = 0; traffic.next_row(row); ++idx) {
        std::vector<std::string> values;
        for (size_t lane = 0; lane < row.lanes.size(); ++lane)
          values.push_back(fmt::format("{}={}", row.lanes[lane], row.values[lane]));
        of_command.push_back(fmt::format("edge {} row {} bank {} last_of_tile {} last {}: {}", edges[i].results[idx],
                                         row.row_tile_row, bank, row.is_last_of_tile ? 1 : 0, row.is_last ? 1 : 0,
                                         fmt::join(values, " ")));
        if (row.is_last_of_tile) bank = 1 - bank;
      }
    }
    if (!sequence.reset_after_cycles) continue;
    bank = 0;
    accumulators = {};
  }
  return sequences;
}

namespace {

/// An element of results, int32 or int48 in 8 bytes.
int64_t signed_number(std::span<const std::byte> bytes) {
  int64_t number = 0;
  std::memcpy(&number, bytes.data(), bytes.size());
  return bytes.size() == sizeof number ? number : static_cast<int32_t>(number);
}

/// The command with its accumulators as results, and the memory that this takes.
Work without_epilogue(Work array) {
  MacCommand& m = array.mac();
  const MacCommand plain;
  const auto parameters = array.bytes.begin() + m.parameter_base;
  std::fill_n(parameters, m.out_channels * spec::kChannelParameterBytes, std::byte{0});
  m.rescale = m.table = m.residual = false;
  m.scale32 = plain.scale32;
  m.rounding = plain.rounding;
  m.output_is_unsigned = plain.output_is_unsigned;
  m.output_zero_point = m.clamp_min = m.clamp_max = 0;
  m.output.type = m.accumulator_is_48 ? base::ElementType::Int48 : base::ElementType::Int32;
  // Elements are wider than they were: the map lies above all operands, a block of all channels after the other.
  const int64_t word_bytes = 64, element_bytes = base::stored_bytes(m.output.type);
  m.output.base = base::round_up(std::ssize(array.bytes), word_bytes);
  m.output.pixel_pitch_bytes = base::round_up(m.out_channels * element_bytes, word_bytes);
  m.output.row_pitch_bytes = m.out_columns * m.output.pixel_pitch_bytes;
  m.output.block_pitch_bytes = m.out_rows * m.output.row_pitch_bytes;
  return array;
}

}  // namespace

std::string rtl_accumulator_text(const CommandFault& fault, const spec::Datapath& datapath, ClockedBlock& block) {
  std::vector<std::string> names;
  std::vector<Work> slices = slices_of(fault, names);
  if (!fault.place || fault.place->lane < 0 || slices.empty() || !slices.front().mac().first) return {};
  const Work whole = slices.back();
  slices.back() = without_epilogue(whole);
  if (!whole.mac().last || !is_legal(slices.back(), datapath)) return {};
  // Where the value that differs is, and the model's accumulator.
  kernels::Accumulators accumulators;
  ArrayRow row;
  for (const Work& slice : slices) {
    ArrayTraffic traffic(slice, datapath, fault.all.tables, accumulators);
    for (int64_t i = 0; i <= fault.place->row && traffic.next_row(row);) ++i;
  }
  const auto lane = std::ranges::find(row.lanes, fault.place->lane);
  if (lane == row.lanes.end()) return {};
  const auto place = static_cast<size_t>(lane - row.lanes.begin());
  std::optional<int64_t> found;
  ArrayLockStep lock_step(block, datapath, {.is_strict = false, .tables = fault.all.tables});
  const auto look_at = [&](int64_t address, std::span<const std::byte> bytes) {
    if (address == row.addresses[place]) found = signed_number(bytes);
  };
  try {
    lock_step.run_sequence({.works = slices, .on_result = look_at, .most_described = 0});
  } catch (const Hang&) {
    return {};
  }
  if (!found) return {};
  if (*found == row.values[place]) return fmt::format("; the RTL's accumulator is {} too", *found);
  kernels::Accumulators unused;
  const ArrayTraffic traffic(whole, datapath, fault.all.tables, unused);
  const sequence::MacOrder order(whole.mac(), datapath);
  const int64_t channel = order.first_channel(fault.place->channel_tile) + fault.place->lane % order.tile_channels;
  return fmt::format("; on the RTL the accumulator is {}: {}", *found, traffic.explain_epilogue(channel, *found));
}

LockStepResult run_array_replay(const CommandReplay& replay, const spec::Datapath& datapath, ClockedBlock& block,
                                bool is_strict, std::optional<CommandFault>* fault) {
  ArrayLockStep lock_step(block, datapath,
                          {.is_strict = is_strict, .keeps_fault = fault != nullptr, .tables = replay.tables});
  block.count_from(replay.first_cycle);
  try {
    for (const Sequence& sequence : replay.sequences) lock_step.run_sequence(sequence);
  } catch (const Hang& hang) {
    return lock_step.take_result().ended_at(hang);
  }
  LockStepResult result = lock_step.take_result();
  if (fault != nullptr) *fault = lock_step.take_fault();
  return result;
}

Cut<CommandReplay> cut_commands(const CommandFault& fault, const spec::Datapath& datapath, bool is_strict,
                                const std::function<std::unique_ptr<ClockedBlock>()>& make) {
  const auto shows = [&](const CommandReplay& replay) {
    const std::unique_ptr<ClockedBlock> block = make();
    return shows_fault(run_array_replay(replay, datapath, *block, is_strict), fault.mismatch);
  };
  std::vector<std::string> names;
  const std::vector<Work> slices = slices_of(fault, names);
  const bool has_begin = !slices.empty() && slices.front().mac().first;
  const bool has_other_pace = fault.all.sequences.back().pace != ArrayPace::Ideal;
  const auto find = [&](const std::vector<Work>& commands) -> std::optional<CommandReplay> {
    for (const bool is_ideal : {true, false}) {
      if (!is_ideal && !has_other_pace) break;
      CommandReplay replay = alone(fault, commands, names, is_ideal);
      if (shows(replay)) return replay;
    }
    return std::nullopt;
  };
  if (has_begin && fault.place) {
    // A line that is walked to and fro keeps its direction when an even number of lines is left out.
    const int64_t lines = slices.front().mac().out_rows, y = fault.place->y, even = y / 2 * 2;
    for (const auto& [first, end] : {std::pair(even, y + 1), std::pair<int64_t, int64_t>(0, lines)}) {
      std::vector<Work> parts;
      for (const Work& slice : slices) parts.push_back(part_of(slice, datapath, fault.place->channel_tile, first, end));
      const auto is_fine = [&](const Work& part) { return is_legal(part, datapath); };
      if (!std::ranges::all_of(parts, is_fine)) continue;
      if (auto part = find(parts)) return {std::move(*part), false, true};
    }
  }
  if (has_begin) {
    if (auto whole = find(slices)) return {std::move(*whole), true, true};
  }
  Cut<CommandReplay> cut{fault.all, true, false};
  cut.is_reproduced = shows(cut.replay);
  return cut;
}

}  // namespace vernier::cosim
