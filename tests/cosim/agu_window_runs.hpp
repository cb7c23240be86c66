// SPDX-License-Identifier: Apache-2.0
// Depthwise commands through npu_agu_windows: each beat's words, runs and registers against hw/sequence and the windows of
// the test bench.
#pragma once

#include "sim/cosim/agu.hpp"
#include "sim/cosim/window_traffic.hpp"
#include "tests/cosim/agu_runs.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace vernier::cosim {

/// A beat in words: its SRAM words, each with its runs, then the registers of the elements.
class BeatText {
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

inline std::string text_of(const WindowTraffic& traffic, int64_t lanes) {
  BeatText text;
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

struct WindowAguPorts {
  explicit WindowAguPorts(const Agu& part)
      : read(part.port("act_read_o")),
        word(part.port("act_word_o")),
        mask(part.port("act_mask_o")),
        offset(part.port("win_offset_o")),
        length(part.port("win_length_o")),
        to(part.port("win_to_o")),
        pixel(part.port("win_pixel_o")),
        register_idx(part.port("win_register_o")),
        element(part.port("win_element_o")),
        last(part.port("act_last_o")) {}
  Port read, word, mask, offset, length, to, pixel, register_idx, element, last;
};

inline std::string text_of(const WindowAguPorts& ports, int lanes) {
  const int lane_bits = spec::bits_to_count(lanes), count_bits = spec::bits_to_count(lanes + 1);
  BeatText text;
  for (int64_t w = 0; w < spec::kWindowWords; ++w) {
    if (ports.read.field(w, 1) == 0) continue;
    text.begin_word(static_cast<int32_t>(ports.word.field(w, spec::kAguAddressBits)));
    for (int64_t r = w * spec::kMaxRowPixels; r < (w + 1) * spec::kMaxRowPixels; ++r) {
      const auto bytes = static_cast<int64_t>(ports.length.field(r, count_bits));
      if (bytes == 0) continue;
      text.add_run(static_cast<int64_t>(ports.offset.field(r, lane_bits)), bytes,
                   static_cast<int64_t>(ports.to.field(r, lane_bits + 1)));
      for (int64_t pixel = 0; pixel < spec::kMaxRowPixels; ++pixel) {
        const int64_t idx = r * spec::kMaxRowPixels + pixel;
        if (ports.pixel.field(idx, 1) != 0)
          text.add_register(pixel, static_cast<int64_t>(ports.register_idx.field(idx, lane_bits)));
      }
      text.end_run();
    }
  }
  if (ports.last.get() == 0) return text.take();
  text.begin_elements();
  for (int64_t idx = 0; idx < spec::kMaxRowPixels * lanes; ++idx) {
    if (ports.mask.field(idx, 1) == 0)
      text.add_element(idx / lanes, idx % lanes, static_cast<int64_t>(ports.element.field(idx, lane_bits)));
  }
  return text.take();
}

/// Of such a command on so many lanes: a function that puts the next beat into words.
inline auto beats_of(const spec::MacCommand& command, int lanes) {
  struct Run {
    Run(const spec::MacCommand& m, int of_lanes) : array{m, {}}, datapath{of_lanes, 4, 2}, traffic(array, datapath) {}
    ArrayCommand array;
    spec::Datapath datapath;
    WindowTraffic traffic;
  };
  return [run = std::make_shared<Run>(command, lanes)](std::string& text) {
    if (!run->traffic.next()) return false;
    text = text_of(run->traffic, run->datapath.lanes);
    return true;
  };
}

template <typename Draw>
int64_t check_windows(Agu& part, Random& random, int commands, Draw draw, int64_t most_preparation) {
  const WindowAguPorts ports(part);
  const int lanes = part.lanes();
  return check_agu_stream(
      part, "act", random, commands, draw, [&](const spec::MacCommand& m) { return beats_of(m, lanes); },
      [&](const spec::MacCommand&) { return text_of(ports, lanes); }, most_preparation);
}

/// Where a reduction does not begin at tap 0, that tap's place is divided out.
inline constexpr int64_t kDividedPreparation = 52;

}  // namespace vernier::cosim
