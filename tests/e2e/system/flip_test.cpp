// SPDX-License-Identifier: Apache-2.0
// A thousand flipped bits of commands, of tokens and of constants: each ends as done, fault or hang, never in a crash; and
// where values and cycles stay as they were, the test itself says why.
#include "compiler/reference/interpreter.hpp"
#include "hw/base/error.hpp"
#include "hw/model/rescale.hpp"
#include "hw/package/command_codec.hpp"
#include "hw/spec/command_fields.hpp"
#include "hw/spec/vector_values.hpp"
#include "tests/e2e/system/command_meaning.hpp"
#include "tests/e2e/system/flip_network.hpp"
#include "tests/e2e/system/image_map.hpp"
#include "tests/e2e/system/machine.hpp"
#include "tests/support/graph_builder.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <map>
#include <set>

namespace vernier::tests {
namespace {

constexpr int kNumFlips = 1000;
constexpr uint64_t kSeed = 20240607;
constexpr size_t kNumInputs = 12;

struct Case {
  ir::Graph graph = flip_network();
  package::Package package;
  std::vector<spec::Command> commands;
  std::vector<size_t> starts;  // of the commands in the stream
  std::vector<std::vector<package::Range>> ranges;
  std::vector<std::vector<base::Tensor>> inputs;
  std::vector<soc::JobResult> sound;  // what comes out of each input when nothing is flipped
  std::unique_ptr<soc::Npu> npu;
  std::map<std::string, int> tally;

  explicit Case(spec::MemoryMode memory) {
    config::MachineConfig config = machine("v256", memory);
    config.sram_bytes = 64 * spec::kKibi;  // flipped addresses shall often miss it
    package = compile(graph, config, 1);
    commands = commands_of(package);
    ranges = ranges_of(commands, config.datapath);
    for (size_t at = 0; at < package.stream.size();) {
      starts.push_back(at);
      at += static_cast<size_t>(package::decode(std::span(package.stream).subspan(at)).length_bytes);
    }
    npu = std::make_unique<soc::Npu>(config);
    for (size_t i = 0; i < kNumInputs; ++i) {
      inputs.push_back(random_inputs(graph, i));
      sound.push_back(npu->run(package, inputs.back()));
      REQUIRE(sound.back().outputs == reference::run(graph, inputs.back()).outputs);
    }
  }
  void print(const std::string& what) const {
    std::cout << what << ", seed " << kSeed << ":";
    for (const auto& [name, count] : tally) std::cout << " " << count << " " << name << ",";
    std::cout << "\n";
  }
};

void flip(std::vector<std::byte>& bytes, size_t byte, int bit) { bytes[byte] ^= static_cast<std::byte>(1 << bit); }

/// The damaged package through its file format, checksum mended; nothing when reading refuses it.
std::optional<package::Package> through_file(const package::Package& damaged) {
  std::vector<std::byte> bytes = package::to_bytes(damaged);
  package::mend_checksum(bytes);
  try {
    return package::from_bytes("damaged.vnpu", bytes);
  } catch (const base::UserError&) {
    return std::nullopt;
  }
}

bool same(const soc::JobResult& a, const soc::JobResult& b) {
  return a.is_done() && b.is_done() && a.cycles == b.cycles && a.outputs == b.outputs;
}

/// Whether two RESCALE steps agree on everything that this network's values can be.
bool rescales_agree(const spec::VectorStep& a, const spec::VectorStep& b) {
  if (a.op != spec::VectorOp::Rescale || b.op != spec::VectorOp::Rescale || !a.b_is_immediate || !b.b_is_immediate)
    return false;
  const auto result = [](const spec::VectorStep& s, int32_t value) {
    const auto m = static_cast<int32_t>(s.imm0);
    const auto shift = static_cast<int32_t>(s.shift);
    const int64_t scaled =
        s.scale32 ? model::apply_scale_32(value, m, shift, s.rounding) : model::apply_scale_16(value, m, shift, s.rounding);
    return std::clamp(scaled + s.imm1, base::min_value(s.type), base::max_value(s.type));
  };
  if (a.is_unsigned || b.is_unsigned) return false;
  if (a.type !=
      b.type) {  // an average of four: the wider type has a place for each sum of them, and the store for the result
    for (int32_t value = -4 * 128; value <= 4 * 127; ++value) {
      if (result(a, value) != result(b, value)) return false;
    }
    return true;
  }
  // Operands are int8 less a zero point, or sums of two such, 2^10 times as large (see flip_network.cpp). A sum is divided
  // by 2560 then: what changes it by less than half of that may well be rounded away.
  const int64_t tolerance = a.type == base::ElementType::Int32 ? 1279 : 0;
  for (int32_t value = -600; value <= 600; ++value) {
    const bool is_small = a.type == base::ElementType::Int32;
    if (std::abs(result(a, value) - result(b, value)) > tolerance) return false;
    if (!is_small && result(a, value * 1024) != result(b, value * 1024)) return false;
  }
  return true;
}

/// `op` of a register that nothing has written (0 at the start of a command) and an immediate; nothing for other operations.
std::optional<int64_t> of_zero(spec::VectorOp op, int64_t immediate) {
  switch (op) {
    case spec::VectorOp::Add:
    case spec::VectorOp::Or:
    case spec::VectorOp::Xor: return immediate;
    case spec::VectorOp::And: return 0;
    case spec::VectorOp::Sub: return static_cast<int32_t>(0U - static_cast<uint32_t>(immediate));
    case spec::VectorOp::Minimum: return std::min<int64_t>(0, immediate);
    case spec::VectorOp::Maximum: return std::max<int64_t>(0, immediate);
    default: return std::nullopt;
  }
}

/// Whether the register that the first step was to set is 0 instead: the damaged one sets a register that no step uses, or
/// copies one that nothing has written.
bool starts_from_zero(const spec::VectorCommand& damaged, const spec::VectorStep& sound) {
  const spec::VectorStep& first = damaged.steps[0];
  if (first.op != spec::VectorOp::Move || first.phase != spec::VectorPhase::Init) return false;
  if (first.dst == sound.dst) return !first.b_is_immediate && first.a == first.dst;
  return first.b_is_immediate &&
         std::none_of(damaged.steps.begin() + 1, damaged.steps.end(), [&](const spec::VectorStep& step) {
           return step.dst == first.dst || step.a == first.dst || step.b == first.dst;
         });
}

/// Whether 32 bits lose it.
bool wraps(int64_t moved) { return moved % (int64_t{1} << 32) == 0; }

/// Whether the sum over the reduced positions of a command loses what is added to each of them.
bool is_lost_in_sum(const spec::VectorCommand& command, int64_t moved) {
  int64_t reduced = 1;
  for (auto d = static_cast<size_t>(command.kept_loops); d < command.counts.size(); ++d) reduced *= command.counts[d];
  return wraps(moved * reduced);
}

/// The steps that read the result of a step.
std::vector<size_t> readers_of(const spec::VectorCommand& command, size_t step) {
  std::vector<size_t> readers;
  const std::optional<std::vector<spec::VectorRead>> reads = spec::find_reads(command);
  REQUIRE(reads);
  for (const spec::VectorRead& read : *reads) {
    if (read.writer == step || read.writer_later == step) readers.push_back(read.reader);
  }
  return readers;
}

/// Whether a step gives the same with `offset` added to what it reads from `load`.
bool is_lost_in(const spec::VectorCommand& command, size_t reader, const spec::VectorStep& load, int64_t offset) {
  const spec::VectorStep& step = command.steps[reader];
  if (step.op == spec::VectorOp::Table) return offset % (step.type == base::ElementType::Int16 ? 65536 : 256) == 0;
  if (step.op == spec::VectorOp::Add && load.phase == spec::VectorPhase::Body) return is_lost_in_sum(command, offset);
  if (step.op != spec::VectorOp::Rescale || step.a != load.dst || !step.b_is_immediate) return false;
  const uint64_t scaled = static_cast<uint64_t>(offset) * static_cast<uint64_t>(step.imm0);
  return scaled % (uint64_t{1} << std::min<int64_t>(step.shift + 32, 63)) == 0;
}

/// Whether a change of one step cannot be seen in the values of this network: the start of a maximum that every value
/// exceeds, or an offset that the RESCALE behind it shifts out of 32 bits.
bool is_swallowed(const spec::VectorCommand& a, const spec::VectorCommand& b, size_t i) {
  const spec::VectorStep &sound = a.steps[i], &damaged = b.steps[i];
  if (sound.op == spec::VectorOp::Move && damaged.op != spec::VectorOp::Move)
    return sound.phase == spec::VectorPhase::Init && sound.b_is_immediate && damaged.b_is_immediate && i == 0 &&
           sound.dst == damaged.dst && of_zero(damaged.op, damaged.imm0) == sound.imm0;
  if (sound.op != damaged.op) return false;
  constexpr int64_t kBelowAll = -(1 << 28);
  // Tables of these networks have no negative entry.
  const bool is_of_table = std::any_of(a.steps.begin(), a.steps.end(), [](const spec::VectorStep& step) {
    return step.op == spec::VectorOp::Table && step.phase == spec::VectorPhase::Body;
  });
  const bool is_start = sound.op == spec::VectorOp::Move && sound.phase == spec::VectorPhase::Init;
  if (is_start && i == 0 && is_of_table && sound.imm0 < kBelowAll && starts_from_zero(b, sound)) return true;
  spec::VectorStep other = damaged;
  other.imm0 = sound.imm0;
  if (!(other == sound)) return false;
  if (sound.op == spec::VectorOp::Move) {
    if (!is_start) return false;
    return sound.imm0 < kBelowAll && damaged.imm0 < (is_of_table ? 1 : kBelowAll);
  }
  if (!spec::is_load(sound.op)) return false;
  const int64_t offset = damaged.imm0 - sound.imm0;
  if (wraps(offset << sound.shift)) return true;
  if (sound.op == spec::VectorOp::LoadAdd)
    return sound.phase == spec::VectorPhase::Body && is_lost_in_sum(a, offset << sound.shift);
  const std::vector<size_t> readers = readers_of(a, i);
  return sound.op == spec::VectorOp::Load && sound.shift == 0 && !readers.empty() &&
         std::all_of(readers.begin(), readers.end(), [&](size_t reader) {
           return a.steps[reader] == b.steps[reader] && is_lost_in(a, reader, sound, offset);
         });
}

/// Bounds and rounding modes that no value reaches or needs; the steps of a vector command one by one.
bool is_without_effect(const spec::Command& sound, const spec::Command& damaged, const std::vector<std::string>& fields) {
  const auto is_bound = [](const std::string& name) {
    return name == "clamp_min" || name == "clamp_max" || name == "rounding";
  };
  if (std::holds_alternative<spec::MacCommand>(sound.body)) return std::all_of(fields.begin(), fields.end(), is_bound);
  const auto* a = std::get_if<spec::VectorCommand>(&sound.body);
  const auto* b = std::get_if<spec::VectorCommand>(&damaged.body);
  if (a == nullptr || b == nullptr || a->steps.size() != b->steps.size()) return false;
  for (size_t i = 0; i < a->steps.size(); ++i) {
    if (a->steps[i] == b->steps[i]) continue;
    const bool is_clamp = a->steps[i].op == spec::VectorOp::Clamp && b->steps[i].op == spec::VectorOp::Clamp;
    if (!is_clamp && !rescales_agree(a->steps[i], b->steps[i]) && !is_swallowed(*a, *b, i)) return false;
  }
  return true;
}

/// Whether only the schedule of a vector command differs, which package::check has found to be right as well.
bool is_of_schedule(const std::vector<std::string>& fields) {
  return std::all_of(fields.begin(), fields.end(), [](const std::string& name) {
    return name == "step_offset" || name == "interval" || name == "rotating_registers";
  });
}

std::set<int64_t> bytes_written(const std::vector<package::Range>& ranges) {
  std::set<int64_t> bytes;
  for (const package::Range& range : ranges) {
    if (range.storage != package::Storage::Sram || !range.is_write) continue;
    package::for_each_run(range, [&](int64_t offset, int64_t size) {
      for (int64_t at = offset; at < offset + size; ++at) bytes.insert(at);
    });
  }
  return bytes;
}

/// Whether the two commands write other bytes, and no later command reads one of those before it is written again.
bool differs_in_dead_bytes(const Case& c, size_t index, const spec::Command& damaged) {
  const std::set<int64_t> before = bytes_written(c.ranges[index]);
  const std::set<int64_t> after = bytes_written(package::ranges_of(damaged, c.package.config.datapath));
  std::set<int64_t> bytes;
  std::set_symmetric_difference(before.begin(), before.end(), after.begin(), after.end(), std::inserter(bytes, bytes.end()));
  bool is_dead = !bytes.empty();
  for (size_t later = index + 1; later < c.commands.size(); ++later) {
    for (const bool is_write : {false, true}) {
      for (const package::Range& range : c.ranges[later]) {
        if (range.storage != package::Storage::Sram || range.is_write != is_write) continue;
        package::for_each_run(range, [&](int64_t offset, int64_t size) {
          const auto first = bytes.lower_bound(offset), last = bytes.lower_bound(offset + size);
          if (first != last && !is_write) is_dead = false;
          if (is_write) bytes.erase(first, last);
        });
      }
    }
  }
  return is_dead;
}

/// Why nothing is to be seen of a flip in command `index`; empty: no reason known.
std::string reason_for_silence(Case& c, size_t index, const package::Package& damaged) {
  const package::Decoded decoded = package::decode(std::span(damaged.stream).subspan(c.starts[index]));
  if (decoded.fault != spec::FaultCode::None) return "";
  const spec::Command& sound = c.commands[index];
  const bool same_meaning =
      meaning_of(sound, c.package.config.datapath) == meaning_of(decoded.command, c.package.config.datapath);
  if (same_meaning && sound.header == decoded.command.header) return "fields that the mode does not use";
  if (same_meaning && std::holds_alternative<spec::EndCommand>(sound.body)) return "header of END";
  std::vector<std::pair<size_t, size_t>> disorder;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    const soc::JobResult job = c.npu->run(damaged, c.inputs[i]);
    if (!same(job, c.sound[i])) return "shown by another input";
    disorder = pairs_out_of_order(c.commands, c.ranges, job.commands);
  }
  if (same_meaning) return disorder.empty() ? "tokens or queue, with all conflicts in order" : "";
  const std::vector<std::string> fields = differing_fields(sound, decoded.command);
  if (is_of_schedule(fields)) return "another schedule that takes as long";
  if (differs_in_dead_bytes(c, index, decoded.command)) return "writes of bytes that nobody reads";
  return is_without_effect(sound, decoded.command, fields) ? "bounds and precision beyond the values" : "";
}

void try_flip(Case& c, size_t index, size_t byte, int bit) {
  package::Package flipped = c.package;
  flip(flipped.stream, byte, bit);
  const std::optional<package::Package> damaged = through_file(flipped);
  if (!damaged) {
    ++c.tally["refused"];
    return;
  }
  const soc::JobResult job = c.npu->run(*damaged, c.inputs[0]);
  if (!job.is_done()) {
    ++c.tally[status_text(job)];
  } else if (!same(job, c.sound[0])) {
    ++c.tally[job.outputs == c.sound[0].outputs ? "other cycles" : "other values"];
  } else {
    const std::string reason = reason_for_silence(c, index, *damaged);
    const package::Decoded decoded = package::decode(std::span(damaged->stream).subspan(c.starts[index]));
    INFO("command " << index << ", byte " << byte - c.starts[index] << ", bit " << bit);
    INFO("sound:   " << package::print(c.commands[index]));
    INFO("flipped: " << (decoded.fault == spec::FaultCode::None ? package::print(decoded.command) : decoded.detail));
    CHECK(!reason.empty());
    ++c.tally["silent: " + reason];
  }
}

size_t command_at(const Case& c, size_t byte) {
  return static_cast<size_t>(std::upper_bound(c.starts.begin(), c.starts.end(), byte) - c.starts.begin()) - 1;
}

}  // namespace

TEST_CASE("flipped bits of commands show, or the mode does not use them") {
  const auto memory = GENERATE(spec::MemoryMode::Sram, spec::MemoryMode::WeightsExternal);
  Case c(memory);
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < kNumFlips; ++i) {
    const size_t byte = random() % c.package.stream.size();
    try_flip(c, command_at(c, byte), byte, static_cast<int>(random() % 8));
  }
  c.print("commands");
}

TEST_CASE("flipped token bits show, or all conflicts stay in order") {
  Case c(spec::MemoryMode::WeightsExternal);
  std::mt19937_64 random(kSeed);
  const int first_bit = 8 + spec::kCommandLengthBits + 4;  // opcode, length and queue come before wait and signal
  for (int i = 0; i < kNumFlips; ++i) {
    const size_t index = random() % c.commands.size();
    const int bit = first_bit + static_cast<int>(random() % (2 * spec::kNumQueues));
    try_flip(c, index, c.starts[index] + static_cast<size_t>(bit / 8), bit % 8);
  }
  c.print("tokens");
}

TEST_CASE("flipped bits of constants give what the reference gives with the same flip") {
  Case c(spec::MemoryMode::Sram);
  const ImageMap map(c.graph, c.package, c.commands, c.ranges);
  std::mt19937_64 random(kSeed);
  REQUIRE(c.package.image.size() == 1);
  for (int i = 0; i < kNumFlips; ++i) {
    const size_t byte = random() % c.package.image[0].bytes.size();
    const int bit = static_cast<int>(random() % 8);
    package::Package flipped = c.package;
    flip(flipped.image[0].bytes, byte, bit);
    const std::optional<package::Package> damaged = through_file(flipped);
    REQUIRE(damaged);
    const soc::JobResult job = c.npu->run(*damaged, c.inputs[0]);
    const ImageMap::Place place = map.place_of(byte);
    INFO("byte " << byte << " of the image, bit " << bit << ": " << place.what);
    if (place.kind != ImageMap::Kind::Element) {
      CHECK(place.kind != ImageMap::Kind::Unknown);
      CHECK((!job.is_done() || same(job, c.sound[0])));  // a set reserved byte may be a fault
      ++c.tally[place.what];
      continue;
    }
    const ir::Graph changed = map.with_flip(place, bit);
    reference::Result expected = reference::run(changed, c.inputs[0]);
    if (!expected.unpredictable.empty()) {
      ++c.tally["unpredictable in TOSA, " + status_text(job)];
      continue;
    }
    INFO(status_text(job));
    CHECK(job.outputs == expected.outputs);
    const bool is_silent = expected.outputs == c.sound[0].outputs;
    ++c.tally[place.what + (is_silent ? ", not shown by the reference either" : ", as the reference says")];
  }
  c.print("constants");
}

}  // namespace vernier::tests
