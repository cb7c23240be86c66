// SPDX-License-Identifier: Apache-2.0
// A block of hw/rtl as the co-simulation sees it: pins with names, and eval(). Which blocks there are is decided when the
// program is built: none without Verilator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace vernier::cosim {

/// A port's bits, little-endian, in the least bytes that Verilator has for so many; bits above its width stay 0.
struct Pin {
  std::string_view name;
  void* data;
  size_t bytes;
};

/// Where the text of a wave goes, piece by piece; it does not throw.
class WaveSink {
 public:
  WaveSink() = default;
  WaveSink(const WaveSink&) = delete;
  WaveSink& operator=(const WaveSink&) = delete;
  virtual ~WaveSink() = default;
  virtual void write(std::span<const char> text) noexcept = 0;
};

class RtlBlock {
 public:
  RtlBlock() = default;
  RtlBlock(const RtlBlock&) = delete;
  RtlBlock& operator=(const RtlBlock&) = delete;
  virtual ~RtlBlock() = default;
  /// Lets the block see its input pins; clocked logic runs when clk_i rose since the last call.
  virtual void eval() = 0;
  [[nodiscard]] virtual std::span<const Pin> pins() const = 0;
  /// Whether an edge of clk_i works on the inputs that the eval() before it saw, whatever the pins say by then; step() is
  /// only for such a block.
  [[nodiscard]] virtual bool holds_inputs() const { return false; }
  /// An edge of clk_i for the inputs of the last eval() or step(), and then the inputs that stand on the pins now. clk_i is
  /// low before it, and has to be so before the next eval().
  virtual void step() {}
  /// $time of the RTL, which grows by one in each evaluation; a smaller one is passed over.
  virtual void set_time(uint64_t /*time_ps*/) {}
  /// Before the first eval(): waves, VCD, to a sink that outlives the block; nothing in a block of RtlVariant::Check. The
  /// last of them are written by close_wave() or the block's end.
  virtual void open_wave(WaveSink& /*sink*/) {}
  [[nodiscard]] virtual bool has_wave() const { return false; }
  virtual void dump_wave(uint64_t /*time_ps*/) {}
  virtual void close_wave() {}
};

/// Plain: can write waves. Check: assertions, and registers that start from values of their own.
enum class RtlVariant : uint8_t { Plain, Check };

struct RtlOptions {
  int reset_seed = 1;  // of the values of registers and memories before reset
};

struct RtlEntry {
  std::string_view name;
  int lanes;
  RtlVariant variant;
  std::unique_ptr<RtlBlock> (*make)(const RtlOptions&);
};

/// All blocks of this program.
std::span<const RtlEntry> rtl_blocks();

/// nullptr when the program does not have it.
std::unique_ptr<RtlBlock> make_rtl_block(std::string_view name, int lanes, RtlVariant variant = RtlVariant::Plain,
                                         const RtlOptions& options = {});

}  // namespace vernier::cosim
