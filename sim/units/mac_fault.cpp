// SPDX-License-Identifier: Apache-2.0
#include "sim/units/mac_fault.hpp"

#include "hw/package/range.hpp"

#include <algorithm>
#include <array>

namespace vernier::units {
namespace {

/// Enough of them to find one that matters; a command of which these do not matter has been shut off by its clamp.
constexpr int64_t kMostIndices = 64;
constexpr int kAccumulatorBits = 48, kByteBits = 8;

/// What a command leaves behind.
struct Outcome {
  kernels::Accumulators accumulators;
  kernels::WriteSet writes;
  std::vector<int64_t> sums{};
};

bool is_same(const Outcome& a, const Outcome& b) {
  if (a.accumulators.values != b.accumulators.values || a.writes.runs().size() != b.writes.runs().size()) return false;
  for (size_t i = 0; i < a.writes.runs().size(); ++i) {
    if (!std::ranges::equal(a.writes.bytes_of(a.writes.runs()[i]), b.writes.bytes_of(b.writes.runs()[i]))) return false;
  }
  return true;
}

/// Addresses of the bytes of a command's weights.
std::vector<int64_t> weight_addresses(const spec::MacCommand& command, const spec::Datapath& datapath) {
  std::vector<int64_t> addresses;
  for (const package::Range& range : package::ranges_of({{spec::Queue::MacArray, 0, 0}, command}, datapath)) {
    if (range.what != "weights") continue;
    package::for_each_run(range, [&](int64_t offset, int64_t bytes) {
      for (int64_t i = 0; i < bytes; ++i) addresses.push_back(offset + i);
    });
  }
  return addresses;
}

class Trial {
 public:
  Trial(const spec::MacCommand& command, const spec::Datapath& datapath, mem::MemoryIf& sram,
        const kernels::TableMemory& tables, const kernels::Accumulators& before)
      : command_(command), datapath_(datapath), sram_(sram), tables_(tables), before_(before) {}

  [[nodiscard]] Outcome run(std::optional<kernels::AccumulatorFlip> flip = {}) const {
    Outcome outcome{before_, {}};
    kernels::run_mac(command_, datapath_, sram_.storage().bytes(), tables_, outcome.accumulators, outcome.writes,
                     {.flip = flip, .copy = &outcome.sums});
    return outcome;
  }
  [[nodiscard]] Outcome run_with_byte(int64_t address, int bit) const {
    flip_byte(address, bit);
    Outcome outcome = run();
    flip_byte(address, bit);
    return outcome;
  }

 private:
  void flip_byte(int64_t address, int bit) const {
    const std::array<std::byte, 1> flipped{sram_.storage().bytes()[static_cast<size_t>(address)] ^
                                           static_cast<std::byte>(1U << static_cast<unsigned>(bit))};
    sram_.write(address, flipped);
  }
  const spec::MacCommand& command_;
  const spec::Datapath& datapath_;
  mem::MemoryIf& sram_;
  const kernels::TableMemory& tables_;
  const kernels::Accumulators& before_;
};

}  // namespace

FaultyRun run_mac_with_fault(const Injection& injection, const spec::MacCommand& command, const spec::Datapath& datapath,
                             mem::MemoryIf& sram, const kernels::TableMemory& tables, kernels::Accumulators& accumulators,
                             kernels::WriteSet& writes) {
  const bool is_weight = injection.site == FaultSite::Weight;
  const std::vector<int64_t> weights = is_weight ? weight_addresses(command, datapath) : std::vector<int64_t>();
  const int64_t count =
      is_weight ? static_cast<int64_t>(weights.size()) : command.out_rows * command.out_columns * command.out_channels;
  const int bits = is_weight ? kByteBits : kAccumulatorBits;
  const Trial trial(command, datapath, sram, tables, accumulators);
  const Outcome right = trial.run();
  const int64_t first = injection.index.value_or(0);
  const int64_t last = injection.index ? first : std::min(count, kMostIndices) - 1;
  std::optional<InjectedFault> taken;
  Outcome outcome = right;
  for (int64_t index = first; index <= last && index < count && !taken; ++index) {
    for (int bit = injection.bit.value_or(bits - 2); bit >= injection.bit.value_or(0) && !taken; --bit) {
      Outcome tried = is_weight ? trial.run_with_byte(weights[static_cast<size_t>(index)], bit) : trial.run({{index, bit}});
      if (is_same(tried, right)) continue;
      taken = InjectedFault{index, bit, injection.command_idx};
      outcome = std::move(tried);
    }
  }
  accumulators = std::move(outcome.accumulators);
  for (const kernels::WriteSet::Run& run : outcome.writes.runs()) writes.add(run.address, outcome.writes.bytes_of(run));
  return {taken, std::move(outcome.sums)};
}

}  // namespace vernier::units
