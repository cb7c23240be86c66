// SPDX-License-Identifier: Apache-2.0
// Long because: each field of the file has a refusal of its own.
#include "hw/base/file.hpp"
#include "hw/package/command_codec.hpp"
#include "hw/package/range.hpp"
#include "hw/sequence/vector_beats.hpp"
#include "sim/cosim/replay/replay_file.hpp"
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

constexpr int64_t kMostFileBytes = int64_t{1} << 30;
constexpr int64_t kMostCycles = 10'000'000;
constexpr int64_t kMostElements = int64_t{1} << 24;  // of all commands of the vector unit
constexpr int64_t kMostMacs = int64_t{1} << 33;
constexpr int64_t kMostResultBytes = int64_t{1} << 28;
constexpr int64_t kMostWords = 4096;  // SRAM words a cycle of a machine: docs/reference/machine.md allows fewer

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
    if (json_.contains("mismatch_kind")) replay.kind = kind(text(json_, "mismatch_kind"));
    if (json_.contains("reset_seed")) replay.reset_seed = static_cast<int>(number(json_, "reset_seed", 1, INT32_MAX));
    replay.is_whole = flag(json_, "is_whole");
    replay.is_reproduced = flag(json_, "is_reproduced");
    switch (unit->kind) {
      case spec::RtlKind::Pipe: replay.lanes = lanes(*unit, replay.datapath.lanes); break;
      case spec::RtlKind::VectorUnit: replay.commands = vector(replay.datapath); break;
      default: replay.commands = array(replay.datapath); break;
    }
    return replay;
  }

 private:
  template <typename... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) const {
    throw base::UserError(file_, "is no replay that can be run: it {}", fmt::format(format, std::forward<Args>(args)...));
  }

  MismatchKind kind(const std::string& name) const {
    const auto* const found = std::ranges::find(kMismatchKindNames, name);
    if (found == kMismatchKindNames.end())
      refuse("has the mismatch_kind '{}', allowed are {}", shortened(name),
             fmt::format("{}", fmt::join(kMismatchKindNames, ", ")));
    return static_cast<MismatchKind>(found - kMismatchKindNames.begin());
  }

  static bool has_replays(const spec::RtlBlock& block) { return block.kind != spec::RtlKind::Core; }

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

  /// How the ports of a sequence are served.
  Sequence sequence(const Json& json) const {
    Sequence sequence;
    const std::string name = text(json, "pace");
    const auto* found = std::ranges::find(kReplayPaceNames, name);
    if (found == kReplayPaceNames.end())
      refuse("has a pace '{}', allowed are {}", shortened(name), fmt::join(kReplayPaceNames, ", "));
    sequence.pace = static_cast<ArrayPace>(found - kReplayPaceNames.begin());
    const Json& state = member(json, "random_state");
    if (!state.is_number_unsigned()) refuse("has a 'random_state' that is no number of 64 bits");
    sequence.random_state = state.get<uint64_t>();
    if (!member(json, "reset_after_cycles").is_null())
      sequence.reset_after_cycles = number(json, "reset_after_cycles", 0, kMostCycles);
    return sequence;
  }

  CommandReplay vector(const spec::Datapath& datapath) const {
    CommandReplay replay;
    replay.first_cycle = number(json_, "first_cycle", 0, INT64_MAX / (2 * kWaveCyclePs));
    replay.tables = tables();
    const std::string name = text(json_, "name");
    Sequence& sequence = replay.sequences.emplace_back(this->sequence(json_));
    if (!name.empty()) sequence.names = {name};
    sequence.shared_percent = number(json_, "shared_percent", 0, 99);
    if (list(json_, "commands").empty()) refuse("has no command");
    int64_t elements = 0;
    for (const Json& command : list(json_, "commands")) {
      sequence.works.push_back(job(command, datapath, replay.tables));
      elements += elements_of(sequence.works.back().vector(), kMostElements);
      if (elements > kMostElements) refuse("has commands of more than {} elements", kMostElements);
    }
    for (size_t i = 0; i < sequence.works.size(); ++i)
      check_number_of_stores(json_["commands"][i], sequence.works[i], datapath);
    const auto stores = vector_stores(replay, datapath);
    for (size_t i = 0; i < stores.size(); ++i) check_results(list(json_["commands"][i], "stores"), stores[i], "store");
    return replay;
  }

  Work job(const Json& json, const spec::Datapath& datapath, const kernels::TableMemory& tables) const {
    const spec::Command decoded = decoded_command(json, datapath);
    const auto* command = std::get_if<spec::VectorCommand>(&decoded.body);
    if (command == nullptr) refuse("has a command that is not for the vector unit");
    Work made(*command, bytes(json, "sram"));
    for (const spec::VectorStep& step : command->steps) {
      if (step.op == spec::VectorOp::Table && tables[static_cast<size_t>(step.slot)].type != step.type)
        refuse("has a step that looks up slot {} as {}, which is not its format", step.slot, base::to_string(step.type));
    }
    for (const package::Range& range : package::ranges_of(decoded, datapath)) {
      if (range.storage == package::Storage::Sram && (range.base < 0 || range.end() > std::ssize(made.bytes)))
        refuse("has {} bytes of SRAM, and its command has {} at {} to {}", made.bytes.size(), range.what, range.base,
               range.end());
    }
    return made;
  }

  /// At most `most` and a bit.
  static int64_t elements_of(const spec::VectorCommand& command, int64_t most) {
    int64_t elements = command.lanes;
    for (const int64_t count : command.counts)
      elements = elements > most ? elements : elements * std::max<int64_t>(count, 1);
    return elements;
  }

  /// Before the values of all of them are made.
  void check_number_of_stores(const Json& json, const Work& job, const spec::Datapath& datapath) const {
    const auto expected = static_cast<int64_t>(list(json, "stores").size());
    int64_t count = 0;
    sequence::VectorBeats beats = sequence::VectorBeats::of_stores(job.vector(), datapath);
    for (sequence::VectorBeat beat; count <= expected && beats.next(beat);) ++count;
    if (count != expected)
      refuse("expects {} beats of stores of a command that gives {}{}", expected, count > expected ? "more than " : "",
             count > expected ? expected : count);
  }

  /// What the file expects of a command is what the model gives.
  void check_results(const Json& found, const std::vector<std::string>& right, std::string_view what) const {
    for (size_t i = 0; i < right.size(); ++i) {
      if (found[i].is_string() && found[i].get<std::string>() == right[i]) continue;
      refuse("expects '{}' of a {}, and the model gives '{}'", shortened(found[i].dump()), what, shortened(right[i]));
    }
  }

  CommandReplay array(const spec::Datapath& datapath) const {
    CommandReplay replay;
    replay.first_cycle = number(json_, "first_cycle", 0, INT64_MAX / (2 * kWaveCyclePs));
    replay.tables = tables();
    const Json& sequences = list(json_, "sequences");
    if (sequences.empty()) refuse("has no sequence of commands");
    bool has_first = false;  // the array has sums that a slice can go on with
    int64_t macs = 0;
    for (const Json& json : sequences) {
      Sequence& sequence = replay.sequences.emplace_back(this->sequence(json));
      sequence.idle_cycles = number(json, "idle_cycles", 0, kMostCycles);
      if (list(json, "commands").empty()) refuse("has a sequence without a command");
      for (const Json& command : list(json, "commands")) {
        sequence.names.push_back(text(command, "name"));
        sequence.works.push_back(this->command(command, datapath));
        const MacCommand& m = sequence.works.back().mac();
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

  /// One that a machine takes.
  spec::Command decoded_command(const Json& json, const spec::Datapath& datapath) const {
    const std::vector<std::byte> words = bytes(json, "words");
    const package::Decoded decoded = package::decode(words);
    if (decoded.fault != spec::FaultCode::None) refuse("has a command that is none: {}", decoded.detail);
    if (decoded.length_bytes != std::ssize(words))
      refuse("has a command of {} bytes in {}", decoded.length_bytes, words.size());
    const package::Validity validity = package::check(decoded.command, datapath);
    if (validity.fault != spec::FaultCode::None) refuse("has a command that no machine takes: {}", validity.detail);
    return decoded.command;
  }

  Work command(const Json& json, const spec::Datapath& datapath) const {
    const spec::Command decoded = decoded_command(json, datapath);
    const auto* mac = std::get_if<MacCommand>(&decoded.body);
    if (mac == nullptr) refuse("has a command that is not for the array");
    Work array(*mac, bytes(json, "sram"));
    check_memory(array, datapath);
    return array;
  }

  void check_memory(const Work& array, const spec::Datapath& datapath) const {
    const MacCommand& m = array.mac();
    for (const int64_t extent : {m.out_rows, m.out_columns, m.out_channels, m.reduction_end - m.reduction_begin}) {
      if (extent < 0 || extent > (int64_t{1} << 20)) refuse("has a command with an extent of {}", extent);
    }
    const int64_t most = std::ssize(array.bytes);
    int64_t begin = INT64_MAX, end = 0;
    for (const package::Range& range : package::ranges_of(array.command, datapath)) {
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

  void check_rows(const CommandReplay& replay, const spec::Datapath& datapath) const {
    const auto right = array_rows(replay, datapath);
    for (size_t s = 0; s < right.size(); ++s) {
      for (size_t i = 0; i < right[s].size(); ++i) {
        const Json& rows = list(json_["sequences"][s]["commands"][i], "rows");
        if (rows.size() != right[s][i].size())
          refuse("expects {} rows of results of a command that gives {}", rows.size(), right[s][i].size());
        check_results(rows, right[s][i], "row of results");
      }
    }
  }

  std::string file_;
  Json json_;
  mutable MacCommand kept_;  // the slice before
};

}  // namespace

Replay read_replay(const std::filesystem::path& file) { return Reader(file).read(); }

}  // namespace vernier::cosim
