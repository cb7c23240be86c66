// SPDX-License-Identifier: Apache-2.0
// Jobs through the firmware are the jobs that the host starts itself, and what fails is told.
#include "hw/spec/control_system.hpp"
#include "sim/soc/firmware_image.hpp"
#include "tests/unit/sim_riscv/encode.hpp"
#include "tests/unit/sim_soc/machine_fixture.hpp"

using namespace vernier;
using namespace vernier::soc;
using namespace vernier::support;

namespace {

constexpr uint32_t kRing = spec::cpu_window_base(spec::CpuWindowId::Shared) >> 12;

/// A copy from outside, an addition, and a copy to the outside.
StreamAssembler small_network(int first = 0) {
  StreamAssembler stream(v256());
  stream.ramp(external(0), 0x1000, first);
  stream.add(dma_copy(Queue::Dma0, external(0), sram(0), 0x1000), 0, tokens({Queue::VectorUnit}));
  stream.add(vector_add(0, 0x4000, 0x1000, 1), tokens({Queue::Dma0}), tokens({Queue::Dma1}));
  stream.add(dma_copy(Queue::Dma1, sram(0x4000), external(0x2000), 0x1000), tokens({Queue::VectorUnit}), 0);
  return stream.end().output(external(0x2000), 0x1000);
}

void check_same(const JobResult& by_firmware, const JobResult& direct) {
  CHECK(by_firmware.outputs == direct.outputs);
  CHECK(by_firmware.cycles == direct.cycles);
  CHECK(by_firmware.commands == direct.commands);
  CHECK(by_firmware.units == direct.units);
  CHECK(by_firmware.traffic == direct.traffic);
  CHECK(by_firmware.num_commands == direct.num_commands);
}

/// Words from the first byte of the firmware memory on.
FirmwareProgram program_of(const std::vector<uint32_t>& words) {
  const auto bytes = std::as_bytes(std::span(words));
  return {"", {{spec::cpu_window_base(spec::CpuWindowId::Firmware), {bytes.begin(), bytes.end()}}}};
}

std::string failure_of(const std::vector<uint32_t>& firmware) {
  Npu npu(v256(), Control::Cpu);
  const FirmwareProgram program = program_of(firmware);
  JobOptions options;
  options.firmware = &program;
  const JobResult result = npu.run(small_network().package(), {}, options);
  CHECK_FALSE(result.is_done());
  CHECK(result.outputs.empty());
  CHECK_FALSE(result.control.has_value());
  const auto* failure = std::get_if<FirmwareFailure>(&result.status);
  return failure == nullptr ? "" : failure->what;
}

}  // namespace

TEST_CASE("By firmware: a job gives what a host gets that starts it itself") {
  StreamAssembler stream = small_network();
  Npu direct(v256()), cpu(v256(), Control::Cpu);
  const JobResult expected = run(direct, stream), result = run(cpu, stream);
  require_done(expected);
  require_done(result);
  check_same(result, expected);
  CHECK_FALSE(expected.control.has_value());
  REQUIRE(result.control.has_value());
  const ControlUse& use = *result.control;
  CHECK(use.boot_cycles > 0);
  CHECK(use.boot_cycles < 2000);
  CHECK(use.firmware_instructions > 50);
  // Eleven words of the slot go to registers of the NPU.
  CHECK(use.submit_cycles > 11 * (spec::cpu_access(spec::CpuPlace::SystemRegister).load_cycles +
                                  spec::cpu_access(spec::CpuPlace::NpuRegister).store_cycles));
  CHECK(use.submit_cycles < 1000);
  CHECK(use.interrupt_cycles > 50);
  CHECK(use.interrupt_cycles < 1000);
  CHECK(use.job_overhead_cycles() == use.submit_cycles + use.interrupt_cycles);
  CHECK(use.job_overhead_cycles() < 1500);
}

TEST_CASE("By firmware: jobs after jobs, each from a fresh machine, take the same cycles every time") {
  Npu cpu(v256(), Control::Cpu);
  std::optional<ControlUse> first;
  for (int i = 0; i < 4; ++i) {
    StreamAssembler stream = small_network(i);
    Npu direct(v256());
    const JobResult result = run(cpu, stream);
    require_done(result);
    check_same(result, run(direct, stream));
    if (!first) first = result.control;
    CHECK(result.control == first);
  }
}

TEST_CASE("By firmware: values off, the same cycles") {
  StreamAssembler stream = small_network();
  Npu cpu(v256(), Control::Cpu);
  const JobResult with = run(cpu, stream);
  JobOptions options;
  options.values = false;
  const JobResult without = run(cpu, stream, options);
  require_done(without);
  CHECK(without.cycles == with.cycles);
  CHECK(without.control == with.control);
}

TEST_CASE("By firmware: a fault and a hang are those of a host that starts the job itself") {
  StreamAssembler bad(v256());
  bad.add(dma_fill(Queue::Dma0, sram(0), 64, 7));
  bad.add(dma_copy(Queue::Dma1, sram(512), sram(1024), 64)).end();
  Npu direct(v256()), cpu(v256(), Control::Cpu);
  const JobResult expected = run(direct, bad), result = run(cpu, bad);
  const Fault fault = require_fault(result, spec::FaultCode::UninitialisedRead);
  CHECK(fault.detail == require_fault(expected, spec::FaultCode::UninitialisedRead).detail);
  CHECK(result.cycles == expected.cycles);
  REQUIRE(result.control.has_value());  // the completion tells it: checked by the machine itself
  CHECK(result.control->interrupt_cycles > 0);

  StreamAssembler waits(v256());  // for a token that nobody gives
  waits.add(dma_fill(Queue::Dma0, sram(0), 64, 7), tokens({Queue::Dma1})).end();
  const JobResult hang = run(cpu, waits);
  INFO(describe(hang));
  REQUIRE(std::holds_alternative<Hang>(hang.status));
  CHECK(std::get<Hang>(hang.status).wait_for == std::get<Hang>(run(direct, waits).status).wait_for);
  CHECK(hang.control.has_value());
  StreamAssembler good = small_network();
  require_done(run(cpu, good));  // and the next job runs
}

TEST_CASE("By firmware: the watchdog fires in the cycle in which it fires without a control CPU") {
  StreamAssembler stream(v256());
  stream.ramp(external(0), 0x10000).add(dma_copy(Queue::Dma0, external(0), sram(0), 0x8000)).end();
  JobOptions options;
  options.watchdog_cycles = 500;
  Npu direct(v256()), cpu(v256(), Control::Cpu);
  const JobResult expected = run(direct, stream, options), result = run(cpu, stream, options);
  REQUIRE(std::get<Hang>(expected.status).is_watchdog);
  REQUIRE(std::holds_alternative<Hang>(result.status));
  CHECK(std::get<Hang>(result.status).is_watchdog);
  CHECK(result.cycles == expected.cycles);
}

TEST_CASE("By firmware: what firmware does wrong is told") {
  namespace rv = tests::rv;
  constexpr uint32_t kMailbox = spec::cpu_window_base(spec::CpuWindowId::Mailbox) >> 12;
  using Catch::Matchers::Contains;
  CHECK_THAT(failure_of({rv::kWfi}), Contains("did not boot") && Contains("sleeps at 0x10010004"));
  CHECK_THAT(failure_of({rv::jal(0, 0)}), Contains("did not boot") && Contains("runs at 0x10010000"));
  // A loop of three cycles, and traps without a handler: the host's steps end within an instruction.
  CHECK_THAT(failure_of({rv::kNop, rv::jal(0, -4)}), Contains("did not boot") && Contains("runs at 0x1001000"));
  CHECK_THAT(failure_of({0}), Contains("did not boot") && Contains("runs at 0x00000000"));
  const std::vector<uint32_t> fails{
      rv::lui(1, kMailbox), rv::addi(2, 0, 2), rv::sw(2, 1, 0x14), rv::addi(3, 0, 5), rv::sw(3, 1, 0x18),
      rv::sw(2, 1, 0x0C),   rv::kWfi};
  CHECK_THAT(failure_of(fails), Contains("did not boot") && Contains("cause 0x5 at 0x00000000"));
  // Ready, and then nothing.
  std::vector<uint32_t> sleeps{rv::lui(1, kMailbox), rv::addi(2, 0, 1), rv::sw(2, 1, 0x14), rv::sw(2, 1, 0x0C), rv::kWfi};
  CHECK_THAT(failure_of(sleeps), Contains("did not start the job"));
  sleeps.insert(sleeps.end() - 1, rv::jal(0, 0));
  CHECK_THAT(failure_of(sleeps), Contains("did not start the job"));
  // Tells the end of a job that it has not run.
  std::vector<uint32_t> lies{
      rv::lui(1, kMailbox),    rv::addi(2, 0, 1), rv::sw(2, 1, 0x14), rv::sw(2, 1, 0x0C), rv::lw(3, 1, 0),
      rv::branch(0, 3, 0, -4), rv::lui(4, kRing), rv::sw(2, 4, 0x80), rv::sw(2, 1, 0x0C), rv::kWfi};
  CHECK_THAT(failure_of(lies), Contains("ended the job without the NPU"));
}

TEST_CASE("By firmware: a completion that is not true is told") {
  namespace rv = tests::rv;
  // Says that it is ready, starts the job of slot 0, waits for the NPU's interrupt, and writes what it likes.
  const auto liar = [](int32_t outcome, int32_t head) {
    std::vector<uint32_t> words{rv::lui(1, spec::cpu_window_base(spec::CpuWindowId::Mailbox) >> 12),
                                rv::addi(2, 0, 1),
                                rv::sw(2, 1, 0x14),
                                rv::sw(2, 1, 0x0C),
                                rv::lw(3, 1, 0),
                                rv::branch(0, 3, 0, -4),
                                rv::lui(4, kRing),
                                rv::lui(5, 0x10000)};
    for (const auto& [slot, reg] :
         {std::pair{0x40, 0x14}, std::pair{0x44, 0x18}, std::pair{0x48, 0x1C}, std::pair{0x4C, 0x28}}) {
      words.push_back(rv::lw(6, 4, slot));
      words.push_back(rv::sw(6, 5, reg));
    }
    words.insert(words.end(), {rv::sw(2, 5, 0x04), rv::lw(6, 5, 0x20), rv::branch(0, 6, 0, -4), rv::lw(6, 5, 0x30),
                               rv::sw(6, 4, 0x90), rv::addi(7, 0, outcome), rv::sw(7, 4, 0x80), rv::addi(7, 0, head),
                               rv::sw(7, 4, 0), rv::sw(2, 1, 0x0C), rv::kWfi});
    return program_of(words);
  };
  Npu npu(v256(), Control::Cpu);
  const auto result_of = [&](int32_t outcome, int32_t head) {
    const FirmwareProgram program = liar(outcome, head);
    JobOptions options;
    options.firmware = &program;
    options.events = {spec::number_of(spec::EventSource::VectorUnit, spec::kIdleEvent)};
    return npu.run(small_network().package(), {}, options);
  };
  const JobResult honest = result_of(1, 1);
  require_done(honest);
  // This firmware leaves the watchdog alone: the counts of the stream are closed for whoever looks first.
  REQUIRE(honest.event_counts.size() == 1);
  CHECK(honest.event_counts.front() == honest.units.value("vector_unit/idle_cycles"));
  CHECK(honest.event_counts.front() > 0);
  const auto failure = [&](int32_t outcome, int32_t head) {
    const JobResult result = result_of(outcome, head);
    CHECK_FALSE(result.control.has_value());
    const auto* found = std::get_if<FirmwareFailure>(&result.status);
    return found == nullptr ? std::string() : found->what;
  };
  CHECK_THAT(failure(2, 1), Catch::Matchers::StartsWith("the firmware tells outcome 2 after "));
  // Its "takes jobs" is 1, without a version of the ring.
  CHECK(failure(1, 0) ==
        "the firmware tells the end of one job, and HEAD is 0; the firmware was built for no known version of the ring of "
        "jobs, this is version 2");
}

TEST_CASE("The firmware in the tree is small, and what is damaged is no firmware") {
  const std::vector<std::byte> firmware = parse_firmware(kFirmwareText);
  CHECK(firmware.size() < 16'000);
  std::string text(kFirmwareText);
  const size_t word = text.rfind('\n', text.size() - 2) + 1;
  text[word] = text[word] == '0' ? '1' : '0';
  CHECK_THROWS(parse_firmware(text));
  CHECK_THROWS(parse_firmware(""));
  CHECK_THROWS(parse_firmware("# sha256 0\nxyz\n"));
  const std::vector<FirmwareSymbol>& functions = own_firmware().symbols;
  CHECK(functions == firmware_functions(kFirmwareText));
  CHECK(functions.size() > 20);
  const FirmwareSymbol* first = symbol_at(own_firmware(), spec::cpu_window_base(spec::CpuWindowId::Firmware));
  REQUIRE(first != nullptr);
  CHECK(first->name == "_start");
  CHECK_THROWS(firmware_functions("# function zz 4 name\n"));
  CHECK_THROWS(firmware_functions("# function 10010000 4\n"));
}

TEST_CASE("Firmware's bytes beyond its memory are ours to find") {
  Npu npu(v256(), Control::Cpu);
  const FirmwareProgram program = program_of(std::vector<uint32_t>(0x8000 / 4 + 1, tests::rv::kWfi));
  JobOptions options;
  options.firmware = &program;
  CHECK_THROWS_WITH(npu.run(small_network().package(), {}, options), Catch::Matchers::Contains("32772 bytes of firmware"));
  StreamAssembler good = small_network();
  require_done(run(npu, good));
}
