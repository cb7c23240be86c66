// SPDX-License-Identifier: Apache-2.0
// Counts registers that change while pins have anything, from a wave that stays in memory: hw/rtl names all registers *_q.
#pragma once

#include "sim/cosim/block/clocked_block.hpp"
#include "sim/cosim/stimulus/random.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::cosim {

/// Parts of a block's time, and how many registers changed in each.
class RegisterChanges : private WaveSink {
 public:
  /// Opens the wave of `block`, which outlives this and had no cycle yet.
  RegisterChanges(ClockedBlock& block, uint64_t seed) : block_(block), random_(seed) { block.rtl().open_wave(*this); }
  /// A part that begins in cycle `from` and ends now.
  void add(std::string name, int64_t from) { spans_.push_back({std::move(name), from, block_.cycle()}); }
  /// One of so many cycles with anything on the pins of all inputs but clock and reset; 0 is on those that `low` names, and
  /// 1 on `high`.
  void scramble(std::string name, std::span<const std::string_view> low, bool is_enabled, int num_cycles = 50,
                std::string_view high = {});
  /// No cycle more.
  struct Changes {
    std::string name;
    int64_t count = 0;
  };
  [[nodiscard]] std::vector<Changes> finish();

 private:
  struct Span {
    std::string name;
    int64_t from, to;  // cycles
  };
  void write(std::span<const char> text) noexcept override { text_.append(text.data(), text.size()); }

  ClockedBlock& block_;
  Random random_;
  std::vector<Span> spans_;
  std::string text_;
};

}  // namespace vernier::cosim
