// SPDX-License-Identifier: Apache-2.0
// Streams that nobody would compile: commands of a good one with bits flipped, words replaced, parts cut off or repeated,
// and random words. Each ends as done, at a fault, or hanging. No byte outside of the regions changes, and none of them has
// any influence: with other bytes there the same happens.
#include "hw/spec/command_fields.hpp"
#include "tests/unit/sim_soc/register_machine.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>

using namespace vernier;
using namespace vernier::soc;
using namespace vernier::support;

namespace {

constexpr int64_t kPartBase = 0x8000, kPartBytes = 0x8000, kOuterBase = 0x10000, kOuterBytes = 0x8000;
constexpr int64_t kCodeOffset = 0x4000;    // in its region of external memory
constexpr int64_t kMemoryBytes = 0x20000;  // what is looked at of each memory
constexpr int64_t kMostCycles = 20'000;    // of a command

std::vector<std::byte> good_stream(const config::MachineConfig& config) {
  StreamAssembler stream(config);
  const auto lanes = static_cast<int64_t>(config.datapath.lanes);
  stream.add(dma_copy(Queue::Dma0, external(0), sram(0), 0x2000), 0, tokens({Queue::MacArray, Queue::VectorUnit}));
  stream.add(pointwise(config, 4, 4, 0, 0x1000, 0x1800, 0x2000), tokens({Queue::Dma0}), tokens({Queue::VectorUnit}));
  stream.add(vector_add(0x2000, 0x3000, 16 * lanes, 3), tokens({Queue::Dma0, Queue::MacArray}), tokens({Queue::Dma1}));
  stream.add(dma_fill(Queue::Dma0, sram(0x4000), 0x200, 5), 0, tokens({Queue::Dma1}));
  stream.add(table_fill(Queue::Dma0, 0x4000, 0, base::ElementType::Int8, 256));
  stream.add(dma_copy(Queue::Dma1, sram(0x3000), external(0x6000), 16 * lanes), tokens({Queue::VectorUnit, Queue::Dma0}), 0);
  return stream.end().package().stream;
}

using Random = std::mt19937;

/// Of one to six changes, at any place.
std::vector<std::byte> hostile(std::vector<std::byte> stream, Random& random) {
  const auto any = [&](size_t size) { return static_cast<size_t>(random() % size); };
  const auto random_bytes = [&](size_t from, size_t count) {
    for (size_t i = from; i < std::min(stream.size(), from + count); ++i) stream[i] = static_cast<std::byte>(random());
  };
  for (size_t changes = 1 + any(6); changes > 0; --changes) {
    switch (random() % 8) {
      case 0:
      case 1:
      case 2: stream[any(stream.size())] ^= std::byte{1} << static_cast<int>(any(8)); break;
      case 3: random_bytes(any(stream.size() / 4) * 4, 4); break;
      case 4:
        std::fill_n(stream.begin() + static_cast<std::ptrdiff_t>(any(stream.size() / 4) * 4), 4, std::byte{0xFF});
        break;
      case 5: stream.resize(std::max<size_t>(4, any(stream.size()))); break;
      case 6: {
        const size_t unit = spec::kCommandUnitBytes, from = any(stream.size() / unit + 1) * unit;
        const std::vector<std::byte> part(stream.begin() + static_cast<std::ptrdiff_t>(std::min(from, stream.size())),
                                          stream.end());
        if (stream.size() + part.size() <= kOuterBytes - kCodeOffset) stream.insert(stream.end(), part.begin(), part.end());
        break;
      }
      default:
        if (random() % 16 == 0) random_bytes(0, stream.size());
        break;
    }
  }
  return stream;
}

/// What is seen of a run from inside of the regions.
struct Seen {
  uint32_t status = 0, fault_code = 0, fault_address = 0;
  int64_t cycles = 0;
  std::vector<std::byte> sram, external;
  bool operator==(const Seen&) const = default;
};

struct HostileMachine : RegisterMachine {
  Seen run_stream(const std::vector<std::byte>& stream, std::byte others, bool has_values) {
    top.reset();
    // Others have written their parts, and have values there.
    const std::vector<std::byte> around(kMemoryBytes, others);
    const auto surround = [&](mem::Memory& memory, int64_t base, int64_t size) {
      memory.write(0, std::span(around).first(static_cast<size_t>(base)));
      memory.write(base + size, std::span(around).first(static_cast<size_t>(kMemoryBytes - base - size)));
    };
    surround(top.sram, kPartBase, kPartBytes);
    surround(top.external, kOuterBase, kOuterBytes);
    std::vector<std::byte> data(0x2000);
    for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i * 7 + i / 256);
    top.external.write(kOuterBase, data);
    top.external.write(kOuterBase + kCodeOffset, stream);
    units::JobSetup setup;
    setup.watchdog_cycles = kMostCycles;
    setup.has_values = has_values;
    top.command_log.set_up(std::move(setup));
    const std::initializer_list<std::pair<std::string_view, int64_t>> registers{
        {"STREAM_ADDRESS", kCodeOffset},
        {"STREAM_SPACE", 1},
        {"STREAM_BYTES", static_cast<int64_t>(stream.size())},
        {"SRAM_BASE", kPartBase},
        {"SRAM_BYTES", kPartBytes},
        {"EXTERNAL_BASE", kOuterBase},
        {"EXTERNAL_BYTES", kOuterBytes},
        {"EXTERNAL_READ_ONLY_BYTES", kCodeOffset + static_cast<int64_t>(stream.size())}};
    for (const auto& [name, value] : registers) write(name, static_cast<uint32_t>(value));
    clock.begin();
    write("CONTROL", 1);
    sc_core::sc_start(kit::to_time(100 * kMostCycles), sc_core::SC_EXIT_ON_STARVATION);
    Seen seen{read("STATUS"),
              read("FAULT_CODE"),
              read("FAULT_ADDRESS"),
              clock.now(),
              bytes_of(top.sram, kPartBase, kPartBytes),
              bytes_of(top.external, kOuterBase, kOuterBytes)};
    CHECK(is_untouched(top.sram, kPartBase, kPartBytes, others));
    CHECK(is_untouched(top.external, kOuterBase, kOuterBytes, others));
    clock.halt();
    sc_core::sc_start();
    clock.rethrow_failure();
    return seen;
  }
  static std::vector<std::byte> bytes_of(const mem::Memory& memory, int64_t base, int64_t size) {
    const auto bytes = memory.whole().bytes().subspan(static_cast<size_t>(base), static_cast<size_t>(size));
    return {bytes.begin(), bytes.end()};
  }
  static bool is_untouched(const mem::Memory& memory, int64_t base, int64_t size, std::byte others) {
    return soc::is_untouched(memory, kMemoryBytes, base, base + size, others) && memory.whole().peak_bytes() == kMemoryBytes;
  }
};

/// VERNIER_HOSTILE_STREAMS, or the number that quick tests take.
int64_t num_streams() {
  const char* const text = std::getenv("VERNIER_HOSTILE_STREAMS");
  return text == nullptr ? 8000 : std::atoll(text);
}

}  // namespace

TEST_CASE("Hostile streams end, and neither reach nor see what lies outside of their regions") {
  HostileMachine machine;
  const std::vector<std::byte> good = good_stream(machine.config);
  const Seen expected = machine.run_stream(good, std::byte{1}, true);
  REQUIRE(expected.status == 2);
  CHECK(machine.run_stream(good, std::byte{2}, true) == expected);
  Random random(1);
  std::map<uint32_t, int64_t> ends;  // by fault code; 0 is done or hanging
  int64_t num_done = 0;
  for (int64_t i = 0; i < num_streams(); ++i) {
    INFO("stream " << i);
    const std::vector<std::byte> stream = hostile(good, random);
    const Seen first = machine.run_stream(stream, std::byte{0x5A}, false);
    ++ends[first.status == 4 ? first.fault_code : 0];
    num_done += first.status == 2 ? 1 : 0;
    CHECK((first.status == 1 || first.status == 2 || first.status == 4));
    // Values take long where a command repeats itself for very many cycles.
    const bool has_values = first.cycles < kMostCycles;
    const Seen second = machine.run_stream(stream, std::byte{0x00}, has_values);
    const Seen third = machine.run_stream(stream, std::byte{0xFF}, has_values);
    CHECK(second == third);
    CHECK(second.status == first.status);
    CHECK(second.cycles == first.cycles);
  }
  // All kinds were met.
  CHECK(num_done > num_streams() / 50);
  for (const spec::FaultCode code :
       {spec::FaultCode::IllegalOpcode, spec::FaultCode::ReservedEncoding, spec::FaultCode::BadLength,
        spec::FaultCode::AddressOutOfRange, spec::FaultCode::UninitialisedRead, spec::FaultCode::Hazard,
        spec::FaultCode::StreamEnd, spec::FaultCode::WriteProtected}) {
    INFO(spec::to_string(code));
    CHECK(ends[static_cast<uint32_t>(code)] > 0);
  }
}
