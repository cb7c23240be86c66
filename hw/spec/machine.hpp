// SPDX-License-Identifier: Apache-2.0
// The machines: what is fixed by a preset (the shape that RTL is built for) and the defaults of what a configuration may
// change. One number, N, gives lanes, length of a dot product and bytes of an SRAM word; the rest is derived, so that no two
// facts can disagree. Reasons for the numbers: docs/architecture/ and docs/decisions/0002-machine.md.
#pragma once

#include "hw/base/ratio.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace vernier::spec {

/// The shape of the datapath [decision 0002]. All counts are per cycle unless their name says otherwise.
struct Datapath {
  int lanes;             // N: output channels, elements of a dot product, bytes of an SRAM word
  int sram_read_words;   // whole words that the SRAM delivers a cycle, all readers together
  int sram_write_words;  // whole words that it takes a cycle, all writers together

  [[nodiscard]] constexpr int macs_per_cycle() const { return lanes * lanes; }  // int8 x int8
  [[nodiscard]] constexpr int word_bytes() const { return lanes; }
  [[nodiscard]] constexpr int rescale_lanes() const { return lanes; }
  [[nodiscard]] constexpr int vector_lanes() const { return lanes; }
  [[nodiscard]] constexpr int table_lanes() const { return lanes; }
  [[nodiscard]] constexpr int depthwise_taps() const { return lanes; }  // window of a lane; more taps take passes
  [[nodiscard]] constexpr int weight_tile_bytes() const { return lanes * lanes; }
  [[nodiscard]] constexpr int dma_bytes() const { return 2 * lanes; }
};

/// Single-port; bank = word index mod 8 [decision 0002].
inline constexpr int kNumSramBanks = 8;
/// Unaligned runs of up to N bytes a cycle, each from up to two words [decision 0002].
inline constexpr int kActivationSegments = 2;
/// Words a cycle into the shadow tile, at most (and what the read port gives) [decision 0002].
inline constexpr int kWeightLoadWords = 4;
/// Rows of a weight tile that they go to in a cycle, at most [decision 0012].
inline constexpr int kWeightLoadRows = 4;
/// One accumulates while the other drains [decision 0002].
inline constexpr int kNumAccumulatorBanks = 2;
/// Rows of N accumulators that a bank has [decision 0002].
inline constexpr int kAccumulatorRows = 64;
inline constexpr int kAccumulatorBits = 48;  // [decision 0002]
/// 1 x N, 2 x N/2, 4 x N/4 (pixels x channels) [decision 0002].
inline constexpr int kMaxLaneSplitLog2 = 2;
/// Double-buffered; a slot is 513 x 16, 256 x 8 or 256 x 32 bit [decision 0018].
inline constexpr int kNumTableSlots = 2;
inline constexpr int kNumVectorRegisters = 16;  // [decision 0018]
inline constexpr int kMaxVectorSteps = 24;      // [decision 0002]
/// Bits of the cycle at which a step of a vector program starts [decision 0016].
inline constexpr int kVectorOffsetBits = 12;
/// Vectors that have begun before the last step of the first of them starts [decision 0016].
inline constexpr int kMaxVectorsInFlight = 64;
/// A semaphore counts to 255; one more signal is a fault [decision 0018].
inline constexpr int kTokenCounterBits = 8;
/// Bytes of a copy, elements of a vector run: the sequencer's total [decision 0018].
inline constexpr int64_t kMaxCommandElements = int64_t{1} << 31;
/// Multiplications of one MAC command, at most [decision 0018].
inline constexpr int64_t kMaxCommandMacs = int64_t{1} << 40;
/// Bytes of an index of Gather and Scatter [TOSA 1.0 GATHER].
inline constexpr int kIndexBytes = 4;
/// Bias, multiplier and shift of one output channel [decision 0002].
inline constexpr int kChannelParameterBytes = 10;

enum class MemoryMode : uint8_t { Sram, WeightsExternal, External };
inline constexpr std::array<std::string_view, 3> kMemoryModeNames{"sram", "weights-external", "external"};

/// What watches the bits of SRAM. Parity: a bit more for each byte, made when the byte is written and compared whenever it
/// is read [decision 0032].
enum class SramProtection : uint8_t { None, Parity };
inline constexpr std::array<std::string_view, 2> kSramProtectionNames{"none", "parity"};
/// What parity costs. The comparison is made in the cycle after the read, while the data go on, and stops the machine a
/// cycle later. So no access takes longer [decision 0032].
inline constexpr int64_t kParityBitsPerByte = 1, kParityCycles = 0;

/// External memory. A burst is the unit of transfer: a partial one costs a whole one.
struct ExternalMemory {
  base::Ratio bytes_per_cycle;
  int64_t latency_cycles;
  int64_t burst_bytes;
  bool is_full_duplex;  // false: reads and writes share bytes_per_cycle
};

/// A preset: the datapath with the defaults of everything that a TOML file may override.
struct Preset {
  std::string_view name;
  Datapath datapath;
  int64_t clock_hz;
  int64_t sram_bytes;
  ExternalMemory external;
  int64_t queue_depth;  // commands waiting a unit
  MemoryMode memory_mode;
};

inline constexpr int64_t kKibi = 1024;                                 // [standard IEC 80000-13]
inline constexpr int64_t kMebi = 1024 * kKibi;                         // [standard IEC 80000-13]
inline constexpr int64_t kGiga = 1'000'000'000;                        // [standard SI]
inline constexpr ExternalMemory kDefaultExternal{16, 100, 64, false};  // [decision 0018]

/// [decision 0002; decision 0018]
inline constexpr std::array<Preset, 5> kPresets{{
    {"v64", {8, 4, 2}, kGiga, 64 * kMebi, kDefaultExternal, 8, MemoryMode::Sram},
    {"v256", {16, 4, 2}, kGiga, 64 * kMebi, kDefaultExternal, 8, MemoryMode::Sram},
    {"v1024", {32, 4, 2}, kGiga, 64 * kMebi, kDefaultExternal, 8, MemoryMode::Sram},
    {"v256-sram48", {16, 2, 1}, kGiga, 64 * kMebi, kDefaultExternal, 8, MemoryMode::Sram},
    {"v256-port8", {16, 4, 2}, kGiga, 48 * kKibi, {8, 32, 64, true}, 8, MemoryMode::External},
}};
static_assert(kPresets[0].datapath.macs_per_cycle() == 64 && kPresets[1].datapath.macs_per_cycle() == 256 &&
              kPresets[2].datapath.macs_per_cycle() == 1024);
static_assert(kPresets[1].datapath.weight_tile_bytes() / (kPresets[1].datapath.word_bytes() * kWeightLoadWords) == 4,
              "v256 loads a tile in 4 cycles");

constexpr std::optional<Preset> find_preset(std::string_view name) {
  for (const Preset& preset : kPresets) {
    if (preset.name == name) return preset;
  }
  return std::nullopt;
}

}  // namespace vernier::spec
