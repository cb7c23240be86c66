// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/replay_file.hpp"

#include "hw/base/file.hpp"
#include "hw/package/command_codec.hpp"
#include "hw/package/range.hpp"
#include "sim/cosim/replay_words.hpp"
#include "sim/cosim/table_driver.hpp"
#include "sim/cosim/vector_files.hpp"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>

namespace vernier::cosim {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kMostFileBytes = int64_t{1} << 30;
constexpr int64_t kMostCycles = 10'000'000;
constexpr int64_t kMostMacs = int64_t{1} << 33;
constexpr int64_t kMostResultBytes = int64_t{1} << 28;
constexpr std::array<std::string_view, kNumPaces> kPaceNames{"ideal", "frozen", "stalls", "held"};
constexpr int64_t kMostWords = 4096;  // SRAM words a cycle of a machine: docs/reference/machine.md allows fewer

// ------------------------------------------------------------------------------------------------------------- writing

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

Json sequence_json(const ReplaySequence& sequence, const std::vector<std::vector<std::string>>& rows) {
  Json json{{"pace", kPaceNames[static_cast<size_t>(sequence.pace)]},
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

// ------------------------------------------------------------------------------------------------------------- reading

/// A file in reading: its members, each of the type and in the bounds that it has to have.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& file) : file_(file.string()) {
    std::error_code unknown;
    if (const auto size = std::filesystem::file_size(file, unknown);
        !unknown && size > static_cast<uintmax_t>(kMostFileBytes))
      refuse("has {} bytes, at most {} are read", size, kMostFileBytes);
    json_ = Json::parse(base::read_text_file(file), nullptr, false);
    if (json_.is_discarded()) refuse("is no JSON text, or only the begin of one");
    if (!json_.is_object()) refuse("is no JSON object");
  }

  Replay read() {
    const std::string schema = text(json_, "schema");
    if (schema != kReplaySchema) refuse("has schema '{}', this program reads '{}'", schema, kReplaySchema);
    const int64_t version = number(json_, "interface_version", 0, INT32_MAX);
    if (version != spec::kRtlInterfaceVersion)
      refuse("is for interface version {} of the RTL, this program has {}", version, spec::kRtlInterfaceVersion);
    Replay replay;
    replay.unit = text(json_, "unit");
    const spec::RtlBlock* unit = spec::rtl_block_of_unit(replay.unit);
    if (unit == nullptr || !has_replays(*unit)) refuse("is of a unit '{}', allowed are {}", replay.unit, unit_names());
    replay.config = text(json_, "config");
    replay.datapath.lanes = static_cast<int>(number(json_, "lanes", 1, 1 << 20));
    if (std::ranges::find(spec::kRtlLanes, replay.datapath.lanes) == spec::kRtlLanes.end())
      refuse("has {} lanes, allowed are {}", replay.datapath.lanes, fmt::format("{}", fmt::join(spec::kRtlLanes, ", ")));
    replay.datapath.sram_read_words = static_cast<int>(number(json_, "sram_read_words", 1, kMostWords));
    replay.datapath.sram_write_words = static_cast<int>(number(json_, "sram_write_words", 1, kMostWords));
    replay.mismatch = text(json_, "mismatch");
    replay.is_whole = flag(json_, "is_whole");
    replay.is_reproduced = flag(json_, "is_reproduced");
    if (unit->latency_cycles > 0) {
      replay.lanes = lanes(*unit, replay.datapath.lanes);
    } else {
      replay.array = array(replay.datapath);
    }
    return replay;
  }

 private:
  template <typename... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) const {
    throw base::UserError(file_, "is no replay that can be run: it {}", fmt::format(format, std::forward<Args>(args)...));
  }

  static bool has_replays(const spec::RtlBlock& block) { return block.unit != "vector"; }

  static std::string unit_names() {
    std::vector<std::string_view> names;
    for (const spec::RtlBlock& block : spec::kRtlBlocks) {
      if (has_replays(block)) names.push_back(block.unit);
    }
    return fmt::format("{}", fmt::join(names, ", "));
  }

  const Json& member(const Json& object, const char* key) const {
    if (!object.is_object()) refuse("has something else than an object where '{}' is looked for", key);
    const auto found = object.find(key);
    if (found == object.end()) refuse("has no '{}'", key);
    return *found;
  }
  std::string text(const Json& object, const char* key) const {
    const Json& value = member(object, key);
    if (!value.is_string()) refuse("has a '{}' that is no text", key);
    return value.get<std::string>();
  }
  bool flag(const Json& object, const char* key) const {
    const Json& value = member(object, key);
    if (!value.is_boolean()) refuse("has a '{}' that is neither true nor false", key);
    return value.get<bool>();
  }
  int64_t number(const Json& object, const char* key, int64_t least, int64_t most) const {
    const Json& value = member(object, key);
    const bool is_small = value.is_number_integer() &&
                          (!value.is_number_unsigned() || value.get<uint64_t>() <= static_cast<uint64_t>(INT64_MAX));
    const int64_t found = is_small ? value.get<int64_t>() : 0;
    if (!is_small || found < least || found > most)
      refuse("has {} for '{}', allowed are {} to {}", shortened(value.dump()), key, least, most);
    return found;
  }
  const Json& list(const Json& object, const char* key) const {
    const Json& value = member(object, key);
    if (!value.is_array()) refuse("has a '{}' that is no list", key);
    return value;
  }
  static std::string shortened(std::string text) {
    constexpr size_t kMost = 40;
    if (text.size() > kMost) text = text.substr(0, kMost) + "...";
    return text;
  }

  std::vector<std::byte> bytes(const Json& object, const char* key) const {
    auto found = read_hex_bytes(text(object, key));
    if (!found) refuse("has a '{}' that is not pairs of digits 0 to f", key);
    return std::move(*found);
  }

  /// The words of a port, one for each cycle.
  std::vector<std::string_view> words_of(const std::string& text, std::string_view port, int64_t count) const {
    std::vector<std::string_view> words;
    std::string_view rest = text;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find(' '), rest.size());
      words.push_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (std::ssize(words) > count) break;
    }
    if (std::ssize(words) != count)
      refuse("has {}{} words of {} for {} cycles", std::ssize(words) > count ? "more than " : "",
             std::min(std::ssize(words), count), port, count);
    return words;
  }

  LaneReplay lanes(const spec::RtlBlock& unit, int num_lanes) const {
    LaneReplay replay;
    const int64_t count = number(json_, "num_cycles", 1, kMostCycles);
    replay.first_vector = number(json_, "first_vector", 0, INT64_MAX / 2);
    PinRows& rows = replay.rows;
    rows.first_cycle = number(json_, "first_cycle", 0, INT64_MAX / (2 * kWaveCyclePs));
    rows.row_bytes = row_bytes_of(unit, num_lanes);
    const Json& inputs = member(json_, "inputs");
    std::vector<std::pair<int64_t, std::vector<std::byte>>> columns;  // bytes of a word, all words
    for (const spec::RtlPort& port : logged_ports(unit)) {
      const std::string text = this->text(inputs, std::string(port.name).c_str());
      const int64_t bits = port.bits(num_lanes), bytes = logged_bytes(bits);
      const std::vector<std::string_view> words = words_of(text, port.name, count);
      std::vector<std::byte> column(static_cast<size_t>(bytes * count));
      for (size_t i = 0; i < words.size(); ++i) {
        const auto at = std::span(column).subspan(i * static_cast<size_t>(bytes), static_cast<size_t>(bytes));
        if (!read_hex_word(words[i], bits, at))
          refuse("has '{}' for {} in cycle {} of it, where {} bits are wanted, in digits 0 to f",
                 shortened(std::string(words[i])), port.name, i, bits);
      }
      columns.emplace_back(bytes, std::move(column));
    }
    for (int64_t i = 0; i < count; ++i) {
      for (const auto& [width, column] : columns)
        rows.bytes.insert(rows.bytes.end(), column.begin() + i * width, column.begin() + (i + 1) * width);
    }
    check_outputs(replay, unit, num_lanes);
    return replay;
  }

  /// What the file expects is what the model gives.
  void check_outputs(const LaneReplay& replay, const spec::RtlBlock& unit, int num_lanes) const {
    const Json& expected = member(json_, "expected");
    const auto outputs = lane_outputs(replay, unit, num_lanes, unit.latency_cycles, file_);
    for (const PortColumn& column : output_columns(outputs, unit, num_lanes)) {
      const std::string found = text(expected, column.port.c_str());
      const std::vector<std::string_view> words = words_of(found, column.port, replay.rows.size());
      const auto idx = static_cast<size_t>(std::ranges::mismatch(words, column.words).in1 - words.begin());
      if (idx == words.size()) continue;
      refuse("expects {} of {} in cycle {} of it, and the model gives {}", shortened(std::string(words[idx])), column.port,
             idx, shortened(column.words[idx]));
    }
  }

  kernels::TableMemory tables() const {
    kernels::TableMemory tables;
    const Json& slots = list(json_, "tables");
    if (slots.size() != tables.size()) refuse("has {} tables, wanted are {}", slots.size(), tables.size());
    for (size_t i = 0; i < tables.size(); ++i) {
      if (slots[i].is_null()) continue;
      const std::string name = text(slots[i], "format");
      const auto format = base::element_type_from_name(name);
      if (!format || *format < base::ElementType::Int8 || *format > base::ElementType::Int32)
        refuse("has a table of {}, allowed are int8, int16 and int32", shortened(name));
      const std::vector<std::byte> entries = bytes(slots[i], "bytes");
      if (std::ssize(entries) != table_bytes(*format))
        refuse("has {} bytes of a table of {}, wanted are {}", entries.size(), name, table_bytes(*format));
      tables[i].type = format;
      std::ranges::copy(entries, tables[i].bytes.begin());
    }
    return tables;
  }

  ArrayReplay array(const spec::Datapath& datapath) const {
    ArrayReplay replay;
    replay.first_cycle = number(json_, "first_cycle", 0, INT64_MAX / (2 * kWaveCyclePs));
    replay.tables = tables();
    const Json& sequences = list(json_, "sequences");
    if (sequences.empty()) refuse("has no sequence of commands");
    bool has_first = false;  // the array has sums that a slice can go on with
    int64_t macs = 0;
    for (const Json& json : sequences) {
      ReplaySequence& sequence = replay.sequences.emplace_back();
      const std::string pace = text(json, "pace");
      const auto* found = std::ranges::find(kPaceNames, pace);
      if (found == kPaceNames.end()) refuse("has a pace '{}', allowed are {}", shortened(pace), fmt::join(kPaceNames, ", "));
      sequence.pace = static_cast<ArrayPace>(found - kPaceNames.begin());
      const Json& state = member(json, "random_state");
      if (!state.is_number_unsigned()) refuse("has a 'random_state' that is no number of 64 bits");
      sequence.random_state = state.get<uint64_t>();
      if (!member(json, "reset_after_cycles").is_null())
        sequence.reset_after_cycles = number(json, "reset_after_cycles", 0, kMostCycles);
      sequence.idle_cycles = number(json, "idle_cycles", 0, kMostCycles);
      if (list(json, "commands").empty()) refuse("has a sequence without a command");
      for (const Json& command : list(json, "commands")) {
        sequence.names.push_back(text(command, "name"));
        sequence.commands.push_back(this->command(command, datapath));
        const MacCommand& m = sequence.commands.back().command;
        if (!m.first && !has_first) refuse("has a slice of a reduction without the slices before it");
        if (!m.first && !continues(kept_, m)) refuse("has a slice of a reduction of another shape than the one before it");
        has_first = true;
        kept_ = m;
        macs += m.out_rows * m.out_columns * m.out_channels * (m.reduction_end - m.reduction_begin);
        if (macs > kMostMacs) refuse("has commands of more than {} MACs", kMostMacs);
      }
      if (std::ranges::all_of(sequence.names, &std::string::empty)) sequence.names.clear();
      if (sequence.reset_after_cycles) has_first = false;
    }
    check_rows(replay, datapath);
    return replay;
  }

  using MacCommand = spec::MacCommand;
  static bool continues(const MacCommand& before, const MacCommand& m) {
    return before.out_rows == m.out_rows && before.out_columns == m.out_columns && before.out_channels == m.out_channels &&
           before.accumulator_is_48 == m.accumulator_is_48;
  }

  ArrayCommand command(const Json& json, const spec::Datapath& datapath) const {
    const std::vector<std::byte> words = bytes(json, "words");
    const package::Decoded decoded = package::decode(words);
    if (decoded.fault != spec::FaultCode::None) refuse("has a command that is none: {}", decoded.detail);
    if (decoded.length_bytes != std::ssize(words))
      refuse("has a command of {} bytes in {}", decoded.length_bytes, words.size());
    const auto* mac = std::get_if<MacCommand>(&decoded.command.body);
    if (mac == nullptr) refuse("has a command that is not for the array");
    const package::Validity validity = package::check(decoded.command, datapath);
    if (validity.fault != spec::FaultCode::None) refuse("has a command that no machine takes: {}", validity.detail);
    ArrayCommand array{*mac, bytes(json, "sram")};
    check_memory(array, datapath);
    return array;
  }

  void check_memory(const ArrayCommand& array, const spec::Datapath& datapath) const {
    const MacCommand& m = array.command;
    for (const int64_t extent : {m.out_rows, m.out_columns, m.out_channels, m.reduction_end - m.reduction_begin}) {
      if (extent < 0 || extent > (int64_t{1} << 20)) refuse("has a command with an extent of {}", extent);
    }
    const int64_t most = std::ssize(array.sram);
    int64_t begin = INT64_MAX, end = 0;
    for (const package::Range& range : package::ranges_of(spec::Command{{spec::Queue::MacArray, 0, 0}, m}, datapath)) {
      if (range.storage != package::Storage::Sram) continue;
      if (range.is_write) {
        begin = std::min(begin, range.base);
        end = std::max(end, range.end());
      } else if (range.base < 0 || range.end() > most) {
        refuse("has {} bytes of SRAM, and its command reads {} at {} to {}", most, range.what, range.base, range.end());
      }
    }
    if (end > 0 && (begin < 0 || end - begin > kMostResultBytes))
      refuse("has a command whose results lie {} bytes apart, at most {} do", end - begin, kMostResultBytes);
  }

  void check_rows(const ArrayReplay& replay, const spec::Datapath& datapath) const {
    const auto right = array_rows(replay, datapath);
    for (size_t s = 0; s < right.size(); ++s) {
      for (size_t i = 0; i < right[s].size(); ++i) {
        const Json& rows = list(json_["sequences"][s]["commands"][i], "rows");
        if (rows.size() != right[s][i].size())
          refuse("expects {} rows of results of a command that gives {}", rows.size(), right[s][i].size());
        for (size_t row = 0; row < rows.size(); ++row) {
          if (rows[row].is_string() && rows[row].get<std::string>() == right[s][i][row]) continue;
          refuse("expects '{}' of a row of results, and the model gives '{}'", shortened(rows[row].dump()),
                 shortened(right[s][i][row]));
        }
      }
    }
  }

  std::string file_;
  Json json_;
  mutable MacCommand kept_;  // the slice before
};

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
            {"mismatch", replay.mismatch},
            {"is_whole", replay.is_whole},
            {"is_reproduced", replay.is_reproduced}};
  if (replay.lanes) {
    const auto outputs = lane_outputs(*replay.lanes, unit, lanes, unit.latency_cycles, replay.unit);
    json["first_vector"] = replay.lanes->first_vector;
    json["first_cycle"] = replay.lanes->rows.first_cycle;
    json["num_cycles"] = replay.lanes->rows.size();
    json["inputs"] = columns_json(input_columns(*replay.lanes, unit, lanes));
    json["expected"] = columns_json(output_columns(outputs, unit, lanes));
  } else {
    json["first_cycle"] = replay.array->first_cycle;
    json["tables"] = tables_json(replay.array->tables);
    json["sequences"] = Json::array();
    const auto rows = array_rows(*replay.array, replay.datapath);
    for (size_t i = 0; i < rows.size(); ++i) json["sequences"].push_back(sequence_json(replay.array->sequences[i], rows[i]));
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Replay read_replay(const std::filesystem::path& file) { return Reader(file).read(); }

}  // namespace vernier::cosim
