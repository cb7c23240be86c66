// SPDX-License-Identifier: Apache-2.0
#include "tests/cosim/register_changes.hpp"

#include <algorithm>
#include <map>
#include <sstream>

namespace vernier::cosim {

void scramble_pins(ClockedBlock& block, Random& random, std::span<const std::string_view> kept) {
  for (const spec::RtlPort& port : block.description().ports) {
    if (port.is_output || port.name == "clk_i" || port.name == "rst_ni") continue;
    Port pins = block.port(port.name);
    const bool is_kept = std::ranges::find(kept, port.name) != kept.end();
    if (is_kept) {
      std::ranges::fill(pins.bytes(), std::byte{0});
    } else {
      pins.scramble(random);
    }
  }
}

int64_t register_changes(const TextSink& wave, int64_t from, int64_t to) {
  std::istringstream input(wave.text());
  std::map<std::string, bool> is_register;
  int64_t time = 0, changes = 0;
  for (std::string line; std::getline(input, line);) {
    std::istringstream words(line);
    std::string word, type, width, code, name;
    words >> word;
    if (word == "$var") {
      words >> type >> width >> code >> name;
      is_register[code] = is_register[code] || name.ends_with("_q");
    } else if (word.starts_with('#')) {
      time = std::stoll(word.substr(1));
    } else if (!word.empty() && word[0] != '$' && time > from * kWaveCyclePs && time <= to * kWaveCyclePs) {
      if (word[0] == 'b') {
        words >> code;
      } else {
        code = word.substr(1);
      }
      changes += is_register[code] ? 1 : 0;
    }
  }
  return changes;
}

}  // namespace vernier::cosim
