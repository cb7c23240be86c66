// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/block/held_ports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace vernier::cosim {
namespace {

/// Of a port that has a field for each lane; else 0.
int lane_bits_of(const spec::RtlPort& port) {
  const int of_8 = port.bits(8), of_16 = port.bits(16);
  return of_8 % 8 == 0 && of_16 == 2 * of_8 ? of_8 / 8 : 0;
}

}  // namespace

HeldPorts::HeldPorts(const ClockedBlock& block) {
  for (const spec::RtlPort& port : block.description().ports) {
    if (port.is_output) add(block, port);
  }
}

HeldPorts::HeldPorts(const ClockedBlock& block, std::span<const std::string_view> names) {
  for (const spec::RtlPort& port : block.description().ports) {
    if (std::ranges::find(names, port.name) != names.end()) add(block, port);
  }
}

HeldPorts HeldPorts::of_results(const ClockedBlock& block) {
  const std::string_view group = block.description().results;
  const auto named = [&](std::string_view port) { return fmt::format("{}_{}", group, port); };
  const std::array names{named("valid_o"), named("tag_o"), named("result_o")};
  return {block, std::array<std::string_view, 3>{names[0], names[1], names[2]}};
}

void HeldPorts::add(const ClockedBlock& block, const spec::RtlPort& port) {
  ports_.push_back({port.name, block.port(port.name), lane_bits_of(port)});
}

void HeldPorts::hold() {
  held_.clear();
  for (const Held& held : ports_) held_.insert(held_.end(), held.port.bytes().begin(), held.port.bytes().end());
}

std::optional<HeldPorts::Place> HeldPorts::moved(const Matters& matters) const {
  if (held_.empty()) return std::nullopt;
  std::span<const std::byte> before = held_;
  for (const Held& held : ports_) {
    const std::span<const std::byte> now = held.port.bytes();
    if (!std::ranges::equal(now, before.first(now.size())) && (!matters || matters(held.name))) {
      if (held.lane_bits == 0) return Place{std::string(held.name)};
      const auto differs = [&](int64_t bit) {
        const auto byte = static_cast<size_t>(bit / 8);
        return std::to_integer<int>((now[byte] ^ before[byte]) >> (bit % 8)) % 2 != 0;
      };
      int64_t bit = 0;
      while (bit < held.port.bits() && !differs(bit)) ++bit;
      return Place{std::string(held.name), static_cast<int>(bit / held.lane_bits)};
    }
    before = before.subspan(now.size());
  }
  return std::nullopt;
}

std::optional<Mismatch> HeldPorts::check(bool has_to_hold, std::string_view what_for) {
  const std::optional<Place> place = moved();
  if (has_to_hold) {
    hold();
  } else {
    forget();
  }
  if (!place) return std::nullopt;
  return Mismatch{.kind = MismatchKind::Moved, .port = place->port, .lane = place->lane, .words = std::string(what_for)};
}

}  // namespace vernier::cosim
