// SPDX-License-Identifier: Apache-2.0
// Illegal streams: each stops the machine with its code and the command's address, and none crashes the simulator.
#include "hw/spec/latency.hpp"
#include "tests/unit/sim_soc/machine_fixture.hpp"

#include <functional>
#include <random>

using namespace vernier;
using namespace vernier::soc;
using namespace vernier::support;
using spec::FaultCode;

namespace {
constexpr int64_t kFar = 4096;  // a copy that is long enough to be in flight
}

TEST_CASE("Read-after-write across queues without a token is a hazard that names both") {
  StreamAssembler stream(v256());
  stream.ramp(external(0), kFar).ramp(sram(0), kFar).layer("load").add(dma_copy(Queue::Dma0, external(0), sram(0), kFar));
  stream.layer("use").add(vector_add(64, 8192, 64, 1)).end();
  const Fault fault = require_fault(run(stream), FaultCode::Hazard);
  CHECK(fault.command_idx == 1);
  CHECK(fault.stream_offset_bytes > 0);
  CHECK(fault.detail.find("command 1 (layer use)") != std::string::npos);
  CHECK(fault.detail.find("command 0 (layer load)") != std::string::npos);
}

TEST_CASE("Write-after-read and write-after-write across queues are hazards") {
  StreamAssembler war(v256());
  war.ramp(sram(0), kFar).add(dma_copy(Queue::Dma0, sram(0), external(0), kFar)).add(vector_add(8192, 100, 64, 1)).end();
  war.ramp(sram(8192), 64);
  require_fault(run(war), FaultCode::Hazard);
  StreamAssembler waw(v256());
  waw.ramp(external(0), kFar).add(dma_copy(Queue::Dma0, external(0), sram(0), kFar));
  waw.add(dma_fill(Queue::Dma1, sram(kFar - 1), 1, 0)).end();
  require_fault(run(waw), FaultCode::Hazard);
  StreamAssembler apart(v256());
  apart.ramp(external(0), kFar).add(dma_copy(Queue::Dma0, external(0), sram(0), kFar));
  apart.add(dma_fill(Queue::Dma1, sram(kFar), 1, 0)).end();
  require_done(run(apart));
}

TEST_CASE("Within the array's queue, read-after-write needs a token, write-after-read does not") {
  const config::MachineConfig config = v256();
  const int64_t lanes = config.datapath.lanes;
  const auto prepare = [&](StreamAssembler& stream) {
    stream.ramp(sram(0), 64 * lanes).ramp(sram(0x8000), lanes * lanes);
    stream.data(sram(0x9000), channel_parameters(lanes, 0, 1 << 30, 40));
  };
  const spec::MacCommand first = pointwise(config, 1, 64, 0, 0x8000, 0x9000, 0x2000);
  const spec::MacCommand reader = pointwise(config, 1, 64, 0x2000, 0x8000, 0x9000, 0x4000);
  const spec::MacCommand overwriter = pointwise(config, 1, 64, 0x6000, 0x8000, 0x9000, 0);

  StreamAssembler raw(config);
  prepare(raw);
  raw.add(first).add(reader).end();
  require_fault(run(raw), FaultCode::Hazard);

  StreamAssembler ordered(config);
  prepare(ordered);
  ordered.add(first, 0, tokens({Queue::MacArray})).add(reader, tokens({Queue::MacArray})).end();
  const JobResult result = run(ordered);
  require_done(result);
  CHECK(result.commands[1].start_cycle == result.commands[0].end_cycle + spec::kTokenCycles);

  StreamAssembler war(config);
  prepare(war);
  war.ramp(sram(0x6000), 64 * lanes).add(first).add(overwriter).end();
  const JobResult overlapped = run(war);
  require_done(overlapped);
  CHECK(overlapped.commands[1].start_cycle < overlapped.commands[0].end_cycle);  // the drain overlaps
}

TEST_CASE("A command may work in place, element on element, and not otherwise") {
  StreamAssembler same(v256());
  same.ramp(sram(0), 40).add(vector_add(0, 0, 40, 1)).end().output(sram(0), 40);
  const JobResult result = run(same);
  require_done(result);
  CHECK(result.outputs[0].at(39) == 40);
  StreamAssembler shifted(v256());
  shifted.ramp(sram(0), 64).add(vector_add(0, 1, 40, 1)).end();
  require_fault(run(shifted), FaultCode::Hazard);
  StreamAssembler copy(v256());
  copy.ramp(sram(0), 64).add(dma_copy(Queue::Dma0, sram(0), sram(8), 32)).end();
  require_fault(run(copy), FaultCode::Hazard);
}

TEST_CASE("A byte that nobody has written cannot be read") {
  StreamAssembler stream(v256());
  stream.ramp(sram(0), 39).layer("conv_7").add(vector_add(0, 64, 40, 1)).end();
  const Fault fault = require_fault(run(stream), FaultCode::UninitialisedRead);
  CHECK(fault.detail.find("sram:0x27") != std::string::npos);
  CHECK(fault.access == base::Address{base::MemorySpace::Sram, 0x27});
  CHECK(fault.detail.find("conv_7") != std::string::npos);
  StreamAssembler later(v256());
  later.ramp(sram(0), 39).add(dma_fill(Queue::Dma0, sram(39), 1, 9), 0, tokens({Queue::VectorUnit}));
  later.add(vector_add(0, 64, 40, 1), tokens({Queue::Dma0})).end();
  require_done(run(later));
}

TEST_CASE("A byte outside the memory cannot be named") {
  const config::MachineConfig config = v256();
  StreamAssembler inside(config);
  inside.add(dma_fill(Queue::Dma0, sram(config.sram_bytes - 16), 16, 0)).end();
  require_done(run(inside));
  StreamAssembler outside(config);
  outside.add(dma_fill(Queue::Dma0, sram(config.sram_bytes - 16), 17, 0)).end();
  const Fault fault = require_fault(run(outside), FaultCode::AddressOutOfRange);
  CHECK(fault.access == base::Address{base::MemorySpace::Sram, static_cast<uint64_t>(config.sram_bytes - 16)});
  spec::Command negative = dma_fill(Queue::Dma0, sram(16), 1, 0);
  std::get<spec::DmaCommand>(negative.body).counts[0] = 3;
  std::get<spec::DmaCommand>(negative.body).dst.strides_bytes[0] = -16;
  StreamAssembler below(config);
  below.add(negative).end();
  require_fault(run(below), FaultCode::AddressOutOfRange);
}

TEST_CASE("The 256th token overflows, the 255th does not") {
  for (const int count : {255, 256}) {
    StreamAssembler stream(v256());
    for (int i = 0; i < count; ++i) {
      stream.add(dma_fill(Queue::Dma0, sram(0), 1, 0), 0, tokens({Queue::VectorUnit}));
    }
    stream.end();
    const JobResult result = run(stream);
    if (count == 255) {
      require_done(result);
    } else {
      CHECK(require_fault(result, FaultCode::TokenOverflow).command_idx == 255);
    }
  }
}

TEST_CASE("A stream must end with END and hold whole, legal commands") {
  const spec::Command fill = dma_fill(Queue::Dma0, sram(0), 1, 0);
  StreamAssembler open(v256());
  open.add(fill);
  require_fault(run(open), FaultCode::StreamEnd);

  StreamAssembler cut(v256());
  cut.add(fill).end();
  cut.package().stream.resize(24);
  require_fault(run(cut), FaultCode::BadLength);

  StreamAssembler opcode(v256());
  opcode.end().end();
  opcode.package().stream[16] = std::byte{0x7E};
  opcode.package().stream[0] = std::byte{0x7E};
  CHECK(require_fault(run(opcode), FaultCode::IllegalOpcode).stream_offset_bytes == 0);
  CHECK(!require_fault(run(opcode), FaultCode::IllegalOpcode).access.has_value());

  StreamAssembler zero(v256());
  spec::Command no_run = fill;
  std::get<spec::DmaCommand>(no_run.body).counts[2] = 0;
  zero.add(no_run).end();
  require_fault(run(zero), FaultCode::ZeroCount);

  StreamAssembler mode(v256());
  spec::Command transpose = fill;
  std::get<spec::DmaCommand>(transpose.body).kind = spec::DmaKind::Transpose;
  std::get<spec::DmaCommand>(transpose.body).src.base = external(0);
  mode.add(transpose).end();
  require_fault(run(mode), FaultCode::UnsupportedMode);
}

namespace {

/// What the machine finds in a copy, a convolution or a vector command with a change, behind a command that fills SRAM. No
/// loader has looked at it.
FaultCode fault_of(const spec::Command& command) {
  StreamAssembler stream(v256());
  stream.add(dma_fill(Queue::Dma0, sram(0), 0x8000, 1), 0, tokens({command.header.queue}));
  stream.add(command, tokens({Queue::Dma0})).end();
  const Fault fault = std::get<Fault>(run(stream).status);
  CHECK(fault.command_idx == 1);
  return fault.code;
}
FaultCode fault_of_copy(const std::function<void(spec::DmaCommand&)>& change) {
  spec::Command command = dma_copy(Queue::Dma1, sram(0), sram(0x9000), 64);
  change(std::get<spec::DmaCommand>(command.body));
  return fault_of(command);
}
FaultCode fault_of_convolution(const std::function<void(spec::MacCommand&)>& change) {
  spec::Command command{{.queue = Queue::MacArray}, pointwise(v256(), 4, 4, 0, 0x1000, 0x1800, 0x2000)};
  change(std::get<spec::MacCommand>(command.body));
  return fault_of(command);
}
FaultCode fault_of_load(const spec::VectorStream& stream, int64_t lanes) {
  spec::Command command = vector_add(0, 0x9000, lanes, 1);
  auto& vector = std::get<spec::VectorCommand>(command.body);
  vector = {};
  vector.lanes = lanes;
  vector.streams = {stream};
  vector.steps = {{spec::VectorOp::Load, spec::VectorPhase::Body}};
  vector.steps[0].type = base::ElementType::Int32;
  return fault_of(command);
}

}  // namespace

TEST_CASE("Command processor: a length that was never set, and products of lengths that overflow") {
  constexpr int64_t kMany = (int64_t{1} << 24) - 1, kLong = INT32_MAX;  // the most that the fields hold
  CHECK(fault_of_copy([](auto& dma) { dma.run_bytes = 0; }) == FaultCode::ZeroCount);
  CHECK(fault_of_convolution([](auto& mac) { mac.out_rows = 0; }) == FaultCode::ZeroCount);
  CHECK(fault_of_copy([](auto& dma) {
          dma.counts = {kMany, kMany, kMany, kMany, kMany};
          dma.src.strides_bytes = dma.dst.strides_bytes = {kLong, kLong, kLong, kLong, kLong};
        }) == FaultCode::LimitExceeded);
}

TEST_CASE("Command processor: padding that makes an extent negative, a stride with a sign, addresses beyond 32 bits") {
  CHECK(fault_of_convolution([](auto& mac) { mac.input.row_pitch_bytes = -mac.input.row_pitch_bytes; }) ==
        FaultCode::AddressOutOfRange);
  CHECK(fault_of_copy([](auto& dma) {
          dma.counts[4] = 2;
          dma.dst.base.offset = 0;
          dma.dst.strides_bytes[4] = -1024;
        }) == FaultCode::AddressOutOfRange);
  CHECK(fault_of_copy([](auto& dma) { dma.dst.base.offset = 0xFFFF'FFFF; }) == FaultCode::AddressOutOfRange);
  CHECK(fault_of_copy([](auto& dma) { dma.src.base.offset = 0xFFFF'FFFF; }) == FaultCode::AddressOutOfRange);
  CHECK(fault_of_convolution([](auto& mac) { mac.weight_base = 0xFFFF'FF00; }) == FaultCode::AddressOutOfRange);
}

TEST_CASE("Command processor: elements of 8, 16 and 32 bits and scalar operands after the last byte of SRAM") {
  const int64_t sram_bytes = v256().sram_bytes;
  for (const auto type : {base::ElementType::Int8, base::ElementType::Int16, base::ElementType::Int32}) {
    const int64_t element = base::stored_bytes(type);
    INFO("element of " << element << " bytes");
    CHECK(fault_of_load({sram_bytes - element + 1, type}, 1) == FaultCode::AddressOutOfRange);
    CHECK(fault_of_load({sram_bytes - element, type}, 1) == FaultCode::UninitialisedRead);  // it is there
    CHECK(fault_of_load({sram_bytes, type, false, 0}, 16) == FaultCode::AddressOutOfRange);
    CHECK(fault_of_load({sram_bytes - element, type, false, 0}, 16) == FaultCode::UninitialisedRead);
  }
}

TEST_CASE("Command processor: a reserved bit") {
  StreamAssembler good(v256());
  good.add(dma_fill(Queue::Dma0, sram(0), 64, 7)).end();
  int num_reserved = 0;
  for (size_t bit = 0; bit < 8 * 16; ++bit) {
    StreamAssembler bad = good;
    bad.package().stream[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    const JobResult result = run(bad);
    const auto* fault = std::get_if<Fault>(&result.status);
    num_reserved += fault != nullptr && fault->code == FaultCode::ReservedEncoding ? 1 : 0;
  }
  CHECK(num_reserved > 5);
}

TEST_CASE("A faulty command behind good ones stops the machine where it stands") {
  StreamAssembler stream(v256());
  stream.ramp(sram(0), 64);
  for (int i = 0; i < 5; ++i)
    stream.add(vector_add(0, 128, 64, i), i > 0 ? tokens({Queue::VectorUnit}) : uint8_t{0}, tokens({Queue::VectorUnit}));
  const auto offset = static_cast<int64_t>(stream.package().stream.size());
  spec::Command bad = dma_fill(Queue::Dma0, sram(0), 1, 0);
  std::get<spec::DmaCommand>(bad.body).run_bytes = 0;
  stream.add(bad).end();
  const Fault fault = require_fault(run(stream), FaultCode::ZeroCount);
  CHECK(fault.command_idx == 5);
  CHECK(fault.stream_offset_bytes == offset);
}

TEST_CASE("Flipped bits of a stream end in done, fault or hang, never in a crash") {
  const config::MachineConfig config = v256();
  const int64_t lanes = config.datapath.lanes;
  StreamAssembler stream(config);
  stream.ramp(sram(0), 64 * lanes)
      .ramp(external(0), lanes * lanes)
      .data(sram(0x9000), channel_parameters(lanes, 0, 1 << 30, 40));
  stream.add(dma_copy(Queue::Dma0, external(0), sram(0x8000), lanes * lanes), 0, tokens({Queue::MacArray}));
  stream.add(pointwise(config, 1, 64, 0, 0x8000, 0x9000, 0x2000), tokens({Queue::Dma0}), tokens({Queue::VectorUnit}));
  stream.add(vector_add(0x2000, 0x4000, 64 * lanes, 3), tokens({Queue::MacArray}), tokens({Queue::Dma1}));
  stream.add(dma_copy(Queue::Dma1, sram(0x4000), external(0x1000), 64 * lanes), tokens({Queue::VectorUnit})).end();
  stream.output(external(0x1000), 64 * lanes);
  Npu npu(config);
  const JobResult clean = run(npu, stream);
  require_done(clean);
  const std::vector<std::byte> original = stream.package().stream;
  constexpr uint32_t kSeed = 20240607;
  INFO("seed " << kSeed);
  std::mt19937 random(kSeed);
  JobOptions options;
  options.watchdog_cycles = 100'000;
  for (int i = 0; i < 400; ++i) {
    const size_t bit = random() % (original.size() * 8);
    stream.package().stream = original;
    stream.package().stream[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    INFO("bit " << bit);
    run(npu, stream, options);
  }
  stream.package().stream = original;
  const JobResult again = run(npu, stream);
  require_done(again);
  CHECK(again.outputs == clean.outputs);
  CHECK(again.cycles == clean.cycles);
}
