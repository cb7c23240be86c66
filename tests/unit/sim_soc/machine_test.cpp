// SPDX-License-Identifier: Apache-2.0
// Queues, tokens, overlap, hangs, and that one machine runs many jobs.
#include "hw/spec/latency.hpp"
#include "hw/timing/unit_timing.hpp"
#include "tests/unit/sim_soc/machine_fixture.hpp"

#include <chrono>

using namespace vernier;
using namespace vernier::soc;
using namespace vernier::support;

namespace {

/// A small command for a queue that touches only its own kilobyte pair.
spec::Command small_command(Queue queue) {
  switch (queue) {
    case Queue::Dma0: return dma_copy(queue, sram(0), sram(1024), 64);
    case Queue::Dma1: return dma_copy(queue, sram(2048), sram(3072), 64);
    default: return vector_add(4096, 5120, 64, 1);
  }
}

void prepare(StreamAssembler& stream) {
  const int64_t lanes = stream.package().config.datapath.lanes;
  stream.ramp(sram(0), 64).ramp(sram(2048), 64).ramp(sram(4096), 64).ramp(sram(6144), lanes).ramp(sram(7168), lanes * lanes);
  stream.data(sram(0x3000), channel_parameters(lanes, 0, 1 << 30, 40));
}

void add_small(StreamAssembler& stream, Queue queue, uint8_t wait, uint8_t signal) {
  if (queue == Queue::MacArray) {
    stream.add(pointwise(stream.package().config, 1, 1, 6144, 7168, 0x3000, 0x4000), wait, signal);
  } else {
    stream.add(small_command(queue), wait, signal);
  }
}

constexpr std::array<Queue, 4> kQueues{Queue::Dma0, Queue::Dma1, Queue::MacArray, Queue::VectorUnit};

}  // namespace

TEST_CASE("Tokens order every pair of queues, kTokenCycles after the end") {
  Npu npu(v256());
  for (const Queue giver : kQueues) {
    for (const Queue taker : kQueues) {
      StreamAssembler stream(v256());
      prepare(stream);
      add_small(stream, giver, 0, tokens({taker}));
      add_small(stream, taker, tokens({giver}), 0);
      stream.end();
      const JobResult result = run(npu, stream);
      INFO(static_cast<int>(giver) << " to " << static_cast<int>(taker));
      require_done(result);
      CHECK(result.commands[1].start_cycle >= result.commands[0].end_cycle + spec::kTokenCycles);
      CHECK(result.commands[1].start_cycle <= result.commands[0].end_cycle + spec::kIssueCycles);
    }
  }
}

TEST_CASE("Queues overlap") {
  StreamAssembler stream(v256());
  stream.ramp(external(0), 0x4000).ramp(sram(0x8000), 0x1000).add(dma_copy(Queue::Dma0, external(0), sram(0), 0x4000));
  stream.add(vector_add(0x8000, 0xA000, 0x1000, 1)).end();
  const JobResult result = run(stream);
  require_done(result);
  CHECK(result.commands[1].start_cycle < result.commands[0].end_cycle);
  CHECK(result.cycles < result.commands[0].end_cycle - result.commands[0].start_cycle + result.commands[1].end_cycle -
                            result.commands[1].start_cycle);
}

TEST_CASE("A full queue holds up the command processor") {
  config::MachineConfig config = v256();
  const auto stream_of = [&](int commands) {
    StreamAssembler stream(config);
    stream.ramp(external(0), 1024);
    for (int i = 0; i < commands; ++i) stream.add(dma_copy(Queue::Dma0, external(0), sram(0), 1024));
    stream.end();
    return stream;
  };
  // One in flight and queue_depth waiting fit; one more waits with the command processor.
  StreamAssembler fits = stream_of(static_cast<int>(config.queue_depth) + 1);
  const JobResult result = run(fits);
  require_done(result);
  CHECK(result.units.value("command_processor/stall_cycles/queue_full") == 0);
  StreamAssembler full = stream_of(static_cast<int>(config.queue_depth) + 2);
  const JobResult stalled = run(full);
  require_done(stalled);
  CHECK(stalled.units.value("command_processor/stall_cycles/queue_full") > 0);
}

TEST_CASE("The array's commands take the times of its calendar when nobody slows them") {
  const config::MachineConfig config = v256();
  const int64_t lanes = config.datapath.lanes;
  StreamAssembler stream(config);
  stream.ramp(sram(0), 128 * lanes)
      .ramp(sram(0x8000), lanes * lanes)
      .data(sram(0x9000), channel_parameters(lanes, 0, 1 << 30, 40));
  std::vector<spec::MacCommand> commands;
  for (int i = 0; i < 6; ++i) {
    commands.push_back(pointwise(config, 1, 128, 0, 0x8000, 0x9000, 0x10000 + i * 0x1000));
    stream.add(commands.back());
  }
  stream.end();
  const JobResult result = run(stream);
  require_done(result);
  timing::UnitTiming calendar;
  for (size_t i = 0; i < commands.size(); ++i) {
    INFO("command " << i);
    const int64_t start = calendar.earliest_start(result.commands[i].start_cycle);
    CHECK(start == result.commands[i].start_cycle);
    const int64_t end = calendar.reserve(timing::profile(commands[i], config), start);
    CHECK(result.commands[i].end_cycle >= end);
    if (i > 0) CHECK(result.commands[i].end_cycle > result.commands[i - 1].end_cycle);
  }
}

TEST_CASE("A hang names who waits for whom") {
  StreamAssembler stream(v256());
  prepare(stream);
  stream.layer("lonely").add(vector_add(4096, 5120, 64, 1), tokens({Queue::MacArray, Queue::Dma1})).end();
  const JobResult result = run(stream);
  REQUIRE(std::holds_alternative<Hang>(result.status));
  const auto& hang = std::get<Hang>(result.status);
  CHECK_FALSE(hang.is_watchdog);
  CHECK(hang.wait_for == "vec waits for a token of dma1 and mac with command 0 (layer lonely)\n");
}

TEST_CASE("A ring of waits and a blocked command processor hang with all of them named") {
  config::MachineConfig config = v256();
  config.queue_depth = 1;
  StreamAssembler stream(config);
  prepare(stream);
  add_small(stream, Queue::Dma0, tokens({Queue::VectorUnit}), tokens({Queue::VectorUnit}));
  add_small(stream, Queue::VectorUnit, tokens({Queue::Dma0}), tokens({Queue::Dma0}));
  add_small(stream, Queue::VectorUnit, 0, 0);
  stream.end();
  const JobResult result = run(stream);
  REQUIRE(std::holds_alternative<Hang>(result.status));
  const std::string& graph = std::get<Hang>(result.status).wait_for;
  CHECK(graph.find("dma0 waits for a token of vec with command 0") != std::string::npos);
  CHECK(graph.find("vec waits for a token of dma0 with command 1") != std::string::npos);
  CHECK(graph.find("command_processor waits for room in queue vec with command 2") != std::string::npos);
}

TEST_CASE("The watchdog fires when no command ends") {
  StreamAssembler stream(v256());
  stream.ramp(external(0), 65536).add(dma_copy(Queue::Dma0, external(0), sram(0), 65536)).end();
  JobOptions options;
  options.watchdog_cycles = 1000;
  const JobResult result = run(stream, options);
  REQUIRE(std::holds_alternative<Hang>(result.status));
  CHECK(std::get<Hang>(result.status).is_watchdog);
  CHECK(std::get<Hang>(result.status).wait_for.find("dma0 runs command 0") != std::string::npos);
  CHECK(result.cycles == 1000 + result.commands[1].end_cycle);  // END ended last
  require_done(run(stream));
}

TEST_CASE("A machine runs many jobs, each like the first, whatever came before") {
  const config::MachineConfig config = v256();
  StreamAssembler good(config);
  prepare(good);
  add_small(good, Queue::Dma0, 0, tokens({Queue::MacArray}));
  add_small(good, Queue::MacArray, tokens({Queue::Dma0}), 0);
  good.end().output(sram(0x4000), 16);
  StreamAssembler bad(config);
  bad.add(vector_add(0x4000, 0, 16, 1)).end();  // unwritten, unless memory was left over
  StreamAssembler hanging(config);
  hanging.add(dma_fill(Queue::Dma0, sram(0), 1, 0), tokens({Queue::Dma1})).end();

  Npu npu(config);
  const JobResult first = run(npu, good);
  require_done(first);
  for (int i = 0; i < 20; ++i) {
    require_fault(run(npu, bad), spec::FaultCode::UninitialisedRead);
    CHECK(std::holds_alternative<Hang>(run(npu, hanging).status));
    const JobResult again = run(npu, good);
    require_done(again);
    CHECK(again.cycles == first.cycles);
    CHECK(again.outputs == first.outputs);
    CHECK(again.units == first.units);
    CHECK(again.commands == first.commands);
    CHECK(again.layers == first.layers);
    CHECK(again.num_events == first.num_events);
  }
}

TEST_CASE("Accumulators and tables do not outlive their job") {
  const config::MachineConfig config = v256();
  const int64_t lanes = config.datapath.lanes;
  spec::MacCommand first = pointwise(config, 1, 1, 0, 7168, 0x3000, 0x4000);
  first.in_channels = 2 * lanes;
  first.last = false;
  spec::MacCommand second = first;
  second.first = false;
  second.last = true;
  second.reduction_begin = lanes;
  second.reduction_end = 2 * lanes;
  const auto stream_of = [&](const spec::MacCommand& mac) {
    StreamAssembler stream(config);
    stream.ramp(sram(0), 4 * lanes).ramp(sram(7168), lanes * lanes).ramp(sram(0x5000), 256);
    stream.data(sram(0x3000), channel_parameters(lanes, 0, 1 << 30, 40));
    stream.add(table_fill(Queue::Dma0, 0x5000, 0, base::ElementType::Int8, 256)).add(mac).end();
    return stream;
  };
  StreamAssembler leaves = stream_of(first), continues = stream_of(second);
  spec::MacCommand look_up = pointwise(config, 1, 1, 0, 7168, 0x3000, 0x4000);
  look_up.table = true;
  look_up.table_slot = 0;
  StreamAssembler uses(config);
  prepare(uses);
  uses.ramp(sram(0), lanes).add(look_up).end();
  Npu npu(config);
  require_done(run(npu, leaves));
  require_fault(run(npu, continues), spec::FaultCode::AccumulatorEmpty);
  require_done(run(npu, leaves));
  require_fault(run(npu, uses), spec::FaultCode::TableSlotEmpty);
}

TEST_CASE("The peak of a job is the end of what it wrote in SRAM, not outside") {
  StreamAssembler stream(v256());
  stream.ramp(sram(0), 64).ramp(external(0x4000), 0x1000);
  stream.add(dma_fill(Queue::Dma0, sram(0x2000), 48, 1)).end();
  stream.package().stream_address = external(0);
  const JobResult result = run(stream);
  require_done(result);
  CHECK(result.sram_peak_bytes == 0x2000 + 48);
}

TEST_CASE("Machines of different configurations live side by side") {
  Npu small(config::preset_config("v64", "test"));
  Npu large(config::preset_config("v1024", "test"));
  int64_t cycles[2] = {};
  for (int i = 0; i < 3; ++i) {
    Npu* machines[2] = {&small, &large};
    for (int m = 0; m < 2; ++m) {
      StreamAssembler stream(config::preset_config(m == 0 ? "v64" : "v1024", "test"));
      stream.ramp(sram(0), 4096).add(vector_add(0, 8192, 4096, 1)).end().output(sram(8192), 4096);
      const JobResult result = run(*machines[m], stream);
      require_done(result);
      CHECK(static_cast<uint8_t>(result.outputs[0].at(255)) == 0);
      if (i > 0) CHECK(result.cycles == cycles[m]);
      cycles[m] = result.cycles;
    }
  }
  CHECK(cycles[0] > 2 * cycles[1]);
}

TEST_CASE("Pieces are captured when their command retires") {
  StreamAssembler stream(v256());
  stream.ramp(sram(0), 64).add(vector_add(0, 128, 64, 1), 0, tokens({Queue::VectorUnit}));
  stream.add(vector_add(0, 128, 64, 2), tokens({Queue::VectorUnit})).end().output(sram(128), 64);
  package::Package& package = stream.package();
  package.pieces = {{0, 0, {0}, {8}, {}, package.tensors[0].placement}, {1, 0, {8}, {4}, {}, package.tensors[0].placement}};
  std::vector<std::vector<int>> seen;
  std::vector<int64_t> cycles;
  JobOptions options;
  options.on_piece = [&](int32_t piece_idx, int32_t command_idx, int64_t cycle, const base::Tensor& values) {
    CHECK(piece_idx == command_idx);
    seen.push_back(values_of(values));
    cycles.push_back(cycle);
  };
  const JobResult result = run(stream, options);
  require_done(result);
  CHECK(seen == std::vector<std::vector<int>>{{1, 2, 3, 4, 5, 6, 7, 8}, {10, 11, 12, 13}});
  CHECK(cycles == std::vector<int64_t>{result.commands[0].end_cycle, result.commands[1].end_cycle});
}

TEST_CASE("Every piece of a command is captured, one of every second element too") {
  StreamAssembler stream(v256());
  stream.ramp(sram(0), 64).add(vector_add(0, 128, 64, 0)).end().output(sram(128), 64);
  package::Package& package = stream.package();
  package::Placement rows = package.tensors[0].placement;
  rows.strides_bytes = {8};
  package.tensors[0].shape = {8, 8};
  package.tensors[0].placement = rows;
  package.pieces = {{0, 0, {0, 0}, {1, 8}, {}, rows}, {0, 0, {1, 2}, {3, 2}, {2, 1}, rows}};
  std::vector<std::vector<int>> seen;
  JobOptions options;
  options.on_piece = [&](int32_t piece_idx, int32_t command_idx, int64_t, const base::Tensor& values) {
    CHECK(piece_idx == static_cast<int32_t>(seen.size()));
    CHECK(command_idx == 0);
    seen.push_back(values_of(values));
  };
  require_done(run(stream, options));
  CHECK(seen == std::vector<std::vector<int>>{{0, 1, 2, 3, 4, 5, 6, 7}, {10, 11, 26, 27, 42, 43}});
}

TEST_CASE("A job that stops has retired the commands that ended, and no others") {
  StreamAssembler stream(v256());
  stream.ramp(sram(0), 0x4000).add(dma_fill(Queue::Dma0, sram(0x8000), 64, 1), 0, tokens({Queue::Dma1}));
  stream.add(vector_add(0, 0x10000, 0x4000, 1));                                                     // still runs
  stream.add(dma_copy(Queue::Dma1, sram(0x70000), sram(0x78000), 64), tokens({Queue::Dma0})).end();  // nobody has written
  const JobResult result = run(stream);
  require_fault(result, spec::FaultCode::UninitialisedRead);
  REQUIRE(result.commands[1].start_cycle >= 0);
  CHECK(result.commands[0].end_cycle >= 0);
  CHECK(result.commands[1].end_cycle == -1);
  CHECK(result.commands[2].end_cycle == -1);
  REQUIRE(result.commands[3].end_cycle >= 0);  // END, which waits for nobody
  CHECK(result.num_commands == 2);
}

TEST_CASE("Ten thousand commands take four events each at most") {
  config::MachineConfig config = v256();
  StreamAssembler stream(config);
  stream.ramp(sram(0), 64).ramp(sram(4096), 64);
  constexpr int kPairs = 5000;
  for (int i = 0; i < kPairs; ++i) {
    stream.add(dma_copy(Queue::Dma0, sram(0), sram(1024), 64)).add(vector_add(4096, 5120, 64, 1));
  }
  stream.end();
  stream.package().stream_address = external(0);
  Npu npu(config);
  const JobResult first = run(npu, stream);
  require_done(first);
  // Work is counted, not time: the budget is process activations for each command.
  CHECK(first.num_events <= 4 * first.num_commands);
}
