// SPDX-License-Identifier: Apache-2.0
#include "tests/cosim/agu_vector_runs.hpp"

#include <fmt/format.h>

namespace vernier::cosim {
namespace {

/// hw/rtl/CMakeLists.txt builds npu_agu of so many lanes with two sets.
constexpr int kLanesOfTwoSets = 8;

constexpr int kStrideBits = 24;  // of ld_stride_o [from hw/spec/agu_ports.hpp]
constexpr int kQuietCycles = 3;  // after the last beat, in which no other one may come

uint32_t address_bits(int64_t address) { return static_cast<uint32_t>(address); }

int64_t stride_of(const Port& port) {
  const auto value = static_cast<int64_t>(port.get());
  return value >= int64_t{1} << (kStrideBits - 1) ? value - (int64_t{1} << kStrideBits) : value;
}

/// A step's start, in cycles of the schedule.
int64_t start_of(const sequence::VectorBeat& beat, bool is_loads) {
  return beat.cycle - (is_loads ? 0 : spec::kVectorSlotCycles - 1);
}

}  // namespace

AguVectorRun::Stream::Stream(Agu& agu, const std::string& prefix, bool are_loads)
    : is_loads(are_loads),
      name(prefix),
      valid(agu.port(prefix + "_valid_o")),
      ready(agu.port(prefix + "_ready_i")),
      step(agu.port(prefix + "_step_o")),
      part(agu.port(prefix + "_part_o")),
      address(agu.port(prefix + "_address_o")),
      stride(agu.port(prefix + "_stride_o")),
      count(agu.port(prefix + "_count_o")) {
  if (!is_loads) return;
  second_address = agu.port("ld_second_address_o");
  second_count = agu.port("ld_second_count_o");
}

AguVectorRun::AguVectorRun(Agu& part, const spec::Datapath& datapath)
    : part_(part), datapath_(datapath), loads_(part, "ld", true), stores_(part, "st", false) {}

void AguVectorRun::begin(Stream& stream, const spec::VectorCommand& command) const {
  stream.beats.emplace(stream.is_loads ? sequence::VectorBeats::of_loads(command, datapath_)
                                       : sequence::VectorBeats::of_stores(command, datapath_));
  stream.has_next = stream.beats->next(stream.next);
  stream.is_seen = false;
  stream.taken = stream.bubbles = stream.waits = 0;
  stream.first_cycle = -1;
  stream.ready.set(0);
}

std::string AguVectorRun::difference(const Stream& stream) const {
  if (!stream.has_next) return fmt::format("{}: beat {} is none", stream.name, stream.taken);
  const sequence::VectorBeat& beat = stream.next;
  const auto text = [](auto step, auto part, uint32_t address, int64_t stride, auto count) {
    return fmt::format("step {} part {} address {} stride {} count {}", step, part, address, stride, count);
  };
  std::string actual = text(stream.step.get(), stream.part.get(), address_bits(static_cast<int64_t>(stream.address.get())),
                            stride_of(stream.stride), stream.count.get());
  std::string expected =
      text(beat.step, beat.part, address_bits(beat.first.address), beat.first.lane_stride_bytes, beat.first.count);
  if (stream.is_loads) {
    const auto second = [](auto count, uint32_t address) {
      return count == 0 ? std::string(", no second") : fmt::format(", second: address {} count {}", address, count);
    };
    actual += second(stream.second_count.get(), address_bits(static_cast<int64_t>(stream.second_address.get())));
    expected += second(beat.second.count, address_bits(beat.second.address));
  }
  if (actual == expected) return {};
  return fmt::format("{}: beat {} is {}, expected {}", stream.name, stream.taken, actual, expected);
}

/// A cycle of a stream, before its edge.
std::string AguVectorRun::see(Stream& stream, bool is_ready) {
  stream.ready.set(is_ready ? 1 : 0);
  const int64_t cycle = part_.cycles() - given_ + 1;  // the handshake's is 0
  if (stream.valid.get() == 0) {
    if (stream.is_seen) return fmt::format("{}: beat {} goes away before it is taken", stream.name, stream.taken);
    if (stream.has_next && stream.taken > 0) ++stream.waits;
    return {};
  }
  std::string wrong = difference(stream);
  if (!wrong.empty()) return wrong;
  if (stream.first_cycle < 0) stream.first_cycle = cycle;
  const int64_t latest = preparation_ + start_of(stream.next, stream.is_loads);
  if (is_always_ready_ && cycle > latest) {
    return fmt::format("{}: beat {} is there in cycle {}, {} is the latest", stream.name, stream.taken, cycle, latest);
  }
  stream.is_seen = !is_ready;
  if (!is_ready) return {};
  stream.bubbles += stream.waits;
  stream.waits = 0;
  ++stream.taken;
  stream.has_next = stream.taken < most_beats_ && stream.beats->next(stream.next);
  return {};
}

AguVectorResult AguVectorRun::run(const spec::VectorCommand& command, AguPace pace, Random& random, int64_t most_beats) {
  // With two sets a command is taken before the one before is over, and waits: the time of its first beat says nothing then.
  if (part_.lanes() == kLanesOfTwoSets) part_.reset();
  begin(loads_, command);
  begin(stores_, command);
  most_beats_ = most_beats;
  is_always_ready_ = pace == AguPace::Always;
  preparation_ = agu_vector_preparation(command.steps.size());
  part_.give(command);
  given_ = part_.cycles();
  const int64_t percent = random.within(5, 95);
  AguVectorResult result;
  int64_t since = 0;  // the last beat
  for (int idle = 0; idle < kQuietCycles;) {
    const bool is_over = !loads_.has_next && !stores_.has_next;
    if (is_over && most_beats != INT64_MAX) break;
    const auto is_ready = [&](const Stream& stream) {
      if (pace == AguPace::Random) return random.chance(percent);
      if (pace == AguPace::LoadsFirst && !stream.is_loads) return !loads_.has_next;
      if (pace == AguPace::StoresFirst && stream.is_loads) return !stores_.has_next;
      return true;
    };
    const int64_t taken = loads_.taken + stores_.taken;
    for (Stream* stream : {&loads_, &stores_}) {
      if (!stream->has_next && most_beats != INT64_MAX) continue;
      result.difference = see(*stream, is_ready(*stream));
      if (!result.difference.empty()) return result;
    }
    part_.cycle();
    if (is_over) ++idle;
    since = loads_.taken + stores_.taken == taken ? since + 1 : 0;
    if (since > Agu::kHangCycles) {
      result.difference = fmt::format("no beat any more, after {} loads and {} stores", loads_.taken, stores_.taken);
      return result;
    }
  }
  result.beats = loads_.taken + stores_.taken;
  result.bubbles = loads_.bubbles + stores_.bubbles;
  for (const Stream* stream : {&loads_, &stores_}) {
    if (stream->first_cycle >= 0 && (result.first_cycle == 0 || stream->first_cycle < result.first_cycle))
      result.first_cycle = stream->first_cycle;
  }
  return result;
}

}  // namespace vernier::cosim
