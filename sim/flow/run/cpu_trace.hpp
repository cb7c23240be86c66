// SPDX-License-Identifier: Apache-2.0
// The trace of the control CPU as text: a line for each instruction that it executed. Its format:
// docs/reference/cpu-trace.md.
#pragma once

#include "sim/riscv/executed.hpp"
#include "sim/soc/firmware_program.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace vernier::flow {

class CpuTrace {
 public:
  using Sink = std::function<void(const std::string& text)>;

  /// `sink` takes the text piece by piece; `firmware` outlives the trace. `file` is how the firmware is named.
  CpuTrace(Sink sink, const soc::FirmwareProgram& firmware, const std::string& file);
  /// The next job begins; its cycles count from 0 again.
  void begin_job();
  void take(const riscv::Executed& executed);
  /// Gives the rest to the sink.
  void finish();

 private:
  void put(const std::string& line);

  Sink sink_;
  const soc::FirmwareProgram& firmware_;
  std::string text_;
  int64_t num_jobs_ = 0;
};

/// One line without its end: cycle, address, instruction, its text, what it changed, the function that it belongs to.
std::string cpu_trace_line(const riscv::Executed& executed, const soc::FirmwareProgram& firmware);

}  // namespace vernier::flow
