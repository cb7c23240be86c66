// SPDX-License-Identifier: Apache-2.0
#include "sim/riscv/csr_file.hpp"

#include <cstddef>

namespace vernier::riscv {
namespace {

using spec::CpuCsrId;

constexpr uint8_t kNone = 0xFF;
constexpr uint32_t kNumNumbers = 0x1000;

/// Which row of spec::kCpuCsrs each number belongs to.
constexpr auto kRowOf = [] {
  std::array<uint8_t, kNumNumbers> rows{};
  rows.fill(kNone);
  for (size_t row = 0; row < spec::kCpuCsrs.size(); ++row) {
    for (uint32_t number = spec::kCpuCsrs[row].first; number <= spec::kCpuCsrs[row].last; ++number) {
      rows[number] = static_cast<uint8_t>(row);
    }
  }
  return rows;
}();

constexpr uint32_t low(uint64_t value) { return static_cast<uint32_t>(value); }
constexpr uint32_t high(uint64_t value) { return static_cast<uint32_t>(value >> 32); }
constexpr uint64_t with_low(uint64_t value, uint32_t part) { return (value & 0xFFFF'FFFF'0000'0000) | part; }
constexpr uint64_t with_high(uint64_t value, uint32_t part) { return (value & 0xFFFF'FFFF) | uint64_t{part} << 32; }

}  // namespace

void CsrFile::Counter::inhibit(bool inhibited, int64_t count) {
  const uint64_t now = at(count);
  is_inhibited = inhibited;
  set(now, count);
}

void CsrFile::reset() {
  const uint32_t lines = value(CpuCsrId::Mip);
  for (size_t row = 0; row < values_.size(); ++row) values_[row] = spec::kCpuCsrs[row].reset;
  value(CpuCsrId::Mip) = lines;
  cycles_ = {};
  retired_ = {};
}

std::optional<uint32_t> CsrFile::read(uint32_t number, CpuTime now) const {
  const uint8_t row = kRowOf[number % kNumNumbers];
  if (row == kNone) return std::nullopt;
  switch (static_cast<CpuCsrId>(row)) {
    case CpuCsrId::Mcycle: return low(cycles_.at(now.cycles));
    case CpuCsrId::Mcycleh: return high(cycles_.at(now.cycles));
    case CpuCsrId::Minstret: return low(retired_.at(now.retired));
    case CpuCsrId::Minstreth: return high(retired_.at(now.retired));
    default: return values_[row];
  }
}

bool CsrFile::write(uint32_t number, uint32_t written, CpuTime completed) {
  const uint8_t row = kRowOf[number % kNumNumbers];
  if (row == kNone || spec::is_read_only_csr(number)) return false;
  const int64_t cycles = completed.cycles, retired = completed.retired;
  switch (static_cast<CpuCsrId>(row)) {
    case CpuCsrId::Mcycle: cycles_.set(with_low(cycles_.at(cycles), written), cycles); break;
    case CpuCsrId::Mcycleh: cycles_.set(with_high(cycles_.at(cycles), written), cycles); break;
    case CpuCsrId::Minstret: retired_.set(with_low(retired_.at(retired), written), retired); break;
    case CpuCsrId::Minstreth: retired_.set(with_high(retired_.at(retired), written), retired); break;
    default: {
      const uint32_t writable = spec::kCpuCsrs[row].writable;
      values_[row] = (written & writable) | (values_[row] & ~writable);
    }
  }
  if (static_cast<CpuCsrId>(row) == CpuCsrId::Mcountinhibit) {
    cycles_.inhibit((written & spec::kInhibitCycles) != 0, cycles);
    retired_.inhibit((written & spec::kInhibitRetired) != 0, retired);
  }
  return true;
}

uint32_t CsrFile::enter(uint32_t cause, uint32_t pc, uint32_t trap_value) {
  value(CpuCsrId::Mepc) = pc;
  value(CpuCsrId::Mcause) = cause;
  value(CpuCsrId::Mtval) = trap_value;
  uint32_t& status = value(CpuCsrId::Mstatus);
  status = spec::kMstatusMpp | ((status & spec::kMstatusMie) != 0 ? spec::kMstatusMpie : 0);
  return value(CpuCsrId::Mtvec) & ~spec::kMtvecVectored;
}

uint32_t CsrFile::enter_exception(spec::CpuException cause, uint32_t pc, uint32_t trap_value) {
  return enter(static_cast<uint32_t>(cause), pc, trap_value);
}

uint32_t CsrFile::enter_interrupt(spec::CpuInterrupt cause, uint32_t pc) {
  const uint32_t code = static_cast<uint32_t>(cause);
  const uint32_t base = enter(spec::kCpuInterruptCause | code, pc, 0);
  return (value(CpuCsrId::Mtvec) & spec::kMtvecVectored) != 0 ? base + 4 * code : base;
}

uint32_t CsrFile::leave_trap() {
  uint32_t& status = value(CpuCsrId::Mstatus);
  status = spec::kMstatusMpp | spec::kMstatusMpie | ((status & spec::kMstatusMpie) != 0 ? spec::kMstatusMie : 0);
  return value(CpuCsrId::Mepc);
}

void CsrFile::set_line(spec::CpuInterrupt line, bool is_high) {
  const uint32_t bit = uint32_t{1} << static_cast<uint32_t>(line);
  uint32_t& pending = value(CpuCsrId::Mip);
  pending = is_high ? pending | bit : pending & ~bit;
}

std::optional<spec::CpuInterrupt> CsrFile::due_interrupt() const {
  if ((value(CpuCsrId::Mstatus) & spec::kMstatusMie) == 0) return std::nullopt;
  const uint32_t pending = value(CpuCsrId::Mip) & value(CpuCsrId::Mie);
  for (const spec::CpuInterrupt interrupt : spec::kCpuInterruptOrder) {
    if ((pending >> static_cast<uint32_t>(interrupt) & 1) != 0) return interrupt;
  }
  return std::nullopt;
}

}  // namespace vernier::riscv
