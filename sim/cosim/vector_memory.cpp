// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/vector_memory.hpp"

#include "hw/sequence/mac_order.hpp"
#include "hw/spec/latency.hpp"
#include "hw/spec/stream_buffers.hpp"
#include "sim/cosim/port_stalls.hpp"

#include <fmt/format.h>

#include <algorithm>
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
    : datapath_(datapath),
      sram_(datapath, has_limits),
      generator_(agu ? std::move(agu) : make_rtl_block(spec::kAguBlock.name, block.lanes()), block.lanes(),
                 spec::kWeightLoadWords),
      load_(stream_of("ld", block, true)),
      store_(stream_of("st", block, false)),
      cmd_valid_(block.port("cmd_valid_i")),
      cmd_ready_(block.port("cmd_ready_o")),
      loads_(spec::kLoadBufferBeats),
      stores_(spec::kStoreBufferBeats) {}

VectorMemory::Stream VectorMemory::stream_of(std::string_view name, ClockedBlock& block, bool is_load) const {
  const std::string stem(name);
  const auto port = [&](std::string_view field) { return generator_.find_port(fmt::format("{}_{}", name, field)); };
  return {port("valid_o"),
          port("ready_i"),
          port("step_o"),
          port("part_o"),
          port("address_o"),
          port("stride_o"),
          port("count_o"),
          port("second_address_o"),
          port("second_count_o"),
          block.port(stem + (is_load ? "_valid_i" : "_valid_o")),
          block.port(stem + (is_load ? "_ready_o" : "_ready_i")),
          name};
}

void VectorMemory::prepare(const spec::VectorCommand& command) {
  command_ = command;
  load_beats_.emplace(sequence::VectorBeats::of_loads(command_, datapath_));
  store_beats_.emplace(sequence::VectorBeats::of_stores(command_, datapath_));
  is_started_ = is_starting_ = is_over_ = false;
  load_.ready.set(0);
  store_.ready.set(0);
  generator_.give(command_);
  for (int64_t i = 1; i < spec::kIssueCycles; ++i) generator_.cycle();  // as long as the command's issue takes
}

void VectorMemory::end_command() {
  bool is_over = loads_.is_empty() && store_words_.empty() && load_.valid.get() == 0 && store_.valid.get() == 0;
  for (std::optional<sequence::VectorBeats>* beats : {&load_beats_, &store_beats_}) {
    if (VectorBeat beat; (*beats)->next(beat)) is_over = false;
  }
  if (is_over) return;
  findings_.report("beats that the command has not are there, or some of its own are missing");
  was_reset();
}

bool VectorMemory::gives(size_t port) const { return port != PortStalls::kWeights || loads_.gives(now_); }

bool VectorMemory::has_room() const { return !store_words_.empty() && stores_.has_room(); }

void VectorMemory::drive(bool is_enabled) {
  is_enabled_ = is_enabled;
  load_.ready.set(is_started_ && loads_.has_room() ? 1 : 0);
  store_.ready.set(is_started_ && store_words_.size() < spec::kStoreBufferBeats ? 1 : 0);
}

void VectorMemory::see() {
  if (is_enabled_ && is_started_ && !is_over_ && cmd_ready_.get() != 0) {
    is_over_ = true;
    last_cycle_ = now_;
  }
  if (is_enabled_ && cmd_valid_.get() != 0 && cmd_ready_.get() != 0) {
    is_starting_ = true;
    taken_cycle_ = last_cycle_ = now_;
  }
  if (load_.is_asked()) {
    const VectorBeat beat = beat_at(load_);
    compare(load_, beat, *load_beats_);
    loads_.push(words_of(beat, true));
  }
  if (store_.is_asked()) {
    const VectorBeat beat = beat_at(store_);
    compare(store_, beat, *store_beats_);
    store_words_.push_back(words_of(beat, false));
  }
  if (is_enabled_ && load_.is_taken() && !loads_.is_empty()) loads_.take();
  if (is_enabled_ && store_.is_taken() && !store_words_.empty()) {
    stores_.push(store_words_.front());
    store_words_.pop_front();
  }
  sram_.begin_cycle();
  if (!stores_.is_empty()) last_cycle_ = now_;
  stores_.serve(sram_);
  loads_.serve(sram_, now_);
}

void VectorMemory::finish() {
  generator_.cycle();
  if (std::exchange(is_starting_, false)) is_started_ = true;
  ++now_;
}

void VectorMemory::was_reset() {
  generator_.reset();
  loads_.clear();
  stores_.clear();
  store_words_.clear();
  is_started_ = is_starting_ = false;
}

VectorBeat VectorMemory::beat_at(const Stream& stream) {
  VectorBeat beat;
  beat.step = static_cast<size_t>(stream.step.get());
  beat.part = static_cast<int>(stream.part.get());
  const int64_t stride = signed_field(stream.stride);
  beat.first = {static_cast<int64_t>(stream.address.get()), stride, static_cast<int64_t>(stream.count.get())};
  if (stream.second_count.bits() > 0 && stream.second_count.get() > 0) {
    beat.second = {static_cast<int64_t>(stream.second_address.get()), stride,
                   static_cast<int64_t>(stream.second_count.get())};
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

void VectorMemory::compare(const Stream& stream, const VectorBeat& actual, sequence::VectorBeats& beats) {
  VectorBeat expected;
  const bool is_expected = beats.next(expected);
  ++findings_.beats;
  if (is_expected && is_same(actual, expected)) return;
  findings_.report(
      fmt::format("{}: expected {}, actual {}", stream.name, is_expected ? text_of(expected) : "no beat", text_of(actual)));
}

}  // namespace vernier::cosim
