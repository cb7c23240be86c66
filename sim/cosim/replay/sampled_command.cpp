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

ArrayCommand sample_command(const spec::MacCommand& command, const spec::Datapath& datapath,
                            std::span<const std::byte> sram) {
  struct Operand {
    std::string_view what;
    int64_t& base;
    int64_t begin, end;  // of its bytes
  };
  ArrayCommand sample{command, {}};
  spec::MacCommand& m = sample.command;
  // From the operand's own address on, which may be that of a map of which a stripe is read.
  std::array<Operand, 4> operands{{{"input", m.input.base, m.input.base, 0},
                                   {"weights", m.weight_base, m.weight_base, 0},
                                   {"parameters", m.parameter_base, m.parameter_base, 0},
                                   {"addend", m.addend.base, m.addend.base, 0}}};
  const spec::Command whole{{spec::Queue::MacArray, 0, 0}, command};
  for (const package::Range& range : package::ranges_of(whole, datapath)) {
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
    const int64_t place = base::round_up(static_cast<int64_t>(sample.sram.size()), row_bytes);
    sample.sram.resize(static_cast<size_t>(place));
    const auto bytes = sram.subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
    sample.sram.insert(sample.sram.end(), bytes.begin(), bytes.end());
    operand.base += place - begin;
  }
  return sample;
}

int64_t SampledVector::place_of(int64_t address) const {
  const auto part = std::ranges::find_if(
      parts, [&](const Part& candidate) { return address >= candidate.begin && address < candidate.end; });
  VERNIER_CHECK(part != parts.end(), "address {} is in no stream of a vector command", address);
  return part->place + address - part->begin;
}

SampledVector sample_vector(const spec::VectorCommand& command, const spec::Datapath& datapath,
                            std::span<const std::byte> sram) {
  SampledVector sample{{command, {}}, {}};
  const std::vector<package::Range> ranges = package::ranges_of({{spec::Queue::VectorUnit, 0, 0}, command}, datapath);
  for (const package::Range& range : ranges) {
    if (range.storage == package::Storage::Sram) sample.parts.push_back({range.base, range.end(), 0});
  }
  std::ranges::sort(sample.parts, {}, &SampledVector::Part::begin);
  std::vector<SampledVector::Part> merged;
  for (const SampledVector::Part& part : sample.parts) {
    if (!merged.empty() && part.begin <= merged.back().end) {  // a run of bytes goes over both
      merged.back().end = std::max(merged.back().end, part.end);
    } else {
      merged.push_back(part);
    }
  }
  VERNIER_CHECK(!merged.empty(), "a vector command touches no byte of SRAM");
  const int64_t row_bytes = int64_t{spec::kNumSramBanks} * datapath.word_bytes();
  for (SampledVector::Part& part : merged) {
    part.place = base::round_up(std::ssize(sample.job.sram), row_bytes) + part.begin % row_bytes;
    sample.job.sram.resize(static_cast<size_t>(part.place));
    const auto bytes = sram.subspan(static_cast<size_t>(part.begin), static_cast<size_t>(part.end - part.begin));
    sample.job.sram.insert(sample.job.sram.end(), bytes.begin(), bytes.end());
  }
  sample.parts = std::move(merged);
  // A stream moves with its part, which has its lowest byte.
  for (size_t i = 0; i < sample.job.command.streams.size(); ++i) {
    spec::VectorStream& stream = sample.job.command.streams[i];
    const std::string name = fmt::format("stream {}", i);
    const auto range = std::ranges::find_if(ranges, [&](const package::Range& candidate) {
      return candidate.storage == package::Storage::Sram && candidate.what == name;
    });
    if (range == ranges.end()) {
      stream.base = 0;  // no step has it
    } else {
      stream.base += sample.place_of(range->base) - range->base;
    }
  }
  return sample;
}

}  // namespace vernier::cosim
