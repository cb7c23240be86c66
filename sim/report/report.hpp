// SPDX-License-Identifier: Apache-2.0
// What a run has to say, as plain data, and its writers. docs/reference/report.md defines every field with its unit; the
// names of the JSON report are the names here.
#pragma once

#include "hw/base/indexed_vector.hpp"
#include "hw/base/tensor.hpp"
#include "hw/config/machine_config.hpp"
#include "hw/package/disassembler.hpp"
#include "hw/package/package.hpp"
#include "sim/report/accuracy.hpp"
#include "sim/soc/control_use.hpp"
#include "sim/soc/stream_run.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vernier::report {

struct Traffic {
  int64_t sram_read_bytes = 0, sram_write_bytes = 0, external_read_bytes = 0, external_write_bytes = 0;
};

struct Output {
  std::string tensor, file;  // file: bare name, empty when nothing was written
  base::Shape shape;
  std::string dtype;         // numpy's
  std::string float_file{};  // of the numbers that the integers stand for; empty: none, or nothing was written
};

/// What keeps its value from one iteration to the next.
struct Variable {
  std::string name;
  std::string dtype;  // numpy's
  base::Shape shape;
  int64_t num_bytes = 0;
  std::string source;  // of its first value: "the network", "zeros", or a file
};

struct FirstDifference {
  std::string tensor;
  base::Shape coordinates;
  int64_t expected = 0, actual = 0;
  int64_t layer_idx = -1, command_idx = -1, cycle = -1;
  std::string layer_name{}, operators{};  // operators: "CONV2D, RESCALE"
  std::string unit{};                     // of the command
  int64_t start_cycle = -1;               // of the command, which ended in `cycle`
  std::string operands{};                 // what went into the element, where a convolution wrote it; empty: not looked for
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
  package::MainOperator main_operator{};
  int64_t first_cycle = 0, last_cycle = 0, attributed_cycles = 0;
  std::vector<std::pair<std::string, int64_t>> attributed_cycles_by;  // by what they count for, those above zero
  int64_t in_flight_cycles = 0;                                       // cycles in which a command of it was in flight
  int64_t working_cycles = 0;  // cycles in which a command of it was at work: what its utilisation divides by
  int64_t macs = 0;
  Traffic traffic;
  std::vector<std::pair<std::string, int64_t>> spent_cycles;  // where those of its commands went, those above zero
  std::string bound_by = "compute";                           // "compute", "sram", "external", "vector", "control"
  std::string bound_detail;                                   // why, in a few words
};

/// A command of the stream, END included.
struct Command {
  int64_t layer_idx = -1;
  std::string_view unit, queue;              // names that outlive every report; END has no queue
  int64_t start_cycle = -1, end_cycle = -1;  // in flight: start to end (exclusive)
  int64_t busy_cycles = 0;
  /// Within its flight: busy and stalls sum to it. Before it, while it was the head of its queue and the unit free.
  std::vector<std::pair<std::string_view, int64_t>> stall_cycles, wait_cycles;  // those above zero
  Traffic traffic;                                                              // its own, and its fetch
  int64_t dispatch_cycle = -1;                                                  // it enters its queue
  int64_t command_idx = -1;                                                     // of the package
};

/// The queue in front of a unit.
struct QueueFill {
  std::string_view name;  // outlives every report
  int64_t depth_commands = 0, most_commands = 0;
  int64_t full_cycles = 0, holding_cycles = 0;
  /// With fewer commands of room the run would have held up a command that it did not hold up; none where it held one up:
  /// then more room than there is would be needed.
  [[nodiscard]] std::optional<int64_t> least_depth_commands() const {
    return holding_cycles > 0 ? std::nullopt : std::optional(most_commands);
  }
};

/// What the schedule keeps in a part of the SRAM for a time.
struct SramBlock {
  std::string name;
  bool is_constant = false;                // weights, parameters, tables, commands; else a feature map or a piece of one
  int64_t begin_byte = 0, end_byte = 0;    // exclusive end, as of the cycles
  int64_t first_cycle = 0, end_cycle = 0;  // from the start of its first command to the end of its last one
};

/// What RTL did in a run of backend `rtl`, and whether it agrees with the model.
struct RtlUse {
  struct SlowCommand {
    int64_t command_idx = -1;
    std::string unit;
    int64_t cycles = 0;
  };
  /// A command alone, with memories that never keep it waiting.
  struct CommandCycles {
    int64_t command_idx = -1;
    std::string unit;
    int64_t model_cycles = 0, rtl_cycles = 0;
  };
  /// Kinds of commands or steps of a unit, as its co-simulation counts them.
  struct Modes {
    std::string unit;
    int64_t reached = 0, all = 0;
  };
  /// The network's commands together on the core with its memory (scope core).
  struct Core {
    struct Command {
      int64_t command_idx = -1;
      std::string_view unit;  // outlives every report
      int64_t start_cycle = -1, end_cycle = -1, model_start_cycle = -1, model_end_cycle = -1;
    };
    /// The command of the array or of the vector unit whose cycles are furthest from the model's.
    struct Worst {
      int64_t command_idx = -1;
      std::string_view unit;
      std::string layer{};
      int64_t cycles = 0, model_cycles = 0;
      double percent = 0;  // that it took longer than in the model, of 100 cycles at least
    };
    int64_t total_cycles = 0, model_total_cycles = 0;  // until the last command has ended
    int64_t compared_bytes = 0, wrong_bytes = 0;
    std::optional<Worst> worst_command{};
    std::vector<Command> commands{};  // by command_idx, those of the DMA too
  };
  int64_t commands = 0;                          // whose values come from RTL
  int64_t commands_without_rtl = 0;              // all others but END
  int64_t vectors = 0;                           // compared results of up to N lanes
  int64_t mismatches = 0, cycle_mismatches = 0;  // all of them; those of an edge
  int64_t model_cycles = 0, rtl_cycles = 0;      // of these commands, each by itself, with that memory
  std::vector<SlowCommand> slowest_commands;     // most cycles first
  std::vector<CommandCycles> command_cycles;     // of each command that ran on RTL, in the order in which they ran
  std::vector<std::string> first_mismatches;     // at most ten
  /// The same ones as values. An empty text and -1 stand for what is not known, or does not apply.
  struct MismatchDetail {
    struct Value {
      std::string text;
      std::optional<int64_t> number;
    };
    std::string kind{}, unit{}, port{};
    int lane = -1;
    std::string command{};
    int64_t cycle = -1;  // of the RTL
    Value expected{}, actual{};
    std::string operands{};
  };
  std::vector<MismatchDetail> mismatch_details{};
  std::string memory = "ideal";  // behind the streams: "ideal", "unlimited" or "banked"
  int64_t memory_commands = 0;   // whose streams came from npu_agu and an SRAM
  std::vector<Modes> modes{};    // of the units that the network used
  std::string unused{};          // "npu_rescale_unit of DIR not used"; empty: all that was given was
  std::optional<Core> core{};    // none: each command ran by itself
};

/// How the run was asked for.
struct RunInfo {
  std::string command_line;  // as given, arguments quoted for a shell where they need it
  uint64_t seed = 1;
  std::vector<std::string> inputs;  // by graph input: "random, seed 1" or the file's name
  int64_t iterations = 1;
  std::string commit;  // that the program was built from; empty where it was not built in a git checkout
};

/// The firmware of the control CPU.
struct FirmwareName {
  std::string file;    // as given; "built in" of the project's own
  std::string sha256;  // of the file, or of the bytes that are built in
};

/// What the cycles leave out or simplify, of what the run touches.
struct Approximation {
  std::string what, error;
  std::optional<double> bound_percent;       // of the run's cycles; none where it cannot be counted
  std::optional<double> estimate_percent{};  // of what no RTL shows: what the model itself expects
};

/// Seconds of host time by phase.
struct HostSeconds {
  double import = 0, compile = 0, simulate = 0, check = 0, report = 0, total = 0;
};

/// Whose arithmetic a .tflite was read with.
struct TfliteRounding {
  std::string flavour{};
  std::vector<std::string> layers{};  // whose values another flavour may change
};

/// The nodes of the source file's graph, as Model Explorer knows them.
struct SourceGraph {
  struct Node {
    std::string key, layer, kind;  // of the viewer; the layer that the node belongs to; its operator
  };
  std::string name;
  std::vector<Node> nodes;
};

struct Report {
  std::string tool_version, backend;
  std::string model_file, model_sha256, model_name;
  config::MachineConfig config;
  int64_t optimize = 1;
  std::vector<Output> outputs;
  std::vector<Variable> variables;
  Check check;
  std::optional<Accuracy> accuracy;        // of many inputs, or with floats to compare with
  std::optional<RtlUse> rtl;               // of backend rtl
  std::vector<soc::StreamRun> streams;     // of a package with control flow
  std::optional<soc::ControlUse> control;  // of a run with the control CPU
  FirmwareName firmware{};                 // that it ran
  int64_t cycles = 0, weight_bytes = 0, commands = 0;
  int64_t sram_peak_bytes = 0, sram_written_peak_bytes = 0;  // as scheduled, as measured
  int64_t sram_parity_errors = 0;
  package::SramPeak sram_peak{};
  int64_t image_bytes = 0;               // what is compiled into the package: weights, tables, constants, commands
  int64_t external_footprint_bytes = 0;  // of external memory that the program occupies
  /// The least external bandwidth at which the same commands take at most 1 % more cycles; none where it was not looked for.
  std::optional<base::Ratio> least_external_bytes_per_cycle;
  int64_t planned_sram_bytes = 0;  // that the memory plan was made for; 0: memory mode sram
  Traffic traffic;                 // as the machine counted it, not a sum over the layers: that the two agree is a test
  std::vector<Unit> units;
  std::vector<QueueFill> queues;
  base::IndexedVector<int64_t, Layer> layers;
  std::vector<Command> command_list;  // by command_idx
  std::vector<SramBlock> sram_blocks;
  HostSeconds host_seconds;
  RunInfo run;
  std::vector<Approximation> approximations;
  std::vector<std::string> warnings;                // REQUIREs of TOSA that the network violated (exit code 1)
  std::string injected;                             // the fault that the run was given; empty: none
  std::vector<std::string> notes;                   // what a reader has to know of this run that is no error
  std::optional<TfliteRounding> tflite_rounding{};  // of a .tflite
  SourceGraph source_graph{};                       // where node data are asked for; else empty

  [[nodiscard]] int64_t macs() const;  // over the layers
};

/// 100 x macs / (cycles x MACs per cycle at int8); 0 when cycles is 0.
double utilization_percent(int64_t macs, int64_t cycles, const config::MachineConfig& config);

/// The JSON report, schema vernier-report/1, with a newline at the end.
std::string to_json(const Report& report);

/// A page to look at, in one HTML file that loads nothing: the figures of the JSON report. ASCII.
std::string to_html(const Report& report);

/// The commands of a package, or those that are wanted, schema vernier-disasm/1, with a newline at the end.
std::string to_json(const package::Package& package, const std::string& tool_version,
                    const std::function<bool(const package::ListedCommand&)>& is_wanted = {});

/// The layers as CSV (RFC 4180): a heading with the names of the JSON report, a line a layer, a line of totals, which has no
/// layer_idx.
std::string to_csv(const Report& report);

inline constexpr int64_t kLeastColumns = 40;
struct TextStyle {
  int64_t width_columns = 100;  // no line is wider; fewer than kLeastColumns count as that many
  bool has_color = false;
  bool lists_approximations = false;
};
/// For people: a table with a line a layer, the units, the memories, the costliest layers, the totals, the check.
std::string to_text(const Report& report, const TextStyle& style);
/// One line: cycles, seconds, utilisation, check, and what RTL says where it ran.
std::string to_summary(const Report& report);

}  // namespace vernier::report
