// SPDX-License-Identifier: Apache-2.0
// An RTL block with its clock and its ports by name, each of the width that hw/spec/rtl_ports.hpp gives it.
#pragma once

#include "hw/base/error.hpp"
#include "hw/spec/rtl_ports.hpp"
#include "sim/cosim/block/mismatch.hpp"
#include "sim/cosim/block/rtl_block.hpp"
#include "sim/cosim/stimulus/random.hpp"

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace vernier::cosim {

/// Bits of a port, in fields of `width` (at most 64) from bit 0: lanes, or the whole port as its field 0.
class Port {
 public:
  Port() = default;
  Port(std::byte* data, int64_t bits) : data_(data), bits_(bits) {}
  void set(uint64_t value) { set_field(0, static_cast<int>(bits_), value); }
  [[nodiscard]] uint64_t get() const { return field(0, static_cast<int>(bits_)); }
  void set_field(int64_t idx, int width, uint64_t value) {
    const int64_t first = idx * width;
    check_field(idx, width);
    const auto offset = static_cast<int>(first % 8);
    if (offset == 0 && width % 8 == 0) {
      std::memcpy(data_ + first / 8, &value, static_cast<size_t>(width / 8));
    } else if (offset + width <= 8) {
      const auto mask = static_cast<std::byte>(mask_of(width) << offset);
      std::byte& byte = data_[first / 8];
      byte = (byte & ~mask) | (static_cast<std::byte>(value << offset) & mask);
    } else {
      set_bits(first, width, value);
    }
  }
  [[nodiscard]] uint64_t field(int64_t idx, int width) const {
    const int64_t first = idx * width;
    check_field(idx, width);
    const auto offset = static_cast<int>(first % 8);
    if (offset + width <= 8) return (std::to_integer<uint64_t>(data_[first / 8]) >> offset) & mask_of(width);
    if (offset != 0 || width % 8 != 0) return bits_at(first, width);
    uint64_t value = 0;
    std::memcpy(&value, data_ + first / 8, static_cast<size_t>(width / 8));
    return value;
  }
  /// `width` bits from bit `first` on: the low ones of `value`.
  void set_bits(int64_t first, int width, uint64_t value);
  /// Byte `first` and those that follow it.
  void set_bytes(int64_t first, std::span<const std::byte> bytes) {
    const auto end = first + static_cast<int64_t>(bytes.size());
    VERNIER_CHECK(first >= 0 && 8 * end <= bits_, "bytes {} to {} of a port of {} bits", first, end, bits_);
    std::memcpy(data_ + first, bytes.data(), bytes.size());
  }
  /// Anything in all of its bits.
  void scramble(Random& random);
  [[nodiscard]] std::span<std::byte> bytes() const { return {data_, static_cast<size_t>((bits_ + 7) / 8)}; }
  [[nodiscard]] int64_t bits() const { return bits_; }

 private:
  static constexpr uint64_t mask_of(int width) { return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1; }
  void check_field(int64_t idx, int width) const {
    VERNIER_CHECK(width <= 64 && (idx + 1) * width <= bits_, "field {} of {} bits in a port of {}", idx, width, bits_);
  }
  [[nodiscard]] uint64_t bits_at(int64_t first, int width) const;
  std::byte* data_ = nullptr;
  int64_t bits_ = 0;
};

/// The RTL does not go on: no handshake on any port for too long, or it stopped itself; since `since_cycle` of the block,
/// where that is known.
class Hang : public std::runtime_error {
 public:
  explicit Hang(const std::string& what, int64_t since_cycle = 0, bool is_stop = false)
      : std::runtime_error(what), since_cycle_(since_cycle), is_stop_(is_stop) {}
  [[nodiscard]] int64_t since_cycle() const { return since_cycle_; }
  /// It stopped itself.
  [[nodiscard]] bool is_stop() const { return is_stop_; }

 private:
  int64_t since_cycle_;
  bool is_stop_;
};

/// A clock cycle in a wave: that of 1 GHz.
inline constexpr int64_t kWaveCyclePs = 1000;

class ClockedBlock {
 public:
  /// A reset with edges has so many.
  static constexpr int kResetEdges = 3;

  /// InternalError when the block lacks a port of `description`, or has it narrower.
  ClockedBlock(std::unique_ptr<RtlBlock> block, const spec::RtlBlock& description, int lanes);
  [[nodiscard]] Port port(std::string_view name) const;
  [[nodiscard]] const spec::RtlBlock& description() const { return description_; }
  /// Results come so many cycles after their operands, instead of those that the description says.
  void expect_latency(int64_t cycles) { description_.latency_cycles = cycles; }
  [[nodiscard]] int lanes() const { return lanes_; }
  /// Sets all inputs to 0 and holds rst_ni low, for a few edges or without one.
  void reset(bool has_edges = true);
  /// Combinational outputs follow the inputs. Hang, here and at an edge, when the RTL stops itself.
  void settle();
  /// A rising edge of clk_i, the end of cycle cycle(); inputs may change afterwards. In a wave, cycle c begins at c x
  /// kWaveCyclePs with a rising edge, at which every signal takes the value that the next edge finds.
  void edge();
  /// The same, of inputs that have not changed since settle(). Outputs may show what it did only after the next settle(),
  /// which is one step with it where the block has that; whoever looks at them before, or resets the block, calls
  /// finish_edge() first.
  void edge_with_settle();
  void finish_edge() {
    if (has_edge_left_) settle();
  }
  /// A mismatch of this block in this cycle.
  [[nodiscard]] Mismatch seen_now(Mismatch mismatch) const {
    mismatch.unit = description_.name;
    mismatch.cycle = cycle_;
    return mismatch;
  }
  /// The number of edges so far, those of resets included.
  [[nodiscard]] int64_t cycle() const { return cycle_; }
  /// The next edge has the number `cycle`: what runs once more is counted, and drawn, as it was the first time.
  void count_from(int64_t cycle) {
    finish_edge();
    cycle_ = cycle;
  }
  [[nodiscard]] RtlBlock& rtl() { return *block_; }
  /// Whether edges from here on are in the wave; they are at first.
  void draw(bool is_drawn) {
    finish_edge();
    is_drawn_ = is_drawn;
  }

 private:
  template <typename Work>
  void evaluate(const Work& work);
  void draw_cycle();
  void eval();
  void step();

  std::unique_ptr<RtlBlock> block_;
  spec::RtlBlock description_;
  int lanes_;
  Port clock_;
  int64_t cycle_ = 0;
  bool has_seen_low_ = true;  // clk_i
  bool is_drawn_ = true;
  bool has_edge_left_ = false;  // the next settle() has an edge before it
};

}  // namespace vernier::cosim
