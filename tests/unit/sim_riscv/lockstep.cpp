// SPDX-License-Identifier: Apache-2.0
#ifdef VERNIER_UNICORN
#include "tests/unit/sim_riscv/lockstep.hpp"

#include "sim/riscv/compressed.hpp"
#include "tests/unit/sim_riscv/encode.hpp"
#include "tests/unit/sim_riscv/random_program.hpp"
#include "tests/unit/sim_riscv/unicorn.hpp"

#include <fmt/format.h>

#include <cstring>

namespace vernier::tests::rv {
namespace {

constexpr int64_t kInstructionsOfProgram = 1000;
constexpr uint64_t kNowhere = 0xFFFF'FFFF;

/// Skips the instruction that trapped, wherever 4 bytes further leads.
constexpr std::array kHandlerCode{csrrs(31, kMcause, 0), csrrs(30, kMtval, 0), csrrs(31, kMepc, 0),
                                  addi(31, 31, 4),       csrrw(0, kMepc, 31),  kMret};

/// Registers with the same bits in both machines, and their names there.
constexpr std::array<std::pair<uint32_t, int>, 4> kSharedCsrs{{{kMscratch, UC_RISCV_REG_MSCRATCH},
                                                               {kMepc, UC_RISCV_REG_MEPC},
                                                               {kMcause, UC_RISCV_REG_MCAUSE},
                                                               {kMtval, UC_RISCV_REG_MTVAL}}};

}  // namespace

riscv::BusReply LockstepRam::store(uint32_t address, uint32_t num_bytes, uint32_t value) {
  if (address < kData || address >= kDataEnd) return {.is_fault = true};
  stored = riscv::Executed::Store{address, num_bytes, value};
  return Ram::store(address, num_bytes, value);
}

Lockstep::Lockstep(uint64_t salt) : random_(salt) {
  check_unicorn(uc_open(UC_ARCH_RISCV, UC_MODE_RISCV32, &engine_));
  check_unicorn(uc_mem_map(engine_, 0, LockstepRam::kBytes, UC_PROT_ALL));
  uc_hook instruction_hook = 0, store_hook = 0;
  // Unicorn takes callbacks of every kind as void*.
  check_unicorn(uc_hook_add(engine_, &instruction_hook, UC_HOOK_CODE, reinterpret_cast<void*>(&on_instruction), this, 1, 0));
  check_unicorn(uc_hook_add(engine_, &store_hook, UC_HOOK_MEM_WRITE, reinterpret_cast<void*>(&on_store), this, 1, 0));
  std::memcpy(&ram_.bytes[kHandler], kHandlerCode.data(), sizeof(kHandlerCode));
}

Lockstep::~Lockstep() { uc_close(engine_); }

std::string Lockstep::run(int64_t num_instructions) {
  while (difference_.empty() && num_compared_ < num_instructions) {
    begin_program();
    while (difference_.empty() && num_left_ > 0) {
      must_copy_ = false;
      const uc_err error = uc_emu_start(engine_, cpu_.pc(), kNowhere, 0, 0);
      // Where there is no code, Unicorn stops before it calls back.
      if (error == UC_ERR_FETCH_UNMAPPED) {
        uint32_t pc = 0;
        check_unicorn(uc_reg_read(engine_, UC_RISCV_REG_PC, &pc));
        before_instruction(pc);
      }
      if (difference_.empty() && !must_copy_ && num_left_ > 0) {
        differ(fmt::format("Unicorn stopped at 0x{:x}: {}", cpu_.pc(), uc_strerror(error)));
      }
      if (must_copy_) continue_after_stop();
    }
    if (difference_.empty()) difference_ = difference_in_memory();
  }
  return difference_;
}

void Lockstep::begin_program() {
  ++num_programs_;
  num_left_ = kInstructionsOfProgram;
  RandomProgram program(random_);
  const std::vector<uint16_t> code = program.code();
  std::memcpy(&ram_.bytes[kCode], code.data(), kCodeEnd - kCode);
  for (uint32_t address = kData; address < kDataEnd; address += 4) {
    const uint32_t value = random_.operand();
    std::memcpy(&ram_.bytes[address], &value, 4);
  }
  check_unicorn(uc_mem_write(engine_, 0, ram_.bytes.data(), ram_.bytes.size()));
  check_unicorn(uc_ctl_remove_cache(engine_, 0, LockstepRam::kBytes));
  cpu_.reset(kCode);
  cpu_.set_csr(kMtvec, kHandler);
  const auto registers = program.registers();
  for (uint32_t i = 1; i < registers.size(); ++i) cpu_.set_reg(i, registers[i]);
  ram_.stored.reset();
  copy_state();
}

void Lockstep::on_instruction(uc_engine* /*engine*/, uint64_t address, uint32_t /*num_bytes*/, void* lockstep) {
  static_cast<Lockstep*>(lockstep)->before_instruction(static_cast<uint32_t>(address));
}

void Lockstep::on_store(uc_engine* /*engine*/, uc_mem_type /*type*/, uint64_t address, int num_bytes, int64_t value,
                        void* lockstep) {
  auto* self = static_cast<Lockstep*>(lockstep);
  const riscv::Executed::Store theirs = store_of(address, num_bytes, value);
  if (self->ram_.stored != theirs) {
    self->differ(fmt::format("Unicorn stores 0x{:x} at 0x{:x}, {} bytes", theirs.value, theirs.address, theirs.num_bytes));
  }
  self->ram_.stored.reset();
}

/// Both are before the instruction at `pc`: their states are compared, then our CPU executes it, then Unicorn does.
void Lockstep::before_instruction(uint32_t pc) {
  if (!difference_.empty() || must_copy_) return;
  compare(pc);
  if (!difference_.empty() || --num_left_ <= 0) {
    uc_emu_stop(engine_);
    return;
  }
  uint32_t word = 0;
  if (pc < LockstepRam::kBytes - 4) std::memcpy(&word, &ram_.bytes[pc], 4);
  const bool is_comparable_here = is_comparable(word);
  const riscv::Step step = cpu_.step();
  if (step == riscv::Step::Trapped) ++num_traps_;
  if (step == riscv::Step::Retired && is_comparable_here) {
    ++num_compared_;
    return;
  }
  if (step != riscv::Step::Trapped) ++num_copied_;
  must_copy_ = true;
  uc_emu_stop(engine_);
}

void Lockstep::compare(uint32_t pc) {
  const std::array<uint32_t, 32> theirs = registers_of(engine_);
  if (pc != cpu_.pc()) return differ(fmt::format("pc is 0x{:x}, Unicorn's 0x{:x}", cpu_.pc(), pc));
  for (uint32_t i = 0; i < theirs.size(); ++i) {
    if (theirs[i] != cpu_.reg(i)) return differ(fmt::format("x{} is 0x{:x}, Unicorn's 0x{:x}", i, cpu_.reg(i), theirs[i]));
  }
  if (ram_.stored)
    differ(fmt::format("0x{:x} was stored at 0x{:x}, not by Unicorn", ram_.stored->value, ram_.stored->address));
}

/// What a trap, or an instruction that cannot be compared, has left in our CPU is Unicorn's state too.
void Lockstep::continue_after_stop() {
  if (cpu_.is_waiting()) num_left_ = 0;
  // A trap whose handler traps again ends the program: what follows the first one is no code.
  if (cpu_.pc() == kHandler && cpu_.csr(kMepc).value() - kCode >= kCodeEnd - kCode) num_left_ = 0;
  ram_.stored.reset();
  copy_state();
}

void Lockstep::copy_state() {
  for (uint32_t i = 1; i < 32; ++i) {
    const uint32_t value = cpu_.reg(i);
    check_unicorn(uc_reg_write(engine_, UC_RISCV_REG_X0 + static_cast<int>(i), &value));
  }
  for (const auto& [number, name] : kSharedCsrs) {
    const uint32_t value = cpu_.csr(number).value();
    check_unicorn(uc_reg_write(engine_, name, &value));
  }
  // mret stays in machine mode, where Unicorn has others too.
  const uint32_t status = spec::kMstatusMpp;
  check_unicorn(uc_reg_write(engine_, UC_RISCV_REG_MSTATUS, &status));
}

std::string Lockstep::difference_in_memory() const {
  std::vector<uint8_t> theirs(LockstepRam::kBytes);
  check_unicorn(uc_mem_read(engine_, 0, theirs.data(), theirs.size()));
  for (uint32_t address = 0; address < LockstepRam::kBytes; ++address) {
    if (theirs[address] != ram_.bytes[address]) {
      return fmt::format("memory at 0x{:x} is 0x{:x}, Unicorn's 0x{:x}", address, ram_.bytes[address], theirs[address]);
    }
  }
  return {};
}

/// The first difference counts.
void Lockstep::differ(const std::string& text) {
  if (difference_.empty()) {
    difference_ =
        fmt::format("program {}, {} instructions before its end, pc 0x{:x}: {}", num_programs_, num_left_, cpu_.pc(), text);
  }
  uc_emu_stop(engine_);
}

/// Not: wfi, mret outside of the handler, and CSRs that differ by design. mepc keeps bit 0 in Unicorn; the handler never
/// sets it.
bool Lockstep::is_comparable(uint32_t word) const {
  if (riscv::is_compressed(word) || (word & 0x7F) != 0x73) return true;
  if (cpu_.pc() >= kHandler && cpu_.pc() < kHandler + sizeof(kHandlerCode)) return true;
  const uint32_t number = word >> 20;
  return (word >> 12 & 3) != 0 && (number == kMscratch || number == kMcause || number == kMtval);
}

}  // namespace vernier::tests::rv
#endif
