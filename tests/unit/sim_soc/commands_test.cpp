// SPDX-License-Identifier: Apache-2.0
// One command of each kind, by hand: values, order, times.
#include "hw/spec/latency.hpp"
#include "hw/timing/unit_timing.hpp"
#include "tests/unit/sim_soc/machine_fixture.hpp"

using namespace vernier;
using namespace vernier::soc;
using namespace vernier::support;

TEST_CASE("A copy moves bytes between the memories") {
  StreamAssembler stream(v256());
  stream.ramp(external(64), 100, 5).add(dma_copy(Queue::Dma0, external(64), sram(32), 100)).end();
  stream.output(sram(32), 100);
  const JobResult result = run(stream);
  require_done(result);
  for (int i = 0; i < 100; ++i) CHECK(result.outputs[0].at(i) == 5 + i);
  CHECK(result.traffic.external_read_bytes == 128);  // two bursts
  CHECK(result.num_bursts == 2);
  CHECK(result.num_commands == 2);
}

TEST_CASE("Bursts are those of both directions") {
  StreamAssembler stream(v256());
  stream.ramp(external(0), 256).add(dma_copy(Queue::Dma0, external(0), sram(0), 256), 0, tokens({Queue::Dma1}));
  stream.add(dma_copy(Queue::Dma1, sram(0), external(1024), 192), tokens({Queue::Dma0})).end();
  const JobResult result = run(stream);
  require_done(result);
  CHECK(result.traffic.external_read_bytes == 256);
  CHECK(result.traffic.external_write_bytes == 192);
  CHECK(result.num_bursts == 4 + 3);
}

TEST_CASE("A command starts after its fetch and its issue, and takes its profile") {
  const config::MachineConfig config = v256();
  const spec::Command copy = dma_copy(Queue::Dma0, external(0), sram(0), 64);
  StreamAssembler stream(config);
  stream.ramp(external(0), 64).add(copy).end();
  const JobResult result = run(stream);
  require_done(result);
  const int64_t fetch = timing::fetch_phase(stream.package().stream.size() - 16, base::MemorySpace::Sram, config).cycles;
  const int64_t length = timing::profile(std::get<spec::DmaCommand>(copy.body), config).main.cycles;
  CHECK(result.commands[0].start_cycle == fetch + spec::kIssueCycles);
  CHECK(result.commands[0].end_cycle == fetch + spec::kIssueCycles + length);
  CHECK(result.cycles == result.commands[0].end_cycle);
  CHECK(result.units.value("dma/idle_cycles") == fetch);
  CHECK(result.units.value("dma/stall_cycles/command_issue") == spec::kIssueCycles);
  CHECK(result.units.value("mac_array/idle_cycles") == result.cycles);
}

TEST_CASE("A strided copy transposes") {
  spec::DmaCommand dma;
  dma.src = {sram(0), {0, 0, 0, 4, 1}};
  dma.dst = {sram(256), {0, 0, 0, 1, 3}};
  dma.counts = {1, 1, 1, 3, 4};
  StreamAssembler stream(v256());
  stream.ramp(sram(0), 12).add({{Queue::Dma1, 0, 0}, dma}).end().output(sram(256), 12);
  const JobResult result = run(stream);
  require_done(result);
  CHECK(values_of(result.outputs[0]) == std::vector<int>{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11});
}

TEST_CASE("The corner-turner transposes, in the time of its profile") {
  spec::DmaCommand dma;
  dma.kind = spec::DmaKind::Transpose;
  dma.src = {sram(0), {0, 0, 16, 4, 2}};
  dma.dst = {sram(256), {0, 0, 12, 2, 6}};
  dma.counts = {1, 1, 2, 3, 2};
  dma.run_bytes = 2;
  const config::MachineConfig config = v256();
  StreamAssembler stream(config);
  stream.ramp(sram(0), 32).add({{Queue::Dma0, 0, 0}, dma}).end().output(sram(256), 24);
  const JobResult result = run(stream);
  require_done(result);
  const std::vector<int> first{0, 1, 4, 5, 8, 9, 2, 3, 6, 7, 10, 11};
  for (size_t i = 0; i < 12; ++i) {
    CHECK(result.outputs[0].at(static_cast<int64_t>(i)) == first[i]);
    CHECK(result.outputs[0].at(static_cast<int64_t>(i) + 12) == first[i] + 16);
  }
  CHECK(result.commands[0].end_cycle - result.commands[0].start_cycle == timing::profile(dma, config).main.cycles);
}

TEST_CASE("A transpose does not write over what it reads") {
  spec::DmaCommand dma;
  dma.kind = spec::DmaKind::Transpose;
  dma.src = {sram(0), {0, 0, 0, 4, 1}};
  dma.dst = {sram(8), {0, 0, 0, 1, 4}};
  dma.counts = {1, 1, 1, 4, 4};
  StreamAssembler stream(v256());
  stream.ramp(sram(0), 16).add({{Queue::Dma0, 0, 0}, dma}).end();
  require_fault(run(stream), spec::FaultCode::Hazard);
}

namespace {

/// The list at 0x100 in SRAM.
std::vector<std::byte> index_list(const std::vector<int32_t>& indices) {
  std::vector<std::byte> bytes(indices.size() * sizeof(int32_t));
  std::memcpy(bytes.data(), indices.data(), bytes.size());
  return bytes;
}

spec::DmaCommand indexed(spec::DmaKind kind, int64_t lists, int64_t items, int64_t limit) {
  spec::DmaCommand dma;
  dma.kind = kind;
  dma.counts = {1, 1, 1, lists, items};
  dma.run_bytes = 2;
  dma.index_base = 0x100;
  dma.index_limit = limit;
  return dma;
}

}  // namespace

TEST_CASE("A gather takes the rows that its list names, one out of range is zeros") {
  spec::DmaCommand dma = indexed(spec::DmaKind::Gather, 2, 4, 3);
  dma.src = {sram(0), {0, 0, 0, 6, 2}};
  dma.dst = {sram(0x200), {0, 0, 0, 8, 2}};
  for (const base::Address from : {sram(0), external(0)}) {
    dma.src.base = from;
    StreamAssembler stream(v256());
    stream.ramp(from, 12, 1).data(sram(0x100), index_list({2, 0, 3, 0, 1, -1, 1000000, 2}));
    stream.add({{Queue::Dma0, 0, 0}, dma}).end().output(sram(0x200), 16);
    const JobResult result = run(stream);
    require_done(result);
    CHECK(values_of(result.outputs[0]) == std::vector<int>{5, 6, 1, 2, 0, 0, 1, 2, 9, 10, 0, 0, 0, 0, 11, 12});
    CHECK(result.commands[0].end_cycle - result.commands[0].start_cycle == timing::profile(dma, v256()).main.cycles);
  }
}

TEST_CASE("A scatter writes the rows that its list names, the last of several, none out of range") {
  spec::DmaCommand dma = indexed(spec::DmaKind::Scatter, 1, 5, 3);
  dma.src = {sram(0), {0, 0, 0, 0, 2}};
  dma.dst = {sram(0x202), {0, 0, 0, 0, 2}};
  StreamAssembler stream(v256());
  stream.ramp(sram(0), 10, 1).ramp(sram(0x200), 10, 50).data(sram(0x100), index_list({2, 3, 0, -1, 2}));
  stream.add({{Queue::Dma0, 0, 0}, dma}).end().output(sram(0x200), 10);
  const JobResult result = run(stream);
  require_done(result);
  CHECK(values_of(result.outputs[0]) == std::vector<int>{50, 51, 5, 6, 54, 55, 9, 10, 58, 59});
}

TEST_CASE("Indices do not change what a gather takes, in cycles or in bytes") {
  spec::DmaCommand dma = indexed(spec::DmaKind::Gather, 1, 5, 100);
  dma.src = {external(3), {0, 0, 0, 0, 7}};
  dma.dst = {sram(0x200), {0, 0, 0, 0, 2}};
  std::vector<JobResult> results;
  for (const std::vector<int32_t>& indices : {std::vector<int32_t>{0, 1, 2, 3, 4}, {99, 0, 99, 50, -7}, {0, 0, 0, 0, 0}}) {
    StreamAssembler stream(v256());
    stream.ramp(external(0), 1024).data(sram(0x100), index_list(indices));
    stream.add({{Queue::Dma0, 0, 0}, dma}).end();
    results.push_back(run(stream));
    require_done(results.back());
    CHECK(results.back().cycles == results[0].cycles);
    CHECK(results.back().traffic == results[0].traffic);
  }
  CHECK(results[0].traffic.external_read_bytes == 5 * 128);  // any run may cross from one burst to the next
}

TEST_CASE("What indices may name has to lie in memory, and be written") {
  spec::DmaCommand dma = indexed(spec::DmaKind::Gather, 1, 2, 8);
  dma.src = {sram(0), {0, 0, 0, 0, 2}};
  dma.dst = {sram(0x200), {0, 0, 0, 0, 2}};
  StreamAssembler unwritten(v256());
  unwritten.ramp(sram(0), 14).data(sram(0x100), index_list({0, 1})).add({{Queue::Dma0, 0, 0}, dma}).end();
  require_fault(run(unwritten), spec::FaultCode::UninitialisedRead);
  StreamAssembler outside(v256());
  dma.index_limit = int64_t{1} << 30;
  outside.ramp(sram(0), 14).data(sram(0x100), index_list({0, 1})).add({{Queue::Dma0, 0, 0}, dma}).end();
  require_fault(run(outside), spec::FaultCode::AddressOutOfRange);
}

TEST_CASE("A fill repeats its value") {
  spec::Command fill = dma_fill(Queue::Dma0, sram(16), 4, 0x0201);
  auto& dma = std::get<spec::DmaCommand>(fill.body);
  dma.fill_bytes = 2;
  dma.counts[4] = 2;
  dma.dst.strides_bytes[4] = 6;
  StreamAssembler stream(v256());
  stream.add(fill).end().output(sram(16), 10);
  const JobResult result = run(stream);
  require_done(result);
  CHECK(values_of(result.outputs[0]) == std::vector<int>{1, 2, 1, 2, 0, 0, 1, 2, 1, 2});
}

TEST_CASE("The vector unit adds") {
  StreamAssembler stream(v256());
  stream.ramp(sram(0), 40).add(vector_add(0, 64, 40, 7)).end().output(sram(64), 40);
  const JobResult result = run(stream);
  require_done(result);
  for (int i = 0; i < 40; ++i) CHECK(result.outputs[0].at(i) == i + 7);
  CHECK(result.units.value("vector_unit/busy_cycles") >= 3);
}

TEST_CASE("The array convolves, rescales and looks up") {
  const config::MachineConfig config = v256();
  const int64_t lanes = config.datapath.lanes;
  // Identity weights and a rescale by a half: each output is half of its input, then through a table of x -> -x.
  std::vector<std::byte> weights(static_cast<size_t>(lanes * lanes));
  for (int64_t i = 0; i < lanes; ++i) weights[static_cast<size_t>(i * lanes + i)] = std::byte{1};
  std::vector<std::byte> table;
  for (int i = -128; i < 128; ++i) table.push_back(static_cast<std::byte>(-std::max(i, -127)));
  spec::MacCommand mac = pointwise(config, 1, 4, 0, 1024, 2048, 4096);
  mac.table = true;
  StreamAssembler stream(config);
  stream.ramp(sram(0), 4 * lanes).data(sram(1024), weights).data(sram(8192), table);
  stream.data(sram(2048), channel_parameters(lanes, 0, 1 << 30, 31));
  stream.add(table_fill(Queue::Dma0, 8192, 0, base::ElementType::Int8, 256), 0, tokens({Queue::MacArray}));
  stream.add(mac, tokens({Queue::Dma0})).end().output(sram(4096), 4 * lanes);
  const JobResult result = run(stream);
  require_done(result);
  for (int i = 0; i < 4 * lanes; ++i) CHECK(result.outputs[0].at(i) == -((i + 1) / 2));
  CHECK(result.units.value("mac_array/stall_cycles/dma") > 0);
  CHECK(result.units.value("rescale_unit/busy_cycles") == 4);  // four vectors
  CHECK(result.units.value("table_unit/busy_cycles") == 4);
  const timing::Profile profile = timing::profile(mac, config);
  CHECK(result.commands[1].end_cycle - result.commands[1].start_cycle == profile.main.cycles + profile.drain.cycles);
}

TEST_CASE("Tables are checked when they are used") {
  const config::MachineConfig config = v256();
  spec::Command vector = vector_add(0, 64, 16, 0);
  auto& body = std::get<spec::VectorCommand>(vector.body);
  body.steps[1] = spec::VectorStep{};
  body.steps[1].op = spec::VectorOp::Table;
  body.steps[1].type = base::ElementType::Int8;
  body = support::scheduled(body);
  SECTION("nothing in the slot") {
    StreamAssembler stream(config);
    stream.ramp(sram(0), 16).add(vector).end();
    require_fault(run(stream), spec::FaultCode::TableSlotEmpty);
  }
  SECTION("another format in the slot") {
    StreamAssembler stream(config);
    stream.ramp(sram(0), 16).ramp(sram(1024), 1026);
    stream.add(table_fill(Queue::Dma0, 1024, 0, base::ElementType::Int16, 1026), 0, tokens({Queue::VectorUnit}));
    stream.add(vector, tokens({Queue::Dma0})).end();
    require_fault(run(stream), spec::FaultCode::TableSlotEmpty);
  }
  SECTION("the right one, also without values") {
    StreamAssembler stream(config);
    stream.ramp(sram(0), 16).ramp(sram(1024), 256);
    stream.add(table_fill(Queue::Dma0, 1024, 0, base::ElementType::Int8, 256), 0, tokens({Queue::VectorUnit}));
    stream.add(vector, tokens({Queue::Dma0})).end().output(sram(64), 16);
    const JobResult result = run(stream);
    require_done(result);
    for (int i = 0; i < 16; ++i) CHECK(static_cast<uint8_t>(result.outputs[0].at(i)) == 128 + i);
    JobOptions estimate;
    estimate.values = false;
    const JobResult again = run(stream, estimate);
    require_done(again);
    CHECK(again.outputs.empty());
    CHECK(again.cycles == result.cycles);
  }
}

TEST_CASE("Slices of a reduction keep their accumulators") {
  const config::MachineConfig config = v256();
  const int64_t lanes = config.datapath.lanes;
  spec::MacCommand whole = pointwise(config, 1, 2, 0, 1024, 3072, 4096);
  whole.in_channels = 2 * lanes;
  whole.input.row_pitch_bytes = 4 * lanes;
  whole.input.pixel_pitch_bytes = 2 * lanes;
  whole.reduction_end = 2 * lanes;
  const auto prepare = [&](StreamAssembler& stream) {
    stream.ramp(sram(0), 4 * lanes, -32).ramp(sram(1024), 2 * lanes * lanes, 3).output(sram(4096), 2 * lanes);
    stream.data(sram(3072), channel_parameters(lanes, 17, 1 << 30, 40));
  };
  StreamAssembler one(config);
  prepare(one);
  one.add(whole).end();
  const JobResult expected = run(one);
  require_done(expected);

  spec::MacCommand first = whole, second = whole;
  first.last = second.first = false;
  first.reduction_end = second.reduction_begin = lanes;
  // Weights are packed by channel tile, then step: a slice has its own tiles.
  StreamAssembler two(config);
  two.ramp(sram(0), 4 * lanes, -32)
      .output(sram(4096), 2 * lanes)
      .data(sram(3072), channel_parameters(lanes, 17, 1 << 30, 40));
  two.ramp(sram(1024), 2 * lanes * lanes, 3);
  second.weight_base = 1024 + lanes * lanes;
  two.add(first).add(second).end();
  const JobResult sliced = run(two);
  require_done(sliced);
  CHECK(values_of(sliced.outputs[0]) == values_of(expected.outputs[0]));

  StreamAssembler missing(config);
  prepare(missing);
  missing.add(second).end();
  require_fault(run(missing), spec::FaultCode::AccumulatorEmpty);

  // What has been drained cannot be continued.
  StreamAssembler ended(config);
  ended.ramp(sram(0), 4 * lanes, -32).data(sram(3072), channel_parameters(lanes, 17, 1 << 30, 40));
  ended.ramp(sram(1024), 2 * lanes * lanes, 3);
  ended.add(first).add(second).add(second).end();
  require_fault(run(ended), spec::FaultCode::AccumulatorEmpty);
}

TEST_CASE("A layer's cycles, bytes and flight") {
  StreamAssembler stream(v256());
  stream.ramp(sram(0), 64).layer("first").add(vector_add(0, 128, 64, 1), 0, tokens({Queue::Dma0}));
  stream.layer("second").add(dma_copy(Queue::Dma0, sram(128), external(0), 64), tokens({Queue::VectorUnit})).end();
  const JobResult result = run(stream);
  require_done(result);
  REQUIRE(result.layers.size() == 2);
  const units::CommandRecord& add = result.commands[0];
  const units::CommandRecord& copy = result.commands[1];
  CHECK(result.layers[0].attributed_cycles == add.end_cycle);
  CHECK(result.layers[0].in_flight_cycles == add.end_cycle - add.start_cycle);
  CHECK(result.layers[1].attributed_cycles == result.cycles - add.end_cycle);
  CHECK(result.layers[1].last_cycle == copy.end_cycle);
  CHECK(result.layers[1].traffic.external_write_bytes == 64);
  CHECK(result.layers[0].traffic.external_write_bytes == 0);
  CHECK(copy.start_cycle == add.end_cycle + spec::kTokenCycles);
}

TEST_CASE("Results are committed when a command ends: until then its destination is what it was") {
  const config::MachineConfig config = v256();
  constexpr int64_t kTo = 0x20000, kBytes = 0x8000;
  const auto [name, command] = GENERATE_REF(table<std::string, spec::Command>(
      {{"a copy", dma_copy(Queue::Dma0, external(0), sram(kTo), kBytes)},
       {"the vector unit", vector_add(0, kTo, kBytes, 1)},
       {"the array", {{Queue::MacArray, 0, 0}, pointwise(config, 1, kBytes / 16, 0, 0x8000, 0x9000, kTo)}}}));
  INFO(name);
  const bool is_stopped = GENERATE(false, true);
  StreamAssembler stream(config);
  stream.ramp(external(0), kBytes, 3).ramp(sram(0), kBytes).ramp(sram(0x8000), 256).ramp(sram(kTo), kBytes, 77);
  stream.data(sram(0x9000), channel_parameters(16, 0, 1 << 30, 40));
  // Two short commands on another queue end while the long one is in flight.
  stream.add(command).add(dma_fill(Queue::Dma1, sram(0x40000), 16, 0)).add(dma_fill(Queue::Dma1, sram(0x40000), 4096, 0));
  stream.end().output(sram(kTo), kBytes);
  package::Package& package = stream.package();
  for (int32_t i = 0; i < 3; ++i) package.pieces.push_back({i, 0, {0}, {kBytes}, {}, package.tensors[0].placement});
  std::vector<std::vector<int>> seen(3);
  JobOptions options;
  if (is_stopped) options.watchdog_cycles = 300;  // the long command takes more
  options.on_piece = [&](int32_t, int32_t command_idx, int64_t, const base::Tensor& values) {
    seen[static_cast<size_t>(command_idx)] = values_of(values);
  };
  const JobResult result = run(stream, options);
  std::vector<int> before;
  for (int64_t i = 0; i < kBytes; ++i) before.push_back(static_cast<int8_t>(77 + i));
  CHECK((seen[1] == before));
  CHECK((seen[2] == before));
  if (is_stopped) {
    CHECK(std::holds_alternative<Hang>(result.status));
    CHECK(seen[0].empty());
    return;
  }
  require_done(result);
  CHECK(result.commands[2].end_cycle < result.commands[0].end_cycle);
  CHECK(result.commands[2].start_cycle > result.commands[0].start_cycle);
  CHECK((seen[0] == values_of(result.outputs[0])));
  CHECK((seen[0] != before));
}
