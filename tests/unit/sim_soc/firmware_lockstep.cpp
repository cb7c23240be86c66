// SPDX-License-Identifier: Apache-2.0
#ifdef VERNIER_UNICORN
#include "tests/unit/sim_soc/firmware_lockstep.hpp"

#include "hw/spec/control_system.hpp"
#include "tests/unit/sim_riscv/unicorn.hpp"

#include <fmt/format.h>

namespace vernier::soc {

using tests::rv::check_unicorn;
using tests::rv::registers_of;
using tests::rv::store_of;

namespace {

constexpr size_t kMostTaken = 1 << 16;
constexpr uint64_t kNowhere = 0xFFFF'FFFF;

struct Place {
  uint32_t base, size_bytes;
};
/// All that the firmware reaches; of the two large memories as much as the tests use.
constexpr std::array<Place, 4> kPlaces{{
    {spec::memory_region(spec::RegionId::Sram).base, 1 << 20},
    {spec::memory_region(spec::RegionId::Registers).base, spec::memory_region(spec::RegionId::Registers).size_bytes},
    {spec::memory_region(spec::RegionId::Cpu).base, spec::memory_region(spec::RegionId::Cpu).size_bytes},
    {spec::memory_region(spec::RegionId::External).base, 1 << 20},
}};

bool is_local(uint64_t address) {
  return address >= spec::cpu_window_base(spec::CpuWindowId::Firmware) &&
         address < spec::cpu_window_base(spec::CpuWindowId::Mailbox);
}

/// Unicorn does not execute it: traps and interrupts, CSRs, mret and wfi.
bool is_told(const riscv::Executed& executed) {
  constexpr uint32_t kSystem = 0x73;
  return executed.kind != riscv::Executed::Kind::Retired || (executed.num_bytes == 4 && (executed.word & 0x7F) == kSystem);
}

}  // namespace

FirmwareLockstep::FirmwareLockstep(const FirmwareProgram& program) : program_(program) {
  check_unicorn(uc_open(UC_ARCH_RISCV, UC_MODE_RISCV32, &engine_));
  for (const Place& place : kPlaces) check_unicorn(uc_mem_map(engine_, place.base, place.size_bytes, UC_PROT_ALL));
  uc_hook hook = 0;
  // Unicorn takes callbacks of every kind as void*.
  check_unicorn(uc_hook_add(engine_, &hook, UC_HOOK_CODE, reinterpret_cast<void*>(&on_instruction), this, 1, 0));
  check_unicorn(uc_hook_add(engine_, &hook, UC_HOOK_MEM_READ, reinterpret_cast<void*>(&on_read), this, 1, 0));
  check_unicorn(uc_hook_add(engine_, &hook, UC_HOOK_MEM_WRITE, reinterpret_cast<void*>(&on_store), this, 1, 0));
  boot();
}

FirmwareLockstep::~FirmwareLockstep() { uc_close(engine_); }

void FirmwareLockstep::boot() {
  follow();
  const std::vector<std::byte> zeros(spec::cpu_window(spec::CpuWindowId::Ram).size_bytes);
  check_unicorn(uc_mem_write(engine_, spec::cpu_window_base(spec::CpuWindowId::Ram), zeros.data(), zeros.size()));
  for (const FirmwareSegment& segment : program_.segments)
    check_unicorn(uc_mem_write(engine_, segment.address, segment.bytes.data(), segment.bytes.size()));
  registers_.fill(0);
  const uint32_t zero = 0;
  for (int i = 1; i < 32; ++i) check_unicorn(uc_reg_write(engine_, UC_RISCV_REG_X0 + i, &zero));
  stored_ = their_store_ = {};
  their_pc_ = spec::cpu_window_base(spec::CpuWindowId::Firmware);
}

void FirmwareLockstep::take(const riscv::Executed& executed) {
  taken_.push_back(executed);
  if (taken_.size() >= kMostTaken) follow();
}

const std::string& FirmwareLockstep::finish() {
  follow();
  return difference_;
}

void FirmwareLockstep::follow() {
  while (difference_.empty() && next_ < taken_.size()) {
    const riscv::Executed& executed = taken_[next_];
    if (their_pc_ && *their_pc_ != executed.pc)
      return differ(fmt::format("the CPU is at 0x{:x}, Unicorn at 0x{:x}", executed.pc, *their_pc_));
    if (is_told(executed)) {
      tell(executed);
      continue;
    }
    const size_t first = next_;
    const uc_err error = uc_emu_start(engine_, executed.pc, kNowhere, 0, 0);
    if (difference_.empty() && (error != UC_ERR_OK || next_ == first))
      differ(fmt::format("Unicorn stops at 0x{:x}: {}", executed.pc, uc_strerror(error)));
  }
  taken_.clear();
  next_ = 0;
}

void FirmwareLockstep::tell(const riscv::Executed& executed) {
  compare_last();
  if (executed.rd != 0) {
    registers_[executed.rd] = executed.value;
    check_unicorn(uc_reg_write(engine_, UC_RISCV_REG_X0 + executed.rd, &executed.value));
  }
  their_pc_.reset();
  ++num_told_;
  ++next_;
}

void FirmwareLockstep::on_instruction(uc_engine* /*engine*/, uint64_t address, uint32_t /*num_bytes*/, void* self) {
  static_cast<FirmwareLockstep*>(self)->before_instruction(static_cast<uint32_t>(address));
}

void FirmwareLockstep::before_instruction(uint32_t pc) {
  compare_last();
  their_pc_ = pc;
  const bool is_at_end = next_ == taken_.size();
  if (!is_at_end && pc != taken_[next_].pc)
    differ(fmt::format("the CPU is at 0x{:x}, Unicorn at 0x{:x}", taken_[next_].pc, pc));
  if (!difference_.empty() || is_at_end || is_told(taken_[next_])) {
    uc_emu_stop(engine_);
    return;
  }
  const riscv::Executed& executed = taken_[next_++];
  if (executed.rd != 0) registers_[executed.rd] = executed.value;
  stored_ = executed.store;
  num_stores_ += stored_.num_bytes > 0 ? 1 : 0;
  ++num_compared_;
}

/// What the last instruction has left, in both.
void FirmwareLockstep::compare_last() {
  const std::array<uint32_t, 32> theirs = registers_of(engine_);
  for (size_t i = 0; i < theirs.size(); ++i) {
    if (theirs[i] != registers_[i]) differ(fmt::format("x{} is 0x{:x}, Unicorn's 0x{:x}", i, registers_[i], theirs[i]));
  }
  if (stored_ != their_store_)
    differ(fmt::format("0x{:x} is stored at 0x{:x}, {} bytes; by Unicorn 0x{:x} at 0x{:x}, {} bytes", stored_.value,
                       stored_.address, stored_.num_bytes, their_store_.value, their_store_.address,
                       their_store_.num_bytes));
  stored_ = their_store_ = {};
}

void FirmwareLockstep::on_read(uc_engine* engine, uc_mem_type /*type*/, uint64_t address, int num_bytes, int64_t /*value*/,
                               void* self) {
  if (is_local(address)) return;
  auto* lockstep = static_cast<FirmwareLockstep*>(self);
  const uint32_t value = lockstep->taken_[lockstep->next_ - 1].value;
  check_unicorn(uc_mem_write(engine, address, &value, static_cast<size_t>(num_bytes)));
  ++lockstep->num_given_reads_;
}

void FirmwareLockstep::on_store(uc_engine* /*engine*/, uc_mem_type /*type*/, uint64_t address, int num_bytes, int64_t value,
                                void* self) {
  static_cast<FirmwareLockstep*>(self)->their_store_ = store_of(address, num_bytes, value);
}

/// The first difference counts.
void FirmwareLockstep::differ(const std::string& text) {
  if (difference_.empty())
    difference_ = fmt::format("after {} instructions, before cycle {}: {}", num_compared_ + num_told_,
                              next_ < taken_.size() ? taken_[next_].cycle : -1, text);
}

}  // namespace vernier::soc
#endif
