// SPDX-License-Identifier: Apache-2.0
// The attribution of random jobs against the definition, looked up cycle by cycle.
#include "tests/support/random.hpp"
#include "tests/unit/sim_units/command_book.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace vernier;
using namespace vernier::units;
using kit::Bucket;
using spec::Queue;
using timing::Stall;

namespace {

/// A job of the real machine's form: queues in order, at most two commands of a queue in flight, a main phase at a time.
Book random_job(tests::Random& random, int32_t num_layers, int64_t& cycles) {
  Book book;
  std::array<int64_t, spec::kNumQueues> main_free{}, drain_free{};
  cycles = 0;
  const int64_t num_commands = random.within(1, 30);
  for (int64_t i = 0; i < num_commands; ++i) {
    const auto layer = static_cast<int32_t>(random.within(0, num_layers - 1));
    const auto queue = static_cast<Queue>(random.within(0, spec::kNumQueues - 1));
    auto& free = main_free[static_cast<size_t>(queue)];
    const int64_t start = free + random.within(0, 1) * random.within(0, 15);
    const std::vector<Share> shares{{bucket(Stall::PipelineFill), random.within(0, 3)},
                                    {bucket(Stall::WeightLoad), random.within(0, 3)},
                                    {Bucket::busy(), random.within(1, 12)},
                                    {bucket(Stall::PortContention), random.within(0, 3)}};
    int64_t main_end = start;
    for (const Share& share : shares) main_end += share.cycles;
    int64_t end = main_end;
    CommandRecord& command =
        queue == Queue::Dma0 ? random.within(0, 1) == 0 ? book.load(layer, start, end) : book.copy(layer, start, end)
        : queue == Queue::Dma1
            ? random.within(0, 1) == 0 ? book.store(layer, start, end) : book.copy(layer, start, end, queue)
            : book.compute(layer, queue, start, end);
    book.set(command.main, shares);
    free = main_end;
    if (queue == Queue::MacArray) {
      const int64_t drain_start = std::max(main_end, drain_free[static_cast<size_t>(queue)]);
      end = drain_start + random.within(1, 10);
      command.drain = {drain_start, end, end - drain_start, {}};
      book.set(command.drain, {{bucket(Stall::PipelineFill), 1}, {Bucket::busy(), end - drain_start - 1}});
      command.end_cycle = end;
      free = drain_start;  // the other bank is free from here on
      drain_free[static_cast<size_t>(queue)] = end;
    }
    if (random.within(0, 1) == 0) {
      book.waits_for(static_cast<int32_t>(random.within(0, i)), start - random.within(0, std::min<int64_t>(start, 6)));
    }
    cycles = std::max(cycles, end);
  }
  cycles += random.within(0, 5);
  return book;
}

/// What holds in one cycle, straight from the definition.
class Oracle {
 public:
  explicit Oracle(const CommandRecords& records) : records_(records) {}

  [[nodiscard]] bool is_at_work(const CommandRecord& command) const {
    if (command.work == Work::Array || command.work == Work::Vector || command.work == Work::Store) return true;
    return std::none_of(records_.commands.begin(), records_.commands.end(), [&](const CommandRecord& other) {
      return other.layer_idx == command.layer_idx && (other.work == Work::Array || other.work == Work::Vector);
    });
  }
  [[nodiscard]] std::pair<int32_t, Cause> at(int64_t cycle) const {
    const CommandRecord *oldest = nullptr, *next = nullptr, *last = nullptr;
    for (const CommandRecord& command : records_.commands) {
      if (!is_at_work(command)) continue;
      const auto is_before = [&](const CommandRecord& other) {
        return std::pair(command.layer_idx, command.start_cycle) < std::pair(other.layer_idx, other.start_cycle);
      };
      const bool is_in_flight = command.start_cycle <= cycle && cycle < command.end_cycle;
      if (is_in_flight && (oldest == nullptr || is_before(*oldest))) oldest = &command;
      const bool is_next =
          command.start_cycle > cycle && (next == nullptr || std::pair(command.start_cycle, command.layer_idx) <
                                                                 std::pair(next->start_cycle, next->layer_idx));
      if (is_next) next = &command;
      if (last == nullptr || command.end_cycle > last->end_cycle ||
          (command.end_cycle == last->end_cycle &&
           std::pair(command.start_cycle, command.layer_idx) >= std::pair(last->start_cycle, last->layer_idx))) {
        last = &command;
      }
    }
    if (oldest != nullptr) return {oldest->layer_idx, state_of(oldest->queue, cycle)};
    if (next != nullptr) return {next->layer_idx, wait_of(*next, cycle)};
    return {last == nullptr ? std::max(records_.commands.back().layer_idx, 0) : last->layer_idx, Cause::NothingAtWork};
  }

 private:
  /// What holds `waiting` up in a cycle in which it has not started: the later of the last token and of the command before
  /// it on its queue; and what holds that one up, while it has not started either.
  [[nodiscard]] Cause wait_of(const CommandRecord& waiting, int64_t cycle, Cause own = Cause::NothingAtWork) const {
    const CommandRecord* holder = waiting.last_giver_idx < 0 ? nullptr : &records_.commands[waiting.last_giver_idx];
    int64_t until = holder == nullptr ? -1 : waiting.token_cycle;
    for (const CommandRecord& other : records_.commands) {  // in the order of their starts, of each queue
      if (&other == &waiting) break;
      if (other.queue == waiting.queue && other.end_cycle > until) {
        holder = &other;
        until = other.end_cycle;
      }
    }
    if (holder == nullptr || cycle >= until || holder->start_cycle >= waiting.start_cycle) return own;
    const Cause cause = holder->work == Work::Load   ? Cause::WaitsForLoad
                        : holder->work == Work::Copy ? Cause::WaitsForCopy
                                                     : Cause::NothingAtWork;
    return cycle < holder->start_cycle ? wait_of(*holder, cycle, cause) : cause;
  }
  [[nodiscard]] Cause state_of(Queue queue, int64_t cycle) const {
    for (const auto phase : {&CommandRecord::main, &CommandRecord::drain}) {
      for (const CommandRecord& command : records_.commands) {
        const PhaseRecord& record = command.*phase;
        if (command.queue != queue || record.start_cycle > cycle || record.end_cycle <= cycle) continue;
        int64_t begin = record.start_cycle;
        for (const Share& share : records_.of(record.shares)) {
          begin += share.cycles;
          if (begin <= cycle) continue;
          if (share.bucket != Bucket::busy()) {
            return static_cast<Cause>(kFirstStallCause + share.bucket.stall_idx());
          }
          switch (command.work) {
            case Work::Array: return phase == &CommandRecord::drain ? Cause::Epilogue : Cause::Array;
            case Work::Vector: return Cause::VectorUnit;
            case Work::Copy: return Cause::DmaInSram;
            default: return Cause::DmaExternal;
          }
        }
      }
    }
    return Cause::NothingAtWork;
  }
  const CommandRecords& records_;
};

}  // namespace

TEST_CASE("Random jobs: each cycle is where the definition says") {
  constexpr uint64_t kSeed = 20261;
  tests::Random random(kSeed);
  for (int i = 0; i < 2000; ++i) {
    const auto num_layers = static_cast<int32_t>(random.within(1, 5));
    int64_t cycles = 0;
    const Book book = random_job(random, num_layers, cycles);
    const Attribution result = attribute(book.records, static_cast<size_t>(num_layers), cycles);
    const Oracle oracle(book.records);
    std::vector<LayerCount> expected(static_cast<size_t>(num_layers));
    for (int64_t cycle = 0; cycle < cycles; ++cycle) {
      const auto [layer, cause] = oracle.at(cycle);
      ++expected[static_cast<size_t>(layer)].attributed_cycles;
      ++expected[static_cast<size_t>(layer)].attributed_by[static_cast<size_t>(cause)];
    }
    for (size_t layer = 0; layer < expected.size(); ++layer) {
      INFO("job " << i << ", layer " << layer << ", seed " << kSeed);
      CHECK(causes(result.layers[layer]) == causes(expected[layer]));
      CHECK(result.layers[layer].attributed_cycles == expected[layer].attributed_cycles);
    }
  }
}
