// SPDX-License-Identifier: Apache-2.0
#include "tests/cosim/register_changes.hpp"

#include <algorithm>
#include <map>
#include <sstream>

namespace vernier::cosim {

void RegisterChanges::scramble(std::string name, std::span<const std::string_view> low, bool is_enabled, int num_cycles,
                               std::string_view high) {
  const int64_t from = block_.cycle();
  for (int i = 0; i < num_cycles; ++i) {
    for (const spec::RtlPort& port : block_.description().ports) {
      if (port.is_output || port.name == "clk_i" || port.name == "rst_ni") continue;
      Port pins = block_.port(port.name);
      pins.scramble(random_);
      if (std::ranges::find(low, port.name) != low.end()) std::ranges::fill(pins.bytes(), std::byte{0});
      if (port.name == high) pins.set(1);
    }
    block_.port("en_i").set(is_enabled ? 1 : 0);
    block_.settle();
    block_.edge();
  }
  add(std::move(name), from);
}

std::vector<RegisterChanges::Changes> RegisterChanges::finish() {
  block_.rtl().close_wave();
  std::vector<Changes> changes;
  for (const Span& span : spans_) changes.push_back({span.name});
  std::istringstream input(text_);
  std::map<std::string, bool> is_register;
  int64_t time = 0;
  for (std::string line; std::getline(input, line);) {
    std::istringstream words(line);
    std::string word, type, width, code, name;
    words >> word;
    if (word == "$var") {
      words >> type >> width >> code >> name;
      is_register[code] = is_register[code] || name.ends_with("_q");
    } else if (word.starts_with('#')) {
      time = std::stoll(word.substr(1));
    } else if (!word.empty() && word[0] != '$') {
      if (word[0] == 'b') {
        words >> code;
      } else {
        code = word.substr(1);
      }
      for (size_t i = 0; is_register[code] && i < spans_.size(); ++i) {
        if (time > spans_[i].from * kWaveCyclePs && time <= spans_[i].to * kWaveCyclePs) ++changes[i].count;
      }
    }
  }
  return changes;
}

}  // namespace vernier::cosim
