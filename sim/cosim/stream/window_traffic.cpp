// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/stream/window_traffic.hpp"

#include "hw/base/error.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

namespace vernier::cosim {

void put_bytes(Port& port, int64_t first, const Work& array, int64_t address, int64_t bytes) {
  if (address >= 0 && address + bytes <= std::ssize(array.bytes)) {
    return port.set_bytes(first, std::span(array.bytes).subspan(static_cast<size_t>(address), static_cast<size_t>(bytes)));
  }
  for (int64_t i = 0; i < bytes; ++i) port.set_field(first + i, 8, array.byte_at(address + i));
}

WindowPins::WindowPins(const ClockedBlock& block)
    : offset(block.port("win_offset_i")),
      length(block.port("win_length_i")),
      to(block.port("win_to_i")),
      pixel(block.port("win_pixel_i")),
      register_idx(block.port("win_register_i")),
      element(block.port("win_element_i")) {}

WindowTraffic::WindowTraffic(const Work& array, const spec::Datapath& datapath)
    : array_(array),
      command_(array.mac()),
      datapath_(datapath),
      order_(command_, datapath_),
      stream_(command_, datapath_),
      windows_(static_cast<size_t>(order_.pixels)) {}

bool WindowTraffic::next() {
  if (!stream_.next(beat_)) return false;
  if (turn_.operands.empty()) turn_ = turn_of(beat_.place, beat_.row);
  if (!turn_.is(beat_.place, beat_.row)) {
    const bool is_known = next_turn_ && next_turn_->is(beat_.place, beat_.row);
    begin_row(is_known ? std::move(*next_turn_) : turn_of(beat_.place, beat_.row));
    next_turn_.reset();
  }
  place_runs();
  elements_.assign(static_cast<size_t>(order_.pixels * order_.lanes), std::nullopt);
  if (beat_.is_last_of_row) find_elements();
  return true;
}

/// What the row before left, as far as the window goes on, and what came ahead.
void WindowTraffic::begin_row(Turn turn) {
  const bool is_along_rows = command_.slide_rows;
  const int64_t dilation_along = is_along_rows ? command_.dilation_rows : command_.dilation_columns;
  const bool begins_window = turn.place != turn_.place && order_.is_loaded(turn.place);
  const bool keeps = !begins_window && dilation_along == 1;
  const std::span<const Position> all(turn.operands);
  const size_t elements = all.size() / windows_.size();
  for (size_t pixel = 0; pixel < windows_.size(); ++pixel) {
    Window& window = windows_[pixel];
    const std::span<const Position> wanted = turn.is_shared ? all : all.subspan(pixel * elements, elements);
    Registers now = std::exchange(window.ahead, {});
    for (const auto& [position, register_idx] : window.now.entries()) {
      if (keeps && std::ranges::find(wanted, position) != wanted.end() && !now.find(position))
        now.add(position, register_idx);
    }
    window.now = std::move(now);
  }
  turn_ = std::move(turn);
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
  if (is_of_next_row && !next_turn_) next_turn_ = after(turn_);
  const bool is_shared = is_of_next_row ? next_turn_->is_shared : turn_.is_shared;
  const Position at{position.row, position.column};
  for (size_t pixel = 0; pixel < windows_.size(); ++pixel) {
    const auto is_its = [&](const sequence::WindowPosition::Tap& tap) { return static_cast<size_t>(tap.pixel) == pixel; };
    if (!is_shared && std::ranges::none_of(position.taps, is_its)) continue;
    Window& window = windows_[pixel];
    Registers& registers = is_of_next_row ? window.ahead : window.now;
    run.registers[pixel] = registers.find(at);
    // Another word may have brought some of its bytes.
    if (run.registers[pixel]) continue;
    int64_t free = 0;
    while (window.now.has(free) || window.ahead.has(free)) ++free;
    VERNIER_CHECK(free < order_.lanes, "a window of {} taps has no register for position {}, {}", order_.lanes, position.row,
                  position.column);
    registers.add(at, free);
    run.registers[pixel] = free;
  }
}

void WindowTraffic::find_elements() {
  const auto num_elements = static_cast<int64_t>(turn_.operands.size()) / order_.pixels;
  for (const sequence::WindowOperand& operand : beat_.operands) {
    if (operand.is_masked || operand.lane != 0 || operand.byte != 0) continue;
    const auto found = windows_[static_cast<size_t>(operand.pixel)].now.find(
        turn_.operands[static_cast<size_t>(operand.pixel * num_elements + operand.element)]);
    VERNIER_CHECK(found, "element {} of pixel {} is not in its window", operand.element, operand.pixel);
    elements_[static_cast<size_t>(operand.pixel * order_.lanes + operand.element)] = found;
  }
}

std::optional<int64_t> WindowTraffic::Registers::find(const Position& at) const {
  for (const auto& [position, register_idx] : entries_) {
    if (position == at) return register_idx;
  }
  return std::nullopt;
}

bool WindowTraffic::Registers::has(int64_t register_idx) const {
  return std::ranges::any_of(entries_, [&](const auto& entry) { return entry.second == register_idx; });
}

WindowTraffic::Turn WindowTraffic::turn_of(const sequence::MacPlace& place, int64_t row) const {
  Turn turn{place, row, sequence::window_operands(command_, order_, place, row), false};
  std::vector<Position> all = turn.operands;
  std::ranges::sort(all);
  const auto num_different = std::unique(all.begin(), all.end()) - all.begin();
  turn.is_shared = num_different <= order_.lanes;
  return turn;
}

WindowTraffic::Turn WindowTraffic::after(const Turn& turn) const {
  if (turn.row + 1 < order_.end_row(turn.place.row_tile)) return turn_of(turn.place, turn.row + 1);
  sequence::MacPlace place = turn.place;
  VERNIER_CHECK(order_.advance(place), "a word of the row after the last one");
  return turn_of(place, order_.first_row(place.row_tile));
}

void WindowTraffic::drive(WindowPins& pins, Port data, Port mask, Random& random) const {
  const int64_t lanes = order_.lanes;
  const int lane_bits = spec::bits_to_count(static_cast<int>(lanes));
  const int to_bits = lane_bits + 1, count_bits = spec::bits_to_count(static_cast<int>(lanes) + 1);
  const auto any = [&](int bits) { return random.bits() & ((uint64_t{1} << bits) - 1); };
  for (size_t w = 0; w < beat_.words.size(); ++w) {
    put_bytes(data, static_cast<int64_t>(w) * lanes, array_, beat_.words[w].word * lanes, lanes);
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
