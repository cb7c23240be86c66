// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/network/rtl_wave.hpp"

#include "hw/base/error.hpp"
#include "sim/cosim/block/vcd_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>

namespace vernier::cosim {
namespace {

/// How many cycles of a command that stands still are drawn after its last handshake.
constexpr int64_t kDrawnHangCycles = 100;
constexpr int kIndexBits = 32;
static_assert(kWaveCyclePs == waves::kTimesPerCycle);

enum class RunState : uint8_t { Idle, Running, NotInRtl };
const std::vector<std::string> kRunStates{"idle", "running", "not_in_rtl"};

/// One of the scopes, while the wave is put together.
class Turn {
 public:
  Turn(waves::Wave& wave, const VcdText& text, const spec::RtlBlock& block, const std::string& scope)
      : wave_(wave),
        state_(add({scope, "state", waves::VariableKind::State, 1, kRunStates})),
        command_(add({scope, "command", waves::VariableKind::Bits, kIndexBits})),
        layer_(add({scope, "layer", waves::VariableKind::Text})),
        cycle_(add({scope, "cycle", waves::VariableKind::Bits, kIndexBits})),
        signals_(block, text, scope, wave.variables) {
    put_state(0, RunState::Idle);
    put(0, command_, no_command());
    put(0, layer_, std::string());
  }

  void begin(int64_t time, int32_t command_idx, const std::string& layer) {
    put_state(time, RunState::Running);
    put(time, command_, static_cast<uint64_t>(command_idx));
    put(time, layer_, layer);
  }
  void cycle(int64_t time, int64_t number) { put(time, cycle_, static_cast<uint64_t>(number)); }
  void value(int64_t time, size_t code, const BitsValue& value) {
    signals_.change(code, value, [&](size_t variable, const auto& changed) {
      std::visit([&](const auto& bits) { put(time, variable, bits); }, changed);
    });
  }
  /// The last edge of the RTL is at `rtl_end`; the machine's command ends at `end`, or never when the RTL stood still in it.
  void finish(int64_t rtl_end, std::optional<int64_t> end_time) {
    free_from_ = rtl_end;
    if (!end_time) return;
    const int64_t end = *end_time;
    if (end > rtl_end) put_state(rtl_end, RunState::NotInRtl);
    put_state(end, RunState::Idle);
    put(end, command_, no_command());
    put(end, layer_, std::string());
    free_from_ = std::max(rtl_end, end);
  }
  /// From which time on another command can be drawn here.
  [[nodiscard]] int64_t free_from() const { return free_from_; }

 private:
  size_t add(waves::Variable variable) {
    wave_.variables.push_back(std::move(variable));
    return wave_.variables.size() - 1;
  }
  template <typename Value>
  void put(int64_t time, size_t variable, const Value& value) {
    wave_.events.push_back({time, variable, value});
  }
  static std::string no_command() { return std::string(kIndexBits, 'z'); }
  void put_state(int64_t time, RunState state) { put(time, state_, static_cast<uint64_t>(state)); }
  waves::Wave& wave_;
  size_t state_, command_, layer_, cycle_;
  BlockSignals signals_;
  int64_t free_from_ = 0;
};

/// One that is free at `time`, made when there is none.
Turn& free_turn(std::deque<Turn>& turns, waves::Wave& wave, const VcdText& text, const spec::RtlBlock& block,
                const std::string& scope, int64_t time) {
  for (Turn& turn : turns) {
    if (turn.free_from() <= time) return turn;
  }
  return turns.emplace_back(wave, text, block, fmt::format("npu.{}{}", scope, turns.size()));
}

}  // namespace

int64_t drawn_end(const Hang& hang, int64_t begin_cycle, int64_t cycle) {
  // RTL that stops itself does so at once.
  const int64_t since_cycle = hang.since_cycle() > begin_cycle ? hang.since_cycle() : cycle;
  return std::min(since_cycle + kDrawnHangCycles, cycle);
}

void RtlWave::write(std::span<const char> text) noexcept {
  if (is_cut_ || text_.size() + text.size() > most_bytes_) {
    is_cut_ = true;
    return;
  }
  text_.append(text.data(), text.size());
}

std::optional<int64_t> RtlWave::machine_cycle_of(int64_t cycle, const std::vector<units::CommandRecord>& commands) const {
  for (const Run& run : runs_) {
    if (cycle >= run.begin_cycle && cycle < run.end_cycle)
      return commands[static_cast<size_t>(run.command_idx)].start_cycle + cycle - run.begin_cycle - 1;
  }
  return std::nullopt;
}

void RtlWave::add_to(waves::Wave& wave, const std::vector<units::CommandRecord>& commands,
                     const waves::CommandNames& names) const {
  VERNIER_CHECK(!is_cut_, "a wave that is cut is not drawn");
  VcdText text(text_);
  std::deque<Turn> turns;
  std::vector<std::optional<BitsValue>> now(text.num_codes());
  VcdText::Change change;
  bool has_change = text.next(change);
  const auto advance_to = [&](int64_t rtl_time, const auto& use) {
    for (; has_change && change.time < rtl_time; has_change = text.next(change)) {
      use();
      now[change.code] = std::move(change.value);
    }
  };
  for (const Run& run : runs_) {
    const units::CommandRecord& command = commands[static_cast<size_t>(run.command_idx)];
    // The edge that takes the command ends the cycle in which it is offered.
    const int64_t shift = command.start_cycle * waves::kTimesPerCycle - (run.begin_cycle + 1) * kWaveCyclePs;
    const int64_t begin = run.begin_cycle * kWaveCyclePs, end = run.end_cycle * kWaveCyclePs;
    Turn& turn = free_turn(turns, wave, text, *block_, scope_, begin + shift);
    advance_to(begin + 1, [] {});
    turn.begin(command.start_cycle * waves::kTimesPerCycle, run.command_idx, waves::layer_name(names, run.command_idx));
    for (size_t code = 0; code < now.size(); ++code) {
      if (now[code]) turn.value(begin + shift, code, *now[code]);
    }
    for (int64_t cycle = run.begin_cycle; cycle < run.end_cycle; ++cycle) {
      turn.cycle(cycle * kWaveCyclePs + shift, cycle);
      advance_to((cycle + 1) * kWaveCyclePs, [&] { turn.value(change.time + shift, change.code, change.value); });
    }
    const bool has_ended = command.end_cycle >= 0;
    turn.finish(end + shift, has_ended ? std::optional(command.end_cycle * waves::kTimesPerCycle) : std::nullopt);
    if (!has_ended) wave.end_time = std::max(wave.end_time, end + shift);
  }
}

}  // namespace vernier::cosim
