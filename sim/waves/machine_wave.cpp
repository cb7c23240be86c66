// SPDX-License-Identifier: Apache-2.0
#include "sim/waves/machine_wave.hpp"

#include <fmt/format.h>

#include <bit>

namespace vernier::waves {

namespace {

constexpr int kIndexBits = 32, kLeastCountBits = 4, kSumBits = 48;
constexpr uint64_t kSumMask = (uint64_t{1} << kSumBits) - 1;

Variable variable_of(const kit::Signal& signal) {
  Variable variable{signal.scope, signal.name};
  switch (signal.kind) {
    case kit::SignalKind::Count: variable.bits = kLeastCountBits; break;
    case kit::SignalKind::Sum:
      variable.bits = kSumBits;
      variable.is_signed = true;
      break;
    case kit::SignalKind::Index: variable.bits = kIndexBits; break;
    case kit::SignalKind::State:
      variable.kind = VariableKind::State;
      variable.labels.assign(signal.labels.begin(), signal.labels.end());
      break;
    case kit::SignalKind::Flow:
      variable.kind = VariableKind::Real;
      variable.name = fmt::format("{}_{}_per_cycle", signal.name, signal.unit);
      break;
  }
  return variable;
}

/// The number that the wave shows for a command. The machine may fetch one more than it has records of: it keeps its place.
int64_t number_of(const CommandNames& commands, int64_t command) {
  const auto place = static_cast<size_t>(command);
  return place < commands.numbers.size() ? commands.numbers[place] : command;
}

class Builder {
 public:
  Builder(const Recording& recording, const CommandNames& commands) : recording_(recording), commands_(commands) {}

  void add(const kit::Signal& signal, size_t index) {
    const size_t place = wave.variables.size();
    wave.variables.push_back(variable_of(signal));
    if (signal.kind == kit::SignalKind::Flow) {
      for (const Rate& rate : recording_.rates(index)) put(rate.cycle, place, rate.per_cycle);
      return;
    }
    int& bits = wave.variables[place].bits;
    for (const Change& change : recording_.changes(index)) {
      if (signal.kind == kit::SignalKind::Index && change.value == kit::kNoIndex) {
        put(change.cycle, place, std::string(kIndexBits, 'z'));
        continue;
      }
      const int64_t shown = signal.kind == kit::SignalKind::Index ? number_of(commands_, change.value) : change.value;
      const uint64_t value = static_cast<uint64_t>(shown) & (signal.kind == kit::SignalKind::Sum ? kSumMask : ~uint64_t{0});
      if (signal.kind == kit::SignalKind::Count) bits = std::max(bits, static_cast<int>(std::bit_width(value)));
      put(change.cycle, place, value);
    }
    if (signal.kind == kit::SignalKind::Index) add_layers(signal, index);
  }
  Wave wave;

 private:
  void add_layers(const kit::Signal& signal, size_t index) {
    std::string name = signal.name;
    name.replace(name.rfind("command"), std::string_view("command").size(), "layer");
    const size_t place = wave.variables.size();
    wave.variables.push_back({signal.scope, name, VariableKind::Text});
    for (const Change& change : recording_.changes(index)) put(change.cycle, place, layer_name(commands_, change.value));
  }
  void put(int64_t cycle, size_t variable, decltype(Event::value) value) {
    wave.events.push_back({cycle * kTimesPerCycle, variable, std::move(value)});
  }
  const Recording& recording_;
  const CommandNames& commands_;
};

}  // namespace

std::string layer_name(const CommandNames& commands, int64_t command) {
  if (command < 0 || command >= static_cast<int64_t>(commands.layers.size())) return "";
  const int32_t layer = commands.layers[command];
  return layer < 0 ? "" : commands.names[static_cast<size_t>(layer)];
}

Wave machine_wave(const std::vector<kit::Signal>& signals, const Recording& recording, const CommandNames& commands,
                  int64_t cycles) {
  Builder builder(recording, commands);
  for (size_t i = 0; i < signals.size(); ++i) builder.add(signals[i], i);
  builder.wave.end_time = cycles * kTimesPerCycle;
  return std::move(builder.wave);
}

}  // namespace vernier::waves
