// SPDX-License-Identifier: Apache-2.0
#include "sim/waves/gtkw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>

namespace vernier::waves {

namespace {

// Flags of a trace, GTKWave's analyzer.h.
constexpr uint64_t kHex = 0x2, kDecimal = 0x4, kBinary = 0x8, kRightJustified = 0x20, kBlank = 0x200, kSigned = 0x400,
                   kAscii = 0x800, kAnalogStep = 0x8000, kAnalogBlankStretch = 0x20000, kClosed = 0x400000,
                   kGroupBegin = 0x800000, kGroupEnd = 0x1000000, kCollapsed = 0x1000, kEnum = 0x100000000;
// Colours, by GTKWave's numbers.
constexpr int kNormal = 0, kOrange = 2, kYellow = 3, kGreen = 4;
// A view of zoom z shows 2^-z / kZoomUnit times a pixel.
constexpr double kPixels = 1180, kZoomUnit = 200;

bool is_command_index(const Variable& variable) { return variable.name.ends_with("command"); }

uint64_t flags_of(const Variable& variable) {
  switch (variable.kind) {
    case VariableKind::Real: return kRightJustified | kAnalogStep | kHex;
    case VariableKind::Text: return kRightJustified | kAscii;
    case VariableKind::State: return kRightJustified | kBinary | kEnum;
    case VariableKind::Bits: break;
  }
  if (variable.is_signed) return kRightJustified | kSigned;
  if (variable.bits == 1) return kRightJustified | kBinary;
  return kRightJustified | (variable.bits <= 32 ? kDecimal : kHex);
}

int color_of(const Variable& variable) {
  if (variable.kind == VariableKind::State) return kYellow;
  if (variable.kind == VariableKind::Text) return kOrange;
  return is_command_index(variable) ? kGreen : kNormal;
}

class View {
 public:
  View(const Wave& wave, WaveFormat format) : wave_(wave), format_(format) {}
  template <typename... Values>
  void put(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
  }
  void put_group(const Group& group) {
    put("@{:x}\n-{}\n", kGroupBegin | kBlank | (group.is_closed ? kClosed : 0), group.name);
    for (const size_t i : group.variables) put_variable(wave_.variables[i]);
    for (const Lanes& word : group.words) put_lanes(word);
    for (const Group& inner : group.groups) put_group(inner);
    put("@{:x}\n-{}\n", kGroupEnd | kBlank | (group.is_closed ? kClosed | kCollapsed : 0), group.name);
  }
  [[nodiscard]] std::string text() { return std::move(text_); }

 private:
  void put_variable(const Variable& variable) {
    const int bits = bits_in_file(variable, format_);
    const std::string range = bits > 1 ? fmt::format("[{}:0]", bits - 1) : "";
    put("@{:x}\n[color] {}\n{}.{}{}\n", flags_of(variable), color_of(variable), variable.scope, variable.name, range);
    if (variable.kind == VariableKind::Real) put("@{:x}\n-\n", kAnalogBlankStretch);
  }
  /// Each lane as a number in two's complement. A view counts the bits of a word from the highest one, which is 0.
  void put_lanes(const Lanes& word) {
    const Variable& variable = wave_.variables[word.variable];
    for (int lane = 0; lane < word.num_lanes; ++lane) {
      put("@{:x}\n[color] {}\n#{{{} lane {}}}", kRightJustified | kSigned, kNormal, variable.name, lane);
      const int first = variable.bits - (lane + 1) * word.bits;
      for (int bit = first; bit < first + word.bits; ++bit)
        put(" ({}){}.{}[{}:0]", bit, variable.scope, variable.name, variable.bits - 1);
      put("\n");
    }
  }
  const Wave& wave_;
  WaveFormat format_;
  std::string text_;
};

}  // namespace

std::string gtkwave_view(const Wave& wave, const std::string& wave_file, const Window& window,
                         const std::vector<int64_t>& markers, const RtlView& rtl) {
  View view(wave, wave_format_of(wave_file));
  const auto time_of = [](int64_t cycle) { return cycle * kTimesPerCycle; };
  const double times = static_cast<double>(time_of(std::max<int64_t>(window.to_cycle - window.from_cycle, 1)));
  view.put("[*] A view of GTKWave, made with the wave\n[dumpfile] \"{}\"\n[timestart] {}\n[size] 1600 1000\n",
           std::filesystem::path(wave_file).filename().string(), time_of(window.from_cycle));
  view.put("*{:.6f}", -std::log2(std::max(times * kZoomUnit / kPixels, 1.0)));
  for (size_t i = 0; i <= 26; ++i) view.put(" {}", i < markers.size() ? time_of(markers[i]) : -1);
  view.put("\n[signals_width] 330\n[sst_expanded] 0\n");
  for (const Group& group : view_groups(wave, window, rtl)) view.put_group(group);
  return view.text();
}

}  // namespace vernier::waves
