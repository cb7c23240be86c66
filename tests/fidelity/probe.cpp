// SPDX-License-Identifier: Apache-2.0
// Sizes of deviations that stand in a package's commands: fidelity_probe PACKAGE ... prints for each package a line with the
// name of a measure and its number, for each measure. fidelity_probe alone prints those that need no package.
//
// The edges of timing::mac_edges() stand for RTL here: every co-simulation of a network holds RTL equal to them, edge by
// edge, alone and in pairs.
#include "hw/base/division.hpp"
#include "hw/base/file.hpp"
#include "hw/package/package.hpp"
#include "hw/package/stream_commands.hpp"
#include "hw/spec/latency.hpp"
#include "hw/timing/in_flight.hpp"
#include "hw/timing/mac_edges.hpp"
#include "hw/timing/unit_timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <random>
#include <variant>

using namespace vernier;

namespace {

constexpr int kNumPairs = 20'000;
constexpr uint32_t kSeed = 1;

int64_t words_written(const timing::Phase& phase) { return phase.demand[static_cast<size_t>(timing::Resource::SramWrite)]; }

/// Cycles that a bank or a drain of the command before costs the next one, of commands that no token keeps apart.
int64_t carried_in(const package::Package& package) {
  std::vector<std::vector<spec::MacCommand>> runs;
  for (const package::StreamCommand& placed : package::stream_commands(package)) {
    const auto* mac = std::get_if<spec::MacCommand>(&placed.command.body);
    if (mac == nullptr) continue;
    if (runs.empty() || placed.command.header.wait != 0) runs.emplace_back();
    runs.back().push_back(*mac);
  }
  int64_t cycles = 0;
  for (const std::vector<spec::MacCommand>& run : runs) {
    const std::vector<timing::CommandEdges> edges = timing::mac_edges(run, package.config.datapath);
    for (size_t i = 0; i < run.size(); ++i) {
      cycles += edges[i].next_command - edges[i].taken - timing::profile(run[i], package.config).main.datapath_cycles;
    }
  }
  return cycles;
}

/// How far a row of results leaves from when the model has its words written, at most, of commands that no port slows but
/// by the first parameters, which keep back all rows alike.
int64_t away_from_even(const spec::MacCommand& mac, const package::Package& package) {
  const timing::Profile profile = timing::profile(mac, package.config);
  const timing::Phase &main = profile.main, &drain = profile.drain;
  const int64_t in_main = words_written(main), words = in_main + words_written(drain);
  const int64_t late = main.cycles - main.datapath_cycles;
  const int64_t of_parameters = base::ceil_div(spec::kChannelParameterBytes, package.config.datapath.sram_read_words);
  if (late > of_parameters || drain.cycles != drain.datapath_cycles || words == 0) return 0;
  const std::vector<int64_t> rows = timing::mac_edges(std::span(&mac, 1), package.config.datapath).front().results;
  int64_t most = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const int64_t written = words * static_cast<int64_t>(i + 1) / std::ssize(rows);
    const int64_t even =
        written <= in_main
            ? main.lead_cycles + base::ceil_div(written * (main.cycles - main.lead_cycles), std::max<int64_t>(in_main, 1))
            : main.cycles + base::ceil_div((written - in_main) * drain.cycles, words - in_main);
    most = std::max(most, std::abs(rows[i] + late - even));
  }
  return most;
}

void measure(const std::string& file) {
  const package::Package package = package::from_bytes(file, base::read_file(file));
  int64_t most = 0;
  for (const package::StreamCommand& placed : package::stream_commands(package)) {
    if (const auto* mac = std::get_if<spec::MacCommand>(&placed.command.body)) {
      most = std::max(most, away_from_even(*mac, package));
    }
  }
  fmt::print("carried_in {}\naway_from_even {}\n", carried_in(package), most);
}

/// How much later than the exact rule says a phase ends at most that another one slows, of random pairs on one write port.
int64_t late_by_rounding() {
  std::mt19937 random(kSeed);
  const auto pick = [&](int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random); };
  constexpr auto kPort = static_cast<size_t>(timing::Resource::SramWrite);
  int64_t most = 0;
  for (int i = 0; i < kNumPairs; ++i) {
    timing::Capacities capacities;
    capacities.per_cycle.fill(base::Ratio(1));
    timing::Phase first, second;
    first.cycles = first.busy_cycles = pick(1, 5000);
    second.cycles = second.busy_cycles = pick(1, 5000);
    first.demand[kPort] = pick(0, first.cycles - 1);
    second.demand[kPort] = pick(1, second.cycles);
    const int64_t left = first.cycles - first.demand[kPort], asked = second.demand[kPort];
    timing::InFlight in_flight(capacities);
    in_flight.start(first, timing::Priority::MacMain, 0);
    const int32_t slowed = in_flight.start(second, timing::Priority::VectorUnit, 0);
    // The second one has what the first one leaves until that one ends, then all.
    const int64_t wanted = asked * first.cycles, given = left * second.cycles;  // per cycle of both
    int64_t exact = second.cycles;
    if (wanted > given) {
      exact = left >= asked ? base::ceil_div(asked * first.cycles, left)
                            : first.cycles + base::ceil_div(second.cycles * (asked - left), asked);
    }
    for (const timing::Ended& ended : in_flight.advance(2 * (first.cycles + second.cycles) + 10)) {
      if (ended.id == slowed) most = std::max(most, ended.end - exact);
    }
  }
  return most;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 1) fmt::print("late_by_rounding {}\n", late_by_rounding());
    for (int i = 1; i < argc; ++i) measure(argv[i]);
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    fmt::print(stderr, "fidelity_probe: {}\n", error.what());
    return EXIT_FAILURE;
  }
}
