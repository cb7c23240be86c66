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

Json command_json(const Work& work, std::string_view results_key, const std::vector<std::string>& results) {
  std::vector<std::byte> words;
  package::encode(work.command, words);
  return {{"words", hex_bytes(words)}, {"sram", hex_bytes(work.bytes)}, {std::string(results_key), results}};
}

/// How the ports of a sequence are served.
void put_pace(Json& json, const Sequence& sequence) {
  json["pace"] = kReplayPaceNames[static_cast<size_t>(sequence.pace)];
  json["random_state"] = sequence.random_state.value_or(1);
  if (sequence.shared_percent) json["shared_percent"] = *sequence.shared_percent;
  json["reset_after_cycles"] = nullptr;
  if (sequence.reset_after_cycles) json["reset_after_cycles"] = *sequence.reset_after_cycles;
}

/// The members of a file of a vector unit.
void put_vector(Json& json, const CommandReplay& replay, const spec::Datapath& datapath) {
  const Sequence& sequence = replay.sequences.front();
  json["name"] = sequence.names.empty() ? "" : sequence.names.front();
  put_pace(json, sequence);
  json["commands"] = Json::array();
  const auto stores = vector_stores(replay, datapath);
  for (size_t i = 0; i < stores.size(); ++i)
    json["commands"].push_back(command_json(sequence.works[i], "stores", stores[i]));
}

Json sequence_json(const Sequence& sequence, const std::vector<std::vector<std::string>>& rows) {
  Json json;
  put_pace(json, sequence);
  json["idle_cycles"] = sequence.idle_cycles;
  json["commands"] = Json::array();
  for (size_t i = 0; i < sequence.works.size(); ++i) {
    Json command{{"name", i < sequence.names.size() ? sequence.names[i] : ""}};
    command.update(command_json(sequence.works[i], "rows", rows[i]));
    json["commands"].push_back(std::move(command));
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
  } else {
    json["first_cycle"] = replay.commands->first_cycle;
    json["tables"] = tables_json(replay.commands->tables);
    if (unit.kind == spec::RtlKind::VectorUnit) {
      put_vector(json, *replay.commands, replay.datapath);
    } else {
      json["sequences"] = Json::array();
      const auto rows = array_rows(*replay.commands, replay.datapath);
      for (size_t i = 0; i < rows.size(); ++i)
        json["sequences"].push_back(sequence_json(replay.commands->sequences[i], rows[i]));
    }
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace vernier::cosim
