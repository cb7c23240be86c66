// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/replay/vector_files.hpp"

#include "hw/base/division.hpp"
#include "sim/cosim/block/command_port.hpp"
#include "sim/cosim/replay/replay_words.hpp"
#include "sim/cosim/stream/array_streams.hpp"
#include "sim/cosim/stream/table_driver.hpp"
#include "sim/cosim/stream/vector_run.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace vernier::cosim {
namespace {

std::string heading(const Replay& replay, std::string_view port, int64_t bits, size_t words, std::string_view each) {
  return fmt::format("// {} of {}, {} lanes: {} words of {} bits, {}\n", port, spec::rtl_block_of_unit(replay.unit)->name,
                     replay.datapath.lanes, words, bits, each);
}

VectorFile file_of(const Replay& replay, const PortColumn& column, std::string_view each) {
  return {column.port + ".hex", heading(replay, column.port, column.bits, column.words.size(), each) +
                                    fmt::format("{}\n", fmt::join(column.words, "\n"))};
}

constexpr int kNumberBits = 32;

/// Beats of the ports whose names begin with `stream`, from the pins of a block.
class BeatColumns {
 public:
  BeatColumns(const ClockedBlock& block, std::initializer_list<std::string_view> streams) {
    for (const spec::RtlPort& port : block.description().ports) {
      const bool is_of_stream =
          std::ranges::any_of(streams, [&](std::string_view stream) { return port.name.starts_with(stream); });
      if (!is_of_stream || port.is_output || port.name.ends_with("_valid_i")) continue;
      if (port.name == "wgt_word_valid_i") continue;
      add(block, port);
    }
    for (const spec::RtlPort& port : block.description().ports) {
      if (port.name == "wgt_word_valid_i" && *streams.begin() == "wgt_") add(block, port);
    }
  }
  void take() {
    for (size_t i = 0; i < ports_.size(); ++i) columns_[i].words.push_back(hex_word(ports_[i].bytes(), columns_[i].bits));
  }
  /// The same; each word of a column `name` is the number of the command that the beat is of.
  void take(std::string_view name, size_t command) {
    take();
    if (columns_.size() == ports_.size()) columns_.push_back({std::string(name), kNumberBits, {}});
    columns_.back().words.push_back(hex_word(command, kNumberBits));
  }
  [[nodiscard]] const std::vector<PortColumn>& columns() const { return columns_; }

 private:
  void add(const ClockedBlock& block, const spec::RtlPort& port) {
    ports_.push_back(block.port(port.name));
    columns_.push_back({std::string(port.name), ports_.back().bits(), {}});
  }
  std::vector<Port> ports_;
  std::vector<PortColumn> columns_;
};

/// Beats that fill the table unit.
class FillColumns {
 public:
  FillColumns(const kernels::TableMemory& tables, int lanes) {
    columns_ = {
        {"tbl_slot_i", 1, {}}, {"tbl_type_i", 3, {}}, {"tbl_word_i", kNumberBits, {}}, {"tbl_data_i", 8 * lanes, {}}};
    for (size_t slot = 0; slot < tables.size(); ++slot) {
      if (!tables[slot].type) continue;
      std::vector<std::byte> bytes(tables[slot].bytes.begin(), tables[slot].bytes.end());
      bytes.resize(static_cast<size_t>(base::ceil_div(table_bytes(*tables[slot].type), lanes) * lanes));
      for (size_t word = 0; word * static_cast<size_t>(lanes) < bytes.size(); ++word) {
        columns_[0].words.push_back(hex_word(slot, 1));
        columns_[1].words.push_back(hex_word(static_cast<uint64_t>(*tables[slot].type), 3));
        columns_[2].words.push_back(hex_word(word, kNumberBits));
        const std::span data = std::span(bytes).subspan(word * static_cast<size_t>(lanes), static_cast<size_t>(lanes));
        columns_[3].words.push_back(hex_word(data, columns_[3].bits));
      }
    }
  }
  [[nodiscard]] const std::vector<PortColumn>& columns() const { return columns_; }
  [[nodiscard]] size_t num_beats() const { return columns_.front().words.size(); }

 private:
  std::vector<PortColumn> columns_;
};

std::vector<VectorFile> beat_files(const Replay& replay, std::initializer_list<const BeatColumns*> streams,
                                   const FillColumns& fills) {
  std::vector<VectorFile> files;
  for (const BeatColumns* stream : streams) {
    for (const PortColumn& column : stream->columns())
      files.push_back(file_of(replay, column, "one for each beat, in their order"));
  }
  for (const PortColumn& column : fills.columns())
    files.push_back(file_of(replay, column, "one for each beat that fills the tables before all others"));
  return files;
}

/// Rows of results, as the ports have to show them.
class RowColumns {
 public:
  explicit RowColumns(int lanes) : lanes_(lanes) {
    const int64_t value_bits = int64_t{spec::kAccumulatorBits} * lanes;
    columns_ = {{"out_value_o", value_bits, {}},
                {"out_mask_o", lanes, {}},
                {"out_row_o", spec::bits_to_count(spec::kAccumulatorRows), {}},
                {"out_bank_o", 1, {}},
                {"out_last_of_tile_o", 1, {}},
                {"out_last_o", 1, {}},
                {"out_edge", 64, {}}};
  }
  void take(const ArrayRow& row, uint64_t bank, int64_t edge) {
    std::string value;
    uint64_t mask = 0;
    for (int64_t lane = lanes_ - 1; lane >= 0; --lane) {
      const auto found = std::ranges::find(row.lanes, lane);
      if (found == row.lanes.end()) {
        value += unknown_word(spec::kAccumulatorBits);
        continue;
      }
      mask |= uint64_t{1} << lane;
      const auto bits = static_cast<uint64_t>(row.values[static_cast<size_t>(found - row.lanes.begin())]);
      value += hex_word(bits & ((uint64_t{1} << spec::kAccumulatorBits) - 1), spec::kAccumulatorBits);
    }
    columns_[0].words.push_back(std::move(value));
    const std::array numbers{mask,
                             static_cast<uint64_t>(row.row_tile_row),
                             bank,
                             uint64_t{row.is_last_of_tile},
                             uint64_t{row.is_last},
                             static_cast<uint64_t>(edge)};
    for (size_t i = 0; i < numbers.size(); ++i) columns_[i + 1].words.push_back(hex_word(numbers[i], columns_[i + 1].bits));
  }
  [[nodiscard]] const std::vector<PortColumn>& columns() const { return columns_; }

 private:
  int lanes_;
  std::vector<PortColumn> columns_;
};

std::vector<VectorFile> lane_files(const Replay& replay) {
  const spec::RtlBlock& unit = *spec::rtl_block_of_unit(replay.unit);
  const auto lanes = static_cast<int>(replay.datapath.lanes);
  std::vector<VectorFile> files;
  for (const PortColumn& column : input_columns(*replay.lanes, unit, lanes))
    files.push_back(file_of(replay, column, "one for each cycle, that its edge finds"));
  const auto outputs = lane_outputs(*replay.lanes, unit, lanes, unit.latency_cycles, replay.unit);
  for (const PortColumn& column : output_columns(outputs, unit, lanes))
    files.push_back(file_of(replay, column, "one for each cycle, that its edge has to find; x: anything"));
  files.push_back({"vectors.svh", fmt::format("// {}, {} lanes: what the .hex files of this folder hold\n"
                                              "`define VERNIER_LANES {}\n`define VERNIER_NUM_CYCLES {}\n",
                                              unit.name, lanes, lanes, replay.lanes->rows.size())});
  return files;
}

std::vector<VectorFile> array_files(const Replay& replay) {
  const spec::RtlBlock& unit = *spec::rtl_block_of_unit(replay.unit);
  const auto lanes = static_cast<int>(replay.datapath.lanes);
  ClockedBlock block(make_loose_pins(unit, lanes), unit, lanes);
  ArrayPins pins(block);
  Random random(1);
  BeatColumns commands(block, {"cmd_"}), weights(block, {"wgt_"}), activations(block, {"act_", "win_"}),
      parameters(block, {"prm_"}), addends(block, {"add_"});
  RowColumns rows(lanes);
  kernels::Accumulators accumulators;
  uint64_t bank = 0;
  size_t number = 0;  // of the command
  for (const Sequence& sequence : replay.commands->sequences) {
    std::vector<spec::MacCommand> list;
    for (const Work& command : sequence.works) list.push_back(command.mac());
    const std::vector<timing::CommandEdges> edges = timing::mac_edges(list, replay.datapath);
    for (size_t i = 0; i < sequence.works.size(); ++i) {
      ArrayTraffic traffic(sequence.works[i], replay.datapath, replay.commands->tables, accumulators);
      traffic.drive_command(pins);
      commands.take();
      for (; traffic.has_weights(); traffic.take_weights()) {
        traffic.drive_weights(pins, random);
        weights.take("wgt_command", number);
      }
      for (; traffic.has_activations(); traffic.take_activations()) {
        traffic.drive_activations(pins, random);
        activations.take("act_command", number);
      }
      for (; traffic.has_parameters(); traffic.take_parameters()) {
        traffic.drive_parameters(pins, random);
        parameters.take("prm_command", number);
      }
      for (; traffic.has_addends(); traffic.take_addends()) {
        traffic.drive_addends(pins, random);
        addends.take("add_command", number);
      }
      ArrayRow row;
      for (size_t idx = 0; traffic.next_row(row); ++idx) {
        rows.take(row, bank, edges[i].results[idx]);
        if (row.is_last_of_tile) bank = 1 - bank;
      }
      ++number;
    }
    if (sequence.reset_after_cycles) {
      bank = 0;
      accumulators = {};
    }
  }
  const auto counted = [](const std::vector<PortColumn>& columns) { return columns.front().words.size(); };
  const FillColumns fills(replay.commands->tables, lanes);
  std::vector<VectorFile> files = beat_files(replay, {&commands, &weights, &activations, &parameters, &addends}, fills);
  for (const PortColumn& column : rows.columns())
    files.push_back(file_of(replay, column, "one for each row of results, in their order; x: anything"));
  files.push_back({"vectors.svh",
                   fmt::format("// {}, {} lanes: what the .hex files of this folder hold\n"
                               "`define VERNIER_LANES {}\n`define VERNIER_NUM_COMMANDS {}\n`define VERNIER_NUM_WEIGHTS {}\n"
                               "`define VERNIER_NUM_ACTIVATIONS {}\n`define VERNIER_NUM_PARAMETERS {}\n"
                               "`define VERNIER_NUM_ADDENDS {}\n`define VERNIER_NUM_ROWS {}\n"
                               "`define VERNIER_NUM_FILLS {}\n",
                               unit.name, lanes, lanes, counted(commands.columns()), counted(weights.columns()),
                               counted(activations.columns()), counted(parameters.columns()), counted(addends.columns()),
                               counted(rows.columns()), fills.num_beats())});
  return files;
}

std::vector<VectorFile> vector_unit_files(const Replay& replay) {
  const spec::RtlBlock& unit = *spec::rtl_block_of_unit(replay.unit);
  const auto lanes = static_cast<int>(replay.datapath.lanes);
  ClockedBlock block(make_loose_pins(unit, lanes), unit, lanes);
  Port cmd = block.port("cmd_i"), ld_data = block.port("ld_data_i");
  BeatColumns commands(block, {"cmd_"}), loads(block, {"ld_"});
  PortColumn data{"st_data_o", int64_t{32} * lanes, {}}, mask{"st_mask_o", lanes, {}};
  constexpr int64_t kLaneBits = 32;
  for (const Work& work : replay.commands->sequences.front().works) {
    VectorRun run(work, replay.datapath, replay.commands->tables);
    put_command(cmd, work.vector(), spec::PortFields::OfDatapath);
    commands.take();
    while (run.load) {
      run.put_load(ld_data, lanes);
      loads.take();
      if (!run.loads.next(*run.load)) run.load.reset();
    }
    while (run.store) {
      std::string word;
      const int bits = 8 * run.beat_bytes(run.store->step);
      for (int64_t lane = lanes - 1; lane >= 0; --lane) {
        const bool has_element = lane < run.store->first.count;
        word += unknown_word(kLaneBits - (has_element ? bits : 0));
        if (has_element) word += hex_word(run.take_element(*run.store, lane), bits);
      }
      data.words.push_back(std::move(word));
      mask.words.push_back(hex_word((uint64_t{1} << run.store->first.count) - 1, lanes));
      if (!run.stores.next(*run.store)) run.store.reset();
    }
  }
  const FillColumns fills(replay.commands->tables, lanes);
  std::vector<VectorFile> files = beat_files(replay, {&commands, &loads}, fills);
  for (const PortColumn* column : {&data, &mask})
    files.push_back(file_of(replay, *column, "one for each beat of a store, in their order; x: anything"));
  files.push_back({"vectors.svh", fmt::format("// {}, {} lanes: what the .hex files of this folder hold\n"
                                              "`define VERNIER_LANES {}\n`define VERNIER_NUM_COMMANDS {}\n"
                                              "`define VERNIER_NUM_LOADS {}\n`define VERNIER_NUM_STORES {}\n"
                                              "`define VERNIER_NUM_FILLS {}\n",
                                              unit.name, lanes, lanes, commands.columns().front().words.size(),
                                              loads.columns().front().words.size(), data.words.size(), fills.num_beats())});
  return files;
}

}  // namespace

std::vector<VectorFile> vector_files(const Replay& replay) {
  if (replay.lanes) return lane_files(replay);
  const bool is_vector_unit = spec::rtl_block_of_unit(replay.unit)->kind == spec::RtlKind::VectorUnit;
  return is_vector_unit ? vector_unit_files(replay) : array_files(replay);
}

std::vector<PortColumn> input_columns(const LaneReplay& replay, const spec::RtlBlock& unit, int lanes) {
  std::vector<PortColumn> columns;
  size_t at = 0;
  for (const spec::RtlPort& port : logged_ports(unit)) {
    PortColumn& column = columns.emplace_back(PortColumn{std::string(port.name), port.bits(lanes), {}});
    const auto bytes = static_cast<size_t>(logged_bytes(column.bits));
    for (int64_t i = 0; i < replay.rows.size(); ++i)
      column.words.push_back(hex_word(replay.rows.row(i).subspan(at, bytes), column.bits));
    at += bytes;
  }
  return columns;
}

std::vector<PortColumn> output_columns(const std::vector<LaneOutputs>& outputs, const spec::RtlBlock& unit, int lanes) {
  std::vector<PortColumn> columns;
  for (const spec::RtlPort& port : unit.ports) {
    if (!port.is_output || port.name == "tbl_ready_o") continue;
    PortColumn& column = columns.emplace_back(PortColumn{std::string(port.name), port.bits(lanes), {}});
    const bool is_valid = port.name.ends_with("_valid_o"), is_format = port.name == "slot_format_o";
    const bool is_tag = port.name.ends_with("_tag_o");
    for (const LaneOutputs& seen : outputs) {
      std::string word = unknown_word(column.bits);
      if (seen.is_known && is_valid) word = std::string(1, seen.tag ? '1' : '0');
      if (seen.is_known && is_format) word = hex_word(seen.formats, column.bits);
      if (seen.is_known && seen.tag && !is_valid && !is_format)
        word = is_tag ? hex_word(*seen.tag, column.bits) : hex_word(std::as_bytes(std::span(seen.results)), column.bits);
      column.words.push_back(std::move(word));
    }
  }
  return columns;
}

}  // namespace vernier::cosim
