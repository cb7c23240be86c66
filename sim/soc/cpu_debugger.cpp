// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/cpu_debugger.hpp"

#include "sim/riscv/compressed.hpp"
#include "sim/riscv/decoder.hpp"
#include "sim/soc/firmware_program.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace vernier::soc {

namespace {

constexpr uint32_t kWordBytes = 4;

uint32_t number_of(spec::CpuCsrId id) { return spec::kCpuCsrs[static_cast<size_t>(id)].first; }

/// Bytes of the access and whether it is a store; nullopt for all other instructions.
std::optional<std::pair<uint32_t, bool>> access_kind(riscv::Op op) {
  using riscv::Op;
  switch (op) {
    case Op::LoadByte:
    case Op::LoadByteUnsigned: return std::pair(1, false);
    case Op::LoadHalf:
    case Op::LoadHalfUnsigned: return std::pair(2, false);
    case Op::LoadWord: return std::pair(4, false);
    case Op::StoreByte: return std::pair(1, true);
    case Op::StoreHalf: return std::pair(2, true);
    case Op::StoreWord: return std::pair(4, true);
    default: return std::nullopt;
  }
}

}  // namespace

CpuDebugger::CpuDebugger(ControlCpu& cpu, gdb::Server& server, std::function<void()> on_kill)
    : cpu_(cpu), server_(server), on_kill_(std::move(on_kill)) {}

bool CpuDebugger::poll() {
  if (!server_.poll()) return false;
  is_interrupted_ = true;
  return true;
}

bool CpuDebugger::stops_here() {
  if (!server_.is_attached()) return false;  // also where it has gone just now
  if (is_interrupted_) return true;
  if (is_resumed_) return false;
  if (is_stepping_) return true;
  if (cpu_.state().is_waiting() || is_interrupt_due()) return false;
  const gdb::Breakpoints& breakpoints = server_.breakpoints();
  if (breakpoints.has(pc())) {
    stop_ = {gdb::Stop::Kind::Breakpoint};
    return true;
  }
  if (!breakpoints.has_watchpoints()) return false;
  const std::optional<gdb::MemoryAccess> access = next_access();
  const auto watchpoint = access ? breakpoints.met_by(*access) : std::nullopt;
  if (watchpoint) stop_ = {gdb::Stop::Kind::Watchpoint, *watchpoint};
  return watchpoint.has_value();
}

bool CpuDebugger::stand() {
  if (std::exchange(is_interrupted_, false)) stop_ = {gdb::Stop::Kind::Interrupted};
  const gdb::Resume wanted = server_.stand(*this, stop_);
  is_stepping_ = wanted == gdb::Resume::Step;
  is_resumed_ = true;
  stop_ = {gdb::Stop::Kind::Stepped};
  is_killed_ = wanted == gdb::Resume::Killed;
  if (is_killed_) on_kill_();
  return !is_killed_;
}

bool CpuDebugger::is_interrupt_due() const {
  const auto value = [this](spec::CpuCsrId id) { return csr(number_of(id)).value_or(0); };
  return (value(spec::CpuCsrId::Mstatus) & spec::kMstatusMie) != 0 &&
         (value(spec::CpuCsrId::Mip) & value(spec::CpuCsrId::Mie)) != 0;
}

/// The load or store that the next instruction makes.
std::optional<gdb::MemoryAccess> CpuDebugger::next_access() {
  if (!is_firmware_place(pc(), 2)) return std::nullopt;  // the CPU cannot fetch there
  uint32_t word = 0;
  read_memory(pc(), std::as_writable_bytes(std::span(&word, 1)));
  if (riscv::is_compressed(word)) word = riscv::expand(static_cast<uint16_t>(word)).value_or(0);
  const riscv::Instruction instruction = riscv::decode(word);
  const auto kind = access_kind(instruction.op);
  if (!kind) return std::nullopt;
  return gdb::MemoryAccess{reg(instruction.rs1) + instruction.immediate, kind->first, kind->second};
}

/// Word by word, because registers have no other accesses.
size_t CpuDebugger::read_memory(uint32_t address, std::span<std::byte> bytes) {
  uint64_t at = address;
  size_t num_read = 0;
  while (num_read < bytes.size() && at <= UINT32_MAX) {
    std::array<std::byte, kWordBytes> word{};
    const uint32_t skipped = at % kWordBytes;
    if (!cpu_.debug_access(tlm::TLM_READ_COMMAND, static_cast<uint32_t>(at - skipped), word)) break;
    const size_t length = std::min<size_t>(kWordBytes - skipped, bytes.size() - num_read);
    std::memcpy(bytes.data() + num_read, word.data() + skipped, length);
    num_read += length;
    at += length;
  }
  return num_read;
}

/// A part of a word is written as such: memories take it, registers do not.
bool CpuDebugger::write_memory(uint32_t address, std::span<const std::byte> bytes) {
  uint64_t at = address;
  while (!bytes.empty()) {
    std::array<std::byte, kWordBytes> word{};
    const size_t length = std::min<size_t>(kWordBytes - at % kWordBytes, bytes.size());
    std::memcpy(word.data(), bytes.data(), length);
    if (at > UINT32_MAX) return false;
    if (!cpu_.debug_access(tlm::TLM_WRITE_COMMAND, static_cast<uint32_t>(at), std::span(word).first(length))) return false;
    bytes = bytes.subspan(length);
    at += length;
  }
  return true;
}

}  // namespace vernier::soc
