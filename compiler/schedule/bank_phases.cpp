// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/bank_phases.hpp"

#include "compiler/schedule/access.hpp"
#include "hw/base/division.hpp"
#include "hw/timing/access_pattern.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace vernier::schedule {
namespace {

constexpr int64_t kBanks = spec::kNumSramBanks;

/// A command of the array that waits for banks no longer than this part of its time is well placed.
constexpr int64_t kWellPlaced = 64;

class Spreader {
 public:
  Spreader(Layout& layout, const Image& image, const config::MachineConfig& config, KnownTimes& times)
      : layout_(layout),
        image_(image),
        config_(config),
        times_(times),
        word_bytes_(config.datapath.word_bytes()),
        has_phase_(layout.blocks.size(), false) {}

  void spread(const LinearCommand& command) {
    std::vector<int64_t> taken;  // banks in which operands start
    for (const passes::Operand& operand : command.step.operands) {
      const std::optional<int64_t> start = start_of(command, operand);
      if (start) taken.push_back(bank_of(*start + field_of(command.step, operand)));
    }
    for (const passes::Operand& operand : command.step.operands) {
      const int32_t block = block_of(layout_, command, operand);
      if (block < 0 || has_phase_[block]) continue;
      const int64_t bank = farthest_from(taken);
      taken.push_back(bank);
      has_phase_[block] = true;
      phase(block) = base::floor_mod(bank - bank_of(field_of(command.step, operand)), kBanks) * word_bytes_;
      if (operand.field == passes::AddressField::Output) choose_by_time(command, block);
    }
  }

 private:
  [[nodiscard]] int64_t& phase(int32_t block) { return layout_.blocks[block].phase_bytes; }
  [[nodiscard]] int64_t bank_of(int64_t byte) const { return timing::bank_of(byte, word_bytes_); }
  /// Constants, where the image lies in SRAM as a whole.
  [[nodiscard]] bool is_in_image(const passes::Operand& operand) const {
    return layout_.image_block >= 0 && image_.offset_bytes[static_cast<size_t>(operand.buffer)] >= 0;
  }
  /// Where the block of an operand starts, or its constant in the image; none where that is not known yet, or outside.
  [[nodiscard]] std::optional<int64_t> start_of(const LinearCommand& command, const passes::Operand& operand) const {
    const int32_t block = block_of(layout_, command, operand);
    if (block >= 0 && has_phase_[block]) return layout_.blocks[block].phase_bytes;
    if (block < 0 && is_in_image(operand)) return image_.offset_bytes[static_cast<size_t>(operand.buffer)];
    return std::nullopt;
  }

  /// The command of the array that writes the block: where it waits least for banks.
  void choose_by_time(const LinearCommand& command, int32_t output) {
    const auto waits = [&] {
      spec::Command placed = command.step.command;
      for (const passes::Operand& operand : command.step.operands)
        relocate(placed, operand, start_of(command, operand).value_or(0));
      const timing::Phase& main = times_.placed_profile(placed, config_).main;
      return std::pair(main.stall_cycles[static_cast<size_t>(timing::Stall::BankConflict)], main.cycles);
    };
    const auto [first_wait, first_cycles] = waits();
    if (first_wait * kWellPlaced <= first_cycles) return;
    int64_t best = phase(output), least = first_cycles;
    for (int64_t i = 1; i < kBanks; ++i) {
      phase(output) = (phase(output) + word_bytes_) % (kBanks * word_bytes_);
      const int64_t cycles = waits().second;
      if (cycles >= least) continue;
      least = cycles;
      best = phase(output);
    }
    phase(output) = best;
  }

  /// The bank whose nearest taken one is farthest, around the circle of banks; the first of those.
  static int64_t farthest_from(const std::vector<int64_t>& taken) {
    int64_t best = 0, most = -1;
    for (int64_t bank = 0; bank < kBanks; ++bank) {
      int64_t nearest = kBanks;
      for (const int64_t other : taken) {
        const int64_t apart = base::floor_mod(bank - other, kBanks);
        nearest = std::min({nearest, apart, kBanks - apart});
      }
      if (nearest > most) {
        most = nearest;
        best = bank;
      }
    }
    return best;
  }

  Layout& layout_;
  const Image& image_;
  const config::MachineConfig& config_;
  KnownTimes& times_;
  int64_t word_bytes_;
  base::IndexedVector<int32_t, bool> has_phase_;
};

}  // namespace

void spread_over_banks(Layout& layout, const Sequence& sequence, const Image& image, const config::MachineConfig& config,
                       KnownTimes& times) {
  Spreader spreader(layout, image, config, times);
  for (const LinearCommand* command : sequence.commands) {
    if (!std::holds_alternative<spec::DmaCommand>(command->step.command.body)) spreader.spread(*command);
  }
}

}  // namespace vernier::schedule
