// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/memory/vector_memory.hpp"

#include "hw/sequence/mac_order.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace vernier::cosim {
namespace {

using sequence::VectorBeat;

int64_t signed_field(const Port& port) {
  const int shift = 64 - static_cast<int>(port.bits());
  return static_cast<int64_t>(port.get() << shift) >> shift;
}

bool is_same(const VectorBeat& a, const VectorBeat& b) {
  const auto are_same = [](const sequence::VectorElements& x, const sequence::VectorElements& y) {
    if (x.count != y.count) return false;
    return x.count == 0 || (x.address == y.address && x.lane_stride_bytes == y.lane_stride_bytes);
  };
  return a.step == b.step && a.part == b.part && are_same(a.first, b.first) && are_same(a.second, b.second);
}

std::string text_of(const VectorBeat& beat) {
  return fmt::format("step {}, part {}, {} lanes at {} by {}, then {} at {}", beat.step, beat.part, beat.first.count,
                     beat.first.address, beat.first.lane_stride_bytes, beat.second.count,
                     beat.second.count > 0 ? beat.second.address : 0);
}

}  // namespace

VectorMemory::VectorMemory(ClockedBlock& block, const spec::Datapath& datapath, bool has_limits,
                           std::unique_ptr<RtlBlock> agu)
    : AguMemory(block, datapath, has_limits, std::move(agu), kLoads, kStores),
      load_ports_(ports_of(kLoads.front().name)),
      store_ports_(ports_of(kStores.name)),
      cmd_ready_(block.port("cmd_ready_o")) {}

VectorMemory::BeatPorts VectorMemory::ports_of(std::string_view name) const {
  const auto port = [&](std::string_view field) { return agu_.find_port(fmt::format("{}_{}", name, field)); };
  return {port("step_o"),  port("part_o"),           port("address_o"),     port("stride_o"),
          port("count_o"), port("second_address_o"), port("second_count_o")};
}

void VectorMemory::prepare(const spec::VectorCommand& command) {
  command_ = command;
  load_beats_.emplace(sequence::VectorBeats::of_loads(command_, datapath_));
  store_beats_.emplace(sequence::VectorBeats::of_stores(command_, datapath_));
  is_over_ = false;
  give(command_);
}

bool VectorMemory::has_beats_left() {
  VectorBeat beat;
  const bool has_loads = load_beats_->next(beat);
  return store_beats_->next(beat) || has_loads;
}

Seen VectorMemory::see() {
  if (is_enabled_ && is_started_ && !is_over_ && cmd_ready_.get() != 0) {
    is_over_ = true;
    last_cycle_ = now_;
  }
  return AguMemory::see();
}

VectorMemory::Words VectorMemory::compared_words(size_t) {
  const VectorBeat beat = beat_at(load_ports_);
  compare(kLoads.front().name, beat, *load_beats_);
  return words_of(beat, true);
}

VectorMemory::Words VectorMemory::compared_result_words() {
  const VectorBeat beat = beat_at(store_ports_);
  compare(kStores.name, beat, *store_beats_);
  return words_of(beat, false);
}

void VectorMemory::serve() {
  results_.serve(sram_);
  queues_.front().serve(sram_, now_);
}

VectorBeat VectorMemory::beat_at(const BeatPorts& ports) {
  VectorBeat beat;
  beat.step = static_cast<size_t>(ports.step.get());
  beat.part = static_cast<int>(ports.part.get());
  const int64_t stride = signed_field(ports.stride);
  beat.first = {static_cast<int64_t>(ports.address.get()), stride, static_cast<int64_t>(ports.count.get())};
  if (ports.second_count.bits() > 0 && ports.second_count.get() > 0) {
    beat.second = {static_cast<int64_t>(ports.second_address.get()), stride, static_cast<int64_t>(ports.second_count.get())};
  }
  return beat;
}

VectorMemory::Words VectorMemory::words_of(const VectorBeat& beat, bool is_load) const {
  Words words;
  if (beat.step >= command_.steps.size()) return words;
  const auto stream = static_cast<size_t>(command_.steps[beat.step].stream);
  const base::ElementType type = command_.streams[stream].type;
  // Of int48 the first beat of a load brings the words, the second one of a store takes them away.
  if (type == base::ElementType::Int48 && (beat.part == 0) != is_load) return words;
  for (const sequence::VectorElements& elements : {beat.first, beat.second}) {
    for (int64_t lane = 0; lane < elements.count; ++lane) {
      sequence::append_words(words, elements.address + lane * elements.lane_stride_bytes, base::stored_bytes(type),
                             datapath_.word_bytes());
    }
  }
  sequence::sort_words(words);
  return words;
}

void VectorMemory::compare(std::string_view name, const VectorBeat& actual, sequence::VectorBeats& beats) {
  VectorBeat expected;
  const bool is_expected = beats.next(expected);
  ++beats_;
  if (is_expected && is_same(actual, expected)) return;
  report(name, {}, is_expected ? text_of(expected) : "no beat", text_of(actual));
}

}  // namespace vernier::cosim
