// SPDX-License-Identifier: Apache-2.0
// Nothing of a job reaches the next one. Jobs that leave every kind of state behind (done, fault, hang, watchdog; phases,
// tokens, tables, accumulators, queues and bytes of memory in every stage) are each followed by jobs that would notice:
// each of these ends like on a machine that has run nothing before, in every figure.
#include "hw/spec/latency.hpp"
#include "tests/unit/sim_soc/machine_fixture.hpp"

#include <functional>
#include <map>

using namespace vernier;
using namespace vernier::soc;
using namespace vernier::support;

namespace {

constexpr int64_t kIn = 0, kWeights = 0x1000, kParameters = 0x2000, kTable = 0x2800, kOut = 0x3000;
constexpr int64_t kPage = 16384;  // of the simulator's storage: an implementation detail that must not show

struct Job {
  StreamAssembler stream;
  JobOptions options;
};

/// Memory as all of the jobs want it.
Job job_of(const std::function<void(StreamAssembler&)>& commands, bool has_values = true, int64_t watchdog_cycles = 0) {
  Job job{StreamAssembler(v256()), {}};
  job.stream.ramp(sram(kIn), 0x1000, 3).ramp(sram(kWeights), 0x1000, 5).ramp(sram(kTable), 0x600, 7);
  job.stream.data(sram(kParameters), channel_parameters(16, 9, 1 << 30, 40)).ramp(external(0), 0x1000, 11);
  commands(job.stream);
  job.stream.end();
  job.options.values = has_values;
  job.options.watchdog_cycles = watchdog_cycles;
  return job;
}

spec::MacCommand mac(int64_t rows = 1) { return pointwise(v256(), rows, 16, kIn, kWeights, kParameters, kOut); }
/// A slice of a reduction of two.
spec::MacCommand slice(bool is_first) {
  spec::MacCommand command = mac();
  command.in_channels = 32;
  command.input.pixel_pitch_bytes = 32;
  command.input.row_pitch_bytes = 16 * 32;
  command.first = is_first;
  command.last = !is_first;
  command.reduction_begin = is_first ? 0 : 16;
  command.reduction_end = is_first ? 16 : 32;
  return command;
}
spec::MacCommand looks_up(int64_t slot) {
  spec::MacCommand command = mac();
  command.table = true;
  command.table_slot = slot;
  return command;
}
spec::Command fill_table(int64_t slot) { return table_fill(Queue::Dma1, kTable, slot, base::ElementType::Int8, 256); }
/// Reads what nobody has written.
spec::Command bad_copy(Queue queue) { return dma_copy(queue, sram(0x70000), sram(0x78000), 64); }

using Jobs = std::vector<std::pair<std::string, Job>>;

/// What a job may leave behind.
Jobs leaving_jobs() {
  Jobs jobs;
  const auto add = [&](const std::string& name, const std::function<void(StreamAssembler&)>& commands,
                       bool has_values = true, int64_t watchdog_cycles = 0) {
    jobs.emplace_back(name, job_of(commands, has_values, watchdog_cycles));
  };
  const uint8_t all = tokens({Queue::Dma0, Queue::Dma1, Queue::MacArray, Queue::VectorUnit});
  add("done, with tokens of every pair, tables, accumulators and outputs", [&](StreamAssembler& s) {
    s.add(fill_table(0), 0, all).add(fill_table(1), 0, all);
    s.add(dma_copy(Queue::Dma0, external(0), sram(kOut), 0x1000), 0, all);
    s.add(vector_add(kIn, 0x8000, 0x1000, 1), 0, all).add(slice(true), 0, all);
  });
  add("done, bytes over the borders of pages, in both memories", [&](StreamAssembler& s) {
    s.add(dma_fill(Queue::Dma0, sram(4 * kPage - 3), 7, 0x55)).add(dma_fill(Queue::Dma1, external(2 * kPage - 1), 2, 0x55));
    s.add(dma_fill(Queue::Dma0, sram(8 * kPage - 5), kPage + 9, 0x55));
    s.add(vector_add(kIn, 6 * kPage - 7, 0x100, 1));
  });
  add(
      "done, without values",
      [&](StreamAssembler& s) {
        s.add(fill_table(0), 0, all).add(dma_fill(Queue::Dma0, sram(4 * kPage - 3), 7, 0x55)).add(mac());
      },
      false);
  add("fault while everything is in flight, with waiting commands in every queue", [&](StreamAssembler& s) {
    for (int i = 0; i < 3; ++i) {
      s.add(dma_copy(Queue::Dma0, external(0), sram(0x10000 + i * 0x1000), 0x1000), 0, all);
      s.add(mac(4), 0, all).add(vector_add(kIn, 0x20000 + i * 0x1000, 0x1000, 1), 0, all);
    }
    s.add(bad_copy(Queue::Dma1));
  });
  add("fault while rescale and table lanes are in use", [&](StreamAssembler& s) {
    s.add(fill_table(0), 0, tokens({Queue::MacArray})).add(looks_up(0), tokens({Queue::Dma1}), tokens({Queue::Dma0}));
    spec::MacCommand again = looks_up(0);
    again.output.base = 0x20000;
    s.add(again).add(bad_copy(Queue::Dma0), tokens({Queue::MacArray}));
  });
  add("fault while the command processor waits for room", [&](StreamAssembler& s) {
    for (int i = 0; i < 8; ++i) s.add(dma_copy(Queue::Dma0, external(0), sram(0x10000 + i * 0x1000), 0x1000));
    s.add(bad_copy(Queue::Dma0));
    for (int i = 0; i < 12; ++i) s.add(dma_copy(Queue::Dma0, external(0), sram(0x20000 + i * 0x1000), 0x1000));
  });
  add("fault in the middle of a fetch", [&](StreamAssembler& s) {
    s.add(dma_fill(Queue::Dma0, sram(0x8000), 0x1000, 1));
    s.package().stream.resize(s.package().stream.size() + 16, std::byte{0xFF});  // no such opcode
    s.package().command_layers.push_back(0);
  });
  add("hang with waits in every queue", [&](StreamAssembler& s) {
    for (const Queue queue : {Queue::Dma0, Queue::Dma1}) {
      s.add(dma_fill(queue, sram(0x8000), 16, 1), tokens({Queue::VectorUnit}), 0);
    }
    s.add(mac(), tokens({Queue::Dma0})).add(vector_add(kIn, 0x9000, 16, 1), tokens({Queue::MacArray}));
  });
  add(
      "watchdog while a copy is in flight",
      [&](StreamAssembler& s) {
        s.add(dma_copy(Queue::Dma0, external(0), sram(kOut), 0x1000)).add(vector_add(kIn, 0x9000, 0x1000, 1));
      },
      true, 100);
  add(
      "watchdog before a command that cannot end",
      [&](StreamAssembler& s) { s.add(mac(64), 0, all).add(fill_table(1), 0, all); }, true, 40);
  add(
      "watchdog at the end of a command that takes longer, while others end",
      [&](StreamAssembler& s) {
        s.add(dma_copy(Queue::Dma0, external(0), sram(0x20000), 0x1000));
        for (int i = 0; i < 20; ++i) s.add(dma_fill(Queue::Dma1, sram(0x8000), 0x400, i));
      },
      true, 200);
  return jobs;
}

/// Jobs that would notice what another one has left.
Jobs noticing_jobs() {
  Jobs jobs;
  const auto add = [&](const std::string& name, const std::function<void(StreamAssembler&)>& commands, int64_t output = -1,
                       int64_t elements = 0) {
    jobs.emplace_back(name, job_of(commands));
    if (output >= 0) jobs.back().second.stream.output(sram(output), elements);
  };
  constexpr std::array<Queue, 4> kQueues{Queue::Dma0, Queue::Dma1, Queue::MacArray, Queue::VectorUnit};
  const auto command_of = [](Queue queue) -> spec::Command {
    if (queue == Queue::MacArray) return {{queue, 0, 0}, mac()};
    if (queue == Queue::VectorUnit) return vector_add(kIn, 0x9000, 64, 1);
    return dma_fill(queue, sram(queue == Queue::Dma0 ? 0xA000 : 0xB000), 64, 1);
  };
  for (const Queue giver : kQueues) {
    for (const Queue taker : kQueues) {
      add(fmt::format("waits for a token of {} in {}", static_cast<int>(giver), static_cast<int>(taker)),
          [&](StreamAssembler& s) { s.add(command_of(taker), tokens({giver})); });
    }
  }
  add("gives 255 tokens", [&](StreamAssembler& s) {
    for (int i = 0; i < 255; ++i) s.add(dma_fill(Queue::Dma0, sram(0xA000), 16, 1), 0, tokens({Queue::MacArray}));
  });
  for (const int64_t slot : {0, 1}) {
    add(fmt::format("looks up in slot {} that nobody fills", slot), [&](StreamAssembler& s) { s.add(looks_up(slot)); });
  }
  // The fill has ended before the next command's words have come.
  add("ends a command before the next one has been fetched", [&](StreamAssembler& s) {
    spec::Command longest = vector_add(kIn, 0x9000, 64, 1);
    auto& body = std::get<spec::VectorCommand>(longest.body);
    body.steps.insert(body.steps.begin() + 1, spec::kMaxVectorSteps - body.steps.size(), body.steps[1]);
    body = support::scheduled(body);
    s.add(dma_fill(Queue::Dma0, sram(0xA000), 16, 1)).add(longest);
  });
  // More commands than fit the queue keep END from ending first: the watchdog counts from cycle 0.
  add("lets the watchdog fire before anything has ended", [&](StreamAssembler& s) {
    for (int i = 0; i < 12; ++i) s.add(dma_copy(Queue::Dma0, external(0), sram(0x20000), 0x1000));
  });
  jobs.back().second.options.watchdog_cycles = 100;
  add("continues a reduction that nobody began", [&](StreamAssembler& s) { s.add(slice(false)); });
  for (const int64_t at : {kOut, int64_t{0x8000}, int64_t{0x10000}, int64_t{0x20000}, 4 * kPage - 3, 4 * kPage,
                           4 * kPage + 3, 6 * kPage - 7, 6 * kPage, 8 * kPage - 5, 9 * kPage, 9 * kPage + 3}) {
    add(fmt::format("reads byte {:#x}, which nobody writes", at),
        [&](StreamAssembler& s) { s.add(dma_copy(Queue::Dma0, sram(at), sram(0x40000), 1)); });
    add(
        fmt::format("gives byte {:#x}, which nobody writes, as its output", at), [](StreamAssembler&) {}, at, 1);
  }
  for (const int64_t at : {2 * kPage - 1, 2 * kPage}) {
    add(fmt::format("reads byte {:#x} outside, which nobody writes", at),
        [&](StreamAssembler& s) { s.add(dma_copy(Queue::Dma0, external(at), sram(0x40000), 1)); });
  }
  add(
      "uses everything",
      [&](StreamAssembler& s) {
        s.add(fill_table(1), 0, tokens({Queue::MacArray}));
        s.add(dma_copy(Queue::Dma0, external(0), sram(0x10000), 0x800), 0, tokens({Queue::VectorUnit}));
        s.add(vector_add(0x10000, 0x20000, 0x800, 1), tokens({Queue::Dma0}), tokens({Queue::Dma0}));
        s.add(slice(true)).add(slice(false)).add(looks_up(1), tokens({Queue::Dma1}), tokens({Queue::Dma1}));
        s.add(dma_copy(Queue::Dma1, sram(kOut), sram(0x30000), 0x100), tokens({Queue::MacArray}));
        for (int i = 0; i < 12; ++i) s.add(dma_copy(Queue::Dma0, sram(0x20000), external(0x8000 + i * 64), 64), 0, 0);
      },
      0x30000, 0x100);
  return jobs;
}

void check_equal(const JobResult& result, const JobResult& alone) {
  CHECK(describe(result) == describe(alone));
  REQUIRE(result.status.index() == alone.status.index());
  if (const auto* fault = std::get_if<Fault>(&result.status)) {
    CHECK(fault->command_idx == std::get<Fault>(alone.status).command_idx);
    CHECK(fault->stream_offset_bytes == std::get<Fault>(alone.status).stream_offset_bytes);
  }
  if (const auto* hang = std::get_if<Hang>(&result.status)) {
    CHECK(hang->is_watchdog == std::get<Hang>(alone.status).is_watchdog);
  }
  CHECK(result.cycles == alone.cycles);
  CHECK(result.outputs == alone.outputs);
  CHECK(result.units == alone.units);
  CHECK(result.commands == alone.commands);
  CHECK(result.shares == alone.shares);
  CHECK(result.layers == alone.layers);
  CHECK(result.traffic == alone.traffic);
  CHECK(result.sram_peak_bytes == alone.sram_peak_bytes);
  CHECK(result.num_commands == alone.num_commands);
  CHECK(result.num_events == alone.num_events);
  CHECK(result.num_bursts == alone.num_bursts);
}

JobResult run_job(Npu& npu, const Job& job) {
  StreamAssembler stream = job.stream;
  return run(npu, stream, job.options);
}

}  // namespace

TEST_CASE("What is left behind is what the jobs' names say") {
  const Jobs jobs = leaving_jobs();
  for (const auto& [name, job] : jobs) {
    INFO(name);
    Npu npu(v256());
    const JobResult result = run_job(npu, job);
    INFO(describe(result));
    CHECK(result.is_done() == name.starts_with("done"));
    CHECK(std::holds_alternative<Fault>(result.status) == name.starts_with("fault"));
    const auto* hang = std::get_if<Hang>(&result.status);
    CHECK((hang != nullptr && !hang->is_watchdog) == name.starts_with("hang"));
    CHECK((hang != nullptr && hang->is_watchdog) == name.starts_with("watchdog"));
  }
}

TEST_CASE("A job that would notice does what its name says, alone") {
  for (const auto& [name, job] : noticing_jobs()) {
    INFO(name);
    Npu npu(v256());
    const JobResult result = run_job(npu, job);
    if (name.starts_with("ends a command")) CHECK(result.commands[0].end_cycle < result.commands[1].dispatch_cycle);
    if (name.starts_with("lets the watchdog")) CHECK(result.cycles == 100);
  }
}

TEST_CASE("A job after any other ends like the job alone") {
  const Jobs before = leaving_jobs(), after = noticing_jobs();
  Npu shared(v256());
  for (const auto& [after_name, after_job] : after) {
    Npu fresh(v256());
    const JobResult alone = run_job(fresh, after_job);
    for (const auto& [before_name, before_job] : before) {
      INFO(after_name << ", after: " << before_name);
      (void)run_job(shared, before_job);
      check_equal(run_job(shared, after_job), alone);
    }
  }
}

TEST_CASE("A job after any number of others ends like the job alone") {
  const Jobs before = leaving_jobs(), after = noticing_jobs();
  Npu fresh(v256()), shared(v256());
  const JobResult alone = run_job(fresh, after.back().second);
  for (const auto& [name, job] : before) (void)run_job(shared, job);
  for (const auto& [name, job] : after) (void)run_job(shared, job);
  check_equal(run_job(shared, after.back().second), alone);
}
