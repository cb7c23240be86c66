// SPDX-License-Identifier: Apache-2.0
#include "sim/riscv/cpu.hpp"

#include "hw/base/error.hpp"
#include "sim/riscv/arithmetic.hpp"
#include "sim/riscv/compressed.hpp"
#include "sim/riscv/decoder.hpp"

namespace vernier::riscv {
namespace {

using spec::CpuActivity;
using spec::CpuException;

constexpr int64_t kTakenCycles = spec::cpu_cycles(CpuActivity::BranchTaken) - spec::cpu_cycles(CpuActivity::BranchNotTaken);
constexpr int64_t kByZeroCycles = spec::cpu_cycles(CpuActivity::DivideByZero) - spec::cpu_cycles(CpuActivity::Divide);

constexpr uint32_t kMcause = spec::kCpuCsrs[static_cast<size_t>(spec::CpuCsrId::Mcause)].first;

constexpr int32_t as_signed(uint32_t value) { return static_cast<int32_t>(value); }

}  // namespace

Cpu::Cpu(Bus& bus) : bus_(bus), decoded_(kNumSlots) {}

void Cpu::reset(uint32_t pc) {
  VERNIER_CHECK(pc % 2 == 0, "an instruction at 0x{:x}", pc);
  csrs_.reset();
  registers_ = {};
  pc_ = pc;
  is_waiting_ = is_interrupt_due_ = is_stop_asked_ = false;
  cycles_ = retired_ = 0;
  invalidate_decoded();
}

Step Cpu::step() {
  if (is_waiting_ || is_interrupt_due_) [[unlikely]] {
    if (const std::optional<Step> step = before_instruction()) return *step;
  }
  Decoded& entry = decoded_[pc_ / 2 % kNumSlots];
  if (entry.pc != pc_) [[unlikely]] {
    const int64_t cycle = cycles_;
    const uint32_t pc = pc_;
    if (!fetch(entry)) {
      tell_trap(Executed::Kind::NotFetched, cycle, pc);
      return Step::Trapped;
    }
  }
  if (observer_) [[unlikely]]
    return execute_observed(entry);
  return execute(entry);
}

/// `entry` may change while it is executed: fence.i forgets it.
Step Cpu::execute_observed(const Decoded& entry) {
  Executed executed{
      .cycle = cycles_, .pc = pc_, .word = entry.word, .num_bytes = entry.num_bytes, .rd = entry.instruction.rd};
  stored_ = {};
  const Step step = execute(entry);
  executed.store = stored_;
  if (step == Step::Trapped) {
    executed.kind = Executed::Kind::Trapped;
    executed.rd = 0;
    executed.cause = csr(kMcause).value_or(0);
  }
  executed.value = registers_[executed.rd];
  observer_(executed);
  return step;
}

/// A trap or an interrupt that has no instruction.
void Cpu::tell_trap(Executed::Kind kind, int64_t cycle, uint32_t pc) {
  if (!observer_) return;
  observer_({.kind = kind, .cycle = cycle, .pc = pc, .cause = csr(kMcause).value_or(0) & ~spec::kCpuInterruptCause});
}

Stop Cpu::run(int64_t until_cycle) {
  is_stop_asked_ = false;
  while (cycles_ < until_cycle) {
    if (step() == Step::Waiting) return Stop::Waiting;
    if (is_stop_asked_) return Stop::Asked;
  }
  return Stop::Cycle;
}

void Cpu::set_line(spec::CpuInterrupt line, bool is_high) {
  csrs_.set_line(line, is_high);
  interrupts_changed();
}

void Cpu::set_reg(uint32_t number, uint32_t value) {
  if (number % kNumRegisters != 0) registers_[number % kNumRegisters] = value;
}

bool Cpu::set_csr(uint32_t number, uint32_t value) {
  const bool is_written = csrs_.write(number, value, {cycles_, retired_});
  interrupts_changed();
  return is_written;
}

void Cpu::invalidate_decoded() {
  for (Decoded& entry : decoded_) entry.pc = kNothing;
}

/// Sleep, waking up, and interrupts; nullopt where an instruction is next.
std::optional<Step> Cpu::before_instruction() {
  if (is_waiting_) {
    if (!csrs_.is_pending()) return Step::Waiting;
    is_waiting_ = false;
    cycles_ += spec::cpu_cycles(CpuActivity::WakeUp);
  }
  const std::optional<spec::CpuInterrupt> interrupt = csrs_.due_interrupt();
  if (!interrupt) return std::nullopt;
  const int64_t cycle = cycles_;
  const uint32_t pc = pc_;
  pc_ = csrs_.enter_interrupt(*interrupt, pc_);
  cycles_ += spec::cpu_cycles(CpuActivity::Interrupt);
  interrupts_changed();
  tell_trap(Executed::Kind::Interruption, cycle, pc);
  return Step::Interrupted;
}

/// Fills `entry` with the instruction at pc. False where its bytes cannot be fetched: the trap has been entered.
bool Cpu::fetch(Decoded& entry) {
  entry.pc = kNothing;
  const BusReply first = bus_.fetch(pc_, pc_ % 4 == 0 ? 4 : 2);
  uint32_t extra_cycles = first.extra_cycles;
  if (first.is_fault) {
    raise(CpuException::InstructionAccessFault, pc_, extra_cycles);
    return false;
  }
  const bool is_short = is_compressed(first.value);
  uint32_t word = is_short ? first.value & 0xFFFF : first.value;
  if (!is_short && pc_ % 4 != 0) {
    const BusReply second = bus_.fetch(pc_ + 2, 4);
    extra_cycles += second.extra_cycles;
    if (second.is_fault) {
      raise(CpuException::InstructionAccessFault, pc_ + 2, extra_cycles);
      return false;
    }
    word = (word & 0xFFFF) | second.value << 16;
  }
  const Instruction instruction = decode(is_short ? expand(static_cast<uint16_t>(word)).value_or(0) : word);
  entry = {.pc = pc_,
           .word = word,
           .fetch_cycles = extra_cycles,
           .cycles = extra_cycles + static_cast<uint32_t>(spec::cpu_cycles(instruction.activity)),
           .instruction = instruction,
           .num_bytes = static_cast<uint8_t>(is_short ? 2 : 4)};
  return true;
}

/// Arithmetic, by far the most frequent; the rest is control()'s.
Step Cpu::execute(const Decoded& entry) {
  const Instruction& i = entry.instruction;
  const uint32_t a = registers_[i.rs1], b = registers_[i.rs2] + i.immediate;
  uint32_t& d = registers_[i.rd];
  switch (i.op) {
    case Op::Add: d = a + b; break;
    case Op::Sub: d = a - b; break;
    case Op::ShiftLeft: d = a << (b & 31); break;
    case Op::LessThan: d = as_signed(a) < as_signed(b) ? 1 : 0; break;
    case Op::LessThanUnsigned: d = a < b ? 1 : 0; break;
    case Op::Xor: d = a ^ b; break;
    case Op::ShiftRight: d = a >> (b & 31); break;
    case Op::ShiftRightArithmetic: d = static_cast<uint32_t>(as_signed(a) >> (b & 31)); break;
    case Op::Or: d = a | b; break;
    case Op::And: d = a & b; break;
    case Op::AddToPc: d = pc_ + i.immediate; break;
    case Op::Multiply: d = a * b; break;
    case Op::MultiplyHigh: d = multiply_high(a, b); break;
    case Op::MultiplyHighSignedUnsigned: d = multiply_high_signed_unsigned(a, b); break;
    case Op::MultiplyHighUnsigned: d = multiply_high_unsigned(a, b); break;
    case Op::Divide: d = divide(a, b); break;
    case Op::DivideUnsigned: d = divide_unsigned(a, b); break;
    case Op::Remainder: d = remainder(a, b); break;
    case Op::RemainderUnsigned: d = remainder_unsigned(a, b); break;
    default: return control(entry, a);
  }
  if (i.activity == CpuActivity::Divide && b == 0) cycles_ += kByZeroCycles;
  return retire(entry, pc_ + entry.num_bytes);
}

/// Jumps, branches, memory, and what changes the state of the machine.
Step Cpu::control(const Decoded& entry, uint32_t a) {
  const Instruction& i = entry.instruction;
  const uint32_t c = registers_[i.rs2], next = pc_ + entry.num_bytes;
  switch (i.op) {
    case Op::Jump: registers_[i.rd] = next; return retire(entry, pc_ + i.immediate);
    case Op::JumpRegister: registers_[i.rd] = next; return retire(entry, (a + i.immediate) & ~uint32_t{1});
    case Op::BranchEqual: return branch(entry, a == c);
    case Op::BranchNotEqual: return branch(entry, a != c);
    case Op::BranchLess: return branch(entry, as_signed(a) < as_signed(c));
    case Op::BranchGreaterEqual: return branch(entry, as_signed(a) >= as_signed(c));
    case Op::BranchLessUnsigned: return branch(entry, a < c);
    case Op::BranchGreaterEqualUnsigned: return branch(entry, a >= c);
    case Op::LoadByte: return load<int8_t>(entry, a + i.immediate);
    case Op::LoadHalf: return load<int16_t>(entry, a + i.immediate);
    case Op::LoadWord: return load<int32_t>(entry, a + i.immediate);
    case Op::LoadByteUnsigned: return load<uint8_t>(entry, a + i.immediate);
    case Op::LoadHalfUnsigned: return load<uint16_t>(entry, a + i.immediate);
    case Op::StoreByte: return store<uint8_t>(entry, a + i.immediate, c);
    case Op::StoreHalf: return store<uint16_t>(entry, a + i.immediate, c);
    case Op::StoreWord: return store<uint32_t>(entry, a + i.immediate, c);
    case Op::Fence: return retire(entry, next);
    case Op::FenceI: invalidate_decoded(); return retire(entry, next);
    case Op::EnvironmentCall: return raise(CpuException::EnvironmentCall, 0, entry.fetch_cycles);
    case Op::Breakpoint: return raise(CpuException::Breakpoint, pc_, entry.fetch_cycles);
    case Op::TrapReturn: return return_from_trap(entry);
    case Op::Wait: is_waiting_ = true; return retire(entry, next);
    case Op::CsrWrite: return access_csr(entry, CsrChange::Write, a);
    case Op::CsrSet: return access_csr(entry, CsrChange::Set, a);
    case Op::CsrClear: return access_csr(entry, CsrChange::Clear, a);
    case Op::CsrWriteImmediate: return access_csr(entry, CsrChange::Write, i.rs1);
    case Op::CsrSetImmediate: return access_csr(entry, CsrChange::Set, i.rs1);
    case Op::CsrClearImmediate: return access_csr(entry, CsrChange::Clear, i.rs1);
    default: return raise(CpuException::IllegalInstruction, entry.word, entry.fetch_cycles);
  }
}

/// The end of every instruction that raises nothing.
Step Cpu::retire(const Decoded& entry, uint32_t next) {
  registers_[0] = 0;
  pc_ = next;
  cycles_ += entry.cycles;
  ++retired_;
  return Step::Retired;
}

Step Cpu::branch(const Decoded& entry, bool is_taken) {
  if (!is_taken) return retire(entry, pc_ + entry.num_bytes);
  cycles_ += kTakenCycles;
  return retire(entry, pc_ + entry.instruction.immediate);
}

/// T is what memory holds; its sign is extended.
template <typename T>
Step Cpu::load(const Decoded& entry, uint32_t address) {
  if (address % sizeof(T) != 0) return raise(CpuException::LoadAddressMisaligned, address, entry.fetch_cycles);
  const BusReply reply = bus_.load(address, sizeof(T));
  if (reply.is_fault) return raise(CpuException::LoadAccessFault, address, entry.fetch_cycles + int64_t{reply.extra_cycles});
  registers_[entry.instruction.rd] = static_cast<uint32_t>(int32_t{static_cast<T>(reply.value)});
  cycles_ += reply.extra_cycles;
  return retire(entry, pc_ + entry.num_bytes);
}

template <typename T>
Step Cpu::store(const Decoded& entry, uint32_t address, uint32_t value) {
  if (address % sizeof(T) != 0) return raise(CpuException::StoreAddressMisaligned, address, entry.fetch_cycles);
  const BusReply reply = bus_.store(address, sizeof(T), static_cast<T>(value));
  if (reply.is_fault)
    return raise(CpuException::StoreAccessFault, address, entry.fetch_cycles + int64_t{reply.extra_cycles});
  if (observer_) stored_ = {address, sizeof(T), static_cast<T>(value)};
  cycles_ += reply.extra_cycles;
  return retire(entry, pc_ + entry.num_bytes);
}

/// csrrw and its kin (unprivileged 20191213, section 9.1). Setting and clearing write nothing where the field rs1 is 0,
/// whether it is a register or an operand; a write of 0 by a register that holds 0 is a write.
Step Cpu::access_csr(const Decoded& entry, CsrChange change, uint32_t operand) {
  const Instruction& i = entry.instruction;
  const std::optional<uint32_t> old = csrs_.read(i.immediate, {cycles_, retired_});
  bool is_legal = old.has_value();
  if (is_legal && (change == CsrChange::Write || i.rs1 != 0)) {
    uint32_t value = operand;
    if (change == CsrChange::Set) value = *old | operand;
    if (change == CsrChange::Clear) value = *old & ~operand;
    is_legal = csrs_.write(i.immediate, value, {cycles_ + entry.cycles, retired_ + 1});
    interrupts_changed();
  }
  if (!is_legal) return raise(CpuException::IllegalInstruction, entry.word, entry.fetch_cycles);
  registers_[i.rd] = *old;
  return retire(entry, pc_ + entry.num_bytes);
}

Step Cpu::return_from_trap(const Decoded& entry) {
  const uint32_t next = csrs_.leave_trap();
  interrupts_changed();
  return retire(entry, next);
}

Step Cpu::raise(CpuException cause, uint32_t value, int64_t extra_cycles) {
  pc_ = csrs_.enter_exception(cause, pc_, value);
  cycles_ += spec::cpu_cycles(CpuActivity::Trap) + extra_cycles;
  interrupts_changed();
  return Step::Trapped;
}

}  // namespace vernier::riscv
