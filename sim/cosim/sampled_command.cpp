// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/sampled_command.hpp"

#include "hw/base/error.hpp"
#include "hw/package/range.hpp"

#include <algorithm>
#include <array>

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

SampledVector sample_vector(const spec::VectorCommand& command, const spec::Datapath& datapath,
                            std::span<const std::byte> sram) {
  int64_t begin = INT64_MAX, end = 0;
  for (const package::Range& range : package::ranges_of({{spec::Queue::VectorUnit, 0, 0}, command}, datapath)) {
    if (range.storage != package::Storage::Sram) continue;
    begin = std::min(begin, range.base);
    end = std::max(end, range.end());
  }
  VERNIER_CHECK(begin < end, "a vector command touches no byte of SRAM");
  SampledVector sample{{command, {}}, begin};
  for (spec::VectorStream& stream : sample.job.command.streams) {
    const auto idx = &stream - sample.job.command.streams.data();
    const bool is_used = std::ranges::any_of(
        command.steps, [&](const spec::VectorStep& step) { return spec::has_stream(step.op) && step.stream == idx; });
    stream.base = is_used ? stream.base - begin : 0;
  }
  const auto bytes = sram.subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
  sample.job.sram.assign(bytes.begin(), bytes.end());
  return sample;
}

}  // namespace vernier::cosim
