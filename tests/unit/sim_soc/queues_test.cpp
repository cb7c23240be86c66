// SPDX-License-Identifier: Apache-2.0
// How full queues are: the counts of a known program, and what the least depth without loss promises.
#include "tests/unit/sim_soc/machine_fixture.hpp"

#include <map>

using namespace vernier;
using namespace vernier::soc;
using namespace vernier::support;

namespace {

/// `num_commands` copies of one channel, each as long as the last. `limit`: of each command, as it is encoded.
JobResult run_copies(int64_t num_commands, int64_t depth, bool values = true, uint8_t limit = 0) {
  StreamAssembler stream(v256());
  stream.package().config.queue_depth = depth;
  stream.ramp(sram(0), 0x1000);
  for (int64_t i = 0; i < num_commands; ++i) {
    spec::Command copy = dma_copy(Queue::Dma1, sram(0), sram(0x10000 + i * 0x1000), 0x1000);
    copy.header.queue_limit = limit;
    stream.add(copy);
  }
  stream.end();
  JobOptions options;
  options.values = values;
  const JobResult result = run(stream, options);
  require_done(result);
  return result;
}

const units::QueueUse& use_of(const JobResult& result, Queue queue) { return result.queues[static_cast<size_t>(queue)]; }

}  // namespace

TEST_CASE("queues: commands that wait are counted where they wait, also without values") {
  // The first starts, the others wait: 9 of them, more than the 8 there is room for.
  for (const bool values : {true, false}) {
    const JobResult result = run_copies(10, 8, values);
    const units::QueueUse& use = use_of(result, Queue::Dma1);
    CHECK(use.most_commands == 8);
    // The tenth is held from when it is fetched until the second starts, which is as long as the queue is full before that;
    // from then on the queue is full until the third starts.
    CHECK(use.full_cycles > result.commands[1].start_cycle - result.commands[8].dispatch_cycle);
    CHECK(use.full_cycles == result.commands[2].start_cycle - result.commands[8].dispatch_cycle);
    CHECK(use.holding_cycles > 0);
    CHECK(use.holding_cycles < result.commands[1].start_cycle - result.commands[8].dispatch_cycle);
    for (const Queue other : {Queue::Dma0, Queue::MacArray, Queue::VectorUnit})
      CHECK(use_of(result, other) == units::QueueUse{});
  }
}

TEST_CASE("queues: a depth of the high-water mark loses nothing, one less holds a command up") {
  const JobResult roomy = run_copies(10, 64);
  const units::QueueUse use = use_of(roomy, Queue::Dma1);
  REQUIRE(use.holding_cycles == 0);
  CHECK(use.full_cycles == 0);
  REQUIRE(use.most_commands == 9);
  const JobResult enough = run_copies(10, use.most_commands), less = run_copies(10, use.most_commands - 1);
  CHECK(enough.commands == roomy.commands);
  CHECK(use_of(enough, Queue::Dma1).holding_cycles == 0);
  CHECK(use_of(less, Queue::Dma1).holding_cycles > 0);
}

TEST_CASE("queues: commands with a limit meet a queue of that depth, or of its own where that is less") {
  for (const auto& [limit, depth] : std::map<uint8_t, int64_t>{{1, 4}, {2, 8}, {3, 16}}) {
    CAPTURE(depth);
    const JobResult shallow = run_copies(24, depth);
    REQUIRE(use_of(shallow, Queue::Dma1).most_commands == depth);
    const JobResult limited = run_copies(24, 64, true, limit);
    CHECK(limited.commands == shallow.commands);
    CHECK(use_of(limited, Queue::Dma1).most_commands == depth);
    CHECK(use_of(limited, Queue::Dma1).holding_cycles == 0);  // there is room, and no stall
    CHECK(limited.units.value("command_processor/stall_cycles/queue_full") == 0);
    CHECK(run_copies(24, 4, true, limit).commands == run_copies(24, 4).commands);
  }
}

TEST_CASE("queues: the next job of a machine begins with empty queues") {
  StreamAssembler stream(v256());
  stream.ramp(sram(0), 0x1000);
  for (int64_t i = 0; i < 5; ++i) stream.add(dma_copy(Queue::Dma0, sram(0), sram(0x10000 + i * 0x1000), 0x1000));
  stream.end();
  Npu npu(stream.package().config);
  const JobResult first = run(npu, stream), second = run(npu, stream);
  CHECK(first.queues == second.queues);
  CHECK(use_of(first, Queue::Dma0).most_commands == 4);
}
