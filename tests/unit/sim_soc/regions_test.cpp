// SPDX-License-Identifier: Apache-2.0
// The regions of a job: its stream reaches them and nothing else, which the memories themselves show.
#include "tests/unit/sim_soc/register_machine.hpp"

#include <algorithm>
#include <array>
#include <functional>

using namespace vernier;
using namespace vernier::soc;
using namespace vernier::support;

namespace {

constexpr int64_t kSramBase = 0x4000, kSramBytes = 0x3000, kExternalBase = 0x10000, kExternalBytes = 0x4000;
constexpr int64_t kStreamOffset = 0x2000;  // in its region of external memory
constexpr int64_t kWatchedBytes = 0x20000;
constexpr std::byte kOthers{0x5A};

/// Both memories hold what others have; the job has a part of each.
struct RegionMachine : RegisterMachine {
  /// The outcome of a stream of these commands: FAULT_CODE, 0 where it is done.
  spec::FaultCode run_in_regions(const std::vector<spec::Command>& commands,
                                 const std::vector<std::pair<std::string_view, uint32_t>>& changes = {}) {
    top.reset();
    const std::vector<std::byte> others(kWatchedBytes, kOthers);
    top.sram.write(0, others);
    top.external.write(0, others);
    StreamAssembler assembler(config);
    for (const spec::Command& command : commands) assembler.add(command);
    const std::vector<std::byte> stream = assembler.end().package().stream;
    top.external.write(kExternalBase + kStreamOffset, stream);
    set_up();
    const std::array<std::pair<std::string_view, int64_t>, 10> registers{
        {{"STREAM_ADDRESS", kStreamOffset},
         {"STREAM_SPACE", 1},
         {"STREAM_BYTES", static_cast<int64_t>(stream.size())},
         {"SRAM_BASE", kSramBase},
         {"SRAM_BYTES", kSramBytes},
         {"SRAM_READ_ONLY_BYTES", 0x100},
         {"EXTERNAL_BASE", kExternalBase},
         {"EXTERNAL_BYTES", kExternalBytes},
         {"EXTERNAL_READ_ONLY_BYTES", kStreamOffset + 0x1000},
         {"JOB", 7}}};
    for (const auto& [name, value] : registers) write(name, static_cast<uint32_t>(value));
    for (const auto& [name, value] : changes) write(name, value);
    clock.begin();
    write("CONTROL", 1);
    sc_core::sc_start();
    const bool is_fault = (read("STATUS") & 4) != 0;
    return is_fault ? static_cast<spec::FaultCode>(read("FAULT_CODE")) : spec::FaultCode::None;
  }
  /// Whether a memory is as it was outside of [begin, end) of it.
  [[nodiscard]] static bool is_untouched(const mem::Memory& memory, int64_t begin, int64_t end) {
    return soc::is_untouched(memory, kWatchedBytes, begin, end, kOthers);
  }
  void check_others_untouched() {
    CHECK(is_untouched(top.sram, kSramBase, kSramBase + kSramBytes));
    CHECK(is_untouched(top.external, kExternalBase, kExternalBase + kExternalBytes));
  }
};

}  // namespace

TEST_CASE("Regions: addresses of a stream count from the base of their region") {
  RegionMachine machine;
  const spec::FaultCode fault =
      machine.run_in_regions({dma_fill(Queue::Dma0, sram(0x1000), 64, 7), dma_fill(Queue::Dma1, external(0x3FC0), 64, 9)});
  CHECK(fault == spec::FaultCode::None);
  const auto sram_bytes = machine.top.sram.whole().bytes(), external_bytes = machine.top.external.whole().bytes();
  CHECK(sram_bytes[kSramBase + 0x1000] == std::byte{7});
  CHECK(sram_bytes[kSramBase + 0x103F] == std::byte{7});
  CHECK(external_bytes[kExternalBase + 0x3FC0] == std::byte{9});
  machine.check_others_untouched();
  CHECK(machine.read("ENDED_JOB") == 7);
  CHECK(machine.read("ENDED_CYCLES_LOW") == static_cast<uint32_t>(machine.clock.now()));
}

TEST_CASE("Regions: they cost no cycle") {
  RegionMachine machine;
  const std::vector<spec::Command> commands{dma_copy(Queue::Dma0, external(0x1000), sram(0x400), 0x1000)};
  REQUIRE(machine.run_in_regions(commands) == spec::FaultCode::None);
  const int64_t cycles = machine.clock.now();
  RegionMachine other;
  REQUIRE(other.run_in_regions(commands, {{"SRAM_BYTES", spec::kToTheEnd}, {"EXTERNAL_BYTES", spec::kToTheEnd}}) ==
          spec::FaultCode::None);
  CHECK(other.clock.now() == cycles);
}

TEST_CASE("Regions: a byte outside is a fault, inside and outside of what the memory has, and nothing is touched") {
  for (const int64_t offset : {kSramBytes, kSramBytes - 1, kSramBytes - 63, int64_t{0x10000}, int64_t{0x3FFFFFF}}) {
    INFO("fill at " << offset);
    RegionMachine machine;
    CHECK(machine.run_in_regions({dma_fill(Queue::Dma0, sram(offset), 64, 7)}) == spec::FaultCode::AddressOutOfRange);
    CHECK(machine.is_untouched(machine.top.sram, 0, 0));
  }
  for (const int64_t offset : {kExternalBytes, kExternalBytes - 1, int64_t{0xFFFFFFC0}, int64_t{0xFFFF0000}}) {
    INFO("copy from and to " << offset);
    RegionMachine machine;
    CHECK(machine.run_in_regions({dma_copy(Queue::Dma0, external(offset), sram(0x400), 64)}) ==
          spec::FaultCode::AddressOutOfRange);
    CHECK(machine.run_in_regions({dma_fill(Queue::Dma0, external(offset), 64, 1)}) == spec::FaultCode::AddressOutOfRange);
    machine.check_others_untouched();
  }
}

TEST_CASE("Regions: what may only be read is read, and a write to it is a fault of its own") {
  RegionMachine machine;
  CHECK(machine.run_in_regions({dma_copy(Queue::Dma0, external(0), sram(0x100), 64)}) == spec::FaultCode::None);
  for (const int64_t offset : {int64_t{0}, kStreamOffset, kStreamOffset + 0xFFF}) {
    INFO("fill at " << offset);
    CHECK(machine.run_in_regions({dma_fill(Queue::Dma0, external(offset), 64, 1)}) == spec::FaultCode::WriteProtected);
  }
  CHECK(machine.run_in_regions({dma_fill(Queue::Dma0, sram(0xFF), 1, 1)}) == spec::FaultCode::WriteProtected);
  CHECK(machine.run_in_regions({dma_fill(Queue::Dma0, sram(0x100), 1, 1)}) == spec::FaultCode::None);
  CHECK(machine.run_in_regions({dma_fill(Queue::Dma0, external(kStreamOffset + 0x1000), 64, 1)}) == spec::FaultCode::None);
}

TEST_CASE("Regions: one that is no region of the memory has no bytes") {
  // SRAM: a base within a row of all banks; past its end; a size past its end.
  const uint32_t sram_bytes = static_cast<uint32_t>(RegionMachine().config.sram_bytes);
  using Changes = std::vector<std::pair<std::string_view, uint32_t>>;
  const std::vector<spec::Command> fills_sram{dma_fill(Queue::Dma0, sram(0x100), 1, 1)};
  for (const Changes& changes :
       {Changes{{"SRAM_BASE", 0x4010}}, Changes{{"SRAM_BASE", sram_bytes}}, Changes{{"SRAM_BASE", 0xFFFFFF80}},
        Changes{{"SRAM_BYTES", sram_bytes}}, Changes{{"SRAM_BYTES", 0}}, Changes{{"SRAM_BYTES", 0xFFFFFFFE}}}) {
    RegionMachine machine;
    INFO(changes[0].first << " " << changes[0].second);
    CHECK(machine.run_in_regions(fills_sram, changes) == spec::FaultCode::AddressOutOfRange);
    CHECK(machine.is_untouched(machine.top.sram, 0, 0));
  }
  // External memory: then the stream itself is not there.
  for (const Changes& changes : {Changes{{"EXTERNAL_BASE", 0x10800}}, Changes{{"EXTERNAL_BASE", 0xFFFFF000}},
                                 Changes{{"EXTERNAL_BYTES", 0}}, Changes{{"EXTERNAL_BYTES", kStreamOffset + 31}},
                                 Changes{{"STREAM_ADDRESS", kExternalBytes}}, Changes{{"STREAM_BYTES", 0xFFFFFFFF}}}) {
    RegionMachine machine;
    INFO(changes[0].first << " " << changes[0].second);
    CHECK(machine.run_in_regions(fills_sram, changes) == spec::FaultCode::AddressOutOfRange);
    CHECK(machine.read("FAULT_ADDRESS") == 0);
    CHECK(machine.read("FAULT_ACCESS") == (uint32_t{1} << 31 | machine.read("STREAM_ADDRESS")));
    CHECK(machine.is_untouched(machine.top.sram, 0, 0));
  }
}

namespace {

/// Two fills of their own, whose registers are written while the first runs.
struct CommitMachine : RegisterMachine, JobObserver {
  CommitMachine() {
    top.reset();
    top.register_file.observe(this);
    for (const int64_t base : {int64_t{0}, int64_t{0x1000}}) {
      StreamAssembler assembler(config);
      assembler.add(dma_fill(Queue::Dma0, sram(0x40), 64, 7));
      if (base == 0) assembler.add(dma_copy(Queue::Dma1, sram(0x40), sram(0x100), 64), tokens({}), 0);
      stream = assembler.end().package().stream;
      top.external.write(base, stream);
      bytes.push_back(static_cast<uint32_t>(stream.size()));
    }
  }
  void starting(uint32_t job, const units::StreamLocation&) override {
    started.emplace_back(job, sc_core::sc_time_stamp().value() / kit::to_time(1).value());
    top.reset_units();
    top.command_log.reset();
    set_up();
    clock.begin();
  }
  void resetting() override {
    ++num_resets;
    clock.halt();
  }
  void ended() override { ends.push_back(sc_core::sc_time_stamp().value() / kit::to_time(1).value()); }
  void set_registers(uint32_t job) {
    write("STREAM_ADDRESS", job == 1 ? 0 : 0x1000);
    write("STREAM_SPACE", 1);
    write("STREAM_BYTES", bytes[job - 1]);
    write("SRAM_BASE", job * 0x1000);
    write("IRQ_ENABLE", 7);
    write("JOB", job);
  }

  std::vector<std::byte> stream;
  std::vector<uint32_t> bytes;
  std::vector<std::pair<uint32_t, uint64_t>> started;
  std::vector<uint64_t> ends;
  int num_resets = 0;
};

}  // namespace

TEST_CASE("Commit: the next job starts a few cycles after the end of the one that runs, with its own registers") {
  CommitMachine machine;
  machine.set_registers(1);
  machine.write("CONTROL", 4);  // nothing runs: at once
  REQUIRE(machine.started.size() == 1);
  machine.set_registers(2);
  CHECK(machine.read("STATUS") == 1);
  machine.write("CONTROL", 4);
  CHECK(machine.read("STATUS") == 9);
  // The end of the second waits until the first one's is cleared.
  sc_core::sc_start(kit::to_time(5000), sc_core::SC_RUN_TO_TIME);
  REQUIRE(machine.started.size() == 2);
  CHECK(machine.started[1].first == 2);
  CHECK(machine.started[1].second == machine.ends[0] + spec::kCommitCycles);
  CHECK(machine.ends.size() == 2);
  CHECK(machine.read("STATUS") == 1);
  CHECK(machine.read("ENDED_JOB") == 1);
  CHECK(machine.read("IRQ_STATUS") == 1);
  machine.write("IRQ_STATUS", 1);
  CHECK(machine.read("STATUS") == 2);
  CHECK(machine.read("ENDED_JOB") == 2);
  CHECK(machine.read("IRQ_STATUS") == 1);
  CHECK(machine.top.sram.whole().bytes()[0x1040] == std::byte{7});
  CHECK(machine.top.sram.whole().bytes()[0x2040] == std::byte{7});
}

TEST_CASE("Commit: a reset ends what runs at once, drops what was committed, and raises nothing") {
  CommitMachine machine;
  machine.set_registers(1);
  machine.write("CONTROL", 1);
  machine.set_registers(2);
  machine.write("CONTROL", 4);
  sc_core::sc_start(kit::to_time(3), sc_core::SC_RUN_TO_TIME);
  machine.write("CONTROL", 2);
  CHECK(machine.num_resets == 1);
  CHECK(machine.read("STATUS") == 0);
  sc_core::sc_start(kit::to_time(5000), sc_core::SC_RUN_TO_TIME);
  CHECK(machine.started.size() == 1);
  CHECK(machine.read("IRQ_STATUS") == 0);
  machine.write("CONTROL", 4);  // its registers are still there
  sc_core::sc_start(kit::to_time(5000), sc_core::SC_RUN_TO_TIME);
  CHECK(machine.read("ENDED_JOB") == 2);
}

TEST_CASE("Commit: not while a fault or a watchdog is pending, and one that waits is dropped by them") {
  for (const bool is_watchdog : {false, true}) {
    CommitMachine machine;
    machine.set_registers(1);
    machine.write("SRAM_BYTES", is_watchdog ? spec::kToTheEnd : 0x80);  // its second command leaves it
    machine.write("CONTROL", 4);
    machine.set_registers(2);
    machine.write("SRAM_BYTES", spec::kToTheEnd);
    machine.write("CONTROL", 4);
    if (is_watchdog) {
      machine.clock.halt();
      machine.top.register_file.set_watchdog();
    }
    sc_core::sc_start(kit::to_time(5000), sc_core::SC_RUN_TO_TIME);
    CHECK(machine.started.size() == 1);
    CHECK(machine.read("IRQ_STATUS") == (is_watchdog ? 4 : 2));
    machine.write("CONTROL", 4);
    CHECK(machine.started.size() == 1);
    CHECK((machine.read("STATUS") & 8) == 0);
    machine.write("IRQ_STATUS", 7);
    machine.write("CONTROL", 4);
    CHECK(machine.started.size() == 2);
    sc_core::sc_start(kit::to_time(5000), sc_core::SC_RUN_TO_TIME);
    CHECK(machine.read("STATUS") == 2);
  }
}
