// SPDX-License-Identifier: Apache-2.0
// What a reader wants to know and the machine does not count: ratios, rates, orders. Text, JSON and CSV take it from here,
// so that they say the same. docs/reference/report.md defines each figure.
#pragma once

#include "sim/report/report.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::report {

/// Of the SRAM or of external memory. Of external memory that reads or writes only at a time, `both` has the limit.
struct PortUse {
  std::string_view name;  // "sram_read", "sram_write", "external_read", "external_write", "external_both"
  int64_t bytes = 0;
  double average_bytes_per_second = 0.0;  // over the run
  double peak_bytes_per_second = 0.0;     // of the layer below, in its cycles
  int64_t peak_layer_idx = -1;            // -1: no layer moved a byte
  double limit_bytes_per_second = 0.0;    // 0: has none of its own
};

/// The five ports; none without cycles.
///
/// The peak is over layers: bytes of all commands in cycles of the layer, a command's bytes spread evenly over its flight,
/// divided by these cycles, at most what the port can move. Its cycles are those between its first and its last, and, where
/// that is more, its share of the run: a cycle between the first and last cycle of several layers is the first one's, one of
/// none is the next one's. So no peak is below the average.
std::vector<PortUse> port_uses(const Report& report);

/// Cycles of an inference when the machine has just been filled, and of those that follow.
struct Inferences {
  int64_t first_cycles = 0, following_cycles = 0;
  int64_t loaded_bytes = 0;  // that the first one brings into SRAM and the following find there
};
/// In memory mode `sram` the first one waits for the image: latency and bandwidth of the external memory, whole bursts. In
/// the other modes no weight stays in SRAM: all inferences take the same.
Inferences inferences(const Report& report);

/// Runs per second: the clock over the cycles; 0 without cycles.
double frames_per_second(const Report& report);

/// Whether the run reads or writes a byte of external memory.
bool uses_external_memory(const Report& report);

double external_bytes_per_second(const config::MachineConfig& config);

/// Of external memory: "12.5 B per cycle".
std::string bytes_per_cycle_text(const config::MachineConfig& config);

/// Where everything is at cycle 0, in words.
std::string assumptions(const Report& report);

/// Of all cycles; 0 when there are none.
double share_percent(const Layer& layer, const Report& report);
/// Layers with cycles, the one with most cycles first, then by index; at most `count` of them.
std::vector<int64_t> costliest_layers(const Report& report, size_t count);
inline constexpr size_t kNumCostliest = 5;

/// Two decimals, a tie away from 0: every percentage in the JSON and CSV forms of reports and tables.
double rounded(double value);
/// Two decimals that a bound does not fall below.
double rounded_up(double value);

/// "tensor 'y' [0, 3] expected 5 found 6, layer 2, command 17, cycle 1234"
std::string to_string(const FirstDifference& difference);

/// Of the SRAM peak, what is neither map, weight nor command.
int64_t sram_peak_gap_bytes(const Report& report);

}  // namespace vernier::report
