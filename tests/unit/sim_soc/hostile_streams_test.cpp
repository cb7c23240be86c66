// SPDX-License-Identifier: Apache-2.0
// Streams that nobody would compile: commands of a good one, made here or compiled from a network, with bits flipped, words
// replaced, parts cut off or repeated, and random words. Each ends as done, at a fault, or hanging. No byte outside of the
// regions changes, and none of them has any influence: with other bytes there the same happens.
#include "hw/base/file.hpp"
#include "hw/spec/command_fields.hpp"
#include "sim/soc/package_memory.hpp"
#include "tests/unit/sim_soc/machine_fixture.hpp"
#include "tests/unit/sim_soc/register_machine.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>

using namespace vernier;
using namespace vernier::soc;
using namespace vernier::support;

namespace {

constexpr int64_t kPartBase = 0x8000, kPartBytes = 0x8000, kOuterBase = 0x10000, kOuterBytes = 0xC000;
constexpr int64_t kMemoryBytes = 0x20000;  // what is looked at of each memory
constexpr int64_t kMostCycles = 20'000;    // of a command

/// A good stream and what lies around it in its regions.
struct Origin {
  std::vector<package::Segment> image{};
  base::Address code;      // where the stream begins
  int64_t most_bytes = 0;  // that a stream may have there
  std::vector<std::byte> stream{};
  int64_t sram_read_only_bytes = 0, external_read_only_bytes = 0;  // without the stream
};

Origin made_origin(const config::MachineConfig& config) {
  StreamAssembler stream(config);
  const auto lanes = static_cast<int64_t>(config.datapath.lanes);
  stream.add(dma_copy(Queue::Dma0, external(0), sram(0), 0x2000), 0, tokens({Queue::MacArray, Queue::VectorUnit}));
  stream.add(pointwise(config, 4, 4, 0, 0x1000, 0x1800, 0x2000), tokens({Queue::Dma0}), tokens({Queue::VectorUnit}));
  stream.add(vector_add(0x2000, 0x3000, 16 * lanes, 3), tokens({Queue::Dma0, Queue::MacArray}), tokens({Queue::Dma1}));
  stream.add(dma_fill(Queue::Dma0, sram(0x4000), 0x200, 5), 0, tokens({Queue::Dma1}));
  stream.add(table_fill(Queue::Dma0, 0x4000, 0, base::ElementType::Int8, 256));
  stream.add(dma_copy(Queue::Dma1, sram(0x3000), external(0x6000), 16 * lanes), tokens({Queue::VectorUnit, Queue::Dma0}), 0);
  Origin origin{.code = external(0x4000), .most_bytes = 0x4000, .stream = stream.end().package().stream};
  std::vector<std::byte> data(0x2000);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i * 7 + i / 256);
  origin.image.push_back({external(0), std::move(data)});
  return origin;
}

/// A compiled network, with inputs of bytes 1. Their rows follow each other.
Origin compiled_origin(const std::string& file) {
  const package::Package package = package::from_bytes(file, base::read_file(file));
  const PackageExtents extents = extents_of(package);
  REQUIRE(package.config.datapath.lanes == v256().datapath.lanes);
  REQUIRE((extents.sram_bytes <= kPartBytes && extents.external_bytes <= kOuterBytes));
  Origin origin{package.image,  package.stream_address,       static_cast<int64_t>(package.stream.size()),
                package.stream, extents.sram_read_only_bytes, extents.external_read_only_bytes};
  for (const int32_t index : package.inputs) {
    const package::TensorEntry& input = package.tensors[index];
    const int64_t num_bytes = input.placement.strides_bytes.at(0) * input.shape.at(0);
    origin.image.push_back({input.placement.base, std::vector<std::byte>(static_cast<size_t>(num_bytes), std::byte{1})});
  }
  return origin;
}

using Random = std::mt19937;

/// Of one to six changes, at any place.
std::vector<std::byte> hostile(const Origin& origin, Random& random) {
  std::vector<std::byte> stream = origin.stream;
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
        stream.insert(stream.end(), part.begin(), part.end());
        stream.resize(std::min(stream.size(), static_cast<size_t>(origin.most_bytes)));
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
  Seen run_stream(const Origin& origin, const std::vector<std::byte>& stream, std::byte others, bool has_values) {
    top.reset();
    // Others have written their parts, and have values there.
    const std::vector<std::byte> around(kMemoryBytes, others);
    const auto surround = [&](mem::Memory& memory, int64_t base, int64_t size) {
      memory.write(0, std::span(around).first(static_cast<size_t>(base)));
      memory.write(base + size, std::span(around).first(static_cast<size_t>(kMemoryBytes - base - size)));
    };
    surround(top.sram, kPartBase, kPartBytes);
    surround(top.external, kOuterBase, kOuterBytes);
    const auto put = [&](const base::Address& at, std::span<const std::byte> bytes) {
      const auto offset = static_cast<int64_t>(at.offset);
      if (at.space == base::MemorySpace::Sram)
        top.sram.write(kPartBase + offset, bytes);
      else
        top.external.write(kOuterBase + offset, bytes);
    };
    for (const package::Segment& segment : origin.image) put(segment.address, segment.bytes);
    put(origin.code, stream);
    units::JobSetup setup;
    setup.watchdog_cycles = kMostCycles;
    setup.has_values = has_values;
    top.command_log.set_up(std::move(setup));
    const bool is_external = origin.code.space == base::MemorySpace::External;
    const int64_t code_end = static_cast<int64_t>(origin.code.offset + stream.size());
    const std::initializer_list<std::pair<std::string_view, int64_t>> registers{
        {"STREAM_ADDRESS", origin.code.offset},
        {"STREAM_SPACE", is_external ? 1 : 0},
        {"STREAM_BYTES", static_cast<int64_t>(stream.size())},
        {"SRAM_BASE", kPartBase},
        {"SRAM_BYTES", kPartBytes},
        {"SRAM_READ_ONLY_BYTES", std::max(origin.sram_read_only_bytes, is_external ? 0 : code_end)},
        {"EXTERNAL_BASE", kOuterBase},
        {"EXTERNAL_BYTES", kOuterBytes},
        {"EXTERNAL_READ_ONLY_BYTES", std::max(origin.external_read_only_bytes, is_external ? code_end : 0)}};
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

/// A number from the environment, or the one that quick tests take.
int64_t number_from(const char* name, int64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoll(text);
}

/// How many of them ended at which fault; 0 is done or hanging.
std::map<uint32_t, int64_t> run_hostile_streams(const Origin& origin, int64_t num_streams) {
  HostileMachine machine;
  const Seen expected = machine.run_stream(origin, origin.stream, std::byte{1}, true);
  REQUIRE(expected.status == 2);
  CHECK(machine.run_stream(origin, origin.stream, std::byte{2}, true) == expected);
  Random random(static_cast<uint32_t>(number_from("VERNIER_SEED", 1)));
  std::map<uint32_t, int64_t> ends;
  int64_t num_done = 0;
  for (int64_t i = 0; i < num_streams; ++i) {
    INFO("stream " << i);
    const std::vector<std::byte> stream = hostile(origin, random);
    const Seen first = machine.run_stream(origin, stream, std::byte{0x5A}, false);
    ++ends[first.status == 4 ? first.fault_code : 0];
    num_done += first.status == 2 ? 1 : 0;
    CHECK((first.status == 1 || first.status == 2 || first.status == 4));
    // Values take long where a command repeats itself for very many cycles.
    const bool has_values = first.cycles < kMostCycles;
    const Seen second = machine.run_stream(origin, stream, std::byte{0x00}, has_values);
    const Seen third = machine.run_stream(origin, stream, std::byte{0xFF}, has_values);
    CHECK(second == third);
    CHECK(second.status == first.status);
    CHECK(second.cycles == first.cycles);
  }
  CHECK(num_done > num_streams / 50);
  return ends;
}

}  // namespace

TEST_CASE("Hostile streams end, and neither reach nor see what lies outside of their regions") {
  auto ends = run_hostile_streams(made_origin(v256()), number_from("VERNIER_HOSTILE_STREAMS", 8000));
  // All kinds were met.
  for (const spec::FaultCode code :
       {spec::FaultCode::IllegalOpcode, spec::FaultCode::ReservedEncoding, spec::FaultCode::BadLength,
        spec::FaultCode::AddressOutOfRange, spec::FaultCode::UninitialisedRead, spec::FaultCode::Hazard,
        spec::FaultCode::StreamEnd, spec::FaultCode::WriteProtected}) {
    INFO(spec::to_string(code));
    CHECK(ends[static_cast<uint32_t>(code)] > 0);
  }
}

TEST_CASE("Hostile streams of a compiled network end likewise") {
  const int64_t num_streams = number_from("VERNIER_HOSTILE_STREAMS", 1600) / 4;
  for (const char* const file : {VERNIER_DEMO_PACKAGES "/sram.vnpu", VERNIER_DEMO_PACKAGES "/external.vnpu"})
    CHECK(run_hostile_streams(compiled_origin(file), num_streams / 2).size() > 5);
}
