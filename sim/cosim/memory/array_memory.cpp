// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/memory/array_memory.hpp"

#include "sim/cosim/stream/port_stalls.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>

namespace vernier::cosim {
namespace {

/// An address or a word; those of masked bytes may be negative.
int64_t address_of(const Port& port, int64_t idx) { return static_cast<int32_t>(port.field(idx, spec::kAguAddressBits)); }

}  // namespace

ArrayMemory::ArrayMemory(ClockedBlock& block, const spec::Datapath& datapath, bool has_limits, std::unique_ptr<RtlBlock> agu)
    : AguMemory(block, datapath, has_limits, std::move(agu), kReads, kResults),
      wgt_read_(agu_.port("wgt_read_o")),
      wgt_word_(agu_.port("wgt_word_o")),
      act_read_(agu_.port("act_read_o")),
      act_word_(agu_.port("act_word_o")),
      prm_address_(agu_.port("prm_address_o")),
      prm_bytes_(agu_.port("prm_bytes_o")),
      addend_ports_{agu_.port("add_pixels_o"), agu_.port("add_address_o"), agu_.port("add_bytes_o")},
      result_ports_{agu_.port("out_pixels_o"), agu_.port("out_address_o"), agu_.port("out_bytes_o")} {
  for (const spec::RtlPort& port : block.description().ports) {
    const bool is_activation = port.name.starts_with("act_") || port.name.starts_with("win_");
    if (!is_activation || port.is_output || port.name == "act_valid_i" || port.name == "act_data_i") continue;
    std::string name(port.name);
    name.back() = 'o';  // act_offset_i takes what act_offset_o says
    descriptors_.push_back({agu_.port(name), block.port(port.name)});
  }
}

void ArrayMemory::prepare(const spec::MacCommand& command) {
  command_ = command;
  const bool is_conv = command.mode == spec::MacMode::Conv;
  weight_stream_.emplace(command_, datapath_);
  conv_stream_.reset();
  window_stream_.reset();
  if (is_conv) conv_stream_.emplace(command_, datapath_);
  if (!is_conv) window_stream_.emplace(command_, datapath_);
  parameter_stream_.emplace(command_, datapath_);
  addend_stream_.emplace(sequence::RowStream::of_addends(command_, datapath_));
  result_stream_.emplace(sequence::RowStream::of_results(command_, datapath_));
  channel_tile_ = -1;
  parameters_taken_ = 0;
  give(command_);
}

bool ArrayMemory::has_beats_left() {
  bool has_beats = false;
  for (size_t i = 0; i < kReads.size(); ++i) has_beats |= next_expected(i).has_value();
  sequence::RowBeat beat;
  return result_stream_->next(beat) || has_beats;
}

void ArrayMemory::offer(bool is_enabled) {
  AguMemory::offer(is_enabled);
  if (!gives(PortStalls::kActivations)) return;
  // What the generator says of the beat that stands at the port.
  for (size_t i = 0; i < descriptors_.size(); ++i)
    std::ranges::copy(descriptor_beats_.front()[i], descriptors_[i].to.bytes().begin());
}

void ArrayMemory::took(size_t stream) {
  last_cycle_ = now_;
  if (stream == PortStalls::kParameters) ++parameters_taken_;
  if (stream != PortStalls::kActivations || channel_tiles_.empty()) return;
  descriptor_beats_.pop_front();
  channel_tile_ = channel_tiles_.front();
  channel_tiles_.pop_front();
}

ArrayMemory::Words ArrayMemory::compared_words(size_t stream) {
  Words words = words_at(stream);
  compare(kReads[stream].name, words, next_expected(stream));
  if (stream == PortStalls::kActivations) {
    std::vector<Bytes>& beat = descriptor_beats_.emplace_back();
    for (const Descriptor& descriptor : descriptors_)
      beat.emplace_back(descriptor.from.bytes().begin(), descriptor.from.bytes().end());
  }
  return words;
}

ArrayMemory::Words ArrayMemory::compared_result_words() {
  Words words = words_of_row(result_ports_);
  sequence::RowBeat beat;
  const bool is_expected = result_stream_->next(beat);
  compare(kResults.name, words, is_expected ? std::optional(std::move(beat.words)) : std::nullopt);
  return words;
}

/// In the order of service [decision 0020]. Parameters come last, those of the channel tile that is accumulated behind
/// results that crowd and addends alone; activations and weights by whether the array has enough activations.
void ArrayMemory::serve() {
  const bool is_urgent = results_.num_waiting() >= spec::kCrowdedResultRows;
  if (is_urgent) results_.serve(sram_);
  queues_[PortStalls::kAddends].serve(sram_, now_);
  const bool wants_parameters = lacks_parameters();
  if (wants_parameters) queues_[PortStalls::kParameters].serve(sram_, now_);
  const bool has_enough = queues_[PortStalls::kActivations].is_ahead();
  queues_[has_enough ? PortStalls::kWeights : PortStalls::kActivations].serve(sram_, now_);
  queues_[has_enough ? PortStalls::kActivations : PortStalls::kWeights].serve(sram_, now_);
  if (!is_urgent) results_.serve(sram_);
  if (!wants_parameters) queues_[PortStalls::kParameters].serve(sram_, now_);
}

bool ArrayMemory::lacks_parameters() const {
  return parameters_taken_ + queues_[PortStalls::kParameters].num_served() <= channel_tile_;
}

void ArrayMemory::was_reset() {
  AguMemory::was_reset();
  descriptor_beats_.clear();
  channel_tiles_.clear();
}

/// The words of the beat at a generator's ports, in their order.
ArrayMemory::Words ArrayMemory::words_at(size_t stream) const {
  if (stream == PortStalls::kWeights) return words_of(wgt_read_, wgt_word_);
  if (stream == PortStalls::kAddends) return words_of_row(addend_ports_);
  if (stream == PortStalls::kParameters) {
    Words words;
    const auto bytes = static_cast<int64_t>(prm_bytes_.get());
    sequence::append_words(words, address_of(prm_address_, 0), bytes, datapath_.word_bytes());
    return words;
  }
  Words words = words_of(act_read_, act_word_);
  if (conv_stream_) sequence::sort_words(words);  // one that two segments touch is read once
  return words;
}

ArrayMemory::Words ArrayMemory::words_of(const Port& read, const Port& word) {
  Words words;
  for (int64_t i = 0; i < read.bits(); ++i) {
    if (read.field(i, 1) != 0) words.push_back(address_of(word, i));
  }
  return words;
}

ArrayMemory::Words ArrayMemory::words_of_row(const RowPorts& ports) const {
  Words words;
  for (int64_t pixel = 0; pixel < static_cast<int64_t>(ports.pixels.get()); ++pixel)
    sequence::append_words(words, address_of(ports.address, pixel), static_cast<int64_t>(ports.bytes.get()),
                           datapath_.word_bytes());
  sequence::sort_words(words);
  return words;
}

std::optional<ArrayMemory::Words> ArrayMemory::next_expected(size_t stream) {
  const auto words_of_next = [](auto& beats, auto beat) {
    return beats.next(beat) ? std::optional(std::move(beat.words)) : std::nullopt;
  };
  if (stream == PortStalls::kWeights) return words_of_next(*weight_stream_, sequence::WeightBeat());
  if (stream == PortStalls::kParameters) return words_of_next(*parameter_stream_, sequence::ParameterBeat());
  if (stream == PortStalls::kAddends) return words_of_next(*addend_stream_, sequence::RowBeat());
  if (conv_stream_) {
    sequence::ActivationBeat beat;
    if (!conv_stream_->next(beat)) return std::nullopt;
    channel_tiles_.push_back(beat.place.channel_tile);
    return std::move(beat.words);
  }
  sequence::WindowBeat beat;
  if (!window_stream_->next(beat)) return std::nullopt;
  channel_tiles_.push_back(beat.place.channel_tile);
  Words words;
  for (const sequence::WindowWord& word : beat.words) words.push_back(word.word);
  return words;
}

void ArrayMemory::compare(std::string_view stream, const Words& actual, const std::optional<Words>& expected) {
  ++beats_;
  if (expected && actual == *expected) return;
  report(stream, {}, expected ? fmt::format("words {}", fmt::join(*expected, " ")) : "no beat",
         fmt::format("words {}", fmt::join(actual, " ")));
}

}  // namespace vernier::cosim
