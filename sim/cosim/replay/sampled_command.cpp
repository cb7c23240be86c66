// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/replay/sampled_command.hpp"

#include "hw/base/error.hpp"
#include "hw/package/range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace vernier::cosim {

Work sample_command(const spec::MacCommand& command, const spec::Datapath& datapath, std::span<const std::byte> sram) {
  struct Operand {
    std::string_view what;
    int64_t& base;
    int64_t begin, end;  // of its bytes
  };
  Work sample(command);
  spec::MacCommand& m = sample.mac();
  // From the operand's own address on, which may be that of a map of which a stripe is read.
  std::array<Operand, 4> operands{{{"input", m.input.base, m.input.base, 0},
                                   {"weights", m.weight_base, m.weight_base, 0},
                                   {"parameters", m.parameter_base, m.parameter_base, 0},
                                   {"addend", m.addend.base, m.addend.base, 0}}};
  for (const package::Range& range : package::ranges_of(Work(command).command, datapath)) {
    if (range.storage != package::Storage::Sram || range.is_write) continue;
    auto* operand = std::ranges::find(operands, range.what, &Operand::what);
    VERNIER_CHECK(operand != operands.end(), "a MAC command reads its {}", range.what);
    operand->begin = std::min(operand->begin, range.base);
    operand->end = std::max(operand->end, range.end());
  }
  const int64_t row_bytes = int64_t{spec::kNumSramBanks} * datapath.word_bytes();
  for (Operand& operand : operands) {
    if (operand.end == 0) continue;
    const int64_t begin = operand.begin / row_bytes * row_bytes;
    const int64_t end = std::min(base::round_up(operand.end, row_bytes), static_cast<int64_t>(sram.size()));
    const int64_t place = base::round_up(static_cast<int64_t>(sample.bytes.size()), row_bytes);
    sample.bytes.resize(static_cast<size_t>(place));
    const auto bytes = sram.subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
    sample.bytes.insert(sample.bytes.end(), bytes.begin(), bytes.end());
    operand.base += place - begin;
  }
  return sample;
}

namespace {

bool is_in_sram(const package::Range& range) { return range.storage == package::Storage::Sram; }

}  // namespace

std::vector<MemoryPart> memory_parts(const spec::VectorCommand& command, const spec::Datapath& datapath) {
  std::vector<MemoryPart> parts, merged;
  for (const package::Range& range : package::ranges_of(Work(command).command, datapath)) {
    if (is_in_sram(range)) parts.push_back({range.base, range.end(), 0});
  }
  std::ranges::sort(parts, {}, &MemoryPart::begin);
  for (const MemoryPart& part : parts) {
    if (!merged.empty() && part.begin <= merged.back().end) {  // a run of bytes goes over both
      merged.back().end = std::max(merged.back().end, part.end);
    } else {
      merged.push_back(part);
    }
  }
  VERNIER_CHECK(!merged.empty(), "a vector command touches no byte of SRAM");
  const int64_t row_bytes = int64_t{spec::kNumSramBanks} * datapath.word_bytes();
  int64_t end = 0;  // of the parts so far
  for (MemoryPart& part : merged) {
    part.place = base::round_up(end, row_bytes) + part.begin % row_bytes;
    end = part.place + part.end - part.begin;
  }
  return merged;
}

int64_t place_of(int64_t address, std::span<const MemoryPart> parts) {
  const auto part = std::ranges::find_if(
      parts, [&](const MemoryPart& candidate) { return address >= candidate.begin && address < candidate.end; });
  VERNIER_CHECK(part != parts.end(), "address {} is in no stream of a vector command", address);
  return part->place + address - part->begin;
}

Work sample_vector(const spec::VectorCommand& command, const spec::Datapath& datapath, std::span<const std::byte> sram) {
  Work sample(command);
  const std::vector<package::Range> ranges = package::ranges_of(sample.command, datapath);
  const std::vector<MemoryPart> parts = memory_parts(command, datapath);
  for (const MemoryPart& part : parts) {
    sample.bytes.resize(static_cast<size_t>(part.place));
    const auto bytes = sram.subspan(static_cast<size_t>(part.begin), static_cast<size_t>(part.end - part.begin));
    sample.bytes.insert(sample.bytes.end(), bytes.begin(), bytes.end());
  }
  // A stream moves with its part, which has its lowest byte.
  for (size_t i = 0; i < command.streams.size(); ++i) {
    spec::VectorStream& stream = sample.vector().streams[i];
    const std::string name = fmt::format("stream {}", i);
    const auto range = std::ranges::find_if(
        ranges, [&](const package::Range& candidate) { return is_in_sram(candidate) && candidate.what == name; });
    if (range == ranges.end()) {
      stream.base = 0;  // no step has it
    } else {
      stream.base += place_of(range->base, parts) - range->base;
    }
  }
  return sample;
}

}  // namespace vernier::cosim
