// SPDX-License-Identifier: Apache-2.0
// The register file that the control CPU and a host see, and the memory map it stands in.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace vernier::spec {

enum class Access : uint8_t { ReadOnly, ReadWrite, WriteOneToClear, WriteOnly };

struct Register {
  std::string_view name;
  uint32_t offset_bytes;
  Access access;
  uint32_t reset;
  std::string_view description;
};

/// Size of a region that ends where its memory ends [decision 0030].
inline constexpr uint32_t kToTheEnd = 0xFFFF'FFFF;
/// Bases of regions in external memory are multiples of it, so that bursts and their order stay [decision 0030].
inline constexpr int64_t kExternalRegionAlignmentBytes = 4096;
/// Cycles from the end of a stream to the start of the committed one [decision 0030].
inline constexpr int64_t kCommitCycles = 4;

/// Of these, STREAM_ADDRESS to WATCHDOG_CYCLES and SRAM_BASE to JOB say what the next job is: a start takes them over, and
/// what is written later is of the one after it. So the next job is set up while one runs. A stream starts with empty
/// tokens, table slots and accumulators, and its addresses are bytes in the regions of its job. Two jobs that end before the
/// first is seen do not become one: an end waits, with STATUS at "running", until IRQ_STATUS is 0 [decision 0030]. [decision
/// 0018]
inline constexpr std::array<Register, 27> kRegisters{{
    {"ID", 0x00, Access::ReadOnly, 0x56524E52, "'VRNR'"},
    {"CONTROL", 0x04, Access::ReadWrite, 0,
     "bit 0: start the stream at STREAM_ADDRESS, unless one runs; bit 1: end what runs and reset all units; bit 2, commit: "
     "start the stream when the one that runs is done, at once where none runs; not while IRQ_STATUS tells a fault or "
     "watchdog"},
    {"STATUS", 0x08, Access::ReadOnly, 0, "bit 0: running; bit 1: done; bit 2: fault; bit 3: a committed job waits"},
    {"FAULT_CODE", 0x0C, Access::ReadOnly, 0, "hw/spec/status.hpp"},
    {"FAULT_ADDRESS", 0x10, Access::ReadOnly, 0, "byte offset in the stream of the command at fault"},
    {"STREAM_ADDRESS", 0x14, Access::ReadWrite, 0, "byte of the first command, in its region"},
    {"STREAM_SPACE", 0x18, Access::ReadWrite, 0, "0: SRAM; 1: external memory"},
    {"STREAM_BYTES", 0x1C, Access::ReadWrite, 0, "length of the stream"},
    {"IRQ_STATUS", 0x20, Access::WriteOneToClear, 0, "bit 0: done; bit 1: fault; bit 2: watchdog"},
    {"IRQ_ENABLE", 0x24, Access::ReadWrite, 0, "as IRQ_STATUS"},
    {"WATCHDOG_CYCLES", 0x28, Access::ReadWrite, 0, "cycles without a command ending before the watchdog fires; 0: off"},
    {"PMU_CYCLES_LOW", 0x30, Access::ReadOnly, 0, "cycles since start, low 32 bits"},
    {"PMU_CYCLES_HIGH", 0x34, Access::ReadOnly, 0, "cycles since start, high 32 bits"},
    {"PMU_COMMANDS", 0x38, Access::ReadOnly, 0, "commands retired since start"},
    {"FAULT_ACCESS", 0x3C, Access::ReadOnly, 0,
     "the first byte of the access at fault: its offset in its region, 0x7ffffffe where it is larger, with bit 31 set in "
     "external memory; all ones: the fault is in no access"},
    {"SRAM_BASE", 0x40, Access::ReadWrite, 0, "first byte of the job's region of SRAM: a multiple of 8 x N bytes"},
    {"SRAM_BYTES", 0x44, Access::ReadWrite, kToTheEnd, "of that region; all ones: to the end of SRAM"},
    {"SRAM_READ_ONLY_BYTES", 0x48, Access::ReadWrite, 0, "bytes at its start that the job may only read"},
    {"EXTERNAL_BASE", 0x4C, Access::ReadWrite, 0, "first byte of the job's region of external memory: a multiple of 4,096"},
    {"EXTERNAL_BYTES", 0x50, Access::ReadWrite, kToTheEnd, "of that region; all ones: to the end of external memory"},
    {"EXTERNAL_READ_ONLY_BYTES", 0x54, Access::ReadWrite, 0, "bytes at its start that the job may only read"},
    {"JOB", 0x58, Access::ReadWrite, 0, "number of the job, for who looks at the machine; the NPU does nothing with it"},
    {"ENDED_JOB", 0x60, Access::ReadOnly, 0, "JOB of the stream that ended last"},
    {"ENDED_CYCLES_LOW", 0x64, Access::ReadOnly, 0, "its cycles from start to end, low 32 bits"},
    {"ENDED_CYCLES_HIGH", 0x68, Access::ReadOnly, 0, "high 32 bits"},
    {"LANES", 0x6C, Access::ReadOnly, 0, "N of the machine: 8, 16 or 32; never 0"},
    {"SRAM_SIZE", 0x70, Access::ReadOnly, 0, "bytes of SRAM; never 0"},
}};

/// FAULT_ACCESS of a fault that is in no access [decision 0035].
inline constexpr uint32_t kNoFaultAccess = 0xFFFF'FFFF;
/// FAULT_ACCESS of an access that begins at `offset` of its region [decision 0035].
constexpr uint32_t fault_access(bool is_external, uint64_t offset) {
  constexpr uint64_t kMostOffset = 0x7FFF'FFFE;
  return static_cast<uint32_t>(offset < kMostOffset ? offset : kMostOffset) | (is_external ? 0x8000'0000U : 0U);
}

/// Where things are in the 32-bit address space of the control CPU.
struct Region {
  std::string_view name;
  uint32_t base;
  uint32_t size_bytes;
};
/// [decision 0018]
inline constexpr std::array<Region, 4> kMemoryMap{{{"sram", 0x0000'0000, 0x1000'0000},
                                                   {"registers", 0x1000'0000, 0x0000'1000},
                                                   {"cpu", 0x1001'0000, 0x0004'0000},
                                                   {"external", 0x8000'0000, 0x8000'0000}}};
/// Rows of kMemoryMap, in their order.
enum class RegionId : uint8_t { Sram, Registers, Cpu, External };
constexpr const Region& memory_region(RegionId id) { return kMemoryMap[static_cast<size_t>(id)]; }
static_assert([] {
  for (size_t i = 1; i < kMemoryMap.size(); ++i) {
    if (kMemoryMap[i].base < kMemoryMap[i - 1].base + kMemoryMap[i - 1].size_bytes) return false;
  }
  for (size_t i = 1; i < kRegisters.size(); ++i) {
    if (kRegisters[i].offset_bytes < kRegisters[i - 1].offset_bytes + 4) return false;
  }
  return true;
}());

/// The largest SRAM that the map has room for.
inline constexpr int64_t kMaxSramBytes = memory_region(RegionId::Sram).size_bytes;
inline constexpr int64_t kMaxExternalBytes = memory_region(RegionId::External).size_bytes;

}  // namespace vernier::spec
