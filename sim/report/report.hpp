// SPDX-License-Identifier: Apache-2.0
// What a run has to say, as plain data, and its writers. docs/reference/report.md defines every field with its unit; the
// names of the JSON report are the names here.
#pragma once

#include "hw/base/tensor.hpp"
#include "hw/config/machine_config.hpp"
#include "hw/package/package.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vernier::report {

struct Traffic {
  int64_t sram_read_bytes = 0, sram_write_bytes = 0, external_read_bytes = 0, external_write_bytes = 0;
};

struct Output {
  std::string tensor, file;  // file: bare name, empty when nothing was written
  base::Shape shape;
  std::string dtype;  // numpy's
};

struct FirstDifference {
  std::string tensor;
  base::Shape coordinates;
  int64_t expected = 0, actual = 0;
  int64_t layer_idx = -1, command_idx = -1, cycle = -1;
};

struct Check {
  std::string result = "skipped";  // "match", "mismatch", "skipped"
  int64_t elements_compared = 0;
  int64_t tensors_compared = 0;
  int64_t elements_different = 0;
  int64_t iterations_compared = 0;
  std::optional<FirstDifference> first_difference;
  std::vector<std::pair<std::string, std::string>>
      folded;  // --check-all: tensors that no command materialises, with the reason
};

struct Unit {
  std::string name;
  int64_t busy_cycles = 0;
  std::vector<std::pair<std::string, int64_t>> stall_cycles;  // those above zero
  int64_t idle_cycles = 0;
};

struct Layer {
  int64_t layer_idx = 0;
  std::string name, source_name;
  std::vector<std::string> operators;
  int64_t first_cycle = 0, last_cycle = 0, attributed_cycles = 0;
  int64_t in_flight_cycles = 0;  // cycles in which a command of it was in flight
  int64_t working_cycles = 0;    // of these, without copies beside an older layer: what its utilisation divides by
  int64_t macs = 0;
  Traffic traffic;
  std::vector<std::pair<std::string, int64_t>> spent_cycles;  // where those of its commands went, those above zero
  std::string bound_by = "compute";                           // "compute", "sram", "external", "vector", "control"
};

/// A command's flight, END included: start to end (exclusive).
struct CommandTime {
  int64_t layer_idx = -1, start_cycle = -1, end_cycle = -1;
};

/// Seconds of host time by phase.
struct HostSeconds {
  double import = 0, compile = 0, simulate = 0, check = 0, report = 0, total = 0;
};

struct Report {
  std::string tool_version, backend;
  std::string model_file, model_sha256, model_name;
  config::MachineConfig config;
  int64_t optimize = 1;
  std::vector<Output> outputs;
  Check check;
  int64_t cycles = 0, weight_bytes = 0, commands = 0;
  int64_t sram_peak_bytes = 0, sram_written_peak_bytes = 0;  // as scheduled, as measured
  Traffic traffic;  // as the machine counted it, not a sum over the layers: that the two agree is a test
  std::vector<Unit> units;
  std::vector<Layer> layers;
  std::vector<CommandTime> command_times;  // by command_idx
  HostSeconds host_seconds;
  std::vector<std::pair<std::string, std::string>> approximations;  // what, error
  std::vector<std::string> warnings;

  [[nodiscard]] int64_t macs() const;  // over the layers
};

/// 100 x macs / (cycles x MACs per cycle at int8); 0 when cycles is 0.
double utilization_percent(int64_t macs, int64_t cycles, const config::MachineConfig& config);

/// The JSON report, schema vernier-report/1, with a newline at the end.
std::string to_json(const Report& report);

/// The commands of a package, schema vernier-disasm/1, with a newline at the end.
std::string to_json(const package::Package& package, const std::string& tool_version);

/// The layers as CSV (RFC 4180): a header line with the names of the JSON report, then a line a layer.
std::string to_csv(const Report& report);

struct TextStyle {
  int64_t width_columns = 100;
  bool has_color = false;
  bool lists_approximations = false;
};
/// For people: a table with a line a layer, the units, the totals, what limits each layer, the check.
std::string to_text(const Report& report, const TextStyle& style);
/// One line: cycles, seconds, utilisation, check.
std::string to_summary(const Report& report);

}  // namespace vernier::report
