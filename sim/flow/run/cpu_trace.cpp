// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/run/cpu_trace.hpp"

#include "hw/base/text.hpp"
#include "sim/riscv/disassembler.hpp"

#include <fmt/format.h>

#include <utility>

namespace vernier::flow {

namespace {
constexpr size_t kPieceBytes = size_t{1} << 20;

/// The place as "name+0x12"; empty where no symbol reaches there.
std::string place_of(const soc::FirmwareProgram& firmware, uint32_t address) {
  const soc::FirmwareSymbol* symbol = soc::symbol_at(firmware, address);
  if (symbol == nullptr) return "";
  const std::string name = base::printable(symbol->name);
  return address == symbol->address ? name : fmt::format("{}+0x{:x}", name, address - symbol->address);
}
}  // namespace

std::string cpu_trace_line(const riscv::Executed& executed, const soc::FirmwareProgram& firmware) {
  using Kind = riscv::Executed::Kind;
  std::string word = "-", text, change;
  if (executed.num_bytes > 0) {
    word = fmt::format("{:0{}x}", executed.word, 2 * executed.num_bytes);
    text = riscv::disassemble(executed.word, executed.pc);
  }
  switch (executed.kind) {
    case Kind::Retired:
      if (executed.rd != 0) change = fmt::format("{}={:08x}", riscv::register_name(executed.rd), executed.value);
      break;
    case Kind::Trapped:
    case Kind::NotFetched: change = fmt::format("trap {}", executed.cause); break;
    case Kind::Interruption: change = fmt::format("interrupt {}", executed.cause); break;
  }
  std::string line = fmt::format("{:>9} {:08x} {:>8} {:<32}  {:<13}  {}", executed.cycle, executed.pc, word, text, change,
                                 place_of(firmware, executed.pc));
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

CpuTrace::CpuTrace(Sink sink, const soc::FirmwareProgram& firmware, const std::string& file)
    : sink_(std::move(sink)), firmware_(firmware) {
  put("# control CPU: cycle, address, instruction, text, change, function");
  put(fmt::format("# firmware {}, sha256 {}", base::printable(file), firmware.sha256));
}

void CpuTrace::begin_job() { put(fmt::format("# job {}", ++num_jobs_)); }

void CpuTrace::take(const riscv::Executed& executed) { put(cpu_trace_line(executed, firmware_)); }

void CpuTrace::finish() {
  if (!text_.empty()) sink_(std::exchange(text_, {}));
}

void CpuTrace::put(const std::string& line) {
  text_ += line;
  text_ += '\n';
  if (text_.size() >= kPieceBytes) finish();
}

}  // namespace vernier::flow
