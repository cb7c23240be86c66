// SPDX-License-Identifier: Apache-2.0
// A wave before it is a file: variables and events, what of them is wanted, and the file's bytes.
#pragma once

#include "hw/base/error.hpp"
#include "sim/waves/wave_writer.hpp"

#include <optional>
#include <span>
#include <variant>

namespace vernier::waves {

/// A variable has this value from `time` on: a number or digits for bits, a label's place for a state.
struct Event {
  int64_t time = 0;
  size_t variable = 0;
  std::variant<uint64_t, double, std::string> value;
};

struct Wave {
  std::vector<Variable> variables;
  std::vector<Event> events;  // ascending in time for each variable
  int64_t end_time = 0;
};

/// Cycles from (inclusive) and to (exclusive).
struct Window {
  int64_t from_cycle = 0, to_cycle = 0;
};

/// Keeps the variables whose path, scope and name, matches the shell pattern; '*' also matches dots. UserError naming the
/// scopes that there are when none does.
void keep_scope(Wave& wave, const std::string& pattern);

enum class WaveFormat : uint8_t { Vcd, Fst };
/// By the file's ending; UserError for another one, and for FST where the program was built without its writer.
WaveFormat wave_format_of(const std::string& file);

/// How many bits a variable has in a file; 0 for what is no bits there.
int bits_in_file(const Variable& variable, WaveFormat format);

/// The wave of one window: each variable begins with the value that it has there; the last changes are those at its end. The
/// window lies within the wave.
std::vector<std::byte> to_bytes(const Wave& wave, WaveFormat format, const Window& window);

}  // namespace vernier::waves
