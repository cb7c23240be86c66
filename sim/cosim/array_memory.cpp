// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/array_memory.hpp"

#include "hw/spec/latency.hpp"
#include "hw/spec/stream_buffers.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace vernier::cosim {
namespace {

constexpr std::array<std::string_view, 4> kStreamNames{"wgt", "act", "prm", "add"};

/// An address or a word; those of masked bytes may be negative.
int64_t address_of(const Port& port, int64_t idx) { return static_cast<int32_t>(port.field(idx, spec::kAguAddressBits)); }

}  // namespace

ArrayMemory::ArrayMemory(ClockedBlock& block, const spec::Datapath& datapath, bool has_limits, std::unique_ptr<RtlBlock> agu)
    : datapath_(datapath),
      sram_(datapath, has_limits),
      agu_(agu ? std::move(agu) : make_rtl_block(spec::kAguBlock.name, block.lanes()), block.lanes(),
           std::min(spec::kWeightLoadWords, datapath.sram_read_words)),
      sources_{source_of("wgt"), source_of("act"), source_of("prm"), source_of("add")},
      result_source_(source_of("out")),
      wgt_read_(agu_.port("wgt_read_o")),
      wgt_word_(agu_.port("wgt_word_o")),
      act_read_(agu_.port("act_read_o")),
      act_word_(agu_.port("act_word_o")),
      prm_address_(agu_.port("prm_address_o")),
      prm_bytes_(agu_.port("prm_bytes_o")),
      addend_ports_{agu_.port("add_pixels_o"), agu_.port("add_address_o"), agu_.port("add_bytes_o")},
      result_ports_{agu_.port("out_pixels_o"), agu_.port("out_address_o"), agu_.port("out_bytes_o")},
      command_handshake_{block.port("cmd_valid_i"), block.port("cmd_ready_o")},
      result_handshake_{block.port("out_valid_o"), block.port("out_ready_i")},
      queues_{ReadQueue(spec::kWeightBufferBeats), ReadQueue(spec::kActivationBufferBeats),
              ReadQueue(spec::kParameterBufferBeats), ReadQueue(spec::kAddendBufferBeats)},
      results_(spec::kResultBufferRows) {
  for (size_t i = 0; i < kNumStreams; ++i) {
    const std::string name(kStreamNames[i]);
    handshakes_[i] = {block.port(name + "_valid_i"), block.port(name + "_ready_o")};
  }
  for (const spec::RtlPort& port : block.description().ports) {
    const bool is_activation = port.name.starts_with("act_") || port.name.starts_with("win_");
    if (!is_activation || port.is_output || port.name == "act_valid_i" || port.name == "act_data_i") continue;
    std::string name(port.name);
    name.back() = 'o';  // act_offset_i takes what act_offset_o says
    descriptors_.push_back({agu_.port(name), block.port(port.name)});
  }
}

ArrayMemory::Handshake ArrayMemory::source_of(std::string_view name) const {
  const std::string stem(name);
  return {agu_.port(stem + "_valid_o"), agu_.port(stem + "_ready_i")};
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
  is_started_ = is_starting_ = false;
  channel_tile_ = -1;
  parameters_taken_ = 0;
  for (Handshake& source : sources_) source.ready.set(0);
  result_source_.ready.set(0);
  agu_.give(command_);
  for (int64_t i = 1; i < spec::kIssueCycles; ++i) agu_.cycle();  // as long as the command's issue takes
}

void ArrayMemory::end_command() {
  bool is_over = row_words_.empty() && result_source_.valid.get() == 0;
  for (size_t i = 0; i < kNumStreams; ++i)
    is_over &= queues_[i].is_empty() && sources_[i].valid.get() == 0 && !next_expected(i);
  if (sequence::RowBeat beat; result_stream_->next(beat)) is_over = false;
  if (is_over) return;
  findings_.report("beats that the command has not are there, or some of its own are missing");
  was_reset();
}

bool ArrayMemory::gives(size_t port) const { return port >= kNumStreams || queues_[port].gives(now_); }

bool ArrayMemory::has_room() const { return !row_words_.empty() && results_.has_room(); }

void ArrayMemory::drive(bool is_enabled) {
  is_enabled_ = is_enabled;
  for (size_t i = 0; i < kNumStreams; ++i) sources_[i].ready.set(is_started_ && queues_[i].has_room() ? 1 : 0);
  result_source_.ready.set(is_started_ && row_words_.size() < spec::kResultBufferRows ? 1 : 0);
  if (!gives(PortStalls::kActivations)) return;
  // What the generator says of the beat that stands at the port.
  for (size_t i = 0; i < descriptors_.size(); ++i)
    std::ranges::copy(descriptor_beats_.front()[i], descriptors_[i].to.bytes().begin());
}

void ArrayMemory::see() {
  if (is_enabled_ && command_handshake_.is_taken()) {
    is_starting_ = true;
    taken_cycle_ = last_cycle_ = now_;
  }
  take_from_generators();
  for (size_t i = 0; is_enabled_ && i < kNumStreams; ++i) {
    if (!handshakes_[i].is_taken() || queues_[i].is_empty()) continue;
    queues_[i].take();
    last_cycle_ = now_;
    parameters_taken_ += i == PortStalls::kParameters ? 1 : 0;
    if (i != PortStalls::kActivations || channel_tiles_.empty()) continue;
    descriptor_beats_.pop_front();
    channel_tile_ = channel_tiles_.front();
    channel_tiles_.pop_front();
  }
  if (is_enabled_ && result_handshake_.is_taken() && !row_words_.empty()) {
    results_.push(row_words_.front());
    row_words_.pop_front();
  }
  serve();
}

void ArrayMemory::take_from_generators() {
  for (size_t i = 0; i < kNumStreams; ++i) {
    if (!sources_[i].is_taken()) continue;
    const Words words = words_at(i);
    compare(kStreamNames[i], words, next_expected(i));
    queues_[i].push(words);
    if (i != PortStalls::kActivations) continue;
    std::vector<Bytes>& beat = descriptor_beats_.emplace_back();
    for (const Descriptor& descriptor : descriptors_)
      beat.emplace_back(descriptor.from.bytes().begin(), descriptor.from.bytes().end());
  }
  if (!result_source_.is_taken()) return;
  Words words = words_of_row(result_ports_);
  sequence::RowBeat beat;
  const bool is_expected = result_stream_->next(beat);
  compare("out", words, is_expected ? std::optional(std::move(beat.words)) : std::nullopt);
  row_words_.push_back(std::move(words));
}

/// In the order of service [decision 0020]. Parameters come last, those of the channel tile that is accumulated before all
/// but results that crowd; activations and weights by whether the array has enough activations.
void ArrayMemory::serve() {
  sram_.begin_cycle();
  if (!results_.is_empty()) last_cycle_ = now_;
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

void ArrayMemory::finish() {
  agu_.cycle();
  if (std::exchange(is_starting_, false)) is_started_ = true;
  ++now_;
}

void ArrayMemory::was_reset() {
  agu_.reset();
  for (ReadQueue& queue : queues_) queue.clear();
  results_.clear();
  row_words_.clear();
  descriptor_beats_.clear();
  channel_tiles_.clear();
  is_started_ = is_starting_ = false;
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
  ++findings_.beats;
  if (expected && actual == *expected) return;
  findings_.report(fmt::format("{}: expected {}, actual words {}", stream,
                               expected ? fmt::format("words {}", fmt::join(*expected, " ")) : "no beat",
                               fmt::join(actual, " ")));
}

}  // namespace vernier::cosim
