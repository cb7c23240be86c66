// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/replay/replay_file.hpp"

#include "hw/package/command_codec.hpp"
#include "sim/cosim/replay/replay_words.hpp"
#include "sim/cosim/replay/vector_files.hpp"
#include "sim/cosim/stream/table_driver.hpp"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>

namespace vernier::cosim {
namespace {

using Json = nlohmann::ordered_json;

Json columns_json(const std::vector<PortColumn>& columns) {
  Json json = Json::object();
  for (const PortColumn& column : columns) json[column.port] = fmt::format("{}", fmt::join(column.words, " "));
  return json;
}

Json tables_json(const kernels::TableMemory& tables) {
  Json json = Json::array();
  for (const kernels::TableSlot& slot : tables) {
    if (!slot.type) {
      json.push_back(nullptr);
      continue;
    }
    const auto bytes = std::span(slot.bytes).first(static_cast<size_t>(table_bytes(*slot.type)));
    json.push_back({{"format", base::to_string(*slot.type)}, {"bytes", hex_bytes(bytes)}});
  }
  return json;
}

Json vector_command_json(const VectorJob& job, const std::vector<std::string>& stores) {
  std::vector<std::byte> words;
  package::encode(spec::Command{{spec::Queue::VectorUnit, 0, 0}, job.command}, words);
  return {{"words", hex_bytes(words)}, {"sram", hex_bytes(job.sram)}, {"stores", stores}};
}

/// The members of a file of a vector unit.
void put_vector(Json& json, const VectorReplay& replay, const spec::Datapath& datapath) {
  json["first_cycle"] = replay.first_cycle;
  json["tables"] = tables_json(replay.tables);
  json["name"] = replay.name;
  json["pace"] = kReplayPaceNames[static_cast<size_t>(replay.pace)];
  json["random_state"] = replay.random_state;
  json["shared_percent"] = replay.shared_percent;
  json["reset_after_cycles"] = nullptr;
  if (replay.reset_after_cycles) json["reset_after_cycles"] = *replay.reset_after_cycles;
  json["commands"] = Json::array();
  const auto stores = vector_stores(replay, datapath);
  for (size_t i = 0; i < replay.jobs.size(); ++i) json["commands"].push_back(vector_command_json(replay.jobs[i], stores[i]));
}

Json sequence_json(const ReplaySequence& sequence, const std::vector<std::vector<std::string>>& rows) {
  Json json{{"pace", kReplayPaceNames[static_cast<size_t>(sequence.pace)]},
            {"random_state", sequence.random_state},
            {"reset_after_cycles", nullptr},
            {"idle_cycles", sequence.idle_cycles},
            {"commands", Json::array()}};
  if (sequence.reset_after_cycles) json["reset_after_cycles"] = *sequence.reset_after_cycles;
  for (size_t i = 0; i < sequence.commands.size(); ++i) {
    std::vector<std::byte> words;
    package::encode(spec::Command{{spec::Queue::MacArray, 0, 0}, sequence.commands[i].command}, words);
    json["commands"].push_back({{"name", i < sequence.names.size() ? sequence.names[i] : ""},
                                {"words", hex_bytes(words)},
                                {"sram", hex_bytes(sequence.commands[i].sram)},
                                {"rows", rows[i]}});
  }
  return json;
}

}  // namespace

std::string replay_text(const Replay& replay, std::string_view tool_version) {
  const spec::RtlBlock& unit = *spec::rtl_block_of_unit(replay.unit);
  const auto lanes = static_cast<int>(replay.datapath.lanes);
  Json json{{"schema", kReplaySchema},
            {"tool_version", tool_version},
            {"interface_version", spec::kRtlInterfaceVersion},
            {"unit", replay.unit},
            {"config", replay.config},
            {"lanes", lanes},
            {"sram_read_words", replay.datapath.sram_read_words},
            {"sram_write_words", replay.datapath.sram_write_words},
            {"mismatch", replay.mismatch}};
  if (replay.kind) json["mismatch_kind"] = name_of(*replay.kind);
  json["reset_seed"] = replay.reset_seed;
  json["is_whole"] = replay.is_whole;
  json["is_reproduced"] = replay.is_reproduced;
  if (replay.lanes) {
    const auto outputs = lane_outputs(*replay.lanes, unit, lanes, unit.latency_cycles, replay.unit);
    json["first_vector"] = replay.lanes->first_vector;
    json["first_cycle"] = replay.lanes->rows.first_cycle;
    json["num_cycles"] = replay.lanes->rows.size();
    json["inputs"] = columns_json(input_columns(*replay.lanes, unit, lanes));
    json["expected"] = columns_json(output_columns(outputs, unit, lanes));
  } else if (replay.vector) {
    put_vector(json, *replay.vector, replay.datapath);
  } else {
    json["first_cycle"] = replay.array->first_cycle;
    json["tables"] = tables_json(replay.array->tables);
    json["sequences"] = Json::array();
    const auto rows = array_rows(*replay.array, replay.datapath);
    for (size_t i = 0; i < rows.size(); ++i) json["sequences"].push_back(sequence_json(replay.array->sequences[i], rows[i]));
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace vernier::cosim
