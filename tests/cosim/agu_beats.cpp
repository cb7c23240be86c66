// SPDX-License-Identifier: Apache-2.0
#include "tests/cosim/agu_beats.hpp"

#include "hw/sequence/conv_stream.hpp"
#include "hw/sequence/row_stream.hpp"
#include "hw/sequence/vector_beats.hpp"
#include "hw/sequence/weight_stream.hpp"
#include "hw/spec/latency.hpp"
#include "hw/spec/packed_weights.hpp"
#include "sim/cosim/stimulus/array_vectors.hpp"
#include "sim/cosim/stream/window_traffic.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace vernier::cosim {
namespace {

using spec::MacCommand;
using spec::VectorCommand;

/// A number modulo 2^32, as ports have it.
int64_t address_of(int64_t address) { return static_cast<int32_t>(address); }
int64_t address_at(const Port& port, int64_t idx = 0) {
  return static_cast<int32_t>(port.field(idx, spec::kAguAddressBits));
}

std::vector<int64_t> words_at(const Port& read, const Port& word) {
  std::vector<int64_t> words;
  for (int64_t i = 0; i < read.bits(); ++i) {
    if (read.field(i, 1) != 0) words.push_back(address_at(word, i));
  }
  return words;
}

// Weights: words, and the bytes of the tile as address, tile row, place in the row. A byte of int4 is one place.

using TileByte = std::tuple<int64_t, int64_t, int64_t>;

std::string text_of(const std::vector<int64_t>& words, const std::vector<TileByte>& bytes, bool is_last) {
  std::string text = fmt::format("words {}{}, bytes", fmt::join(words, " "), is_last ? ", last" : "");
  for (const auto& [address, row, to] : bytes) fmt::format_to(std::back_inserter(text), " {}:{}.{}", address, row, to);
  return text;
}

std::string text_of(const sequence::WeightBeat& beat, const MacCommand& m) {
  const bool is_lane_wise = m.weight_order == spec::WeightOrder::LaneMajor ||
                            (m.weight_order == spec::WeightOrder::Tiles && m.mode == spec::MacMode::Conv);
  const int64_t in_byte = m.weight_type == base::ElementType::Int4 ? spec::kInt4sPerByte : 1;
  std::vector<TileByte> bytes;
  for (const sequence::WeightByte& byte : beat.bytes) {
    const int64_t in_row = is_lane_wise ? byte.element : byte.lane;
    if (byte.half == 0) bytes.emplace_back(byte.address, is_lane_wise ? byte.lane : byte.element, in_row / in_byte);
  }
  return text_of(beat.words, bytes, beat.is_last_of_tile);
}

// Segments: words, and the bytes that pixels take.

struct Taken {
  int64_t pixel, to, address;
  bool is_masked;
  auto operator<=>(const Taken&) const = default;
};

std::string text_of(std::vector<int64_t> words, std::vector<Taken> bytes, bool is_last) {
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());  // one that two segments touch is read once
  std::string text = fmt::format("words {}{}, bytes", fmt::join(words, " "), is_last ? ", last" : "");
  std::ranges::sort(bytes);
  for (const Taken& byte : bytes) {
    fmt::format_to(std::back_inserter(text), " {}.{}:{}{}", byte.pixel, byte.to, byte.address, byte.is_masked ? "m" : "");
  }
  return text;
}

std::string text_of(const sequence::ActivationBeat& beat, int64_t element_bytes) {
  std::vector<Taken> bytes;
  for (const sequence::ActivationByte& byte : beat.bytes)
    bytes.push_back({byte.pixel, byte_of_step(byte, element_bytes), byte.address, byte.is_masked});
  return text_of(beat.words, bytes, beat.is_last_of_row);
}

/// Windows: SRAM words, each with its runs, then the registers of the elements.
class WindowText {
 public:
  void begin_word(int64_t word) { add("word ", word); }
  void add_run(int64_t offset, int64_t bytes, int64_t to) {
    add(" [", offset);
    add("+", bytes);
    add(" to ", to);
  }
  void add_register(int64_t pixel, int64_t register_idx) {
    add(" ", pixel);
    add(":r", register_idx);
  }
  void end_run() { text_ += ']'; }
  void begin_elements() { text_ += " row"; }
  void add_element(int64_t pixel, int64_t element, int64_t register_idx) {
    add(" ", pixel);
    add(".", element);
    add(":r", register_idx);
  }
  [[nodiscard]] std::string take() { return std::exchange(text_, {}); }

 private:
  void add(std::string_view what, int64_t value) {
    text_ += what;
    text_ += std::to_string(value);
  }
  std::string text_;
};

std::string text_of(const WindowTraffic& traffic, int64_t lanes) {
  WindowText text;
  const sequence::WindowBeat& beat = traffic.beat();
  for (size_t w = 0; w < beat.words.size(); ++w) {
    text.begin_word(beat.words[w].word);
    for (size_t r = w * spec::kMaxRowPixels; r < (w + 1) * spec::kMaxRowPixels; ++r) {
      const WindowTraffic::Run& run = traffic.runs()[r];
      if (run.bytes == 0) continue;
      text.add_run(run.first_byte, run.bytes, run.to);
      for (size_t pixel = 0; pixel < run.registers.size(); ++pixel) {
        if (run.registers[pixel]) text.add_register(static_cast<int64_t>(pixel), *run.registers[pixel]);
      }
      text.end_run();
    }
  }
  if (!beat.is_last_of_row) return text.take();
  text.begin_elements();
  for (size_t i = 0; i < traffic.elements().size(); ++i) {
    const auto idx = static_cast<int64_t>(i);
    if (traffic.elements()[i]) text.add_element(idx / lanes, idx % lanes, *traffic.elements()[i]);
  }
  return text.take();
}

// Parameters, addends, results: addresses of the first bytes, and bytes of each.

std::string text_of_bytes(const std::vector<int64_t>& addresses, int64_t bytes) {
  return fmt::format("{} bytes at {}", bytes, fmt::join(addresses, " "));
}

/// A pixel's bytes follow each other.
std::string text_of(const sequence::RowBeat& beat, int64_t element_bytes) {
  std::vector<int64_t> addresses;
  int64_t bytes = 0;
  for (const sequence::RowElement& element : beat.elements) {
    if (element.lane == 0) {
      addresses.push_back(element.address);
      bytes = 0;
    }
    VERNIER_CHECK(element.address == addresses.back() + bytes, "a row's element lies at {}", element.address);
    bytes += element_bytes;
  }
  return text_of_bytes(addresses, bytes);
}

/// Beats of a stream `make(command)`, which has a next(); each put into words by `text(beat, command)`.
template <typename Beat, typename Command, typename Make, typename Text>
AguBeats beats(const Command& command, Make make, Text text) {
  struct Run {
    Run(const Command& of, Make& make_stream) : command(of), stream(make_stream(command)) {}
    Command command;
    std::invoke_result_t<Make, const Command&> stream;
    Beat beat;
  };
  return [run = std::make_shared<Run>(command, make), text](std::string& into) {
    if (!run->stream.next(run->beat)) return false;
    into = text(run->beat, run->command);
    return true;
  };
}

AguBeats window_beats(const MacCommand& command, const spec::Datapath& datapath) {
  struct Run {
    Run(const MacCommand& m, const spec::Datapath& of) : array(m), datapath(of), traffic(array, datapath) {}
    Work array;
    spec::Datapath datapath;
    WindowTraffic traffic;
  };
  return [run = std::make_shared<Run>(command, datapath)](std::string& text) {
    if (!run->traffic.next()) return false;
    text = text_of(run->traffic, run->datapath.lanes);
    return true;
  };
}

}  // namespace

std::string text_of(const sequence::VectorBeat& beat) {
  std::string text = fmt::format("step {} part {}, {} at {} by {}", beat.step, beat.part, beat.first.count,
                                 address_of(beat.first.address), beat.first.lane_stride_bytes);
  if (beat.second.count > 0)
    fmt::format_to(std::back_inserter(text), ", then {} at {}", beat.second.count, address_of(beat.second.address));
  return text;
}

AguBeats beats_of(AguStream stream, const MacCommand& command, const spec::Datapath& datapath) {
  switch (stream) {
    case AguStream::Weights:
      return beats<sequence::WeightBeat>(
          command, [datapath](const MacCommand& m) { return sequence::WeightStream(m, datapath); },
          [](const sequence::WeightBeat& beat, const MacCommand& m) { return text_of(beat, m); });
    case AguStream::Activations:
      if (command.mode != spec::MacMode::Conv) return window_beats(command, datapath);
      return beats<sequence::ActivationBeat>(
          command, [datapath](const MacCommand& m) { return sequence::ConvStream(m, datapath); },
          [](const sequence::ActivationBeat& beat, const MacCommand& m) {
            return text_of(beat, base::stored_bytes(m.input.type));
          });
    case AguStream::Parameters:
      return beats<sequence::ParameterBeat>(
          command, [datapath](const MacCommand& m) { return sequence::ParameterStream(m, datapath); },
          [](const sequence::ParameterBeat& beat, const MacCommand&) {
            return text_of_bytes({beat.channels.front().address}, std::ssize(beat.channels) * spec::kChannelParameterBytes);
          });
    case AguStream::Addends:
      return beats<sequence::RowBeat>(
          command, [datapath](const MacCommand& m) { return sequence::RowStream::of_addends(m, datapath); },
          [](const sequence::RowBeat& beat, const MacCommand& m) {
            return text_of(beat, base::stored_bytes(m.addend.type));
          });
    default:
      VERNIER_CHECK(stream == AguStream::Results, "{} is no stream of the array", name_of(stream));
      return beats<sequence::RowBeat>(
          command, [datapath](const MacCommand& m) { return sequence::RowStream::of_results(m, datapath); },
          [](const sequence::RowBeat& beat, const MacCommand& m) {
            return text_of(beat, base::stored_bytes(m.output.type));
          });
  }
}

AguBeats beats_of(AguStream stream, const VectorCommand& command, const spec::Datapath& datapath) {
  return beats<sequence::VectorBeat>(
      command,
      [stream, datapath](const VectorCommand& c) {
        return stream == AguStream::Loads ? sequence::VectorBeats::of_loads(c, datapath)
                                          : sequence::VectorBeats::of_stores(c, datapath);
      },
      [](const sequence::VectorBeat& beat, const VectorCommand&) { return text_of(beat); });
}

AguPorts::AguPorts(const Agu& part)
    : part_(part),
      lanes_(part.lanes()),
      wgt_read_(part.port("wgt_read_o")),
      wgt_word_(part.port("wgt_word_o")),
      wgt_row_valid_(part.port("wgt_row_valid_o")),
      wgt_address_(part.port("wgt_address_o")),
      wgt_length_(part.port("wgt_length_o")),
      wgt_to_(part.port("wgt_to_o")),
      wgt_row_(part.port("wgt_row_o")),
      wgt_byte_(part.port("wgt_byte_o")),
      wgt_last_(part.port("wgt_last_o")),
      act_read_(part.port("act_read_o")),
      act_word_(part.port("act_word_o")),
      act_offset_(part.port("act_offset_o")),
      act_length_(part.port("act_length_o")),
      act_to_(part.port("act_to_o")),
      act_mask_(part.port("act_mask_o")),
      act_last_(part.port("act_last_o")),
      win_offset_(part.port("win_offset_o")),
      win_length_(part.port("win_length_o")),
      win_to_(part.port("win_to_o")),
      win_pixel_(part.port("win_pixel_o")),
      win_register_(part.port("win_register_o")),
      win_element_(part.port("win_element_o")),
      prm_address_(part.port("prm_address_o")),
      prm_bytes_(part.port("prm_bytes_o")),
      addends_(row_of("add")),
      results_(row_of("out")),
      loads_(elements_of("ld")),
      stores_(elements_of("st")) {}

AguPorts::Row AguPorts::row_of(std::string_view name) const {
  const std::string stem(name);
  return {part_.port(stem + "_pixels_o"), part_.port(stem + "_address_o"), part_.port(stem + "_bytes_o")};
}

AguPorts::Elements AguPorts::elements_of(std::string_view name) const {
  const auto port = [&](std::string_view field) { return part_.find_port(fmt::format("{}_{}", name, field)); };
  return {port("step_o"),  port("part_o"),           port("address_o"),     port("stride_o"),
          port("count_o"), port("second_address_o"), port("second_count_o")};
}

std::string AguPorts::beat(AguStream stream, const MacCommand& command) const {
  switch (stream) {
    case AguStream::Weights: return weights(command);
    case AguStream::Activations: return command.mode == spec::MacMode::Conv ? segments(command) : windows();
    case AguStream::Parameters: return text_of_bytes({address_at(prm_address_)}, static_cast<int64_t>(prm_bytes_.get()));
    case AguStream::Addends: return row(addends_);
    default: return row(results_);
  }
}

std::string AguPorts::beat(AguStream stream, const VectorCommand&) const {
  const Elements& ports = stream == AguStream::Loads ? loads_ : stores_;
  sequence::VectorBeat beat;
  beat.step = static_cast<size_t>(ports.step.get());
  beat.part = static_cast<int>(ports.part.get());
  const auto shift = static_cast<int>(64 - ports.stride.bits());
  const int64_t stride = static_cast<int64_t>(ports.stride.get() << shift) >> shift;
  beat.first = {address_at(ports.address), stride, static_cast<int64_t>(ports.count.get())};
  if (ports.second_count.bits() > 0)
    beat.second = {address_at(ports.second_address), stride, static_cast<int64_t>(ports.second_count.get())};
  return text_of(beat);
}

std::string AguPorts::weights(const MacCommand& command) const {
  const int64_t weight_bytes = base::stored_bytes(command.weight_type);
  std::vector<TileByte> bytes;
  const auto byte_idx = static_cast<int64_t>(wgt_byte_.get());
  for (int64_t k = 0; k < wgt_row_valid_.bits(); ++k) {
    if (wgt_row_valid_.field(k, 1) == 0) continue;
    const auto address = static_cast<int64_t>(wgt_address_.field(k, spec::kAguAddressBits));
    const auto length = static_cast<int64_t>(wgt_length_.field(k, spec::bits_to_count(2 * lanes_ + 1)));
    const auto to = static_cast<int64_t>(wgt_to_.field(k, spec::bits_to_count(2 * lanes_)));
    const auto row = static_cast<int64_t>(wgt_row_.field(k, spec::bits_to_count(lanes_)));
    for (int64_t i = 0; i < length; ++i) {
      if ((to + i) % weight_bytes == byte_idx) bytes.emplace_back(address + i, row, (to + i) / weight_bytes);
    }
  }
  return text_of(words_at(wgt_read_, wgt_word_), bytes, wgt_last_.get() != 0);
}

std::string AguPorts::segments(const MacCommand& command) const {
  const int64_t element_bytes = base::stored_bytes(command.input.type);
  const int ring_bits = spec::bits_to_count(2 * lanes_), count_bits = spec::bits_to_count(lanes_ + 1);
  std::vector<Taken> bytes;
  for (int64_t s = 0; s < spec::kActivationSegments; ++s) {
    const int64_t first = address_at(act_word_, 2 * s) * lanes_;
    if (act_read_.field(2 * s + 1, 1) != 0 && address_at(act_word_, 2 * s + 1) * lanes_ != first + lanes_)
      return fmt::format("segment {} has words that are no neighbours", s);
    for (int64_t p = 0; p < spec::kMaxRowPixels; ++p) {
      const int64_t run = p * spec::kActivationSegments + s;
      const auto length = static_cast<int64_t>(act_length_.field(run, count_bits));
      for (int64_t i = 0; i < length; ++i) {
        const auto to = static_cast<int64_t>(act_to_.field(run, ring_bits)) + i;
        bytes.push_back({p, to, first + static_cast<int64_t>(act_offset_.field(run, ring_bits)) + i,
                         act_mask_.field(p * lanes_ + to / element_bytes, 1) != 0});
      }
    }
  }
  return text_of(words_at(act_read_, act_word_), std::move(bytes), act_last_.get() != 0);
}

std::string AguPorts::windows() const {
  const int lane_bits = spec::bits_to_count(lanes_), count_bits = spec::bits_to_count(lanes_ + 1);
  WindowText text;
  for (int64_t w = 0; w < spec::kWindowWords; ++w) {
    if (act_read_.field(w, 1) == 0) continue;
    text.begin_word(address_at(act_word_, w));
    for (int64_t r = w * spec::kMaxRowPixels; r < (w + 1) * spec::kMaxRowPixels; ++r) {
      const auto bytes = static_cast<int64_t>(win_length_.field(r, count_bits));
      if (bytes == 0) continue;
      text.add_run(static_cast<int64_t>(win_offset_.field(r, lane_bits)), bytes,
                   static_cast<int64_t>(win_to_.field(r, lane_bits + 1)));
      for (int64_t pixel = 0; pixel < spec::kMaxRowPixels; ++pixel) {
        const int64_t idx = r * spec::kMaxRowPixels + pixel;
        if (win_pixel_.field(idx, 1) != 0)
          text.add_register(pixel, static_cast<int64_t>(win_register_.field(idx, lane_bits)));
      }
      text.end_run();
    }
  }
  if (act_last_.get() == 0) return text.take();
  text.begin_elements();
  for (int64_t idx = 0; idx < spec::kMaxRowPixels * lanes_; ++idx) {
    if (act_mask_.field(idx, 1) == 0)
      text.add_element(idx / lanes_, idx % lanes_, static_cast<int64_t>(win_element_.field(idx, lane_bits)));
  }
  return text.take();
}

std::string AguPorts::row(const Row& ports) const {
  std::vector<int64_t> addresses;
  for (int64_t p = 0; p < static_cast<int64_t>(ports.pixels.get()); ++p) addresses.push_back(address_at(ports.address, p));
  return text_of_bytes(addresses, static_cast<int64_t>(ports.bytes.get()));
}

}  // namespace vernier::cosim
