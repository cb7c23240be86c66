// SPDX-License-Identifier: Apache-2.0
// What is shared is paid for, in the whole machine: two commands on different queues that both want most of one resource.
// Who is served first is not slowed; the other runs at (capacity - what the first takes) / what it asks while the first is
// in flight, then alone, and the difference has the resource's name. Each case fails when its resource costs nothing: read
// port, write port, rescale lanes, table lanes, external memory in both directions and shared by them, command fetch.
#include "hw/timing/unit_timing.hpp"
#include "tests/unit/sim_soc/machine_fixture.hpp"

#include <algorithm>
#include <array>
#include <utility>

using namespace vernier;
using namespace vernier::soc;
using namespace vernier::support;
using timing::Resource;

namespace {

constexpr int64_t kFirst = 0, kSecond = 0x80000;  // what the two commands work on
constexpr int64_t kAside = 0x40000;

int64_t demand_of(const timing::Phase& phase, Resource resource) { return phase.demand[static_cast<size_t>(resource)]; }

timing::Profile profile_of(const spec::Command& command, const config::MachineConfig& config) {
  if (const auto* mac = std::get_if<spec::MacCommand>(&command.body)) return timing::profile(*mac, config);
  if (const auto* vector = std::get_if<spec::VectorCommand>(&command.body)) return timing::profile(*vector, config);
  return timing::profile(std::get<spec::DmaCommand>(command.body), config);
}

/// `count` vectors of N elements through the steps: stream 0 is read, stream 1 written.
spec::Command vectors(int64_t count, base::ElementType type, std::vector<spec::VectorStep> steps) {
  const int64_t bytes = base::stored_bytes(type);
  spec::VectorCommand vector;
  vector.counts = {1, 1, 1, 1, count};
  vector.lanes = 16;
  for (const int64_t base : {kSecond, kSecond + kAside}) {
    vector.streams.push_back({base, type, false, bytes, {0, 0, 0, 0, 16 * bytes}});
  }
  vector.steps = std::move(steps);
  return {{Queue::VectorUnit, 0, 0}, support::scheduled(vector)};
}
spec::VectorStep step(spec::VectorOp op, int64_t reg, int64_t stream = 0) {
  spec::VectorStep result;
  result.op = op;
  result.dst = result.a = reg;
  result.stream = stream;
  return result;
}
const spec::VectorStep kLoad = step(spec::VectorOp::Load, 0), kStore = step(spec::VectorOp::Store, 0, 1);

spec::MacCommand long_pointwise(const config::MachineConfig& config) {
  return pointwise(config, 1, 2048, kFirst, 0xC000, 0xD000, kFirst + 0x10000);
}

/// Both start as soon as they are issued (after the tables are filled); `slowed` is the second in the stream. Checks its end
/// by the rule, that `first` takes its own time, and that `stall` of `unit` grows by the difference.
void check_shared(const config::MachineConfig& config, Resource resource, int64_t per_cycle, const spec::Command& first,
                  const spec::Command& slowed, const std::string& unit, const std::string& stall) {
  const auto run_of = [&](const std::vector<spec::Command>& commands) {
    StreamAssembler stream(config);
    stream.ramp(sram(kFirst), 0xC000).ramp(sram(0xC000), 0x1000).ramp(sram(kSecond), kAside).ramp(external(0), 0x40000);
    stream.data(sram(0xD000), channel_parameters(16, 0, 1 << 30, 31));
    const uint8_t users = tokens({Queue::MacArray, Queue::VectorUnit});
    stream.add(table_fill(Queue::Dma1, 0xC000, 0, base::ElementType::Int8, 256), 0, users);
    for (const spec::Command& command : commands) {
      const bool is_copy = std::holds_alternative<spec::DmaCommand>(command.body);
      stream.add(command, is_copy ? 0 : tokens({Queue::Dma1}));
    }
    stream.end();
    JobOptions options;
    options.values = false;
    const JobResult result = run(stream, options);
    require_done(result);
    return result;
  };
  const JobResult alone = run_of({slowed}), together = run_of({first, slowed});
  const timing::Profile own = profile_of(slowed, config), other = profile_of(first, config);
  const units::CommandRecord& a = together.commands[1];
  const units::CommandRecord& b = together.commands[2];
  REQUIRE(b.start_cycle < a.start_cycle + other.main.cycles / 2);
  REQUIRE(own.drain.cycles == 0);
  CHECK(a.end_cycle - a.start_cycle == other.main.cycles + other.drain.cycles);

  const auto ratio = [&](const timing::Phase& phase, int64_t cycles) {
    int64_t wanted = demand_of(phase, resource);
    if (!config.external.is_full_duplex && resource == Resource::ExternalRead) {
      wanted += demand_of(phase, Resource::ExternalWrite);
    }
    return cycles == 0 ? 0 : static_cast<double>(wanted) / static_cast<double>(cycles);
  };
  // The lead, which only reads, main behind it, then the drain that follows (none of a copy): the rate of each stretch, as
  // long as something is left.
  const int64_t lead = timing::is_read(resource) ? 0 : other.main.lead_cycles;
  const std::array<std::pair<int64_t, double>, 3> stretches{
      {{lead, 0.0},
       {other.main.cycles - lead, ratio(other.main, other.main.cycles - lead)},
       {other.drain.cycles, ratio(other.drain, other.drain.cycles)}}};
  auto at = static_cast<double>(std::max(b.start_cycle, a.start_cycle));
  double left = static_cast<double>(own.main.cycles + b.start_cycle) - at;
  auto until = static_cast<double>(a.start_cycle);
  for (const auto& [cycles, asked] : stretches) {
    until += static_cast<double>(cycles);
    if (until <= at) continue;
    const double rate = (static_cast<double>(per_cycle) - asked) / ratio(own.main, own.main.cycles);
    left -= (until - at) * std::clamp(rate, 0.0, 1.0);
    at = until;
  }
  REQUIRE(left > 0);
  CHECK(static_cast<double>(b.end_cycle) == Approx(at + left).margin(0.01 * static_cast<double>(own.main.cycles)));
  const int64_t slowed_by = b.end_cycle - b.start_cycle - own.main.cycles;
  CHECK(slowed_by > own.main.cycles / 3);
  // The two channels of the DMA are one unit: a cycle in which the other one is busy is no stall.
  const bool is_one_unit = std::holds_alternative<spec::DmaCommand>(first.body) && unit == "dma";
  const std::string path = unit + "/stall_cycles/" + stall;
  CHECK(together.units.value(path) - alone.units.value(path) >= (is_one_unit ? slowed_by / 3 : slowed_by));
}

}  // namespace

TEST_CASE("Read port: the vector unit takes its four words a cycle, a copy gets what is left") {
  const config::MachineConfig config = v256();
  check_shared(config, Resource::SramRead, 4, vectors(600, base::ElementType::Int32, {kLoad}),
               dma_copy(Queue::Dma0, sram(kFirst), sram(kFirst + 0x20000), 0x2000), "dma", "port_contention");
}

TEST_CASE("Write port: the vector unit takes its two words a cycle, a fill gets what is left") {
  const config::MachineConfig config = v256();
  check_shared(config, Resource::SramWrite, 2, vectors(400, base::ElementType::Int32, {kLoad, kStore}),
               dma_fill(Queue::Dma0, sram(kFirst), 0x4000, 1), "dma", "port_contention");
}

TEST_CASE("Rescale lanes: the array's epilogue takes a vector a cycle, the vector unit's rescales get what is left") {
  const config::MachineConfig config = v256();
  spec::VectorStep rescale = step(spec::VectorOp::Rescale, 0);
  rescale.b_is_immediate = true;
  rescale.imm0 = 1 << 30;
  rescale.shift = 31;
  check_shared(config, Resource::RescaleLanes, 1, {{Queue::MacArray, 0, 0}, long_pointwise(config)},
               vectors(1000, base::ElementType::Int8, {kLoad, rescale}), "vector_unit", "rescale_contention");
}

TEST_CASE("Table lanes: the array's epilogue takes a vector a cycle, the vector unit's look-ups get what is left") {
  const config::MachineConfig config = v256();
  spec::VectorStep look_up = step(spec::VectorOp::Table, 0);
  look_up.type = base::ElementType::Int8;
  spec::MacCommand mac = long_pointwise(config);
  mac.table = true;
  check_shared(config, Resource::TableLanes, 1, {{Queue::MacArray, 0, 0}, mac},
               vectors(1000, base::ElementType::Int8, {kLoad, look_up}), "vector_unit", "rescale_contention");
}

TEST_CASE("External memory: two copies in one direction, and in both where it is half duplex") {
  config::MachineConfig config = v256();
  const auto load = [](Queue queue) {
    return dma_copy(queue, external(queue == Queue::Dma0 ? 0 : 0x10000), sram(queue == Queue::Dma0 ? kFirst : kSecond),
                    queue == Queue::Dma0 ? 0x8000 : 0x4000);
  };
  const auto store = [](Queue queue) {
    return dma_copy(queue, sram(queue == Queue::Dma0 ? kFirst : kSecond), external(queue == Queue::Dma0 ? 0 : 0x10000),
                    queue == Queue::Dma0 ? 0x8000 : 0x4000);
  };
  check_shared(config, Resource::ExternalRead, 16, load(Queue::Dma0), load(Queue::Dma1), "dma", "external_memory");
  check_shared(config, Resource::ExternalRead, 16, store(Queue::Dma0), store(Queue::Dma1), "dma", "external_memory");
  check_shared(config, Resource::ExternalRead, 16, load(Queue::Dma0), store(Queue::Dma1), "dma", "external_memory");
  config.external.is_full_duplex = true;
  check_shared(config, Resource::ExternalRead, 16, load(Queue::Dma0), load(Queue::Dma1), "dma", "external_memory");
  check_shared(config, Resource::ExternalWrite, 16, store(Queue::Dma0), store(Queue::Dma1), "dma", "external_memory");
}

TEST_CASE("Full duplex: a load and a store do not meet") {
  config::MachineConfig config = v256();
  config.external.is_full_duplex = true;
  StreamAssembler stream(config);
  stream.ramp(external(0), 0x4000).ramp(sram(kSecond), 0x4000);
  const spec::Command load = dma_copy(Queue::Dma0, external(0), sram(kFirst), 0x4000);
  const spec::Command store = dma_copy(Queue::Dma1, sram(kSecond), external(0x10000), 0x4000);
  stream.add(load).add(store).end();
  const JobResult result = run(stream);
  require_done(result);
  CHECK(result.commands[0].end_cycle - result.commands[0].start_cycle == profile_of(load, config).main.cycles);
  CHECK(result.commands[1].end_cycle - result.commands[1].start_cycle == profile_of(store, config).main.cycles);
}

TEST_CASE("Command fetch: each command takes its words over the stream's port, and END waits for all of them") {
  for (const bool is_external : {false, true}) {
    config::MachineConfig config = v256();
    config.external.bytes_per_cycle = 2;
    StreamAssembler stream(config);
    stream.ramp(sram(0), 64);
    for (int64_t i = 0; i < 6; ++i) stream.add(vector_add(0, 1024 * (i + 1), 64, 1));
    stream.end();
    if (is_external) stream.package().stream_address = external(0);
    const JobResult result = run(stream);
    require_done(result);
    const auto bytes = static_cast<int64_t>(stream.package().stream.size());
    // 16 bytes a cycle and a cycle to decode each; outside, 2 bytes a cycle, under which decoding hides.
    const int64_t least = is_external ? bytes / 2 : bytes / 16 + 7;
    CHECK(result.commands.back().end_cycle >= least);
    CHECK(result.commands.back().end_cycle <= least + 7);
    CHECK((is_external ? result.traffic.external_read_bytes : result.traffic.sram_read_bytes) >= bytes);
  }
}

TEST_CASE("Command fetch from outside waits for the memory alone: it is served before what moves bytes there") {
  config::MachineConfig config = v256();
  config.external.bytes_per_cycle = 2;
  const auto run_of = [&](bool is_outside) {
    StreamAssembler stream(config);
    stream.ramp(external(0x1000), 0x4000).ramp(sram(0x10000), 0x4000);
    stream.add(dma_copy(Queue::Dma0, is_outside ? external(0x1000) : sram(0x10000), sram(kSecond), 0x4000));
    for (int64_t i = 0; i < 6; ++i) stream.add(dma_fill(Queue::Dma1, sram(0x8000 + 64 * i), 64, 1));
    stream.end();
    stream.package().stream_address = external(0);
    const JobResult result = run(stream);
    require_done(result);
    return result;
  };
  const JobResult alone = run_of(false), together = run_of(true);
  const auto stalls = [](const JobResult& result, const std::string& name) {
    return result.units.value("command_processor/stall_cycles/" + name);
  };
  CHECK(stalls(together, "external_memory") > 100);
  CHECK(stalls(together, "external_memory") == stalls(alone, "external_memory"));
  CHECK(stalls(together, "port_contention") == 0);
  CHECK(together.commands[0].end_cycle > 0x4000 / 2);  // the copy gets what the fetch leaves
}
