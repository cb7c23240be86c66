// SPDX-License-Identifier: Apache-2.0
// The simulated machine from the outside: a package and its inputs go in, outputs, cycles and statistics come out. SystemC
// stays behind this header.
//
// An Npu is elaborated once and runs any number of jobs; each starts from empty simulated memory and gives the same result
// as the first would. Several of them, also of different configurations, live in one process, one running at a time.
#pragma once

#include "hw/base/indexed_vector.hpp"
#include "hw/base/tensor.hpp"
#include "hw/config/machine_config.hpp"
#include "hw/package/package.hpp"
#include "hw/spec/performance_counters.hpp"
#include "hw/spec/status.hpp"
#include "sim/kit/signals.hpp"
#include "sim/kit/statistics.hpp"
#include "sim/mem/storage.hpp"
#include "sim/riscv/executed.hpp"
#include "sim/soc/control_use.hpp"
#include "sim/soc/firmware_program.hpp"
#include "sim/soc/stream_run.hpp"
#include "sim/units/attribution.hpp"
#include "sim/units/datapath.hpp"
#include "sim/units/injection.hpp"
#include "sim/units/queue_use.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace vernier::gdb {
class Server;
}

namespace vernier::soc {

/// Called when the producing command retires, with what stands in memory then, for each entry of Package::pieces.
using PieceObserver = std::function<void(int32_t piece_idx, int32_t command_idx, int64_t cycle, const base::Tensor& values)>;

/// Called with the SRAM as the job begins, at cycle 0, and whenever a command has ended, at that cycle: nothing else changes
/// it.
using SramObserver = std::function<void(int64_t cycle, const mem::StorageView& sram)>;

/// Called with a line of text of the firmware, and the cycle in which its first byte came, counted from the release of the
/// control CPU.
using ConsoleObserver = std::function<void(int64_t cycle, const std::string& line)>;

/// Who starts a job: the host writes the NPU's registers, or hands it to the firmware of the control CPU.
enum class Control : uint8_t { Direct, Cpu };

struct JobOptions {
  bool values = true;           // false: cycles only; outputs are not read and pieces not captured
  int64_t watchdog_cycles = 0;  // cycles without a command ending; 0: default_watchdog_cycles() of the configuration
  PieceObserver on_piece;       // capture is on when it is set
  SramObserver on_sram;
  units::SumsObserver on_sums;                  // of a job with values
  kit::SignalObserver* watcher = nullptr;       // of signals(), from cycle 0 to the end of the job; with control flow
                                                // commands are told by their places in JobResult::commands
  std::optional<units::Injection> injection{};  // a fault that the machine is to have
  /// Numbers of events (hw/spec/performance_counters.hpp), kNumPmuCounters at most: the host sets the performance counters
  /// before the job and reads them after it. With a control CPU they count from doorbell to doorbell.
  std::vector<uint32_t> events{};
  // With a control CPU:
  int64_t time_out_cycles = 0;  // the firmware ends a job that runs for so long; 0: none
  ConsoleObserver on_console{};
  const FirmwareProgram* firmware = nullptr;  // null: the project's own
  riscv::ExecutionObserver on_instruction{};  // with cycles as those of on_console
  gdb::Server* debugger = nullptr;            // of the control CPU, which stands before its first instruction
};

struct Done {};
/// The machine stopped by itself.
struct Fault {
  spec::FaultCode code = spec::FaultCode::None;
  std::string detail;  // with command, address and layer
  int32_t command_idx = 0;
  int64_t stream_offset_bytes = 0;
  std::optional<base::Address> access{};  // first byte of the access at fault, in the job's region; none: it is in no access
};
/// No event was left, or no command ended for `watchdog_cycles`.
struct Hang {
  bool is_watchdog = false;
  std::string wait_for;  // one line for each unit: what it waits for, for which command and layer
};
/// The firmware reset the NPU while the job ran: its time was over, or it was cancelled.
struct Stopped {};
/// A job with control flow had run so many commands that no further stream was allowed.
struct LimitReached {
  int64_t most_commands = 0, num_commands = 0;
};
/// The control CPU's firmware did not boot, did not start the job, or did not end it.
struct FirmwareFailure {
  std::string what;  // one line
};
using JobStatus = std::variant<Done, Fault, Hang, FirmwareFailure, Stopped, LimitReached>;

/// Of a job with control flow all figures are sums over the streams that it ran, and cycles count on from stream to stream.
struct JobResult {
  JobStatus status;
  int64_t cycles = 0;                   // from the start of the stream to its end, however it was started
  std::optional<ControlUse> control;    // of a machine with a control CPU, where the firmware ended the job
  std::vector<base::Tensor> outputs;    // of a job that is done with values on; graph order
  std::vector<base::Tensor> variables;  // likewise what it left of them, in the order of the package
  std::optional<Fault> output_fault{};  // of one that is done: the host cannot read them
  /// A child for each unit (mac_array, vector_unit, rescale_unit, table_unit, dma, command_processor): counters busy_cycles
  /// and idle_cycles and a child stall_cycles with a counter for each name. They sum to `cycles`.
  kit::Statistics units{"units"};
  base::IndexedVector<int32_t, units::CommandRecord>
      commands;                      // by command_idx, END included, which belongs to the layer of the last; of a job with
                                     // control flow in the order of its runs
  std::vector<StreamRun> streams;    // of a job with control flow
  std::vector<units::Share> shares;  // of the commands' phases and waits
  base::IndexedVector<int32_t, units::LayerCount>
      layers;  // by layer_idx; attributed_cycles sum to `cycles` when the package has layers
  std::array<units::QueueUse, spec::kNumQueues> queues{};  // by spec::Queue
  std::vector<int64_t> event_counts;                       // by JobOptions::events; each modulo 2^32
  int64_t pmu_cycles = 0;                                  // CYCLES of the performance counters, where there are events
  timing::Traffic traffic;
  int64_t sram_parity_errors = 0;                  // reads of SRAM by the NPU that found one
  int64_t sram_peak_bytes = 0;                     // one past the highest byte written in SRAM
  int64_t num_commands = 0;                        // retired, END included
  int64_t num_events = 0;                          // process activations of the simulation
  int64_t num_bursts = 0;                          // of the external memory
  std::optional<units::InjectedFault> injected{};  // what became of JobOptions::injection; nothing: it did not happen

  [[nodiscard]] bool is_done() const { return std::holds_alternative<Done>(status); }
};

/// A command that has ended, as a job's record has it: indices and cycles are those of the job.
struct EndedCommand {
  uint32_t job = 0;
  int32_t command_idx = 0;
  int64_t start_cycle = 0, end_cycle = 0;
  std::optional<spec::Queue> queue{};  // none: END
};

/// Far more than any command takes that fits the machine.
int64_t default_watchdog_cycles(const config::MachineConfig& config);

class Npu {
 public:
  /// Values come from the kernels.
  explicit Npu(const config::MachineConfig& config, Control control = Control::Direct);
  /// Values come from `datapath`, which was made for the same machine.
  Npu(const config::MachineConfig& config, std::unique_ptr<units::DatapathIf> datapath, Control control = Control::Direct);
  ~Npu();
  Npu(const Npu&) = delete;
  Npu& operator=(const Npu&) = delete;

  /// What can be watched; SignalId counts in it.
  [[nodiscard]] const std::vector<kit::Signal>& signals() const;
  /// `inputs` in the order of package.inputs; variables begin with the values that the package has. InternalError when they
  /// do not fit the package, or the package the machine. UserError for a package with control flow on a machine without a
  /// control CPU or in a job without values, and for one that can overwrite its own steps.
  JobResult run(const package::Package& package, const std::vector<base::Tensor>& inputs, const JobOptions& options = {});
  /// What the machine did in the last job of that package, when run() threw because the datapath did: its status is Hang,
  /// and it has no outputs. The command that the datapath was at has started and not ended.
  JobResult stopped(const package::Package& package);
  /// Gives back what the simulated memories take until the next run().
  void rest();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vernier::soc
