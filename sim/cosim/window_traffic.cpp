// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/window_traffic.hpp"

#include "hw/base/error.hpp"

#include <algorithm>
#include <utility>

namespace vernier::cosim {

WindowPins::WindowPins(const ClockedBlock& block)
    : offset(block.port("win_offset_i")),
      length(block.port("win_length_i")),
      to(block.port("win_to_i")),
      pixel(block.port("win_pixel_i")),
      register_idx(block.port("win_register_i")),
      element(block.port("win_element_i")) {}

WindowTraffic::WindowTraffic(const ArrayCommand& array, const spec::Datapath& datapath)
    : array_(array),
      command_(array.command),
      datapath_(datapath),
      order_(command_, datapath_),
      stream_(command_, datapath_),
      windows_(static_cast<size_t>(order_.pixels)) {}

bool WindowTraffic::next() {
  if (!stream_.next(beat_)) return false;
  const Turn turn{beat_.place, beat_.row};
  if (turn != turn_) begin_row(turn);
  place_runs();
  elements_.assign(static_cast<size_t>(order_.pixels * order_.lanes), std::nullopt);
  if (beat_.is_last_of_row) find_elements();
  return true;
}

/// What the row before left, as far as the window goes on, and what came ahead.
void WindowTraffic::begin_row(const Turn& turn) {
  const bool is_along_rows = command_.slide_rows;
  const int64_t dilation_along = is_along_rows ? command_.dilation_rows : command_.dilation_columns;
  const bool begins_window = turn.place != turn_.place && order_.is_loaded(turn.place);
  const bool keeps = !begins_window && dilation_along == 1;
  std::vector<std::set<Position>> needed(windows_.size());
  std::set<Position> all;
  for (int64_t pixel = 0; pixel < order_.pixels; ++pixel) {
    for (int64_t element = 0; element < order_.num_elements(turn.place.step); ++element) {
      needed[static_cast<size_t>(pixel)].insert(position_of(turn, pixel, element));
      all.insert(position_of(turn, pixel, element));
    }
  }
  const bool shares = is_shared(turn);
  for (size_t pixel = 0; pixel < windows_.size(); ++pixel) {
    Window& window = windows_[pixel];
    const std::set<Position>& wanted = shares ? all : needed[pixel];
    Registers now = std::exchange(window.ahead, {});
    for (const auto& [position, register_idx] : window.now) {
      if (keeps && wanted.contains(position)) now.emplace(position, register_idx);
    }
    window.now = std::move(now);
  }
  turn_ = turn;
}

void WindowTraffic::place_runs() {
  runs_ = {};
  for (size_t w = 0; w < beat_.words.size(); ++w) {
    const sequence::WindowWord& word = beat_.words[w];
    VERNIER_CHECK(word.positions.size() <= spec::kMaxRowPixels, "a word serves {} positions", word.positions.size());
    for (size_t p = 0; p < word.positions.size(); ++p) {
      const sequence::WindowPosition& position = word.positions[p];
      Run& run = runs_[w * spec::kMaxRowPixels + p];
      const sequence::WindowByte& first = position.bytes.front();
      const auto byte_of_lanes = [this](const sequence::WindowByte& byte) {
        return byte.channel * order_.activation_bytes + byte.byte;
      };
      run.first_byte = first.address - word.word * datapath_.word_bytes();
      run.bytes = static_cast<int64_t>(position.bytes.size());
      run.to = byte_of_lanes(first);
      for (int64_t i = 0; i < run.bytes; ++i) {
        const sequence::WindowByte& byte = position.bytes[static_cast<size_t>(i)];
        VERNIER_CHECK(byte.address == first.address + i && byte_of_lanes(byte) == run.to + i, "a word's bytes have gaps");
      }
      place(run, position, word.is_of_next_row);
    }
  }
}

void WindowTraffic::place(Run& run, const sequence::WindowPosition& position, bool is_of_next_row) {
  const bool shares = is_shared(is_of_next_row ? after(turn_) : turn_);
  std::set<size_t> pixels;
  for (size_t pixel = 0; shares && pixel < windows_.size(); ++pixel) pixels.insert(pixel);
  for (const sequence::WindowPosition::Tap& tap : position.taps) pixels.insert(static_cast<size_t>(tap.pixel));
  const Position at{position.row, position.column};
  const auto registers_of = [&](size_t pixel) -> Registers& {
    return is_of_next_row ? windows_[pixel].ahead : windows_[pixel].now;
  };
  for (const size_t pixel : pixels) {
    Registers& registers = registers_of(pixel);
    // Another word may have brought some of its bytes.
    if (!registers.contains(at)) {
      int64_t free = 0;
      while (windows_[pixel].has(free)) ++free;
      VERNIER_CHECK(free < order_.lanes, "a window of {} taps has no register for position {}, {}", order_.lanes,
                    position.row, position.column);
      registers.emplace(at, free);
    }
    run.registers[pixel] = registers.at(at);
  }
}

void WindowTraffic::find_elements() {
  for (const sequence::WindowOperand& operand : beat_.operands) {
    if (operand.is_masked || operand.lane != 0 || operand.byte != 0) continue;
    const Registers& registers = windows_[static_cast<size_t>(operand.pixel)].now;
    const auto found = registers.find(position_of(turn_, operand.pixel, operand.element));
    VERNIER_CHECK(found != registers.end(), "element {} of pixel {} is not in its window", operand.element, operand.pixel);
    elements_[static_cast<size_t>(operand.pixel * order_.lanes + operand.element)] = found->second;
  }
}

bool WindowTraffic::Window::has(int64_t register_idx) const {
  const auto is_it = [&](const auto& entry) { return entry.second == register_idx; };
  return std::ranges::any_of(now, is_it) || std::ranges::any_of(ahead, is_it);
}

WindowTraffic::Position WindowTraffic::position_of(const Turn& turn, int64_t pixel, int64_t element) const {
  const sequence::MacRow row = order_.row(turn.row);
  const int64_t tap = order_.first_element(turn.place.step) + element;
  return {command_.origin_row + row.y * command_.stride_rows + tap / command_.kernel_columns * command_.dilation_rows,
          command_.origin_column + (row.first_column + pixel) * command_.stride_columns +
              tap % command_.kernel_columns * command_.dilation_columns};
}

/// Whether each lane keeps what all pixels of the row need.
bool WindowTraffic::is_shared(const Turn& turn) const {
  std::set<Position> all;
  for (int64_t pixel = 0; pixel < order_.pixels; ++pixel) {
    for (int64_t element = 0; element < order_.num_elements(turn.place.step); ++element) {
      all.insert(position_of(turn, pixel, element));
    }
  }
  return static_cast<int64_t>(all.size()) <= order_.lanes;
}

WindowTraffic::Turn WindowTraffic::after(const Turn& turn) const {
  Turn next{turn.place, turn.row + 1};
  if (next.row < order_.end_row(turn.place.row_tile)) return next;
  VERNIER_CHECK(order_.advance(next.place), "a word of the row after the last one");
  next.row = order_.first_row(next.place.row_tile);
  return next;
}

void WindowTraffic::drive(WindowPins& pins, Port data, Port mask, Random& random) const {
  const int64_t lanes = order_.lanes;
  const int lane_bits = spec::bits_to_count(static_cast<int>(lanes));
  const int to_bits = lane_bits + 1, count_bits = spec::bits_to_count(static_cast<int>(lanes) + 1);
  const auto any = [&](int bits) { return random.bits() & ((uint64_t{1} << bits) - 1); };
  for (size_t w = 0; w < beat_.words.size(); ++w) {
    for (int64_t i = 0; i < lanes; ++i) {
      data.set_field(static_cast<int64_t>(w) * lanes + i, 8, array_.byte_at(beat_.words[w].word * lanes + i));
    }
  }
  for (int64_t r = 0; r < spec::kWindowRuns; ++r) {
    const Run& run = runs_[static_cast<size_t>(r)];
    const bool is_there = run.bytes > 0;
    pins.offset.set_field(r, lane_bits, is_there ? static_cast<uint64_t>(run.first_byte) : any(lane_bits));
    pins.length.set_field(r, count_bits, static_cast<uint64_t>(run.bytes));
    pins.to.set_field(r, to_bits, is_there ? static_cast<uint64_t>(run.to) : any(to_bits));
    for (int64_t pixel = 0; pixel < spec::kMaxRowPixels; ++pixel) {
      const std::optional<int64_t>& found = run.registers[static_cast<size_t>(pixel)];
      const int64_t idx = r * spec::kMaxRowPixels + pixel;
      // Runs without bytes may name anything.
      pins.pixel.set_field(idx, 1, is_there ? (found ? 1U : 0U) : any(1));
      pins.register_idx.set_field(idx, lane_bits, found ? static_cast<uint64_t>(*found) : any(lane_bits));
    }
  }
  for (int64_t idx = 0; idx < spec::kMaxRowPixels * lanes; ++idx) {
    const auto element = idx < static_cast<int64_t>(elements_.size()) ? elements_[static_cast<size_t>(idx)] : std::nullopt;
    mask.set_field(idx, 1, element ? 0 : 1);
    pins.element.set_field(idx, lane_bits, element ? static_cast<uint64_t>(*element) : any(lane_bits));
  }
}

}  // namespace vernier::cosim
