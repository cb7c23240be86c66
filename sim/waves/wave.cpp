// SPDX-License-Identifier: Apache-2.0
#include "sim/waves/wave.hpp"

#include "hw/base/text.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <fnmatch.h>
#include <set>

namespace vernier::waves {

namespace {

std::string path_of(const Variable& variable) { return variable.scope + "." + variable.name; }

void put(WaveWriter& writer, const Wave& wave, const Event& event) {
  const Variable& variable = wave.variables[event.variable];
  if (const auto* number = std::get_if<uint64_t>(&event.value)) {
    writer.number(event.variable, *number);
  } else if (const auto* real = std::get_if<double>(&event.value)) {
    writer.real(event.variable, *real);
  } else if (variable.kind == VariableKind::Text) {
    writer.text(event.variable, std::get<std::string>(event.value));
  } else {
    writer.bits(event.variable, std::get<std::string>(event.value));
  }
}

/// More than the files of the FST writer take in all: what it keeps of each variable, each value uncompressed, in the wave
/// and in the files that it makes it of.
size_t most_fst_bytes(const Wave& wave) {
  constexpr size_t kHeader = 1U << 20, kVariable = 256, kValue = 32, kCopies = 3;
  size_t bytes = kHeader;
  for (const Variable& variable : wave.variables) bytes += kCopies * (kVariable + static_cast<size_t>(variable.bits));
  for (const Event& event : wave.events) {
    const auto* text = std::get_if<std::string>(&event.value);
    const auto bits = static_cast<size_t>(wave.variables[event.variable].bits);
    bytes += kCopies * (kValue + bits + (text == nullptr ? 0 : text->size()));
  }
  return bytes;
}

}  // namespace

void keep_scope(Wave& wave, const std::string& pattern) {
  constexpr size_t kDropped = SIZE_MAX;
  std::vector<size_t> new_place(wave.variables.size(), kDropped);
  std::vector<Variable> kept;
  std::set<std::string> scopes;
  for (size_t i = 0; i < wave.variables.size(); ++i) {
    scopes.insert(wave.variables[i].scope);
    if (fnmatch(pattern.c_str(), path_of(wave.variables[i]).c_str(), 0) != 0) continue;
    new_place[i] = kept.size();
    kept.push_back(wave.variables[i]);
  }
  if (kept.empty()) {
    throw base::UserError("--wave-scope", "'{}' matches no signal, scopes are {}; '{}.*' is all of the first",
                          base::printable(pattern), fmt::join(scopes, ", "), *scopes.begin());
  }
  std::erase_if(wave.events, [&](const Event& event) { return new_place[event.variable] == kDropped; });
  for (Event& event : wave.events) event.variable = new_place[event.variable];
  wave.variables = std::move(kept);
}

WaveFormat wave_format_of(const std::string& file) {
  if (file.ends_with(".vcd")) return WaveFormat::Vcd;
  if (!file.ends_with(".fst")) throw base::UserError(file, "a wave's file ends in .vcd or .fst");
  if (!has_fst_writer()) {
    throw base::UserError(file,
                          "this program was built without Verilator, which the FST writer comes with; .vcd is written "
                          "without it");
  }
  return WaveFormat::Fst;
}

int bits_in_file(const Variable& variable, WaveFormat format) {
  if (variable.kind == VariableKind::Bits) return variable.bits;
  return variable.kind == VariableKind::State && format == WaveFormat::Fst ? bits_for(variable.labels.size()) : 0;
}

std::vector<std::byte> to_bytes(const Wave& wave, WaveFormat format, const Window& window) {
  const std::unique_ptr<WaveWriter> writer =
      format == WaveFormat::Fst ? make_fst_writer(most_fst_bytes(wave)) : make_vcd_writer();
  writer->declare(wave.variables);
  const int64_t from = window.from_cycle * kTimesPerCycle, to = window.to_cycle * kTimesPerCycle;
  VERNIER_CHECK(from <= to && to <= wave.end_time, "window {}:{} of a wave that ends at time {}", window.from_cycle,
                window.to_cycle, wave.end_time);
  std::vector<const Event*> events, at_start(wave.variables.size());
  for (const Event& event : wave.events) {
    if (event.time <= from) at_start[event.variable] = &event;
    if (event.time > from && event.time <= to) events.push_back(&event);
  }
  std::stable_sort(events.begin(), events.end(), [](const Event* a, const Event* b) { return a->time < b->time; });
  writer->time(from);
  for (const Event* event : at_start) {
    if (event != nullptr) put(*writer, wave, *event);
  }
  int64_t time = from;
  for (const Event* event : events) {
    if (event->time > time) writer->time(event->time);
    time = event->time;
    put(*writer, wave, *event);
  }
  if (to > time) writer->time(to);
  return writer->finish(to);
}

}  // namespace vernier::waves
