// SPDX-License-Identifier: Apache-2.0
#include "sim/report/figures.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace vernier::report {
namespace {

enum Port : size_t { SramRead, SramWrite, ExternalRead, ExternalWrite, ExternalBoth, NumPorts };
constexpr std::array<std::string_view, NumPorts> kNames{"sram_read", "sram_write", "external_read", "external_write",
                                                        "external_both"};
using Bytes = std::array<double, NumPorts>;

Bytes bytes_of(const Traffic& traffic) {
  const auto external_read = static_cast<double>(traffic.external_read_bytes);
  const auto external_write = static_cast<double>(traffic.external_write_bytes);
  return {static_cast<double>(traffic.sram_read_bytes), static_cast<double>(traffic.sram_write_bytes), external_read,
          external_write, external_read + external_write};
}

/// A cycle in which the rate of transfer changes, or a layer begins or ends.
struct Moment {
  int64_t cycle = 0;
  Bytes rate_change{};  // bytes per cycle
  Bytes at_once{};      // of a command that takes no time
};

/// Bytes moved until each of `cycles`, which ascend.
std::vector<Bytes> moved_until(const std::vector<int64_t>& cycles, const Report& report) {
  std::vector<Moment> moments;
  for (const Command& command : report.command_list) {
    const Bytes bytes = bytes_of(command.traffic);
    const int64_t length = command.end_cycle - command.start_cycle;
    if (command.start_cycle < 0 || length < 0) continue;
    if (length == 0) {
      moments.push_back({command.start_cycle, {}, bytes});
      continue;
    }
    Moment start{command.start_cycle, {}, {}}, end{command.end_cycle, {}, {}};
    for (size_t port = 0; port < NumPorts; ++port) {
      start.rate_change[port] = bytes[port] / static_cast<double>(length);
      end.rate_change[port] = -start.rate_change[port];
    }
    moments.push_back(start);
    moments.push_back(end);
  }
  std::stable_sort(moments.begin(), moments.end(), [](const Moment& a, const Moment& b) { return a.cycle < b.cycle; });
  std::vector<Bytes> result;
  Bytes moved{}, rate{};
  int64_t now = 0;
  const auto advance = [&](int64_t cycle) {
    for (size_t port = 0; port < NumPorts; ++port) moved[port] += rate[port] * static_cast<double>(cycle - now);
    now = cycle;
  };
  size_t next = 0;
  for (const int64_t cycle : cycles) {
    for (; next < moments.size() && moments[next].cycle < cycle; ++next) {
      advance(moments[next].cycle);
      for (size_t port = 0; port < NumPorts; ++port) {
        rate[port] += moments[next].rate_change[port];
        moved[port] += moments[next].at_once[port];
      }
    }
    advance(cycle);
    result.push_back(moved);
  }
  return result;
}

bool is_at_work(const Layer& layer) { return layer.first_cycle >= 0 && layer.first_cycle < layer.last_cycle; }

/// The cycles in which a layer begins or ends to work, and the ends of the run; ascending.
std::vector<int64_t> boundaries_of(const Report& report) {
  std::vector<int64_t> cycles{0, report.cycles};
  for (const Layer& layer : report.layers) {
    if (is_at_work(layer)) cycles.insert(cycles.end(), {layer.first_cycle, layer.last_cycle});
  }
  std::sort(cycles.begin(), cycles.end());
  cycles.erase(std::unique(cycles.begin(), cycles.end()), cycles.end());
  return cycles;
}

/// Whose the cycles from boundary i to the next one are: the first layer's of those at work; where none is, the next one's;
/// at the end the last one's; nullptr when no layer works at all.
std::vector<const Layer*> owners_of(const std::vector<int64_t>& boundaries, const Report& report) {
  const auto index_of = [&](int64_t cycle) {
    return static_cast<size_t>(std::lower_bound(boundaries.begin(), boundaries.end(), cycle) - boundaries.begin());
  };
  std::vector<const Layer*> owners(boundaries.size() - 1, nullptr);
  for (const Layer& layer : report.layers) {
    if (!is_at_work(layer)) continue;
    for (size_t i = index_of(layer.first_cycle); i < index_of(layer.last_cycle); ++i) {
      if (owners[i] == nullptr) owners[i] = &layer;
    }
  }
  for (size_t i = owners.size() - 1; i-- > 0;) {
    if (owners[i] == nullptr) owners[i] = owners[i + 1];
  }
  for (size_t i = 1; i < owners.size(); ++i) {
    if (owners[i] == nullptr) owners[i] = owners[i - 1];
  }
  return owners;
}

/// Bytes that were moved in some cycles of a layer.
struct Share {
  int64_t layer_idx = 0, cycles = 0;
  Bytes bytes{};

  void add(int64_t more_cycles, const Bytes& until, const Bytes& from) {
    cycles += more_cycles;
    for (size_t port = 0; port < NumPorts; ++port) bytes[port] += until[port] - from[port];
  }
};

/// Of each layer two: from its first to its last cycle, whoever works beside it; and its share of the run.
std::vector<Share> shares_of(const Report& report) {
  const std::vector<int64_t> boundaries = boundaries_of(report);
  const std::vector<Bytes> moved = moved_until(boundaries, report);
  const auto moved_at = [&](int64_t cycle) -> const Bytes& {
    return moved[static_cast<size_t>(std::lower_bound(boundaries.begin(), boundaries.end(), cycle) - boundaries.begin())];
  };
  std::map<int64_t, Share> of_run;  // by layer
  const std::vector<const Layer*> owners = owners_of(boundaries, report);
  for (size_t i = 0; i < owners.size() && owners[i] != nullptr; ++i) {
    of_run[owners[i]->layer_idx].add(boundaries[i + 1] - boundaries[i], moved[i + 1], moved[i]);
  }
  std::vector<Share> shares;
  for (const Layer& layer : report.layers) {
    if (!is_at_work(layer)) continue;
    Share& share = shares.emplace_back();
    share.layer_idx = layer.layer_idx;
    share.add(layer.last_cycle - layer.first_cycle, moved_at(layer.last_cycle), moved_at(layer.first_cycle));
  }
  for (auto& [layer_idx, share] : of_run) {
    share.layer_idx = layer_idx;
    shares.push_back(share);
  }
  return shares;
}

void add_peaks(std::vector<PortUse>& ports, const Bytes& most_bytes_per_second, const Report& report) {
  for (const Share& share : shares_of(report)) {
    const double seconds = static_cast<double>(share.cycles) / static_cast<double>(report.config.clock_hz);
    for (size_t port = 0; port < NumPorts; ++port) {
      // Bytes that are spread evenly may go beyond what a port can move; no port does.
      const double rate = std::min(share.bytes[port] / seconds, most_bytes_per_second[port]);
      if (rate <= ports[port].peak_bytes_per_second) continue;
      ports[port].peak_bytes_per_second = rate;
      ports[port].peak_layer_idx = share.layer_idx;
    }
  }
}

}  // namespace

std::vector<PortUse> port_uses(const Report& report) {
  if (report.cycles == 0) return {};
  const auto clock_hz = static_cast<double>(report.config.clock_hz);
  const spec::Datapath& datapath = report.config.datapath;
  const double external = report.config.external.bytes_per_cycle.value() * clock_hz;
  const bool has_two_ways = report.config.external.is_full_duplex;
  const Bytes most{static_cast<double>(datapath.sram_read_words) * datapath.word_bytes() * clock_hz,
                   static_cast<double>(datapath.sram_write_words) * datapath.word_bytes() * clock_hz, external, external,
                   has_two_ways ? 2 * external : external};
  const Bytes limits{most[0], most[1], has_two_ways ? external : 0.0, has_two_ways ? external : 0.0,
                     has_two_ways ? 0.0 : external};
  const Bytes bytes = bytes_of(report.traffic);
  std::vector<PortUse> ports;
  for (size_t port = 0; port < NumPorts; ++port) {
    PortUse use;
    use.name = kNames[port];
    use.bytes = static_cast<int64_t>(bytes[port]);
    use.average_bytes_per_second = bytes[port] * clock_hz / static_cast<double>(report.cycles);
    use.limit_bytes_per_second = limits[port];
    ports.push_back(use);
  }
  add_peaks(ports, most, report);
  return ports;
}

}  // namespace vernier::report
