// SPDX-License-Identifier: Apache-2.0
// Counts registers that change while pins have anything, from a wave that stays in memory: hw/rtl names all registers *_q.
#pragma once

#include "sim/cosim/block/clocked_block.hpp"
#include "sim/cosim/stimulus/random.hpp"

#include <span>
#include <string>
#include <string_view>

namespace vernier::cosim {

class TextSink : public WaveSink {
 public:
  void write(std::span<const char> text) noexcept override { text_.append(text.data(), text.size()); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// Anything on the pins of all inputs but clock and reset; 0 on those that `kept` names.
void scramble_pins(ClockedBlock& block, Random& random, std::span<const std::string_view> kept);

/// Changes of signals that end in _q in the cycles [from, to) of a wave that was closed.
int64_t register_changes(const TextSink& wave, int64_t from, int64_t to);

}  // namespace vernier::cosim
